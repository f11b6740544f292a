"""Memory planning: `Problem` in, `Plan` out.  Knows no graph."""

from byrote.plan.problem import Buffer, Overlap, Plan, Problem, Role, View

__all__ = ["Buffer", "Overlap", "Plan", "Problem", "Role", "View"]
