"""Printed results, and one's own agents measured as they are."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.drawing.seen_charts import ChartLaws, told
from tests.suites.intervene.test_measures import COLUMNS, ROW

from whybench.records.table import record_table
from whybench.suites.contract import UserError
from whybench.suites.intervene.verdicts import PATTERNS
from whybench_papers.feng2025.figures import replication_figures
from whybench_papers.feng2025.replication import (
    core_results,
    measure_sizes,
    measure_structures,
    printed_results,
    replicate,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from whybench.drawing.figure import Figure


def row(**changed: Any) -> dict[str, Any]:
    core = {"worlds": "core", "structure": "mediation", "item": str(changed), "steps": 1}
    return {**ROW, **core, "value": 1.0, "truth": 1.0, "verdict": "justified", **changed}


def table(*rows: dict[str, Any]) -> pa.Table:
    return record_table([{**one, "item": str(k)} for k, one in enumerate(rows)], COLUMNS)


def test_twelve_models_are_printed_under_two_prompts() -> None:
    results = list(printed_results())
    assert Counter(result.labels["style"] for result in results) == {
        "direct": 12,
        "fewest-steps": 12,
        "cot": 1,
        "recipe": 1,
    }
    for result in results:
        assert result.accuracy.low < result.accuracy.estimate < result.accuracy.high
        if result.no and result.yes:
            whole = (47 * result.no.estimate + 37 * result.yes.estimate) / 84
            assert whole == pytest.approx(result.accuracy.estimate, abs=0.002)


def test_the_better_prompt_is_the_one_that_table_1_marks() -> None:
    better = {one["agent"]: one for one in replicate()["better"]}
    assert len(better) == 12
    assert next(iter(better)) == "Llama 3.1 Nemotron 70B"
    limited = {agent for agent, one in better.items() if one["style"] == "fewest-steps"}
    assert limited == {
        "Mistral 7B",
        "Qwen2.5 32B",
        "DeepSeek Distill Qwen 32B",
        "Llama 3.1 Nemotron 70B",
        "GPT-4o",
    }
    assert better["Gemini 2.0 Flash"]["estimate"] == 0.845
    own = [row(style="direct", value=0.0), row(style="fewest-steps")]
    mine = [one for one in replicate(table(*own))["better"] if one["source"] == "own run"]
    assert [(one["style"], one["estimate"]) for one in mine] == [("fewest-steps", 1.0)]


def test_failures_of_table_2_are_our_patterns() -> None:
    failures = replicate()["failures"]
    assert [one["name"] for one in failures if one["name"] != "other"] == [
        "root_cause", "correlation", "illusive_confounder", "reverse_collider",
    ]  # fmt: skip
    assert {one["name"] for one in failures} == {*PATTERNS}


def test_own_agents_are_measured_as_the_source_measures() -> None:
    silent = {"outcome": "no_answer", "value": None, "verdict": "no_answer"}
    (result,) = core_results(
        table(
            row(steps=1),
            row(steps=4, asked="1>0", value=0.0, truth=0.0),
            row(steps=2, asked="2>0", value=1.0, truth=0.0),
            row(steps=6, asked="0>1", **silent, reason="out_of_steps"),
            row(steps=1, asked="1>2", **silent, reason="invalid_format"),
            row(steps=1, asked="2>1", outcome="error", value=None),
        )
    )
    assert result.accuracy.estimate == 2 / 5
    assert result.no is not None
    assert result.yes is not None
    assert (result.no.estimate, result.yes.estimate) == (1 / 2, 1 / 3)
    assert result.steps == 7 / 3
    assert result.errors == 1
    assert result.flags == ("part_of_core",)


def test_own_agents_stand_among_the_printed_ones_by_accuracy() -> None:
    tables = replicate(table(row(), row(asked="1>0")))
    direct = [one for one in tables["published"] if one["style"] == "direct"]
    assert direct[0]["agent"] == "a"
    assert [one["estimate"] for one in direct] == sorted(
        (one["estimate"] for one in direct), reverse=True
    )


def test_both_confounders_are_one_structure() -> None:
    found = list(
        measure_structures(
            table(
                row(),
                row(structure="confounder", asked="1>0"),
                row(structure="confounder-perturbed", asked="0>1", value=0.0),
            )
        )
    )
    assert {one.at["structure"]: one.estimate for one in found} == {
        "mediation": 1.0,
        "confounder": 0.5,
    }


def test_sizes_are_of_worlds_that_all_move_at_first() -> None:
    found = measure_sizes(
        table(
            row(),
            row(initial="rest", value=0.0),
            row(worlds="source-advanced", entities=5, value=0.0),
            row(worlds="advanced", entities=5),
            row(worlds="limited", entities=4),
        )
    )
    sizes = {one.at["entities"]: (one.labels["worlds"], one.estimate) for one in found}
    assert sizes == {3: ("core", 1.0), 5: ("source-advanced", 0.0)}


def test_other_worlds_are_refused() -> None:
    with pytest.raises(UserError, match="core worlds"):
        replicate(table(row(worlds="limited")))


def mixed() -> pa.Table:
    agents = ("openai/gpt-4o", "reference/intervene.controlled")
    return table(
        *(
            row(
                agent=agent,
                stimuli=stimuli,
                style=style,
                structure=structure,
                asked=asked,
                truth=float(asked == "0>1"),
            )
            for agent in agents
            for stimuli in ("own", "published")
            for style in ("direct", "fewest-steps")
            for structure in ("direct", "mediation", "confounder")
            for asked in ("0>1", "1>0")
        ),
        *(
            row(agent=agent, worlds="source-advanced", structure="random", entities=n)
            for agent in agents
            for n in (4, 5, 6, 7)
        ),
    )


def draw(name: str) -> Figure:
    pytest.importorskip("vl_convert")
    return {one.name: one for one in replication_figures(mixed())}[name]


CHARTS = {name: partial(draw, name) for name in ("published", "structures", "sizes")}


@cache
def chart_of(name: str) -> Figure:
    return draw(name)


class TestEveryChart(ChartLaws):
    draw = CHARTS
    figure_of = staticmethod(chart_of)

    def test_every_row_is_a_mark_that_tells_its_number(self, name: str) -> None:
        """Guessing is a line in each panel; a printed result has a mark in each of three."""
        marks = [mark for mark in told(chart_of(name)) if "what" not in mark]
        columns = ("estimate", "accuracy_no", "accuracy_yes")
        rows = [row[column] for row in chart_of(name).rows for column in columns if column in row]
        assert sorted(float(mark["estimate"]) for mark in marks) == pytest.approx(
            sorted(rows), abs=0.001
        )


def test_without_records_there_is_the_printed_figure_alone() -> None:
    assert [one.name for one in replication_figures()] == ["published"]
