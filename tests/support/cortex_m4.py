"""Single kernels on the emulated Cortex-M4: compile C text, or whole-tensor calls of jobs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from byrote.verify.elf import load_elf
from byrote.verify.emulator import Machine
from byrote.verify.toolchain import build_firmware
from tests.support.kernels import PACKAGE, Job

TARGET = load_target("cortex-m4")
INCLUDES = (PACKAGE / "runtime", *sorted(PACKAGE.glob("ops/*/kernels")))
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")


def available(*compilers: str) -> bool:
    """Whether these compilers for the core are installed."""
    return all(find_compiler(name, TARGET) is not None for name in compilers)


def build(source: str, folder: Path, compiler: str = "gcc", optimise: Sequence[str] | None = None) -> Machine:
    """C text on the core; its functions whose names begin with run_ or f_ can be called."""
    text = folder / "k.c"
    text.write_text(source)
    names = tuple(dict.fromkeys(re.findall(r"\b((?:run|f)_\w+)\(", source)))
    done = build_firmware(
        [text],
        TARGET,
        folder / "built",
        entry=names[0],
        keep=names,
        compiler=compiler,
        include=INCLUDES,
        flags=WARNINGS,
        optimise=optimise,
    )
    return Machine(load_elf(done.path), TARGET)


def program(jobs: Sequence[Job]) -> str:
    """C text with a function run_<i>(input, output, scratch) per job that does all rows, specialised."""
    lines = ["#include <stdint.h>", *sorted({f'#include "{Path(job.kernel.header).name}"' for job in jobs})]
    for index, job in enumerate(jobs):
        view, lowered = job.view, job.lowered
        for table in lowered.tables:
            values = ",".join(f"({v + 1} - 1)" if v == -(2**31) else str(v) for v in table.values.reshape(-1).tolist())
            lines.append(f"static const {table.dtype.ctype} {table.name}_{index}[] = {{{values}}};")
        fields = ", ".join(str(value) for _, value in lowered.fields)
        lines.append(f"static const struct {lowered.struct} s_{index} = {{{fields}}};")
        access = view.op.access(view.graph.types(view.node.inputs), view.graph.types(view.node.outputs))[0][0]
        assert access is not None
        rows = f"rows_of(in, in, 0, {access.start[0]}, 0, {view.input_type(0).rows})"
        tables = "".join(f", {table.name}_{index}" for table in lowered.tables)
        head = f"void run_{index}(const uint8_t *in, uint8_t *out, uint8_t *scratch)"
        scratch = "scratch, " if lowered.scratch else ""
        call = f"{job.kernel.function}(&s_{index}{tables}, {rows}, out, {scratch}{view.output_type().rows});"
        lines += [f"{head};", f"{head} {{ (void)scratch; {call} }}"]
    return "\n".join([*lines, ""])
