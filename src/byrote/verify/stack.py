"""The exact stack need of a function: the lowest the stack pointer can get, found on the linked program.

The stack pointer is followed instruction by instruction through all calls, compiler helpers included.  There is no
bound where a function calls itself, jumps to an address that is not known, or moves the stack pointer by an unknown
amount.
"""

from __future__ import annotations

from dataclasses import dataclass

from byrote.verify.elf import Elf
from byrote.verify.onepath import Analysis, Fault, Violation, analyse

_UNBOUNDED = frozenset(
    {Fault.RECURSION, Fault.JUMP, Fault.UNKNOWN_JUMP, Fault.UNKNOWN_INSTRUCTION, Fault.STACK_POINTER, Fault.STACK_STORE}
)


@dataclass(frozen=True)
class FunctionStack:
    """Bytes that one function itself uses, saved registers included."""

    function: str
    size: int


@dataclass(frozen=True)
class StackReport:
    """`bound`: bytes below the stack pointer at entry, None if there is no bound; `failures` say why.

    `written`: bytes down to the lowest that is seen to be written; compilers may leave the last few of the bound
    unused, to keep the stack aligned.
    `deepest`: the chain of calls that needs most, with the bytes of each function; their sum is the bound.
    `functions`: the same for every function that is reached, in the order of their names.
    """

    entry: str
    bound: int | None
    written: int
    deepest: tuple[FunctionStack, ...]
    functions: tuple[FunctionStack, ...]
    failures: tuple[Violation, ...]


def stack_report(analysis: Analysis) -> StackReport:
    """The stack need, read from an analysis that may serve the one-path proof too."""
    failures = tuple(item for item in analysis.path.violations if item.fault in _UNBOUNDED)
    sizes: dict[str, int] = {}
    for call in analysis.calls:
        sizes[call.function] = max(sizes.get(call.function, 0), call.stack - call.lowest)
    chain: list[FunctionStack] = []
    call = min(analysis.calls, key=lambda item: item.lowest)
    bound, below = max(-call.lowest, -analysis.written), call.lowest
    while True:
        chain.append(FunctionStack(call.function, call.stack - below))
        below = call.stack
        if call.caller is None:
            break
        call = analysis.calls[call.caller]
    return StackReport(
        entry=analysis.path.entry,
        bound=None if failures else bound,
        written=-analysis.written,
        deepest=tuple(reversed(chain)),
        functions=tuple(FunctionStack(name, size) for name, size in sorted(sizes.items())),
        failures=failures,
    )


def stack_bound(elf: Elf, entry: str) -> StackReport:
    """The stack need of a function.  Raises KeyError if the program has no such function."""
    return stack_report(analyse(elf, entry))
