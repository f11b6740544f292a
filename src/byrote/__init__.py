"""Ahead-of-time compiler from trained neural networks to plain C."""
