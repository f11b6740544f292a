"""Running one kernel: on the host, checked by sanitizers, with portable bodies; on an emulated Cortex-M4, specialised.

The host program takes structs, tables and rows at run time, so one build serves all cases.  Every buffer has exactly
the declared size (overread included), so that any access beyond it is caught.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from byrote.kernel import Lowered
from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from byrote.verify.cycles import estimate_cycles
from byrote.verify.elf import load_elf
from byrote.verify.emulator import Machine
from byrote.verify.toolchain import build_firmware, build_host_program

DRIVER = Path(__file__).with_name("driver.c")
TARGET = load_target("cortex-m4")
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
_PACKAGE = Path(__file__).parents[2] / "src/byrote"
INCLUDES = (_PACKAGE / "runtime", *sorted((_PACKAGE / "ops").glob("*/kernels")))
FILL = 0xA5
BUILDS = (
    ("gcc", None),
    ("zig", None),
    ("gcc", ("-O0",)),
    ("gcc", ("-Os", "-fno-omit-frame-pointer")),
    ("gcc", ("-O3",)),
    ("zig", ("-O1", "-fno-omit-frame-pointer")),
    ("zig", ("-O3",)),
)
"""Compilers and flags under which every kernel has to be right (None: the recommended ones)."""


def needs(compiler: str) -> None:
    """Skip the test if this compiler for the Cortex-M4 is not there."""
    if find_compiler(compiler, TARGET) is None:
        pytest.skip(f"{compiler} for Cortex-M4 is not installed")


@dataclass(frozen=True)
class KernelSource:
    """A kernel and how the driver calls it: tables are t[0].., inputs in[0]..; `struct` is the name of its struct."""

    header: str
    struct: str
    call: str


@dataclass(frozen=True)
class Slots:
    """An input of one call: what the bases point at (overread included) and the members of struct rows."""

    kept: bytes
    fresh: bytes
    held: int
    top: int
    first: int
    end: int


class Host:
    """A kernel on this computer under sanitizers."""

    def __init__(self, source: KernelSource, folder: Path) -> None:
        defines = (f'-DHEADER="{source.header}"', f"-DSTRUCT={source.struct}", f"-DCALL={source.call}")
        flags = ("-std=c99", *STRICT, *defines)
        built = build_host_program([DRIVER], folder, include=INCLUDES, flags=flags, sanitize=True, optimise=("-O0",))
        self._process = subprocess.Popen([str(built.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self) -> None:
        self._process.communicate()

    def run(self, lowered: Lowered, inputs: Sequence[Slots], size: int, rows: int) -> bytes:
        """The `size` bytes of output of one call for `rows` rows."""
        fields = flat_fields(lowered)
        parts = [_numbers(4 * len(fields), *fields, len(lowered.tables))]
        parts += [_block(np.ascontiguousarray(table.values).tobytes()) for table in lowered.tables]
        parts.append(_numbers(len(inputs)))
        for x in inputs:
            parts += [_block(x.kept), _block(x.fresh), _numbers(x.held, x.top, x.first, x.end)]
        parts.append(_numbers(size, max(lowered.scratch, lowered.state), rows))
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(b"".join(parts))
        stdin.flush()
        output = stdout.read(size)
        assert len(output) == size, f"the kernel failed: exit code {self._process.wait()}"
        return output


@dataclass(frozen=True)
class Measured:
    """Output and cost of one call on the emulated core; cycles at least and at most."""

    output: bytes
    instructions: int
    cycles: tuple[int, int]
    code: int
    stack: int


def emulate(
    source: KernelSource,
    lowered: Lowered,
    inputs: Sequence[Slots],
    size: int,
    rows: int,
    folder: Path,
    compiler: str = "gcc",
    optimise: Sequence[str] | None = None,
) -> Measured:
    """One specialised call on a Cortex-M4; it may write its output and scratch only."""
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "kernel.c"
    text.write_text(specialised(source, lowered, inputs, size, rows))
    built = build_firmware(
        [text],
        TARGET,
        folder / "built",
        entry="block",
        keep=("out", "scratch", *(f"{base}{i}" for base in ("kept", "fresh") for i in range(len(inputs)))),
        compiler=compiler,
        include=INCLUDES,
        flags=STRICT,
        optimise=optimise,
    )
    machine = Machine(load_elf(built.path), TARGET)
    for index, x in enumerate(inputs):
        machine.write(machine.address(f"kept{index}"), x.kept)
        machine.write(machine.address(f"fresh{index}"), x.fresh)
    out, scratch = machine.address("out"), machine.address("scratch")
    machine.write(out, bytes([FILL]) * size)
    allowed = ((out, out + size), (scratch, scratch + max(lowered.scratch, lowered.state)))
    seen = machine.observe("block", stores=allowed)
    assert not seen.stray_stores, [str(access) for access in seen.stray]
    cycles = estimate_cycles(seen, TARGET)
    assert cycles is not None
    code = machine.elf.symbol("block").size
    return Measured(machine.read(out, size), seen.instructions, (cycles.low, cycles.high), code, seen.stack)


def specialised(source: KernelSource, lowered: Lowered, inputs: Sequence[Slots], size: int, rows: int) -> str:
    """C text of one call with all constants known."""
    lines = [f'#include "{source.header}"', "void block(void);"]
    for index, table in enumerate(lowered.tables):
        values = ",".join(str(int(v)) if int(v) != -(2**31) else "(-2147483647 - 1)" for v in table.values.reshape(-1))
        # Not const: as if defined elsewhere, so that the compiler cannot know the values.
        lines.append(f"{table.dtype.ctype} t{index}[] __attribute__((aligned({table.align}))) = {{{values}}};")
    for index, x in enumerate(inputs):
        lines.append(f"uint8_t kept{index}[{len(x.kept) + 4}] __attribute__((aligned(4)));")
        lines.append(f"uint8_t fresh{index}[{len(x.fresh) + 4}] __attribute__((aligned(4)));")
    lines.append(f"uint8_t out[{size}] __attribute__((aligned(4)));")
    lines.append(f"uint8_t scratch[{max(lowered.scratch, lowered.state, 4)}] __attribute__((aligned(4)));")
    literal = ", ".join(_literal(value) for _, value in lowered.fields)
    lines.append(f"static const struct {source.struct} s = {{{literal}}};")
    bases = [f"rows_of(kept{i}, fresh{i}, {x.held}, {x.top}, {x.first}, {x.end})" for i, x in enumerate(inputs)]
    body = [f"    struct rows in[{len(inputs)}];", *(f"    in[{i}] = {base};" for i, base in enumerate(bases))]
    call = source.call
    for index in range(len(lowered.tables)):
        call = call.replace(f"t[{index}]", f"t{index}")
    body.append(f"    {call.replace(', rows', f', {rows}')};")
    return "\n".join([*lines, "void block(void)", "{", *body, "}", ""])


def flat_fields(lowered: Lowered) -> list[int]:
    flat: list[int] = []
    for _, value in lowered.fields:
        flat += value if isinstance(value, tuple) else [value]
    return flat


def _literal(value: int | tuple[int, ...]) -> str:
    if isinstance(value, tuple):
        return "{" + ", ".join(_literal(v) for v in value) + "}"
    return "(-2147483647 - 1)" if value == -(2**31) else str(value)


def _numbers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


def _block(data: bytes) -> bytes:
    return _numbers(len(data)) + data
