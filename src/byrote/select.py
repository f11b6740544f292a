"""Which kernel runs each node, and how each tensor is stored: the cheapest combination that was found.

Storages are improved one tensor at a time, from all plain, until no single change helps: what a storage costs is known
by the tensor's producer and its readers alone, so each change is judged exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

from byrote.ir import DType, Graph, Problem, TensorId, UserError
from byrote.kernel import PLAIN, Choice, Kernel, Layout, Lowered, NodeView, Selection, Storage
from byrote.ops import OPERATORS, copy

_LISTED = (*(kernel for operator in OPERATORS for kernel in operator.kernels), *copy.KERNELS)
_KERNELS = {op: tuple(kernel for kernel in _LISTED if kernel.op is op) for op in {kernel.op for kernel in _LISTED}}

Cost = Callable[[Kernel, NodeView, int], int]
"""Estimated cycles of a whole layer by a kernel that makes so many output rows per call."""

_SWEEPS = 4
_NEVER = 1 << 60
_SMALL = 2.25
"""How many times as much as the fastest a kernel may cost that needs less flash: 36 / 16, what Winograd's can save."""
_CODE = 1024
"""Bytes: about a kernel's code, so smaller differences between tables are not worth cycles."""
_STREAMING = 90
"""Percent: what a kernel that takes its input row by row may cost more, since its input need not be whole in memory."""


@dataclass(frozen=True)
class PassedOver:
    """A kernel that was not chosen, and why."""

    kernel: str
    why: str


@dataclass(frozen=True)
class Selected:
    """The selection, and per node the kernels that were passed over and the estimated instructions (0 for views)."""

    selection: Selection
    passed_over: tuple[tuple[PassedOver, ...], ...]
    costs: tuple[int, ...]


def _own_cost(kernel: Kernel, view: NodeView, rows: int) -> int:
    return -(-view.output_type().rows // rows) * kernel.cost(view, rows)


def select(
    graph: Graph, features: frozenset[str], cost: Cost = _own_cost, *, lean: float = 1.0, small: bool = False
) -> Selected:
    """Kernels and storages of least estimated cost; kernels of less memory that cost at most `lean` times as much.

    `small`: kernels of smaller tables that cost at most 2.25 times as much, lowered to little code.
    Raises UserError naming all nodes that no kernel can run.
    """
    return Selector(graph, features, cost, small=small).select((lean,) * len(graph.nodes))


class Selector:
    """Selections of one graph that differ in which nodes shall do with little memory.

    `rows[i]`: output rows that node i makes per call, by default all of them.
    """

    def __init__(
        self,
        graph: Graph,
        features: frozenset[str],
        cost: Cost = _own_cost,
        *,
        small: bool = False,
        rows: Sequence[int] | None = None,
    ) -> None:
        per_call = rows or [graph.tensors[node.outputs[0]].type.rows for node in graph.nodes]
        self._search = _Search(graph, features, cost, small, tuple(max(1, count) for count in per_call))

    def select(self, leans: Sequence[float]) -> Selected:
        """As the function does, with a `lean` for each node."""
        self._search.leans = tuple(leans)
        return _selected(self._search)


def least_cost(graph: Graph, features: frozenset[str], cost: Cost = _own_cost) -> int:
    """Every node in one call, on the storages that suit it alone: no choice of kernels and storages is below that."""
    rows = tuple(max(1, graph.tensors[node.outputs[0]].type.rows) for node in graph.nodes)
    search = _Search(graph, features, cost, small=False, rows=rows, leans=(1.0,) * len(graph.nodes))
    return sum(search.alone(index) for index, node in enumerate(graph.nodes) if not node.op.is_view)


def _selected(search: _Search) -> Selected:
    graph, small = search.graph, search.small
    storages = search.improve([PLAIN] * len(graph.tensors))
    better = "another kernel is estimated to be faster" + (" or has smaller tables" if small else "")
    problems: list[Problem] = []
    choices: list[Choice | None] = []
    reasons: list[tuple[PassedOver, ...]] = []
    costs: list[int] = []
    for index, node in enumerate(graph.nodes):
        if node.op.is_view:
            choices.append(None)
            reasons.append(())
            costs.append(0)
            continue
        view = search.view(index, storages)
        best = search.best(index, storages)
        passed = tuple(
            PassedOver(kernel.function, search.reason(kernel, view) or better)
            for kernel in search.kernels(index)
            if best.kernel is not kernel
        )
        if best.kernel is None:
            why = "; ".join(f"{p.kernel}: {p.why}" for p in passed) or "there is no kernel for it"
            problems.append(Problem(f"operator {node.origin.index} {node.op.name} {node.origin.name[:80]!r}", why))
        choices.append(Choice(best.kernel, best.kernel.lower(view)) if best.kernel is not None else None)
        reasons.append(passed)
        costs.append(best.cost)
    if problems:
        raise UserError(*problems)
    return Selected(Selection(tuple(choices), tuple(storages), small), tuple(reasons), tuple(costs))


@dataclass(frozen=True)
class _Best:
    kernel: Kernel | None
    cost: int

    def lower(self, view: NodeView) -> Lowered:
        assert self.kernel is not None
        return self.kernel.lower(view)


def _memory(choice: _Best, view: NodeView) -> int:
    """Bytes that a kernel needs beside its output: scratch, sums, and an input that must be whole to be read."""
    lowered = choice.lower(view)
    assert choice.kernel is not None
    first = view.input_type(0)
    whole = first.size if first.rows > 1 and view.output_type().rows == 1 and not choice.kernel.accumulates else 0
    return lowered.scratch + lowered.state + whole


def _leanest(view: NodeView, able: Sequence[_Best], least: int, lean: float) -> _Best:
    """Of the kernels that cost at most `lean` times `least`, the one that needs least memory; it counts as cost."""
    memory = {choice: _memory(choice, view) for choice in able if choice.cost <= lean * least}
    best = min(memory, key=lambda choice: (memory[choice], choice.cost))
    return _Best(best.kernel, best.cost + least * memory[best] // 64)


_Case = tuple[int, float, tuple[Storage, ...], tuple[Storage, ...]]
"""A node, how lean it shall be, and the storages of its inputs and outputs."""


@dataclass
class _Search:
    graph: Graph
    features: frozenset[str]
    cost: Cost
    small: bool
    rows: tuple[int, ...]
    leans: tuple[float, ...] = ()
    known: dict[_Case, _Best] = field(default_factory=dict["_Case", _Best])

    def improve(self, storages: list[Storage]) -> list[Storage]:
        """Change one tensor's storage at a time while that makes its producer and readers cheaper."""
        free = [tensor for tensor in range(len(self.graph.tensors)) if self._free(tensor)]
        for _ in range(_SWEEPS):
            changed = False
            for tensor in free:
                options = {storage: self._around(tensor, storage, storages) for storage in self._candidates(tensor)}
                best = min(options, key=lambda storage: options[storage])
                if options[best] < options[storages[tensor]]:
                    storages[tensor] = best
                    changed = True
            if not changed:
                break
        return storages

    def _free(self, tensor: TensorId) -> bool:
        """Internal int8 tensors may be stored as kernels like; what the interface or a view shows may not."""
        graph = self.graph
        kind = graph.tensors[tensor].type
        if tensor in graph.input_ids or tensor in graph.output_ids or tensor not in graph.producer:
            return False
        around = (graph.producer[tensor], *graph.consumers.get(tensor, ()))
        return kind.dtype is DType.INT8 and not any(graph.nodes[i].op.is_view for i in around)

    def _candidates(self, tensor: TensorId) -> tuple[Storage, ...]:
        shape = self.graph.tensors[tensor].type.shape
        flat = (PLAIN, Storage(unsigned=True))
        if len(shape) != 4 or shape[1] * shape[2] == 1:
            return flat
        tight = Storage(Layout.HCW, unsigned=True, pitch=shape[2])
        return (*flat, tight) if shape[2] % 2 == 0 else (*flat, tight, Storage(Layout.HCW, True, shape[2] + 1))

    def _around(self, tensor: TensorId, storage: Storage, storages: list[Storage]) -> int:
        """Cost of the nodes that touch a tensor, if it were stored like this."""
        trial = list(storages)
        trial[tensor] = storage
        nodes = (self.graph.producer[tensor], *self.graph.consumers.get(tensor, ()))
        return sum(self.best(index, trial).cost for index in nodes)

    def alone(self, index: int) -> int:
        """The least cost of a node over all storages of its tensors."""
        node = self.graph.nodes[index]
        tensors = [tensor for tensor in dict.fromkeys((*node.inputs, *node.outputs)) if self._free(tensor)]
        storages = [PLAIN] * len(self.graph.tensors)
        least = self.best(index, storages).cost
        for choice in product(*(self._candidates(tensor) for tensor in tensors)):
            for tensor, storage in zip(tensors, choice, strict=True):
                storages[tensor] = storage
            least = min(least, self.best(index, storages).cost)
        return least

    def kernels(self, index: int) -> tuple[Kernel, ...]:
        return _KERNELS.get(type(self.graph.nodes[index].op), ())

    def view(self, index: int, storages: list[Storage]) -> NodeView:
        node = self.graph.nodes[index]
        inputs, outputs = tuple(storages[t] for t in node.inputs), tuple(storages[t] for t in node.outputs)
        return NodeView(self.graph, node, inputs, outputs, self.small)

    def best(self, index: int, storages: list[Storage]) -> _Best:
        """The cheapest kernel for a node on tensors stored like this; never chosen where there is none."""
        view = self.view(index, storages)
        key = (index, self.leans[index], view.inputs, view.outputs)
        if key not in self.known:
            self.known[key] = self._best(view, index)
        return self.known[key]

    def _best(self, view: NodeView, index: int) -> _Best:
        rows, lean = self.rows[index], self.leans[index]
        best = _Best(None, _NEVER)
        wide = max(lean, _SMALL if self.small else 1.0)
        able: list[_Best] = []
        for kernel in self.kernels(index):
            if kernel.needs - self.features or not kernel.stores(view):
                continue
            cost = self.cost(kernel, view, rows) * (_STREAMING if kernel.accumulates else 100) // 100
            if cost < wide * best.cost and kernel.rejects(view) is None:
                able.append(_Best(kernel, cost))
                best = min(best, able[-1], key=lambda choice: choice.cost)
        if lean > 1 and able:
            return _leanest(view, able, best.cost, lean)
        return self._smallest(view, able, best.cost) if self.small and len(able) > 1 else best

    def _smallest(self, view: NodeView, able: Sequence[_Best], least: int) -> _Best:
        """Of the kernels that cost at most `_SMALL` times `least`, the fastest whose tables are about the smallest."""
        tables = {
            choice: sum(table.size for table in choice.lower(view).tables)
            for choice in able
            if choice.cost <= _SMALL * least
        }
        limit = min(tables.values()) + _CODE
        return min((choice for choice in tables if tables[choice] <= limit), key=lambda choice: choice.cost)

    def reason(self, kernel: Kernel, view: NodeView) -> str | None:
        """Why a kernel cannot run a node."""
        missing = sorted(kernel.needs - self.features)
        if missing:
            return f"the target has no {', '.join(missing)}"
        if not kernel.stores(view):
            return "it does not read or write tensors as they are stored here"
        return kernel.rejects(view)
