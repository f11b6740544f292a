"""Constants for short requantisation sequences, each proved equal to the reference for every reachable accumulator."""

from byrote.ops.requant.channels import Channels, reachable
from byrote.ops.requant.constants import Constants, find
from byrote.ops.requant.general import General, general

__all__ = ["Channels", "Constants", "General", "find", "general", "reachable"]
