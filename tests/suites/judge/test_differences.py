from __future__ import annotations

import pytest

from whybench.stats import Measure
from whybench.suites.judge.differences import condition_changes


def measure(
    agent: str, value: float | None, name: str = "explaining_away", flags=(), **condition
) -> Measure:
    labels = {"agent": agent, "graph": "collider", "content": "story"}
    labels |= {"overload": "none", "style": "direct", "independence": "unstated", **condition}
    return Measure(name, value, None, None, 48, 12, 240, 0, 0, "", flags, labels)


def test_changes_are_paired_by_agent() -> None:
    found = condition_changes(
        [
            measure("a", 0.1),
            measure("b", 0.3),
            measure("c", 0.9),
            measure("a", 0.2, content="abstract"),
            measure("b", 0.5, content="abstract"),
        ]
    )
    (change,) = found
    assert (change.labels["manipulation"], change.measure) == ("abstract", "explaining_away")
    assert (change.by, change.side_a, change.side_b) == ("content", "abstract", "story")
    assert change.by_agent == {"a": (0.2, 0.1), "b": (0.5, 0.3)}
    assert change.difference == pytest.approx(0.15)
    # Two differences, .1 and .2: standard error .05, t(1) = 12.706.
    assert change.high == pytest.approx(0.15 + 12.7062 * 0.05, rel=1e-4)
    assert change.row()["agents"] == 2


def test_nothing_is_compared_that_differs_in_more_than_one_way_or_rests_on_little() -> None:
    assert not condition_changes(
        [measure("a", 0.1), measure("a", 0.2, content="abstract", style="cot")]
    )
    assert not condition_changes(
        [
            measure("a", 0.1, flags=("small_n",)),
            measure("b", None),
            measure("a", 0.2, style="cot"),
            measure("b", 0.2, style="cot"),
        ]
    )


def test_each_manipulation_is_corrected_within_itself() -> None:
    found = condition_changes(
        [
            measure(agent, value + shift, name, style=style)
            for agent, value in (("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.4), ("e", 0.5))
            for name, effect in (("explaining_away", 0.2), ("markov_violation", 0.0))
            for style, shift in (("direct", 0.0), ("cot", effect))
        ]
    )
    tests = {change.measure: change for change in found}
    assert tests["explaining_away"].p == pytest.approx(2 / 32)
    assert tests["explaining_away"].corrected_p == pytest.approx(4 / 32)
    assert tests["markov_violation"].p == 1
