"""Every kind of fault, planted into the generated program, is found by the check that was made for it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from byrote.plan import Memory
from byrote.verify.again import NAME as AGAIN
from byrote.verify.again import SecondCompilation
from byrote.verify.exactness import check_exactness
from byrote.verify.image import CONSTANTS, CONTENT, FITS
from byrote.verify.memory import PLAN, REPLAY, plan_check, replay_check
from byrote.verify.proofs import ONE_PATH, STACK
from tests.verify.planting import DIGITS, cases, digits, edited, failed, in_layer, in_run, in_weights, on_target

STORES = "stores only in arena and stack"
LOADS = "loads only of arena, stack and constants"
COUNT = "same count of instructions for every input"
NOP = '__asm__ volatile("nop");'
PIXEL = "((volatile int8_t *)arena)[DIGITS_INPUT_0_OFFSET + 9]"


def test_nothing_fails_where_nothing_is_planted(tmp_path: Path) -> None:
    found = on_target(digits(), tmp_path)
    assert failed(found.checks) == {}
    assert found.equal
    assert found.exact


def test_a_store_beside_the_arena(tmp_path: Path) -> None:
    stray = in_run("((volatile uint8_t *)arena)[DIGITS_ARENA_SIZE + 3] = 1;")
    broken = edited(digits(), "digits.c", stray)
    found = failed(on_target(broken, tmp_path).checks)
    assert set(found) == {STORES}
    assert "by digits_run" in found[STORES]


def test_a_store_beside_the_arena_on_this_computer(tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    broken = edited(digits(), "digits.c", in_run("((volatile uint8_t *)arena)[-2] = 1;"))
    found = check_exactness(broken, DIGITS.read_bytes(), cases(1)[0], tmp_path, lambda _: None)
    assert set(failed(found.checks)) == {"nothing written beside the arena"}


def test_a_load_beside_the_arena(tmp_path: Path) -> None:
    broken = edited(digits(), "digits.c", in_run("(void)((volatile uint8_t *)arena)[DIGITS_ARENA_SIZE];"))
    assert set(failed(on_target(broken, tmp_path).checks)) == {LOADS}


@pytest.mark.parametrize(
    ("target", "access", "forbidden"),
    [
        ("cortex-m0", "(void)*(volatile uint16_t *)(void *)(arena + 1);", True),
        ("cortex-m4", "(void)*(volatile uint16_t *)(void *)(arena + 1);", False),
        ("cortex-m4", '__asm__ volatile("ldrd r2, r3, [%0]" : : "r"(arena + 2) : "r2", "r3");', True),
    ],
    ids=["half on M0", "half on M4", "double on M4"],
)
def test_an_unaligned_access(target: str, access: str, forbidden: bool, tmp_path: Path) -> None:
    found = on_target(edited(digits(target), "digits.c", in_run(access)), tmp_path)
    name = f"no unaligned access that {target} forbids"
    assert set(failed(found.checks)) == ({name} if forbidden else set())
    assert found.observation is not None
    assert sum(access.count for access in found.observation.unaligned) > 0


@pytest.mark.parametrize(
    ("target", "statement", "fault", "counted"),
    [
        ("cortex-m4", f"if ({PIXEL} > 3) {{ {NOP} }}", "branch depends on data", True),
        ("rv32imc", f"if ({PIXEL} > 3) {{ {NOP} }}", "branch depends on data", True),
        ("cortex-m4", f"for (int32_t i = -128; i < {PIXEL}; i++) {{ {NOP} }}", "branch depends on data", True),
        (
            "cortex-m4",
            f'int32_t v = {PIXEL}; __asm__ volatile("cmp %0, #3\\n it gt\\n movgt %0, #1" : "+r"(v) : : "cc");',
            "conditional instruction depends on data",
            False,
        ),
        ("cortex-m4", f"planted[{PIXEL} & 1]();", "jump target", True),
        ("cortex-m0", f"volatile int32_t v = 100; v /= {PIXEL} | 1;", "branch depends on data", True),
    ],
    ids=["branch", "branch on RV32", "loop", "predicated", "jump", "library division on M0"],
)
def test_a_dependence_on_data(target: str, statement: str, fault: str, counted: bool, tmp_path: Path) -> None:
    """Found by the proof, and where the paths differ in length by the counts, too."""
    outside = (
        f"static __attribute__((noinline)) void one(void) {{ {NOP} }}\n"
        f"static __attribute__((noinline)) void two(void) {{ {NOP} {NOP} {NOP} }}\n"
        "static void (*const planted[2])(void) = {one, two};\n"
        if "planted" in statement
        else ""
    )
    found = on_target(edited(digits(target), "digits.c", in_run(statement, outside)), tmp_path)
    details = failed(found.checks)
    assert fault in details[ONE_PATH]
    assert (COUNT in details) == counted
    assert found.analysis is not None
    assert not found.analysis.path.proven


def test_a_dependence_on_data_is_told_with_its_layer(tmp_path: Path) -> None:
    statement = f"if (*(volatile const int8_t *)in0 > 3) {{ {NOP} }}"
    broken = edited(digits("cortex-m0"), "digits.c", in_layer(2, statement))
    found = failed(on_target(broken, tmp_path).checks)[ONE_PATH]
    assert "2 CONV_2D stem_pointwise (kernel conv2d_s8)" in found
    assert "a branch depends on data" in found


def test_more_stack_than_the_bound(tmp_path: Path) -> None:
    """A store 700 bytes below the top of the M4's RAM, where the stack begins."""
    below = in_run("*(volatile uint8_t *)(0x20040000u - 700u) = 1;")
    found = failed(on_target(edited(digits(), "digits.c", below), tmp_path).checks)
    assert "bytes more than the bound" in found[STACK]


def test_a_static_variable(tmp_path: Path) -> None:
    variable = in_run("planted_counter++;", "static volatile int32_t planted_counter;")
    found = failed(on_target(edited(digits(), "digits.c", variable), tmp_path).checks)
    assert "bytes of variables: planted_counter" in found[CONTENT]


@pytest.mark.parametrize("defined", [False, True])
def test_the_heap(defined: bool, tmp_path: Path) -> None:
    body = " { return (void *)size; }" if defined else ";"
    declaration = f"void *malloc(__SIZE_TYPE__ size);\n__attribute__((noinline)) void *malloc(__SIZE_TYPE__ size){body}"
    heap = in_run("{ void *volatile p = malloc(4); (void)p; }", declaration)
    found = failed(on_target(edited(digits(), "digits.c", heap), tmp_path).checks)
    assert "malloc" in found[CONTENT]


def test_a_changed_weight_byte(tmp_path: Path) -> None:
    found = on_target(edited(digits("cortex-m0"), "digits_weights.c", in_weights(2)), tmp_path)
    assert re.search(r"byte 0 of digits_\w+_2 \(node 2\) is \d+, not \d+", failed(found.checks)[CONSTANTS])


def test_a_wrong_value_names_the_first_tensor(tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    broken = edited(digits("cortex-m0"), "digits_weights.c", in_weights(2))
    found = check_exactness(broken, DIGITS.read_bytes(), cases()[0], tmp_path, lambda _: None)
    assert "C on this computer" in failed(found.checks)
    assert found.difference is not None
    assert found.difference.node == "CONV_2D stem_pointwise"
    assert found.difference.where == "C on this computer"


def test_a_value_wrong_only_on_the_target_names_the_first_tensor(tmp_path: Path) -> None:
    broken = edited(digits("cortex-m0"), "digits_weights.c", in_weights(2, "defined(__thumb__)"))
    found = on_target(broken, tmp_path)
    assert "C on the emulated cortex-m0" in failed(found.checks)
    assert found.difference is not None
    assert found.difference.node == "CONV_2D stem_pointwise"
    assert found.difference.where == "C on the emulated cortex-m0"


def test_buffers_that_overlap() -> None:
    result = digits()
    sizes = [buffer.size for buffer in result.problem.buffers]
    moved = tuple(0 if size == max(sizes) else offset for offset, size in zip(result.plan.offsets, sizes, strict=True))
    moved = moved if moved != result.plan.offsets else (0,) * len(sizes)
    broken = replace(result, plan=replace(result.plan, offsets=moved))
    assert plan_check(result).passed
    assert replay_check(result).passed
    plan, replayed = plan_check(broken), replay_check(broken)
    assert (plan.name, plan.passed) == (PLAN, False)
    assert "alive together" in plan.detail
    assert (replayed.name, replayed.passed) == (REPLAY, False)


def test_a_program_that_is_not_reproducible() -> None:
    result = digits()
    broken = edited(result, "digits.h", lambda text: f"{text}/* made at 12:00 */\n")
    with SecondCompilation(DIGITS, result.options) as again:
        found = again.check(broken.program)
    assert (found.name, found.passed) == (AGAIN, False)
    assert "digits.h" in found.detail


@pytest.mark.parametrize(("ram", "flash"), [(560, None), (None, 4096)])
def test_memories_that_are_too_small(ram: int | None, flash: int | None, tmp_path: Path) -> None:
    result = digits()
    memories = result.memories if ram is None else (Memory("ram", ram),)
    small = replace(result, memories=memories, options=replace(result.options, flash=flash))
    found = on_target(small, tmp_path)
    assert set(failed(found.checks)) == {FITS}
    assert found.exact
