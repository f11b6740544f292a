"""FULLY_CONNECTED."""

from byrote.ops.fully_connected.cases import cases
from byrote.ops.fully_connected.kernels import KERNELS
from byrote.ops.fully_connected.op import FullyConnected
from byrote.ops.fully_connected.read import read
from byrote.ops.operator import Operator

OPERATOR = Operator(
    names=("FULLY_CONNECTED",),
    op=FullyConnected,
    read=read,
    kernels=KERNELS,
    summary="int8, input of any rank, per-tensor or per-channel weights, fused clamp",
    cases=cases,
)

__all__ = ["OPERATOR", "FullyConnected"]
