"""Conditions of one agent compared: levels of a factor or of a setting of the model."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pyarrow as pa
import pytest

from whybench.errors import UserError
from whybench.model_settings import name_without, read_model_settings
from whybench.records.table import record_table, write_records
from whybench.records.usable import read_usable
from whybench.results import Records
from whybench.results.pairing import compare_tables
from whybench.suites.calibration import simulate_rows
from whybench.suites.registry import get_suite

AGENTS = {"intervene": "bayes", "calculate": "slips", "judge": "noisy-or", "analyze": "gold"}


@lru_cache
def items_of(suite: str, design: tuple[tuple[str, Any], ...]) -> tuple[Any, list[Any]]:
    chosen = get_suite(suite)
    built = chosen.make_design(dict(design))
    return built, list(chosen.items(built))


def answers(suite: str, name: str = "mind", seed: int = 0, agent: str = "", **design: Any) -> Any:
    """Return records of a reference agent; settings of it are those of `design` with a number."""
    settings = {key: design.pop(key) for key in [*design] if key in {"error", "noise", "silence"}}
    built, items = items_of(suite, tuple(design.items()))
    chosen = get_suite(suite)
    known = chosen.agent(agent or AGENTS[suite])
    rows = simulate_rows(chosen, built, items, known, {**settings, "seed": seed}, name, {})
    return record_table(list(rows), chosen.record_columns)


def by_measure(comparison: Any) -> dict[str, Any]:
    return {change.measure: change for change in comparison}


def test_a_mind_that_errs_less_under_cot_is_found() -> None:
    sides = [
        answers("intervene", style=style, error=error)
        for style, error in (("direct", 0.5), ("cot", 0.05))
    ]
    found = Records({"intervene": pa.concat_tables(sides)}).compare(by="style")
    change = by_measure(found)["justified_accuracy"]
    assert (change.by, change.agent) == ("style", "mind")
    assert (change.side_a, change.side_b) == ("cot", "direct")
    assert "style" not in change.labels
    assert change.verdict == "higher"
    assert change.units == 84
    (sentence,) = found.sentences()
    assert sentence.startswith("intervene: justified_accuracy of mind is 0.")
    assert "higher under cot than under direct [" in sentence
    back = Records({"intervene": pa.concat_tables(sides)}).compare(by="style", reference="cot")
    lower = by_measure(back)["justified_accuracy"]
    assert lower.verdict == "lower"
    assert lower.difference == pytest.approx(-change.difference)
    assert "lower under direct than under cot" in next(back.sentences())


def test_values_of_both_sides_are_the_measures_themselves() -> None:
    table = answers("calculate", style="cot,direct", error=0.2)
    found = by_measure(Records({"calculate": table}).compare(by="style"))
    measured = {
        (measure.labels["style"], measure.name): measure.estimate
        for measure in get_suite("calculate").measures(table)
        if not measure.at
    }
    for name in ("skill_score", "accuracy", "answerability", "answered"):
        assert found[name].b.estimate == pytest.approx(measured["cot", name])
        assert found[name].a.estimate == pytest.approx(measured["direct", name])


def test_other_manipulated_factors_are_held() -> None:
    table = answers("intervene", style="direct,cot", theme="shapes,lamps", error=0.2)
    found = Records({"intervene": table}).compare(by="style")
    assert {change.labels["theme"] for change in found} == {"shapes", "lamps"}
    # The first theme was asked in one style only: nothing of it pairs with the other one's.
    alone = [
        row["theme"] == ("shapes" if row["style"] == "direct" else "lamps")
        for row in table.select(["theme", "style"]).to_pylist()
    ]
    apart = Records({"intervene": table.filter(alone)}).compare(by="style")
    assert {change.labels["theme"] for change in apart} == {"shapes to lamps"}


def test_what_cannot_be_the_same_on_both_sides_goes_along() -> None:
    table = answers("judge", overload="none,d", overload_source="story,filler", task="VI,VII,VIII")
    found = Records({"judge": table}).compare(by="overload")
    assert {change.labels["overload_source"] for change in found} == {
        "none to story",
        "none to filler",
    }
    sources = Records({"judge": table}).compare(by="overload_source", reference="story")
    overload = {change.side_a: change.labels["overload"] for change in sources}
    assert overload == {"filler": "d", "none": "d to none"}


def test_levels_that_are_numbers_are_in_order() -> None:
    design = {"challenge": "simpson", "seeds": 3, "hint": "5,1,3"}
    found = Records({"analyze": answers("analyze", silence=0.2, **design)}).compare(by="hint")
    assert [(one.side_b, one.side_a) for one in found["paired_score"]] == [
        ("1", "3"),
        ("1", "5"),
    ]


def of_settings(*settings: str, error: float = 0.2) -> pa.Table:
    tables = [
        answers("calculate", f"m/{model}{words}", seed=number, error=error)
        for model in ("one", "two", "three")
        for number, words in enumerate(settings)
    ]
    return pa.concat_tables(tables)


def test_a_setting_of_the_model_is_a_factor_and_the_agent_keeps_its_name() -> None:
    settings = ("[temperature=0.8,seed=1]", "[seed=1]", "[temperature=0.0,seed=1]")
    table = of_settings(*settings)
    assert {*table["temperature"].to_pylist()} == {None, 0.0, 0.8}
    found = Records({"calculate": table}).compare(by="temperature")
    assert found.agents == ("m/one[seed=1]", "m/two[seed=1]", "m/three[seed=1]")
    levels = dict.fromkeys((one.side_b, one.side_a) for one in found)
    assert [*levels] == [("default", "0"), ("default", "0.8")]
    # The same as two agents on the same items.
    one, two = (
        table.filter([name == f"m/one{words}" for name in table["agent"].to_pylist()])
        for words in (settings[1], settings[2])
    )
    pairs = {change.measure: change for change in compare_tables(get_suite("calculate"), one, two)}
    assert found[0].difference == pytest.approx(pairs[found[0].measure].difference)
    assert found[0].p == pytest.approx(pairs[found[0].measure].p)
    assert found[0].low == pytest.approx(pairs[found[0].measure].low)


def test_efforts_are_in_order_of_amount() -> None:
    table = of_settings("[reasoning_effort=high]", "[reasoning_effort=minimal]")
    found = Records({"calculate": table}).compare(by="reasoning_effort")
    assert {(one.side_b, one.side_a) for one in found} == {("minimal", "high")}


def test_means_over_agents_say_who_changes_most_and_least() -> None:
    table = of_settings("[top_p=0.5]", "[top_p=0.9]")
    found = Records({"calculate": table}).compare(by="top_p")
    mean = next(one for one in found.means if one.measure == "skill_score")
    changes = {one.agent: one.difference for one in found["skill_score"]}
    assert len(mean.by_agent) == 3
    assert mean.difference == pytest.approx(sum(changes.values()) / 3)
    assert mean.difference == pytest.approx(mean.a.estimate - mean.b.estimate)
    assert dict(mean.ranked) == pytest.approx(changes)
    sizes = [abs(value) for _, value in mean.ranked]
    assert sizes == sorted(sizes, reverse=True)
    row = mean.row()
    assert row["most"].startswith(f"{mean.ranked[0][0]} ({mean.ranked[0][1]:+.3f}); ")
    assert row["least"].startswith(f"{mean.ranked[-1][0]} ({mean.ranked[-1][1]:+.3f}); ")
    assert {"suite", "measure", "side_a", "side_b", "corrected_p", "verdict"} <= {*row}


def test_all_changes_are_one_family() -> None:
    found = Records({"calculate": of_settings("[top_p=0.5]", "[top_p=0.9]")}).compare(by="top_p")
    alone = found.choose("skill_score")
    assert len(alone) == 3
    assert all(one.corrected_p >= one.p for one in found)
    assert {one.measure for one in alone.means} == {"skill_score"}
    assert found.to_pandas()["agent"].nunique() == 3


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("query", "part of what is asked"),
        ("stile", "did you mean 'style'"),
        ("format", r"calculate: .*style \(cot, direct\), got format, which has one level"),
        ("temperature", "does not vary; run several levels"),
    ],
)
def test_what_cannot_be_compared_is_said(by: str, words: str) -> None:
    table = answers("calculate", style="cot,direct", format="text")
    with pytest.raises(UserError, match=words):
        Records({"calculate": table}).compare(by=by)


def test_a_base_must_be_a_level_that_is_there() -> None:
    table = answers("calculate", style="cot,direct", format="text")
    with pytest.raises(
        UserError, match=r"`reference` must be a level of style .*cot, direct.*'cott'"
    ):
        Records({"calculate": table}).compare(by="style", reference="cott")
    with pytest.raises(UserError, match="two agents, or `by`"):
        Records({"calculate": table}).compare("mind", "mind", by="style")


def test_answers_without_cases_are_told() -> None:
    table = answers("calculate", style="cot,direct", format="text")
    position = table.column_names.index("case")
    bare = table.set_column(position, "case", pa.nulls(table.num_rows, pa.string()))
    with pytest.raises(UserError, match="without a case"):
        Records({"calculate": bare}).compare(by="style")


def test_agents_at_one_level_are_told() -> None:
    both = answers("calculate", style="cot,direct", format="text")
    one = answers("calculate", "other", style="cot", format="text")
    found = Records({"calculate": pa.concat_tables([both, one])}).compare(by="style")
    assert found.agents == ("mind",)
    assert not found.means
    assert "calculate: other without answers at cot and another level of style" in found.notes[-1]


def test_figures_have_a_line_for_each_agent() -> None:
    table = of_settings("[top_p=0.5]", "[top_p=0.9]")
    (figure,) = Records({"calculate": table}).compare(by="top_p").figures()
    assert figure.name == "conditions-calculate-top_p"
    data = [datum for datum in figure.spec["data"]["values"] if "e" in datum]
    assert {datum["s"] for datum in data} == {"one", "two", "three"}
    assert {datum["p"] for datum in data} == {*get_suite("calculate").headline}
    assert all(datum["l"] <= datum["e"] <= datum["h"] for datum in data)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_settings_are_columns_of_files_too(ending: str, tmp_path: Any) -> None:
    table = of_settings("[temperature=0.7,reasoning_effort=low]")
    path = tmp_path / f"records.{ending}"
    columns = get_suite("calculate").record_columns
    write_records(table, path)
    read, _ = read_usable(path, "calculate", columns)
    assert {*read["temperature"].to_pylist()} == {0.7}
    assert {*read["reasoning_effort"].to_pylist()} == {"low"}


def test_names_of_agents_mention_settings() -> None:
    name = "openai/gpt-5[temperature=0.7,reasoning_effort=high,seed=3]"
    assert read_model_settings(name) == {"temperature": 0.7, "reasoning_effort": "high"}
    assert name_without(name, "reasoning_effort") == "openai/gpt-5[temperature=0.7,seed=3]"
    assert name_without("openai/gpt-5[temperature=0.7]", "temperature") == "openai/gpt-5"
    assert read_model_settings("reference/judge.noisy-or[noise=0.3]") == {}
    assert read_model_settings("a[temperature=warm]") == {}
