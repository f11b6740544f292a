"""What runs when: the order of operators, cut into segments, and the calls of every step.

A segment runs its nodes together, step by step; in each step a node makes some rows of its output.  A layer-wise step
is a segment of one node with one step.  Steps are listed one by one, with everything known: liveness, the ownership
replay and the emitter (which folds equal steps into a loop) read the same list.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Mode(Enum):
    """Whole tensors, one node at a time, or rows of many nodes together."""

    WHOLE = "whole"
    ROWS = "rows"


class Phase(Enum):
    """Which function of a kernel is called; only accumulating kernels have more than RUN."""

    BEGIN = "begin"
    RUN = "run"
    FINISH = "finish"


@dataclass(frozen=True)
class Stream:
    """A tensor that exists inside a segment as rows only.

    Its rows lie in slots: slots 0..kept survive from step to step, slots kept..kept+fresh only within one.  A call
    writes all its rows into kept slots or all into fresh ones.
    """

    tensor: int
    kept: int
    fresh: int


@dataclass(frozen=True)
class Run:
    """A kernel call that makes `rows` output rows from `first_row` on (for accumulators: takes those input rows)."""

    node: int
    first_row: int
    rows: int
    phase: Phase = Phase.RUN


@dataclass(frozen=True)
class Slide:
    """Rows of a stream move down, in ascending order: slots source..source+rows become target..target+rows.

    The source may reach from kept into fresh slots; the target lies in kept slots, and target < source.
    """

    tensor: int
    source_slot: int
    target_slot: int
    rows: int


@dataclass(frozen=True)
class Receive:
    """The caller delivers rows of a pushed input into their slots; the first action of its step."""

    tensor: int
    first_row: int
    rows: int


Action = Run | Slide | Receive


@dataclass(frozen=True)
class Step:
    """Calls in order; `origins[k]` is the tensor row that slot 0 of the segment's stream k stands for (may be < 0).

    Each kind of call occurs at most once in a step, and all steps of a segment have them in the same order.
    """

    actions: tuple[Action, ...]
    origins: tuple[int, ...] = ()


@dataclass(frozen=True)
class Segment:
    """Nodes that run together; `rows_per_step` counts rows of the last node's output (None: all).

    A WHOLE segment of several steps makes its output from the last rows up to the first, a block of rows per step, so
    that the output can lie above the input.  `either_way`: the node may do that too, its steps are not settled yet.
    """

    nodes: tuple[int, ...]
    mode: Mode
    steps: tuple[Step, ...]
    rows_per_step: int | None = None
    streams: tuple[Stream, ...] = ()
    either_way: bool = False


@dataclass(frozen=True)
class Schedule:
    """The whole inference."""

    segments: tuple[Segment, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """Node indices in order of execution."""
        return tuple(node for segment in self.segments for node in segment.nodes)
