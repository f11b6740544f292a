"""What operators share that only move elements: one kernel for whole tensors with any strides."""

from byrote.ops.movement.gather import Moves, gather_kernel, moved_type

__all__ = ["Moves", "gather_kernel", "moved_type"]
