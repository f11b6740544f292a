"""Remembering what was found out about constant arrays: `select` asks the same again for every storage."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import TypeVar

from byrote.ir.op import Array
from byrote.kernel import NodeView

T = TypeVar("T")


class _Same:
    """An array that is equal to itself only."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.array is self.array

    def __hash__(self) -> int:
        return id(self.array)


def remembered(ask: Callable[[NodeView], T]) -> Callable[[NodeView], T]:
    """The same question, asked once per operator, weights, bias and orders of channels.

    The answer must not depend on anything else of the storages: whether bytes are signed does not change accumulators.
    """
    asked: list[NodeView] = []

    @lru_cache(maxsize=256)
    def answer(*key: Hashable) -> T:
        del key
        return ask(asked.pop())

    def remember(view: NodeView) -> T:
        asked[:] = [view]
        weights, bias = _Same(view.constant(1)), _Same(view.constant(2))
        return answer(view.op, weights, bias, view.inputs[0].channels, view.outputs[0].channels, view.input_type(0))

    return remember
