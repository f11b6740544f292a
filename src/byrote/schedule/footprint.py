"""Bytes that one node needs while it runs on whole tensors: an estimate that the planner's placement later confirms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from byrote.ir import TensorId
from byrote.schedule.dataflow import Dataflow
from byrote.schedule.distance import distance, upward_distance
from byrote.schedule.runs import reversible, upward_steps, whole_runs


@dataclass(frozen=True)
class Footprint:
    """Sizes of roots and what overlaps save, rounded to the alignment of buffers.

    `either_way`: outputs may also be made from the last row up to the first.
    """

    flow: Dataflow
    align: int
    either_way: bool = False

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(self.round_up(self.flow.size(tensor)) for tensor in range(len(self.flow.graph.tensors)))

    def size(self, root: TensorId) -> int:
        return self._sizes[root]

    def round_up(self, size: int) -> int:
        return -(-size // self.align) * self.align

    @cached_property
    def _savings(self) -> dict[tuple[int, TensorId], int]:
        return {}

    def saving(self, node: int, root: TensorId) -> int:
        """Bytes that the best of the node's outputs shares with an input that this node reads last."""
        key = node, root
        if key not in self._savings:
            self._savings[key] = self._saving(node, root)
        return self._savings[key]

    def _saving(self, node: int, root: TensorId) -> int:
        best = 0
        for output in self.flow.graph.nodes[node].outputs:
            down = distance(self.flow, whole_runs(self.flow, node), output, root)
            best = max(best, self._shared(output, root, down))
            if self.either_way and reversible(self.flow, node):
                actions = [action for step in upward_steps(self.flow, node) for action in step.actions]
                up = upward_distance(self.flow, actions, root, output)
                best = max(best, self._shared(root, output, up))
        return best

    def _shared(self, low: TensorId, high: TensorId, gap: int | None) -> int:
        """Bytes that two buffers have in common when `high` lies at least `gap` above `low`."""
        above = 0 if gap is None else max(self.round_up(gap), 0)
        apart = self.size(low) + self.size(high)
        return apart - max(self.size(low), above + self.size(high))

    def during(self, node: int, live: int, dying: tuple[TensorId, ...]) -> int:
        """Bytes in use while the node runs, `live` before it; `dying` are the roots that nobody reads after it."""
        outputs = sum(self.size(output) for output in self.flow.graph.nodes[node].outputs)
        lowered = self.flow.selection.choice(node).lowered
        scratch = self.round_up(lowered.scratch)
        if self.flow.accumulates(node):
            freed = sum(self.size(root) for root in dying)
            state = self.round_up(lowered.state)
            return live + state + max(scratch, outputs - freed)
        saved = max((self.saving(node, root) for root in dying), default=0)
        return live + outputs + scratch - saved
