from __future__ import annotations

import pytest

from whybench.records.table import record_table
from whybench.suites.judge import SUITE
from whybench.suites.judge.measures import contrast_measures, judge_measures

CONDITION = {
    "graph": "collider",
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
        SUITE.record_columns,
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
    assert found["explaining_away"].estimate == pytest.approx(0.30)
    assert found["markov_violation"].estimate == pytest.approx(0.05)
    assert (
        found["explaining_away"].n,
        found["explaining_away"].units,
        found["explaining_away"].scored,
    ) == (2, 1, 5)
    assert found["explaining_away"].low is None
    assert found["explaining_away"].flags == ("small_n",)


@pytest.mark.parametrize(
    ("graph", "above", "below"),
    [("fork", ("VI", "IX"), ("VIII", "XI")), ("chain", ("VIII", "VI"), ("VII", "V"))],
)
def test_mv_of_fork_and_chain_is_the_mean_of_two_differences(graph, above, below) -> None:
    pairs = ((above[0], 80.0), (above[1], 30.0), (below[0], 60.0), (below[1], 20.0))
    rows = [row(task, value, graph=graph) for task, value in pairs]
    found = by_name(contrast_measures(table(*rows)))
    assert "explaining_away" not in found
    assert found["markov_violation"].n == 4
    assert found["markov_violation"].estimate == pytest.approx((0.20 + 0.10) / 2)
    # Task means count alike however many answers there are; without one of them there is no mv.
    again = by_name(contrast_measures(table(*rows, *[rows[0]] * 3)))["markov_violation"]
    assert again.estimate == pytest.approx(0.15)
    none = by_name(contrast_measures(table(*rows[:3])))["markov_violation"]
    assert (none.estimate, none.n, none.units) == (None, 3, 1)


def test_the_interval_of_two_differences_is_clustered_by_vignette() -> None:
    # Two vignettes whose mv are .1 and .3: mean .2, standard error .1, t(1) = 12.706.
    rows = [
        row(task, value, story, graph="fork")
        for story, lift in (("economy", 10.0), ("weather", 30.0))
        for task, value in (("VI", 60.0 + lift), ("IX", 20.0 + lift), ("VIII", 60.0), ("XI", 20.0))
    ]
    found = by_name(contrast_measures(table(*rows)))["markov_violation"]
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
    assert found["explaining_away"].estimate is None
    assert (
        found["explaining_away"].scored,
        found["explaining_away"].no_answer,
        found["explaining_away"].error,
    ) == (1, 1, 1)


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
        (m.labels["agent"], m.labels["style"]): m.estimate
        for m in found
        if m.name == "explaining_away"
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
    found = by_name(judge_measures(table(*rows)))["explaining_away"]
    assert found.units == 2
    assert found.high - found.estimate == pytest.approx(12.7062 * 0.1, rel=1e-4)


def test_a_measure_is_one_flat_row() -> None:
    flat = by_name(judge_measures(table(row("VIII", 90.0))))["explaining_away"].row()
    assert flat["agent"] == "a"
    assert flat["style"] == "direct"
    assert flat["flags"] == "small_n"
    assert "labels" not in flat


STORIES = ("economy", "sociology", "weather")
POLARITIES = ("ppp", "pmm", "mpm", "mmp")


def lifted(lift):
    """Answers whose ea is what `lift` says, in hundredths, by story and polarity."""
    return table(
        *(
            row(task, value, story, polarity=polarity)
            for number, story in enumerate(STORIES)
            for place, polarity in enumerate(POLARITIES)
            for task, value in (("VIII", 40.0 + lift(number, place)), ("VI", 40.0))
        )
    )


def test_intervals_for_these_stories_and_for_stories_like_these() -> None:
    # By story 10, 20, 30, by polarity 4 more or less: within stories the variance is 64/3.
    found = by_name(
        contrast_measures(lifted(lambda story, place: 10 * story + 10 + (4, -4, 4, -4)[place]))
    )["explaining_away"]
    assert found.estimate == pytest.approx(0.20)
    assert found.high - 0.20 == pytest.approx(2.26216 * (64 / 3 / 12) ** 0.5 / 100, rel=1e-4)
    # Story means 10, 20, 30: variance 100, three of them, t(2).
    assert found.general_high - 0.20 == pytest.approx(4.30265 * (100 / 3) ** 0.5 / 100, rel=1e-4)
    assert (found.units, found.general_units) == (12, 3)
    assert found.method == "difference of task means; t, CR2 within stories by story and polarity"
    row_of = found.row()
    assert row_of["general_low"] == found.general_low
    # Stories alike: what is not known of these is not known of others either.
    alike = by_name(contrast_measures(lifted(lambda _, place: (4, -4, 4, -4)[place])))[
        "explaining_away"
    ]
    assert (alike.general_low, alike.general_high) == (alike.low, alike.high)


def test_one_story_has_no_second_interval_and_lone_vignettes_are_together() -> None:
    vignettes = [("VIII", 50.0), ("VI", 40.0)]
    one = by_name(
        contrast_measures(
            table(
                *(
                    row(task, value + 3 * place, polarity=polarity)
                    for place, polarity in enumerate(POLARITIES)
                    for task, value in vignettes
                )
            )
        )
    )["explaining_away"]
    assert one.low is not None
    assert one.general_low is None
    assert "general_low" not in one.row()
    lone = by_name(
        contrast_measures(
            table(
                *(
                    row(task, value + (place * 5 if task == "VI" else 0), story)
                    for place, story in enumerate(STORIES)
                    for task, value in vignettes
                )
            )
        )
    )["explaining_away"]
    assert "within stories, lone clusters together" in lone.method
    assert (lone.low, lone.high) == (
        pytest.approx(lone.general_low),
        pytest.approx(lone.general_high),
    )


def test_people_are_drawn_within_stories() -> None:
    # Two persons a story, each with an ea of its own: within stories the variance is 50.
    rows = [
        row(task, value, story, person=f"{story}-{number}", polarity="ppp")
        for place, story in enumerate(STORIES)
        for number in (0, 1)
        for task, value in (("VIII", 50.0 + 20 * place + 10 * number), ("VI", 40.0))
    ]
    found = by_name(contrast_measures(table(*rows)))["explaining_away"]
    assert (found.units, found.general_units) == (6, 3)
    half = 3.18245 * (50 / 6) ** 0.5 / 100
    assert found.high - found.estimate == pytest.approx(half, rel=1e-4)
    assert found.general_high - found.estimate == pytest.approx(
        4.30265 * (400 / 3) ** 0.5 / 100, rel=1e-4
    )
