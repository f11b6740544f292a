"""From a schedule to a placement problem."""

from byrote.liveness.heat import accesses
from byrote.liveness.homes import Homes
from byrote.liveness.problem import liveness, segment_problem

__all__ = ["Homes", "accesses", "liveness", "segment_problem"]
