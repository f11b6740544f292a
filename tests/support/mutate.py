"""Damages files as accidents and attackers do, repeatably: one seed, one damaged file."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence

EXTREMES = (
    *(0, 1, 2, 4, 7, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x00FFFFFF),
    *(0x3FFFFFFF, 0x40000000, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFC, 0xFFFFFFFE, 0xFFFFFFFF),
    *(0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x33800000),  # as floats: inf, -inf, NaN, the largest, 2^-24
)
"""Values that 32-bit sizes, offsets, indices and floats are replaced with."""

_ENDS = 4096
"""Structure tends to stand near either end of a file, and bulk data between: half of all damage is done there."""


def mutate(data: bytes, seed: int, others: Sequence[bytes] = ()) -> bytes:
    """`data` with one to four damages, the same for the same seed; `others` are files to splice parts from."""
    source = random.Random(seed)
    damaged = bytearray(data)
    donors = [data, *others]
    for _ in range(source.choice((1, 1, 1, 2, 3, 4))):
        source.choice(_DAMAGES)(damaged, source, donors)
    return bytes(damaged)


def _place(damaged: bytearray, source: random.Random) -> int:
    """An offset into the file, 0 if it is empty."""
    size = max(len(damaged), 1)
    kind = source.randrange(4)
    if kind == 0:
        return source.randrange(min(size, _ENDS))
    if kind == 1:
        return size - 1 - source.randrange(min(size, _ENDS))
    return source.randrange(size)


def _length(source: random.Random) -> int:
    """The length of a part: short ones are as likely as long ones."""
    return source.randrange(1, 2 ** source.randrange(1, 13))


def _truncate(damaged: bytearray, source: random.Random, _: Sequence[bytes]) -> None:
    del damaged[_place(damaged, source) :]


def _flip(damaged: bytearray, source: random.Random, _: Sequence[bytes]) -> None:
    if damaged:
        damaged[_place(damaged, source)] ^= 1 << source.randrange(8)


def _set_byte(damaged: bytearray, source: random.Random, _: Sequence[bytes]) -> None:
    if damaged:
        damaged[_place(damaged, source)] = source.choice((0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)))


def _set_word(damaged: bytearray, source: random.Random, _: Sequence[bytes]) -> None:
    """A 32-bit word becomes an extreme value, the file's size, or itself plus or minus a little."""
    at = _place(damaged, source) & ~3
    if at + 4 > len(damaged):
        return
    (value,) = struct.unpack_from("<I", damaged, at)
    near = (value + source.choice((-8, -4, -1, 1, 4, 8, 256))) & 0xFFFFFFFF
    struct.pack_into("<I", damaged, at, source.choice((*EXTREMES, len(damaged), *[near] * 8)))


def _set_half(damaged: bytearray, source: random.Random, _: Sequence[bytes]) -> None:
    """A 16-bit word, such as a place in a table of offsets."""
    at = _place(damaged, source) & ~1
    if at + 2 <= len(damaged):
        struct.pack_into("<H", damaged, at, source.choice((0, 1, 2, 4, 6, 8, 0x7FFF, 0x8000, 0xFFFF)))


def _swap_words(damaged: bytearray, source: random.Random, _: Sequence[bytes]) -> None:
    one, two = (_place(damaged, source) & ~3 for _ in range(2))
    if max(one, two) + 4 <= len(damaged):
        damaged[one : one + 4], damaged[two : two + 4] = damaged[two : two + 4], damaged[one : one + 4]


def _splice(damaged: bytearray, source: random.Random, donors: Sequence[bytes]) -> None:
    """A part of some file overwrites the same length here."""
    donor = source.choice(donors)
    start = source.randrange(max(len(donor), 1))
    part = donor[start : start + _length(source)]
    at = _place(damaged, source)
    damaged[at : at + len(part)] = part


def _duplicate(damaged: bytearray, source: random.Random, _: Sequence[bytes]) -> None:
    """A part stands twice, and all behind it is moved."""
    at = _place(damaged, source)
    part = damaged[at : at + _length(source)]
    damaged[at:at] = part


def _delete(damaged: bytearray, source: random.Random, _: Sequence[bytes]) -> None:
    at = _place(damaged, source)
    del damaged[at : at + _length(source)]


def _fill(damaged: bytearray, source: random.Random, _: Sequence[bytes]) -> None:
    """A part is wiped with zeros or ones, its length kept."""
    at = _place(damaged, source)
    part = len(damaged[at : at + _length(source)])
    damaged[at : at + part] = bytes([source.choice((0, 0xFF))]) * part


_Damage = Callable[[bytearray, random.Random, Sequence[bytes]], None]
_DAMAGES: tuple[_Damage, ...] = (
    _truncate,
    *[_flip] * 3,
    *[_set_byte] * 2,
    *[_set_word] * 6,
    *[_set_half] * 2,
    _swap_words,
    _splice,
    _duplicate,
    _delete,
    _fill,
)
