"""What is particular to simpson and selection, by a second way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from whybench.suites.analyze.challenges import CHALLENGES

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance


def instances(name: str, variant: str, count: int = 8) -> list[Instance]:
    return [CHALLENGES[name].generate(variant, "tests", seed) for seed in range(count)]


def share(rows: dict[str, np.ndarray], **where: int) -> float:
    chosen = np.all([rows[role] == value for role, value in where.items()], axis=0)
    return float(rows["outcome"][chosen].mean())


def test_simpson_has_the_same_rows_after_the_treatment_and_the_opposite_truth() -> None:
    pairs = zip(instances("simpson", "trap"), instances("simpson", "post_treatment"), strict=True)
    for trap, control in pairs:
        assert all(np.array_equal(trap.rows[role], control.rows[role]) for role in trap.rows)
        assert trap.parameters == control.parameters
        assert trap.number("effect").value * control.number("effect").value < 0


def test_simpson_reverses_in_every_stratum() -> None:
    signs = set()
    for drawn in instances("simpson", "trap"):
        rows = dict(drawn.rows)
        crude = share(rows, treatment=1) - share(rows, treatment=0)
        for level in (0, 1):
            within = share(rows, treatment=1, stratum=level) - share(
                rows, treatment=0, stratum=level
            )
            assert within * crude < 0
        signs.add(crude > 0)
    assert signs == {True, False}


def test_the_effect_after_the_treatment_is_that_of_the_whole_table() -> None:
    """By hand: P(outcome | treated) from the parameters of the table."""
    for drawn in instances("simpson", "post_treatment", 3):
        at = drawn.parameters
        chances = []
        for t in (0, 1):
            weights = [
                p * (at[f"treated_{s}"] if t else 1 - at[f"treated_{s}"])
                for s, p in ((0, 1 - at["stratum"]), (1, at["stratum"]))
            ]
            joint = sum(w * at[f"outcome_{t}{s}"] for s, w in enumerate(weights))
            chances.append(joint / sum(weights))
        assert drawn.number("effect").value == pytest.approx(chances[1] - chances[0], abs=1e-12)


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
