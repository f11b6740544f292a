"""All tensors as the emulated core computes them: a traced program that keeps a copy of every completed row."""

from __future__ import annotations

from pathlib import Path

from byrote.ir import TensorId
from byrote.result import Result
from byrote.targets import Target
from byrote.verify.compilers import Compiler
from byrote.verify.differences import first_difference
from byrote.verify.elf import load_elf
from byrote.verify.host import TRACE, traced_program
from byrote.verify.inputs import Inputs
from byrote.verify.outcome import Difference
from byrote.verify.runs import Firmware
from byrote.verify.toolchain import build_firmware

_LOG = f"{TRACE}_log"


def first_on_target(
    result: Result, inputs: Inputs, folder: Path, target: Target, compiler: Compiler, entry: str
) -> Difference | None:
    """The first wrong tensor on the emulated core; None if the traced program makes none."""
    program = traced_program(result)
    for file in program.files:
        (folder / file.name).write_text(file.text, encoding="utf-8", newline="\n")
    places, size = _places(result)
    (folder / "trace.c").write_text(_source(result, places, size), encoding="utf-8", newline="\n")
    sources = [folder / name for name in (*program.sources, "trace.c")]
    first, *others = [(memory.name, memory.size) for memory in target.ram_memories]
    room = target.with_ram([(first[0], first[1] + size), *others]).resized(flash=2 * (target.flash or 0))
    build = build_firmware(sources, room, folder / "traced", entry=entry, compiler=compiler)
    firmware = Firmware(result, load_elf(build.path), room, entry)
    firmware.prepare(inputs)
    machine = firmware.machine
    machine.call(entry, *firmware.arguments)
    log = machine.address(_LOG)
    storages = result.selection.storages
    kinds = [tensor.type for tensor in result.graph.tensors]
    stored = {t: machine.read(log + place, storages[t].size(kinds[t])) for t, place in places.items()}
    return first_difference(result, inputs, stored, f"C on the emulated {result.target.name}")


def _places(result: Result) -> tuple[dict[TensorId, int], int]:
    """Where each computed tensor's copy lies in the log, and the size of the log."""
    places: dict[TensorId, int] = {}
    size = 0
    for node in result.graph.nodes:
        for tensor in node.outputs:
            places[tensor] = size
            size += result.selection.storages[tensor].size(result.graph.tensors[tensor].type)
    return places, max(size, 1)


def _source(result: Result, places: dict[TensorId, int], size: int) -> str:
    tensors = result.graph.tensors
    starts = [places.get(index, 0) for index in range(len(tensors))]
    rows = [result.selection.storages[index].row_size(tensor.type) for index, tensor in enumerate(tensors)]
    return (
        "#include <stdint.h>\n"
        f"uint8_t {_LOG}[{size}];\n"
        f"static const uint32_t start[] = {{{', '.join(map(str, starts))}}};\n"
        f"static const uint32_t row[] = {{{', '.join(map(str, rows))}}};\n"
        f"void {TRACE}(int32_t tensor, int32_t first, int32_t rows, const uint8_t *data)\n{{\n"
        f"    uint8_t *to = {_LOG} + start[tensor] + (uint32_t)first * row[tensor];\n"
        "    for (uint32_t i = 0; i < (uint32_t)rows * row[tensor]; i++) to[i] = data[i];\n}\n"
    )
