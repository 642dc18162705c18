from __future__ import annotations

import pytest

from whybench.records.table import record_table
from whybench.suites.judge import SUITE
from whybench.suites.judge.measures import contrast_measures, judge_measures

CONDITION = {
    "graph": "collider",
    "stimuli": "own",
    "content": "story",
    "overload": "none",
    "overload_source": "none",
    "style": "direct",
}


def table(*rows):
    return record_table(
        [
            {
                "agent": agent,
                "design": "core",
                "design_hash": "0",
                "outcome": outcome,
                "value": value,
                "task": task,
            }
            | {"story": story, "polarity": "ppp", **CONDITION, **more}
            for agent, task, story, value, outcome, more in rows
        ],
        SUITE.columns,
    )


def row(task, value, story="economy", agent="a", outcome="scored", **more):
    return agent, task, story, value, outcome, more


def by_name(measures):
    return {measure.name: measure for measure in measures}


def test_ea_is_viii_minus_vi_and_mv_is_iv_minus_v() -> None:
    found = by_name(
        judge_measures(
            table(
                row("VIII", 90.0), row("VI", 60.0), row("IV", 55.0), row("V", 50.0), row("I", 3.0)
            )
        )
    )
    assert found["ea"].estimate == pytest.approx(0.30)
    assert found["mv"].estimate == pytest.approx(0.05)
    assert (found["ea"].n, found["ea"].units, found["ea"].scored) == (2, 1, 5)
    assert found["ea"].low is None
    assert found["ea"].flags == ("small_n",)


@pytest.mark.parametrize(
    ("graph", "above", "below"),
    [("fork", ("VI", "IX"), ("VIII", "XI")), ("chain", ("VIII", "VI"), ("VII", "V"))],
)
def test_mv_of_fork_and_chain_is_the_mean_of_two_differences(graph, above, below) -> None:
    pairs = ((above[0], 80.0), (above[1], 30.0), (below[0], 60.0), (below[1], 20.0))
    rows = [row(task, value, graph=graph) for task, value in pairs]
    found = by_name(contrast_measures(table(*rows)))
    assert "ea" not in found
    assert found["mv"].n == 4
    assert found["mv"].estimate == pytest.approx((0.20 + 0.10) / 2)
    # Task means count alike however many answers there are; without one of them there is no mv.
    again = by_name(contrast_measures(table(*rows, *[rows[0]] * 3)))["mv"]
    assert again.estimate == pytest.approx(0.15)
    none = by_name(contrast_measures(table(*rows[:3])))["mv"]
    assert (none.estimate, none.n, none.units) == (None, 3, 1)


def test_the_interval_of_two_differences_is_clustered_by_vignette() -> None:
    # Two vignettes whose mv are .1 and .3: mean .2, standard error .1, t(1) = 12.706.
    rows = [
        row(task, value, story, graph="fork")
        for story, lift in (("economy", 10.0), ("weather", 30.0))
        for task, value in (("VI", 60.0 + lift), ("IX", 20.0 + lift), ("VIII", 60.0), ("XI", 20.0))
    ]
    found = by_name(contrast_measures(table(*rows)))["mv"]
    assert found.estimate == pytest.approx(0.2)
    assert found.high - found.estimate == pytest.approx(12.7062 * 0.1, rel=1e-4)


def test_missing_answers_are_counted_and_never_zero() -> None:
    found = by_name(
        judge_measures(
            table(
                row("VIII", 90.0),
                row("VI", None, outcome="no_answer"),
                row("IV", None, outcome="error"),
            )
        )
    )
    assert found["ea"].estimate is None
    assert (found["ea"].scored, found["ea"].no_answer, found["ea"].error) == (1, 1, 1)


def test_agents_and_conditions_are_kept_apart() -> None:
    found = judge_measures(
        table(
            *(
                row(task, value, story, agent, style=style)
                for agent, shift in (("a", 0.0), ("b", 10.0))
                for style in ("direct", "cot")
                for story in ("economy", "weather")
                for task, value in (("VIII", 80.0 + shift), ("VI", 50.0))
            )
        )
    )
    estimates = {
        (m.labels["agent"], m.labels["style"]): m.estimate for m in found if m.name == "ea"
    }
    assert estimates == {
        ("a", "direct"): pytest.approx(0.3),
        ("a", "cot"): pytest.approx(0.3),
        ("b", "direct"): pytest.approx(0.4),
        ("b", "cot"): pytest.approx(0.4),
    }


def test_the_interval_is_clustered_by_vignette() -> None:
    # Two vignettes whose differences are .2 and .4: mean .3, standard error .1, t(1) = 12.706.
    rows = [
        row(task, value, story)
        for story, above in (("economy", 70.0), ("weather", 90.0))
        for task, value in (("VIII", above), ("VIII", above), ("VI", 50.0), ("VI", 50.0))
    ]
    found = by_name(judge_measures(table(*rows)))["ea"]
    assert found.units == 2
    assert found.high - found.estimate == pytest.approx(12.7062 * 0.1, rel=1e-4)


def test_a_measure_is_one_flat_row() -> None:
    flat = by_name(judge_measures(table(row("VIII", 90.0))))["ea"].row()
    assert flat["agent"] == "a"
    assert flat["style"] == "direct"
    assert flat["flags"] == "small_n"
    assert "labels" not in flat
