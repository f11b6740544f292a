from __future__ import annotations

import random
from dataclasses import replace

import pytest

from byrote.ir import Access, Graph, verify
from byrote.kernel import InPlace, Selection
from byrote.liveness import liveness
from byrote.plan import Overlap
from byrote.schedule import Dataflow, Goal, Granularity, Mode, Options, schedule
from byrote.schedule.footprint import Footprint
from byrote.schedule.order import best_order
from byrote.verify.replay import ReplayError, replay
from tests.schedule import networks
from tests.schedule.networks import Network, int8, kernel
from tests.schedule.placing import placed_height
from tests.schedule.random_graphs import random_network

WHOLE = Options(Goal.RAM, Granularity.WHOLE)


@pytest.mark.parametrize(
    ("network", "limit"),
    [
        (networks.keyword_spotting(), 8_640),
        (networks.mobilenet_v1(3), 37_248),
        (networks.mobilenet_v1(1), 37_248),
        (networks.resnet8(), 33_792),
        (networks.autoencoder(), 768),
        (networks.micro_speech(), 4_200),
    ],
)
def test_public_networks(network: tuple[Graph, Selection], limit: int) -> None:
    graph, selection = network
    verify(graph)
    plan = schedule(graph, selection, WHOLE)
    assert all(segment.mode is Mode.WHOLE for segment in plan.segments)
    assert placed_height(graph, selection, plan, WHOLE) <= limit


@pytest.mark.parametrize("first_seed", range(0, 120, 20))
def test_random_graphs(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 20):
        graph, selection = random_network(seed)
        verify(graph)
        for goal in (Goal.RAM, Goal.SPEED):
            options = Options(goal, Granularity.WHOLE, keep_input=seed % 5 == 0)
            placed_height(graph, selection, schedule(graph, selection, options), options)


def test_kept_input_is_intact() -> None:
    net = Network()
    x = net.input(1, 8, 8, 4)
    graph, selection = net.build(net.add(net.window(x, 4), net.window(x, 4)))
    options = replace(WHOLE, keep_input=True)
    problem, homes = liveness(graph, schedule(graph, selection, options), selection, options)
    source = problem.buffers[homes.whole[x]]
    assert (source.start, source.end) == (0, 3)
    assert all(homes.whole[x] not in (overlap.low, overlap.high) for overlap in problem.overlaps)


def test_distance_is_exact() -> None:
    """3x3 in place on rows of 20 bytes: one row is being written while its upper neighbour is still needed."""
    net = Network()
    x = net.input(1, 8, 5, 4)
    y = net.window(x, 4)
    graph, selection = net.build(y)
    problem, homes = liveness(graph, schedule(graph, selection, WHOLE), selection, WHOLE)
    low, high = homes.whole[y], homes.whole[x]
    assert problem.overlaps == (Overlap(low, high, 40), Overlap(high, low, 40))


def test_replay_finds_a_distance_that_is_too_small() -> None:
    net = Network()
    x = net.input(1, 8, 5, 4)
    y = net.window(x, 4)
    graph, selection = net.build(y)
    options = replace(WHOLE, goal=Goal.SPEED)
    plan = schedule(graph, selection, options)
    _, homes = liveness(graph, plan, selection, options)
    offsets = [0, 0]
    offsets[homes.whole[x]] = 40
    assert replay(graph, plan, selection, homes, offsets, 200) > 0
    offsets[homes.whole[x]] = 39
    with pytest.raises(ReplayError, match="not intact"):
        replay(graph, plan, selection, homes, offsets, 199)


def test_elements_may_be_the_same_memory() -> None:
    net = Network()
    x = net.input(1, 8, 5, 4)
    y = net.add(x, net.window(x, 4), InPlace.ELEMENTS)
    graph, selection = net.build(y)
    assert placed_height(graph, selection, schedule(graph, selection, WHOLE), WHOLE) == 320


def test_views_share_the_bytes_of_what_they_view() -> None:
    net = Network()
    x = net.view(net.input(1, 24), 1, 4, 6, 1)
    y = net.view(net.window(x, 1), 1, 24)
    graph, selection = net.build(y)
    plan = schedule(graph, selection, WHOLE)
    assert plan.order == (0, 1, 2)
    problem, homes = liveness(graph, plan, selection, WHOLE)
    assert len(problem.buffers) == 2
    assert homes.whole[x] == homes.whole[graph.inputs[0].tensor]
    assert homes.whole[y] == homes.whole[graph.nodes[1].outputs[0]]


def test_order_with_known_optimum() -> None:
    """Every branch has a large middle and a small end: one branch after the other needs one large tensor at a time,
    the breadth-first order of the model needs four.
    """
    net = Network()
    x = net.input(1, 4, 4, 4)
    wide = [net.node([x], [int8(1, 4, 4, 64)], ((Access.whole(4, 4),),), kernel(InPlace.NEVER))[0] for _ in range(4)]
    ends = [net.node([w], [int8(1, 4, 4, 1)], ((Access.whole(4, 4),),), kernel(InPlace.NEVER))[0] for w in wide]
    graph, selection = net.build(net.concat(ends))
    plan = schedule(graph, selection, WHOLE)
    assert plan.order == (0, 4, 1, 5, 2, 6, 3, 7, 8)
    assert placed_height(graph, selection, plan, WHOLE) == 64 + 1024 + 3 * 16


def brute_force(flow: Dataflow, footprint: Footprint) -> int:
    """Least estimated peak over all orders."""
    graph = flow.graph
    best: list[int] = []

    def visit(done: frozenset[int], known: frozenset[int], live: int, peak: int) -> None:
        if len(done) == len(flow.calls):
            best.append(peak)
        for node in flow.calls:
            if node in done or not set(flow.roots_read(node)) <= known:
                continue
            after = done | {node}
            dying = tuple(
                root for root in flow.roots_read(node) if root not in flow.lasting and set(flow.readers[root]) <= after
            )
            kept = [t for t in graph.nodes[node].outputs if t in flow.readers or t in flow.lasting]
            during = footprint.during(node, live, dying)
            now = live + sum(map(footprint.size, kept)) - sum(map(footprint.size, dying))
            visit(after, known | set(graph.nodes[node].outputs), now, max(peak, during))

    start = sum(map(footprint.size, flow.inputs))
    visit(frozenset(), frozenset(flow.inputs), start, start)
    return min(best)


def peak_of(flow: Dataflow, footprint: Footprint, order: tuple[int, ...]) -> int:
    live = peak = sum(map(footprint.size, flow.inputs))
    done: set[int] = set()
    for node in order:
        done.add(node)
        read = [root for root in flow.roots_read(node) if root not in flow.lasting]
        dying = tuple(root for root in read if set(flow.readers[root]) <= done)
        peak = max(peak, footprint.during(node, live, dying))
        kept = [t for t in flow.graph.nodes[node].outputs if t in flow.readers or t in flow.lasting]
        live += sum(map(footprint.size, kept)) - sum(map(footprint.size, dying))
    return peak


def test_order_search_is_exact_on_small_graphs() -> None:
    for seed in range(60):
        flow = Dataflow(*random_branches(seed))
        footprint = Footprint(flow, 4, either_way=False)
        assert peak_of(flow, footprint, best_order(flow, footprint)) == brute_force(flow, footprint), seed


def random_branches(seed: int) -> tuple[Graph, Selection]:
    """A few nodes that read any earlier tensors."""
    chance = random.Random(seed)
    net = Network()
    live = [net.input(1, chance.randint(1, 40))]
    for _ in range(chance.randint(2, 7)):
        inputs = chance.sample(live, min(len(live), chance.randint(1, 2)))
        tables = (tuple(Access.whole(1, 1) for _ in inputs),)
        live.extend(net.node(inputs, [int8(1, chance.randint(1, 60))], tables, kernel(InPlace.NEVER)))
    read = {tensor for node in net.nodes for tensor in node.inputs}
    return net.build(*[tensor for tensor in live[1:] if tensor not in read])


def test_a_node_that_reads_two_outputs_of_one_writer_follows_it() -> None:
    """The halves of a split that are joined again: an order once had the join before the split."""
    graph, selection = random_network(20553)
    flow = Dataflow(graph, selection)
    order = best_order(flow, Footprint(flow, 4, either_way=True))
    joins = [index for index, node in enumerate(graph.nodes) if set(graph.nodes[1].outputs) <= set(node.inputs)]
    assert joins
    assert all(order.index(join) > order.index(1) for join in joins)
