"""The fixpoint: what may depend on data, at every instruction that a function reaches.

Calls are followed with everything the caller knows, so that nothing is taken from a calling convention: a call is a
jump that leaves a return address behind, and a return is a jump to a known address.  Each chain of calls is analysed
apart.
Registers and the words of the stack are followed exactly; all other memory is data, unless it is read-only and the
address of the load is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from byrote.verify.onepath.effect import Effect, Flow, Instruction, Machine
from byrote.verify.onepath.findings import Findings
from byrote.verify.onepath.library import ANYWHERE, Reach, reach_of
from byrote.verify.onepath.report import Fault, Violation
from byrote.verify.onepath.state import State
from byrote.verify.onepath.transfer import Transfer
from byrote.verify.onepath.value import CLEAN, TAINTED, ZERO, Kind, frame, return_address

_OUTSIDE = 0xFFFFFFFE
"""The return address of the entry function."""


@dataclass(frozen=True, eq=False)
class Context:
    """One chain of calls.  `stack`: distance of the stack pointer at the call from that at entry.

    `reach`: where accesses of this call to an unknown place of the stack may fall.
    """

    number: int
    function: int
    parent: Context | None
    returns_to: int
    stack: int
    depth: int
    reach: Reach = ANYWHERE

    def active(self, function: int) -> bool:
        """Whether a function is called by this chain."""
        return self.function == function or (self.parent is not None and self.parent.active(function))


@dataclass(frozen=True)
class _Split:
    """From a conditional instruction on, while the flags stay, two states are followed: the condition holds, or not.

    `otherwise` is the state in which it does not; `first` is the instruction.
    """

    condition: int
    otherwise: State
    first: Instruction

    def lasts(self, effect: Effect) -> bool:
        """Whether an instruction can be followed in both states."""
        if effect.condition is not None:
            return effect.condition >> 1 == self.condition >> 1
        return effect.flow is Flow.NEXT and not effect.flags and not effect.loose

    def decides(self, effect: Effect) -> bool:
        """Whether a branch is taken in one of the states, and not in the other."""
        return effect.branch is not None and effect.branch >> 1 == self.condition >> 1


class Engine:
    """One analysis: `run` it once; what it found is in `findings`, `lowest` and `visited`.

    `lowest`: for each chain of calls, the lowest distance of the stack pointer from that at entry.
    """

    def __init__(self, machine: Machine, findings: Findings) -> None:
        self._machine = machine
        self._program = findings.program
        self._transfer = Transfer(machine, findings)
        self.findings = findings
        self.lowest: dict[Context, int] = {}
        self.visited: set[int] = set()
        self._contexts: list[Context] = []
        self._called: dict[tuple[int, int, int, int, Reach], Context] = {}
        self._states: dict[tuple[int, int], State] = {}
        self._waiting: list[tuple[int, int, int]] = []
        self._queued: set[tuple[int, int]] = set()

    def run(self, entry: int) -> None:
        """Analyse everything that the function at `entry` reaches."""
        machine = self._machine
        registers = [TAINTED] * machine.registers
        for register in machine.arguments[: self.findings.options.parameters]:
            registers[register] = CLEAN
        registers[machine.stack_pointer] = frame(0)
        registers[machine.return_register] = return_address(_OUTSIDE)
        if machine.zero is not None:
            registers[machine.zero] = ZERO
        if machine.global_pointer is not None:
            registers[machine.global_pointer] = self._program.global_pointer
        self._arrive(self._context(entry, None, _OUTSIDE, 0), entry, State(registers, {}))
        while self._waiting:
            _, address, number = heappop(self._waiting)
            self._queued.discard((number, address))
            self._transfer.place = (number, address)
            self._block(self._contexts[number], address, self._states[number, address].copy())
            for stale in self._transfer.stale:
                self._enqueue(stale)
            self._transfer.stale.clear()
        if self._transfer.used_sources:
            self.findings.violations |= {Violation(Fault.SCATTERED, site) for site in self.findings.scattered}

    def states(self) -> Iterator[tuple[int, State]]:
        """What is known wherever the program may arrive by a jump; an address appears once for each chain of calls."""
        for (_, address), state in self._states.items():
            yield address, state

    def _context(
        self, function: int, parent: Context | None, returns_to: int, stack: int, reach: Reach = ANYWHERE
    ) -> Context:
        key = (parent.number if parent else -1, function, returns_to, stack, reach)
        found = self._called.get(key)
        if found is None:
            depth = parent.depth + 1 if parent else 0
            found = Context(len(self._contexts), function, parent, returns_to, stack, depth, reach)
            self._contexts.append(found)
            self._called[key] = found
            self.lowest[found] = stack
        return found

    def _arrive(self, context: Context, address: int, state: State) -> None:
        """The program may come to `address` in this state; called functions are analysed before their callers go on."""
        key = (context.number, address)
        old = self._states.get(key)
        if old is None:
            self._states[key] = state
        elif not old.merge(state):
            return
        elif old.registers[self._machine.stack_pointer].kind is not Kind.FRAME:
            self.findings.violation(Fault.STACK_POINTER, self._program.instruction(address))
        self._enqueue(key)

    def _enqueue(self, key: tuple[int, int]) -> None:
        if key not in self._queued:
            self._queued.add(key)
            heappush(self._waiting, (-self._contexts[key[0]].depth, key[1], key[0]))

    def _block(self, context: Context, address: int, state: State) -> None:
        stack_pointer = self._machine.stack_pointer
        lowest = self.lowest[context]
        split: _Split | None = None
        for instruction in self._program.block(address):
            effect = instruction.effect
            self.visited.add(instruction.address)
            if split is not None and not split.lasts(effect) and not split.decides(effect):
                self._rejoin(state, split)
                split = None
            if effect.condition is not None:
                split = self._predicated(context, state, instruction, split)
            elif effect.conditional:
                self._branch(context, state, instruction, split)
            else:
                self._transfer.apply(state, instruction, context.reach)
                if split is not None:
                    self._transfer.apply(split.otherwise, instruction, context.reach)
                lowest = min(lowest, state.registers[stack_pointer].number)
                if effect.flow is not Flow.NEXT:
                    self._leave(context, state, instruction)
        self.lowest[context] = lowest

    def _predicated(
        self, context: Context, state: State, instruction: Instruction, split: _Split | None
    ) -> _Split | None:
        """An instruction that may be skipped; `state` is the case of the split's first condition."""
        effect = instruction.effect
        if any(state.registers[number].mask for number in effect.predicate):
            self.findings.violation(Fault.PREDICATED, instruction)
        assert effect.condition is not None
        split = split or _Split(effect.condition, state.copy(), instruction)
        case = state if effect.condition == split.condition else split.otherwise
        self._transfer.apply(case, instruction, context.reach)
        if not effect.flags and not effect.loose:
            return split
        self._rejoin(state, split)
        return None

    def _rejoin(self, state: State, split: _Split) -> None:
        state.merge(split.otherwise)
        if state.registers[self._machine.stack_pointer].kind is not Kind.FRAME:
            self.findings.violation(Fault.STACK_POINTER, split.first)

    def _branch(self, context: Context, state: State, instruction: Instruction, split: _Split | None) -> None:
        """The last instruction of a block: the program may go elsewhere, or on; a split tells both cases apart."""
        if any(state.registers[number].mask for number in instruction.effect.predicate):
            self.findings.violation(Fault.BRANCH, instruction)
        taken, state = state.copy(), state if split is None else split.otherwise
        if split is not None and instruction.effect.branch != split.condition:
            taken, state = state, taken
        self._transfer.apply(taken, instruction, context.reach)
        self._arrive(context, instruction.end, state)
        self._leave(context, taken, instruction)

    def _leave(self, context: Context, state: State, instruction: Instruction) -> None:
        effect = instruction.effect
        if effect.flow is Flow.HALT:
            return
        if effect.flow is Flow.UNKNOWN:
            self.findings.violation(Fault.UNKNOWN_INSTRUCTION, instruction)
            return
        target = self._target(state, instruction, effect)
        if target is None:
            return
        if effect.link is not None:
            state.registers[effect.link] = return_address(instruction.end)
        if effect.flow is Flow.CALL:
            self._call(context, state, instruction, target)
        elif target != context.returns_to:
            self._arrive(context, target, state)
        elif context.parent is not None:
            self._arrive(context.parent, target, state)

    def _target(self, state: State, instruction: Instruction, effect: Effect) -> int | None:
        if effect.through is None and effect.flow is not Flow.TABLE:
            return effect.target
        sources = effect.reads if effect.through is None else (effect.through,)
        if any(state.registers[number].mask for number in sources):
            self.findings.violation(Fault.JUMP, instruction)
            return None
        value = state.registers[sources[0]]
        if effect.through is None or value.kind not in {Kind.CONSTANT, Kind.RETURN}:
            self.findings.violation(Fault.UNKNOWN_JUMP, instruction)
            return None
        return (value.number + effect.offset) & self._machine.code_mask

    def _call(self, context: Context, state: State, instruction: Instruction, target: int) -> None:
        if self._program.inside_function(target):
            # Armv6-M reaches far places of the same function with bl; if that does return, it is a jump like any other.
            self._arrive(context, target, state)
            return
        if context.active(target):
            self.findings.violation(Fault.RECURSION, instruction)
            return
        stack = state.registers[self._machine.stack_pointer]
        arguments = [state.registers[register] for register in self._machine.arguments]
        reach = reach_of(self._program.function(target), arguments) or context.reach
        callee = self._context(target, context, instruction.end, stack.number, reach)
        self._arrive(callee, target, state)
