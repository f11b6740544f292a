"""What the C functions that compilers call behind the programmer's back promise to read and write.

Their code is analysed like any other; only how far their computed accesses reach is taken from what they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from byrote.verify.onepath.value import Kind, Value

_COPIES = {"memcpy", "memmove"} | {f"__aeabi_{name}{end}" for name in ("memcpy", "memmove") for end in ("", "4", "8")}
_SIZE_ARGUMENT = (
    dict.fromkeys(_COPIES, 2)
    | {f"__aeabi_{name}{end}": 1 for name in ("memset", "memclr") for end in ("", "4", "8")}
    | {"memset": 2}
)


@dataclass(frozen=True)
class Reach:
    """The distances at which accesses to unknown places of the stack may fall; None: anywhere."""

    stores: range | None = None
    loads: range | None = None


ANYWHERE = Reach()


def reach_of(function: str, arguments: list[Value]) -> Reach | None:
    """How far a call of a copying or filling function reaches; None if it is another function."""
    index = _SIZE_ARGUMENT.get(function)
    if index is None:
        return None
    size = arguments[index]
    if size.kind is not Kind.CONSTANT:
        return None
    return Reach(_places(arguments[0], size), _places(arguments[1], size) if function in _COPIES else None)


def _places(start: Value, size: Value) -> range | None:
    return range(start.number, start.number + size.number) if start.kind is Kind.FRAME else None
