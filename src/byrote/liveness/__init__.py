"""From a schedule to a placement problem."""

from byrote.liveness.homes import Homes
from byrote.liveness.problem import liveness

__all__ = ["Homes", "liveness"]
