"""Single operators (`OperatorView`) as .tflite files, and their results in other engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

import numpy as np
import numpy.typing as npt
import pytest
from tflite.BuiltinOperator import BuiltinOperator
from tflite.BuiltinOptions import BuiltinOptions

from byrote.ir import DType, TensorType
from byrote.ops import OPERATORS, Operator, OperatorView, TensorView
from byrote.ops.case import GivenOptions, constant
from tests.support import options as known
from tests.support.tflite_builder import ModelSpec, OperatorSpec, QuantSpec, TensorSpec, model

Array = npt.NDArray[np.generic]

_OPTIONS: dict[str, type[known.Options]] = {
    "AVERAGE_POOL_2D": known.Pool2DOptions,
    "MAX_POOL_2D": known.Pool2DOptions,
    "MEAN": known.ReducerOptions,
}
"""Options that are not called like their operator."""

_SCHEMA_NAMES = {
    "activation": "FusedActivationFunction",
    "dilation_h": "DilationHFactor",
    "dilation_w": "DilationWFactor",
}


def operator_of(name: str) -> Operator:
    """The operator that files call `name`."""
    return next(operator for operator in OPERATORS if name in operator.names)


def spec(view: OperatorView) -> ModelSpec:
    """A model of one operator; its inputs are the computed inputs, its outputs are all outputs."""
    tensors: dict[int, TensorSpec] = {t.index: _tensor(t) for t in (*view.inputs, *view.outputs) if t is not None}
    order = {index: position for position, index in enumerate(sorted(tensors))}
    operator = OperatorSpec(
        int(getattr(BuiltinOperator, view.name)),
        tuple(-1 if t is None else order[t.index] for t in view.inputs),
        tuple(order[t.index] for t in view.outputs),
        _options(view),
    )
    inputs = tuple(order[t.index] for t in computed(view))
    return model([tensors[i] for i in sorted(tensors)], [operator], inputs, [order[t.index] for t in view.outputs])


def computed(view: OperatorView) -> tuple[TensorView, ...]:
    """Inputs that are not constant, each once."""
    found = {t.index: t for t in view.inputs if t is not None and t.data is None}
    return tuple(found[i] for i in sorted(found))


def _tensor(view: TensorView) -> TensorSpec:
    quant = view.type.quant
    how = QuantSpec(quant.scales, quant.zero_points, quant.axis) if quant else None
    data = view.data.tobytes() if view.data is not None else None
    return TensorSpec(view.name, view.type.shape, view.type.dtype.value, how, data)


def _options(view: OperatorView) -> known.Options | None:
    """As the schema names them: those of RESHAPE are ReshapeOptions; None if there are none."""
    given = view.options
    assert isinstance(given, GivenOptions)
    name = "".join(part.title() for part in view.name.split("_")) + "Options"
    kind = _OPTIONS.get(view.name) or vars(known).get(name)
    if kind is None:
        return known.EmptyOptions(name) if hasattr(BuiltinOptions, name) else None
    assert isinstance(kind, type)
    assert issubclass(kind, known.Options)
    names = {_SCHEMA_NAMES.get(f.name) or "".join(p.title() for p in f.name.split("_")): f.name for f in fields(kind)}
    defaults = {"padding": 0} if "padding" in names.values() else {}
    make: Callable[..., known.Options] = kind
    return make(**{**defaults, **{names[key]: value for key, value in given.entries}})


def random_arrays(view: OperatorView, rng: np.random.Generator, extreme: bool = False) -> tuple[Array, ...]:
    """Values for the computed inputs; floats spread a little over what their consumer can represent."""
    return tuple(random_constant(t.type, rng, extreme) for t in computed(view))


def random_constant(kind: TensorType, rng: np.random.Generator, extreme: bool = False) -> Array:
    """Values of a type; extreme ones are the smallest and largest."""
    dtype, shape = kind.dtype, kind.shape
    if dtype is DType.FLOAT32:
        return (rng.normal(size=shape) * rng.choice([0.01, 1, 50])).astype(np.float32)
    low, high = dtype.limits
    if extreme:
        return rng.choice([low, high], shape).astype(dtype.value)
    return rng.integers(low, high + 1, shape).astype(dtype.value)


def by_reference(view: OperatorView, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Outputs as `read` and the references of the Ops say."""
    given = dict(zip((t.index for t in computed(view)), arrays, strict=True))
    first = operator_of(view.name).read(view)
    results: list[Array] = []
    for reading in (first, *first.others):
        values: list[Array] = []
        for t in reading.inputs:
            values.append(given[t.index] if isinstance(t, TensorView) and t.data is None else np.asarray(t.data))
        assert all(isinstance(t, TensorView) or t.data is not None for t in reading.inputs)
        results.extend(reading.op.reference(values))
    return tuple(results)


class Tflm:
    """TensorFlow Lite Micro's interpreter for one operator; skips the test where the wheel is missing."""

    def __init__(self, view: OperatorView) -> None:
        runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime", reason="needs the wheel tflite-micro")
        if view.name == "DEPTHWISE_CONV_2D" and view.optional(2) is None:  # that engine wants a bias here
            zeros = np.zeros(view.outputs[0].type.shape[3], np.int32)
            view = replace(view, inputs=(*view.inputs[:2], replace(constant(zeros), index=99, name="bias")))
        self.outputs = len(view.outputs)
        self.interpreter = runtime.Interpreter.from_bytes(spec(view).to_bytes(), arena_size=1 << 20)

    def __call__(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        for position, array in enumerate(arrays):
            self.interpreter.set_input(array, position)
        self.interpreter.invoke()
        return tuple(self.interpreter.get_output(i) for i in range(self.outputs))


class Litert:
    """LiteRT's reference kernels for one operator; skips the test where the package is missing."""

    def __init__(self, view: OperatorView) -> None:
        package = pytest.importorskip("ai_edge_litert.interpreter", reason="needs the package ai-edge-litert")
        resolver = package.OpResolverType.BUILTIN_REF
        content = spec(view).to_bytes()
        self.interpreter = package.Interpreter(model_content=content, experimental_op_resolver_type=resolver)
        self.interpreter.allocate_tensors()

    def __call__(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        for detail, array in zip(self.interpreter.get_input_details(), arrays, strict=True):
            self.interpreter.set_tensor(detail["index"], array)
        self.interpreter.invoke()
        return tuple(self.interpreter.get_tensor(d["index"]) for d in self.interpreter.get_output_details())
