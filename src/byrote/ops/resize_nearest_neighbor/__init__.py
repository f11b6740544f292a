"""RESIZE_NEAREST_NEIGHBOR."""

from byrote.ops.operator import Operator
from byrote.ops.resize_nearest_neighbor.cases import cases
from byrote.ops.resize_nearest_neighbor.kernels import KERNELS
from byrote.ops.resize_nearest_neighbor.op import ResizeNearestNeighbor
from byrote.ops.resize_nearest_neighbor.read import read

OPERATOR = Operator(
    names=("RESIZE_NEAREST_NEIGHBOR",),
    op=ResizeNearestNeighbor,
    read=read,
    kernels=KERNELS,
    summary="int8, constant size, aligned corners and half pixel centers",
    cases=cases,
)

__all__ = ["OPERATOR", "ResizeNearestNeighbor"]
