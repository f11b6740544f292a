"""Instructions and cycles per product of the matrix kernels for layers of real models, on the emulated Cortex-M4.

    PYTHONPATH=.:src python scripts/kernel_bench.py [compiler ...]        gcc clang zig; default: those installed

Each row is checked against the reference before it is printed.  Cycles are the interval of the core's timing file with
unaligned accesses; the middle column takes the published values with a refill of two cycles ("strict").
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from byrote.ops.conv2d.dsp import DSP_KERNELS as CONV_KERNELS
from byrote.ops.fully_connected.dsp import DSP_KERNELS as FULLY_CONNECTED_KERNELS
from byrote.verify.cycles import CycleModel
from byrote.verify.timing import Timing, load_timing
from tests.support import cortex_m4
from tests.support.kernels import Job
from tests.support.layers import LAYERS, view_of
from tests.support.single import random_constant
from tests.support.storage import stored, unstored

SKIPPED = {"conv2d_pointwise_dsp", "conv2d_small_dsp"}
"""The same code as conv2d_dsp."""


def strict() -> Timing:
    """Every class at its published least, a taken branch two cycles more."""
    timing = load_timing("cortex-m4")
    least = {field.name: (timing.cycles.of(field.name)[0],) * 2 for field in fields(timing.cycles)}
    least |= {"refill": (2, 2), "refill_return": (2, 2), "unaligned_store": (1, 1)}
    return replace(timing, cycles=replace(timing.cycles, **least))


def measure(job: Job, compiler: str, folder: Path) -> tuple[int, int, int, int, int, int]:
    """(instructions, least, strict and most cycles, stack, bytes of code) of the whole layer."""
    machine = cortex_m4.build(cortex_m4.program([job]), folder, compiler)
    view = job.view
    rng = np.random.default_rng(1)
    x = random_constant(view.input_type(0), rng)
    given = stored(x, view.inputs[0])
    size = view.outputs[0].size(view.output_type())
    source, target = machine.allocate(given.size + job.lowered.overread), machine.allocate(size)
    scratch = machine.allocate(max(job.lowered.scratch, 4))
    machine.write(source, given.tobytes())
    seen = machine.observe("run_0", source, target, scratch)
    expected = view.op.reference([x, view.constant(1), view.constant(2)])[0]
    found = unstored(np.frombuffer(machine.read(target, size), np.uint8), view.outputs[0], view.output_type())
    assert np.array_equal(found, expected), f"{job.kernel.function} is wrong"
    interval = CycleModel(machine.elf, "cortex-m4").estimate(seen.profile, seen.unaligned)
    middle = CycleModel(machine.elf, strict()).estimate(seen.profile, seen.unaligned)
    code = next(f.size for f in machine.elf.functions if f.name == "run_0")
    return seen.instructions, interval.low, middle.low, interval.high, seen.stack, code


def main() -> None:
    """Print one row per layer, kernel and compiler."""
    wanted = sys.argv[1:] or [name for name in ("gcc", "clang", "zig") if cortex_m4.available(name)]
    heads = f"{'instr/MAC':>9} {'strict':>7} {'low':>6} {'high':>6} stack  code"
    print(f"{'layer':32} {'kernel':22} {'form':>4} {'':5} {heads}")
    for layer in LAYERS:
        view = view_of(layer)
        macs = view.op.macs(view.graph.types(view.node.inputs), view.graph.types(view.node.outputs))
        kernels = FULLY_CONNECTED_KERNELS if layer.size == (0, 0) else CONV_KERNELS
        for kernel in kernels:
            if kernel.function in SKIPPED or kernel.rejects(view) is not None:
                continue
            job = Job(view, kernel, kernel.lower(view))
            form = dict(job.lowered.fields)["form"]
            for compiler in wanted:
                with tempfile.TemporaryDirectory() as folder:
                    count, low, middle, high, stack, code = measure(job, compiler, Path(folder))
                figures = " ".join(f"{value / macs:6.3f}" for value in (middle, low, high))
                row = f"{layer.name:32} {kernel.function:22} {form:>4} {compiler:5} {count / macs:9.3f}  {figures}"
                print(f"{row} {stack:5} {code:5}", flush=True)


if __name__ == "__main__":
    main()
