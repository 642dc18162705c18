"""The fault drill at a small size, and the claims it makes of runs that went wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence.broken_replies import PARTS, SHARES, Drill, told
from evidence.fault_server import DECOY, FAULTS
from evidence.figures import held

RIGHT = {f"item-{i}": float(2 * i) for i in range(40)}
ROWS = [
    {"item": item, "outcome": "scored", "reason": "", "value": value}
    for item, value in RIGHT.items()
]
CALLS = [
    {"time": float(i), "client": "c", "question": item, "attempt": 1, "fault": ""}
    for i, item in enumerate(RIGHT)
] + [{"time": 41.0, "client": "c", "question": "item-0", "attempt": 2, "fault": "cut"}]
GOOD = Drill(40, ROWS, RIGHT, CALLS, seconds=9.0, peak=300.0, in_time=True)


def lost(outcome: str, reason: str) -> list[dict]:
    return [{"item": "item-0", "outcome": outcome, "reason": reason, "value": None}, *ROWS[1:]]


def test_the_drill_has_every_fault_in_a_fifth_of_the_calls() -> None:
    assert set(SHARES) == set(FAULTS)
    assert sum(SHARES.values()) == pytest.approx(0.2)


def test_a_good_run_holds() -> None:
    assert all(figure.holds for figure in told(GOOD, 600))


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ({"rows": ROWS[:-1]}, 0),
        ({"rows": [*ROWS, ROWS[0]]}, 0),
        ({"rows": [{**ROWS[0], "value": float(DECOY)}, *ROWS[1:]]}, 1),
        ({"rows": [{**ROWS[0], "value": RIGHT["item-1"]}, *ROWS[1:]]}, 1),
        ({"rows": lost("error", "")}, 2),
        ({"rows": lost("error", "RetryError(<Future at 0x7f state=finished>)")}, 2),
        ({"rows": lost("no_answer", "no_number")}, 2),
        ({"rows": lost("no_answer", "cut_off")}, 2),
        ({"calls": CALLS * 2}, 3),
        ({"peak": 600.0}, 4),
        ({"in_time": False}, 5),
    ],
)
def test_each_claim_fails_where_it_should(changes, claim) -> None:
    holds = [figure.holds for figure in told(replace(GOOD, **changes), 600)]
    assert [place for place, held in enumerate(holds) if not held] == [claim]


@pytest.mark.parametrize("part", ["mixed faults"])
def test_the_figures_hold(part: str) -> None:
    assert len(held(PARTS[part])) == 5
