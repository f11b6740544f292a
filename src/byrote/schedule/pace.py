"""How many rows each node of a region makes per call, and how often it is called.

Time within a segment counts ticks, one per step.  A node with pace (rows, period) makes `rows` rows every `period`
ticks.  Where a node advances over its input by `s` rows per output row, its producer either makes `s` times as many
rows per call (coarse) or is called `s` times as often (fine).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from byrote.schedule.region import Region


@dataclass(frozen=True)
class Pace:
    """`rows` rows every `period` ticks."""

    rows: int
    period: int


@dataclass(frozen=True)
class _Draft:
    rows: Fraction
    period: Fraction

    @property
    def rate(self) -> Fraction:
        return self.rows / self.period


def paces(region: Region, block: int, coarse: frozenset[int]) -> dict[int, Pace] | str:
    """Per node (and the caller of a pushed input) its pace, or the sentence why there is none.

    `block`: rows per call of the last node.  `coarse`: nodes whose producers make several rows per call where they
    advance by several rows; those of others are called several times.
    """
    drafts: dict[int, _Draft] = {region.nodes[-1]: _Draft(Fraction(block), Fraction(1))}
    problem = _upstream(region, drafts, coarse) or _downstream(region, drafts) or _upstream(region, drafts, coarse)
    if problem:
        return problem
    if len(drafts) < len(set(region.producers.values()) | set(region.nodes)):
        return "the nodes are not connected"
    scale = lcm(*(draft.period.denominator for draft in drafts.values()))
    result: dict[int, Pace] = {}
    for node, draft in drafts.items():
        if draft.rows.denominator > 1 or (draft.period * scale).denominator > 1:
            return f"node {node} would make a fraction of a row per call"
        result[node] = Pace(int(draft.rows), int(draft.period * scale))
    return result


def _upstream(region: Region, drafts: dict[int, _Draft], coarse: frozenset[int]) -> str | None:
    """Paces of producers from those of their readers; the finest reader decides."""
    for edge in reversed(region.edges):
        if edge.producer is None or edge.reader not in drafts:
            continue
        reader, stride = drafts[edge.reader], edge.stride
        assert stride is not None
        if edge.reader in coarse or stride < 1:
            wanted = _Draft(reader.rows * stride, reader.period)
        else:
            wanted = _Draft(reader.rows, reader.period / stride)
        known = drafts.get(edge.producer)
        if known is not None and known.rate != wanted.rate and region.rows(edge.producer) > 1:
            return f"node {edge.producer} would have to be read at two speeds"
        if known is None or wanted.period < known.period:
            drafts[edge.producer] = wanted
    return None


def _downstream(region: Region, drafts: dict[int, _Draft]) -> str | None:
    """Paces of nodes that lead to other ends than the last node: as their first known input suggests."""
    for edge in region.edges:
        if edge.producer not in drafts or edge.reader in drafts:
            continue
        assert edge.producer is not None
        assert edge.stride is not None
        producer, stride = drafts[edge.producer], edge.stride
        if producer.rows % stride == 0:
            drafts[edge.reader] = _Draft(producer.rows / stride, producer.period)
        else:
            drafts[edge.reader] = _Draft(producer.rows, producer.period * stride)
    return None
