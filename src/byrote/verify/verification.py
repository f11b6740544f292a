"""All checks of a compiled model, in order, with progress."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from byrote.result import Result
from byrote.targets import Architecture
from byrote.verify.emulated import Emulated, emulate
from byrote.verify.exactness import check_exactness
from byrote.verify.inputs import Inputs
from byrote.verify.outcome import Check, Outcome, Stack
from byrote.verify.replay import Replay

SCHEMA_VERSION = 1


def verify_result(
    result: Result,
    model: bytes,
    inputs: Sequence[Inputs],
    *,
    emulated_inputs: int = 4,
    compiler: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Check a compiled model with the given inputs; the emulated core gets the first `emulated_inputs` of them."""
    with tempfile.TemporaryDirectory(prefix="byrote-") as temporary:
        folder = Path(temporary)
        exactness = check_exactness(result, model, inputs, _made(folder / "host"), say)
        say("replaying the memory plan")
        checks = [*exactness.checks, _replay(result)]
        emulated: Emulated | None = None
        if result.target.architecture is not Architecture.HOST:
            few = inputs[:emulated_inputs]
            emulated = emulate(result, few, exactness.expected, _made(folder / "target"), say, compiler)
            checks += emulated.checks
    failures = tuple(f"{check.name}: {check.detail}" for check in checks if check.passed is False)
    seen = emulated.observation if emulated is not None else None
    return Outcome(
        schema_version=SCHEMA_VERSION,
        model=result.source.name,
        target=result.target.name,
        profile=result.options.profile.value,
        exact=all(check.passed is not False for check in exactness.checks) and (emulated is None or emulated.exact),
        inputs=len(inputs),
        first_difference=exactness.difference,
        instructions=emulated.instructions if emulated else None,
        instructions_equal=emulated.equal if emulated else None,
        one_path=None,
        cycles_low=None,
        cycles_high=None,
        stack=Stack(None, seen.stack if seen else None),
        stray_stores=seen.stray_stores if seen else None,
        unaligned=sum(access.count for access in seen.unaligned) if seen else None,
        failures=failures,
        checks=tuple(checks),
    )


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _replay(result: Result) -> Check:
    name = "every read sees the bytes its producer wrote"
    try:
        reads = Replay(
            result.graph, result.schedule, result.selection, result.homes, result.plan.offsets, result.plan.height
        ).run()
    except AssertionError as error:
        return Check(name, False, str(error))
    return Check(name, True, f"{reads:,} bytes read in the replay of the plan")
