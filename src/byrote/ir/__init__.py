"""The program and its vocabulary; knows nothing of files, C or memory."""

from byrote.errors import Problem, UserError, user_error
from byrote.ir.fixedpoint import Requant, Rounding, quantize_multiplier, requantize
from byrote.ir.graph import Graph, Node, Origin, Port, State, Tensor, TensorId
from byrote.ir.op import Access, Array, Op
from byrote.ir.printer import print_graph
from byrote.ir.types import DType, Quant, TensorType
from byrote.ir.verifier import InvalidGraphError, verify

__all__ = [
    "Access",
    "Array",
    "DType",
    "Graph",
    "InvalidGraphError",
    "Node",
    "Op",
    "Origin",
    "Port",
    "Problem",
    "Quant",
    "Requant",
    "Rounding",
    "State",
    "Tensor",
    "TensorId",
    "TensorType",
    "UserError",
    "print_graph",
    "quantize_multiplier",
    "requantize",
    "user_error",
    "verify",
]
