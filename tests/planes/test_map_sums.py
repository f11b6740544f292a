"""Averages over a map in every storage, taken in two pieces, against the operators' references."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from byrote.ir import DType, Graph, Node, Op, Origin, Quant, Requant, Tensor, TensorType
from byrote.kernel import Kernel, Layout, NodeView, Storage
from byrote.ops.average_pool_2d import AveragePool2D
from byrote.ops.average_pool_2d.kernels import KERNELS as POOL_KERNELS
from byrote.ops.mean import Mean
from byrote.ops.mean.kernels import KERNELS as MEAN_KERNELS
from tests.planes.harness import Host, KernelSource, Slots, emulate, needs
from tests.planes.splits import JUNK, pixels, planes

POOL, MEAN = POOL_KERNELS[0], MEAN_KERNELS[0]
EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def source(kernel: Kernel, tables: str) -> KernelSource:
    """Begin, some rows, the other rows, finish."""
    f, name = f"({kernel.function}", kernel.function
    pieces = f"{name}(&s, {tables}in[0], scratch, rows), {name}(&s, {tables}in[1], scratch, in[1].end)"
    call = f"{f}_begin(&s, {tables}scratch), {pieces}, {name}_finish(&s, {tables}scratch, out))"
    return KernelSource(Path(kernel.header).name, name, call)


POOL_SOURCE, MEAN_SOURCE = source(POOL, "t[0], "), source(MEAN, "")


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Host, Host]]:
    found = Host(POOL_SOURCE, tmp_path_factory.mktemp("pool")), Host(MEAN_SOURCE, tmp_path_factory.mktemp("mean"))
    yield found
    for host in found:
        host.close()


def node(op: Op, shape: tuple[int, int, int], storages: tuple[Storage, Storage]) -> NodeView:
    x = TensorType(DType.INT8, (1, *shape), Quant((0.1,), (3,)))
    tensors = (Tensor(x, Origin(0, "x")), Tensor(op.infer([x])[0], Origin(1, "y")))
    single = Node(op, (0,), (1,), Origin(0, op.name))
    return NodeView(Graph("single", (single,), tensors, (), ()), single, storages[:1], storages[1:])


def slots(view: NodeView, x: np.ndarray[tuple[int, ...], np.dtype[np.int64]], overread: int, first: int) -> list[Slots]:
    """Rows before `first` as kept and fresh rows, the others whole."""
    storage = view.inputs[0]
    stored = x + (128 if storage.unsigned else 0)
    data = pixels(stored) if storage.layout is Layout.HWC else planes(stored, storage.pitch or x.shape[1])
    slack = bytes([JUNK]) * overread
    held = first // 2
    one = Slots(data[:held].tobytes() + slack, data[held:first].tobytes() + slack, held, 0, 0, first)
    return [one, Slots(b"", data[first:].tobytes() + slack, 0, 0, 0, len(data) - first)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[tuple[int, int, int], Storage, Storage, int]:
    shape = (draw(st.integers(1, 9)), draw(st.integers(1, 9)), draw(st.integers(1, 9)))
    layout = draw(st.sampled_from(list(Layout)))
    pitch = shape[1] + draw(st.integers(0, 3)) if layout is Layout.HCW else 0
    unsigned = layout is Layout.HCW or draw(st.booleans())
    output = Storage(unsigned=draw(st.booleans()))
    return shape, Storage(layout, unsigned, pitch), output, draw(st.integers(0, shape[0]))


@EXAMPLES
@given(case=cases(), seed=st.integers(0, 2**16), extreme=st.booleans())
def test_averages(
    hosts: tuple[Host, Host], case: tuple[tuple[int, int, int], Storage, Storage, int], seed: int, extreme: bool
) -> None:
    shape, given_storage, output, first = case
    rng = np.random.default_rng(seed)
    x = rng.choice([-128, 127], shape) if extreme else rng.integers(-128, 128, shape)
    pool = AveragePool2D((shape[0], shape[1]), (1, 1), ((0, 0), (0, 0)), (-100, 120))
    mean = Mean((1, 2), False, 3, Requant.of([0.7 / (shape[0] * shape[1])]), Quant((0.143,), (-20,)))
    for host, kernel, op in zip(hosts, (POOL, MEAN), (pool, mean), strict=True):
        view = node(op, shape, (given_storage, output))
        assert kernel.stores(view)
        assert kernel.rejects(view) is None
        lowered = kernel.lower(view)
        expected = op.reference([x[None].astype(np.int8)])[0].astype(np.int64) + (128 if output.unsigned else 0)
        inputs = slots(view, x.astype(np.int64), lowered.overread, first)
        assert host.run(lowered, inputs, shape[2], first) == (expected & 0xFF).astype(np.uint8).tobytes()


@pytest.mark.parametrize("compiler", ["gcc", "zig"])
@pytest.mark.parametrize("layout", list(Layout))
def test_on_cortex_m4(tmp_path: Path, compiler: str, layout: Layout) -> None:
    needs(compiler)
    shape = (6, 5, 8)
    x = np.random.default_rng(0).integers(-128, 128, shape)
    op = AveragePool2D((6, 5), (1, 1), ((0, 0), (0, 0)), (-128, 127))
    view = node(op, shape, (Storage(layout, unsigned=True), Storage()))
    lowered = POOL.lower(view)
    done = emulate(POOL_SOURCE, lowered, slots(view, x, lowered.overread, 3), 8, 3, tmp_path, compiler)
    assert done.output == op.reference([x[None].astype(np.int8)])[0].tobytes()


def test_wide_rows_are_refused() -> None:
    """256 columns of -128 do not fit a lane."""
    for width, refused in ((255, False), (256, True)):
        op = AveragePool2D((1, width), (1, 1), ((0, 0), (0, 0)), (-128, 127))
        assert (POOL.rejects(node(op, (1, width, 4), (Storage(), Storage()))) is not None) == refused
