"""Options of the test run."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples in every run; scripts search for new ones.
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    """--update-golden: accept what is generated now."""
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing")
