"""What a developer waits for: all laws and most other tests are quick."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections import Counter

TESTS = Path(__file__).parent


def skip_unless_all_are_collected(config: pytest.Config) -> None:
    asked = [config.invocation_params.dir / word for word in config.args]
    if not {path.resolve() for path in asked} & {TESTS, TESTS.parent}:
        pytest.skip("only some tests are collected")


def test_every_entry_of_the_nightly_list_is_a_test(
    pytestconfig: pytest.Config, unmatched_nightly: list[str]
) -> None:
    skip_unless_all_are_collected(pytestconfig)
    assert unmatched_nightly == []


def test_all_laws_and_four_of_five_tests_are_quick(
    pytestconfig: pytest.Config, collected: Counter[str]
) -> None:
    skip_unless_all_are_collected(pytestconfig)
    assert collected["slow law"] == 0
    assert collected["quick law"] + collected["quick test"] >= 0.8 * collected.total()
