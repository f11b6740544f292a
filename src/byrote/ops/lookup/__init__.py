"""The kernel of every operator that maps one 8-bit value to another: a table made by the operator's reference."""

from byrote.ops.lookup.lookup import lookup_kernel, lookup_table

__all__ = ["lookup_kernel", "lookup_table"]
