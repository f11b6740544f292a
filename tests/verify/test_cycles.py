"""The cycle model against the examples of Arm's manuals and against counts made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from byrote.verify.cycles import CycleEstimate, CycleModel, estimate_cycles
from byrote.verify.elf import load_elf
from byrote.verify.emulator import Machine
from byrote.verify.timing import Trust, load_timing, timing_names
from byrote.verify.toolchain import build_firmware
from tests.support.cores import TIMED

if TYPE_CHECKING:
    from tests.verify.conftest import Firmware

# Called with r0, r1 = addresses, r2 = 4, r3 = 8.  Cycles of the lines alone: core -> (low, high).
CASES: dict[str, tuple[str, dict[str, tuple[int, int]]]] = {
    "two_loads": ("ldr r2, [r0]\n ldr r3, [r1]", {"m4": (3, 3), "m3": (3, 3), "m0": (4, 4), "m33": (2, 2)}),
    "load_store": ("ldr r2, [r0, r3]\n str r2, [r1, #20]", {"m4": (3, 3), "m0": (4, 4)}),
    "load_store_offset": ("ldr r2, [r0, r3]\n str r2, [r1, r3]", {"m4": (3, 3), "m3": (3, 3), "m0": (4, 4)}),
    "three_loads": ("ldr r2, [r0, r3]\n ldr r2, [r1]\n ldr r2, [r1, #4]", {"m4": (4, 4), "m0": (6, 6)}),
    "dependent_load": ("str r0, [r1]\n ldr r2, [r1]\n ldr r2, [r2]", {"m4": (5, 5), "m0": (6, 6), "m33": (4, 4)}),
    "store_then_load": ("str r2, [r0]\n ldr r2, [r1]", {"m4": (3, 3), "m0": (4, 4)}),
    "store_offset_alone": ("nop\n str r2, [r0, r3]", {"m4": (3, 3), "m0": (3, 3)}),
    "load_multiple": ("ldm r0!, {r1, r2, r3}", {"m4": (4, 4), "m0": (4, 4), "m0plus": (4, 4), "m33": (3, 3)}),
    "push_pop": ("push {r0, r1}\n pop {r0, r1}", {"m4": (6, 6), "m0": (6, 6), "m33": (4, 4)}),
    "address_after_data": ("adds r0, #4\n ldr r2, [r0]", {"m4": (4, 4), "m3": (4, 4), "m0": (3, 3)}),
    "taken": ("b 1f\n nop\n1: nop", {"m4": (3, 5), "m0": (4, 4), "m0plus": (3, 3)}),
    "not_taken": ("cmp r0, r0\n bne 1f\n nop\n1: nop", {"m4": (4, 4), "m0": (4, 4), "m0plus": (4, 4)}),
    "divide": ("udiv r0, r0, r1", {"m4": (2, 12), "m3": (2, 12), "m33": (2, 12)}),
    "long_multiply": ("smull r0, r1, r2, r3", {"m4": (1, 1), "m3": (3, 5), "m33": (1, 2)}),
    "multiply_add": ("mla r0, r1, r2, r3", {"m4": (1, 1), "m3": (2, 2)}),
    "load_double": ("ldrd r2, r3, [r0]", {"m4": (3, 3), "m33": (2, 2)}),
    "indexed_chain": (".balign 4\n ldr r2, [r0], #4\n ldr r3, [r0], #4", {"m4": (3, 4), "m3": (3, 4)}),
    "multiply_use": ("smlabb r0, r1, r2, r3\n adds r0, #1", {"m4": (2, 2), "m33": (2, 3)}),
    "chained_macs": ("smlabb r0, r1, r2, r3\n smlabb r0, r1, r2, r0", {"m4": (2, 2), "m33": (2, 2)}),
    "if_then": ("cmp r0, r1\n it eq\n moveq r2, r3", {"m4": (2, 3)}),
    "load_use": ("ldr r2, [r0]\n adds r2, #1", {"m4": (3, 3), "m33": (3, 3)}),
}
CORES = {"m0": "cortex-m0", "m0plus": "cortex-m0plus", "m3": "cortex-m3", "m4": "cortex-m4", "m33": "cortex-m33"}


@pytest.fixture(scope="module", params=CORES)
def measured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, CycleEstimate]:
    """Estimates of every case of a core, and of the function that only returns."""
    core = str(request.param)
    target = load_target(CORES[core])
    compiler = find_compiler("zig", target)
    if compiler is None:
        pytest.skip("zig is not installed")
    bodies = {name: text for name, (text, expected) in CASES.items() if core in expected}
    bodies["nothing"] = ""
    functions = [
        f'__attribute__((naked, noinline)) void {name}(void) {{ __asm volatile(".syntax unified\\n'
        f' .balign 4\\n {text.replace(chr(10), chr(92) + "n")}\\n bx lr"); }}'
        for name, text in bodies.items()
    ]
    folder = tmp_path_factory.mktemp("cycles")
    source = folder / "cases.c"
    source.write_text("\n".join(functions) + "\n")
    elf = load_elf(build_firmware([source], target, folder, entry="nothing", keep=list(bodies), compiler=compiler).path)
    machine = Machine(elf, target)
    arena = machine.allocate(256)
    model = CycleModel(elf, CORES[core])
    found: dict[str, CycleEstimate] = {}
    for name in bodies:
        seen = machine.observe(name, arena, arena + 64, 4, 8)
        found[name] = model.estimate(seen.profile, seen.unaligned)
    found["core"] = model.estimate(machine.call("nothing").profile)
    return found


def test_cases(measured: dict[str, CycleEstimate], request: pytest.FixtureRequest) -> None:
    core = request.node.callspec.params["measured"]
    nothing = measured["nothing"]
    # The return costs one branch and its refill, which on the M33 may issue together with what precedes it.
    wrong: list[str] = []
    for name, (_, expected) in CASES.items():
        if core not in expected:
            continue
        low, high = measured[name].low - nothing.low, measured[name].high - nothing.high
        if (low, high) != expected[core]:
            wrong.append(f"{name}: {(low, high)} is not {expected[core]}")
    assert not wrong


def test_operand_dependent_instructions_are_listed(measured: dict[str, CycleEstimate]) -> None:
    assert measured["nothing"].operand_dependent == ()
    if "divide" in measured:
        (found,) = measured["divide"].operand_dependent
        assert (found.function, found.count, found.cycles) == ("divide", 1, (2, 12))
        assert found.text.startswith("udiv")


def test_functions_add_up_and_assumptions_are_said(measured: dict[str, CycleEstimate]) -> None:
    for estimate in measured.values():
        assert sum(low for _, low, _ in estimate.per_function) == estimate.low
        assert sum(high for _, _, high in estimate.per_function) == estimate.high
        assert "without wait states" in estimate.assumptions[0]
        assert estimate.source


@pytest.mark.parametrize(("offset", "penalty"), [(0, 0), (1, 2), (2, 1), (3, 2)])
def test_unaligned_words_cost_more(tmp_path: Path, offset: int, penalty: int) -> None:
    target = load_target("cortex-m4")
    compiler = find_compiler("zig", target)
    if compiler is None:
        pytest.skip("zig is not installed")
    source = tmp_path / "words.c"
    source.write_text(
        '__attribute__((naked)) unsigned load(const void *p) { __asm volatile("ldr r0, [r0]\\n bx lr"); }\n'
        '__attribute__((naked)) void store(void *p, unsigned v) { __asm volatile("str r1, [r0]\\n bx lr"); }\n'
    )
    elf = load_elf(build_firmware([source], target, tmp_path, entry="load", keep=["store"], compiler=compiler).path)
    machine, model = Machine(elf, target), CycleModel(elf, "cortex-m4")
    arena = machine.allocate(16)
    loaded = machine.observe("load", arena + offset)
    stored = machine.observe("store", arena + offset)
    load, store = (model.estimate(seen.profile, seen.unaligned) for seen in (loaded, stored))
    assert (load.low, load.high) == (2 + 2 + penalty, 2 + 4 + penalty)
    assert (store.low, store.high) == (1 + 2, 1 + 4 + penalty), "a store may hide its penalty"


def test_cores_without_timings_have_no_estimate(firmware: Firmware) -> None:
    for core in ("cortex-m7", "rv32imc", "cortex-m4"):
        target = load_target(core)
        seen = Machine(firmware(core, "zig"), target).observe("loop", 10)
        estimate = estimate_cycles(seen, target)
        assert (estimate is None) == (core != "cortex-m4")
        # movs, and ten rounds of nop, nop, subs, bne; nine refills, and the return.
        assert estimate is None or (estimate.low, estimate.high) == (1 + 40 + 9 + 2, 1 + 40 + 27 + 4)


def test_every_core_with_a_timing_has_a_file() -> None:
    assert set(timing_names()) == set(TIMED)
    for name in timing_names():
        timing = load_timing(name)
        emulator = load_target(name).emulator
        assert emulator is not None
        assert emulator.timing == name
        assert timing.source
        assert timing.trust_of("load") is (Trust.MEASURED if name == "cortex-m33" else Trust.PUBLISHED)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("data = [1, 1]", "", "unknown, missing or doubled: .*data"),
        ("data = [1, 1]", "data = [1, 1]\ncolour = [1, 1]", "colour"),
        ("data = [1, 1]", "data = [2, 1]", "data: 2 is more than 1"),
        ("load_to_use = [0, 0]", "load_to_use = [0, 0]\ndata = [1, 1]", "named twice"),
        ("data = [1, 1]", 'data = "one"', "Expected `array`"),
    ],
)
def test_a_wrong_timing_file_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (Path(load_timing.__code__.co_filename).parent / "cortex-m4.toml").read_text()
    assert old in text
    (tmp_path / "bad.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        load_timing("bad", tmp_path)
