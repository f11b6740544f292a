"""How an operator becomes a C call: the contract between operators, `select`, `schedule` and `emit`.

A kernel is one C function `KERNEL void <function>(const struct <struct> *s, <tables>, <inputs>, <output>, <scratch>,
int32_t rows)` in a header that compiles alone:

- `s` holds the constants of the layer; it is a literal, so an inlined copy is specialised by the C compiler;
- tables are constant arrays in the order in which the inner loop consumes them;
- each computed input is a `struct rows` (runtime/rows.h): kept rows, fresh rows and where padding begins;
- the output is a pointer to the first of `rows` rows to write; scratch, if any, is a pointer into the arena.

An accumulating kernel (global pools, fully connected over a map) has two more functions with the same arguments less
those they do not need: `<function>_begin(s, tables, acc)` before the first row and
`<function>_finish(s, tables, acc, output)` after the last; in between `<function>(s, tables, inputs, acc, rows)`
takes input rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from byrote.ir import Array, DType, Graph, Node, Op, TensorType


class Layout(Enum):
    """Order of the elements of one row of a tensor in memory; a row is contiguous in each."""

    HWC = "hwc"
    """Pixels of channels: the order of the interface."""

    HCW = "hcw"
    """Planes of channels: byte (row, channel, column) at row * C * pitch + channel * pitch + column."""


@dataclass(frozen=True)
class Storage:
    """How a tensor lies in memory.  Invisible to references; inputs and outputs of the model are always plain.

    `unsigned`: int8 values q are stored as q + 128.  `pitch`: columns per row (0: as many as the tensor has).
    `channels[c]` is the logical channel stored at c, None for the identity.
    """

    layout: Layout = Layout.HWC
    unsigned: bool = False
    pitch: int = 0
    channels: tuple[int, ...] | None = None

    def row_size(self, tensor: TensorType) -> int:
        """Bytes from one row to the next."""
        if self.layout is Layout.HWC or not self.pitch:
            return tensor.row_size
        return tensor.shape[-1] * self.pitch * tensor.dtype.size

    def size(self, tensor: TensorType) -> int:
        return self.row_size(tensor) * tensor.rows


PLAIN = Storage()


class InPlace(Enum):
    """What a kernel promises about the order of its reads and writes, and so how its output may overlap an input."""

    NEVER = "never"
    """No promise: output and input must be disjoint."""

    ROWS = "rows"
    """While it writes output row r (and its block) it still needs the input rows from first[r] on, no earlier ones."""

    ELEMENTS = "elements"
    """Reads element i before it writes element i, in ascending order: input and output may be the same memory."""


@dataclass(frozen=True)
class Table:
    """A constant array in flash, an argument of the kernel."""

    name: str
    dtype: DType
    values: Array = field(compare=False, repr=False)
    align: int = 4

    @property
    def size(self) -> int:
        return int(self.values.size) * self.dtype.size


@dataclass(frozen=True)
class NodeView:
    """What `lower` and `rejects` may look at: one node, its types, constants and chosen storages.

    `small`: the user wants little code rather than few cycles; `rejects` must not depend on it.
    """

    graph: Graph
    node: Node
    inputs: tuple[Storage, ...]
    outputs: tuple[Storage, ...]
    small: bool = False

    @property
    def op(self) -> Op:
        return self.node.op

    def input_type(self, index: int) -> TensorType:
        return self.graph.tensors[self.node.inputs[index]].type

    def output_type(self, index: int = 0) -> TensorType:
        return self.graph.tensors[self.node.outputs[index]].type

    def constant(self, index: int) -> Array:
        """Data of a constant input."""
        data = self.graph.tensors[self.node.inputs[index]].data
        assert data is not None
        return data

    def has_constant(self, index: int) -> bool:
        return len(self.node.inputs) > index and self.graph.tensors[self.node.inputs[index]].constant


FieldValue = int | tuple[int, ...]


@dataclass(frozen=True)
class Lowered:
    """A node as a call of `kernel.function`: its constants.

    `operands`: indices of the node's inputs that are passed as rows, in argument order.
    `scratch`: bytes of arena that each call uses (arrays over 64 bytes never lie on the stack); not _begin and _finish.
    `state`: bytes of accumulators, alive from begin to finish; 0 unless the kernel accumulates.
    `overread`: bytes after the last row of an input that the kernel may touch without using them.
    """

    struct: str
    fields: tuple[tuple[str, FieldValue], ...]
    tables: tuple[Table, ...]
    operands: tuple[int, ...] = (0,)
    scratch: int = 0
    state: int = 0
    overread: int = 0


def _never(view: NodeView) -> str | None:
    del view
    return None


def _plain(view: NodeView) -> bool:
    """Every computed input and every output is stored as the interface has it."""
    computed = [s for s, t in zip(view.inputs, view.node.inputs, strict=True) if not view.graph.tensors[t].constant]
    return all(storage == PLAIN for storage in (*computed, *view.outputs))


def _all_alike(view: NodeView) -> str:
    del view
    return "all"


@dataclass(frozen=True)
class Work:
    """What the instructions of a kernel are proportional to: loops and elements, in numbers.

    `count(view, rows)` gives one number per name in `features` for one call that makes `rows` output rows; for an
    accumulating kernel, for all its calls together when it takes `rows` input rows at a time.  Windows at borders
    count as the average row has them.  `variant(view)` names the kind of layer where compilers specialise the kernel in
    different ways: every kind has coefficients of its own.  They are measured per core and compiler (costs/).  Kernels
    that are one function but for its name are measured together if their work has a `name`.
    """

    features: tuple[str, ...]
    count: Callable[[NodeView, int], tuple[float, ...]]
    variant: Callable[[NodeView], str] = _all_alike
    name: str = ""


def _generic_cost(view: NodeView, rows: int) -> int:
    """Plain C: about six instructions per product and twenty per result."""
    outputs = view.graph.types(view.node.outputs)
    macs = view.op.macs(view.graph.types(view.node.inputs), outputs)
    results = sum(kind.elements for kind in outputs)
    return (6 * macs + 20 * results) * rows // max(outputs[0].rows, 1) + 50


@dataclass(frozen=True)
class Kernel:
    """One C function, or one family of them.

    `header` is relative to the package and compiles alone.  `needs`: features that a target must have.
    `rejects(view)` returns the sentence why this kernel cannot run this node, or None: the same sentence serves the
    report and the page of supported operators.  `lower` computes the constants; it never fails where `rejects` is None.
    `stores(view)`: whether the kernel understands the storages of the node's inputs and outputs; by default only plain
    ones.  Where it does, `rejects` and `lower` take them from the view.
    `work`: what the instructions of a call are proportional to; with a measured table they are predicted from it.
    None for what every kernel has: calls, rows, pixels, outputs and products.
    `cost(view, rows)`: estimated instructions of one call for so many output rows, where there is no such table.
    `block`: output rows written at a time; `in_place` promises hold for whole blocks.
    `unrolled`: rows and borders must be compile-time constants, so that each kind of call gets a copy of its own.
    `accumulates`: has _begin and _finish.  `streams`: can be called for some of the rows.
    """

    function: str
    op: type[Op]
    header: str
    lower: Callable[[NodeView], Lowered]
    rejects: Callable[[NodeView], str | None] = _never
    needs: frozenset[str] = frozenset()
    stores: Callable[[NodeView], bool] = _plain
    cost: Callable[[NodeView, int], int] = _generic_cost
    work: Work | None = None
    in_place: InPlace = InPlace.ROWS
    block: int = 1
    unrolled: bool = False
    accumulates: bool = False
    streams: bool = True


@dataclass(frozen=True)
class Choice:
    """The kernel of one node, with its constants for that node."""

    kernel: Kernel
    lowered: Lowered


@dataclass(frozen=True)
class Selection:
    """What `select` decided: a kernel per node (None for views), a storage per tensor, and NodeView.small."""

    choices: tuple[Choice | None, ...]
    storages: tuple[Storage, ...]
    small: bool = False

    @property
    def constants(self) -> int:
        """Bytes of all tables."""
        return sum(table.size for chosen in self.choices if chosen is not None for table in chosen.lowered.tables)

    def choice(self, node: int) -> Choice:
        """The choice for a node that is called, i.e. is no view."""
        chosen = self.choices[node]
        assert chosen is not None
        return chosen
