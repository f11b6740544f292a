"""What the decoders say about an instruction against what an emulated core does with it.

Registers and memory that an effect does not mention must stay as they are, and what it writes must not change when
registers that it does not read do.
"""

from __future__ import annotations

import random

import pytest

from byrote.verify.onepath.effect import Access, Effect, Flow, Instruction, Machine
from byrote.verify.onepath.riscv import RV32
from byrote.verify.onepath.thumb import THUMB
from byrote.verify.onepath.transfer import evaluate
from byrote.verify.onepath.value import Kind, constant
from tests.verify.onepath.bench import CODE, DATA, MIDDLE, SIZE, Bench, Outcome, Registers, flag_bits

EACH = 4
"""Encodings that are tried of each mnemonic."""

_RARE = (
    "a1fa82f0 b1fa81f0 91faa1f0 21f30700 a1f30500 01f30700 21f3c803 84f38700 82fa81f0 85faa4f3 82fa91f0 "
    "82fab1f0 b1fbf2f0 4fea3100 5fea3100 51fb02f0 11fb02f0 11fb22f0 31fb1230 41fb0230 21fb0230 c2fb9301 "
    "91fa02f0 c1fa02f0 e1fa02f0 c1fa42f0 a1fa22f0 3ffa91f0 01fb02f0 11fa82f0 31f9020f f2e80201 62e90401 "
    "51f80409 41f83200 11f91200 01f8010b 30e98600 0ac0 23e90602 c1f23420 61f3c900 51eb0210 61f10100 c841 "
    "01fa02f0 10eaf10f 90f0ff0f "
)
"""Assembled instructions that random bits seldom hit: sel, clz, saturation, lanes, write-back and indexed forms."""

_SPECIAL = (0, 1, 2, 31, 32, 0x7F, 0x80, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_CONTENT = random.Random(5).randbytes(SIZE)


def encodings(thumb: bool, rng: random.Random) -> list[bytes]:
    """Bytes of one instruction each; many of them are none."""
    found = [bytes.fromhex(item) for item in _RARE.split()] if thumb else []
    found += [rng.randbytes(2) for _ in range(2500)]
    for _ in range(14000 if thumb else 6000):
        if thumb:
            first = rng.choice((0xE800, 0xEA00, 0xF000, 0xF200, 0xF800, 0xFA00)) | rng.randrange(0x200)
            found.append(first.to_bytes(2, "little") + rng.randbytes(2))
            continue
        opcode = rng.choice((0x03, 0x13, 0x17, 0x23, 0x33, 0x37, 0x33))
        word = rng.getrandbits(25) & ~0x7F | opcode | rng.choice((0, 0, 1, 0x20)) << 25
        found.append(word.to_bytes(4, "little"))
    return found


def sampled(machine: Machine, rng: random.Random) -> list[tuple[Instruction, bytes]]:
    """A few encodings of each mnemonic that simply continue and touch no program counter or stack pointer."""
    found: dict[str, list[tuple[Instruction, bytes]]] = {}
    for code in encodings(machine is THUMB, rng):
        instruction, *more = machine.decode(code, CODE)
        effect = instruction.effect
        if more or instruction.size != len(code) or effect.flow is not Flow.NEXT or effect.conditional:
            continue
        mentioned = {*effect.reads, *effect.writes, *(effect.access.registers if effect.access else ())}
        odd = machine is THUMB and (mentioned & {13, 15} or not predictable(instruction))
        odd = odd or (instruction.text.startswith("rev") and len(code) == 4 and (code[0] ^ code[2]) & 15)
        odd = odd or effect == Effect()  # nothing, or an IT instruction
        same = found.setdefault(instruction.text.split()[0], [])
        if not odd and len(same) < EACH:
            same.append((instruction, code))
    return [item for items in found.values() for item in items]


def predictable(instruction: Instruction) -> bool:
    """Whether the architecture says what happens when registers coincide."""
    access = instruction.effect.access
    if access is None:
        return len(set(instruction.effect.writes)) == len(instruction.effect.writes)
    if len(set(access.registers)) != len(access.registers) or 13 in {access.base, access.index}:
        return False
    return access.update is None or access.base not in access.registers


def state(machine: Machine, rng: random.Random, access: Access | None) -> Registers:
    """Random registers and flags; the address of an access is aligned and falls into the data memory."""
    values = [rng.choice((rng.getrandbits(32), rng.choice(_SPECIAL))) for _ in range(machine.registers)]
    if access is not None and access.base is not None:
        if access.index is not None:
            values[access.index] = rng.randrange(256) * 4
        values[access.base] = MIDDLE - (access.offset & ~0xFFF if machine is RV32 else 0)
        if access.index == access.base:
            values[access.base] = DATA >> access.shift
    if machine is RV32:
        values[0] = 0
        return Registers(tuple(values))
    values[13] &= ~3
    values[15] = 0
    for number in range(16, 21):
        values[number] &= flag_bits(number)
    return Registers(tuple(values))


def mixed(kept: Registers, other: Registers, numbers: set[int]) -> Registers:
    """The first state in the given registers, the other one elsewhere."""
    pairs = enumerate(zip(kept.values, other.values, strict=True))
    return Registers(tuple(one if number in numbers else two for number, (one, two) in pairs))


def read_by(instruction: Instruction) -> set[int]:
    effect, access = instruction.effect, instruction.effect.access
    numbers = {*effect.reads, *effect.loose}
    if effect.formula is not None:
        numbers |= {number for number in (effect.formula.left, effect.formula.right) if number is not None}
    if access is not None:
        numbers |= {number for number in (access.base, access.index) if number is not None}
        numbers |= set() if access.load else set(access.registers)
    return numbers


def written_by(instruction: Instruction) -> set[int]:
    effect, access = instruction.effect, instruction.effect.access
    numbers = {*effect.writes, *effect.flags, *effect.loose}
    if access is not None:
        numbers |= set(access.registers) if access.load else set()
        numbers |= {access.base} if access.update is not None and access.base is not None else set()
    return numbers


def access_problem(access: Access, before: Registers, outcome: Outcome) -> str:
    """Loads yield, and stores change, exactly the bytes at the stated address."""
    assert access.base is not None
    index = before.values[access.index] << access.shift if access.index is not None else 0
    start = (before.values[access.base] + index + access.offset & 0xFFFFFFFF) - DATA
    expected = bytearray(_CONTENT)
    for position, register in enumerate(access.registers):
        place = start + position * access.size
        if not access.load:
            expected[place : place + access.size] = before.values[register].to_bytes(4, "little")[: access.size]
            continue
        value = int.from_bytes(_CONTENT[place : place + access.size], "little", signed=access.signed)
        if outcome.registers.values[register] != value & 0xFFFFFFFF and (register or not access.signed):
            return f"loaded into {register}"
    if outcome.memory != bytes(expected):
        return "memory"
    if access.update is None or access.base in access.registers:
        return ""
    return "" if outcome.registers.values[access.base] == before.values[access.base] + access.update else "update"


def problem(bench: Bench, machine: Machine, instruction: Instruction, code: bytes, rng: random.Random) -> str | None:
    """What is wrong about an effect; empty if nothing, None if the core refuses the instruction."""
    effect, access = instruction.effect, instruction.effect.access
    if access is not None and access.base is None:
        return None
    before = state(machine, rng, access)
    outcome = bench.step(code, before)
    if outcome is None:
        return None
    if outcome.next_address != CODE + instruction.size:
        return "flow"
    written, read = written_by(instruction), read_by(instruction)
    if mixed(before, outcome.registers, written) != before:
        return "writes more"
    wrong = access_problem(access, before, outcome) if access else "" if outcome.memory == _CONTENT else "memory"
    if wrong:
        return wrong
    if effect.formula is not None:
        exact = evaluate([constant(value) for value in before.values], effect.formula)
        if exact.kind is Kind.CONSTANT and outcome.registers.values[effect.writes[0]] != exact.number:
            return "formula"
    zero = {0} if machine is RV32 else set[int]()
    again = bench.step(code, mixed(before, state(machine, rng, None), read | zero))
    if again is None or again.memory != outcome.memory:
        return "reads more"
    same = all(again.registers.values[number] == outcome.registers.values[number] for number in written)
    return "" if same else "reads more"


@pytest.mark.parametrize("machine", [THUMB, RV32], ids=["thumb", "rv32"])
def test_effects(machine: Machine) -> None:
    rng = random.Random(11)
    bench = Bench(machine is THUMB, _CONTENT)
    executed: set[str] = set()
    problems: set[tuple[str, str]] = set()
    for instruction, code in sampled(machine, rng):
        found = [problem(bench, machine, instruction, code, rng) for _ in range(3)]
        if found[0] is not None:
            executed.add(instruction.text.split()[0])
        problems |= {(instruction.text, item) for item in found if item}
    assert problems == set()
    assert len(executed) >= (150 if machine is THUMB else 40), sorted(executed)
