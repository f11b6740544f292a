"""What the user asks of a compilation."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.ops import Profile
from byrote.plan import Memory
from byrote.schedule import Goal, Granularity


@dataclass(frozen=True)
class CompileOptions:
    """Options of `compile`, `check` and `verify`; sizes in bytes, None for the target's own memories.

    `ram`: of one memory; `memories` instead: several, from the fastest to the slowest, each with a capacity.
    `compiler`: whose measured costs serve for choosing kernels; None for the target's preferred one.
    `int8_io`: conversions at the model's edge (float to int8 and back) are left to the caller.
    """

    name: str | None = None
    target: str = "cortex-m4"
    ram: int | None = None
    memories: tuple[Memory, ...] = ()
    flash: int | None = None
    goal: Goal = Goal.AUTO
    granularity: Granularity = Granularity.AUTO
    int8_io: bool = False
    keep_input: bool = False
    push_input: bool = False
    own_arena: bool = True
    profile: Profile = Profile.TFLM
    compiler: str | None = None
