from __future__ import annotations

import pytest

from byrote.verify.onepath.effect import Effect, Flow, Fold, Formula, Timing
from byrote.verify.onepath.riscv import RV32
from byrote.verify.onepath.thumb import CARRY, NZ, OVERFLOW, THUMB

PLACE = 0x1002


def thumb(code: str) -> tuple[Effect, ...]:
    return tuple(item.effect for item in THUMB.decode(bytes.fromhex(code), PLACE))


def riscv(code: str) -> Effect:
    (instruction,) = RV32.decode(bytes.fromhex(code), PLACE)
    return instruction.effect


def test_addresses_next_to_the_code() -> None:
    """The program counter reads as the address + 4; adr and literal loads round it down to a multiple of 4."""
    assert thumb("01a0")[0].formula == Formula(Fold.ADD, constant=0x1004 + 4)  # adr r0, #4
    assert thumb("0148")[0].access is not None
    access = thumb("0148")[0].access  # ldr r0, [pc, #4]
    assert access is not None
    assert (access.base, access.offset) == (None, 0x1004 + 4)
    assert thumb("7844")[0].formula == Formula(Fold.ADD, left=0, constant=0x1006)  # add r0, pc
    assert riscv("17550000").formula == Formula(Fold.ADD, constant=PLACE + 0x5000)  # auipc a0, 5


def test_predicated_instructions() -> None:
    it, taken, otherwise = thumb("0cbf0120 0220".replace(" ", ""))  # ite eq; moveq r0, #1; movne r0, #2
    assert it == Effect()
    assert taken.conditional
    assert otherwise.conditional
    assert taken.predicate == otherwise.predicate == (NZ,)
    assert taken.flags == ()
    assert taken.condition is not None
    assert otherwise.condition == taken.condition ^ 1
    (free,) = thumb("0120")  # movs r0, #1
    assert free.flags == (NZ,)


@pytest.mark.parametrize(
    ("code", "predicate"),
    [("00d0", (NZ,)), ("00d2", (CARRY,)), ("00d6", (OVERFLOW,)), ("00d8", (CARRY, NZ)), ("00da", (NZ, OVERFLOW))],
)
def test_conditions(code: str, predicate: tuple[int, ...]) -> None:
    (branch,) = thumb(code)
    assert (branch.flow, branch.conditional, branch.predicate) == (Flow.JUMP, True, predicate)
    assert branch.target == PLACE + 4


@pytest.mark.parametrize(
    "code",
    [
        "00ba00ff",  # no instruction
        "50e8000f",  # ldrex
        "72b6",  # cpsid i
        "00df",  # svc
        "30bf",  # wfi
        "30ee100a",  # a floating-point addition
    ],
)
def test_unknown_instructions(code: str) -> None:
    assert any(effect.flow is Flow.UNKNOWN for effect in thumb(code))


def test_traps_end_the_path() -> None:
    assert thumb("fede")[0].flow is Flow.HALT
    assert riscv("0290").flow is Flow.HALT


def test_jumps_of_riscv() -> None:
    call = riscv("ef004000")  # jal ra, 4
    assert (call.flow, call.link, call.target) == (Flow.CALL, 1, PLACE + 4)
    back = riscv("8280")  # ret
    assert (back.flow, back.through, back.link) == (Flow.JUMP, 1, None)
    through = riscv("e7804700")  # jalr ra, a5, 4 is a call through a5
    assert (through.flow, through.through, through.offset, through.link) == (Flow.CALL, 15, 4, 1)
    assert riscv("73001000").flow is Flow.HALT  # ebreak
    assert riscv("f32500c0").flow is Flow.UNKNOWN  # csrr a1, cycle


def test_operand_dependent_times() -> None:
    assert thumb("b0fbf2f0")[0].timing is Timing.DIVIDE  # udiv
    assert thumb("81fb0230")[0].timing is Timing.LONG_MULTIPLY  # smull
    assert thumb("01fb02f0")[0].timing is Timing.CONSTANT  # mul
    assert riscv("33d5c502").timing is Timing.DIVIDE  # divu


def test_register_zero_is_never_written() -> None:
    assert riscv("13000500").writes == ()  # addi zero, a0, 0
