"""Constant and unused channels, found by exact interval analysis and removed."""

from byrote.passes.channels.rewrite import remove_channels

__all__ = ["remove_channels"]
