"""Thumb, Thumb-2 and the DSP extension (Armv6-M to Armv8-M mainline) as effects.

Capstone turns bytes into text; the tables below say what each instruction reads and writes.  What is not in the tables
is unknown, and so not proven.  Conditions are the suffixes that capstone adds inside IT blocks; that they belong to an
IT instruction is checked here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import capstone

from byrote.verify.onepath.effect import UNKNOWN, Effect, Flow, Fold, Formula, Instruction, Machine, Timing
from byrote.verify.onepath.thumb_memory import memory_effect
from byrote.verify.onepath.thumb_text import CARRY, LINK, NZ, PROGRAM, REGISTERS, Operand, operands

OVERFLOW, SATURATED, LANES = 18, 19, 20
_COUNT = 21

_CONDITIONS = {
    "eq": (NZ,),
    "ne": (NZ,),
    "hs": (CARRY,),
    "lo": (CARRY,),
    "cs": (CARRY,),
    "cc": (CARRY,),
    "mi": (NZ,),
    "pl": (NZ,),
    "vs": (OVERFLOW,),
    "vc": (OVERFLOW,),
    "hi": (CARRY, NZ),
    "ls": (CARRY, NZ),
    "ge": (NZ, OVERFLOW),
    "lt": (NZ, OVERFLOW),
    "gt": (NZ, OVERFLOW),
    "le": (NZ, OVERFLOW),
}

_ORDER = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
"""Neighbours are opposites."""


def _names(prefixes: str, suffixes: str = "") -> frozenset[str]:
    ends = suffixes.split() or [""]
    return frozenset(start + end.strip("-") for start in prefixes.split() for end in ends)


_ADDITIVE = _names("add adc sub sbc rsb")
_CARRY_IN = _names("adc sbc rrx", "- s")
_LOGICAL = _names("and orr eor bic orn mvn mov")
_SHIFTS = _names("lsl lsr asr ror rrx")
_COMPARE = _names("cmp cmn")
_TEST = _names("tst teq")
_UNARY = _names("mov mvn rrx", "- s") | _names("movw adr rev rev16 revsh rbit clz uxtb uxth sxtb sxth uxtb16 sxtb16")
_LANE_OPERATIONS = "add8 add16 sub8 sub16 asx sax"
_LANES_OUT = _names("s u", _LANE_OPERATIONS)
_SATURATING = _names(
    "qadd qsub qdadd qdsub ssat usat ssat16 usat16 smlad smladx smlsd smlsdx smuad smuadx smlawb smlawt"
) | _names("smla", "bb bt tb tt")
_PLAIN = (
    _names("rev rev16 revsh rbit clz uxtb uxth sxtb sxth uxtb16 sxtb16 movw adr addw subw")
    | _names("uxtab uxtah sxtab sxtah uxtab16 sxtab16 sbfx ubfx pkhbt pkhtb sel")
    | _names("mul mla mls smusd smusdx smmul smmulr smmla smmlar smmls smmlsr smulwb smulwt usad8 usada8 udiv sdiv")
    | _names("smul", "bb bt tb tt")
    | _names("sh uh q uq", _LANE_OPERATIONS)
    | _LANES_OUT
    | _SATURATING
)
_KEEPS_BITS = _names("bfi bfc movt")
_LONG = _names("smull umull")
_LONG_ACCUMULATE = _names("smlal umlal umaal smlald smlaldx smlsld smlsldx") | _names("smlal", "bb bt tb tt")
_NOTHING = _names("nop yield dsb dmb isb pld pli")
_MEMORY = _names("ldr ldrb ldrh ldrsb ldrsh ldrd str strb strh strd ldm ldmdb stm stmdb push pop")
_BRANCHES = _names("b bl bx blx cbz cbnz tbb tbh")
_OTHER = _names("mrs msr trap udf")
_WITH_FLAGS = frozenset(name + "s" for name in _ADDITIVE | _LOGICAL | _SHIFTS | {"mul"})
_KNOWN = (
    _ADDITIVE
    | _LOGICAL
    | _SHIFTS
    | _WITH_FLAGS
    | _COMPARE
    | _TEST
    | _PLAIN
    | _KEEPS_BITS
    | _LONG
    | _LONG_ACCUMULATE
    | _NOTHING
    | _MEMORY
    | _BRANCHES
    | _OTHER
)
_TIMING = dict.fromkeys(("smull", "umull", "smlal", "umlal", "mla"), Timing.LONG_MULTIPLY) | {
    "udiv": Timing.DIVIDE,
    "sdiv": Timing.DIVIDE,
}
_FOLDS = {"add": Fold.ADD, "addw": Fold.ADD, "sub": Fold.SUBTRACT, "subw": Fold.SUBTRACT, "and": Fold.AND}


def decode(code: bytes, address: int) -> tuple[Instruction, ...]:
    """All instructions of a range of code.  Bytes that are none become unknown instructions of two bytes."""
    return tuple(_decode(code, address))


def _decode(code: bytes, address: int) -> Iterator[Instruction]:
    decoder = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS | capstone.CS_MODE_V8)
    position = 0
    waiting = 0
    while position < len(code):
        for place, size, mnemonic, text in decoder.disasm_lite(code[position:], address + position):
            depends_on_place = "pc" in text or mnemonic.startswith("adr")
            effect = _effect(mnemonic, text, place if depends_on_place else 0)
            predicated = effect.conditional and not _is_own_branch(mnemonic)
            closes_it = waiting == 1 and effect.flow is Flow.JUMP and effect.conditional
            if predicated != (waiting > 0) and not closes_it:
                effect = UNKNOWN
            waiting = max(waiting - 1, 0)
            if _is_it(mnemonic):
                waiting = len(mnemonic) - 1
            position = place + size - address
            yield Instruction(place, size, f"{mnemonic} {text}".strip(), effect)
        if position < len(code):
            yield Instruction(address + position, 2, f".short {code[position : position + 2].hex()}", UNKNOWN)
            position += 2
            waiting = 0


def _is_it(mnemonic: str) -> bool:
    return mnemonic.startswith("it") and not set(mnemonic[2:]) - {"t", "e"}


def _is_own_branch(mnemonic: str) -> bool:
    """Branches that carry a condition of their own, outside IT blocks."""
    return mnemonic in {"cbz", "cbnz"} or (mnemonic[0] == "b" and mnemonic.split(".", maxsplit=1)[0][1:] in _CONDITIONS)


@lru_cache(maxsize=1 << 16)
def _effect(mnemonic: str, text: str, place: int) -> Effect:
    """The effect of an instruction; its place only matters where the program counter is an operand."""
    if _is_it(mnemonic):
        return Effect()
    name = mnemonic.split(".", maxsplit=1)[0]
    predicate: tuple[int, ...] = ()
    if name not in _KNOWN:
        predicate = _CONDITIONS.get(name[-2:], ())
        name = name[:-2]
    if name not in _KNOWN or (not predicate and name != mnemonic.split(".", maxsplit=1)[0]):
        return UNKNOWN
    parsed = operands(text)
    if parsed is None:
        return UNKNOWN
    if name in _MEMORY:
        effect = memory_effect(name, parsed, place, predicate)
    elif name in _BRANCHES:
        effect = _branch(name, parsed, predicate)
    else:
        effect = _data(name, parsed, place, predicate)
    if not predicate:
        return effect
    condition = mnemonic.split(".", maxsplit=1)[0][-2:]
    number = _ORDER.index({"cs": "hs", "cc": "lo"}.get(condition, condition))
    return replace(effect, condition=number) if effect.flow is Flow.NEXT else replace(effect, branch=number)


def _branch(name: str, parsed: tuple[Operand, ...], predicate: tuple[int, ...]) -> Effect:
    conditional = bool(predicate)
    first = parsed[0]
    if name in {"tbb", "tbh"}:
        return Effect(flow=Flow.TABLE, reads=first.all_registers, predicate=predicate, conditional=conditional)
    if name in {"cbz", "cbnz"}:
        return Effect(flow=Flow.JUMP, target=parsed[1].number, predicate=first.all_registers, conditional=True)
    flow = Flow.CALL if name in {"bl", "blx"} else Flow.JUMP
    link = LINK if flow is Flow.CALL else None
    if first.register is None:
        if name not in {"b", "bl"}:
            return UNKNOWN
        return Effect(flow=flow, target=first.number, link=link, predicate=predicate, conditional=conditional)
    if name not in {"bx", "blx"} or first.register == PROGRAM:
        return UNKNOWN
    return Effect(flow=flow, through=first.register, link=link, predicate=predicate, conditional=conditional)


def _data(name: str, parsed: tuple[Operand, ...], place: int, predicate: tuple[int, ...]) -> Effect:
    conditional = bool(predicate)
    if name in _NOTHING:
        return Effect(predicate=predicate, conditional=conditional)
    if name in _OTHER:
        return _special(name, parsed, predicate)
    registers = tuple(register for operand in parsed for register in operand.all_registers)
    if parsed[0].register is None or any(item.register is None and not item.is_number for item in parsed):
        return UNKNOWN
    if name in _COMPARE | _TEST:
        flags, loose = _flags(name, parsed)
        if PROGRAM in registers:
            return UNKNOWN
        return Effect(reads=registers, flags=flags, loose=loose, predicate=predicate, conditional=conditional)
    outputs = 2 if name in _LONG | _LONG_ACCUMULATE else 1
    writes, reads = registers[:outputs], registers[outputs:]
    if name in _LONG_ACCUMULATE | _KEEPS_BITS or (len(parsed) == 2 and name not in _UNARY):
        reads += writes
    if name in _CARRY_IN:
        reads += (CARRY,)
    if name == "sel":
        reads += (LANES,)
    flags, loose = _flags(name, parsed)
    jumps = PROGRAM in writes
    if jumps and name == "add" and len(parsed) == 2 and not conditional:
        return Effect(reads=reads[:1], writes=writes, flow=Flow.JUMP, through=PROGRAM)
    if PROGRAM in reads:
        formula = _program_formula(name, parsed, place)
        return Effect(writes=writes, formula=formula) if formula and not predicate else UNKNOWN
    if jumps and (name != "mov" or parsed[1].register is None):
        return UNKNOWN
    if jumps:
        return Effect(flow=Flow.JUMP, through=reads[0], predicate=predicate, conditional=conditional)
    return Effect(
        reads=reads,
        writes=writes,
        flags=flags,
        loose=loose,
        formula=_program_formula(name, parsed, place) if name == "adr" else _formula(name, parsed),
        predicate=predicate,
        conditional=conditional,
        timing=_TIMING.get(name, Timing.CONSTANT),
    )


def _flags(name: str, parsed: tuple[Operand, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Flags that get a new value, and flags that may keep the old one."""
    base = name[:-1] if name in _WITH_FLAGS else name
    if name in _COMPARE or (name in _WITH_FLAGS and base in _ADDITIVE):
        return (NZ, CARRY, OVERFLOW), ()
    last = parsed[-1]
    if name in _WITH_FLAGS and base in _SHIFTS:
        by_constant = base != "rrx" and last.register is None and last.number
        return ((NZ, CARRY), ()) if by_constant else ((NZ,), (CARRY,))
    if name in _TEST or (name in _WITH_FLAGS and base in _LOGICAL):
        return (NZ,), (CARRY,) if last.shifted or last.register is None else ()
    if name == "muls":
        return (NZ,), (CARRY, OVERFLOW)
    if name in _LANES_OUT:
        return (LANES,), ()
    if name in _SATURATING:
        return (), (SATURATED,)
    return (), ()


def _formula(name: str, parsed: tuple[Operand, ...]) -> Formula | None:
    """How the result follows exactly from the operands, for the instructions that compute addresses and constants."""
    base = name[:-1] if name in _WITH_FLAGS else name
    first, last = parsed[0], parsed[-1]
    left = parsed[-2].register if len(parsed) > 1 else first.register
    if base in {"mov", "movw"} and len(parsed) == 2 and not last.shifted:
        return Formula(Fold.ADD, left=last.register, constant=last.number)
    if base == "mvn" and last.register is None:
        return Formula(Fold.ADD, constant=~last.number)
    if base == "movt":
        return Formula(Fold.TOP_HALF, left=first.register, constant=last.number)
    if base == "lsl" and last.register is None and not last.shifted:
        return Formula(Fold.SHIFT_LEFT, left=left, constant=last.number)
    if base == "rsb" and last.register is None and last.number == 0:
        return Formula(Fold.SUBTRACT, right=left)
    if base not in _FOLDS or (last.shifted and last.shift is None):
        return None
    return Formula(_FOLDS[base], left=left, right=last.register, constant=last.number, shift=last.shift or 0)


def _program_formula(name: str, parsed: tuple[Operand, ...], place: int) -> Formula | None:
    """Addresses next to the code: the program counter reads as the instruction's address + 4, rounded down for adr."""
    aligned = (place + 4) & ~3
    last = parsed[-1]
    if name == "adr" and last.register is None:
        return Formula(Fold.ADD, constant=aligned + last.number)
    if name in {"addw", "subw", "add", "sub"} and len(parsed) == 3 and last.register is None:
        return Formula(Fold.ADD, constant=aligned + (-last.number if name.startswith("sub") else last.number))
    if name == "mov" and last.register == PROGRAM and not last.shifted:
        return Formula(Fold.ADD, constant=place + 4)
    if name == "add" and len(parsed) == 2 and last.register == PROGRAM:
        return Formula(Fold.ADD, left=parsed[0].register, constant=place + 4)
    return None


def _special(name: str, parsed: tuple[Operand, ...], predicate: tuple[int, ...]) -> Effect:
    if name in {"trap", "udf"}:
        return Effect(flow=Flow.HALT, predicate=predicate, conditional=bool(predicate))
    status = {"apsr", "apsr_nzcvq", "apsr_nzcvqg", "apsr_g"}
    if name == "mrs" and parsed[1].text in status and parsed[0].register is not None:
        reads = (NZ, CARRY, OVERFLOW, SATURATED, LANES)
        return Effect(reads=reads, writes=(parsed[0].register,), predicate=predicate, conditional=bool(predicate))
    if name == "msr" and parsed[0].text in status and parsed[1].register is not None:
        loose = (NZ, CARRY, OVERFLOW, SATURATED, LANES)
        return Effect(reads=(parsed[1].register,), loose=loose, predicate=predicate, conditional=bool(predicate))
    return UNKNOWN


THUMB = Machine(
    registers=_COUNT,
    stack_pointer=REGISTERS["sp"],
    return_register=LINK,
    arguments=(0, 1, 2, 3),
    decode=decode,
    code_mask=0xFFFFFFFE,
)
