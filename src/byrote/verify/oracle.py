"""The interpreters that say what a .tflite model's right answer is.

`tflm` is TensorFlow Lite Micro by its Python wheel (profile "tflm"); `litert` is LiteRT with its reference kernels
(profile "litert"). Both load in this process, on first use. They trust the model: give them only files that byrote's
importer accepted, a hostile one may end the process.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from byrote.errors import user_error

Array = npt.NDArray[np.generic]
_T = TypeVar("_T")

ARENA_SIZE = 32 << 20
"""Bytes that TFLM may use; the operating system provides only the pages that are touched."""


@dataclass(frozen=True)
class Run:
    """One call: the outputs in the model's order, and the tensors asked for in the order asked."""

    outputs: tuple[Array, ...]
    kept: tuple[Array, ...] = ()


def tflm(model: bytes, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Outputs of one call of TFLM on a fresh interpreter. Errors: see `tflm_calls`."""
    return tflm_calls(model, [inputs])[0].outputs


def tflm_calls(model: bytes, calls: Sequence[Sequence[Array]], keep: Sequence[int] = ()) -> tuple[Run, ...]:
    """Several calls of one TFLM interpreter, state carried on; each call gives all inputs in the model's order.

    `keep` are tensor indices of the first subgraph whose values after each call are wanted: then TFLM gives every
    tensor memory of its own. UserError if the wheel is absent (`tflm_missing`) or TFLM does not take the model.
    """
    reason = tflm_missing()
    if reason:
        raise user_error("reference", reason, "pip install 'byrote[verify]' on Linux x86-64, CPython 3.10 to 3.13")
    from tflite_micro import runtime

    config = runtime.InterpreterConfig.kPreserveAllTensors if keep else runtime.InterpreterConfig.kAllocationRecording
    with _errors("TFLM"):
        made = runtime.Interpreter.from_bytes(model, arena_size=ARENA_SIZE, intrepreter_config=config)
        interpreter = cast("_TflmInterpreter", made)
        return tuple(_tflm_call(interpreter, inputs, keep) for inputs in calls)


def tflm_missing() -> str | None:
    """Why TFLM cannot be used here, or None."""
    return None if find_spec("tflite_micro") else "the package tflite-micro is not installed"


def litert(model: bytes, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Outputs of one call of LiteRT's reference kernels on a fresh interpreter. Errors: see `litert_calls`."""
    return litert_calls(model, [inputs])[0].outputs


def litert_calls(model: bytes, calls: Sequence[Sequence[Array]], keep: Sequence[int] = ()) -> tuple[Run, ...]:
    """As `tflm_calls`, by LiteRT's reference kernels (not its default ones, which round otherwise), one thread."""
    reason = litert_missing()
    if reason:
        raise user_error("reference", reason, "pip install ai-edge-litert")
    with _errors("LiteRT"):
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        made = Interpreter(
            model_content=model,
            num_threads=1,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
            experimental_preserve_all_tensors=bool(keep),
        )
        interpreter = cast("_LitertInterpreter", made)
        interpreter.allocate_tensors()
        return tuple(_litert_call(interpreter, inputs, keep) for inputs in calls)


def litert_missing() -> str | None:
    """Why LiteRT cannot be used here, or None."""
    return None if find_spec("ai_edge_litert") else "the package ai-edge-litert is not installed"


class _TflmInterpreter(Protocol):
    """The part of tflite_micro.runtime.Interpreter that is used."""

    def set_input(self, input_data: Array, index: int) -> None: ...
    def invoke(self) -> int: ...
    def get_output(self, index: int) -> Array: ...

    def get_input_details(self, index: int) -> object: ...

    @property
    def GetTensor(self) -> Callable[[int, int], dict[str, Array]]: ...  # noqa: N802, the wheel's name


class _LitertInterpreter(Protocol):
    """The part of ai_edge_litert.interpreter.Interpreter that is used."""

    def allocate_tensors(self) -> None: ...
    def get_input_details(self) -> list[dict[str, int]]: ...
    def get_output_details(self) -> list[dict[str, int]]: ...
    def set_tensor(self, tensor_index: int, value: Array) -> None: ...
    def invoke(self) -> None: ...
    def get_tensor(self, tensor_index: int) -> Array: ...


def _tflm_call(interpreter: _TflmInterpreter, inputs: Sequence[Array], keep: Sequence[int]) -> Run:
    if sum(1 for _ in _until_index_error(interpreter.get_input_details)) != len(inputs):
        raise ValueError(f"{len(inputs)} inputs given")
    for index, array in enumerate(inputs):
        interpreter.set_input(array, index)
    interpreter.invoke()
    outputs = tuple(np.array(output) for output in _until_index_error(interpreter.get_output))
    return Run(outputs, tuple(np.array(interpreter.GetTensor(tensor, 0)["tensor_data"]) for tensor in keep))


def _until_index_error(get: Callable[[int], _T]) -> Iterator[_T]:
    """The wheel does not tell how many inputs and outputs there are; it answers IndexError past the last."""
    for index in itertools.count():
        try:
            yield get(index)
        except IndexError:
            return


def _litert_call(interpreter: _LitertInterpreter, inputs: Sequence[Array], keep: Sequence[int]) -> Run:
    for detail, array in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    outputs = tuple(np.array(interpreter.get_tensor(detail["index"])) for detail in interpreter.get_output_details())
    return Run(outputs, tuple(np.array(interpreter.get_tensor(tensor)) for tensor in keep))


@contextlib.contextmanager
def _errors(name: str) -> Generator[None]:
    """Holds back what the library writes to file descriptor 2; tells it in a UserError if the library fails."""
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        try:
            yield
        except (RuntimeError, ValueError, IndexError) as error:
            log.seek(0)
            said = log.read().decode(errors="replace").strip() or str(error)
            raise user_error(name, f"does not run this model: {said}") from error
        finally:
            os.dup2(saved, 2)
            os.close(saved)
