"""Records summed up: the same sums as by hand, and the same measures as from single answers."""

from __future__ import annotations

import sys
from collections import defaultdict
from itertools import islice
from types import SimpleNamespace
from typing import TYPE_CHECKING

import duckdb
import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.stats import t as student

from whybench.errors import UserError
from whybench.records import sum_records, write_partition
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.calibration import simulate_rows
from whybench.suites.judge.fitted_models import model_measures
from whybench.suites.judge.measures import contrast_measures, summed_measures, task_means
from whybench.suites.registry import get_suite, own_suites

if TYPE_CHECKING:
    from whybench.stats import Measure


def judged(agents: int = 3, epochs: int = 3) -> pa.Table:
    """Return noisy answers of several agents, some missing, in two conditions."""
    judge = get_suite("judge")
    design = judge.make_design({"design": "core"})
    items = list(islice(judge.items(design), 240))
    rng = generator("tests", "scan")
    rows = []
    for number in range(agents):
        for row in simulate_rows(
            judge, design, items, judge.agents["noisy-or"], {"b": 0.1 * number}, f"a/{number}", {}
        ):
            for epoch in range(epochs):
                value = float(np.clip(row["value"] + 15 * rng.normal(), 0, 100).round(2))
                lost = rng.random() < 0.1
                rows.append(
                    {
                        **row,
                        "epoch": epoch + 1,
                        "style": ("direct", "cot")[epoch % 2],
                        "outcome": ("no_answer", "error")[epoch % 2] if lost else "scored",
                        "value": None if lost else value,
                    }
                )
    return record_table(rows, judge.record_columns)


@pytest.fixture(scope="module")
def answers() -> pa.Table:
    return judged()


@pytest.fixture(scope="module")
def folder(answers: pa.Table, tmp_path_factory):
    place = tmp_path_factory.mktemp("records")
    write_partition(answers, place)
    return place


def test_sums_are_those_added_up_by_hand(answers: pa.Table, folder) -> None:
    by = ("agent", "style", "task")
    expected: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in answers.to_pylist():
        expected[(*(row[name] for name in by), row["outcome"])].append(row["value"])
    found = sum_records(folder, "judge", by).to_pylist()
    keys = [tuple(row[name] for name in (*by, "outcome")) for row in found]
    assert keys == sorted(expected)
    for key, row in zip(keys, found, strict=True):
        values = expected[key]
        assert row["answers"] == len(values)
        if key[-1] == "scored":
            assert row["value"] == pytest.approx(np.mean(values), abs=1e-12)
            assert row["square"] == pytest.approx(np.mean(np.square(values)), rel=1e-14)
        else:
            assert row["value"] is row["square"] is None


def test_an_address_that_is_no_folder_is_scanned_alike(answers: pa.Table, folder) -> None:
    write_partition(answers, "memory://scan/records")
    try:
        there = sum_records("memory://scan/records", "judge", ["agent", "task"], "200MB", 1)
    finally:
        fsspec.filesystem("memory").rm("/scan", recursive=True)
    here = sum_records(folder, "judge", ["agent", "task"]).to_pylist()
    assert there.select(["agent", "task", "outcome", "answers"]).to_pylist() == [
        {name: row[name] for name in ("agent", "task", "outcome", "answers")} for row in here
    ]


def same(one: list[Measure], other: list[Measure], within: float) -> None:
    def keyed(measures: list[Measure]) -> dict[tuple[str, ...], Measure]:
        return {(m.title, *map(str, m.labels.values())): m for m in measures}

    first, second = keyed(one), keyed(other)
    assert len(first) == len(one) > 0
    assert first.keys() == second.keys()
    for key, measure in first.items():
        twin = second[key]
        for name in ("n", "units", "scored", "no_answer", "error", "method", "flags"):
            assert getattr(measure, name) == getattr(twin, name), (key, name)
        for name in ("estimate", "low", "high"):
            value, again = getattr(measure, name), getattr(twin, name)
            assert (value is None) == (again is None), (key, name)
            if value is not None:
                assert again == pytest.approx(value, abs=within), (key, name)


def test_measures_of_sums_are_those_of_single_answers(answers: pa.Table, folder) -> None:
    judge = get_suite("judge")
    summed = sum_records(folder, "judge", judge.sums.by)
    assert summed.num_rows < answers.num_rows / 1.2
    contrasts = list(contrast_measures(answers))
    assert {m.name for m in contrasts} == {"explaining_away", "markov_violation"}
    same(contrasts, list(contrast_measures(summed)), 1e-12)
    same(list(task_means(answers)), list(task_means(summed)), 1e-12)
    # A fit ends where a step is below its tolerance, so the last digits depend on rounding.
    same(list(model_measures(answers, 200)), list(model_measures(summed, 200)), 1e-9)
    titles = {m.title for m in summed_measures(summed)}
    assert titles >= {"explaining_away", "markov_violation", "heldout_r2", "mean (task VI)"}


def test_a_task_mean_has_the_interval_of_clusters_by_hand(answers: pa.Table) -> None:
    measure = next(m for m in task_means(answers) if m.at == {"task": "VI"})
    vignettes: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in answers.to_pylist():
        group = (row["agent"], row["style"], row["task"], row["outcome"])
        if group == (measure.labels["agent"], measure.labels["style"], "VI", "scored"):
            vignettes[row["story"], row["polarity"]].append(row["value"] / 100)
    values = [value for cluster in vignettes.values() for value in cluster]
    mean, units = np.mean(values), len(vignettes)
    unit = np.repeat(np.arange(units), [len(cluster) for cluster in vignettes.values()])
    story = np.repeat([story for story, _ in vignettes], [*map(len, vignettes.values())])
    pulls = []  # CR2 within stories: what each answer weighs in the pull of each vignette
    for position, (inside, _) in enumerate(vignettes):
        share = (unit == position).sum() / (story == inside).sum()
        pull = (unit == position) - share * (story == inside)
        pulls.append(pull / len(values) / np.sqrt(1 - share))
    together = np.array(pulls) @ np.array(pulls).T
    degrees = np.trace(together) ** 2 / np.sum(together**2)
    half = student.ppf(0.975, degrees) * np.linalg.norm(np.array(pulls) @ np.array(values))
    assert (measure.estimate, measure.low, measure.high) == pytest.approx(
        (mean, mean - half, mean + half), abs=1e-12
    )
    assert (measure.n, measure.units) == (len(values), units)


def test_the_order_of_rows_does_not_matter(answers: pa.Table) -> None:
    order = generator("tests", "order").permutation(answers.num_rows)
    same(
        list(model_measures(answers, 100)),
        list(model_measures(answers.take(order), 100)),
        1e-7,
    )


def simulated(name: str) -> pa.Table:
    """Return answers of two agents whose answers vary, where the suite has such."""
    one = get_suite(name)
    design = one.make_design({"design": "core"})
    items = list(islice(one.items(design), 120))
    settings = {agent.name: agent.calibrate_at[-1] for agent in one.agents.values()}
    agents = sorted(
        (agent for agent in one.agents.values() if agent.answers),
        key=lambda agent: not agent.noisy(agent.settings(settings[agent.name])),
    )
    rows = [
        row
        for agent in agents[:2]
        for row in simulate_rows(one, design, items, agent, settings[agent.name], agent.name, {})
    ]
    return record_table(rows, one.record_columns)


@pytest.mark.slow
@pytest.mark.parametrize("name", own_suites())
def test_an_agent_is_measured_alike_alone_and_in_company(name: str, mirror) -> None:
    table = judged(agents=2, epochs=1) if name == "judge" else simulated(name)
    agents = sorted(set(table["agent"].to_pylist()), reverse=True)
    alone = [
        measure
        for agent in agents
        for measure in get_suite(name).measures(table.filter(pc.equal(table["agent"], agent)))
    ]
    same(alone, get_suite(name).measures(table), 1e-7)


def test_what_cannot_be_summed_up_is_said(folder, tmp_path) -> None:
    with pytest.raises(ValueError, match="records of judge must be at .*, got none"):
        sum_records(tmp_path, "judge", ["agent"])
    with pytest.raises(ValueError, match="must have the columns agent, mood, got .*mood"):
        sum_records(folder, "judge", ["agent", "mood"])


def test_a_long_scan_prints_nothing(folder, monkeypatch) -> None:
    said: list[str] = []

    class Connection:
        def __init__(self, **settings) -> None:
            self.real = duckdb.connect(**settings)

        def __enter__(self):
            return self

        def __exit__(self, *_) -> None:
            self.real.close()

        def __getattr__(self, name: str):
            return getattr(self.real, name)

        def sql(self, *words, **more):
            ((shown,),) = self.real.sql("SELECT current_setting('enable_progress_bar')").fetchall()
            said.append(shown)
            return self.real.sql(*words, **more)

    fake = SimpleNamespace(connect=Connection, Error=duckdb.Error)
    monkeypatch.setitem(sys.modules, "duckdb", fake)
    assert sum_records(folder, "judge", ["agent"]).num_rows
    assert said == [False]


def test_without_duckdb_it_is_said_what_to_install(folder, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UserError, match=r"pip install 'whybench\[scale\]'"):
        sum_records(folder, "judge", ["agent"])
