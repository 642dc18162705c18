"""Agents compared with people, and people who are not compared with themselves."""

from __future__ import annotations

import pytest
from tests.page.simulated import answers

import whybench as wb
from whybench.results.people import compare_with_people
from whybench.stats import Estimate
from whybench.suites.judge.published import people_records
from whybench.suites.people import Likeness

pytestmark = pytest.mark.usefixtures("mirror")


def test_records_are_compared_with_people() -> None:
    records = wb.Records({"judge": answers("judge", 0)})
    among = records.compare_with_people(
        {"explaining_away": 2.0, "markov_violation": 2.0, "shift_ratio": 3.0}
    )
    assert isinstance(among, wb.Comparison)
    assert among.agents == records.agents
    assert {(one.by, one.side_a, one.side_b) for one in among} == {
        ("people", *records.agents, "people")
    }
    assert not any(one.is_significant for one in among)
    table = among.to_arrow()
    assert table["table"].to_pylist() == ["differences"] * 3 + ["likeness"] * 2 + ["places"] * 3
    assert repr(among) == "<Comparison by people: 3 differences, 0 significant>"


def test_people_are_not_held_against_themselves() -> None:
    records = wb.Records({"judge": answers("judge", 0)}).with_baselines("people")
    assert records.compare_with_people().agents == records.agents
    with pytest.raises(wb.UserError, match="agents must be others than people"):
        compare_with_people({"judge": people_records()})


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.01, 0.2, "closer than the baseline"),
        (-0.2, -0.01, "farther than the baseline"),
        (-0.1, 0.1, "no significant difference from the baseline"),
        (None, None, "no significant difference from the baseline"),
    ],
)
def test_the_verdict_goes_by_the_interval_of_the_gain(
    low: float | None, high: float | None, verdict: str
) -> None:
    value, gain = (Estimate(0.5, *ends, 132, 12, "t") for ends in ((0.4, 0.6), (low, high)))
    found = Likeness("human_correlation", {}, value, 0.8, 0.4, "always 50", 0.9, gain)
    assert found.verdict == found.row()["verdict"] == verdict
