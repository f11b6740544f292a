"""The machine-readable report: the contract of `--json`, field by field."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.plan import peak_bytes
from byrote.report.peak import PeakBuffer, peak_of
from byrote.report.shortfall import Remedy, Shortfall, shortfalls
from byrote.result import Result
from byrote.schedule import Mode

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class RamMemory:
    """Bytes of one memory: what arena and state take of it, and what there is (null: no limit)."""

    name: str
    used: int
    limit: int | None


@dataclass(frozen=True)
class Ram:
    """Bytes.  `stack` is null until the program was built and analysed; `total` counts what is known.

    `memories`: the fastest first; all are used only if the first cannot hold everything.
    """

    arena: int
    state: int
    stack: int | None
    total: int
    lower_bound: int
    proven_optimal: bool
    memories: tuple[RamMemory, ...]


@dataclass(frozen=True)
class Flash:
    """Bytes.  `code` is null until the program was built."""

    weights: int
    code: int | None
    total: int


@dataclass(frozen=True)
class Cost:
    """Per inference; null where it is neither measured nor estimated.

    `estimated`: predicted from measurements of other layers, nothing was built.  `basis`: which measurements.
    `cycles_bound`: what all layers would take on whole tensors, each stored as suits it alone: by the same estimates no
    choice of kernels and storages is faster, whatever memory it takes.
    """

    instructions: int | None = None
    cycles_low: int | None = None
    cycles_high: int | None = None
    energy_uj: float | None = None
    estimated: bool = True
    basis: str = ""
    cycles_bound: int | None = None


@dataclass(frozen=True)
class PassedOverKernel:
    """A kernel that was not chosen, and why."""

    kernel: str
    why: str


@dataclass(frozen=True)
class Layer:
    """A kernel call.  `cycles` are estimated as those of `cost` are."""

    op: str
    name: str
    kernel: str
    macs: int
    cycles: int | None
    passed_over: tuple[PassedOverKernel, ...]


@dataclass(frozen=True)
class SegmentReport:
    """Nodes that run together; estimated cycles of doing so, and of running them one by one on whole tensors."""

    segment: int
    mode: str
    rows_per_step: int | None
    nodes: tuple[int, ...]
    cycles: int | None
    cycles_whole: int | None


@dataclass(frozen=True)
class Report:
    """What compile and check print."""

    schema_version: int
    model: str
    name: str
    target: str
    fits: bool
    macs: int
    ram: Ram
    flash: Flash
    cost: Cost
    layers: tuple[Layer, ...]
    schedule: tuple[SegmentReport, ...]
    build: dict[str, tuple[str, ...]]
    warnings: tuple[str, ...]
    profile: str
    ram_limit: int | None
    flash_limit: int | None
    peak: tuple[PeakBuffer, ...]
    peak_bytes: dict[str, int]
    """Every byte of the arena when it is fullest, by what it is used for."""
    peak_at: str
    """What runs then."""
    shortfalls: tuple[Shortfall, ...]
    """What does not fit; empty if all does."""


def make_report(result: Result, remedies: tuple[Remedy, ...] = ()) -> Report:
    """The report of a compilation; `remedies` for one that does not fit."""
    plan, program = result.plan, result.program
    peak = peak_of(result)
    return Report(
        schema_version=SCHEMA_VERSION,
        model=result.source.name,
        name=result.name,
        target=result.target.name,
        fits=result.fits,
        macs=result.graph.macs,
        ram=Ram(
            program.arena_size,
            result.state,
            None,
            program.arena_size + result.state,
            plan.lower_bound,
            plan.proven,
            tuple(
                RamMemory(memory.name, used, memory.capacity)
                for memory, used in zip(result.memories, result.in_memories, strict=True)
            ),
        ),
        flash=Flash(program.weight_bytes, None, program.weight_bytes),
        cost=_cost(result),
        layers=_layers(result),
        schedule=_schedule(result),
        build={name: flags.flags + flags.optimise for name, flags in result.target.compilers},
        warnings=result.warnings,
        profile=result.options.profile.value,
        ram_limit=result.ram_limit,
        flash_limit=result.flash_limit,
        peak=peak.buffers,
        peak_bytes=_peak_bytes(result),
        peak_at=peak.at,
        shortfalls=shortfalls(result, remedies),
    )


def _peak_bytes(result: Result) -> dict[str, int]:
    """Of all arenas; what lies between them on the line of offsets is no memory."""
    gaps = result.plan.height - sum(arena.size for arena in result.arenas)
    found: dict[str, int] = {}
    for role, count in peak_bytes(result.problem, result.plan):
        size = count if role is not None else count - gaps
        if size:
            found[role.value if role is not None else "not in use"] = size
    return found


def _schedule(result: Result) -> tuple[SegmentReport, ...]:
    costs = {cost.nodes[-1]: cost for cost in result.segments if cost.nodes}
    found: list[SegmentReport] = []
    for index, segment in enumerate(result.schedule.segments):
        cost = costs.get(segment.nodes[-1])
        rows = segment.rows_per_step if segment.mode is Mode.ROWS else None
        cycles, whole = (cost.cycles, cost.whole) if cost is not None else (None, None)
        found.append(SegmentReport(index, segment.mode.value, rows, segment.nodes, cycles, whole))
    return tuple(found)


def _cost(result: Result) -> Cost:
    """The prediction; cycles are one number, so both ends are the same; null for a core whose timings are not known."""
    total, target = result.cost.total, result.target
    timed = target.emulator is not None and bool(target.emulator.timing)
    cycles = round(total.cycles) if timed else None
    energy = None
    if target.power is not None and cycles is not None:
        energy = round(cycles * target.power.mw_per_mhz / 1000, 3)
    return Cost(round(total.instructions), cycles, cycles, energy, estimated=True, basis=result.cost.basis)


def _layers(result: Result) -> tuple[Layer, ...]:
    layers: list[Layer] = []
    for index, node in enumerate(result.graph.nodes):
        choice = result.selection.choices[index]
        passed = tuple(PassedOverKernel(p.kernel, p.why) for p in result.passed_over[index])
        kernel = choice.kernel.function if choice is not None else "view"
        macs = result.graph.node_macs(index)
        cycles = round(result.cost.layers[index].cycles)
        layers.append(Layer(node.op.name, node.origin.name, kernel, macs, cycles, passed))
    return tuple(layers)
