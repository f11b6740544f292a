"""Packing layers for the matrix core of cores with the DSP extension (runtime/gemm.h)."""

from byrote.ops.gemm.costs import Size, pair_of_pixels, vector
from byrote.ops.gemm.matrix import LANES, Matrix
from byrote.ops.gemm.memo import remembered
from byrote.ops.gemm.mixed import Mixed, mixed_order, pack_mixed, prepare_mixed
from byrote.ops.gemm.packed import SMALL_TURN, WHOLE_TURN, Form, Packed, turns
from byrote.ops.gemm.plain import pack_plain, prepare_plain

__all__ = [
    "LANES",
    "SMALL_TURN",
    "WHOLE_TURN",
    "Form",
    "Matrix",
    "Mixed",
    "Packed",
    "Size",
    "mixed_order",
    "pack_mixed",
    "pack_plain",
    "pair_of_pixels",
    "prepare_mixed",
    "prepare_plain",
    "remembered",
    "turns",
    "vector",
]
