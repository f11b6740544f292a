"""Cycles of a run, as an interval: what each instruction costs in its place, times how often it ran there.

The counts are exact (the emulator's); the costs come from a core's timing file.  An instruction that was reached from
the one before it in memory may pipeline with that one or stall on it; one that was jumped to has no such neighbour.
What is not modelled is said in the timing file and repeated in the result: wait states, interrupts, bus contention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from byrote.targets import Target
from byrote.verify.decode import Disassembler, Instruction, Kind
from byrote.verify.elf import Elf
from byrote.verify.observation import Observation, Unaligned
from byrote.verify.profile import Profile
from byrote.verify.timing import Interval, Timing, Trust, load_timing

_LATE = frozenset({Kind.MULTIPLY, Kind.MULTIPLY_ADD, Kind.LONG_MULTIPLY, Kind.LONG_MULTIPLY_ADD, Kind.DSP_MULTIPLY})
_COMPUTES = _LATE | {Kind.DATA, Kind.DIVIDE}
_TRANSFERS = frozenset({Kind.LOAD, Kind.STORE, Kind.LOAD_MULTIPLE, Kind.STORE_MULTIPLE})
_STORES = frozenset({Kind.STORE, Kind.STORE_MULTIPLE})

Totals = npt.NDArray[np.int64]


@dataclass(frozen=True)
class OperandDependent:
    """An instruction whose cycles depend on values: charged at its least and most."""

    address: int
    text: str
    function: str
    count: int
    cycles: Interval


@dataclass(frozen=True)
class CycleEstimate:
    """Cycles of one run: at least, at most; the same by function, most first; and what they rest on.

    `strict`: between the two, for comparisons: unaligned accesses and dependent loads count in full, a taken branch
    refills in two cycles; None where the timing file does not say it.
    `trust` says whether the core's maker published the timings.  An estimate in any case: nothing ran on hardware.
    """

    low: int
    high: int
    per_function: tuple[tuple[str, int, int], ...]
    operand_dependent: tuple[OperandDependent, ...]
    trust: Trust
    source: str
    assumptions: tuple[str, ...]
    strict: int | None = None


def estimate_cycles(seen: Observation, target: Target) -> CycleEstimate | None:
    """Cycles of a watched run; None for a core whose timings are not known."""
    timing = target.emulator.timing if target.emulator else ""
    return CycleModel(seen.profile.elf, timing).estimate(seen.profile, seen.unaligned) if timing else None


class CycleModel:
    """The cost model of one core, for one program."""

    def __init__(self, elf: Elf, timing: Timing | str) -> None:
        """`timing`: a table, or its name."""
        self.elf = elf
        self.timing = timing if isinstance(timing, Timing) else load_timing(timing)
        self._disassembler = Disassembler()
        self._decoded: dict[int, Instruction] = {}

    def estimate(self, profile: Profile, unaligned: Sequence[Unaligned] = ()) -> CycleEstimate:
        """Cycles of a run.  `unaligned` are the accesses of the same run off their alignment (`Observation`).

        Raises UndecodableError for an instruction that has no timing (floating point).
        """
        low, high = self._totals(profile, unaligned)
        strict = CycleModel(self.elf, replace(self.timing, cycles=self.timing.strict)) if self.timing.strict else None
        exact = int(strict._totals(profile, unaligned)[0].sum()) if strict else None
        return self._result(profile, low, high, exact)

    def _totals(self, profile: Profile, unaligned: Sequence[Unaligned]) -> tuple[Totals, Totals]:
        """Cycles by address, at least and at most."""
        low: Totals = np.zeros(len(profile.executed), np.int64)
        high: Totals = np.zeros(len(profile.executed), np.int64)
        before: Instruction | None = None
        for address in profile.addresses():
            index = (address - profile.base) >> 1
            item = self.decode(address)
            jumped, count = int(profile.jumped_to[index]), int(profile.executed[index])
            taken = int(profile.jumped_from[index + item.size // 2])
            alone = self._alone(item)
            refill = self._refill(item)
            if before is None or before.address + before.size != address:
                before = None
            beside = self._beside(item, before) if before else (0, 0)
            low[index] = count * alone[0] + (count - jumped) * beside[0] + taken * refill[0]
            high[index] = count * alone[1] + (count - jumped) * beside[1] + taken * refill[1]
            before = item
        for access in unaligned:
            index = (access.pc - profile.base) >> 1
            penalty = self._penalty(access)
            low[index] += penalty[0]
            high[index] += penalty[1]
        return low, high

    def decode(self, address: int) -> Instruction:
        """The instruction at an address."""
        if address not in self._decoded:
            self._decoded[address] = self._disassembler.decode(_bytes(self.elf, address), address)
        return self._decoded[address]

    def _alone(self, item: Instruction) -> Interval:
        """Cycles without regard to neighbours."""
        cycles = self.timing.cycles
        low, high = cycles.of(item.kind.value)
        if item.kind is Kind.STORE and item.register_offset:
            low, high = cycles.store_register_offset
        low += item.count * cycles.each_register[0]
        high += item.count * cycles.each_register[1]
        if item.literal:
            low += cycles.literal_load[0]
            high += cycles.literal_load[1]
        if item.conditional and item.kind is not Kind.BRANCH:
            low = min(low, 1)
        return low, high

    def _refill(self, item: Instruction) -> Interval:
        """Cycles more when execution continues elsewhere."""
        return self.timing.cycles.refill_return if item.loaded else self.timing.cycles.refill

    def _beside(self, item: Instruction, before: Instruction) -> Interval:
        """Cycles more (or less) because the instruction before was just executed."""
        cycles = self.timing.cycles
        low = high = 0
        follows = item.kind is Kind.LOAD or (item.kind is Kind.STORE and item.register_offset)
        if follows and before.kind is Kind.LOAD:
            saved, kept = self._pipelined(item, before)
            low, high = low + saved, high + kept
        if item.kind in _TRANSFERS and item.address_registers & before.writes and before.kind in _COMPUTES:
            low, high = low + cycles.address_after_data[0], high + cycles.address_after_data[1]
        if before.loaded:
            stall = cycles.load_to_use
            low += stall[0] if item.reads & before.loaded and not self._late_need(item, before.loaded) else 0
            high += stall[1] if item.uses & before.loaded else 0
        elif before.kind in _LATE or before.shifted:
            stall = cycles.late_result_to_use
            needed = item.uses - {item.accumulator or ""}
            low += stall[0] if item.reads & needed & before.writes else 0
            high += stall[1] if needed & before.writes else 0
        return low, high

    def _pipelined(self, item: Instruction, before: Instruction) -> Interval:
        """What a load, or a store with two address registers, costs less after a load: a negative interval."""
        cycles = self.timing.cycles
        low, high = cycles.load_after_load
        if item.address_registers & before.loaded:
            return 0, 0
        if item.conditional or before.conditional:
            high = 0
        doubts = (
            (item.size == 4 and item.address % 4 != 0, cycles.wide_load_at_halfword),
            (before.writeback and bool(item.address_registers & before.writes), cycles.address_after_writeback),
            (item.writeback, cycles.writeback_after_load),
        )
        for applies, (less, more) in doubts:
            low, high = (low + less, high + more) if applies else (low, high)
        return min(low, 0), min(high, 0)

    def _late_need(self, item: Instruction, loaded: frozenset[str]) -> bool:
        """Whether the loaded registers are needed a stage later: stored, or added by a multiply-accumulate."""
        if item.kind in _STORES:
            return not item.address_registers & loaded
        return item.accumulator is not None and not (item.reads - {item.accumulator}) & loaded

    def _penalty(self, access: Unaligned) -> Interval:
        """Cycles that unaligned accesses add; stores may hide behind the write buffer."""
        cycles = self.timing.cycles
        counts = (access.odd_halfwords, access.half_words, access.odd_words)
        costs = (cycles.unaligned_half, cycles.unaligned_word, cycles.unaligned_odd_word)
        low = sum(count * cost[0] for count, cost in zip(counts, costs, strict=True))
        high = sum(count * cost[1] for count, cost in zip(counts, costs, strict=True))
        if self.decode(access.pc).kind in _STORES:
            return low * cycles.unaligned_store[0], high * cycles.unaligned_store[1]
        return low, high

    def _result(self, profile: Profile, low: Totals, high: Totals, strict: int | None) -> CycleEstimate:
        lows = dict(profile.by_function(low))
        split = tuple((name, lows.get(name, 0), most) for name, most in profile.by_function(high))
        found: list[OperandDependent] = []
        for address in profile.addresses():
            item = self.decode(address)
            cycles = self.timing.cycles.of(item.kind.value)
            if item.kind not in _LATE | {Kind.DIVIDE} or cycles[0] == cycles[1] or item.kind is Kind.MULTIPLY:
                continue
            function = self.elf.function_at(address)
            owner = function.name if function else "?"
            found.append(OperandDependent(address, item.text, owner, profile.count(address), cycles))
        return CycleEstimate(
            low=int(low.sum()),
            high=int(high.sum()),
            per_function=split,
            operand_dependent=tuple(found),
            trust=self.timing.trust_of("load"),
            source=self.timing.source,
            assumptions=self.timing.assumptions,
            strict=strict,
        )


def _bytes(elf: Elf, address: int) -> bytes:
    """Up to four bytes of code at an address."""
    try:
        return elf.read(address, 4)
    except ValueError:
        return elf.read(address, 2)
