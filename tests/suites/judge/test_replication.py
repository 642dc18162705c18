from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa
import pytest

from whybench.errors import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.published_replies import CONDITIONS, published_records
from whybench.suites.judge.replication import match_conditions, replicate

TWIN, OWN = "published/gpt-4o", "mine/twin"
WHOSE = ("agent", "own", "design_hash")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("mirror")]


@cache
def twin() -> pa.Table:
    """Return the answers of a published model as those of an agent of one's own."""
    parts = [published_records(design) for design in CONDITIONS]
    records = pa.concat_tables(parts)
    mine = records.filter([agent == TWIN for agent in records["agent"].to_pylist()])
    columns = {"agent": OWN, "design": "thesis", "design_hash": "any"}
    for name, value in columns.items():
        column = pa.array([value] * mine.num_rows)
        mine = mine.set_column(mine.column_names.index(name), name, column)
    return mine


@cache
def tables(own: bool) -> dict[str, list[dict[str, Any]]]:
    return replicate(20, twin() if own else None)


def rows_of(table: str, agent: str) -> list[dict[str, Any]]:
    rows = [row for row in tables(own=True)[table] if row["agent"] == agent]
    return [{key: row[key] for key in row if key not in WHOSE} for row in rows]


def test_ones_own_agent_is_measured_as_the_published_ones_are() -> None:
    # What was also asked at 0.7 counts with gpt-4o as the source prints it, but not in fits.
    assert rows_of("fits", OWN) == [pytest.approx(row) for row in rows_of("fits", "gpt-4o")]
    assert len(rows_of("fits", OWN)) == 6
    plain = [row for row in rows_of("measures", OWN) if row["style"] == "cot"]
    assert plain == [row for row in rows_of("measures", "gpt-4o") if row["style"] == "cot"]
    (first, *_) = tables(own=True)["alignment"]
    assert (first["agent"], first["own"]) == (OWN, True)
    at_stories = {row.get("story") for row in rows_of("alignment", OWN)}
    assert at_stories >= {"economy", "sociology", "weather"}


def test_the_published_results_stay_what_they_are() -> None:
    alone, beside = tables(own=False), tables(own=True)
    assert beside["changes"] == alone["changes"]
    for name in ("fits", "measures", "alignment", "story_permutations"):
        others = [row for row in beside[name] if not row["own"]]
        assert len(others) == len(alone[name]), name
    assert not any("own" in row for rows in alone.values() for row in rows)
    assert {*beside} - {*alone} == {"agent_pairs", "own_changes"}


def test_an_agent_does_not_differ_from_its_twin() -> None:
    pairs = rows_of("agent_pairs", OWN)
    with_twin = [row for row in pairs if (row["other"], row["style"]) == ("gpt-4o", "cot")]
    assert with_twin
    assert all(row["effect"] == 0 for row in with_twin)
    assert any(row["adjusted"] < 0.05 for row in pairs)
    (reasoning,) = [
        row
        for row in rows_of("own_changes", OWN)
        if (row["manipulation"], row["measure"]) == ("reasoning", "lad")
        and (row["content"], row["overload"]) == ("story", "none")
    ]
    assert reasoning["change"] == pytest.approx(reasoning["after"] - reasoning["before"])
    assert 1 <= reasoning["rank"] <= reasoning["n"]


def test_each_answer_counts_once_whatever_it_was_asked_in() -> None:
    again = twin().set_column(
        twin().column_names.index("design_hash"), "design_hash", pa.array(["b"] * len(twin()))
    )
    matched = match_conditions(pa.concat_tables([twin(), again]))
    assert matched.num_rows == twin().num_rows
    assert {*matched["design"].to_pylist()} < {*CONDITIONS}


def test_answers_to_other_prompts_are_refused() -> None:
    own = pa.array(["own"] * len(twin()))
    others = twin().set_column(twin().column_names.index("stimuli"), "stimuli", own)
    with pytest.raises(UserError, match="must hold answers to the published prompts, got none"):
        match_conditions(others)


def test_figures_have_ones_own_agent_in_every_condition_it_met() -> None:
    assert SUITE.replication is not None
    assert SUITE.replication.figures is not None
    figures = {figure.name: figure for figure in SUITE.replication.figures(beside=twin())}
    assert {"errors-rmse", "errors-mae", "distribution", "release-lad", "alignment-stories"} <= {
        *figures
    }
    met = {
        (row["content"], row["overload"], row["style"])
        for row in figures["conditions-lad"].rows
        if row["agent"] == OWN
    }
    assert len(met) == 6
    without = {n for n, f in figures.items() if not any(row["agent"] == OWN for row in f.rows)}
    # The twin was not asked about abstract names with distracting text; the second page of
    # single agents is of published ones.
    assert {n for n in without if "abstract-overload" not in n} == {"determinacy-conditions-2"}
