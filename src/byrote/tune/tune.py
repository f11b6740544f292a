"""Measuring a core: random layers for every kernel, built and run, and the fit of what they cost."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from byrote.costs.table import (
    FOLDER,
    SCHEMA_VERSION,
    CompilerCosts,
    CostTable,
    Fit,
    KernelCosts,
    load_table,
    save_table,
)
from byrote.costs.work import table_key, work_of
from byrote.kernel import Kernel
from byrote.ops import OPERATORS
from byrote.ops.operator import Operator
from byrote.targets import Target
from byrote.tune.fit import fit
from byrote.tune.image import Measured, kernel_digest, measure
from byrote.tune.samples import Sample, every_kernel, samples
from byrote.verify.compilers import Compiler, get_compiler

SEED = 1
_PER_IMAGE = 24
_FEWEST = 3
_PER_FEATURE = 0.5
"""Samples of a variant, at least: of the only one, and per feature where others could serve in its place."""


@dataclass(frozen=True)
class Effort:
    """Samples per variant of a kernel: whole layers, and calls for some rows."""

    whole: int = 24
    steps: int = 16


def tune(
    target: Target,
    compiler: str | None = None,
    *,
    effort: Effort | None = None,
    only: Sequence[str] = (),
    everything: bool = False,
    folder: Path = FOLDER,
    say: Callable[[str], None] = lambda _: None,
) -> CostTable:
    """Measure what the table lacks, or holds for other C than there is now, and write it after every kernel.

    `only`: kernels whose key contains one of these.  `everything`: measure again what is up to date, too.
    Raises UserError if the compiler is not installed, BuildError if it refuses.
    """
    chosen = get_compiler(target, compiler)
    table = load_table(target.name, folder) or CostTable(SCHEMA_VERSION, target.name)
    costs = _compiler_costs(table, chosen, target, everything=everything and not only)
    present = [(operator, group) for operator, group in every_kernel(OPERATORS) if not group[0].needs - target.features]
    keys = {table_key(group[0]) for _, group in present}
    costs = replace(costs, kernels={key: value for key, value in costs.kernels.items() if key in keys})
    wanted = [
        (operator, group)
        for operator, group in present
        if _wanted(group[0], costs.kernels.get(table_key(group[0])), only, everything=everything)
    ]
    for index, (operator, group) in enumerate(wanted):
        key = table_key(group[0])
        say(f"{index + 1} of {len(wanted)}: {key}")
        found = _measure(operator, group, target, chosen, effort or Effort(), say)
        if found is None:
            continue
        costs = replace(costs, kernels={**costs.kernels, key: found})
        table = replace(table, compilers={**table.compilers, chosen.name: costs})
        save_table(table, folder)
    return table


def stale(kernel: Kernel, known: KernelCosts | None) -> bool:
    """Whether a kernel was not measured, or as other C or by other features."""
    if known is None or known.source != kernel_digest(kernel.header):
        return True
    return known.features != work_of(kernel).features


def _wanted(kernel: Kernel, known: KernelCosts | None, only: Sequence[str], *, everything: bool) -> bool:
    if only:
        return any(text in table_key(kernel) for text in only) and (everything or stale(kernel, known))
    return everything or stale(kernel, known)


def _compiler_costs(table: CostTable, compiler: Compiler, target: Target, *, everything: bool) -> CompilerCosts:
    """What the table has of this very compiler and these flags, or nothing."""
    flags = compiler.flags(target)
    known = table.compilers.get(compiler.name)
    fresh = CompilerCosts(_version(compiler), (*flags.flags, *flags.optimise))
    if known is None or everything or (known.version, known.flags) != (fresh.version, fresh.flags):
        return fresh
    return known


def _version(compiler: Compiler) -> str:
    """Without the path and date that some compilers print."""
    return " ".join(compiler.version.split())


def _measure(
    operator: Operator,
    group: tuple[Kernel, ...],
    target: Target,
    compiler: Compiler,
    effort: Effort,
    say: Callable[[str], None],
) -> KernelCosts | None:
    """Both fits of the kernels of one key, None if no random layer suits them."""
    kernel = group[0]
    whole = samples(operator, group, effort.whole, SEED, steps=False)
    steps = samples(operator, group, effort.steps, SEED, steps=True)
    if not whole:
        say(f"{table_key(kernel)}: no random layer suits it")
        return None
    if kernel.accumulates:
        whole, steps = whole + steps, ()
    fits = _fitted(kernel, whole, target, compiler, say)
    if not fits:
        return None
    by_rows = _fitted(kernel, steps, target, compiler, say)
    return KernelCosts(kernel_digest(kernel.header), work_of(kernel).features, fits, by_rows)


def _fitted(
    kernel: Kernel, chosen: Sequence[Sample], target: Target, compiler: Compiler, say: Callable[[str], None]
) -> dict[str, Fit]:
    """By variant."""
    measured: list[Measured] = []
    for start in range(0, len(chosen), _PER_IMAGE):
        say(f"{table_key(kernel)}: {start} of {len(chosen)} layers measured")
        with tempfile.TemporaryDirectory() as folder:
            measured += measure(chosen[start : start + _PER_IMAGE], target, compiler, Path(folder))
    variants: dict[str, list[int]] = {}
    for index, sample in enumerate(chosen):
        variants.setdefault(sample.variant, []).append(index)
    return {
        variant: fit([chosen[i].work for i in members], [measured[i] for i in members])
        for variant, members in sorted(variants.items())
        if len(members) >= max(_FEWEST, _PER_FEATURE * len(work_of(kernel).features) * (len(variants) > 1))
    }
