"""Arrange thousands of random graphs in every way and replay each plan.  Usage: replay_random.py [first] [count]."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from byrote.arrange import CannotPushError, arrange
from byrote.plan.validate import faults
from byrote.schedule import Goal, Granularity, Options
from byrote.verify.replay import replay
from tests.schedule.random_graphs import random_network
from tests.schedule.test_rows import check_random

_WAYS = (
    Options(Goal.RAM, Granularity.WHOLE),
    Options(Goal.RAM),
    Options(Goal.AUTO),
    Options(Goal.SPEED, keep_input=True),
    Options(Goal.RAM, push_input=True),
    Options(Goal.RAM, align=1),
)


def main() -> int:
    """Exit status 1 if anything was wrong."""
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    wrong = plans = checked = 0
    for seed in range(first, first + count):
        try:
            check_random(seed)
            for options in _WAYS:
                checked += _check(seed, options)
                plans += 1
        except AssertionError as error:
            wrong += 1
            print(f"seed {seed}: {error}")
    print(f"{plans} plans of {count} graphs, {checked} bytes checked, {wrong} wrong")
    return int(wrong > 0)


def _check(seed: int, options: Options) -> int:
    graph, selection = random_network(seed)
    try:
        found = arrange(graph, selection, options)
    except CannotPushError:
        return 0
    problems = faults(found.problem, found.plan)
    assert not problems, problems
    if options.goal is Goal.RAM and not options.push_input and options.granularity is not Granularity.WHOLE:
        whole = arrange(graph, selection, replace(options, granularity=Granularity.WHOLE))
        assert found.plan.height <= whole.plan.height, "rows need more than whole tensors"
    return replay(graph, found.schedule, selection, found.homes, found.plan.offsets, found.plan.height)


if __name__ == "__main__":
    sys.exit(main())
