"""What a developer waits for: all laws and most other tests are quick."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections import Counter

TESTS = Path(__file__).parent


def test_all_laws_and_four_of_five_tests_are_quick(
    pytestconfig: pytest.Config, collected: Counter[str]
) -> None:
    asked = [pytestconfig.invocation_params.dir / word for word in pytestconfig.args]
    if not {path.resolve() for path in asked} & {TESTS, TESTS.parent}:
        pytest.skip("only some tests are collected")
    assert collected["slow law"] == 0
    assert collected["quick law"] + collected["quick test"] >= 0.8 * collected.total()
