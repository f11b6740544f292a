"""Which layer a C function belongs to, and what each layer costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from byrote.emit.calls import Addressing, KernelCall
from byrote.emit.functions import Arrays, Functions, collect
from byrote.ir import Graph
from byrote.result import Result
from byrote.verify.cycles import CycleEstimate
from byrote.verify.observation import Run
from byrote.verify.outcome import LayerCost


@dataclass(frozen=True)
class Owner:
    """A generated C function: its kernel, and how often each node calls it in one inference."""

    function: str
    kernel: str
    calls: Mapping[int, int]

    @property
    def total(self) -> int:
        return sum(self.calls.values())


@dataclass(frozen=True)
class Owners:
    """All functions of a model by name, and its constant arrays."""

    graph: Graph
    by_name: Mapping[str, Owner]
    arrays: Arrays

    def find(self, symbol: str) -> Owner | None:
        """The owner of a symbol; compilers add suffixes like .constprop.0 to the names of specialised copies."""
        return self.by_name.get(symbol.partition(".")[0])

    def describe(self, symbol: str) -> str:
        """A function in the user's words: its layers and kernel."""
        owner = self.find(symbol)
        if owner is None:
            return symbol
        nodes = ", ".join(node_name(self.graph, node) for node in owner.calls)
        return f"{nodes} (kernel {owner.kernel})"


def node_name(graph: Graph, node: int) -> str:
    """`3 CONV_2D name`."""
    found = graph.nodes[node]
    return f"{node} {found.op.name} {found.origin.name}".strip()


def owners_of(result: Result) -> Owners:
    """Who calls what, from the same schedule that was printed as C."""
    stretches = Addressing(result.graph, result.selection, result.homes, result.plan.offsets).stretches(result.schedule)
    calls = [call for s in stretches for step in s.steps for call in step if isinstance(call, KernelCall)]
    functions = collect(result.name, calls, result.selection)
    counts = _counts(functions, calls, result)
    owners = {f.name: Owner(f.name, f.shape.function, dict(counts[f.name])) for f in functions.functions}
    return Owners(result.graph, owners, functions.arrays)


def _counts(functions: Functions, calls: list[KernelCall], result: Result) -> dict[str, Counter[int]]:
    counts: dict[str, Counter[int]] = {f.name: Counter() for f in functions.functions}
    for call in calls:
        counts[functions.of(call, result.selection).name][call.node] += 1
    return counts


def layer_costs(owners: Owners, run: Run, cycles: CycleEstimate | None) -> tuple[LayerCost, ...]:
    """Figures of every node that calls something, in the order of nodes.

    What a function calls (copying, arithmetic helpers) and the run function itself belong to no layer.
    """
    graph = owners.graph
    instructions = _by_owner(owners, run.per_function)
    low = _by_owner(owners, [(name, least) for name, least, _ in cycles.per_function]) if cycles else None
    high = _by_owner(owners, [(name, most) for name, _, most in cycles.per_function]) if cycles else None
    layers: list[LayerCost] = []
    for index, node in enumerate(graph.nodes):
        mine = [owner for owner in owners.by_name.values() if index in owner.calls]
        if not mine:
            continue
        layers.append(
            LayerCost(
                node=index,
                op=node.op.name,
                name=node.origin.name,
                kernel=mine[0].kernel,
                functions=tuple(owner.function for owner in mine),
                calls=sum(owner.calls[index] for owner in mine),
                shared=tuple(sorted({other for owner in mine for other in owner.calls} - {index})),
                instructions=_share(mine, index, instructions),
                cycles_low=_share(mine, index, low) if low is not None else None,
                cycles_high=_share(mine, index, high) if high is not None else None,
            )
        )
    return tuple(layers)


def _by_owner(owners: Owners, figures: tuple[tuple[str, int], ...] | list[tuple[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for symbol, figure in figures:
        owner = owners.find(symbol)
        if owner is not None:
            found[owner.function] += figure
    return found


def _share(mine: list[Owner], node: int, figures: Counter[str]) -> int:
    return sum(figures[owner.function] * owner.calls[node] // owner.total for owner in mine)
