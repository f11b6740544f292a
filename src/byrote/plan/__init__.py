"""Memory planning: `Problem` in, `Plan` out.  Knows no graph."""

from byrote.plan.bound import lower_bound
from byrote.plan.core import collapse
from byrote.plan.memories import Arena, Memory, Placement, arena_at, distribute
from byrote.plan.peak import peak_bytes
from byrote.plan.problem import Buffer, Overlap, Plan, Problem, Role, View
from byrote.plan.solve import NORMAL, QUICK, THOROUGH, Effort, blame, fullest, solve
from byrote.plan.validate import faults, validate

__all__ = [
    "NORMAL",
    "QUICK",
    "THOROUGH",
    "Arena",
    "Buffer",
    "Effort",
    "Memory",
    "Overlap",
    "Placement",
    "Plan",
    "Problem",
    "Role",
    "View",
    "arena_at",
    "blame",
    "collapse",
    "distribute",
    "faults",
    "fullest",
    "lower_bound",
    "peak_bytes",
    "solve",
    "validate",
]
