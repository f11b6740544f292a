"""Which kernel runs each node, and how each tensor is stored."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.ir import Graph, Node, Problem, UserError
from byrote.kernel import PLAIN, Choice, Kernel, NodeView, Selection
from byrote.ops import OPERATORS

_LISTED = tuple(kernel for operator in OPERATORS for kernel in operator.kernels)
_KERNELS = {op: tuple(kernel for kernel in _LISTED if kernel.op is op) for op in {kernel.op for kernel in _LISTED}}


@dataclass(frozen=True)
class PassedOver:
    """A kernel that was not chosen, and why."""

    kernel: str
    why: str


@dataclass(frozen=True)
class Selected:
    """The selection, and per node the kernels that were passed over."""

    selection: Selection
    passed_over: tuple[tuple[PassedOver, ...], ...]


def select(graph: Graph, features: frozenset[str]) -> Selected:
    """First kernel of each operator's list that can run the node.  Raises UserError naming all nodes without any."""
    choices: list[Choice | None] = []
    reasons: list[tuple[PassedOver, ...]] = []
    problems: list[Problem] = []
    for node in graph.nodes:
        if node.op.is_view:
            choices.append(None)
            reasons.append(())
            continue
        choice, passed = _choose(graph, node, features)
        if choice is None:
            why = "; ".join(f"{p.kernel}: {p.why}" for p in passed) or "there is no kernel for it"
            problems.append(Problem(f"operator {node.origin.index} {node.op.name} {node.origin.name[:80]!r}", why))
        choices.append(choice)
        reasons.append(passed)
    if problems:
        raise UserError(*problems)
    storages = (PLAIN,) * len(graph.tensors)
    return Selected(Selection(tuple(choices), storages), tuple(reasons))


def _choose(graph: Graph, node: Node, features: frozenset[str]) -> tuple[Choice | None, tuple[PassedOver, ...]]:
    view = NodeView(graph, node, (PLAIN,) * len(node.inputs), (PLAIN,) * len(node.outputs))
    passed: list[PassedOver] = []
    for kernel in _KERNELS.get(type(node.op), ()):
        reason = _reason(kernel, view, features)
        if reason is None:
            return Choice(kernel, kernel.lower(view)), tuple(passed)
        passed.append(PassedOver(kernel.function, reason))
    return None, tuple(passed)


def _reason(kernel: Kernel, view: NodeView, features: frozenset[str]) -> str | None:
    missing = sorted(kernel.needs - features)
    if missing:
        return f"the target has no {', '.join(missing)}"
    return kernel.rejects(view)
