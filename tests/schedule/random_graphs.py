"""Random graphs: branches, residuals, strides, dilations, concatenations, pools, several inputs and outputs."""

from __future__ import annotations

import random

from byrote.ir import Access, Graph
from byrote.kernel import InPlace, Selection
from tests.schedule.networks import Network, int8, kernel


def random_network(seed: int, *, longest: int = 12) -> tuple[Graph, Selection]:
    chance = random.Random(seed)
    net = Network()
    live = [net.input(1, chance.randint(1, 17), chance.randint(1, 6), chance.randint(1, 4))]
    if chance.random() < 0.2:
        live.append(net.input(1, chance.randint(1, 9), 2, chance.randint(1, 4)))
    for _ in range(chance.randint(1, longest)):
        x = live[-1] if chance.random() < 0.7 else chance.choice(live)
        live.extend(_grow(net, chance, live, x))
    read = {tensor for node in net.nodes for tensor in node.inputs}
    ends = [tensor for tensor in live if tensor not in read and tensor not in net.inputs] or [live[-1]]
    extra = [tensor for tensor in live if tensor not in ends and chance.random() < 0.05]
    return net.build(*ends, *extra)


def _grow(net: Network, chance: random.Random, live: list[int], x: int) -> tuple[int, ...]:
    if len(net.shape(x)) != 4:
        return (net.dense(x, chance.randint(1, 9)),)
    _, height, width, depth = net.shape(x)
    alike = [t for t in live if len(net.shape(t)) == 4 and net.shape(t)[1:3] == (height, width) and t != x]
    kind = chance.random()
    if kind < 0.25 and alike:
        other = chance.choice(alike)
        if net.shape(other) == net.shape(x):
            return (net.add(x, other, chance.choice(list(InPlace))),)
        return (net.concat([x, other]),)
    if kind < 0.7:
        return (_window(net, chance, x),)
    if kind < 0.76 and height < 20:
        return (net.upsample(x, 2),)
    if kind < 0.82:
        return (net.view(x, 1, height, width * depth, 1),)
    if kind < 0.87:
        return (net.pool_all(x, accumulates=chance.random() < 0.7),)
    if kind < 0.92:
        return (net.dense(x, chance.randint(1, 9), accumulates=chance.random() < 0.5),)
    if depth > 1:
        table = (Access.identity(height),)
        parts = [int8(1, height, width, 1), int8(1, height, width, depth - 1)]
        return net.node([x], parts, (table, table), kernel(chance.choice([InPlace.ROWS, InPlace.NEVER])))
    return (net.window(x, chance.randint(1, 6), 1),)


def _window(net: Network, chance: random.Random, x: int) -> int:
    height = net.shape(x)[1]
    size, stride, dilation = chance.randint(1, 4), chance.choice([1, 1, 1, 2, 3]), chance.choice([1, 1, 2])
    fits = (size - 1) * dilation + 1 <= min(height, net.shape(x)[2])
    return net.window(
        x,
        chance.randint(1, 6),
        size,
        stride,
        valid=fits and chance.random() < 0.3,
        dilation=dilation,
        scratch=chance.choice([0, 0, 13]),
        block=chance.choice([1, 1, 2, 3]),
    )
