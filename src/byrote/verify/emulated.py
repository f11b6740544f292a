"""The generated C on an emulated core: built, proven, run with every input, watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from byrote.result import Result
from byrote.targets import Architecture, Target
from byrote.verify.compilers import BuildError, get_compiler
from byrote.verify.cycles import CycleEstimate, estimate_cycles
from byrote.verify.elf import Elf, load_elf
from byrote.verify.engine import EmulationError
from byrote.verify.image import constants_check, content_check, fits_check, refusal, sizes_of
from byrote.verify.inputs import Inputs
from byrote.verify.layers import layer_costs, owners_of
from byrote.verify.observation import Observation
from byrote.verify.onepath import Analysis
from byrote.verify.outcome import Check, Difference, LayerCost, Sizes
from byrote.verify.proofs import analyse_model, path_check, stack_check
from byrote.verify.runs import GUARD, STACK_ROOM, Firmware, run_inputs, watch, watch_checks
from byrote.verify.stack import StackReport, stack_report
from byrote.verify.target_trace import first_on_target
from byrote.verify.toolchain import Build, build_firmware


@dataclass(frozen=True)
class Emulated:
    """What is known about the program on its target; None where it did not get that far.

    `counts`: instructions of each run, the watched one last.
    """

    checks: tuple[Check, ...]
    exact: bool = False
    build: Build | None = None
    elf: Elf | None = None
    counts: tuple[int, ...] = ()
    observation: Observation | None = None
    analysis: Analysis | None = None
    stack: StackReport | None = None
    cycles: CycleEstimate | None = None
    sizes: Sizes | None = None
    layers: tuple[LayerCost, ...] = ()
    difference: Difference | None = None

    @property
    def equal(self) -> bool | None:
        """Whether all runs executed equally many instructions."""
        return len(set(self.counts)) == 1 if self.counts else None


def emulate(
    result: Result,
    inputs: Sequence[Inputs],
    expected: Sequence[Inputs],
    folder: Path,
    say: Callable[[str], None],
    compiler: str | None = None,
) -> Emulated:
    """Build for the target, prove, run every set of inputs, and the first one with all loads and stores watched."""
    assert result.target.architecture is not Architecture.HOST
    target = with_room(result)
    chosen = get_compiler(target, compiler)
    say(f"building for {target.name}")
    for file in result.program.files:
        (folder / file.name).write_text(file.text, encoding="utf-8", newline="\n")
    sources = [folder / name for name in result.program.sources]
    entry = f"{result.name}_run_rows" if result.options.push_input else f"{result.name}_run"
    try:
        build = build_firmware(sources, target, folder / "firmware", entry=entry, compiler=chosen)
    except BuildError as error:
        return Emulated((refusal(error),))
    elf = load_elf(build.path)
    say("proving one path and the stack")
    owners = owners_of(result)
    parameters = len(result.arenas) + (1 if result.state or result.options.push_input else 0)
    analysis = analyse_model(elf, entry, target, parameters)
    stack = stack_report(analysis)
    static = [content_check(elf, result.name), constants_check(elf, owners), path_check(analysis, owners)]
    firmware = Firmware(result, elf, target, entry)
    try:
        runs = run_inputs(firmware, inputs, expected, say)
        say("watching loads and stores")
        seen = watch(firmware, inputs[0], stack.bound)
    except EmulationError as error:
        crashed = Check(f"C on the emulated {target.name}", False, str(error))
        return Emulated((*static, crashed), build=build, elf=elf, analysis=analysis, stack=stack)
    sizes = sizes_of(elf, result, stack.bound if stack.bound is not None else seen.stack)
    counts = (*(run.instructions for run in runs.runs), seen.instructions)
    cycles = estimate_cycles(seen, target)
    difference = None
    if runs.wrong:
        say("looking for the first difference")
        difference = first_on_target(result, inputs[runs.first_wrong], folder, target, chosen, entry)
    dynamic = watch_checks(seen, target)
    return Emulated(
        checks=(
            runs.check(target.name),
            _same_count(counts),
            static[2],
            stack_check(stack, seen.stack, owners),
            *dynamic,
            *static[:2],
            fits_check(sizes),
        ),
        exact=not runs.wrong,
        build=build,
        elf=elf,
        counts=counts,
        observation=seen,
        analysis=analysis,
        stack=stack,
        cycles=cycles,
        sizes=sizes,
        layers=layer_costs(owners, seen, cycles),
        difference=difference,
    )


def with_room(result: Result) -> Target:
    """The target, with larger memories if the program may not fit: whether it does is decided by its real sizes."""
    flash = result.flash_limit
    assert flash is not None, "a host is not emulated"
    extra = [STACK_ROOM + (result.graph.inputs[0].type.size if result.options.push_input else 0)]
    extra += [0] * (len(result.memories) - 1)
    sizes: list[tuple[str, int]] = []
    for memory, used, more in zip(result.memories, result.in_memories, extra, strict=True):
        sizes.append((memory.name, max(memory.capacity or 0, _up(used + 2 * GUARD + more))))
    code = 4096 * len(result.graph.nodes) + 65536
    return result.target.with_ram(sizes).resized(flash=max(flash, _up(result.program.weight_bytes + code)))


def _up(size: int) -> int:
    """Whole pages of the emulator."""
    return -(-size // 65536) * 65536


def _same_count(counts: tuple[int, ...]) -> Check:
    name = "same count of instructions for every input"
    if len(set(counts)) == 1:
        return Check(name, True, f"{counts[0]:,} in {len(counts)} runs")
    return Check(name, False, f"{min(counts):,} to {max(counts):,} in {len(counts)} runs")
