from __future__ import annotations

import random

import pytest

from byrote.schedule import Dataflow, Goal, Granularity, Mode, Options, Schedule, Segment
from byrote.schedule.pace import paces
from byrote.schedule.region import Region
from byrote.schedule.rows import row_segment
from byrote.schedule.whole import whole_segment
from tests.schedule.placing import placed_height
from tests.schedule.random_graphs import random_network

RAM = Options(Goal.RAM, Granularity.ROWS)


def segment_of(region: Region, block: int, coarse: frozenset[int]) -> Segment | str:
    obstacle = region.obstacle()
    if obstacle is not None:
        return obstacle
    pace = paces(region, block, coarse)
    if isinstance(pace, str):
        return pace
    return row_segment(region, pace, block)


def cut_randomly(flow: Dataflow, chance: random.Random) -> tuple[Schedule, int]:
    """Random contiguous segments, by rows where that is possible; how many are."""
    order = flow.calls
    segments: list[Segment] = []
    at = 0
    rows = 0
    while at < len(order):
        length = min(chance.randint(1, 8), len(order) - at)
        found: Segment | str = ""
        while length > 1 and isinstance(found, str):
            region = Region(flow, order[at : at + length])
            found = segment_of(region, chance.choice([1, 1, 2, 3, 4]), some(chance, region))
            length -= isinstance(found, str)
        if isinstance(found, str):
            found = whole_segment(flow, order[at], either_way=True)
        rows += found.mode is Mode.ROWS
        segments.append(found)
        at += length
    return Schedule(tuple(segments)), rows


def some(chance: random.Random, region: Region) -> frozenset[int]:
    return frozenset(node for node in region.nodes if chance.random() < 0.5)


def check_random(seed: int) -> int:
    graph, selection = random_network(seed)
    flow = Dataflow(graph, selection)
    schedule, rows = cut_randomly(flow, random.Random(seed))
    placed_height(graph, selection, with_all_views(flow, schedule), RAM)
    return rows


def with_all_views(flow: Dataflow, schedule: Schedule) -> Schedule:
    views = [whole_segment(flow, node) for node in range(len(flow.graph.nodes)) if flow.graph.nodes[node].op.is_view]
    return Schedule((*views, *schedule.segments))


@pytest.mark.parametrize("first_seed", range(0, 120, 20))
def test_random_segments_of_random_graphs(first_seed: int) -> None:
    assert sum(check_random(seed) for seed in range(first_seed, first_seed + 20)) > 5
