"""Agents beside people as a frame: what is in it, and who is not held against themselves."""

from __future__ import annotations

import pytest
from tests.page.simulated import answers

import whybench as wb
from whybench.results.among_people import compare_with_people
from whybench.stats import Estimate
from whybench.suites.judge.published import people_records
from whybench.suites.people import Likeness

pytestmark = pytest.mark.usefixtures("mirror")


def test_records_are_compared_with_people() -> None:
    records = wb.Records({"judge": answers("judge", 0)})
    among = records.compare_with_people({"ea": 2.0, "mv": 2.0, "coherence": 3.0})
    assert isinstance(among, wb.AmongPeople)
    assert [one.agent for one in among] == list(records.agents)
    assert among[:1].to_rows() == among.to_rows()
    assert not {change.verdict for change in among.changes} & {"rose", "fell"}
    table = among.to_arrow()
    assert table["table"].to_pylist() == ["differences"] * 3 + ["likeness"] * 2 + ["places"] * 3
    assert repr(among) == f"<AmongPeople: {among[0].agent}>"


def test_people_are_not_held_against_themselves() -> None:
    records = wb.Records({"judge": answers("judge", 0)}).with_baselines("people")
    assert [one.agent for one in records.compare_with_people()] == list(records.agents)
    with pytest.raises(wb.UserError, match="agents must be others than people"):
        compare_with_people({"judge": people_records()})


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.01, 0.2, "nearer than the floor"),
        (-0.2, -0.01, "farther than the floor"),
        (-0.1, 0.1, "no nearer shown"),
        (None, None, "no nearer shown"),
    ],
)
def test_the_verdict_goes_by_the_interval_of_the_gain(
    low: float | None, high: float | None, verdict: str
) -> None:
    value, gain = (Estimate(0.5, *ends, 132, 12, "t") for ends in ((0.4, 0.6), (low, high)))
    found = Likeness("alignment", {}, value, 0.8, 0.4, "always 50", 0.9, gain)
    assert found.verdict == found.row()["verdict"] == verdict
