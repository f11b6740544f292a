"""Options of the test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """--update-golden: accept what is generated now."""
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing")
