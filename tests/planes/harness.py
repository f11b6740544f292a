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

from byrote.kernel import Lowered
from byrote.verify.toolchain import build_host_program
from tests.support import cortex_m4

DRIVER = Path(__file__).with_name("driver.c")
FILL = 0xA5


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
        include = [Path(flag[2:]) for flag in cortex_m4.INCLUDES]
        flags = ("-std=c99", *cortex_m4.WARNINGS, *defines)
        built = build_host_program([DRIVER], folder, include=include, flags=flags, sanitize=True, optimise=("-O0",))
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
    """Output and cost of one call on the emulated core."""

    output: bytes
    instructions: int
    cycles: int
    strict: int
    code: int
    stack: int


def emulate(
    source: KernelSource,
    lowered: Lowered,
    inputs: Sequence[Slots],
    size: int,
    rows: int,
    folder: Path,
    compiler: tuple[str, ...] = cortex_m4.GCC_FAST,
    *,
    count: bool = False,
    unaligned: bool = True,
) -> Measured:
    """One specialised call on a Cortex-M4; `unaligned`: count the cost of unaligned accesses, too."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = cortex_m4.CortexM4(cortex_m4.build(specialised(source, lowered, inputs, size, rows), folder, compiler))
    symbols = machine.symbols
    for index, x in enumerate(inputs):
        machine.write(symbols[f"kept{index}"], np.frombuffer(x.kept, np.uint8))
        machine.write(symbols[f"fresh{index}"], np.frombuffer(x.fresh, np.uint8))
    machine.write(symbols["out"], np.full(size + 16, FILL, np.uint8))
    if count:
        machine.call("block", count=True)
        if unaligned:
            machine.count_unaligned("block")
    else:
        machine.call("block")
    output = machine.read(symbols["out"], size + 16).tobytes()
    assert output[size:] == bytes([FILL]) * 16, "written beyond the output"
    code = machine.sizes["block"]
    return Measured(output[:size], machine.instructions, machine.cycles, machine.strict, code, machine.stack)


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
    lines.append(f"uint8_t out[{size + 16}] __attribute__((aligned(4)));")
    lines.append(f"uint8_t scratch[{max(lowered.scratch, lowered.state, 4)}] __attribute__((aligned(4)));")
    literal = ", ".join(_literal(value) for _, value in lowered.fields)
    lines.append(f"static const struct {source.struct} s = {{{literal}}};")
    bases = [f"rows_of(kept{i}, fresh{i}, {x.held}, {x.top}, {x.first}, {x.end})" for i, x in enumerate(inputs)]
    body = [f"    struct rows in[{len(inputs)}];", *(f"    in[{i}] = {base};" for i, base in enumerate(bases))]
    call = source.call
    for index in range(len(lowered.tables)):
        call = call.replace(f"t[{index}]", f"t{index}")
    body.append(f"    {call.replace('&s', '&s').replace(', rows', f', {rows}')};")
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
