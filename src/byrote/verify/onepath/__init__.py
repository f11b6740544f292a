"""Proof that a linked program executes the same instructions for all inputs."""

from byrote.verify.onepath.findings import Options
from byrote.verify.onepath.prove import Analysis, Call, analyse, prove_path
from byrote.verify.onepath.report import ASSUMPTIONS, Fault, PathReport, Site, Violation

__all__ = [
    "ASSUMPTIONS",
    "Analysis",
    "Call",
    "Fault",
    "Options",
    "PathReport",
    "Site",
    "Violation",
    "analyse",
    "prove_path",
]
