"""What is particular to selection, by a second way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from whybench.suites.analyze.challenges import CHALLENGES

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance


def instances(name: str, variant: str, count: int = 8) -> list[Instance]:
    return [CHALLENGES[name].generate(variant, "tests", seed) for seed in range(count)]


def test_selection_shows_the_chance_of_every_row() -> None:
    for variant in ("trap", "random", "true_association", "one_cause"):
        for drawn in instances("selection", variant, 3):
            rows = drawn.rows
            expected = [
                drawn.parameters[f"in_{t}{y}{z}"]
                for t, y, z in zip(
                    rows["treatment"], rows["outcome"], rows["bystander"], strict=True
                )
            ]
            assert rows["inclusion"].tolist() == expected


def test_no_effect_is_no_sign_of_selection() -> None:
    zero = {
        variant: {
            abs(drawn.number("effect").value) < 1e-12 for drawn in instances("selection", variant)
        }
        for variant in CHALLENGES["selection"].variants
    }
    assert zero == {
        "trap": {True},
        "random": {True, False},
        "true_association": {False},
        "one_cause": {True, False},
    }


def test_selection_bends_the_odds_either_way() -> None:
    naive = [
        next(iter(drawn.number("effect").naive.values()))
        for drawn in instances("selection", "trap", 12)
    ]
    assert min(naive) < 0 < max(naive)
