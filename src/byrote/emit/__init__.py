"""Printing C: constants, parameter structs, calls, the loops of segments.  Algorithms live in the kernels' headers."""

from byrote.emit.names import identifier
from byrote.emit.program import EmitOptions, File, Program, emit
from byrote.emit.selftest import golden_inputs

__all__ = ["EmitOptions", "File", "Program", "emit", "golden_inputs", "identifier"]
