"""The kernel `gather_any`: the output is read from the input along up to six axes with any steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from byrote.ir import Op, TensorType
from byrote.kernel import InPlace, Kernel, Lowered, NodeView
from byrote.ops.broadcast import merged
from byrote.ops.reading import OperatorView, Unreadable

AXES = 6


@dataclass(frozen=True)
class Moves:
    """Output element (i, j, ...) is input element offset + i * steps[0] + j * steps[1] ...; sizes of the output."""

    offset: int
    sizes: tuple[int, ...]
    steps: tuple[int, ...]

    def merged(self, size: int) -> Moves:
        """In bytes, with as few axes as possible, the innermost one a run of bytes; elements of `size` bytes."""
        sizes, steps = merged((*self.sizes, size), (*(step * size for step in self.steps), 1))
        return Moves(self.offset * size, sizes, steps[0])


Describe = Callable[[NodeView], Moves]


def _runs(describe: Describe, view: NodeView) -> tuple[Moves, int]:
    """(moves of runs, bytes per run)."""
    moves = describe(view).merged(view.input_type(0).dtype.size)
    if moves.steps[-1:] == (1,):
        return Moves(moves.offset, moves.sizes[:-1], moves.steps[:-1]), moves.sizes[-1]
    return moves, 1


def _rejects(describe: Describe, view: NodeView) -> str | None:
    axes = len(_runs(describe, view)[0].sizes)
    return None if axes <= AXES else f"{axes} separate axes, this kernel does {AXES}"


def _lower(describe: Describe, view: NodeView) -> Lowered:
    moves, run = _runs(describe, view)
    missing = AXES - len(moves.sizes)
    fields = (
        ("offset", moves.offset),
        ("run", run),
        ("size", (1,) * missing + moves.sizes),
        ("step", (0,) * missing + moves.steps),
    )
    return Lowered("gather_any", fields, ())


def gather_kernel(op: type[Op], describe: Describe) -> Kernel:
    """The kernel for one operator."""
    return Kernel(
        "gather_any",
        op,
        "ops/movement/kernels/gather_any.h",
        partial(_lower, describe),
        partial(_rejects, describe),
        in_place=InPlace.NEVER,
        streams=False,
    )


def moved_type(view: OperatorView, index: int = 0) -> TensorType:
    """Type of an input whose elements are only moved: the output has to have its element type and quantisation."""
    x, output = view.input(index), view.output()
    output.require(x.type.dtype)
    before, after = x.type.quant, output.type.quant
    if before and after and (before.scales, before.zero_points) != (after.scales, after.zero_points):
        raise Unreadable(
            f"input {x.name!r} has {_text(x.type)}, the output {_text(output.type)}; they have to be equal",
            "convert the model again; this operator does not rescale",
        )
    return x.type


def _text(kind: TensorType) -> str:
    quant = kind.quant
    assert quant is not None
    return f"scale {quant.scales[0]:g} and zero point {quant.zero_points[0]}"
