from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from tests.suites.judge.test_human_correlation import POLARITIES, QUESTIONS, STORIES, row

from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.judge import SUITE
from whybench.suites.judge.confidence import confidence_measures
from whybench.suites.judge.measures import judge_measures

if TYPE_CHECKING:
    from whybench.stats import Measure

COLUMNS = {**SUITE.columns, "confidence": float}

# By noisy-OR with a leak of .2, strengths of .75 and priors of .5: the effect has .2, .8, .95.
NORMATIVE = {
    "I": 20.0, "II": 80.0, "III": 95.0, "IV": 50.0, "V": 50.0,
    "VI": 100 * 0.95 / (0.95 + 0.8), "VII": 100 * 1.75 / 2.75, "VIII": 100 * 0.8 / (0.8 + 0.2),
    "IX": 100 * 0.05 / (0.05 + 0.2), "X": 100 * 0.25 / 1.25, "XI": 100 * 0.2 / (0.2 + 0.8),
}  # fmt: skip

LATER = {"VI", "VII", "VIII", "IX", "X", "XI"}
"""Tasks whose answers follow from those to the others."""


def answers(**changed: Any) -> list[dict[str, Any]]:
    """Return answers that follow from each other up to a slip, of which the agent knows."""
    draw = generator("test", "confidence")
    rows = []
    for story, polarity, place in product(STORIES, POLARITIES, range(20)):
        task = QUESTIONS[place].task
        slip = float(draw.integers(0, 40)) if task in LATER else 0
        value = NORMATIVE[task] + (slip if NORMATIVE[task] < 50 else -slip)
        stated = {"confidence": 100 - 2 * slip, "truth": NORMATIVE[task]}
        rows.append({**row("agent", story, polarity, place, value), **stated, **changed})
    return rows


def measure(rows: list[dict[str, Any]]) -> dict[str, Measure]:
    return {m.name: m for m in confidence_measures(record_table(rows, COLUMNS))}


def test_who_knows_its_slips_has_1_and_who_is_sure_of_them_has_less_than_0() -> None:
    rows = answers()
    found = measure(rows)
    assert found["confidence"].estimate == pytest.approx(
        np.mean([r["confidence"] for r in rows]) / 100
    )
    assert found["confidence_resolution"].estimate == pytest.approx(1.0)
    assert found["confidence_resolution"].n == 144
    turned = [r | {"confidence": 100 - r["confidence"]} for r in rows]
    assert measure(turned)["confidence_resolution"].estimate == pytest.approx(-1.0)


def test_what_was_kept_of_stated_worlds_is_read_as_that_of_stories() -> None:
    stories, stated = answers(), answers(overload="e")
    found = [measure(rows)["confidence_resolution"] for rows in (stories, stated)]
    assert found[0].estimate == found[1].estimate
    assert found[0].n == found[1].n == 144


def test_the_interval_is_that_of_leaving_out_vignettes() -> None:
    draw = generator("test", "leaving out")
    rows = [r | {"confidence": float(draw.integers(0, 101))} for r in answers()]
    implied = [r for r in rows if r["task"] in LATER]
    values = []
    for story, polarity in product(STORIES, POLARITIES):
        kept = [r for r in implied if (r["story"], r["polarity"]) != (story, polarity)]
        off = [-abs(r["value"] - r["truth"]) for r in kept]
        values.append(spearmanr([r["confidence"] for r in kept], off).statistic)
    reach = 2.200985 * np.sqrt(11 / 12 * np.sum((values - np.mean(values)) ** 2))
    found = measure(rows)["confidence_resolution"]
    assert found.high - found.estimate == pytest.approx(reach, rel=1e-5)
    assert found.estimate - found.low == pytest.approx(reach, rel=1e-5)


@given(st.integers(0, 100))
def test_constant_confidence_tells_nothing(stated: int) -> None:
    found = measure(answers(confidence=float(stated)))
    assert found["confidence"].estimate == pytest.approx(stated / 100)
    assert found["confidence_resolution"].estimate is None
    assert "constant" in found["confidence_resolution"].flags


def test_where_no_confidence_is_stated_there_is_no_measure() -> None:
    assert measure(answers(confidence=None)) == {}
    assert list(confidence_measures(record_table(answers(), SUITE.columns))) == []
    fork = measure(answers(graph="fork"))
    assert list(fork) == ["confidence"]


def test_an_unanswered_table_leaves_nothing_to_be_held_against() -> None:
    rows = [r for r in answers() if r["task"] != "III"]
    found = measure(rows)["confidence_resolution"]
    assert (found.estimate, found.n) == (None, 0)


def test_it_is_among_the_measures_of_the_suite() -> None:
    names = {m.name for m in judge_measures(record_table(answers(), COLUMNS))}
    assert {"confidence", "confidence_resolution"} <= names
