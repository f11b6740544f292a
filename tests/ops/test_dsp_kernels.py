"""The matrix kernels for the DSP extension: every storage on the host, assembler bodies on an emulated Cortex-M4."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from byrote.ir import TensorType
from byrote.kernel import Kernel, Layout, NodeView, Storage
from byrote.ops.conv2d import OPERATOR as CONV_2D
from byrote.ops.conv2d.dsp import DSP_KERNELS as CONV_KERNELS
from byrote.ops.conv2d.product import padded, preferred_order, run_of, tails_of
from byrote.ops.fully_connected import OPERATOR as FULLY_CONNECTED
from byrote.ops.fully_connected.dsp import DSP_KERNELS as FULLY_CONNECTED_KERNELS
from byrote.ops.operator import Operator
from tests.ops.test_kernels import inputs_of, read_all
from tests.support import cortex_m4
from tests.support.kernels import SANITIZED, WARNINGS, Array, Job, Program, node_view, whole
from tests.support.layers import LAYERS, view_of
from tests.support.storage import stored, unstored

BOTH = ((CONV_2D, CONV_KERNELS), (FULLY_CONNECTED, FULLY_CONNECTED_KERNELS))
SEEDS = {"CONV_2D": 11, "FULLY_CONNECTED": 12}


def random_storage(rng: np.random.Generator, tensor: TensorType, layouts: Sequence[Layout]) -> Storage:
    """Any layout, kind, order of channels; some columns more than needed in planes."""
    layout = layouts[int(rng.integers(len(layouts)))] if len(tensor.shape) == 4 else Layout.HWC
    order = tuple(int(c) for c in rng.permutation(tensor.shape[-1])) if rng.random() < 0.5 else None
    pitch = tensor.shape[2] + int(rng.integers(0, 3)) if layout is Layout.HCW else 0
    return Storage(layout, bool(rng.integers(2)), pitch, order)


def random_view(view: NodeView, rng: np.random.Generator) -> NodeView:
    """The same node between random storages, for speed or for little code."""
    x, out = view.input_type(0), view.output_type()
    deep = len(x.shape) == 4 and len(out.shape) == 4 and view.constant(1).shape[1:3] == (1, 1)
    source = random_storage(rng, x, (Layout.HWC, Layout.HCW) if deep else (Layout.HWC,))
    target = random_storage(rng, out, (Layout.HWC, Layout.HCW) if len(view.constant(1).shape) == 4 else (Layout.HWC,))
    return replace(view, inputs=(source, *view.inputs[1:]), outputs=(target,), small=bool(rng.integers(2)))


def random_jobs(operator: Operator, kernels: Sequence[Kernel], count: int, salt: int) -> tuple[Job, ...]:
    """Every random node, between random storages, with every kernel that takes it."""
    rng = np.random.default_rng(SEEDS[operator.names[0]] + salt)
    views = [random_view(node_view(reading), rng) for reading in read_all(operator, operator.cases(rng, count))]
    pairs = [(view, kernel) for view in views for kernel in kernels if kernel.stores(view)]
    return tuple(Job(view, kernel, kernel.lower(view)) for view, kernel in pairs if kernel.rejects(view) is None)


def case(job: Job, rng: np.random.Generator, extreme: bool) -> tuple[Array, Array]:
    """Stored input bytes and the reference's result."""
    arrays = inputs_of(job, rng, extreme)
    return stored(arrays[0], job.view.inputs[0]), job.view.op.reference(arrays)[0]


def agree(job: Job, result: bytes, expected: Array) -> None:
    found = unstored(np.frombuffer(result, np.uint8), job.view.outputs[0], job.view.output_type())
    assert np.array_equal(found, expected), f"{job.kernel.function}: {job.view.op} {job.view.inputs} {job.view.outputs}"


def agree_on_host(work: Sequence[Job], folder: Path, seed: int) -> None:
    """All jobs as whole tensors under sanitizers."""
    program = Program(work, folder, "cc", ("-std=c99", "-O1", *WARNINGS, *SANITIZED))
    rng = np.random.default_rng(seed)
    cases = [(index, job, *case(job, rng, extreme)) for index, job in enumerate(work) for extreme in (False, True)]
    results = program.run([whole(index, job, [given]) for index, job, given, _ in cases])
    for (_, job, _, expected), result in zip(cases, results, strict=True):
        agree(job, result, expected)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize(("operator", "kernels"), BOTH, ids=SEEDS)
def test_every_storage_on_the_host(operator: Operator, kernels: Sequence[Kernel], tmp_path: Path) -> None:
    work = random_jobs(operator, kernels, 50, 0)
    agree_on_host(work, tmp_path, 1)


def gathering(count: int) -> tuple[Job, ...]:
    """Kernels on layers of which last bytes of runs are gathered: any number of them, at borders, dilated."""
    kernels = tuple(kernel for kernel in CONV_KERNELS if kernel.function in ("conv2d_dsp", "conv2d_dsp_plain"))
    return tuple(job for job in random_jobs(CONV_2D, kernels, count, 7) if tails_of(job.view))


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_last_bytes_of_runs(tmp_path: Path) -> None:
    work = gathering(400)
    assert len({tails_of(job.view) % 4 for job in work}) == 4
    agree_on_host(work, tmp_path, 5)


def emulate(work: Sequence[Job], folder: Path, compiler: str, optimise: Sequence[str] | None = None) -> None:
    """All jobs as whole tensors on the emulated core: right, inside their memory, and as long for every input."""
    machine = cortex_m4.build(cortex_m4.program(work), folder, compiler, optimise)
    rng = np.random.default_rng(2)
    source, target, scratch = (machine.allocate(1 << 15) for _ in range(3))
    for index, job in enumerate(work):
        size = job.view.outputs[0].size(job.view.output_type())
        counts: set[int] = set()
        for extreme in (False, True):
            given, expected = case(job, rng, extreme)
            sizes = (given.size + job.lowered.overread, size, job.lowered.scratch)
            assert max(sizes) <= 1 << 15
            machine.write(source, given.tobytes())
            allowed = [(address, address + n) for address, n in zip((source, target, scratch), sizes, strict=True)]
            seen = machine.observe(f"run_{index}", source, target, scratch, stores=allowed[1:], loads=allowed)
            counts.add(seen.instructions)
            agree(job, machine.read(target, size), expected)
            assert not seen.stray, f"{job.kernel.function}: {seen.stray[0]}: {job.view.op}"
            assert not seen.forbidden
            assert optimise is not None or seen.stack <= 256  # promised for the recommended flags
        assert len(counts) == 1, f"{job.kernel.function} takes {counts} instructions: {job.view.op}"


@pytest.mark.parametrize("compiler", ["gcc", "clang", "zig"])
@pytest.mark.parametrize(("operator", "kernels"), BOTH, ids=SEEDS)
def test_assembler_bodies(operator: Operator, kernels: Sequence[Kernel], compiler: str, tmp_path: Path) -> None:
    if not cortex_m4.available(compiler):
        pytest.skip(f"{compiler} is not installed")
    emulate(random_jobs(operator, kernels, 8, 3), tmp_path, compiler)


@pytest.mark.parametrize("compiler", ["gcc", "zig"])
def test_last_bytes_of_runs_on_the_core(compiler: str, tmp_path: Path) -> None:
    if not cortex_m4.available(compiler):
        pytest.skip(f"{compiler} is not installed")
    emulate(gathering(200), tmp_path, compiler)


def copied(count: int) -> tuple[Job, ...]:
    """Layers whose windows are copied as bytes: runs of any length, parts of them outside."""
    kernels = tuple(kernel for kernel in CONV_KERNELS if kernel.function == "conv2d_window_dsp")
    return random_jobs(CONV_2D, kernels, count, 8)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_windows_of_bytes(tmp_path: Path) -> None:
    work = copied(120)
    assert {(padded(job.view), run_of(job.view)[1]) for job in work} == {
        (p, n) for p in (False, True) for n in range(4)
    }
    agree_on_host(work, tmp_path, 7)


@pytest.mark.parametrize("compiler", ["gcc", "zig"])
def test_windows_of_bytes_on_the_core(compiler: str, tmp_path: Path) -> None:
    if not cortex_m4.available(compiler):
        pytest.skip(f"{compiler} is not installed")
    emulate(copied(25), tmp_path, compiler)


FASTEST = ("conv2d_dsp", "conv2d_direct_dsp", "conv2d_window_dsp", "fully_connected_dsp")


def layer_jobs(names: Sequence[str] = (), most_macs: int = 1 << 30) -> tuple[Job, ...]:
    """Layers of real shapes with every kernel that takes them: long loops, borders, both requantisations."""
    views = [(view_of(layer), layer.size == (0, 0)) for layer in LAYERS]
    pairs = [(v, k) for v, vector in views for k in (FULLY_CONNECTED_KERNELS if vector else CONV_KERNELS)]
    able = [(v, k) for v, k in pairs if k.stores(v) and k.rejects(v) is None]
    chosen = [(v, k) for v, k in able if not names or k.function in names]
    return tuple(Job(v, k, k.lower(v)) for v, k in chosen if macs_of(v) <= most_macs)


def macs_of(view: NodeView) -> int:
    return view.op.macs(view.graph.types(view.node.inputs), view.graph.types(view.node.outputs))


def test_real_shapes_under_sanitizers(tmp_path: Path) -> None:
    work = layer_jobs()
    agree_on_host(work, tmp_path, 6)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_real_shapes_on_the_core(compiler: str, tmp_path: Path) -> None:
    if not cortex_m4.available(compiler):
        pytest.skip(f"{compiler} is not installed")
    emulate(layer_jobs(FASTEST, 150_000), tmp_path, compiler)


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O3", "-Os"])
def test_every_optimisation(level: str, tmp_path: Path) -> None:
    if not cortex_m4.available("gcc"):
        pytest.skip("arm-none-eabi-gcc is not installed")
    work = (*random_jobs(CONV_2D, CONV_KERNELS, 3, 5), *random_jobs(FULLY_CONNECTED, FULLY_CONNECTED_KERNELS, 2, 5))
    emulate(work[2:4] if level == "-O0" else work, tmp_path, "gcc", (level,))  # -O0 compiles slowly


def test_the_preferred_order_needs_no_longer_requantisation() -> None:
    rng = np.random.default_rng(4)
    mixed = next(kernel for kernel in CONV_KERNELS if kernel.function == "conv2d_dsp")
    found = 0
    for reading in read_all(CONV_2D, CONV_2D.cases(rng, 30)):
        view = node_view(reading)
        if mixed.rejects(view) is not None:
            continue
        order = preferred_order(view)
        if order is None:
            continue
        assert sorted(order) == list(range(view.output_type().shape[-1]))
        sorted_view = replace(view, outputs=(Storage(channels=order),))
        fields = dict(mixed.lower(sorted_view).fields)
        assert fields["form"] == 0
        found += 1
    assert found
