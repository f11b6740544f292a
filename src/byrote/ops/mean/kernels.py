"""C kernels for MEAN."""

from __future__ import annotations

from byrote.kernel import InPlace, Kernel, Lowered, NodeView
from byrote.ops import map_sums
from byrote.ops.broadcast import merged, strides_in
from byrote.ops.mean.op import Mean

AXES = 4


def _op(view: NodeView) -> Mean:
    assert isinstance(view.op, Mean)
    return view.op


def _arithmetic(view: NodeView) -> tuple[tuple[str, int], ...]:
    """`start` is the sum of the zero points, negative."""
    op, x = _op(view), view.input_type(0)
    multiplier, shift = op.requant.channel(0)
    return (
        ("start", -op.input_zero * op.count(x)),
        ("multiplier", multiplier),
        ("shift", shift),
        ("output_zero", op.output.zero_point),
    )


def _axes(view: NodeView) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """(sizes, steps) of the axes that stay, and of those that vanish."""
    op, x = _op(view), view.input_type(0)
    steps = strides_in(x, x.shape)
    found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    for gone in (False, True):
        chosen = [axis for axis in range(len(x.shape)) if (axis in op.axes) is gone]
        sizes, strides = merged(tuple(x.shape[axis] for axis in chosen), tuple(steps[axis] for axis in chosen))
        found.append((sizes, strides[0]))
    return tuple(found)


def _rejects(view: NodeView) -> str | None:
    if all(len(sizes) <= AXES for sizes, _ in _axes(view)):
        return None
    return f"more than {AXES} separate axes"


def _lower(view: NodeView) -> Lowered:
    (kept, kept_steps), (gone, gone_steps) = _axes(view)
    fields = (
        *_arithmetic(view),
        ("size", (1,) * (AXES - len(kept)) + kept),
        ("step", (0,) * (AXES - len(kept)) + kept_steps),
        ("sum_size", (1,) * (AXES - len(gone)) + gone),
        ("sum_step", (0,) * (AXES - len(gone)) + gone_steps),
    )
    return Lowered("mean_s8", fields, ())


def _rejects_map(view: NodeView) -> str | None:
    x, out = view.input_type(0), view.output_type()
    return None if out.rows == 1 and _op(view).per_channel(x) else "more than a vector of channels is left"


def _lower_map(view: NodeView) -> Lowered:
    x = view.input_type(0)
    channels = x.shape[-1]
    fields = (("width", x.row_size // channels), ("channels", channels), *_arithmetic(view))
    return Lowered("mean_map_s8", fields, (), state=4 * channels)


def _rejects_map_dsp(view: NodeView) -> str | None:
    return _rejects_map(view) or map_sums.rejects_map(view)


def _lower_map_dsp(view: NodeView) -> Lowered:
    arithmetic = dict(_arithmetic(view))
    fields = (
        map_sums.map_fields(view, arithmetic["start"]),
        *((name, arithmetic[name]) for name in ("multiplier", "shift", "output_zero")),
        ("offset", map_sums.offset(view.outputs[0])),
    )
    return Lowered("mean_map_dsp", fields, (), state=map_sums.map_state(view), overread=map_sums.map_overread(view))


KERNELS = (
    Kernel(
        "mean_map_dsp",
        Mean,
        "ops/mean/kernels/mean_map_dsp.h",
        _lower_map_dsp,
        rejects=_rejects_map_dsp,
        needs=frozenset({"dsp"}),
        stores=map_sums.stores_map,
        cost=map_sums.map_cost,
        in_place=InPlace.ROWS,
        accumulates=True,
    ),
    Kernel(
        "mean_s8",
        Mean,
        "ops/mean/kernels/mean_s8.h",
        _lower,
        rejects=_rejects,
        in_place=InPlace.NEVER,
        streams=False,
    ),
    Kernel(
        "mean_map_s8",
        Mean,
        "ops/mean/kernels/mean_map_s8.h",
        _lower_map,
        rejects=_rejects_map,
        in_place=InPlace.ROWS,
        accumulates=True,
    ),
)
