"""The static proofs of the linked program, as checks that people can read."""

from __future__ import annotations

from byrote.targets import Target
from byrote.verify.elf import Elf
from byrote.verify.layers import Owners
from byrote.verify.onepath import Analysis, Options, analyse
from byrote.verify.outcome import Check
from byrote.verify.stack import StackReport
from byrote.verify.timing import load_timing

ONE_PATH = "proof: no branch depends on data"
STACK = "proof: the stack's bound, and a run reaches it"
SHOWN = 3
"""Violations that a check lists."""


def analyse_model(elf: Elf, entry: str, target: Target, parameters: int) -> Analysis:
    """The analysis of a model's run function, which takes so many addresses."""
    return analyse(elf, entry, Options(parameters=parameters, slow_multiply=slow_multiply(target)))


def slow_multiply(target: Target) -> bool:
    """Whether the time of long multiplications depends on their operands."""
    if target.emulator is None or not target.emulator.timing:
        return False
    low, high = load_timing(target.emulator.timing).cycles.long_multiply
    return low != high


def path_check(analysis: Analysis, owners: Owners) -> Check:
    """Proven, or at which instruction, kernel and layer it fails."""
    path = analysis.path
    if not path.proven:
        shown = [
            f"{item.fault.value}: {item.site.text} at {item.site.address:#x} in {owners.describe(item.site.function)}"
            for item in path.violations[:SHOWN]
        ]
        rest = len(path.violations) - len(shown)
        return Check(ONE_PATH, False, "; ".join(shown) + (f"; and {rest} more" if rest else ""))
    detail = f"{path.instructions:,} instructions analysed; {len(path.lookups)} table look-ups"
    if path.timing:
        detail += f"; {len(path.timing)} multiply or divide in data-dependent time"
    return Check(ONE_PATH, True, detail)


def stack_check(stack: StackReport, peak: int, owners: Owners) -> Check:
    """The bound holds, and the run reaches the lowest byte that analysis saw written.

    Compilers may leave the last bytes of the bound unwritten, to keep the stack aligned.
    """
    if stack.bound is None:
        why = [f"{item.fault.value} in {owners.describe(item.site.function)}" for item in stack.failures[:SHOWN]]
        return Check(STACK, False, f"no bound: {'; '.join(why)}")
    padding = f" ({stack.bound - stack.written} of them alignment)" if stack.bound != stack.written else ""
    detail = f"bound {stack.bound:,} bytes{padding}, peak {peak:,}"
    if peak > stack.bound:
        return Check(STACK, False, f"{detail}: the run used {peak - stack.bound:,} bytes more than the bound")
    if peak != stack.written:
        return Check(STACK, False, f"{detail}: the run wrote down to {peak:,} bytes, analysis says {stack.written:,}")
    return Check(STACK, True, detail)
