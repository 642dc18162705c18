from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr
from tests.suites.judge.test_human_correlation import POLARITIES, QUESTIONS, STORIES, row

from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.among_people import compare_with_people
from whybench.suites.judge.likeness import (
    compare_likeness,
    degenerate_agents,
    distance_to_others,
    likeness_measures,
    list_persons,
)
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.published import human_means, mean_records, people_records

if TYPE_CHECKING:
    from whybench.suites.people import AgentAmongPeople, Likeness, Place

pytestmark = pytest.mark.usefixtures("mirror")


def table(rows: list[dict[str, Any]]) -> pa.Table:
    plain = {"independence": "unstated", "version": SUITE.version}
    return record_table([r | plain for r in rows], SUITE.columns)


def answers(agent: str = "agent", noise: float = 20.0, epochs: int = 1) -> list[dict[str, Any]]:
    draw, people = generator("test", "likeness", agent), human_means("collider")
    return [
        row(
            agent, story, polarity, place, min(100.0, max(0.0, round(mean + draw.normal(0, noise))))
        )
        | {"epoch": epoch}
        for epoch in range(1, epochs + 1)
        for story, polarity, place in product(STORIES, POLARITIES, range(20))
        for mean in [people[story, polarity, QUESTIONS[place].letter]]
    ]


def saying(name: str) -> list[dict[str, Any]]:
    said = degenerate_agents("collider")[name]
    return [r | {"value": said[r["letter"]]} for r in answers(name)]


def likeness(rows: list[dict[str, Any]]) -> dict[str, Likeness]:
    return {one.measure: one for one in compare_likeness(table(rows))}


def cell_means(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str], float]:
    cells: dict[tuple[str, str, str], list[float]] = {}
    for r in rows:
        if r["outcome"] == "scored":
            cells.setdefault((r["story"], r["polarity"], r["letter"]), []).append(r["value"])
    return {cell: sum(values) / len(values) for cell, values in cells.items()}


def test_distance_is_the_mean_gap_of_means() -> None:
    rows = answers(epochs=3)
    found, people = likeness(rows)["human_distance"], human_means("collider")
    means = cell_means(rows)
    expected = sum(abs(mean - people[cell]) for cell, mean in means.items()) / len(means)
    assert found.estimate.estimate == pytest.approx(expected, abs=1e-9)
    assert found.estimate.low < expected < found.estimate.high
    assert (found.estimate.n, found.estimate.units) == (720, 12)


def test_the_floor_is_the_best_agent_that_does_not_reason() -> None:
    found, people = likeness(answers()), human_means("collider")
    gaps, rhos = {}, {}
    for name, said in degenerate_agents("collider").items():
        pairs = [(said[letter], mean) for (_, _, letter), mean in people.items()]
        gaps[name] = sum(abs(x - y) for x, y in pairs) / len(pairs)
        if name != "always 50":
            rhos[name] = spearmanr(*zip(*pairs, strict=True)).statistic
    assert found["human_distance"].floor == pytest.approx(min(gaps.values()))
    assert gaps[found["human_distance"].floor_agent] == min(gaps.values())
    assert found["human_correlation"].floor == pytest.approx(max(rhos.values()))
    assert rhos[found["human_correlation"].floor_agent] == max(rhos.values())


@pytest.mark.parametrize("name", ["six numbers", "0, 50 or 100", "always 50"])
def test_who_does_not_reason_is_not_shown_to_be_above_the_floor(name: str) -> None:
    for one in likeness(saying(name)).values():
        assert one.verdict != "closer than the baseline"
    if name == "six numbers":
        assert all(one.gain.estimate == pytest.approx(0) for one in likeness(saying(name)).values())


def test_who_knows_peoples_means_is_beyond_the_floor_and_the_ceiling() -> None:
    for one in likeness(answers(noise=0.0)).values():
        assert one.verdict == "closer than the baseline"
    assert likeness(answers(noise=0.0))["human_distance"].estimate.estimate < 1


@pytest.mark.parametrize("graph", ["collider", "fork"])
def test_other_people_by_all_halves(graph: str) -> None:
    """With two people, halves are persons, and two samples of two differ by 1/√2 as much."""
    gaps, seen = distance_to_others(graph), 0
    for (story, polarity), persons in list_persons(graph).items():
        for letter in "abcdefghijk":
            said = [person[letter] for person in persons]
            if len(said) == 2:
                expected = abs(said[0] - said[1]) / 2**0.5
            elif len(said) == 4:
                halves = [sum(pair) / 2 for pair in combinations(said, 2)]
                expected = sum(abs(h - (sum(said) / 2 - h)) for h in halves) / 6 / 2**0.5
            else:
                continue
            seen += 1
            assert gaps[story, polarity, letter] == pytest.approx(expected, abs=1e-9)
    assert seen


def test_a_known_noise_is_recovered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where people's answers are normal around a mean, other people are 2σ/√(nπ) away."""
    draw = generator("test", "noise")
    made = {
        ("economy", str(number)): [{"a": draw.normal(50, 10)} for _ in range(5)]
        for number in range(3000)
    }
    monkeypatch.setattr("whybench.suites.judge.likeness.list_persons", lambda _: made)
    found = distance_to_others.__wrapped__("collider")
    expected = 2 * 10 / (5 * 3.141592653589793) ** 0.5
    assert sum(found.values()) / len(found) == pytest.approx(expected, rel=0.03)


def test_the_measures_of_likeness() -> None:
    found = {m.name: m for m in likeness_measures(table(answers()))}
    assert list(found) == [
        "human_correlation",
        "human_correlation_ceiling",
        "human_correlation_baseline",
        "human_distance",
    ]
    assert found["human_correlation_baseline"].method == "of an agent: six numbers"
    people = {m.name: m for m in likeness_measures(people_records())}
    others = distance_to_others("collider")
    assert people["human_distance"].estimate == pytest.approx(sum(others.values()) / len(others))


@settings(
    deadline=None, max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.permutations(range(240)), st.integers(2, 4))
def test_neither_order_nor_repetition_matters(order: list[int], times: int) -> None:
    rows = answers()
    again = [rows[place] | {"epoch": epoch} for epoch in range(times) for place in order]
    one, many = ({k: v.row() for k, v in likeness(r).items()} for r in (rows, again))
    for name in ("human_correlation", "human_distance"):
        for key in ("agent_value", "low", "high", "gain", "gain_low", "gain_high"):
            assert one[name][key] == pytest.approx(many[name][key])


def among(rows: list[dict[str, Any]]) -> AgentAmongPeople:
    return compare_with_people(table(rows))


def place(found: AgentAmongPeople, measure: str) -> Place:
    return next(one for one in found.places if one.measure == measure)


def test_people_are_the_mean_person_of_the_source() -> None:
    found = {pair.measure: pair for pair in among(answers(epochs=2)).differences}
    assert list(found) == ["shift_ratio", "explaining_away", "markov_violation"]
    for measure in contrast_measures(mean_records()):
        assert found[measure.name].b.estimate == pytest.approx(measure.estimate, abs=1e-12)
    means = {m.name: m.estimate for m in contrast_measures(table(answers(epochs=2)))}
    assert found["explaining_away"].a.estimate == pytest.approx(means["explaining_away"])
    assert found["explaining_away"].units == 12


def test_what_the_mean_person_says_does_not_differ_from_people() -> None:
    people = mean_records()
    names = pa.array(["agent"] * people.num_rows)
    mean_person = people.set_column(people.column_names.index("agent"), "agent", names)
    for pair in compare_with_people(mean_person).differences:
        # Versions of a question differ in people, not in the mean of a cell.
        if pair.measure != "shift_ratio":
            assert pair.difference == pytest.approx(0, abs=1e-12)
    for one in compare_with_people(mean_person).likeness:
        assert one.estimate.estimate == pytest.approx(
            1 if one.measure == "human_correlation" else 0
        )


def test_only_cells_that_the_agent_answered_are_compared() -> None:
    rows = [r for r in answers() if r["story"] == "weather"]
    for lost in rows[:3]:
        lost |= {"outcome": "error", "value": None}
    found = among(rows)
    assert found.lost == pytest.approx(3 / 80)
    assert found.notes[0] == "collider: 44 of 132 cells that people judged"
    weather = people_records().filter(pc.equal(people_records()["story"], "weather"))
    assert place(found, "explaining_away").share.n == len(set(weather["person"].to_pylist()))
    (ea,) = (pair for pair in found.differences if pair.measure == "explaining_away")
    gone = {(r["polarity"], r["letter"], r["cause"]) for r in rows[:3]}
    cells: dict[tuple[str, ...], list[float]] = {}
    for r in weather.to_pylist():
        if (r["polarity"], r["letter"], r["cause"]) not in gone:
            key = (r["letter"], r["polarity"], r["cause"])
            cells.setdefault(key, []).append(r["value"])
    means = {key: sum(values) / len(values) for key, values in cells.items()}
    c, a = ([mean for key, mean in means.items() if key[0] == letter] for letter in "ca")
    assert ea.b.estimate == pytest.approx((sum(c) / len(c) - sum(a) / len(a)) / 100)


def test_the_place_of_an_agent_is_the_share_of_people_below() -> None:
    rows = answers()
    found = among(rows)
    means = cell_means(rows)
    own, theirs, nearer = [], [], []
    for (story, polarity), persons in list_persons("collider").items():
        own.append((means[story, polarity, "c"] - means[story, polarity, "a"]) / 100)
        for number, person in enumerate(persons):
            theirs.append((person["c"] - person["a"]) / 100)
            rest = [other for k, other in enumerate(persons) if k != number]
            mean = {x: sum(other[x] for other in rest) / len(rest) for x in person}
            mine = sum(abs(means[story, polarity, x] - mean[x]) for x in person)
            nearer.append(sum(abs(person[x] - mean[x]) for x in person) < mine)
    ea = sum(own) / len(own)
    below = [1.0 if value < ea - 1e-9 else 0.5 * (value <= ea + 1e-9) for value in theirs]
    assert place(found, "explaining_away").value == pytest.approx(ea)
    assert place(found, "explaining_away").share.estimate == pytest.approx(sum(below) / 48)
    assert place(found, "human_distance").share.estimate == pytest.approx(sum(nearer) / 48)
    assert (
        place(found, "explaining_away").share.low
        < sum(below) / 48
        < place(found, "explaining_away").share.high
    )


def test_extremes_lie_at_the_ends() -> None:
    last = [r | {"value": {"VIII": 100.0, "VI": 0.0}.get(r["task"], r["value"])} for r in answers()]
    assert place(among(last), "explaining_away").share.estimate > 0.97
    first = [
        r | {"value": {"VIII": 0.0, "VI": 100.0}.get(r["task"], r["value"])} for r in answers()
    ]
    assert place(among(first), "explaining_away").share.estimate < 0.03


def test_other_words_are_flagged() -> None:
    found = among([r | {"suite": "judge"} for r in answers()])
    assert all("other_stimuli" in one.flags for one in found.differences)
    assert all("other_stimuli" in one.estimate.flags for one in found.likeness)
    assert not any("other_stimuli" in p.flags for p in among(answers()).differences)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"story": "bakery"}, "story bakery"),
        ({"graph": "chain"}, "graph chain"),
        ({"independence": "stated"}, "independence stated"),
    ],
)
def test_what_people_did_not_judge_is_refused(changed: dict[str, str], said: str) -> None:
    rows = record_table(
        [r | {"independence": "unstated"} | changed for r in answers()], SUITE.columns
    )
    with pytest.raises(UserError, match=rf"answers must be about what people judged.*{said}.*run"):
        compare_with_people(rows)


def test_what_people_did_not_judge_is_left_out_and_noted() -> None:
    rows = [*answers(), *(r | {"story": "bakery", "item": "x"} for r in answers()[:5])]
    assert among(rows).notes[-1] == "5 answers to what people did not judge are left out"


def test_reliability_is_that_of_the_two_versions() -> None:
    versions: dict[str, dict[str, float]] = {}
    for r in people_records().to_pylist():
        if r["letter"] in "ca":
            person = versions.setdefault(r["person"], {"C1": 0.0, "C2": 0.0})
            person[r["cause"]] += r["value"] if r["letter"] == "c" else -r["value"]
    first, second = ([person[cause] for person in versions.values()] for cause in ("C1", "C2"))
    r = pearsonr(first, second).statistic
    assert place(among(answers()), "explaining_away").reliability == pytest.approx(2 * r / (1 + r))
