"""Same bytes: the profile's interpreter, the operators' definitions, the generated C on this computer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from byrote.ir.interpret import interpret, outputs_of
from byrote.ops import Profile
from byrote.result import Result
from byrote.verify.differences import differences, first_on_host
from byrote.verify.host import HostModel
from byrote.verify.inputs import Inputs
from byrote.verify.oracle import litert_calls, litert_missing, tflm_calls, tflm_missing
from byrote.verify.outcome import Check, Difference

SHIFTS = (0, 4, 8, 12, 20, 60)
"""Bytes by which the arena's base is moved from a multiple of 64."""


@dataclass(frozen=True)
class Exactness:
    """Checks made, the expected outputs per input set, and the first wrong tensor."""

    checks: tuple[Check, ...]
    expected: tuple[Inputs, ...]
    difference: Difference | None


def check_exactness(
    result: Result, model: bytes, inputs: Sequence[Inputs], folder: Path, say: Callable[[str], None]
) -> Exactness:
    """Compare definitions with the interpreter, and everything else with definitions, for every set of inputs."""
    say("reference")
    defined = tuple(outputs_of(result.source, interpret(result.source, given)) for given in inputs)
    say("interpreter of the profile")
    oracle_check = _oracle(result, model, inputs, defined)
    say("passes")
    passes = tuple(outputs_of(result.graph, interpret(result.graph, given)) for given in inputs)
    checks = [oracle_check, _compared("passes keep every output", defined, passes)]
    say("generated C on this computer")
    host = HostModel(result, folder)
    checks += _host_checks(host, inputs, defined)
    difference = None
    if not all(check.passed is not False for check in checks):
        say("looking for the first difference")
        difference = first_on_host(result, inputs[_first_bad(host, inputs, defined)], folder)
    return Exactness(tuple(checks), defined, difference)


def _oracle(result: Result, model: bytes, inputs: Sequence[Inputs], defined: tuple[Inputs, ...]) -> Check:
    profile = result.options.profile
    name = f"operators' definitions equal {'TFLM' if profile is Profile.TFLM else 'LiteRT reference'}"
    missing = tflm_missing() if profile is Profile.TFLM else litert_missing()
    if missing:
        return Check(name, None, missing)
    given = [result.edges.outer_inputs(values) for values in inputs]
    calls = tflm_calls(model, given) if profile is Profile.TFLM else litert_calls(model, given)
    mine = [result.edges.outer_outputs(values) for values in defined]
    theirs = [
        tuple(out.reshape(own.shape) for out, own in zip(call.outputs, ours, strict=True))
        for call, ours in zip(calls, mine, strict=True)
    ]
    return _compared(name, theirs, mine)


def _compared(name: str, expected: Sequence[Inputs], found: Sequence[Inputs]) -> Check:
    wrong = sum(differences(a, b) for a, b in zip(expected, found, strict=True))
    values = sum(array.size for outputs in expected for array in outputs)
    detail = f"{values:,} output values for {len(expected)} inputs" + (f", {wrong} differ" if wrong else "")
    return Check(name, not wrong, detail)


def _host_checks(host: HostModel, inputs: Sequence[Inputs], expected: Sequence[Inputs]) -> list[Check]:
    arena = host.arena()
    found = [host.run(arena, given) for given in inputs]
    checks = [_compared("C on this computer", expected, found)]
    again = host.arena(poison=0x5A)
    repeated = [host.run(again, inputs[0]) for _ in range(3)]
    checks.append(_compared("three calls on a poisoned arena", [expected[0]] * 3, repeated))
    arenas = [host.arena(shift, poison=0xFF) for shift in SHIFTS]
    moved = [host.run(moved, inputs[-1]) for moved in arenas]
    checks.append(_compared("every alignment of the arena", [expected[-1]] * len(SHIFTS), moved))
    intact = all(one.intact for one in (arena, again, *arenas))
    checks.append(Check("nothing written beside the arena", intact, "64 bytes on both sides"))
    return checks


def _first_bad(host: HostModel, inputs: Sequence[Inputs], expected: Sequence[Inputs]) -> int:
    for index, (given, outputs) in enumerate(zip(inputs, expected, strict=True)):
        if differences(outputs, host.run(host.arena(), given)):
            return index
    return 0
