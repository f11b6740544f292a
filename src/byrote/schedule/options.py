"""What the user may ask of a schedule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Goal(Enum):
    """AUTO: among the plans within 8 % of the fastest, the one with the least RAM.

    RAM: the least RAM, or up to an eighth more where that is worth it (`refine.worth_more_ram`).

    FLASH: kernels of little code and small tables, layer by layer.
    """

    AUTO = "auto"
    SPEED = "speed"
    RAM = "ram"
    FLASH = "flash"


class Granularity(Enum):
    """WHOLE: whole tensors only.  ROWS: few rows at a time wherever possible.  AUTO: whatever serves the goal."""

    AUTO = "auto"
    WHOLE = "whole"
    ROWS = "rows"


@dataclass(frozen=True)
class Options:
    """`ram`: bytes that must suffice, None for no limit.  `align`: boundary in bytes of every buffer.

    `keep_input`: inputs are intact when the inference ends.  `push_input`: the caller delivers the first input row by
    row and it never exists as a whole.
    """

    goal: Goal = Goal.AUTO
    granularity: Granularity = Granularity.AUTO
    ram: int | None = None
    keep_input: bool = False
    push_input: bool = False
    align: int = 4
