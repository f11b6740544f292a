"""What is known after a call on an emulated core."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.verify.profile import Profile


@dataclass(frozen=True)
class Access:
    """A load or store that was not allowed: where, by which instruction of which function."""

    address: int
    size: int
    pc: int
    function: str
    store: bool

    def __str__(self) -> str:
        kind = "store" if self.store else "load"
        return f"{kind} of {self.size} bytes at {self.address:#010x} by {self.function} (pc {self.pc:#010x})"


@dataclass(frozen=True)
class Unaligned:
    """An instruction that accessed memory off its natural alignment, and how often in each way.

    `forbidden`: the core would fault, because it accepts no unaligned access, or not by this instruction.  The emulator
    lets it pass.
    """

    pc: int
    function: str
    odd_halfwords: int
    half_words: int
    odd_words: int
    forbidden: bool

    @property
    def count(self) -> int:
        return self.odd_halfwords + self.half_words + self.odd_words


@dataclass(frozen=True)
class Run:
    """One call: its result (first result register) and exactly what was executed."""

    result: int
    profile: Profile

    @property
    def instructions(self) -> int:
        return self.profile.instructions

    @property
    def per_function(self) -> tuple[tuple[str, int], ...]:
        """(function, instructions), most first."""
        return self.profile.per_function()


@dataclass(frozen=True)
class Observation(Run):
    """One call with every load and store seen.

    `stack`: bytes from the stack's top to the lowest byte written.  `stray`: the first 32 accesses outside what was
    allowed (`stray_stores` and `stray_loads` count all).
    """

    stack: int
    loads: int
    stores: int
    stray_loads: int
    stray_stores: int
    stray: tuple[Access, ...]
    unaligned: tuple[Unaligned, ...]

    @property
    def forbidden(self) -> tuple[Unaligned, ...]:
        """Unaligned accesses that the core would fault on."""
        return tuple(item for item in self.unaligned if item.forbidden)
