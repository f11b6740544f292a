"""Each primitive of dsp.h: the assembler body on the emulated Cortex-M4 equals the portable body on the host."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.support import cortex_m4

EDGES = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7F80FF01, 0x7FFFFFFF, 0x80000000, 0x80008000, 0xFFFFFFFF)
ONE = ("uxtb16", "uxtb16_ror8", "sxtb16", "sxtb16_ror8")
TWO = ("pkhbt", "pkhtb", "smmul", "smmulr", "sadd16", "ssub16", "smuad", "max_u8", "min_u8")
THREE = ("smlad", "smlabb", "smlabt", "smlatb", "smlatt", "smmla", "usada8")
SHIFTS = (0, 1, 7, 16, 31)


def source() -> str:
    """One exported function of three words per primitive."""

    def function(name: str, call: str) -> str:
        return f"uint32_t f_{name}(uint32_t a, uint32_t b, uint32_t c) {{ (void)b; (void)c; return (uint32_t){call}; }}"

    def arguments(name: str, count: int) -> str:
        kinds = {"smm": "(int32_t)a, (int32_t)b, (int32_t)c", "sml": "a, b, (int32_t)c"}
        return ", ".join(kinds.get(name[:3], "a, b, c").split(", ")[:count])

    lines = [
        function(n, f"dsp_{n}({arguments(n, count)})")
        for count, names in ((1, ONE), (2, TWO), (3, THREE))
        for n in names
    ]
    lines += [function(f"{n}{s}", f"dsp_{n}((int32_t)a, {s})") for n in ("usat8", "ssat8") for s in SHIFTS]
    memory = (
        "uint32_t f_memory(uint32_t a, uint32_t b, uint32_t c) { uint8_t m[12]; uint8_t *p = m + (c & 3u);"
        " dsp_store32(p, a); dsp_store16(p + 5, b); return dsp_load32(p) ^ dsp_load16(p + 5) * 3u ^ p[1]; }"
    )
    return "\n".join(['#include "dsp.h"', *_prototypes(lines), memory.split("{")[0] + ";", *lines, memory, ""])


def _prototypes(lines: list[str]) -> list[str]:
    return [line.split(" {")[0] + ";" for line in lines]


def names() -> list[str]:
    return [*ONE, *TWO, *THREE, *(f"{n}{s}" for n in ("usat8", "ssat8") for s in SHIFTS), "memory"]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("host")
    (folder / "k.c").write_text(source())
    flags = ["-shared", "-fPIC", "-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all", *cortex_m4.WARNINGS]
    include = [f"-I{path}" for path in cortex_m4.INCLUDES]
    command = ["cc", "-std=c99", *flags, *include, str(folder / "k.c"), "-o", str(folder / "k.so")]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(folder / "k.so"))


def _meaning(name: str, a: int, b: int, c: int) -> int | None:
    """What the Arm architecture says, for a few that are easily said."""
    signed = [v - 2**32 if v >= 2**31 else v for v in (a, b, c)]
    if name == "smmla":
        return ((signed[0] * signed[1] >> 32) + signed[2]) & 0xFFFFFFFF
    if name == "smmulr":
        return (signed[0] * signed[1] + 2**31 >> 32) & 0xFFFFFFFF
    if name.startswith("usat8"):
        return min(max(signed[0] >> int(name[5:]), 0), 255)
    if name.startswith("ssat8"):
        return min(max(signed[0] >> int(name[5:]), -128), 127) & 0xFFFFFFFF
    return None


def _words() -> list[tuple[int, int, int]]:
    rng = np.random.default_rng(1)
    edges = [(a, b, 0x80000001) for a in EDGES for b in EDGES]
    return edges + [(int(a), int(b), int(c)) for a, b, c in rng.integers(0, 2**32, (40, 3))]


@pytest.mark.parametrize("compiler", ["gcc", "clang", "zig"])
def test_both_bodies_agree(host: ctypes.CDLL, tmp_path: Path, compiler: str) -> None:
    if not cortex_m4.available(compiler):
        pytest.skip(f"{compiler} is not installed")
    machine = cortex_m4.build(source(), tmp_path, compiler)
    for name in names():
        function = getattr(host, f"f_{name}")
        function.restype = ctypes.c_uint32
        for a, b, c in _words():
            portable = int(function(ctypes.c_uint32(a), ctypes.c_uint32(b), ctypes.c_uint32(c)))
            assert machine.call(f"f_{name}", a, b, c).result == portable, (name, hex(a), hex(b), hex(c))
            assert _meaning(name, a, b, c) in (None, portable), (name, hex(a), hex(b), hex(c))


def test_saturation_is_one_instruction(tmp_path: Path) -> None:
    if not cortex_m4.available("gcc"):
        pytest.skip("arm-none-eabi-gcc is not installed")
    machine = cortex_m4.build(source(), tmp_path)
    for name in ("usat87", "ssat87", "smmla", "uxtb16_ror8", "pkhtb"):
        assert machine.call(f"f_{name}", 1, 2, 3).instructions == 2, name  # and the return
