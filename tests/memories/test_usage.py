"""How memories are stated, and what is wrong with a statement."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from byrote.cli.arguments import ram
from byrote.cli.main import main
from byrote.targets import load_target

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits_int8.tflite"


def test_one_size_or_names() -> None:
    assert ram("64K") == 65536
    assert ram("dtcm=64K,sram=256K") == (("dtcm", 65536), ("sram", 262144))
    assert ram("sram=1M") == (("sram", 1 << 20),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dtcm=64K,32K", "'32K' is not NAME=SIZE: write dtcm=64K,sram=256K"),
        ("DTCM=64K,a=1", "'DTCM=64K' is not NAME=SIZE"),
        ("a=1,a=2", "a is there twice"),
        ("a=1,b=", "'' is not a size"),
        ("a=1,b=big", "'big' is not a size"),
    ],
)
def test_wrong_statements(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["check", str(DIGITS), "--ram", text])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=1,b=1,c=1,d=1", "byrote: --ram: 4 memories (at most 3 can be used)\n"),
        ("flash=1,b=1", "byrote: --ram: 'flash' is not RAM on cortex-m4 (give it another name)\n"),
    ],
)
def test_impossible_memories(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(DIGITS), "--ram", text]) == 2
    assert capsys.readouterr().err == message


def test_memories_of_a_target() -> None:
    target = load_target("cortex-m7").with_ram([("dtcm", 1000), ("psram", 1 << 20), ("sram", 4096)])
    origins = {memory.name: memory.origin for memory in target.ram_memories}
    assert origins["dtcm"] == 0x20000000
    assert origins["sram"] == 0x24000000
    assert origins["psram"] >= 0x24000000 + 4096
    assert target.ram == 1000 + (1 << 20) + 4096
    assert target.flash == load_target("cortex-m7").flash
    ranges = sorted((memory.origin, memory.end) for memory in target.memories)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(ranges))
    grown = load_target("cortex-m7").with_ram([("dtcm", 1 << 27), ("sram", 4096)])
    assert grown.ram_memories[1].origin >= grown.ram_memories[0].end
    assert load_target("host").with_ram([("a", 1)]) == load_target("host")
