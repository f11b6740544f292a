from __future__ import annotations

from dataclasses import replace

import pytest

from byrote.arrange import Arrangement, CannotPushError, arrange, frontier
from byrote.ir import Access, Graph
from byrote.kernel import Selection
from byrote.plan.validate import faults
from byrote.schedule import Goal, Granularity, Mode, Options, Run
from byrote.verify.replay import ReplayError, replay
from tests.schedule import networks
from tests.schedule.networks import Network, int8
from tests.schedule.random_graphs import random_network

RAM = Options(Goal.RAM)


def arranged(network: tuple[Graph, Selection], options: Options) -> Arrangement:
    """With both proofs: the planner's naive checker and the ownership replay."""
    graph, selection = network
    found = arrange(graph, selection, options)
    assert not faults(found.problem, found.plan)
    replay(graph, found.schedule, selection, found.homes, found.plan.offsets, found.plan.height)
    return found


@pytest.mark.parametrize(
    ("network", "resident", "pushed"),
    [
        (networks.keyword_spotting(), 3_906, 3_536),
        (networks.mobilenet_v1(3), 28_032, 10_752),
        (networks.mobilenet_v1(1), 12_672, 10_464),
        (networks.resnet8(), 12_096, 10_176),
        (networks.micro_speech(), 2_136, 576),
    ],
)
def test_public_networks(network: tuple[Graph, Selection], resident: int, pushed: int) -> None:
    assert arranged(network, RAM).plan.height <= resident
    assert arranged(network, replace(RAM, push_input=True)).plan.height <= pushed


def test_mobilenet_v2_in_full_size() -> None:
    graph, selection = networks.mobilenet_v2()
    assert arrange(graph, selection, RAM).plan.height <= 200_000
    assert arrange(graph, selection, replace(RAM, push_input=True)).plan.height <= 108_000


def test_nothing_is_computed_twice() -> None:
    """Every node makes each of its rows once: no call's rows overlap another's."""
    graph, selection = networks.resnet8()
    seen: set[tuple[int, int]] = set()
    for segment in arrange(graph, selection, RAM).schedule.segments:
        for step in segment.steps:
            for action in step.actions:
                if isinstance(action, Run) and not selection.choice(action.node).kernel.accumulates:
                    rows = {(action.node, row) for row in range(action.first_row, action.first_row + action.rows)}
                    assert not rows & seen
                    seen |= rows


def test_calls_of_a_window_always_see_it_at_the_same_slots() -> None:
    """So that addresses are constants: first row of the window less the origin, in every call of a row segment."""
    graph, selection = networks.mobilenet_v1(1)
    found = arrange(graph, selection, RAM)
    tops: dict[tuple[int, int], set[int]] = {}
    for segment in found.schedule.segments:
        for step in segment.steps:
            origins = {s.tensor: origin for s, origin in zip(segment.streams, step.origins, strict=False)}
            for action in step.actions:
                if not isinstance(action, Run) or selection.choice(action.node).kernel.accumulates:
                    continue
                tensor = graph.nodes[action.node].inputs[0]
                access = graph.nodes[action.node].op.access((), ())[0][0]
                if tensor in origins and access is not None:
                    top = access.start[action.first_row] - origins[tensor]
                    tops.setdefault((action.node, tensor), set()).add(top)
    assert tops
    assert all(len(found) == 1 for found in tops.values())


def test_goals() -> None:
    network = networks.mobilenet_v1(1)
    least = arranged(network, RAM)
    fastest = arranged(network, Options(Goal.SPEED))
    assert all(segment.mode is Mode.WHOLE for segment in fastest.schedule.segments)
    assert least.plan.height < fastest.plan.height
    assert fastest.cycles < least.cycles
    balanced = arranged(network, Options(Goal.AUTO))
    assert balanced.cycles <= fastest.cycles * 1.08
    assert balanced.plan.height < fastest.plan.height
    limit = (least.plan.height + fastest.plan.height) // 2
    fitting = arranged(network, Options(Goal.SPEED, ram=limit))
    assert fitting.plan.height <= limit
    assert fitting.cycles < least.cycles
    hopeless = arranged(network, Options(Goal.SPEED, ram=100))
    assert hopeless.plan.height <= fastest.plan.height


def test_whole_tensors_on_demand() -> None:
    found = arranged(networks.resnet8(), Options(Goal.RAM, Granularity.WHOLE))
    assert found.plan.height == 33_792
    assert all(segment.mode is Mode.WHOLE for segment in found.schedule.segments)


def test_an_input_that_is_needed_whole_cannot_be_pushed() -> None:
    net = Network()
    pooled = net.pool_all(x := net.input(1, 8, 8, 4))
    table = (Access.identity(8), Access((0,) * 8, (1,) * 8))
    graph, selection = net.build(*net.node([x, pooled], [int8(1, 8, 8, 4)], (table,)))
    with pytest.raises(CannotPushError, match="row by row"):
        arrange(graph, selection, replace(RAM, push_input=True))


def test_same_plan_again() -> None:
    graph, selection = networks.resnet8()
    assert arrange(graph, selection, RAM) == arrange(graph, selection, RAM)


def test_an_overlap_that_is_too_bold_is_found() -> None:
    """Where the planner used a distance to the full, one byte less must be seen by the replay."""
    graph, selection = networks.mobilenet_v1(1)
    found = arrange(graph, selection, RAM)
    caught = 0
    for overlap in found.problem.overlaps:
        offsets = list(found.plan.offsets)
        if offsets[overlap.high] - offsets[overlap.low] != overlap.distance or not offsets[overlap.high]:
            continue
        offsets[overlap.high] -= 1
        try:
            replay(graph, found.schedule, selection, found.homes, offsets, found.plan.height)
        except ReplayError:
            caught += 1
    assert caught > 3


@pytest.mark.parametrize("first_seed", range(0, 60, 15))
def test_random_graphs(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 15):
        network = random_network(seed)
        whole = arranged(network, Options(Goal.RAM, Granularity.WHOLE))
        rows = arranged(network, RAM)
        assert rows.plan.height <= whole.plan.height, seed
        try:
            arranged(network, replace(RAM, push_input=True))
        except CannotPushError:
            continue


def test_frontier() -> None:
    graph, selection = networks.mobilenet_v1(1)
    found = frontier(graph, selection, Options())
    assert len(found) > 4
    heights = [placed.plan.height for placed in found]
    cycles = [placed.cycles for placed in found]
    assert heights == sorted(set(heights))
    assert cycles == sorted(set(cycles), reverse=True)
    assert heights[0] == arrange(graph, selection, RAM).plan.height
    for placed in found:
        assert sum(segment.cycles for segment in placed.segments) == placed.cycles
        assert all(segment.cycles >= segment.whole for segment in placed.segments)
