"""Thumb instructions as the cycle model sees them: what kind, which registers, which addressing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, cast

import capstone
from capstone import arm


class Kind(Enum):
    """Classes of instructions that a core times alike; the names are those of the timing files."""

    DATA = "data"
    MULTIPLY = "multiply"
    MULTIPLY_ADD = "multiply_add"
    LONG_MULTIPLY = "long_multiply"
    LONG_MULTIPLY_ADD = "long_multiply_add"
    DSP_MULTIPLY = "dsp_multiply"
    DIVIDE = "divide"
    LOAD = "load"
    STORE = "store"
    LOAD_MULTIPLE = "load_multiple"
    STORE_MULTIPLE = "store_multiple"
    BRANCH = "branch"
    CALL = "call"
    TABLE_BRANCH = "table_branch"
    IF_THEN = "if_then"
    HINT = "hint"
    SPECIAL = "special"
    BARRIER = "barrier"


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    `reads` are registers it certainly reads, `uses` all that it names but as a plain result: a superset.
    `address`-registers form a memory address; `loaded` are written from memory; `count` are the registers of a multiple
    transfer.  `accumulator`: the register a multiply-accumulate adds to.  `to_pc`: it may continue elsewhere.
    """

    address: int
    size: int
    text: str
    kind: Kind
    reads: frozenset[str]
    uses: frozenset[str]
    writes: frozenset[str]
    address_registers: frozenset[str] = frozenset()
    loaded: frozenset[str] = frozenset()
    count: int = 0
    writeback: bool = False
    register_offset: bool = False
    literal: bool = False
    shifted: bool = False
    accumulator: str | None = None
    conditional: bool = False


class _Memory(Protocol):
    base: int
    index: int


class _Shift(Protocol):
    type: int


class _Operand(Protocol):
    type: int
    reg: int
    mem: _Memory
    shift: _Shift


class _Raw(Protocol):
    """What is used of capstone's instruction."""

    address: int
    size: int
    mnemonic: str
    op_str: str
    cc: int
    writeback: bool
    operands: Sequence[_Operand]

    def insn_name(self) -> str: ...
    def reg_name(self, reg_id: int) -> str: ...
    def regs_access(self) -> tuple[Sequence[int], Sequence[int]]: ...


_LOADS = frozenset({"ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "ldrt", "ldrbt", "ldrht", "ldrsbt", "ldrsht"})
_STORES = frozenset({"str", "strb", "strh", "strt", "strbt", "strht"})
_EXCLUSIVE_LOADS = frozenset({"ldrex", "ldrexb", "ldrexh", "lda", "ldab", "ldah"})
_EXCLUSIVE_STORES = frozenset({"strex", "strexb", "strexh", "stl", "stlb", "stlh"})
_LOAD_MULTIPLES = frozenset({"ldm", "ldmdb", "pop", "ldrd"})
_STORE_MULTIPLES = frozenset({"stm", "stmdb", "push", "strd"})
_DSP_PREFIXES = ("smul", "smla", "smls", "smm", "smua", "smus", "umaal", "usad")
_NAMED = {
    "mul": Kind.MULTIPLY,
    "mla": Kind.MULTIPLY_ADD,
    "mls": Kind.MULTIPLY_ADD,
    "smull": Kind.LONG_MULTIPLY,
    "umull": Kind.LONG_MULTIPLY,
    "smlal": Kind.LONG_MULTIPLY_ADD,
    "umlal": Kind.LONG_MULTIPLY_ADD,
    "sdiv": Kind.DIVIDE,
    "udiv": Kind.DIVIDE,
    "b": Kind.BRANCH,
    "bx": Kind.BRANCH,
    "cbz": Kind.BRANCH,
    "cbnz": Kind.BRANCH,
    "bl": Kind.CALL,
    "blx": Kind.CALL,
    "tbb": Kind.TABLE_BRANCH,
    "tbh": Kind.TABLE_BRANCH,
    "it": Kind.IF_THEN,
    "hint": Kind.HINT,
    "nop": Kind.HINT,
    "mrs": Kind.SPECIAL,
    "msr": Kind.SPECIAL,
    "cps": Kind.SPECIAL,
    "dmb": Kind.BARRIER,
    "dsb": Kind.BARRIER,
    "isb": Kind.BARRIER,
}


class UndecodableError(ValueError):
    """Bytes that are executed but are no instruction the disassembler knows."""


class Disassembler:
    """Decodes Thumb code of any Cortex-M."""

    def __init__(self) -> None:
        mode = capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS | capstone.CS_MODE_V8
        self._engine = capstone.Cs(capstone.CS_ARCH_ARM, mode)
        self._engine.detail = True

    def decode(self, code: bytes, address: int) -> Instruction:
        """The instruction at the start of `code`.  Raises UndecodableError."""
        found = cast("Iterator[_Raw]", self._engine.disasm(code, address, 1))
        raw = next(found, None)
        if raw is None:
            raise UndecodableError(f"no instruction at {address:#010x}: {code[:4].hex()}")
        return _instruction(raw)


def _kind(name: str) -> Kind:
    """The class of an instruction by its name without condition and width; those not listed are plain data."""
    if name in _NAMED:
        return _NAMED[name]
    if name in _LOADS or name in _EXCLUSIVE_LOADS:
        return Kind.LOAD
    if name in _STORES or name in _EXCLUSIVE_STORES:
        return Kind.STORE
    if name in _LOAD_MULTIPLES:
        return Kind.LOAD_MULTIPLE
    if name in _STORE_MULTIPLES:
        return Kind.STORE_MULTIPLE
    if name.startswith(_DSP_PREFIXES):
        return Kind.DSP_MULTIPLY
    return Kind.DATA


def _instruction(raw: _Raw) -> Instruction:
    name = raw.insn_name()
    kind = _kind(name)
    if name.startswith("v"):
        raise UndecodableError(f"floating point is not timed: {raw.mnemonic} {raw.op_str} at {raw.address:#010x}")
    read, written = raw.regs_access()
    reads = frozenset(raw.reg_name(register) for register in read)
    writes = frozenset(raw.reg_name(register) for register in written)
    named = [raw.reg_name(item.reg) for item in raw.operands if item.type == arm.ARM_OP_REG]
    memory = [item.mem for item in raw.operands if item.type == arm.ARM_OP_MEM]
    parts = [register for item in memory for register in (item.base, item.index) if register]
    addresses = frozenset(raw.reg_name(register) for register in parts)
    multiple = kind in (Kind.LOAD_MULTIPLE, Kind.STORE_MULTIPLE)
    if multiple and not memory:
        addresses = frozenset({"sp"} if name in ("push", "pop") else {named[0]})
    moved = named[1:] if multiple and not memory and name not in ("push", "pop") else named
    loads = kind in (Kind.LOAD, Kind.LOAD_MULTIPLE)
    accumulates = kind in (Kind.MULTIPLY_ADD, Kind.DSP_MULTIPLY) and len(named) == 4
    return Instruction(
        address=raw.address,
        size=raw.size,
        text=f"{raw.mnemonic} {raw.op_str}".strip(),
        kind=kind,
        reads=reads,
        uses=reads | frozenset(named[1:]) | addresses,
        writes=writes,
        address_registers=addresses,
        loaded=frozenset(moved) & writes if loads else frozenset(),
        count=len(moved) if multiple else 0,
        writeback=raw.writeback,
        register_offset=any(item.index for item in memory),
        literal="pc" in addresses and kind is Kind.LOAD,
        shifted=any(item.shift.type for item in raw.operands if item.type == arm.ARM_OP_REG),
        accumulator=named[3] if accumulates else None,
        conditional=raw.cc not in (arm.ARM_CC_INVALID, arm.ARM_CC_AL, 15),
    )
