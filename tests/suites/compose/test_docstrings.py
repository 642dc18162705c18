"""Run the examples that stand in docstrings."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("module", ["chain", "world"])
def test_examples(module: str) -> None:
    found = doctest.testmod(import_module(f"whybench.suites.compose.{module}"))
    assert found.attempted > 0
    assert found.failed == 0
