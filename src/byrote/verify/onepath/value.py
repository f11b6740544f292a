"""What is known about a register or a word of the stack: the lattice of the proof.

A value is *clean* if it is the same for all inputs at a given moment of the run, *tainted* if it may differ.  Clean
values are told apart further, because addresses decide what a load reads: a known constant, or a known distance from
the stack pointer at entry.  `stack` marks values that may be computed from the address of something on the stack: a
store through such a value may change any word of the stack.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

_WORD = 0xFFFFFFFF


class Kind(Enum):
    """How much is known about the bits."""

    CONSTANT = "constant"
    FRAME = "frame"
    FRAMES = "frames"
    RETURN = "return"
    OTHER = "other"


class Value(NamedTuple):
    """An abstract 32-bit value.

    `number`: the constant, or the distance in bytes from the stack pointer at entry (negative: pushed later).
    `places`: several such distances, one of which it is (kind FRAMES).
    `mask`: bit b is set if byte b may depend on data.  Only `OTHER` has a mask.
    """

    kind: Kind
    number: int
    mask: int
    stack: bool
    places: tuple[int, ...] = ()


_MOST_PLACES = 8
_ALIGNMENT = 15

ALL_BYTES = 0b1111
CLEAN = Value(Kind.OTHER, 0, 0, False)
TAINTED = Value(Kind.OTHER, 0, ALL_BYTES, False)


def constant(number: int) -> Value:
    """A value that is the same in every run; taken modulo 2**32."""
    return Value(Kind.CONSTANT, number & _WORD, 0, False)


def frame(distance: int) -> Value:
    """The address `distance` bytes above the stack pointer at entry."""
    return Value(Kind.FRAME, distance, 0, True)


def return_address(address: int) -> Value:
    """What a call leaves behind: a constant that is known to be a return address."""
    return Value(Kind.RETURN, address, 0, False)


ZERO = constant(0)


def other(mask: int, stack: bool) -> Value:
    """A value of which only the dependence is known."""
    if stack:
        return Value(Kind.OTHER, 0, mask, True)
    return CLEAN if not mask else TAINTED if mask == ALL_BYTES else Value(Kind.OTHER, 0, mask, False)


def result(tainted: bool, stack: bool) -> Value:
    """What an instruction without further knowledge computes from operands of that kind."""
    return other(ALL_BYTES if tainted else 0, stack)


def stack_places(value: Value) -> tuple[int, ...]:
    """The distances that a stack address may have; none if it is no stack address or its place is not known."""
    return (value.number,) if value.kind is Kind.FRAME else value.places


def join(one: Value, two: Value) -> Value:
    """The smallest value that covers both."""
    if one == two:
        return one
    places = tuple(sorted({*stack_places(one), *stack_places(two)}))
    if stack_places(one) and stack_places(two) and len(places) <= _MOST_PLACES:
        return Value(Kind.FRAMES, 0, 0, True, places)
    return other(one.mask | two.mask, one.stack or two.stack)


def add(one: Value, two: Value) -> Value:
    """The sum; a sum of stack addresses is a value about which only that is known."""
    if two == ZERO:
        return one
    if one == ZERO:
        return two
    if two.kind is Kind.CONSTANT:
        if one.kind is Kind.CONSTANT:
            return constant(one.number + two.number)
        if one.kind is Kind.FRAME:
            return frame(one.number + _signed(two.number))
        if one.kind is Kind.FRAMES:
            return one._replace(places=tuple(place + _signed(two.number) for place in one.places))
    if two.kind is Kind.FRAME and one.kind is Kind.CONSTANT:
        return frame(two.number + _signed(one.number))
    return result(bool(one.mask | two.mask), one.stack or two.stack)


def subtract(one: Value, two: Value) -> Value:
    """The difference; two stack addresses of known place have a known distance."""
    if two.kind is Kind.FRAME and one.kind is Kind.FRAME:
        return constant(one.number - two.number)
    if two.kind is Kind.CONSTANT:
        return add(one, constant(-two.number))
    return result(bool(one.mask | two.mask), one.stack or two.stack)


def bitwise_and(one: Value, two: Value) -> Value:
    """The common bits; the lowest bits of an address, which tell its alignment, are no address."""
    if one.kind is Kind.CONSTANT and two.kind is Kind.CONSTANT:
        return constant(one.number & two.number)
    low_bits = any(value.kind is Kind.CONSTANT and value.number <= _ALIGNMENT for value in (one, two))
    return result(bool(one.mask | two.mask), (one.stack or two.stack) and not low_bits)


def shift_left(one: Value, amount: int) -> Value:
    """The value times 2**amount."""
    if one.kind is Kind.CONSTANT:
        return constant(one.number << amount)
    return one if not amount else result(bool(one.mask), one.stack)


def _signed(number: int) -> int:
    return number - (1 << 32) if number >> 31 else number
