"""What row segments cost, without building them: the steady state of their streams, extended node by node upwards.

In the steady state everything is linear in time.  At tick 0 all nodes are called; a node has then made `made` rows
(relative to the last node, whose count is 0), and makes `rows` more every `period` ticks.  Which rows of a stream are
in memory follows from the windows of its readers.  As readers determine producers, the figures of a node hold for every
segment that ends at the same node, wherever it begins: one walk from the last node upwards prices all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from byrote.ir import TensorId
from byrote.schedule.bystanders import Bystanders, Company
from byrote.schedule.region import Edge, edges_of

Cost = Callable[[int, int], int]
"""(node, rows per call) to the cycles of all its calls in one inference."""

_PERIOD = 2**16 * 3**4 * 5**2 * 7
"""Period of the last node; those of others are parts of it."""


@dataclass(frozen=True)
class Price:
    """The segment that begins at `start`: bytes of arena while it runs, cycles of its calls, bytes that slides move."""

    start: int
    ram: int
    cycles: int
    moved: int


@dataclass(frozen=True)
class _Motion:
    """`rows` rows every `period` ticks, `made` of them at tick 0."""

    rows: int
    period: int
    made: int


@dataclass(frozen=True)
class _Rest:
    """Rows of a stream in memory: `kept` before its producer is called, then `total` until its last reader has been
    called, then `survivors`.
    """

    kept: int
    total: int
    survivors: int
    advance: int


@dataclass(frozen=True)
class Setting:
    """What all walks over one order share.  `limit`: segments that need more bytes are of no interest."""

    bystanders: Bystanders
    cost: Cost
    limit: int

    @cached_property
    def edges(self) -> dict[int, tuple[Edge, ...]]:
        """Per node the edges into it, whoever makes its inputs."""
        return {node: edges_of(self.bystanders.flow, {}, node) for node in self.bystanders.order}

    @cached_property
    def position(self) -> dict[int, int]:
        return {node: index for index, node in enumerate(self.bystanders.order)}

    @cached_property
    def producer(self) -> dict[TensorId, int]:
        return self.bystanders.flow.graph.producer


@dataclass
class Walk:
    """Prices of the segments that end before position `end` of an order.

    `block`: rows per call of the last node; `coarse`: see `paces`.
    """

    setting: Setting
    end: int
    block: int
    coarse: frozenset[int]
    motions: dict[int, _Motion] = field(default_factory=dict[int, _Motion])
    readers: dict[TensorId, list[Edge]] = field(default_factory=dict[TensorId, "list[Edge]"])
    profile: npt.NDArray[np.int64] = field(init=False)
    moved: int = 0
    cycles: int = 0

    def __post_init__(self) -> None:
        bystanders = self.setting.bystanders
        self.flow = bystanders.flow
        self.footprint = bystanders.footprint
        self.order = bystanders.order
        self.pushed = bystanders.pushed
        self.position = self.setting.position
        self.profile = np.zeros(self.end, np.int64)
        self._start_motion(self.order[self.end - 1], _Motion(self.block, _PERIOD, 0))

    def _start_motion(self, node: int, motion: _Motion) -> None:
        self.motions[node] = motion
        self.cycles += self.setting.cost(node, motion.rows)

    def prices(self) -> Iterator[Price]:
        """From the shortest segment to the longest; ends where longer ones are impossible or need too much.

        With a pushed input only a segment that begins with the first node may read it.
        """
        for start in reversed(range(self.end)):
            if not self._extend(start) or int(self.profile.max()) > self.setting.limit:
                return
            if len(self.motions) == self.end - start:
                price = self._price(start)
                if price is not None:
                    yield price

    def _extend(self, start: int) -> bool:
        """Take one more node into the segment; False if that is impossible, for longer segments too."""
        node = self.order[start]
        flow = self.flow
        outputs = flow.graph.nodes[node].outputs
        edges = [edge for tensor in outputs for edge in self.readers.get(tensor, ())]
        if not flow.selection.choice(node).kernel.streams:
            return False
        if flow.accumulates(node) and (edges or len(flow.operands[node]) != 1):
            return False
        if len({flow.rows(tensor) for tensor in outputs}) > 1:
            return False
        if any(edge.stride is None or flow.rows(edge.tensor) != flow.rows(edge.root) for edge in edges):
            return False
        if start < self.end - 1 and not self._pull(node, edges):
            return False
        if not all(self._settle(start, tensor) for tensor in outputs):
            return False
        for edge in self.setting.edges[node]:
            self.readers.setdefault(edge.root, []).append(edge)
        self.profile[start] += self.footprint.round_up(flow.selection.choice(node).lowered.scratch)
        return True

    def _pull(self, node: int, edges: list[Edge]) -> bool:
        """Motion of a node from that of its readers; readers without one get it from the node."""
        known = [edge for edge in edges if edge.reader in self.motions]
        if not known:
            return True
        motion = self._pulled(known)
        if motion is None:
            return False
        self._start_motion(node, motion)
        return all(edge.reader in self.motions or self._push(edge, motion) for edge in edges)

    def _pulled(self, edges: list[Edge]) -> _Motion | None:
        """What the readers need; the finest of them decides.  None when they disagree."""
        finest: tuple[int, int] | None = None
        for edge in edges:
            reader = self.motions[edge.reader]
            step, share = edge.step
            if reader.rows % share or (share == 1 and reader.period % step):
                return None
            wide = edge.reader in self.coarse or share > 1
            wanted = (reader.rows * step // share, reader.period) if wide else (reader.rows, reader.period // step)
            if finest and finest[0] * wanted[1] != wanted[0] * finest[1]:
                return None
            finest = wanted if finest is None or wanted[1] < finest[1] else finest
        assert finest is not None
        rows = finest[0]
        need = max(edge.end_after(self.motions[edge.reader].made) for edge in edges)
        return _Motion(rows, finest[1], -(-need // rows) * rows)

    def _push(self, edge: Edge, producer: _Motion) -> bool:
        """Motion of a reader that leads to another end than the last node."""
        step, share = edge.step
        even = producer.rows % step == 0
        rows = producer.rows * share // (step if even else 1)
        made = edge.ready(producer.made) // rows * rows
        self._start_motion(edge.reader, _Motion(rows, producer.period * (1 if even else step), made))
        outputs = self.flow.graph.nodes[edge.reader].outputs
        following = [next_edge for tensor in outputs for next_edge in self.readers.get(tensor, ())]
        if not all(e.reader in self.motions or self._push(e, self.motions[edge.reader]) for e in following):
            return False
        return all(self._settle(self.position[edge.reader], tensor) for tensor in outputs)

    def _settle(self, start: int, root: TensorId) -> bool:
        """Add the rows of a stream to the bytes in use of every node of the segment."""
        edges = self.readers.get(root, [])
        node = self.order[start]
        inside = {edge.reader for edge in edges}
        if not edges or root in self.flow.lasting or not inside.issuperset(self.flow.readers[root]):
            return True
        if node not in self.motions or not inside.issubset(self.motions):
            return True
        rest = self._rest(self.motions[node], edges, self.flow.rows(root))
        if rest is None:
            return False
        self._add(self.profile, start, edges, rest, self.flow.row_size(root))
        self.moved += self.flow.size(root) * rest.survivors // rest.advance
        return True

    def _add(self, profile: npt.NDArray[np.int64], start: int, edges: list[Edge], rest: _Rest, row_size: int) -> None:
        last = max(self.position[edge.reader] for edge in edges)
        profile[:start] += self.footprint.round_up(rest.kept * row_size)
        profile[start : last + 1] += self.footprint.round_up(rest.total * row_size)
        profile[last + 1 :] += self.footprint.round_up(rest.survivors * row_size)

    def _rest(self, producer: _Motion, edges: list[Edge], rows: int) -> _Rest | None:
        """Rows in memory; see `rows` for how they get their slots."""
        readers = [(edge, self.motions[edge.reader]) for edge in edges]
        cycle = min(reader.period for _, reader in readers)
        advance, rest = divmod(producer.rows * cycle, producer.period)
        if rest or cycle < producer.period:
            return None
        origin = min(edge.start_of(reader.made - reader.rows) for edge, reader in readers)
        origin = min(origin, producer.made - advance)
        total = producer.made - origin
        return _Rest(min(total - producer.rows, rows), min(total, rows), min(max(total - advance, 0), rows), advance)

    # The whole price

    def _price(self, start: int) -> Price | None:
        """With the rows of a pushed input and all whole tensors."""
        profile = self.profile[start:]
        moved = self.moved
        edges = self.readers.get(self.pushed, []) if self.pushed is not None else []
        if edges:
            rest = self._caller(start, edges)
            if rest is None:
                return None
            row_size = self.flow.row_size(edges[0].tensor)
            padded = self.profile.copy()
            self._add(padded, start, edges, rest, row_size)
            profile = padded[start:]
            moved += self.flow.rows(edges[0].tensor) * row_size * rest.survivors // rest.advance
        company = self.setting.bystanders.around(start, self.end)
        ram = int(profile.max()) + company.bytes
        if ram - sum(map(self.footprint.size, company.dying)) > self.setting.limit:
            return None
        return Price(start, ram - self._saved(company), self.cycles, moved)

    def _caller(self, start: int, edges: list[Edge]) -> _Rest | None:
        """The rows of the pushed input; None unless all its readers are in the segment."""
        assert self.pushed is not None
        inside = {edge.reader for edge in edges}
        seen = {self.flow.rows(edge.tensor) for edge in edges}
        if start or not inside.issuperset(self.flow.readers[self.pushed]) or len(seen) > 1:
            return None
        if any(edge.stride is None for edge in edges):
            return None
        motion = self._pulled(edges)
        return None if motion is None else self._rest(motion, edges, seen.pop())

    def _saved(self, company: Company) -> int:
        """Bytes shared by tensors that the segment writes and those that it reads last: each with the best partner."""
        dying = list(company.dying)
        saved = 0
        for output in company.written:
            shared = [(self._shared(output, root), root) for root in dying]
            best = max(shared, default=(0, 0))
            if best[0] > 0:
                saved += best[0]
                dying.remove(best[1])
        return saved

    def _shared(self, output: TensorId, root: TensorId) -> int:
        """Bytes that an output saves by growing below an input as that is consumed.

        Both move linearly in time, so the distance is decided at the output's first or the input's last call.
        """
        flow = self.flow
        producer = self.setting.producer[output]
        if producer not in self.motions or not self.readers.get(root):
            return 0
        writer = self.motions[producer]
        out_rows, out_size = flow.rows(output), flow.row_size(output)
        gap = 0
        for edge in self.readers[root]:
            reader = self.motions[edge.reader]
            in_size = flow.row_size(edge.tensor)
            count = len(edge.first)
            waits = reader.rows if edge.reader == producer else 0
            # Rows that one makes while the other makes one, as a fraction: faster / slower.
            faster, slower = writer.rows * reader.period, reader.rows * writer.period
            written = writer.made + (count - waits - reader.made) * faster // slower
            written = min(max(written, 0), out_rows)
            gap = max(gap, written * out_size - edge.first[max(count - reader.rows, 0)] * in_size)
            done = reader.made + (writer.rows - writer.made) * slower // faster - waits
            done = min(max(done, 0), count - 1)
            gap = max(gap, writer.rows * out_size - edge.first[done] * in_size)
        apart = self.footprint.size(output) + self.footprint.size(root)
        return apart - max(self.footprint.size(output), self.footprint.round_up(gap) + self.footprint.size(root))
