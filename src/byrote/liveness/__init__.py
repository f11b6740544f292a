"""From a schedule to a placement problem."""

from byrote.liveness.homes import Homes
from byrote.liveness.problem import liveness, segment_problem

__all__ = ["Homes", "liveness", "segment_problem"]
