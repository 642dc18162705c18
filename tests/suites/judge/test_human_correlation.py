from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import kruskal, spearmanr, t

from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.judge import SUITE
from whybench.suites.judge.differences import (
    agent_differences,
    story_differences,
)
from whybench.suites.judge.human_correlation import human_ceiling, human_correlations
from whybench.suites.judge.published import people_records
from whybench.suites.judge.questions import load_structure

STORIES = ("economy", "sociology", "weather")
POLARITIES = ("ppp", "pmm", "mpm", "mmp")
QUESTIONS = load_structure("collider").questions
TARGET = {
    (story, polarity, question.letter): float(value)
    for (story, polarity, question), value in zip(
        product(STORIES, POLARITIES, QUESTIONS),
        generator("test", "target").integers(0, 101, 240),
        strict=True,
    )
}


def row(
    agent: str, story: str, polarity: str, place: int, value: float | None
) -> dict[str, object]:
    question = QUESTIONS[place]
    return {
        "agent": agent, "suite": "paper", "version": 1, "design": "published",
        "design_hash": "", "item": f"{story}-{polarity}-{place}", "epoch": 1,
        "outcome": "no_answer" if value is None else "scored", "reason": "", "value": value,
        "graph": "collider", "content": "story", "story": story, "polarity": polarity,
        "task": question.task, "letter": question.letter, "cause": question.cause,
        "overload": "none", "overload_source": "none", "style": "direct",
    }  # fmt: skip


def answers(
    agent: str, noise: float, shift: float = 0.0, **changed: object
) -> list[dict[str, object]]:
    draw = generator("test", "answers", agent)
    return [
        row(
            agent,
            story,
            polarity,
            place,
            TARGET[story, polarity, QUESTIONS[place].letter]
            + shift * (story == "weather")
            + float(np.round(draw.normal(0, noise))),
        )
        | changed
        for story, polarity, place in product(STORIES, POLARITIES, range(20))
    ]


def correlate_means(rows: list[dict[str, object]]) -> float:
    cells: dict[tuple[object, ...], list[float]] = {}
    for entry in rows:
        key = (entry["story"], entry["polarity"], entry["letter"])
        cells.setdefault(key, []).append(entry["value"])
    means = [sum(values) / len(values) for values in cells.values()]
    return float(spearmanr(means, [TARGET[cell] for cell in cells]).statistic)


def test_alignment_is_spearmans_rho_of_cell_means_with_the_target() -> None:
    noisy, exact = answers("noisy", 30), answers("exact", 0)
    table = record_table([*noisy, *exact], SUITE.columns)
    found = {
        (m.labels["agent"], m.at.get("story", "pooled")): m
        for m in human_correlations(table, TARGET)
    }
    assert list(found) == [
        (agent, scope) for agent in ("noisy", "exact") for scope in (*STORIES, "pooled")
    ]
    for scope in (*STORIES, "pooled"):
        rows = [r for r in noisy if scope in (r["story"], "pooled")]
        measure = found["noisy", scope]
        assert measure.estimate == pytest.approx(correlate_means(rows))
        assert measure.low < measure.estimate < measure.high
        assert (measure.n, measure.units) == ((240, 132) if scope == "pooled" else (80, 44))
        assert measure.flags == ()
        assert found["exact", scope].estimate == pytest.approx(1)
        assert found["exact", scope].low == pytest.approx(1)


def test_the_second_interval_leaves_out_stories() -> None:
    rows = answers("noisy", 30, shift=25)
    pooled = human_correlations(record_table(rows, SUITE.columns), TARGET)[-1]
    without = []
    for story in STORIES:
        kept: dict[tuple[str, str, str], list[float]] = {}
        for row in rows:
            if row["story"] != story:
                cell = (row["story"], row["polarity"], row["letter"])
                kept.setdefault(cell, []).append(row["value"])
        means = [np.mean(values) for values in kept.values()]
        without.append(spearmanr(means, [TARGET[cell] for cell in kept]).statistic)
    error = np.sqrt(2 / 3 * np.sum((np.array(without) - np.mean(without)) ** 2))
    low = pooled.estimate - t.ppf(0.975, 2) * error
    assert pooled.general_low == pytest.approx(min(low, pooled.low))
    assert pooled.general_units == 3
    alone = human_correlations(record_table(rows, SUITE.columns), TARGET)[0]
    assert (alone.at, alone.general_units) == ({"story": STORIES[0]}, None)


def test_by_rows_single_answers_are_correlated() -> None:
    rows = answers("noisy", 30)
    (*_, found) = human_correlations(
        record_table(rows, SUITE.columns), TARGET, unit="row", resamples=20
    )
    target = [TARGET[r["story"], r["polarity"], r["letter"]] for r in rows]
    assert found.estimate == pytest.approx(spearmanr([r["value"] for r in rows], target).statistic)
    assert (found.n, found.units) == (240, 240)


@pytest.mark.usefixtures("mirror")
def test_people_have_the_alignment_of_as_many_other_people() -> None:
    (*_, found), (*_, ceiling) = (
        human_correlations(people_records()),
        human_ceiling(people_records()),
    )
    assert found.estimate == pytest.approx(ceiling.estimate**2)
    assert (found.low, found.high) == pytest.approx((ceiling.low**2, ceiling.high**2))
    assert (found.n, found.units) == (960, 48)


def test_alignment_says_what_it_rests_on() -> None:
    few = answers("few", 20)[:50]
    for lost in few[:10]:
        lost |= {"value": None, "outcome": "no_answer"}
    constant = [r | {"value": 50.0} for r in answers("constant", 0)]
    loaded = answers("loaded", 20, overload="e", overload_source="filler")
    abstract = answers("abstract", 20, content="abstract")
    for entry in abstract:
        entry["story"] = "alnum"
    table = record_table([*few, *constant, *loaded, *abstract], SUITE.columns)
    found = {
        (m.labels["agent"], m.at.get("story", "pooled")): m
        for m in human_correlations(table, TARGET)
    }
    assert found["few", "pooled"].flags == ("small_n",)
    assert (found["few", "pooled"].scored, found["few", "pooled"].no_answer) == (40, 10)
    assert found["constant", "pooled"].estimate is None
    assert found["constant", "pooled"].flags == ("constant",)
    assert found["loaded", "pooled"].flags == ("other_stimuli",)
    assert not [agent for agent, _ in found if agent == "abstract"]


def test_repeated_answers_narrow_intervals_only_if_rows_are_resampled() -> None:
    once = answers("agent", 30)
    often = [r | {"epoch": epoch} for epoch in range(1, 6) for r in once]
    widths = {}
    for unit, rows in product(("cell", "row"), (once, often)):
        measures = human_correlations(
            record_table(rows, SUITE.columns), TARGET, unit=unit, resamples=500
        )
        widths[unit, len(rows)] = measures[-1].high - measures[-1].low
    assert widths["cell", 1200] == pytest.approx(widths["cell", 240])
    assert widths["row", 1200] < 0.6 * widths["row", 240]


def test_the_method_and_bad_arguments() -> None:
    table = record_table(answers("agent", 30), SUITE.columns)
    (measure,) = human_correlations(table, TARGET, resamples=300)[-1:]
    assert measure.low < measure.estimate < measure.high
    assert (
        measure.method
        == "Spearman's rho of cell means; percentile bootstrap, 300 resamples of cells within "
        "stories"
    )
    with pytest.raises(ValueError, match="unit must be cell or row, got 'person'"):
        human_correlations(table, TARGET, unit="person")
    with pytest.raises(ValueError, match="test must be kruskal-wallis or permutation, got 't'"):
        story_differences(table, "t")


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("graph", ["collider", "fork"])
def test_the_ceiling_of_people(graph: str) -> None:
    *stories, pooled = human_ceiling(people_records(graph), splits=100)
    assert [m.at["story"] for m in stories] != []
    assert pooled.at == {}
    assert (pooled.n, pooled.units, pooled.scored) == (132, 48, 960)
    assert all((m.n, m.units, m.scored) == (44, 16, 320) for m in stories)
    assert 0.9 < pooled.low < pooled.estimate < pooled.high < 0.97


def test_stories_within_an_agent() -> None:
    alike, apart = answers("alike", 10), answers("apart", 10, shift=25)
    table = record_table([*alike, *apart], SUITE.columns)
    by_rank = {d.labels["agent"]: d.test for d in story_differences(table)}
    for name, rows in (("alike", alike), ("apart", apart)):
        groups = [[r["value"] for r in rows if r["story"] == story] for story in STORIES]
        expected = kruskal(*groups)
        assert by_rank[name].statistic == pytest.approx(expected.statistic)
        assert by_rank[name].p == pytest.approx(expected.pvalue)
        assert (by_rank[name].n, by_rank[name].groups) == (240, 3)
    first, second = sorted(f.p for f in by_rank.values())
    adjusted = sorted(f.adjusted for f in by_rank.values())
    assert adjusted == [pytest.approx(min(2 * first, second)), pytest.approx(second)]


def test_the_permutation_test_compares_answers_to_the_same_question() -> None:
    # What stories differ in here is the target itself; take it away and only the shift is left.
    def bare(agent: str, shift: float) -> list[dict[str, object]]:
        return [
            r | {"value": r["value"] - TARGET[r["story"], r["polarity"], r["letter"]]
                 + 9.0 * ord(r["letter"])}
            for r in answers(agent, 10, shift)
        ]  # fmt: skip

    table = record_table([*bare("alike", 0), *bare("apart", 6)], SUITE.columns)
    permuted = {d.labels["agent"]: d.test for d in story_differences(table, "permutation")}
    ranked = {d.labels["agent"]: d.test for d in story_differences(table)}
    assert permuted["apart"].adjusted < 0.01 < ranked["apart"].adjusted
    assert permuted["alike"].p > 0.05
    twice = [r | {"epoch": e} for e in (1, 2) for r in bare("apart", 6)]
    (again,) = story_differences(record_table(twice, SUITE.columns), "permutation")
    assert again.test.n == 240
    assert again.test.p == permuted["apart"].p
    (repeated,) = story_differences(record_table(twice, SUITE.columns))
    assert repeated.test.flags == ("repeated_items",)


def test_agents_within_a_story() -> None:
    first, second = answers("first", 10), answers("second", 10)
    for entry in second:
        entry["value"] += 20
    table = record_table([*first, *second], SUITE.columns)
    found = agent_differences(table)
    assert [d.labels["story"] for d in found] == list(STORIES)
    assert all(d.test.groups == 2 and d.test.n == 160 for d in found)
    assert found[0].row()["story"] == "economy"
    assert found[0].row()["adjusted"] == found[0].test.adjusted


def test_sources_of_distraction_are_told_apart() -> None:
    rows = [
        r
        for source in ("story", "filler")
        for r in answers("agent", 10, overload="e", overload_source=source)
    ]
    (found,) = story_differences(record_table(rows, SUITE.columns))
    assert found.test.groups == 6
