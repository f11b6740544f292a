from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from byrote.verify.onepath.state import State
from byrote.verify.onepath.value import (
    CLEAN,
    TAINTED,
    Value,
    add,
    constant,
    frame,
    join,
    other,
    return_address,
    stack_places,
)

VALUES = st.one_of(
    st.integers(0, 20).map(constant),
    st.integers(-8, 2).map(lambda place: frame(4 * place)),
    st.builds(other, st.integers(0, 15), st.booleans()),
    st.just(return_address(64)),
)
JOINED = st.one_of(VALUES, st.builds(join, VALUES, VALUES))


def covers(large: Value, small: Value) -> bool:
    return join(large, small) == large


@settings(max_examples=200, deadline=None)
@given(JOINED, JOINED, JOINED)
def test_join_is_a_least_upper_bound(one: Value, two: Value, three: Value) -> None:
    both = join(one, two)
    assert both == join(two, one)
    assert join(one, one) == one
    assert covers(both, one)
    assert covers(both, two)
    assert join(both, three) == join(one, join(two, three))


@settings(max_examples=200, deadline=None)
@given(JOINED, JOINED, JOINED)
def test_addition_respects_what_is_covered(one: Value, two: Value, more: Value) -> None:
    """The sum of larger values covers the sum of smaller ones: a fixpoint exists."""
    assert covers(add(join(one, more), two), add(one, two))


def test_places() -> None:
    both = join(frame(-8), frame(-16))
    assert stack_places(both) == (-16, -8)
    assert stack_places(add(both, constant(4))) == (-12, -4)
    assert add(frame(-8), constant(-4)) == frame(-12)
    many = frame(0)
    for place in range(1, 12):
        many = join(many, frame(-4 * place))
    assert many == other(0, True)


def test_words_and_bytes_of_the_stack() -> None:
    state = State([], {})
    assert state.load(-8, 4) == TAINTED
    state.store(-8, 4, constant(7))
    assert state.load(-8, 4) == constant(7)
    state.store(-7, 1, TAINTED)
    assert state.load(-8, 1) == CLEAN
    assert state.load(-7, 1) == TAINTED
    assert state.load(-8, 2) == TAINTED
    assert state.load(-6, 2) == CLEAN
    state.store(-4, 4, CLEAN)
    assert state.load(-6, 4) == CLEAN
    state.store(-6, 4, TAINTED)
    assert state.load(-4, 1) == TAINTED
    assert state.load(-2, 2) == CLEAN
    state.forget_below(-4)
    assert state.load(-6, 2) == TAINTED


def test_computed_stores() -> None:
    state = State([], {-4: return_address(64), -8: constant(1), -12: constant(2)})
    state.store_anywhere(TAINTED, range(-12, -8))
    assert state.words == {-4: return_address(64), -8: constant(1), -12: TAINTED}
    state.store_anywhere(CLEAN)
    assert state.words == {-4: return_address(64), -8: CLEAN, -12: TAINTED}
    state.store_maybe(-8, 4, TAINTED)
    assert state.words[-8] == TAINTED


def test_merging_keeps_only_what_both_know() -> None:
    one = State([CLEAN], {-4: constant(1), -8: frame(-4)})
    assert not one.merge(State([CLEAN], {-4: constant(1), -8: frame(-4)}))
    assert one.merge(State([TAINTED], {-4: constant(2)}))
    assert one.registers == [TAINTED]
    assert one.words == {-4: CLEAN, -8: other(15, True)}
