"""Calls to measure: one node, one kernel, one choice of storages, all rows or some in the middle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from byrote.costs.work import input_calls, table_key, work_of
from byrote.emit.calls import KernelCall, Source, Window
from byrote.ir import DType, Graph, Node, Origin, Tensor, TensorType
from byrote.kernel import PLAIN, Choice, Kernel, Layout, Lowered, NodeView, Selection, Storage
from byrote.ops.operator import Operator
from byrote.ops.reading import Reading, Unreadable
from byrote.schedule import Phase
from byrote.tune.layers import random_layer

_ATTEMPTS = 20
"""Random layers tried per sample that is wanted."""

_PATIENCE = 5
"""Of these so many as real networks have them, before the odd ones of tests are tried, too."""

_LARGEST = 3_000_000
"""Elements times taps that one sample may have: emulation time."""


@dataclass(frozen=True)
class Sample:
    """`whole`: all rows in one call.  `calls` use byte offsets into `memory` bytes of arena."""

    kernel: Kernel
    view: NodeView
    lowered: Lowered
    whole: bool
    rows: int
    calls: tuple[KernelCall, ...]
    memory: int

    @property
    def selection(self) -> Selection:
        storages = [PLAIN] * len(self.view.graph.tensors)
        for tensor, storage in zip(
            (*self.view.node.inputs, *self.view.node.outputs), (*self.view.inputs, *self.view.outputs), strict=True
        ):
            storages[tensor] = storage
        return Selection((Choice(self.kernel, self.lowered),), tuple(storages))

    @property
    def variant(self) -> str:
        return work_of(self.kernel).variant(self.view)

    @property
    def work(self) -> tuple[float, ...]:
        return work_of(self.kernel).count(self.view, self.rows)


def samples(
    operator: Operator, kernels: tuple[Kernel, ...], count: int, seed: int, *, steps: bool
) -> tuple[Sample, ...]:
    """Up to `count` different calls of each variant; fewer where random layers seldom suit.

    `kernels` are one by their key.
    """
    rng = np.random.default_rng((seed, int(steps)))
    found: list[Sample] = []
    seen: set[tuple[object, ...]] = set()
    variants: Counter[str] = Counter()
    odd = False
    for attempt in range(count * _ATTEMPTS):
        odd = odd or (attempt > count * _PATIENCE and not found)
        try:
            reading = operator.read(random_layer(operator.names[0], rng, odd=odd))
        except Unreadable:
            continue
        sample = _call(reading, kernels, rng, variants, count, steps=steps)
        if sample is None or (key := (sample.lowered.fields, sample.calls)) in seen:
            continue
        seen.add(key)
        found.append(sample)
        variants[sample.variant] += 1
    return tuple(found)


def _call(
    reading: Reading,
    kernels: tuple[Kernel, ...],
    rng: np.random.Generator,
    variants: Counter[str],
    count: int,
    *,
    steps: bool,
) -> Sample | None:
    """A call of the first kernel that takes the node, if more of its variant are wanted."""
    for kernel in kernels:
        view = _view(reading, kernel, rng, lambda v: variants[work_of(kernels[0]).variant(v)] < count)
        if view is not None:
            return _sample(kernel, view, rng, steps=steps)
    return None


def _view(
    reading: Reading, kernel: Kernel, rng: np.random.Generator, wanted: Callable[[NodeView], bool]
) -> NodeView | None:
    """The node on random storages that the kernel takes."""
    if not isinstance(reading.op, kernel.op):
        return None
    view = node_view(reading)
    candidates = [_storages(view, rng) for _ in range(12)]
    able = [v for v in (view, *candidates) if kernel.stores(v)]
    for chosen in able[::-1][:3]:
        if wanted(chosen) and kernel.rejects(chosen) is None:
            return chosen
    return None


def node_view(reading: Reading) -> NodeView:
    """A graph of this one operator, all of it stored plainly."""
    types = [t.type for t in reading.inputs]
    tensors = [Tensor(t.type, Origin(i, f"in{i}"), t.data) for i, t in enumerate(reading.inputs)]
    outputs = reading.op.infer(types)
    tensors += [Tensor(t, Origin(len(tensors) + i, f"out{i}")) for i, t in enumerate(outputs)]
    inputs = tuple(range(len(types)))
    node = Node(reading.op, inputs, tuple(range(len(types), len(tensors))), Origin(0, reading.op.name))
    graph = Graph("layer", (node,), tuple(tensors), (), ())
    return NodeView(graph, node, (PLAIN,) * len(types), (PLAIN,) * len(outputs))


def _storages(view: NodeView, rng: np.random.Generator) -> NodeView:
    def one(tensor: int) -> Storage:
        kind = view.graph.tensors[tensor].type
        if view.graph.tensors[tensor].constant or kind.dtype is not DType.INT8:
            return PLAIN
        return _storage(kind, rng)

    return replace(view, inputs=tuple(map(one, view.node.inputs)), outputs=tuple(map(one, view.node.outputs)))


def _storage(kind: TensorType, rng: np.random.Generator) -> Storage:
    """The kinds that `select` considers."""
    flat = Storage(unsigned=bool(rng.random() < 0.7))
    if len(kind.shape) != 4 or rng.random() < 0.5:
        return flat
    pitch = kind.shape[2] + (kind.shape[2] & 1 if rng.random() < 0.5 else 0)
    return Storage(Layout.HCW, unsigned=True, pitch=pitch)


def _sample(kernel: Kernel, view: NodeView, rng: np.random.Generator, *, steps: bool) -> Sample | None:
    """The calls, or None if there are none of this kind."""
    total = view.input_type(0).rows if kernel.accumulates else view.output_type().rows
    if steps and (not kernel.streams or total < 2):
        return None
    rows = int(rng.integers(1, min(9, total))) if steps else total
    calls = input_calls(view, rows) if kernel.accumulates else 1
    size = max((kind.elements for kind in view.graph.types((*view.node.inputs, *view.node.outputs))), default=0)
    macs = view.op.macs(view.graph.types(view.node.inputs), view.graph.types(view.node.outputs))
    if not total or not size or max(size, macs) > _LARGEST or calls > 50:
        return None
    lowered = kernel.lower(view)
    first = (total - rows) // 2
    placed = _Arena(view, lowered)
    if kernel.accumulates:
        starts = range(0, total, rows)
        runs = [_accumulate(placed, start, min(rows, total - start)) for start in starts]
        found = (placed.call(Phase.BEGIN, ()), *runs, placed.call(Phase.FINISH, (), 1))
    else:
        found = (placed.call(Phase.RUN, placed.sources(first, rows, kept=steps), rows),)
    return Sample(kernel, view, lowered, not steps, rows, found, placed.memory)


def _accumulate(placed: _Arena, start: int, rows: int) -> KernelCall:
    """Rows from a buffer of fresh rows, which is used again and again."""
    window = Window(0, 0, 0, rows)
    address = placed.inputs[0]
    del start
    return placed.call(Phase.RUN, (Source(window, address, address),), rows)


class _Arena:
    """Inputs, outputs, scratch and accumulator of one node, one behind the other."""

    def __init__(self, view: NodeView, lowered: Lowered) -> None:
        self.view, self.lowered = view, lowered
        self.memory = 0
        sizes = [_bytes(view, index) for index in lowered.operands]
        self.inputs = {i: self._take(2 * n + lowered.overread) for i, n in zip(lowered.operands, sizes, strict=True)}
        self.outputs = tuple(self._take(storage.size(view.output_type(i))) for i, storage in enumerate(view.outputs))
        self.scratch = self._take(lowered.scratch)
        self.state = self._take(lowered.state)

    def _take(self, size: int) -> int:
        start = self.memory
        self.memory += size + -size % 4
        return start

    def call(self, phase: Phase, sources: tuple[Source, ...], rows: int = 0) -> KernelCall:
        run, accumulates = phase is Phase.RUN, bool(self.lowered.state)
        writes = phase is Phase.FINISH or (run and not accumulates)
        scratch = self.scratch if run and self.lowered.scratch else None
        outputs = self.outputs if writes else ()
        return KernelCall(0, phase, sources, outputs, self.state if accumulates else None, scratch, rows, ())

    def sources(self, first: int, rows: int, *, kept: bool) -> tuple[Source, ...]:
        """Windows of output rows; with `kept`, what the next call reads again lies apart from the fresh rows."""
        view = self.view
        types = view.graph.types(view.node.inputs)
        accesses = view.op.access(types, view.graph.types(view.node.outputs))[0]
        found: list[Source] = []
        for index in self.lowered.operands:
            access = accesses[index]
            assert access is not None
            last = first + rows - 1
            origin = access.start[first] if kept else access.first[first]
            low, high = access.first[first], access.end[last]
            again = access.start[last + 1] if last + 1 < len(access.start) else high
            held = max(0, high - max(again, low)) if kept else 0
            window = Window(held, access.start[first] - origin, low - origin, high - origin)
            base = self.inputs[index]
            fresh = base + _bytes(view, index) if held else base
            found.append(Source(window, base, fresh))
        return tuple(found)


def _bytes(view: NodeView, index: int) -> int:
    size = view.inputs[index].size(view.input_type(index))
    return size + -size % 4


def every_kernel(operators: tuple[Operator, ...]) -> tuple[tuple[Operator, tuple[Kernel, ...]], ...]:
    """The kernels of every key, with an operator that uses them."""
    found: dict[str, tuple[Operator, tuple[Kernel, ...]]] = {}
    for operator in operators:
        for kernel in operator.kernels:
            owner, kernels = found.get(table_key(kernel), (operator, ()))
            if owner is operator:
                found[table_key(kernel)] = (owner, (*kernels, kernel))
    return tuple(found.values())
