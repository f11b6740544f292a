"""What a run asks of the memory that holds its code."""

from __future__ import annotations

from byrote.targets import Architecture
from byrote.verify.profile import Profile


def code_fetches(profile: Profile) -> tuple[int, int]:
    """(bytes of executed instructions, jumps that were taken)."""
    thumb = profile.elf.architecture is Architecture.THUMB
    total = 0
    for address in profile.addresses():
        half = int.from_bytes(profile.elf.read(address, 2), "little")
        long = half >> 11 >= 0b11101 if thumb else half & 3 == 3
        total += profile.count(address) * (4 if long else 2)
    return total, int(profile.jumped_from.sum())
