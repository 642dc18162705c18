"""Measures as a tidy table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from click.testing import CliRunner
from tests.altered import altered
from tests.page.simulated import answers

import whybench as wb
from whybench.cli.results import results_command
from whybench.errors import Fence
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def measures() -> wb.Measures:
    table = answers("intervene", 0)
    return wb.Records({"intervene": table, "compose": answers("compose", 0)}).measures()


def test_columns_are_tidy(measures: wb.Measures) -> None:
    table = measures.to_arrow()
    names = table.column_names
    assert names[:4] == ["suite", "agent", "design", "design_hash"]
    assert names[-10:] == [
        *("estimate", "low", "high", "n", "units", "scored", "no_answer", "error"),
        *("method", "flags"),
    ]
    between = names[names.index("measure") + 1 : names.index("estimate")]
    assert {"distance", "initial"} <= set(between), "levels are columns"
    assert table.num_rows == len(measures)
    rows = measures["error"].filter(distance=1).to_rows()
    assert [row["distance"] for row in rows] == [1]
    assert not any("@" in name for name in measures.names)


def test_one_name_one_place_a_stretch(measures: wb.Measures) -> None:
    assert {measure.name for measure in measures["accuracy"]} == {"accuracy"}
    assert measures[0].name == measures.names[0]
    assert "accuracy" in measures
    assert "acuracy" not in measures
    assert measures[0] in measures
    assert [*measures[:2]] == [measures[0], measures[1]]
    with pytest.raises(wb.UserError, match="a measure must be one of .*, got 'acuracy'"):
        measures["acuracy"]


def test_headlines_are_overall_and_named_by_the_suite(measures: wb.Measures) -> None:
    assert {(m.labels["suite"], m.name) for m in measures.headlines} == {
        ("intervene", "justified_accuracy"),
        ("compose", "compositional_agreement"),
    }
    assert all(not measure.at for measure in measures.overall)
    assert len(measures.overall) < len(measures)


def test_labels_and_levels_choose(measures: wb.Measures) -> None:
    assert {m.labels["suite"] for m in measures.filter(suite="compose")} == {"compose"}
    some = measures.filter(measure=["accuracy", "steps"])
    assert {m.name for m in some} == {"accuracy", "steps"}
    nobody = measures.filter(agent="nobody")
    assert len(nobody) == 0
    with pytest.raises(wb.UserError, match="plot must have one or more measures, got none"):
        nobody.plot()
    with pytest.raises(wb.UserError, match="filter must name labels or levels .*, got 'agents'"):
        measures.filter(agents="nobody")


def test_a_plot_knows_its_rows(measures: wb.Measures) -> None:
    figure = measures["accuracy"].plot()
    assert isinstance(figure, wb.Figure)
    assert [row["measure"] for row in figure.rows] == ["accuracy"] * len(measures["accuracy"])


def test_an_agent_that_cannot_be_measured_is_named_and_the_others_are_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = pa.concat_tables([answers("intervene", side) for side in (0, 1)])
    one, two = dict.fromkeys(table["agent"].to_pylist())
    whole = wb.Records({"intervene": table})
    expected = [m for m in whole.measures() if m.labels["agent"] == one]
    suite = get_suite("intervene")

    def fail(records: pa.Table) -> list[wb.Measure]:
        if blamed & set(records["agent"].to_pylist()):
            raise ZeroDivisionError("nothing to divide")
        return suite.measures(records)

    monkeypatch.setattr(
        "whybench.results.measures.get_suite", lambda _: altered(suite, measures=fail)
    )
    blamed, fence = {two}, Fence()
    assert list(whole.measures(fence=fence)) == expected
    assert fence.notes == (f"intervene, measures of {two}: ZeroDivisionError: nothing to divide",)
    with pytest.raises(ZeroDivisionError):
        whole.measures()

    whole.save(tmp_path / "answers.parquet")
    words = [str(tmp_path / "answers.parquet"), "--json"]
    done = CliRunner().invoke(results_command, words)
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, len(expected))
    assert f"Note: not measured: {fence.notes[0]}" in done.stderr.splitlines()
    blamed = {one, two}
    for options in (words, words[:1]):
        done = CliRunner().invoke(results_command, options)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.count("Note: not measured: intervene, measures of ") == 2
