"""MAX_POOL_2D of the DSP extension in every signedness, whole and in pieces, against the operator's reference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from byrote.ir import DType, Graph, Node, Origin, Quant, Tensor, TensorType
from byrote.kernel import NodeView, Storage
from byrote.ops.max_pool_2d import MaxPool2D
from byrote.ops.max_pool_2d.kernels import KERNELS
from byrote.ops.window import resolve_padding
from tests.planes.harness import BUILDS, Host, KernelSource, emulate, needs
from tests.planes.splits import Rows, pixels

KERNEL = KERNELS[0]
POOL = KernelSource("max_pool_dsp.h", "max_pool_dsp", "max_pool_dsp(&s, in[0], out, rows)")
EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    kernel = Host(POOL, tmp_path_factory.mktemp("max_pool"))
    yield kernel
    kernel.close()


def node(op: MaxPool2D, shape: tuple[int, int, int], storages: tuple[Storage, Storage]) -> NodeView:
    x = TensorType(DType.INT8, (1, *shape), Quant((0.1,), (3,)))
    tensors = (Tensor(x, Origin(0, "x")), Tensor(op.infer([x])[0], Origin(1, "y")))
    single = Node(op, (0,), (1,), Origin(0, op.name))
    return NodeView(Graph("single", (single,), tensors, (), ()), single, storages[:1], storages[1:])


def stored(values: npt.NDArray[np.int64], storage: Storage) -> npt.NDArray[np.uint8]:
    return pixels(values + (128 if storage.unsigned else 0))


@EXAMPLES
@given(data=st.data())
def test_equals_reference(host: Host, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.integers(1, 9)) for _ in range(3))
    kernel = tuple(data.draw(st.integers(1, min(4, size))) for size in shape[:2])
    stride = (data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3)))
    padding = resolve_padding(data.draw(st.integers(0, 1)), (shape[0], shape[1]), (kernel[0], kernel[1]), stride)
    clamp = data.draw(st.sampled_from([(-128, 127), (-20, 90)]))
    op = MaxPool2D((kernel[0], kernel[1]), stride, padding, clamp)
    storages = (Storage(unsigned=data.draw(st.booleans())), Storage(unsigned=data.draw(st.booleans())))
    view = node(op, (shape[0], shape[1], shape[2]), storages)
    lowered = KERNEL.lower(view)
    x = np.random.default_rng(data.draw(st.integers(0, 2**16))).integers(-128, 128, shape)
    y = op.reference([x[None].astype(np.int8)])[0][0].astype(np.int64)
    rows = Rows(stored(x, storages[0]), kernel[0], stride[0], padding[0][0], len(y), lowered.overread)
    expected = stored(y, storages[1])
    assert host.run(lowered, [rows.whole()], expected.size, len(y)) == expected.tobytes()
    for first, count, slots in rows.split(data.draw(st.integers(1, 4)), data.draw(st.integers(0, 4))):
        wanted = expected[first : first + count]
        assert host.run(lowered, [slots], wanted.size, count) == wanted.tobytes()


@pytest.mark.parametrize(("compiler", "optimise"), BUILDS)
def test_on_cortex_m4(tmp_path: Path, compiler: str, optimise: tuple[str, ...] | None) -> None:
    needs(compiler)
    shape = (7, 6, 10)
    op = MaxPool2D((3, 2), (2, 2), ((1, 1), (0, 0)), (-100, 100))
    storages = (Storage(), Storage(unsigned=True))
    lowered = KERNEL.lower(node(op, shape, storages))
    x = np.random.default_rng(0).integers(-128, 128, shape)
    y = stored(op.reference([x[None].astype(np.int8)])[0][0].astype(np.int64), storages[1])
    rows = Rows(stored(x, storages[0]), 3, 2, 1, len(y), lowered.overread)
    done = emulate(POOL, lowered, [rows.whole()], y.size, len(y), tmp_path, compiler, optimise)
    assert done.output == y.tobytes()
