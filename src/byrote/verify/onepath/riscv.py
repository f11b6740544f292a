"""RV32IMC as effects.

Capstone turns bytes into text; the tables below say what each instruction reads and writes.  What is not in the tables
is unknown, and so not proven.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import capstone

from byrote.verify.onepath.effect import UNKNOWN, Access, Effect, Flow, Fold, Formula, Instruction, Machine, Timing

_NAMES = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6"
REGISTERS = {name: number for number, name in enumerate(_NAMES.split())} | {"fp": 8}
_LINK = 1


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BINARY = _words("add sub and or xor sll srl sra slt sltu mul mulh mulhu mulhsu div divu rem remu")
_IMMEDIATE = _words("addi andi ori xori slli srli srai slti sltiu addi16sp addi4spn")
_UNARY = _words("mv neg not seqz snez sltz sgtz")
_UPPER = _words("lui auipc li")
_DIVISIONS = _words("div divu rem remu")
_LOADS = {"lw": (4, False), "lwsp": (4, False), "lb": (1, True), "lbu": (1, False), "lh": (2, True), "lhu": (2, False)}
_STORES = {"sw": 4, "swsp": 4, "sh": 2, "sb": 1}
_BRANCHES = _words("beq bne blt bge bltu bgeu beqz bnez blez bgez bltz bgtz")
_NOTHING = _words("nop fence")
_TRAPS = _words("ebreak unimp")
_RELATIVE = _BRANCHES | {"auipc", "j", "jal"}
_ADDRESS = re.compile(r"(-?(?:0x)?[0-9a-f]+)\((\w+)\)")
_NUMBER = re.compile(r"-?(0x[0-9a-f]+|[0-9]+)")


def decode(code: bytes, address: int) -> tuple[Instruction, ...]:
    """All instructions of a range of code.  Bytes that are none become unknown instructions of two bytes."""
    return tuple(_decode(code, address))


def _decode(code: bytes, address: int) -> Iterator[Instruction]:
    decoder = capstone.Cs(capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV32 | capstone.CS_MODE_RISCVC)
    position = 0
    while position < len(code):
        for place, size, mnemonic, text in decoder.disasm_lite(code[position:], address + position):
            name = mnemonic.removeprefix("c.")
            effect = _effect(name, text, place if name in _RELATIVE else 0)
            position = place + size - address
            yield Instruction(place, size, f"{mnemonic} {text}".strip(), effect)
        if position < len(code):
            yield Instruction(address + position, 2, f".short {code[position : position + 2].hex()}", UNKNOWN)
            position += 2


@lru_cache(maxsize=1 << 16)
def _effect(name: str, text: str, place: int) -> Effect:
    """The effect of an instruction; its place only matters where a distance is an operand."""
    parts = tuple(part for part in text.split(", ") if part)
    if name in _NOTHING:
        return Effect()
    if name in _TRAPS:
        return Effect(flow=Flow.HALT)
    if name in {"j", "jal", "jalr", "jr", "ret"}:
        return _jump(name, parts, place)
    if name in _LOADS or name in _STORES:
        return _memory(name, parts)
    registers = tuple(REGISTERS[part] for part in parts if part in REGISTERS)
    numbers = tuple(int(part, 0) for part in parts if _NUMBER.fullmatch(part))
    if len(registers) + len(numbers) != len(parts) or not registers:
        return UNKNOWN
    if name in _BRANCHES and len(numbers) == 1 and text.endswith(parts[-1]):
        return Effect(flow=Flow.JUMP, target=place + numbers[0], predicate=registers, conditional=True)
    return _arithmetic(name, registers, numbers, place)


def _arithmetic(name: str, registers: tuple[int, ...], numbers: tuple[int, ...], place: int) -> Effect:
    written = registers[0]
    shape = (len(registers), len(numbers))
    if name in _UPPER and shape == (1, 1):
        base = place if name == "auipc" else 0
        value = numbers[0] if name == "li" else base + (numbers[0] << 12)
        return _writing(written, (), Formula(Fold.ADD, constant=value))
    if name in _UNARY and shape == (2, 0):
        return _writing(written, registers[1:], Formula(Fold.ADD, left=registers[1]) if name == "mv" else None)
    if name in _IMMEDIATE and shape in {(2, 1), (1, 1)}:
        source = registers[-1]
        if name in {"slli", "srli", "srai"} and not 0 <= numbers[0] < 32:
            return UNKNOWN
        folds = {
            "addi": Fold.ADD,
            "addi16sp": Fold.ADD,
            "addi4spn": Fold.ADD,
            "slli": Fold.SHIFT_LEFT,
            "andi": Fold.AND,
        }
        fold = folds.get(name)
        return _writing(written, (source,), Formula(fold, left=source, constant=numbers[0]) if fold else None)
    if name in _BINARY and shape in {(3, 0), (2, 0)}:
        left, right = registers[-2], registers[-1]
        fold = {"add": Fold.ADD, "sub": Fold.SUBTRACT, "and": Fold.AND}.get(name)
        formula = Formula(fold, left=left, right=right) if fold else None
        return _writing(written, (left, right), formula, Timing.DIVIDE if name in _DIVISIONS else Timing.CONSTANT)
    return UNKNOWN


def _writing(
    register: int, reads: tuple[int, ...], formula: Formula | None, timing: Timing = Timing.CONSTANT
) -> Effect:
    """An effect with one result; what is written to register 0 is lost."""
    if register == 0:
        return Effect(reads=reads, timing=timing)
    return Effect(reads=reads, writes=(register,), formula=formula, timing=timing)


def _memory(name: str, parts: tuple[str, ...]) -> Effect:
    address = _ADDRESS.fullmatch(parts[-1])
    if len(parts) != 2 or parts[0] not in REGISTERS or address is None or address[2] not in REGISTERS:
        return UNKNOWN
    register, base, offset = REGISTERS[parts[0]], REGISTERS[address[2]], int(address[1], 0)
    if name in _STORES:
        return Effect(access=Access(False, base, offset, (register,), _STORES[name]))
    size, signed = _LOADS[name]
    if register == 0:
        return UNKNOWN
    return Effect(access=Access(True, base, offset, (register,), size, signed=signed))


def _jump(name: str, parts: tuple[str, ...], place: int) -> Effect:
    if name == "ret":
        return Effect(flow=Flow.JUMP, through=_LINK)
    if name in {"j", "jal"}:
        link = 0 if name == "j" else _LINK if len(parts) == 1 else REGISTERS[parts[0]]
        flow = Flow.CALL if link else Flow.JUMP
        return Effect(flow=flow, target=place + int(parts[-1], 0), link=link or None)
    if any(part not in REGISTERS for part in parts[:2]) or len(parts) not in {1, 3}:
        return UNKNOWN
    if len(parts) == 1:
        link, through, offset = 0 if name == "jr" else _LINK, REGISTERS[parts[0]], 0
    else:
        link, through, offset = REGISTERS[parts[0]], REGISTERS[parts[1]], int(parts[2], 0)
    return Effect(flow=Flow.CALL if link else Flow.JUMP, through=through, offset=offset, link=link or None)


RV32 = Machine(
    registers=32,
    stack_pointer=2,
    return_register=_LINK,
    arguments=(10, 11, 12, 13, 14, 15, 16, 17),
    decode=decode,
    code_mask=0xFFFFFFFE,
    global_pointer=3,
    zero=0,
)
