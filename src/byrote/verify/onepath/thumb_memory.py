"""Thumb loads and stores as effects."""

from __future__ import annotations

from byrote.verify.onepath.effect import UNKNOWN, Access, Effect, Flow
from byrote.verify.onepath.thumb_text import PROGRAM, STACK, Operand

_SIZES = {"b": 1, "h": 2, "sb": 1, "sh": 2, "d": 4, "": 4}


def memory_effect(name: str, parsed: tuple[Operand, ...], place: int, predicate: tuple[int, ...]) -> Effect:
    """A load or store; a load of the program counter is a jump through what was loaded."""
    access = _several(name, parsed) if parsed[-1].is_list else _single(name, parsed, place)
    if access is None or PROGRAM in {access.base, access.index}:
        return UNKNOWN
    jumps = PROGRAM in access.registers
    if jumps and (not access.load or access.size != 4):
        return UNKNOWN
    return Effect(
        access=access,
        flow=Flow.JUMP if jumps else Flow.NEXT,
        through=PROGRAM if jumps else None,
        predicate=predicate,
        conditional=bool(predicate),
    )


def _several(name: str, parsed: tuple[Operand, ...]) -> Access | None:
    """push, pop, ldm, ldmdb, stm, stmdb: registers in ascending order from the lowest address up."""
    registers = tuple(sorted(parsed[-1].all_registers))
    stacked = name in {"push", "pop"}
    base = STACK if stacked else parsed[0].register
    if base is None or len(parsed) != (1 if stacked else 2) or not registers:
        return None
    size = 4 * len(registers)
    down = name in {"push", "ldmdb", "stmdb"}
    update = (-size if down else size) if stacked or parsed[0].update else None
    load = name[0] == "l" or name == "pop"
    if load and base in registers:
        update = None
    return Access(load, base, -size if down else 0, registers, update=update)


def _single(name: str, parsed: tuple[Operand, ...], place: int) -> Access | None:
    """One or two registers at [base, offset or index], perhaps with a change of the base before or after."""
    count = 2 if name.endswith("d") else 1
    registers = tuple(item.register for item in parsed[:count] if item.register is not None)
    if len(registers) != count or len(parsed) not in {count + 1, count + 2} or not parsed[count].is_memory:
        return None
    load = name.startswith("ld")
    size = _SIZES[name[3:]]
    signed = name[3:] in {"sb", "sh"}
    memory = parsed[count]
    base = memory.inside[0].register
    if base is None or memory.inside[0].shifted or len(memory.inside) > 2:
        return None
    last = memory.inside[1] if len(memory.inside) == 2 else Operand("#0")
    after = parsed[count + 1] if len(parsed) == count + 2 else None
    if after is not None and (after.register is not None or len(memory.inside) != 1):
        return None
    if last.shifted and (last.shift is None or last.extra is not None):
        return None
    if base == PROGRAM:
        if last.register is not None or memory.update or after:
            return None
        return Access(load, None, ((place + 4) & ~3) + last.number, registers, size, signed=signed)
    update = after.number if after else last.number if memory.update else None
    if update is not None and (last.register is not None or (load and base in registers)):
        return None
    return Access(load, base, last.number, registers, size, last.register, last.shift or 0, update, signed)
