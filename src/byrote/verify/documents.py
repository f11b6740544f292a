"""The documents of the evidence folder, as plain values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath

from byrote.options import CompileOptions
from byrote.plan import Buffer, Overlap, View
from byrote.result import Result
from byrote.schedule import Segment
from byrote.verify.elf import Elf
from byrote.verify.onepath import PathReport
from byrote.verify.outcome import Build, LayerCost, Sizes
from byrote.verify.stack import StackReport
from byrote.verify.toolchain import Build as Built
from byrote.verify.verification import Verification

_SOURCES = frozenset({".py", ".h", ".c", ".toml"})


@dataclass(frozen=True)
class Manifest:
    """What was verified with what.

    `byrote` is the version, `byrote_sha256` a hash over all files of the package.  `commands` are those of the build,
    without places on this machine.
    """

    byrote: str
    byrote_sha256: str
    model: str
    model_sha256: str
    options: CompileOptions
    inputs: int
    generated_inputs: int
    emulated_inputs: int
    passed: bool
    build: Build | None
    commands: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class PlacedBuffer:
    """A buffer and where it lies."""

    offset: int
    buffer: Buffer


@dataclass(frozen=True)
class PlacedArena:
    """An arena, the memory that it lies in, and its part start..start+size of the line of all offsets."""

    memory: str
    start: int
    size: int


@dataclass(frozen=True)
class PlanDocument:
    """The memory plan: every buffer with its lifetime in kernel calls, and the order of calls by segment."""

    arena: int
    arenas: tuple[PlacedArena, ...]
    lower_bound: int
    proven_optimal: bool
    buffers: tuple[PlacedBuffer, ...]
    views: tuple[View, ...]
    overlaps: tuple[Overlap, ...]
    nodes: tuple[str, ...]
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class ProofsDocument:
    """The static proofs."""

    one_path: PathReport
    stack: StackReport


@dataclass(frozen=True)
class FunctionCount:
    """Instructions of a function in one inference, and its cycles: at least, at most."""

    function: str
    instructions: int
    cycles_low: int | None
    cycles_high: int | None


@dataclass(frozen=True)
class OperandDependentCount:
    """An instruction whose time depends on values."""

    address: int
    text: str
    function: str
    count: int
    cycles: tuple[int, int]


@dataclass(frozen=True)
class CountsDocument:
    """What runs showed: instructions of every run, then of one run by function and layer."""

    instructions: tuple[int, ...]
    loads: int
    stores: int
    stack_peak: int
    functions: tuple[FunctionCount, ...]
    layers: tuple[LayerCost, ...]
    operand_dependent: tuple[OperandDependentCount, ...]
    cycles_source: str | None
    sizes: Sizes | None


def manifest_of(found: Verification, model_hash: str, own: int = 0) -> Manifest:
    """The manifest; the first `own` inputs are the user's."""
    outcome = found.outcome
    built = found.emulated.build if found.emulated else None
    return Manifest(
        byrote=_version(),
        byrote_sha256=_package_hash(),
        model=outcome.model,
        model_sha256=model_hash,
        options=found.result.options,
        inputs=outcome.inputs,
        generated_inputs=outcome.inputs - own,
        emulated_inputs=outcome.emulated_inputs,
        passed=not outcome.failures,
        build=outcome.build,
        commands=_commands(built) if built else (),
    )


def _version() -> str:
    try:
        return version("byrote")
    except PackageNotFoundError:
        return "not installed"


def _package_hash() -> str:
    package = Path(__file__).parents[1]
    total = hashlib.sha256()
    for path in sorted(path for path in package.rglob("*") if path.suffix in _SOURCES):
        total.update(
            f"{path.relative_to(package).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
        )
    return total.hexdigest()


def _commands(built: Built) -> tuple[tuple[str, ...], ...]:
    """Commands with every path cut to its last part."""
    return tuple(tuple(_local(word) for word in command) for command in built.commands)


def _local(word: str) -> str:
    prefix = "-I" if word.startswith("-I") else ""
    path = PurePath(word[len(prefix) :])
    return prefix + (path.name if path.is_absolute() else word[len(prefix) :])


def plan_of(result: Result) -> PlanDocument:
    """The memory plan and the schedule."""
    plan, problem = result.plan, result.problem
    nodes = enumerate(result.graph.nodes)
    return PlanDocument(
        arena=result.program.arena_size,
        arenas=tuple(PlacedArena(arena.memory.name, arena.start, arena.size) for arena in result.arenas),
        lower_bound=plan.lower_bound,
        proven_optimal=plan.proven,
        buffers=tuple(PlacedBuffer(o, b) for o, b in zip(plan.offsets, problem.buffers, strict=True)),
        views=problem.views,
        overlaps=problem.overlaps,
        nodes=tuple(f"{index} {node.op.name} {node.origin.name}".strip() for index, node in nodes),
        segments=result.schedule.segments,
    )


def proofs_of(found: Verification) -> ProofsDocument | None:
    """The proofs, if the program was linked."""
    target = found.emulated
    if target is None or target.analysis is None or target.stack is None:
        return None
    return ProofsDocument(target.analysis.path, target.stack)


def counts_of(found: Verification) -> CountsDocument | None:
    """What was counted, if the program ran."""
    target = found.emulated
    if target is None or target.observation is None:
        return None
    seen, cycles = target.observation, target.cycles
    timed = {name: (low, high) for name, low, high in cycles.per_function} if cycles else {}
    unknown = (None, None)
    return CountsDocument(
        instructions=target.counts,
        loads=seen.loads,
        stores=seen.stores,
        stack_peak=seen.stack,
        functions=tuple(FunctionCount(name, count, *timed.get(name, unknown)) for name, count in seen.per_function),
        layers=target.layers,
        operand_dependent=tuple(
            OperandDependentCount(item.address, item.text, item.function, item.count, item.cycles)
            for item in (cycles.operand_dependent if cycles else ())
        ),
        cycles_source=cycles.source if cycles else None,
        sizes=target.sizes,
    )


def symbol_map(elf: Elf) -> str:
    """Sections and symbols by address."""
    lines = ["sections"]
    lines += [f"  {s.address:#010x} {s.size:8}  {s.name}" for s in elf.sections if s.allocated and s.size]
    lines.append("symbols")
    ordered = sorted(elf.symbols, key=lambda symbol: (symbol.address, symbol.name))
    lines += [f"  {s.address:#010x} {s.size:8}  {s.kind.value:8}  {s.name}" for s in ordered if s.size]
    return "\n".join([*lines, ""])
