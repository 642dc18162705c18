"""What is stated of an experiment beforehand, and whether answers keep to it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.results.test_conditions import answers

from whybench.errors import UserError
from whybench.records.runs import Run
from whybench.results import Records
from whybench.results.experiments import AnalysisPlan, Frozen, Statement

if TYPE_CHECKING:
    from pathlib import Path


def two_styles(name: str = "mind", error: float = 0.5, **settings: Any) -> pa.Table:
    sides = [
        answers("intervene", name, style=style, error=wrong, **settings)
        for style, wrong in (("direct", error), ("cot", 0.02))
    ]
    return pa.concat_tables(sides)


def test_all_headlines_of_all_factors_are_compared_if_nothing_is_stated() -> None:
    table = two_styles()
    (found,), notes = AnalysisPlan().compare({"intervene": table})
    assert found.by == "style"
    assert [change.measure for change in found] == ["justified_accuracy"]
    assert not notes
    alone = Records({"intervene": table}).compare(by="style").choose("justified_accuracy")
    assert [change.row() for change in found] == [change.row() for change in alone]


def test_stated_measures_of_all_factors_are_one_family() -> None:
    table = pa.concat_tables(
        [two_styles(f"mind[temperature={level}]", seed=place) for place, level in enumerate("01")]
    )
    plan = AnalysisPlan(("style", "temperature"), ("accuracy", "justified_accuracy"))
    found, _ = plan.compare({"intervene": table})
    assert [one.by for one in found] == ["style", "temperature"]
    changes = [change for one in found for change in one]
    assert {change.measure for change in changes} == {*plan.measures}
    alone = [c for one in found for c in Records({"intervene": table}).compare(by=one.by)]
    p = {(c.by, c.agent, c.measure, str(c.labels)): c.p for c in alone}
    by_p = sorted(changes, key=lambda c: c.p or 0)
    assert all(p[c.by, c.agent, c.measure, str(c.labels)] == c.p for c in changes)
    # Benjamini and Hochberg over all: the largest p-value of the family stays what it is.
    assert by_p[-1].corrected_p == pytest.approx(by_p[-1].p)
    assert by_p[0].corrected_p <= (by_p[0].p or 0) * len(changes) + 1e-12


def test_a_change_below_the_smallest_of_interest_is_called_so() -> None:
    table = two_styles()
    (found,), _ = AnalysisPlan(smallest={"justified_accuracy": 0.99}).compare({"intervene": table})
    assert [change.verdict for change in found] == ["too small to matter"]


def test_who_answers_too_little_is_left_out_and_named() -> None:
    table = pa.concat_tables([two_styles("mind"), two_styles("mute")])
    names, outcomes = table["agent"].to_pylist(), table["outcome"].to_pylist()
    lost = ["no_answer" if name == "mute" and place % 2 else outcome
            for place, (name, outcome) in enumerate(zip(names, outcomes, strict=True))]  # fmt: skip
    place = table.column_names.index("outcome")
    table = table.set_column(place, "outcome", pa.array(lost, table.schema.field("outcome").type))
    (found,), notes = AnalysisPlan(answered_below=0.8).compare({"intervene": table})
    assert found.agents == ("mind",)
    assert notes == ["intervene: mute is left out, since it answered 50%, less than 80%"]


def test_what_cannot_be_compared_is_told() -> None:
    _, notes = AnalysisPlan(("hint",), ("skill_score",)).compare({"intervene": two_styles()})
    assert "got 'hint'" in notes[0]
    assert notes[1] == "no difference of skill_score can be computed from these answers"


def test_a_model_at_several_settings_is_one_of_the_agents_of_a_mean() -> None:
    tables = [
        two_styles(f"{model}[temperature={level}]", error, seed=seed)
        for seed, (model, level, error) in enumerate(
            (("a", 0, 0.5), ("a", 1, 0.5), ("b", 0, 0.3), ("b", 1, 0.2))
        )
    ]
    found = Records({"intervene": pa.concat_tables(tables)}).compare(by="style")
    found = found.choose("justified_accuracy")
    (mean,) = found.means
    estimates = {c.agent: c.difference for c in found}
    of_a = (estimates["a[temperature=0]"] + estimates["a[temperature=1]"]) / 2
    of_b = (estimates["b[temperature=0]"] + estimates["b[temperature=1]"]) / 2
    assert len(mean.by_agent) == 2
    assert mean.difference == pytest.approx((of_a + of_b) / 2)
    assert mean.ranked[0] == ("a", pytest.approx(of_a))


def content(table: pa.Table, count: int | None = None) -> dict[str, Any]:
    asked = {
        "suite": "intervene",
        "version": table["version"][0].as_py(),
        "design_hash": table["design_hash"][0].as_py(),
        "answers": table.num_rows if count is None else count,
        "in_rounds": False,
    }
    return {"suites": [asked], "smallest": {"accuracy": 0.05}}


def run(started: str) -> Run:
    words = dict.fromkeys(
        ("log", "agent", "suite", "content_hash", "design", "design_hash", "status", "seed",
         "whybench", "inspect", "grading"), ""
    )  # fmt: skip
    return Run(**words, version=1, epochs=1, samples=1, completed=1, started=started)


@pytest.mark.parametrize(("more", "holds"), [(10, True), (-10, False)])
def test_statement_until_decided_may_have_fewer_answers_than_planned(
    more: int, holds: bool
) -> None:
    table = answers("intervene", style="cot", error=0.1)
    stated = {
        **content(table, table.num_rows + more),
        "until": {"suites": {"intervene": {}}},
    }
    found = Statement(AnalysisPlan(), stated, Frozen.now(stated)).check({"intervene": table}, [])
    (last,) = [one for one in found if "answers that were planned" in one.words]
    assert last.holds == holds
    assert "of at most" in last.words


def test_answers_that_keep_to_what_was_frozen(tmp_path: Path) -> None:
    table = answers("intervene", style="cot", error=0.1)
    Frozen.now(content(table)).write(tmp_path / "frozen.json")
    frozen = Frozen.read(tmp_path / "frozen.json")
    assert frozen is not None
    statement = Statement(AnalysisPlan(), content(table), frozen)
    checks = statement.check({"intervene": table}, [run("2999-01-01T00:00:00+00:00")])
    assert [check.holds for check in checks] == [True] * 4
    assert not statement.differences()
    assert Frozen.read(tmp_path / "none.json") is None
    assert Statement(AnalysisPlan(), content(table)).check({"intervene": table}, []) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("content", "its content has not the hash"),
        ("statement", "smallest.accuracy was 0.05 and is 0.2"),
        ("time", "after the first run had started"),
        ("count", "answers that were planned"),
        ("design", "answers were not planned"),
    ],
)
def test_every_departure_from_what_was_frozen_is_told(change: str, words: str) -> None:
    table = answers("intervene", style="cot", error=0.1)
    stated = content(table)
    frozen = Frozen.now(content(table, 7) if change == "count" else stated)
    started = "2020-01-01T00:00:00+00:00" if change == "time" else "2999-01-01T00:00:00+00:00"
    if change == "content":
        frozen = replace(frozen, content={**stated, "smallest": {"accuracy": 0.2}})
    if change == "statement":
        stated = {**stated, "smallest": {"accuracy": 0.2}}
    tables = {"intervene": table}
    if change == "design":
        other = answers("intervene", style="direct", error=0.1)
        tables = {"intervene": pa.concat_tables([table, other])}
    checks = Statement(AnalysisPlan(), stated, frozen).check(tables, [run(started)])
    failed = [check.words for check in checks if not check.holds]
    assert any(words in each for each in failed)


def test_a_frozen_file_that_is_damaged_is_told(tmp_path: Path) -> None:
    file = tmp_path / "frozen.json"
    file.write_text(json.dumps({"hash": "x"}))
    with pytest.raises(UserError, match="must be as it was written, with hash, date and content"):
        Frozen.read(file)
