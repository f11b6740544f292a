"""The compiler on one screen, and the Python API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from byrote.arrange import Arrangement, CannotPushError
from byrote.costs.inference import predict
from byrote.costs.model import cost_model
from byrote.emit import EmitOptions, Program, emit, golden_inputs, identifier
from byrote.fit import fit, memories_of
from byrote.importers import load_model
from byrote.ir import Array, user_error
from byrote.ir.interpret import interpret, outputs_of
from byrote.joint import plans_worth_having
from byrote.options import CompileOptions
from byrote.passes import move_conversions, no_edges, run_passes
from byrote.remedies import remedies
from byrote.report.json import Report, make_report
from byrote.result import Result
from byrote.schedule import Options
from byrote.select import least_cost
from byrote.targets import load_target

if TYPE_CHECKING:
    from byrote.verify.outcome import Outcome
    from byrote.verify.verification import Verification


def compile_model(model: Path | str, options: CompileOptions | None = None) -> Compiled:
    """Compile a model file.  Raises UserError for whatever the user can mend."""
    options = options or CompileOptions()
    target = load_target(options.target)
    memories = memories_of(options, target)
    imported = load_model(Path(model), options.profile)
    source, edges = move_conversions(imported) if options.int8_io else (imported, no_edges(imported))
    if options.push_input and len(source.inputs) != 1:
        raise user_error(str(model), f"it has {len(source.inputs)} inputs", "--push-input needs a model with one input")
    graph, passes = run_passes(source)
    costs = cost_model(target, options.compiler)
    flash = options.flash if options.flash is not None else target.flash
    try:
        fitted = fit(graph, target, options, memories, costs, flash)
    except CannotPushError as reason:
        raise user_error(str(model), str(reason), "compile it without --push-input") from reason
    schedule, homes, plan, selection = fitted.schedule, fitted.homes, fitted.plan, fitted.selection
    if options.push_input and graph.inputs[0].tensor in homes.whole:
        raise user_error(str(model), "nothing reads the input row by row", "compile it without --push-input")
    name = identifier(options.name if options.name is not None else source.name)
    emitted = EmitOptions(options.own_arena, options.keep_input, options.push_input)
    golden = outputs_of(source, interpret(source, golden_inputs(source.inputs)))
    program = emit(name, graph, selection, schedule, homes, plan.offsets, fitted.arenas, emitted, golden)
    return Compiled(
        Path(model),
        Result(
            name=name,
            options=options,
            target=target.with_ram([(m.name, m.capacity or 0) for m in memories]) if options.memories else target,
            source=source,
            edges=edges,
            graph=graph,
            passes=passes,
            selection=selection,
            passed_over=fitted.selected.passed_over,
            schedule=schedule,
            segments=fitted.arrangement.segments,
            problem=fitted.arrangement.problem,
            homes=homes,
            plan=plan,
            memories=memories,
            arenas=fitted.arenas,
            program=program,
            cost=predict(costs, graph, selection, schedule),
            warnings=graph.warnings,
        ),
    )


def pareto(model: Path | str, options: CompileOptions | None = None) -> tuple[Arrangement, ...]:
    """The plans worth having: more RAM, fewer estimated cycles.  Raises as compile_model does."""
    options = options or CompileOptions()
    target = load_target(options.target)
    imported = load_model(Path(model), options.profile)
    graph, _ = run_passes(move_conversions(imported)[0] if options.int8_io else imported)
    costs = cost_model(target, options.compiler)
    wishes = Options(keep_input=options.keep_input, push_input=options.push_input)
    return plans_worth_having(graph, target, wishes, costs)


@dataclass(frozen=True)
class Compiled:
    """A compiled model, ready to be written, run or verified."""

    model: Path
    result: Result

    @property
    def program(self) -> Program:
        return self.result.program

    def report(self) -> Report:
        """The figures, as `--json` prints them; for a model that does not fit in RAM also what would help."""
        too_much = self.result.ram_excess > 0
        helpful = remedies(self.model, self.result.options, sum(self.result.in_memories)) if too_much else ()
        return make_report(self.result, helpful)

    def cycles_bound(self) -> int:
        """Estimated cycles of all layers on whole tensors, each stored as suits it alone."""
        result = self.result
        costs = cost_model(result.target, result.options.compiler)
        return least_cost(result.graph, result.target.features, costs.select_cost)

    def write(self, folder: Path | str) -> tuple[Path, ...]:
        """Write all generated files; either all of them are written or none."""
        from byrote.report.files import write_files

        return write_files(self.program, Path(folder))

    def write_page(self, file: Path | str) -> Path:
        """Write the report as one HTML page; it is written completely or not at all."""
        from byrote.report.files import write_page
        from byrote.report.html import html_page

        return write_page(html_page(self.result, self.report()), Path(file), self.model)

    def run(self, *inputs: Array) -> tuple[Array, ...]:
        """Outputs of the generated C, built for this computer."""
        from byrote.verify.host import run_on_host

        return run_on_host(self.result, inputs)

    def verify(self, inputs: int = 24, say: Callable[[str], None] = lambda _: None) -> Outcome:
        """Everything that `byrote verify` checks, for so many random and extreme inputs."""
        from byrote.verify.inputs import generate

        return self.verify_with(generate(self.result.graph.inputs, inputs), say=say)

    def verify_with(
        self,
        inputs: Sequence[tuple[Array, ...]],
        *,
        emulated_inputs: int | None = None,
        compiler: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> Outcome:
        """The same for given inputs; the emulated core gets all of them, or the first `emulated_inputs`."""
        return self.verification(inputs, emulated_inputs=emulated_inputs, compiler=compiler, say=say).outcome

    def verification(
        self,
        inputs: Sequence[tuple[Array, ...]],
        *,
        emulated_inputs: int | None = None,
        compiler: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> Verification:
        """The outcome with everything it rests on: proofs, counts, the linked program."""
        from byrote.verify.verification import verify_result

        return verify_result(
            self.result, self.model, inputs, emulated_inputs=emulated_inputs, compiler=compiler, say=say
        )
