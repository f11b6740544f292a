"""All checks of a compiled model, in order, with progress."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from byrote.result import Result
from byrote.targets import Architecture
from byrote.verify.again import SecondCompilation
from byrote.verify.emulated import Emulated, emulate
from byrote.verify.exactness import Exactness, check_exactness
from byrote.verify.inputs import Inputs
from byrote.verify.memory import plan_check, replay_check
from byrote.verify.onepath import ASSUMPTIONS
from byrote.verify.outcome import Build, Check, Outcome, Stack

SCHEMA_VERSION = 1

Say = Callable[[str], None]


@dataclass(frozen=True)
class Verification:
    """The outcome and what it rests on.  `firmware`: the bytes of the linked program, if there is one."""

    result: Result
    outcome: Outcome
    emulated: Emulated | None
    firmware: bytes | None = field(repr=False)


def verify_result(
    result: Result,
    model: Path,
    inputs: Sequence[Inputs],
    *,
    emulated_inputs: int | None = None,
    compiler: str | None = None,
    say: Say = lambda _: None,
) -> Verification:
    """Check a compiled model with the given inputs; the emulated core gets all, or the first `emulated_inputs`."""
    data = model.read_bytes()
    with tempfile.TemporaryDirectory(prefix="byrote-") as temporary, SecondCompilation(model, result.options) as again:
        folder = Path(temporary)
        exactness = check_exactness(result, data, inputs, _made(folder / "host"), say)
        say("replaying the memory plan")
        checks = [*exactness.checks, plan_check(result), replay_check(result)]
        emulated: Emulated | None = None
        firmware: bytes | None = None
        if result.target.architecture is not Architecture.HOST:
            few = inputs[:emulated_inputs]
            emulated = emulate(result, few, exactness.expected, _made(folder / "target"), say, compiler)
            firmware = emulated.build.path.read_bytes() if emulated.build else None
            checks += emulated.checks
        say("compiling again")
        checks.append(again.check(result.program))
    outcome = _outcome(result, exactness, emulated, tuple(checks), len(inputs))
    return Verification(result, outcome, emulated, firmware)


def _outcome(
    result: Result, exactness: Exactness, emulated: Emulated | None, checks: tuple[Check, ...], inputs: int
) -> Outcome:
    target = emulated or Emulated((), exact=True)
    seen, cycles, stack = target.observation, target.cycles, target.stack
    build = target.build
    flags = build.compiler.flags(result.target) if build else None
    return Outcome(
        schema_version=SCHEMA_VERSION,
        model=result.source.name,
        target=result.target.name,
        profile=result.options.profile.value,
        exact=all(check.passed is not False for check in exactness.checks) and target.exact,
        inputs=inputs,
        first_difference=exactness.difference or target.difference,
        instructions=max(target.counts, default=None),
        instructions_equal=target.equal,
        one_path=target.analysis.path.proven if target.analysis else None,
        cycles_low=cycles.low if cycles else None,
        cycles_high=cycles.high if cycles else None,
        stack=Stack(stack.bound if stack else None, seen.stack if seen else None),
        stray_stores=seen.stray_stores if seen else None,
        unaligned=sum(access.count for access in seen.unaligned) if seen else None,
        failures=tuple(f"{check.name}: {check.detail}" for check in checks if check.passed is False),
        checks=checks,
        name=result.name,
        emulated_inputs=max(len(target.counts) - 1, 0),
        fits=target.sizes.fits if target.sizes else None,
        sizes=target.sizes,
        build=Build(build.compiler.name, build.compiler.version, flags.flags, flags.optimise)
        if build and flags
        else None,
        layers=target.layers,
        assumptions=(*(ASSUMPTIONS if target.analysis else ()), *(cycles.assumptions if cycles else ())),
    )


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
