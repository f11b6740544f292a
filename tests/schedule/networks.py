"""Graphs of operators that have nothing but access tables: what scheduling sees of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from byrote.ir import Access, DType, Graph, Node, Op, Origin, Port, Tensor, TensorType
from byrote.kernel import PLAIN, Choice, InPlace, Kernel, Lowered, NodeView, Selection

if TYPE_CHECKING:
    from byrote.ir.op import Array


@dataclass(frozen=True)
class FakeOp(Op):
    name: ClassVar[str] = "FAKE"
    tables: tuple[tuple[Access, ...], ...]
    types: tuple[TensorType, ...]
    work: int = 0

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        del inputs
        return self.types

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        raise NotImplementedError

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del inputs, outputs
        return self.tables

    def macs(self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> int:
        del inputs, outputs
        return self.work


@dataclass(frozen=True)
class FakeView(FakeOp):
    name: ClassVar[str] = "VIEW"
    is_view: ClassVar[bool] = True


def lower_nothing(view: NodeView) -> Lowered:
    del view
    return Lowered("none", (), ())


def kernel(in_place: InPlace = InPlace.ROWS, block: int = 1, *, accumulates: bool = False) -> Kernel:
    return Kernel("fake", FakeOp, "fake.h", lower_nothing, in_place=in_place, block=block, accumulates=accumulates)


def int8(*shape: int) -> TensorType:
    return TensorType(DType.INT8, shape)


@dataclass
class Network:
    """Builds a graph; tensors are referred to by index."""

    tensors: list[TensorType] = field(default_factory=list[TensorType])
    nodes: list[Node] = field(default_factory=list[Node])
    choices: list[Choice | None] = field(default_factory=list["Choice | None"])
    inputs: list[int] = field(default_factory=list[int])

    def tensor(self, kind: TensorType) -> int:
        self.tensors.append(kind)
        return len(self.tensors) - 1

    def input(self, *shape: int) -> int:
        self.inputs.append(self.tensor(int8(*shape)))
        return self.inputs[-1]

    def node(
        self,
        inputs: Sequence[int],
        outputs: Sequence[TensorType],
        tables: tuple[tuple[Access, ...], ...],
        chosen: Kernel | None = None,
        *,
        scratch: int = 0,
        state: int = 0,
        work: int = 0,
    ) -> tuple[int, ...]:
        results = tuple(self.tensor(kind) for kind in outputs)
        origin = Origin(len(self.nodes), f"n{len(self.nodes)}")
        self.nodes.append(Node(FakeOp(tables, tuple(outputs), work), tuple(inputs), results, origin))
        lowered = Lowered("none", (), (), scratch=scratch, state=state)
        self.choices.append(Choice(chosen or kernel(), lowered))
        return results

    def shape(self, tensor: int) -> tuple[int, ...]:
        return self.tensors[tensor].shape

    def window(
        self,
        x: int,
        channels: int,
        size: int | tuple[int, int] = 3,
        stride: int | tuple[int, int] = 1,
        *,
        valid: bool = False,
        dilation: int = 1,
        scratch: int = 0,
        block: int = 1,
        depthwise: bool = False,
    ) -> int:
        """A convolution or pooling."""
        _, height, width, depth = self.shape(x)
        (kh, kw), (sh, sw) = ((v, v) if isinstance(v, int) else v for v in (size, stride))
        kh, kw = (kh - 1) * dilation + 1, (kw - 1) * dilation + 1
        if valid:
            oh, ow, before = (height - kh) // sh + 1, (width - kw) // sw + 1, 0
        else:
            oh, ow = -(-height // sh), -(-width // sw)
            before = max((oh - 1) * sh + kh - height, 0) // 2
        access = Access.window(height, oh, extent=kh, stride=sh, before=before)
        work = oh * ow * channels * kh * kw * (1 if depthwise else depth)
        kind = int8(1, oh, ow, channels)
        return self.node([x], [kind], ((access,),), kernel(block=block), scratch=scratch, work=work)[0]

    def depthwise(self, x: int, size: int | tuple[int, int] = 3, stride: int | tuple[int, int] = 1) -> int:
        return self.window(x, self.shape(x)[3], size, stride, depthwise=True)

    def separable(self, x: int, channels: int, stride: int = 1) -> int:
        return self.window(self.depthwise(x, 3, stride), channels, 1)

    def add(self, a: int, b: int, in_place: InPlace = InPlace.ELEMENTS) -> int:
        kind = self.tensors[a]
        access = Access.identity(kind.rows)
        return self.node([a, b], [kind], ((access, access),), kernel(in_place), work=kind.elements)[0]

    def concat(self, parts: Sequence[int]) -> int:
        """Along channels."""
        depths = [self.shape(part)[3] for part in parts]
        _, height, width, _ = self.shape(parts[0])
        starts = [sum(depths[:i]) for i in range(len(parts))]
        identity = Access.identity(height)
        table = tuple(
            Access(identity.first, identity.end, channels=(start, start + depth))
            for start, depth in zip(starts, depths, strict=True)
        )
        return self.node(parts, [int8(1, height, width, sum(depths))], (table,))[0]

    def upsample(self, x: int, factor: int) -> int:
        _, height, width, depth = self.shape(x)
        first = tuple(row // factor for row in range(height * factor))
        access = Access(first, tuple(row + 1 for row in first))
        return self.node([x], [int8(1, height * factor, width * factor, depth)], ((access,),))[0]

    def pool_all(self, x: int, *, accumulates: bool = True) -> int:
        """Global average pooling."""
        _, height, _, depth = self.shape(x)
        access = Access.whole(height, 1, accumulates=True)
        state = 4 * depth if accumulates else 0
        chosen = kernel(accumulates=accumulates)
        return self.node([x], [int8(1, 1, 1, depth)], ((access,),), chosen, state=state)[0]

    def dense(self, x: int, units: int, *, accumulates: bool = False) -> int:
        kind = self.tensors[x]
        access = Access.whole(kind.rows, 1, accumulates=accumulates)
        chosen = kernel(InPlace.NEVER, accumulates=accumulates)
        state = 4 * units if accumulates else 0
        work = kind.elements * units
        return self.node([x], [int8(1, units)], ((access,),), chosen, state=state, work=work)[0]

    def softmax(self, x: int) -> int:
        kind = self.tensors[x]
        return self.node([x], [kind], ((Access.identity(kind.rows),),), kernel(InPlace.NEVER))[0]

    def view(self, x: int, *shape: int) -> int:
        result = self.tensor(int8(*shape))
        access = Access.whole(self.tensors[x].rows, self.tensors[result].rows)
        op = FakeView(((access,),), (self.tensors[result],))
        self.nodes.append(Node(op, (x,), (result,), Origin(len(self.nodes), f"v{len(self.nodes)}")))
        self.choices.append(None)
        return result

    def build(self, *outputs: int) -> tuple[Graph, Selection]:
        tensors = tuple(Tensor(kind, Origin(i, f"t{i}")) for i, kind in enumerate(self.tensors))
        ports = [tuple(Port(t, f"p{t}", self.tensors[t]) for t in group) for group in (self.inputs, outputs)]
        graph = Graph("fake", tuple(self.nodes), tensors, ports[0], ports[1])
        return graph, Selection(tuple(self.choices), (PLAIN,) * len(tensors))


def keyword_spotting() -> tuple[Graph, Selection]:
    net = Network()
    x = net.window(net.input(1, 49, 10, 1), 64, (10, 4), 2)
    for _ in range(4):
        x = net.separable(x, 64)
    x = net.pool_all(x)
    return net.build(net.softmax(net.dense(net.view(x, 1, 64), 12)))


def mobilenet_v1(channels: int) -> tuple[Graph, Selection]:
    """Width 0.25, 96x96, as in visual wake words (3 channels) and person detection (1)."""
    net = Network()
    x = net.window(net.input(1, 96, 96, channels), 8, 3, 2)
    for depth, stride in [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2), (256, 1)]:
        x = net.separable(x, depth, stride)
    x = net.pool_all(x)
    return net.build(net.softmax(net.dense(net.view(x, 1, 256), 2)))


def resnet8() -> tuple[Graph, Selection]:
    net = Network()
    x = net.window(net.input(1, 32, 32, 3), 16)
    for depth, stride in [(16, 1), (32, 2), (64, 2)]:
        y = net.window(net.window(x, depth, 3, stride), depth)
        x = net.add(x if stride == 1 else net.window(x, depth, 1, stride), y)
    x = net.pool_all(x)
    return net.build(net.softmax(net.dense(net.view(x, 1, 64), 10)))


def autoencoder() -> tuple[Graph, Selection]:
    net = Network()
    x = net.input(1, 640)
    for units in (128, 128, 128, 128, 8, 128, 128, 128, 128, 640):
        x = net.dense(x, units)
    return net.build(x)


def micro_speech() -> tuple[Graph, Selection]:
    net = Network()
    x = net.window(net.view(net.input(1, 1960), 1, 49, 40, 1), 8, (10, 8), 2, depthwise=True)
    return net.build(net.softmax(net.dense(x, 4, accumulates=True)))


def mobilenet_v2(side: int = 224) -> tuple[Graph, Selection]:
    net = Network()
    x = net.window(net.input(1, side, side, 3), 32, 3, 2)
    blocks = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for expand, depth, repeats, stride in blocks:
        for index in range(repeats):
            wide = net.window(x, net.shape(x)[3] * expand, 1) if expand > 1 else x
            y = net.window(net.depthwise(wide, 3, stride if index == 0 else 1), depth, 1)
            x = net.add(x, y) if index else y
    x = net.pool_all(net.window(x, 1280, 1))
    return net.build(net.softmax(net.dense(net.view(x, 1, 1280), 1000)))
