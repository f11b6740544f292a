"""The order of operators that needs the least memory.

States are sets of executed nodes.  A best-first search on (peak so far) over them is exact: the first complete state is
the optimum.  A node that does not raise the peak and frees at least what it allocates is executed at once, so chains
cost nothing and only real decisions branch.  Beyond a bound on states the search becomes a beam: no longer exact, but
never worse than the model's own order, which is the first candidate.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from byrote.ir import TensorId
from byrote.schedule.dataflow import Dataflow
from byrote.schedule.footprint import Footprint

_EXACT_STATES = 20_000
_BEAM_WIDTH = 64


@dataclass(frozen=True)
class _State:
    """Executed nodes as a bit set (positions in `calls`), bytes that live after them, and the peak and order so far."""

    done: int
    live: int
    peak: int
    order: tuple[int, ...]


class _Search:
    """Bit sets of one graph: what must precede a node, who reads a root."""

    def __init__(self, flow: Dataflow, footprint: Footprint) -> None:
        self.calls = flow.calls
        self.footprint = footprint
        position = {node: index for index, node in enumerate(flow.calls)}
        writer = {tensor: position[node] for node in flow.calls for tensor in flow.graph.nodes[node].outputs}
        reads = [flow.roots_read(node) for node in flow.calls]
        # Sets, because a node may read several outputs of one writer.
        self.needs = [
            sum(1 << before for before in {writer[root] for root in roots if root in writer}) for roots in reads
        ]
        self.followers: list[list[int]] = [[] for _ in flow.calls]
        for index, roots in enumerate(reads):
            for before in dict.fromkeys(writer[root] for root in roots if root in writer):
                self.followers[before].append(index)
        self.readers = {root: sum(1 << position[node] for node in set(nodes)) for root, nodes in flow.readers.items()}
        self.mortal = [[root for root in roots if root not in flow.lasting] for roots in reads]
        self.kept = [
            sum(
                footprint.size(tensor)
                for tensor in flow.graph.nodes[node].outputs
                if tensor in flow.readers or tensor in flow.lasting
            )
            for node in flow.calls
        ]
        self.live_at_start = sum(footprint.size(root) for root in flow.inputs)
        self.everything = (1 << len(flow.calls)) - 1

    def ready(self, state: _State, candidates: range | list[int]) -> list[int]:
        return [i for i in candidates if not state.done >> i & 1 and not self.needs[i] & ~state.done]

    def execute(self, state: _State, index: int) -> _State:
        done = state.done | 1 << index
        dying: tuple[TensorId, ...] = tuple(root for root in self.mortal[index] if not self.readers[root] & ~done)
        during = self.footprint.during(self.calls[index], state.live, dying)
        live = state.live + self.kept[index] - sum(self.footprint.size(root) for root in dying)
        return _State(done, live, max(state.peak, during), (*state.order, index))

    def advance(self, state: _State) -> tuple[_State, list[int]]:
        """Execute what can only help; return the state where a decision is due and the nodes to choose from."""
        ready = self.ready(state, range(len(self.calls)))
        while ready:
            helpful = None
            for index in ready:
                after = self.execute(state, index)
                if len(ready) == 1 or (after.peak <= state.peak and after.live <= state.live):
                    helpful = index, after
                    break
            if helpful is None:
                return state, ready
            index, state = helpful
            ready = sorted({*ready, *self.ready(state, self.followers[index])} - {index})
        return state, ready


def best_order(flow: Dataflow, footprint: Footprint) -> tuple[int, ...]:
    """All called nodes in the order with the least estimated peak; deterministic."""
    search = _Search(flow, footprint)
    model = _State(0, search.live_at_start, search.live_at_start, ())
    for index in range(len(flow.calls)):
        model = search.execute(model, index)
    best = _best_first(search, model)
    if best is None:
        best = min(_beam(search), model, key=lambda state: state.peak)
    return tuple(flow.calls[index] for index in best.order)


def _best_first(search: _Search, model: _State) -> _State | None:
    """The optimum, or `model` when nothing is better; None when that takes too many states.

    What a set of nodes allows next does not depend on the path to it, and paths leave the queue in order of peak, so
    the first path to reach a set is the best.
    """
    start, ready = search.advance(_State(0, search.live_at_start, search.live_at_start, ()))
    queue: list[tuple[int, int, tuple[int, ...], _State, list[int]]] = []
    heapq.heappush(queue, (start.peak, 0, start.order, start, ready))
    closed: set[int] = set()
    while queue and len(closed) < _EXACT_STATES:
        _, _, _, state, ready = heapq.heappop(queue)
        if state.done in closed:
            continue
        closed.add(state.done)
        if state.peak >= model.peak:
            return model
        if state.done == search.everything:
            return state
        for index in ready:
            after, following = search.advance(search.execute(state, index))
            if after.done not in closed and after.peak < model.peak:
                heapq.heappush(queue, (after.peak, -len(after.order), after.order, after, following))
    return None if queue else model


def _beam(search: _Search) -> _State:
    """The best of the orders that keep the `_BEAM_WIDTH` most promising states after each decision."""
    front = [search.advance(_State(0, search.live_at_start, search.live_at_start, ()))]
    while any(choices for _, choices in front):
        reached: dict[int, tuple[_State, list[int]]] = {}
        for state, choices in front:
            following = [search.advance(search.execute(state, index)) for index in choices] or [(state, choices)]
            for after, ready in following:
                if after.done not in reached or reached[after.done][0].peak > after.peak:
                    reached[after.done] = after, ready
        front = sorted(reached.values(), key=lambda item: (item[0].peak, item[0].live, item[0].order))[:_BEAM_WIDTH]
    return min((state for state, _ in front), key=lambda state: (state.peak, state.order))
