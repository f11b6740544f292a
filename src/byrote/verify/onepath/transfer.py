"""What one instruction does to a state."""

from __future__ import annotations

from functools import reduce

from byrote.verify.onepath.effect import Access, Effect, Fold, Formula, Instruction, Machine, Timing
from byrote.verify.onepath.findings import Findings
from byrote.verify.onepath.library import ANYWHERE, Reach
from byrote.verify.onepath.report import Fault
from byrote.verify.onepath.state import State
from byrote.verify.onepath.value import (
    CLEAN,
    TAINTED,
    ZERO,
    Kind,
    Value,
    add,
    bitwise_and,
    constant,
    join,
    result,
    shift_left,
    stack_places,
    subtract,
)


class Transfer:
    """Applies effects to states and notes what the proof must report.

    `place` (chain of calls, address) is where the block that is being followed begins; `stale` are those that must be
    followed again, because something that they have read is no longer known to be clean.
    """

    def __init__(self, machine: Machine, findings: Findings) -> None:
        self._stack_pointer = machine.stack_pointer
        self._findings = findings
        self.place: tuple[int, int] = (0, 0)
        self.stale: set[tuple[int, int]] = set()
        self.used_sources = False
        self._stores_data: set[int] = set()
        self._readers: dict[int, set[tuple[int, int]]] = {}

    def apply(self, state: State, instruction: Instruction, reach: Reach = ANYWHERE) -> None:
        """Change the state as the instruction does, as if it is executed; where it goes next is not decided here.

        `reach`: where accesses to an unknown place of the stack may fall.
        """
        effect = instruction.effect
        registers = state.registers
        before = registers[self._stack_pointer]
        if effect.access is not None:
            self._access(state, instruction, effect.access, reach)
        if effect.writes or effect.flags or effect.loose:
            self._compute(registers, instruction, effect)
        after = registers[self._stack_pointer]
        if after is not before:
            self._stack_moved(state, instruction, before, after)

    def _stack_moved(self, state: State, instruction: Instruction, before: Value, after: Value) -> None:
        if after.kind is not Kind.FRAME or after.number & 3:
            self._findings.violation(Fault.STACK_POINTER, instruction)
        elif before.kind is not Kind.FRAME or after.number > before.number:
            state.forget_below(after.number)

    def _compute(self, registers: list[Value], instruction: Instruction, effect: Effect) -> None:
        tainted = stack = False
        for number in effect.reads:
            value = registers[number]
            if value.mask:
                tainted = True
            if value.stack:
                stack = True
        exact = evaluate(registers, effect.formula) if effect.formula else None
        general = result(tainted, stack)
        for number in effect.writes:
            registers[number] = general
        if exact is not None:
            registers[effect.writes[0]] = exact
        flag = TAINTED if tainted else CLEAN
        for number in effect.flags:
            registers[number] = flag
        for number in effect.loose:
            registers[number] = join(registers[number], flag)
        if tainted and effect.timing is not Timing.CONSTANT:
            self._variable_time(instruction, effect.timing)

    def _variable_time(self, instruction: Instruction, timing: Timing) -> None:
        if timing is Timing.DIVIDE or self._findings.options.slow_multiply:
            self._findings.timing.add(self._findings.site(instruction))

    def _access(self, state: State, instruction: Instruction, access: Access, reach: Reach) -> None:
        registers = state.registers
        base = ZERO if access.base is None else registers[access.base]
        address = add(base, constant(access.offset))
        if access.index is not None:
            address = add(address, shift_left(registers[access.index], access.shift))
        if address.mask:
            found = self._findings.lookups if access.load else self._findings.scattered
            found.add(self._findings.site(instruction))
        if access.load:
            self._load(state, instruction, access, address, reach)
        else:
            self._store(state, instruction, access, address, reach)
        if access.update is not None and access.base is not None:
            registers[access.base] = add(base, constant(access.update))

    def _load(self, state: State, instruction: Instruction, access: Access, address: Value, reach: Reach) -> None:
        places = stack_places(address)
        if places and places[0] < state.registers[self._stack_pointer].number:
            address, places = TAINTED, ()  # below the stack pointer, memory may change at any time
        for position, register in enumerate(access.registers):
            distance = position * access.size
            if places:
                value = reduce(join, [state.load(place + distance, access.size) for place in places])
            elif address.kind is Kind.CONSTANT:
                place = address.number + distance
                known = self._findings.program.constant_load(place, access.size, access.signed)
                value = known or self._observed(instruction, address)
            elif address.stack:
                value = state.load_anywhere(reach.loads)
                data = value.mask & self._observed(instruction, address).mask | address.mask
                value = result(bool(data), value.stack)
            else:
                value = self._observed(instruction, address)
            state.registers[register] = value

    def _observed(self, instruction: Instruction, address: Value) -> Value:
        """What a load elsewhere yields: data, unless a run has shown where its bytes come from."""
        sources = self._findings.options.sources.get(instruction.address)
        if sources is None or address.mask:
            return TAINTED
        for store in sources:
            self._readers.setdefault(store, set()).add(self.place)
        self.used_sources = True
        return TAINTED if any(store in self._stores_data for store in sources) else CLEAN

    def _data_stored(self, instruction: Instruction) -> None:
        """A store may store data: what has been concluded from its storing none is to be done again."""
        if instruction.address not in self._stores_data:
            self._stores_data.add(instruction.address)
            self.stale |= self._readers.get(instruction.address, set())

    def _store(self, state: State, instruction: Instruction, access: Access, address: Value, reach: Reach) -> None:
        if any(state.registers[register].mask for register in access.registers):
            self._data_stored(instruction)
        if address.kind is Kind.FRAME:
            self._findings.written = min(self._findings.written, address.number)
        for position, register in enumerate(access.registers):
            value = state.registers[register]
            if address.kind is Kind.FRAME:
                state.store(address.number + position * access.size, access.size, value)
                continue
            if address.kind is Kind.FRAMES:
                for place in address.places:
                    state.store_maybe(place + position * access.size, access.size, value)
                continue
            if value.stack:
                self._findings.violation(Fault.ESCAPE, instruction)
            if not address.stack:
                continue
            state.store_anywhere(value, reach.stores)
            if address.mask:
                self._findings.violation(Fault.STACK_STORE, instruction)


def evaluate(registers: list[Value], formula: Formula) -> Value:
    """The exact result of a formula, as far as its operands are known."""
    left = ZERO if formula.left is None else registers[formula.left]
    right = constant(formula.constant)
    if formula.right is not None:
        right = shift_left(registers[formula.right], formula.shift)
    if formula.fold is Fold.ADD:
        return add(left, right)
    if formula.fold is Fold.SUBTRACT:
        return subtract(left, right)
    if formula.fold is Fold.SHIFT_LEFT:
        return shift_left(left, formula.constant)
    if formula.fold is Fold.AND:
        return bitwise_and(left, right)
    if left.kind is Kind.CONSTANT:
        return constant(left.number & 0xFFFF | formula.constant << 16)
    return result(bool(left.mask), left.stack)
