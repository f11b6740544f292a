"""Records to Graph: order, types, and the operators' own `read`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from byrote.importers.tflite.check import REMEDY, check, has_data, place
from byrote.importers.tflite.raw import RawModel, RawOperator, RawTensor
from byrote.importers.tflite.read import read_model
from byrote.ir import Graph, Node, Origin, Port, Problem, Quant, Tensor, TensorType, UserError, verify
from byrote.ops import OPERATORS, NewConstant, OperatorView, Profile, Reading, TensorView, Unreadable

MOST_PROBLEMS = 40
_OPERATOR = {name: operator for operator in OPERATORS for name in operator.names}


def import_tflite(data: bytes, name: str, where: str, profile: Profile) -> Graph:
    """The graph of a file's first subgraph.  Raises UserError with every problem that was found."""
    model = read_model(data, where)
    _fail(where, check(model))
    order, problems = _order(model)
    _fail(where, problems)
    builder = _Builder(model, name)
    for index in order:
        builder.add(model.operators[index], profile)
    _fail(where, builder.problems)
    return verify(builder.graph())


def _fail(where: str, problems: list[Problem]) -> None:
    if not problems:
        return
    shown = [Problem(f"{where}: {p.where}", p.what, p.remedy) for p in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        shown.append(Problem(where, f"and {len(problems) - MOST_PROBLEMS} problems more"))
    raise UserError(*shown)


def _order(model: RawModel) -> tuple[list[int], list[Problem]]:
    """The operators that the outputs need, each after those it reads, in the order of the file where that is free."""
    producer = {tensor: op.index for op in model.operators for tensor in op.outputs}
    reads = [sorted({producer[t] for t in op.inputs if t in producer}) for op in model.operators]
    done: dict[int, None] = {}
    open_: set[int] = set()
    roots = sorted({producer[t] for t in model.outputs if t in producer})
    work = [(root, False) for root in reversed(roots)]
    while work:
        index, finished = work.pop()
        if finished:
            open_.discard(index)
            done[index] = None
        elif index in open_:
            op = model.operators[index]
            return [], [Problem(f"operator {index} {op.name}", "its input depends on its own output", REMEDY)]
        elif index not in done:
            open_.add(index)
            work.append((index, True))
            work.extend((previous, False) for previous in reversed(reads[index]) if previous not in done)
    order = list(done)
    position = {index: k for k, index in enumerate(order)}
    in_order = all(position[p] < position[i] and p < i for i in order for p in reads[i])
    return (sorted(order) if in_order else order), _dangling(model, done, producer)


def _dangling(model: RawModel, used: dict[int, None], producer: dict[int, int]) -> list[Problem]:
    known = set(model.inputs) | set(producer)
    problems: list[Problem] = []
    for op in (model.operators[i] for i in used):
        for tensor in (model.tensors[t] for t in op.inputs if t >= 0 and t not in known):
            if tensor.variable:
                remedy = "models with state are not supported"
                problems.append(Problem(f"operator {op.index} {op.name}", f"{place(tensor)} is a variable", remedy))
            elif not has_data(model, tensor):
                problems.append(Problem(f"operator {op.index} {op.name}", f"nothing writes {place(tensor)}", REMEDY))
    for tensor in (model.tensors[t] for t in model.outputs):
        if tensor.index not in known and not has_data(model, tensor):
            problems.append(Problem("graph output", f"nothing writes {place(tensor)}", REMEDY))
    return problems


@dataclass
class _Builder:
    model: RawModel
    name: str
    problems: list[Problem] = field(default_factory=list[Problem])
    nodes: list[Node] = field(default_factory=list[Node])
    tensors: list[Tensor] = field(default_factory=list[Tensor])
    ids: dict[int, int] = field(default_factory=dict[int, int])
    warnings: dict[str, None] = field(default_factory=dict[str, None])

    def add(self, raw: RawOperator, profile: Profile) -> None:
        """Read one operator; problems are collected."""
        where = f"operator {raw.index} {raw.name[:80]}"
        operator = _OPERATOR.get(raw.name)
        if operator is None:
            self.problems.append(Problem(where, "this operator is not supported", "see `byrote ops`"))
            return
        try:
            view = OperatorView(
                raw.name,
                tuple(self.view(i) if i >= 0 else None for i in raw.inputs),
                tuple(self.view(i) for i in raw.outputs),
                raw.options,
                profile,
            )
            self.append_all(operator.read(view), raw)
            self.warn(view)
        except Unreadable as reason:
            self.problems.append(Problem(where, reason.what, reason.remedy))
        except ValueError as reason:
            self.problems.append(Problem(where, str(reason), REMEDY))
        except (IndexError, OverflowError, ZeroDivisionError):
            # Shapes and options that no converter writes together.
            self.problems.append(Problem(where, "its tensors and options do not fit together", REMEDY))

    def append_all(self, reading: Reading, raw: RawOperator) -> None:
        """One node, or one per output where the reading says so."""
        if not reading.others:
            self.append(reading, raw)
            return
        for part, output in zip((reading, *reading.others), raw.outputs, strict=True):
            self.append(part, replace(raw, outputs=(output,)))

    def warn(self, view: OperatorView) -> None:
        """Legal, but hardly meant."""
        for tensor in (t for t in view.inputs if t is not None and t.type.quant is not None):
            scales = tensor.type.quant.scales if tensor.type.quant else ()
            if 0.0 in scales:
                where = place(self.model.tensors[tensor.index])
                dead = f"{scales.count(0.0)} of {len(scales)} channels"
                self.warnings[f"{where} has scale 0 in {dead}: they are constant"] = None

    def append(self, reading: Reading, raw: RawOperator) -> None:
        inputs = tuple(self.tensor(source) for source in reading.inputs)
        outputs = reading.op.infer([self.tensors[i].type for i in inputs])
        if len(outputs) != len(raw.outputs):
            raise Unreadable(f"it has {len(raw.outputs)} outputs, {len(outputs)} are expected")
        for inferred, index in zip(outputs, raw.outputs, strict=True):
            declared = self.model.tensors[index]
            if inferred.shape != declared.shape or inferred.dtype is not declared.dtype:
                raise Unreadable(
                    f"{place(declared)} is declared as {declared.type_name}{list(declared.shape)}, "
                    f"the operator gives {inferred}",
                    REMEDY,
                )
        results: list[int] = []
        for inferred, index in zip(outputs, raw.outputs, strict=True):
            self.ids[index] = len(self.tensors)
            results.append(len(self.tensors))
            self.tensors.append(Tensor(inferred, Origin(index, self.model.tensors[index].name)))
        name = self.model.tensors[raw.outputs[0]].name if raw.outputs else ""
        self.nodes.append(Node(reading.op, inputs, tuple(results), Origin(raw.index, name)))

    def tensor(self, source: TensorView | NewConstant) -> int:
        """Id of an operand in the graph."""
        if isinstance(source, TensorView):
            if source.index not in self.ids:
                self.ids[source.index] = len(self.tensors)
                self.tensors.append(Tensor(source.type, Origin(source.index, source.name), source.data))
            return self.ids[source.index]
        self.tensors.append(Tensor(source.type, Origin(-1, source.name), source.data))
        return len(self.tensors) - 1

    def view(self, index: int) -> TensorView:
        raw = self.model.tensors[index]
        data = self.model.buffers[raw.buffer] if self.model.buffers and index not in self.model.inputs else None
        if index in self.ids:
            tensor = self.tensors[self.ids[index]]
            return TensorView(index, raw.name, tensor.type, tensor.data)
        kind = tensor_type(raw)
        array = None
        if data is not None:
            array = np.frombuffer(data.tobytes(), kind.dtype.value).reshape(kind.shape)
        return TensorView(index, raw.name, kind, array)

    def graph(self) -> Graph:
        model = self.model
        ports = tuple(
            tuple(Port(self.port(i), model.tensors[i].name, tensor_type(model.tensors[i])) for i in indices)
            for indices in (model.inputs, model.outputs)
        )
        return Graph(
            self.name, tuple(self.nodes), tuple(self.tensors), ports[0], ports[1], warnings=tuple(self.warnings)
        )

    def port(self, index: int) -> int:
        return self.tensor(self.view(index))


def tensor_type(raw: RawTensor) -> TensorType:
    """The type of a tensor record; Unreadable for element types that byrote does not know."""
    if raw.dtype is None:
        raise Unreadable(f"{place(raw)} has element type {raw.type_name}", "convert the model to full int8")
    if raw.sparse:
        raise Unreadable(f"{place(raw)} is stored sparsely", "export the model with dense weights")
    quant = Quant(raw.scales, raw.zero_points, raw.axis) if raw.scales else None
    return TensorType(raw.dtype, raw.shape, quant)
