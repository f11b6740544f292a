"""Predictions before anything is built: the cost model of one core and compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from byrote.costs.flash import wait_cycles
from byrote.costs.table import FOLDER, CompilerCosts, KernelCosts, load_table
from byrote.costs.work import table_key, work_of
from byrote.kernel import Kernel, NodeView
from byrote.targets import Memory, MemoryKind, Target

_CYCLES_PER_INSTRUCTION = 1.3
"""Where nothing was measured."""


@dataclass(frozen=True)
class Prediction:
    """Instructions and cycles; `measured`: whether they rest on a table of measurements for this kernel."""

    instructions: float
    cycles: float
    measured: bool

    def __add__(self, other: Prediction) -> Prediction:
        return Prediction(
            self.instructions + other.instructions, self.cycles + other.cycles, self.measured and other.measured
        )

    def times(self, count: int) -> Prediction:
        return Prediction(self.instructions * count, self.cycles * count, self.measured)


NOTHING = Prediction(0.0, 0.0, True)


@dataclass(frozen=True)
class CostModel:
    """`basis`: one sentence that says what the predictions rest on.  `exact_core`: measured for this very core.

    `own`: kernels that were measured with the compiler in question; the others in `kernels` with another one.
    """

    kernels: Mapping[str, KernelCosts]
    own: frozenset[str]
    basis: str
    exact_core: bool
    flash: Memory | None = None

    def select_cost(self, kernel: Kernel, view: NodeView, rows: int) -> int:
        """Cycles of a layer made `rows` output rows at a time, for `select`."""
        return round((self.whole(kernel, view) if kernel.accumulates else self.layer(kernel, view, rows)).cycles)

    def whole(self, kernel: Kernel, view: NodeView) -> Prediction:
        """A layer in one call (an accumulating kernel: begin, one call for all rows, finish)."""
        return self.layer(kernel, view, (view.input_type(0) if kernel.accumulates else view.output_type()).rows)

    def layer(self, kernel: Kernel, view: NodeView, rows: int) -> Prediction:
        """A whole layer made `rows` output rows at a time (an accumulating kernel: taking `rows` input rows)."""
        total = view.output_type().rows
        if kernel.accumulates:
            return self._fitted(kernel, view, rows, whole=True) or self._guess(kernel, view, total)
        if rows >= total:
            return self.call(kernel, view, total)
        full, rest = divmod(total, max(rows, 1))
        found = self.call(kernel, view, rows).times(full)
        return found + self.call(kernel, view, rest) if rest else found

    def call(self, kernel: Kernel, view: NodeView, rows: int) -> Prediction:
        """One call of a kernel that does not accumulate, for all or some of the rows."""
        whole = rows >= view.output_type().rows
        return self._fitted(kernel, view, rows, whole=whole) or self._guess(kernel, view, rows)

    def _guess(self, kernel: Kernel, view: NodeView, rows: int) -> Prediction:
        instructions = kernel.cost(view, rows)
        return Prediction(instructions, instructions * _CYCLES_PER_INSTRUCTION, measured=False)

    def _fitted(self, kernel: Kernel, view: NodeView, rows: int, *, whole: bool) -> Prediction | None:
        """From the table, None where it has nothing for this kernel as it is now."""
        work, costs = work_of(kernel), self.kernels.get(table_key(kernel))
        fit = costs.fit(work.variant(view), whole=whole) if costs and costs.features == work.features else None
        if fit is None:
            return None
        amounts = work.count(view, rows)
        instructions = fit.predict("instructions", amounts)
        cycles = fit.predict("cycles", amounts) or instructions * _CYCLES_PER_INSTRUCTION
        fetched, jumps = fit.predict("fetched", amounts), fit.predict("jumps", amounts)
        stalls = wait_cycles(self.flash, cycles=cycles, fetched=fetched, jumps=jumps)
        return Prediction(instructions, cycles + stalls, measured=table_key(kernel) in self.own)


def cost_model(target: Target, compiler: str | None = None, folder: Path = FOLDER) -> CostModel:
    """The model for a target: from its own table, else from that of the core it calls similar, else none.

    `compiler`: by default the first that the target names and the table knows; another where it does not know this one.
    """
    flash = target.memory(MemoryKind.FLASH)
    wanted = [*([compiler] if compiler else []), *(name for name, _ in target.compilers)]
    for core in (target.name, target.similar):
        table = load_table(core, folder) if core else None
        found = next((name for name in wanted if table is not None and name in table.compilers), None)
        if table is None or found is None:
            continue
        costs: CompilerCosts = table.compilers[found]
        basis = f"measured on the emulated {core}, {found}: {costs.version}"
        if core != target.name:
            basis = f"nothing was measured for {target.name}; {basis}"
        others = [table.compilers[name].kernels for name in sorted(table.compilers) if name != found]
        kernels = {key: value for some in (*others, costs.kernels) for key, value in some.items()}
        return CostModel(kernels, frozenset(costs.kernels), basis, core == target.name, flash)
    return CostModel(
        {}, frozenset(), f"nothing was measured for {target.name}: rough estimates", exact_core=False, flash=flash
    )
