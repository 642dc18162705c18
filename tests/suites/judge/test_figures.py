from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("matplotlib")

from tests.drawing.seen import FigureLaws, drawn
from tests.drawing.seen import texts as drawn_texts
from tests.drawing.seen_charts import ChartLaws, texts, told

from whybench.drawing.estimates import rank
from whybench.drawing.figure import save_figures
from whybench.drawing.style import PEOPLE as PEOPLE_LOOK
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.stats import Measure
from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.figures import (
    change_forest,
    determinacy_by_condition,
    determinacy_panels,
    human_correlation_by_story,
    human_correlation_forest,
    judgment_shares,
    measure_by_condition,
    measures_forest,
    parameter_map,
    tasks_panel,
)
from whybench.suites.judge.figures.distribution import share_rows
from whybench.suites.judge.figures.looks import TASKS, condition_name
from whybench.suites.judge.figures.run import make_figure, sheets_of
from whybench.suites.judge.figures.tasks_panel import layers, task_rows
from whybench.suites.judge.fitted_models import fit_agents
from whybench.suites.judge.measures import CONDITION
from whybench.suites.judge.questions import GRAPHS, load_structure

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure

    from whybench.drawing.figure import Figure as Chart
    from whybench.suites.judge.fitted_models import FittedModel

AGENTS = (
    "published/gemini-2.5-pro",
    "published/gpt-5-mini-v_low-r_high",
    "published/gpt-5-mini-v_low-r_low",
    "published/claude-opus-4-20250514",
    "published/o3",
)
SMALL = AGENTS[3]
PEOPLE = "human/rw17.mean"
NAMES = (
    "explaining_away",
    "markov_violation",
    "prior",
    "leak",
    "strength",
    "leak_adjusted_determinacy",
    "heldout_r2",
)
CONTENTS = ("story", "abstract")
STYLES = ("direct", "cot")


def measure(name: str, agent: str, content: str, style: str, value: float | None) -> Measure:
    few = agent == SMALL and content == "story"
    return Measure(
        name=name,
        estimate=value,
        low=None if value is None else value - 0.05,
        high=None if value is None else value + 0.05,
        n=240,
        units=12,
        scored=30 if few else 240,
        no_answer=0,
        error=0,
        method="made up",
        flags=("small_n",) if few else (),
        labels={
            "agent": agent,
            "design": "made-up",
            "graph": "collider",
            "content": content,
            "overload": "none",
            "overload_source": "none",
            "style": style,
        },
    )


def made(*names: str, people: bool = True) -> list[Measure]:
    draw = generator("test", "figures", *names)
    found = [
        measure(name, agent, content, style, float(draw.uniform(0.05, 0.95)))
        for name, agent, content, style in product(names, AGENTS, CONTENTS, STYLES)
    ]
    return found + [measure(name, PEOPLE, "story", "direct", 0.4) for name in names if people]


def only(measures: list[Measure], **labels: str) -> list[Measure]:
    return [m for m in measures if all(m.labels[name] == value for name, value in labels.items())]


@cache
def answered(graph: str = "collider", *, few: bool = False, **changed: str) -> pa.Table:
    """Three agents, of whom the last may have answered one vignette only."""
    shape = load_structure(graph)
    draw = generator("test", "figures", graph)
    rows = [
        {
            **dict.fromkeys(CONDITION, "none"),
            "suite": "judge",
            "version": SUITE.version,
            "agent": agent,
            "design": "made-up",
            "design_hash": "",
            "graph": graph,
            "content": "story",
            "style": "direct",
            "item": f"{story}-{polarity}-{place}",
            "epoch": 1,
            "outcome": "scored",
            "reason": "",
            "story": story,
            "polarity": polarity,
            "task": question.task,
            "letter": question.letter,
            "cause": question.cause,
            "value": float(draw.integers(0, 101)),
            **({} if agent == PEOPLE else changed),
        }
        for agent, story, polarity in product(
            (PEOPLE, *AGENTS[:2]), ("economy", "weather"), ("ppp", "pmm")
        )
        if not few or agent != AGENTS[1] or (story, polarity) == ("economy", "ppp")
        for place, question in enumerate(shape.questions)
    ]
    return record_table(rows, SUITE.columns)


@cache
def models(graph: str = "collider", *, few: bool = False) -> list[FittedModel]:
    return fit_agents(answered(graph, few=few), resamples=0)


def joined(*tables: pa.Table) -> pa.Table:
    """Return the tables as one, with people once."""
    return pa.concat_tables([tables[0], *(without_people(table) for table in tables[1:])])


def without_people(table: pa.Table) -> pa.Table:
    return table.filter([agent != PEOPLE for agent in table["agent"].to_pylist()])


def ceiling() -> Measure:
    return measure("human_correlation_ceiling", PEOPLE, "story", "direct", 0.92)


def some(kind: str, plot: Callable[..., Any], *given: Any) -> Callable[[], Chart]:
    return lambda: make_figure(kind, plot, *given)


def many() -> list[Measure]:
    """Thirty agents."""
    return [
        measure(name, f"maker/a-model-of-number-{place}", "story", "direct", (place % 11) / 12)
        for name in ("heldout_r2", "explaining_away", "markov_violation")
        for place in range(30)
    ]


OWN = "reference/judge.noisy-or"


def beside(*names: str) -> list[Measure]:
    """Return measures of published agents and of one's own."""
    own = [
        measure(name, OWN, content, style, 0.5)
        for name, content, style in product(names, CONTENTS, STYLES)
    ]
    return [*made(*names), *own]


def of_stories() -> list[Measure]:
    pooled = only(beside("human_correlation"), content="story")
    return [*pooled, *(replace(m, at={"story": story}) for m in pooled for story in ("a", "b"))]


CHARTS = {
    "human_correlation": some(
        "human_correlation", human_correlation_forest, made("human_correlation"), ceiling()
    ),
    "measures": some(
        "measures", measures_forest, made("heldout_r2", "explaining_away", "markov_violation")
    ),
    "measures-of-many": some("measures", measures_forest, many()),
    "parameters": some(
        "parameters", parameter_map, made("prior", "leak", "strength", "leak_adjusted_determinacy")
    ),
    "heldout_r2": some("heldout_r2", measure_by_condition, made("heldout_r2")),
    "determinacy": some("determinacy", determinacy_panels, only(made(*NAMES), content="story")),
    "changes": some(
        "changes",
        change_forest,
        only(
            made("explaining_away", "markov_violation", "heldout_r2"),
            content="story",
            style="direct",
        ),
        only(
            made("explaining_away", "markov_violation", "heldout_r2"),
            content="abstract",
            style="direct",
        ),
    ),
    "human_correlation-stories": some(
        "human_correlation", human_correlation_by_story, of_stories()
    ),
    "conditions": some(
        "conditions", measure_by_condition, beside("explaining_away"), "explaining_away"
    ),
    "determinacy-own": some(
        "determinacy", determinacy_panels, only(beside(*NAMES), content="story")
    ),
    "determinacy-conditions": some("determinacy", determinacy_by_condition, beside(*NAMES)),
}


@cache
def figure_of(name: str) -> Chart:
    return CHARTS[name]()


@cache
def tasks() -> Figure:
    return tasks_panel(models())


class TestTasks(FigureLaws):
    draw: ClassVar = {"tasks": lambda: tasks_panel(models())}
    figure_of = staticmethod(lambda name: tasks())


class TestEveryChart(ChartLaws):
    draw = CHARTS
    figure_of = staticmethod(figure_of)

    def test_every_row_is_a_mark_that_tells_its_number(self, name: str) -> None:
        """People and ceilings are lines, or stand in several panels: marks are of the rows."""
        rows = [row["estimate"] for row in figure_of(name).rows if row["estimate"] is not None]
        marks = told(figure_of(name))
        assert marks
        for mark in marks:
            said = mark.get("estimate") or mark["leak-adjusted determinacy (LAD)"]
            assert min(abs(float(said) - number) for number in rows) < 0.0006


def points(name: str) -> int:
    """Count the marks of agents."""
    return sum("agent" in mark for mark in told(figure_of(name)))


def test_each_agent_is_a_point() -> None:
    agents = len(AGENTS)
    assert drawn(tasks()) == 3 * 11
    assert points("human_correlation") == agents * 4
    assert points("measures") == 3 * agents * 4
    assert points("parameters") == 4 * (agents * 4 + 2)  # people stand under both styles
    assert points("heldout_r2") == agents * 4
    assert points("determinacy") == 3 * (agents * 2 + 1)
    assert points("changes") == 3 * agents * 2


def test_people_and_ceilings_are_lines() -> None:
    lines = [mark for mark in told(figure_of("human_correlation")) if "what" in mark]
    assert [mark["estimate"] for mark in lines] == ["0.92"] * 4
    lines = [mark for mark in told(figure_of("measures")) if "what" in mark]
    assert [(mark["what"], mark["estimate"]) for mark in lines] == [("people", "0.4")] * 3


def few(name: str) -> int:
    return sum("f" in datum for datum in figure_of(name).spec["data"]["values"])


def test_few_answers_are_marked_and_not_ranked() -> None:
    marked = {
        "human_correlation": 2,
        "measures": 6,
        "heldout_r2": 2,
        "determinacy": 6,
        "changes": 3,
    }
    for name, count in {**marked, "parameters": 8}.items():
        assert few(name) == count, name
        assert "fewer than 60 answers" in " ".join(texts(figure_of(name))), name
    domain = figure_of("human_correlation").spec["spec"]["layer"][-1]["encoding"]["y"]["scale"][
        "domain"
    ]
    assert domain[-1] == "claude-opus-4"
    domain = figure_of("measures").spec["spec"]["layer"][-1]["encoding"]["y"]["scale"]["domain"]
    assert {row.split(",")[0] for row in domain[-2:]} == {"claude-opus-4"}
    words = [text.get_text() for text in drawn_texts(tasks_panel(models(few=True)))]
    assert words.count("gpt-5-mini, high (few answers)") == 1


def test_the_map_holds_numbers_where_they_fit() -> None:
    one = parameter_map(
        only(made("prior", "leak", "strength", "leak_adjusted_determinacy"), style="direct")
    )
    assert "hundredths" in one["usermeta"]["note"]
    many = [
        Measure(**{**vars(m), "labels": {**m.labels, "overload": overload}})
        for m in made("prior", "leak", "strength", "leak_adjusted_determinacy")
        for overload in ("none", "d", "e", "de")
    ]
    crowded = parameter_map(many)
    assert "hundredths" not in crowded["usermeta"]["note"]
    # Names of several lines would lie on top of each other.
    written = json.dumps(crowded["data"]["values"])
    assert "abstract +de" in written
    assert "\\n" not in written


def test_forest_without_a_rho_has_a_cross() -> None:
    figure = make_figure(
        "human_correlation",
        human_correlation_forest,
        [measure("human_correlation", agent, "story", "direct", 0.5) for agent in AGENTS[:2]]
        + [measure("human_correlation", AGENTS[2], "story", "direct", None)],
    )
    assert [(mark["agent"], mark["estimate"]) for mark in told(figure)][-1] == (
        "gpt-5-mini, low", "none",
    )  # fmt: skip
    assert "×" in texts(figure)


@pytest.mark.slow
@pytest.mark.parametrize("graph", GRAPHS)
def test_every_graph_has_a_tasks_panel(graph: str) -> None:
    shape = load_structure(graph)
    grouped = [task for tasks in TASKS[graph].values() for task in tasks]
    assert grouped == list(dict.fromkeys(question.task for question in shape.questions))
    assert drawn(tasks_panel(models(graph))) == 3 * len(grouped)


def test_causes_stand_above_effects() -> None:
    assert layers(load_structure("fork")) == [["C"], ["E1", "E2"]]
    assert layers(load_structure("chain")) == [["X"], ["Y"], ["Z"]]


def test_conditions_are_named_by_what_differs() -> None:
    labels = {"graph": "fork", "content": "abstract", "overload": "de", "overload_source": "story"}
    assert condition_name(labels) == "fork, abstract +de\n(other story)"
    assert condition_name({**labels, "graph": "collider", "overload": "none"}) == "abstract"


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(UserError, match="1 to 4 agents, after people .*, got 5 and 1 people"):
        tasks_panel(models() * 2)
    with pytest.raises(UserError, match="1 to 4 agents, after people .*, got 5 and no people"):
        tasks_panel([models()[1]] * 5)
    with pytest.raises(UserError, match="one graph, got collider, fork"):
        tasks_panel([models()[0], models("fork")[0]])
    with pytest.raises(UserError, match="pooled alignments"):
        human_correlation_forest([])
    with pytest.raises(UserError, match="an estimate of heldout_r2, got none"):
        measure_by_condition([])
    with pytest.raises(UserError, match="none in common"):
        change_forest(made("explaining_away"), [])


def test_a_single_agent_without_people_is_drawn() -> None:
    few = [m for m in made(*NAMES, people=False) if m.labels["agent"] == AGENTS[0]]
    story = only(few, content="story", style="direct")
    for kind, plot, count in (
        ("determinacy", determinacy_panels, 3),
        ("heldout_r2", measure_by_condition, 1),
        ("parameters", parameter_map, 4),
    ):
        assert len(told(make_figure(kind, plot, story))) == count, kind
    after = only(few, content="abstract", style="direct")
    assert len(told(make_figure("changes", change_forest, story, after))) == 14


@pytest.mark.slow
def test_black_is_for_people() -> None:
    with_people, without = tasks_panel(models()), tasks_panel(models()[1:])
    for figure, black in ((with_people, 1), (without, 0)):
        points = [m for m in figure.findobj() if str(m.get_gid()).startswith("points-")]
        assert sum(p.get_markeredgecolor() == PEOPLE_LOOK.colour for p in points) == black


def test_too_few_tasks_have_means_and_no_model() -> None:
    tasks = answered()["task"].to_pylist()
    (one, *_) = fit_agents(answered().filter([task in ("I", "II") for task in tasks]), 0)
    assert "underdetermined" in one.flags
    figure = tasks_panel([one])
    assert drawn(figure) == 2
    assert [row["fitted"] for row in task_rows(one)] == [None, None]
    fitted = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert [len(line.get_xdata()) for line in fitted] == [0], "only the key has a line"


def test_rows_of_a_forest_are_ranked_by_what_can_be_trusted() -> None:
    good, better, none = (
        measure("explaining_away", AGENTS[0], "story", "cot", v) for v in (0.2, 0.6, None)
    )
    few = measure("explaining_away", SMALL, "story", "cot", 0.9)
    assert sorted([[few], [good], [none], [better]], key=rank) == [[better], [good], [few], [none]]
    assert rank([None, good]) > rank([good, None]) > rank([better, None])


def test_people_stand_beside_designs_that_ask_what_they_judged() -> None:
    abstract = answered(content="abstract", design="abstract", design_hash="1")
    fork = answered("fork", design="fork", design_hash="2")
    sheets = dict(sheets_of(joined(answered(), abstract, without_people(fork))))
    assert {name: set(table["agent"].to_pylist()) for name, table in sheets.items()} == {
        "made-up": {PEOPLE, *AGENTS[:2]},
        "abstract": {*AGENTS[:2]},
        "fork": {*AGENTS[:2]},
    }
    people = answered().filter([agent == PEOPLE for agent in answered()["agent"].to_pylist()])
    assert [(name, len(table)) for name, table in sheets_of(people)] == [("people", len(people))]


def test_a_changed_design_stands_beside_published_models_that_were_asked_the_same() -> None:
    published = joined(
        answered(design="published"),
        answered(design="published", style="cot", design_hash="c"),
        answered(design="abstract", content="abstract", design_hash="a"),
    )

    def asked(design: str, **levels: str) -> pa.Table:
        table = without_people(answered(design=design, design_hash="mine", **levels))
        return table.set_column(
            table.column_names.index("agent"), "agent", pa.array([OWN] * table.num_rows)
        )

    ((name, sheet),) = sheets_of(joined(published, asked("published*", style="cot")))
    assert name == "published"
    met = set(zip(*(sheet[c].to_pylist() for c in ("agent", "style", "content")), strict=True))
    assert met == {
        (PEOPLE, "direct", "story"),
        *((agent, "cot", "story") for agent in (OWN, *AGENTS[:2])),
    }
    thesis = joined(asked("thesis"), asked("thesis", content="abstract"))
    ((name, sheet),) = sheets_of(joined(published, thesis))
    assert (name, sheet.num_rows) == ("thesis", 80 + 2 * (160 + 160))


def test_ones_own_agents_are_bold_among_published_ones() -> None:
    for name in ("conditions", "human_correlation-stories"):
        assert '"bold"' in json.dumps(figure_of(name).spec), name
    assert '"bold"' not in json.dumps(figure_of("heldout_r2").spec)


def test_with_many_rows_each_measure_has_conditions_for_panels(
    names_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whybench.suites.judge.figures.run.people_are_fetched", lambda: False)
    monkeypatch.setattr("whybench.suites.judge.figures.run.MOST_ROWS", 3)
    names = names_of(joined(answered(), answered(style="cot", design_hash="c")))
    assert {
        "measures-made-up-explaining_away",
        "measures-made-up-markov_violation",
        "heldout_r2-made-up",
    } <= {*names}
    assert "measures-made-up" not in names


def test_shares_of_judgments_by_hand() -> None:
    rows = [
        row for row in share_rows(answered()) if (row["agent"], row["story"]) == (PEOPLE, "economy")
    ]
    values = [
        row["value"]
        for row in answered().to_pylist()
        if (row["agent"], row["story"]) == (PEOPLE, "economy")
    ]
    assert [row["level"] for row in rows] == list(range(0, 101, 10))
    assert rows[5]["share"] == np.mean([value <= 50 for value in values])
    assert rows[-1]["share"] == 1
    figure = make_figure("distribution", judgment_shares, list(share_rows(answered())))
    assert len(figure.rows) == 3 * 2 * 11
    assert figure.spec is not None


def test_designs_of_one_name_share_a_sheet_unless_an_agent_met_both() -> None:
    direct, cot = answered(), answered(style="cot", design_hash="other")
    ((name, together),) = sheets_of(joined(direct, cot))
    assert (name, len(together)) == ("made-up", len(direct) + len(without_people(cot)))
    again = answered(design_hash="other")
    assert [(name, len(table)) for name, table in sheets_of(joined(direct, again))] == [
        ("made-up", len(direct)),
        ("made-up-2", len(direct)),
    ]


@pytest.fixture
def names_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[pa.Table], list[str]]:
    """Draw the figures of a run, in one format, and return their names."""
    monkeypatch.setattr("whybench.drawing.figure.PICTURES", ("svg",))

    def drawn_as(records: pa.Table) -> list[str]:
        paths = list(save_figures(SUITE.figures(records), tmp_path))
        assert len(set(paths)) == len(paths), "no figure is written over another"
        assert all(path.stat().st_size > 100 for path in paths)
        return [path.stem for path in paths if path.suffix == ".svg"]

    return drawn_as


@pytest.mark.slow
@pytest.mark.usefixtures("mirror")
def test_the_figures_of_a_run_are_those_that_it_has_answers_for(names_of) -> None:
    run, changed = answered(design="core"), answered(design="core*", design_hash="1")
    kinds = ("tasks", "measures", "human_correlation", "parameters")
    assert names_of(joined(run, changed)) == [
        *(f"{kind}-core" for kind in kinds),
        *(f"{kind}-core-2" for kind in kinds),
    ]
    assert names_of(without_people(run).slice(0, 3)) == ["tasks-core", "human_correlation-core"]


def test_the_rows_behind_the_tasks_are_what_is_drawn() -> None:
    model = models()[1]
    rows = list(task_rows(model))
    assert tasks_panel([model]).rows == tuple(rows)
    assert [row["task"] for row in rows] == list(model.tasks)
    first = [
        row["value"]
        for row in answered().to_pylist()
        if row["agent"] == AGENTS[0] and row["task"] == "I"
    ]
    assert rows[0]["n"] == len(first) == 4
    assert rows[0]["mean"] == pytest.approx(np.mean(first))
    assert rows[0]["low"] < rows[0]["mean"] < rows[0]["high"]
    assert rows[0]["fitted"] == pytest.approx(100 * model.predictions[0])


@pytest.mark.slow
def test_several_conditions_are_compared(names_of, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whybench.suites.judge.figures.run.people_are_fetched", lambda: False)
    overloaded = answered(overload="e", overload_source="filler", design_hash="e")
    styles = joined(answered(), answered(style="cot", design_hash="c"), overloaded)
    assert names_of(styles) == [
        "tasks-made-up-story-direct",
        "tasks-made-up-story-cot",
        "measures-made-up",
        "parameters-made-up",
        "heldout_r2-made-up",
        "changes-made-up-story-cot",
    ]


def test_under_several_conditions_each_has_one_panel_of_tasks(monkeypatch) -> None:
    monkeypatch.setattr("whybench.suites.judge.figures.run.people_are_fetched", lambda: False)
    monkeypatch.setattr("whybench.suites.judge.figures.run.MOST", 1)
    monkeypatch.setattr("whybench.suites.judge.figures.run.MOST_SHOWN", 2)

    def panels(records: pa.Table) -> list[str]:
        names = [figure.name for figure in SUITE.figures(without_people(records))]
        return [name for name in names if name.startswith("tasks")]

    assert panels(answered()) == ["tasks-made-up-1", "tasks-made-up-2"]
    both = joined(answered(), answered(style="cot", design_hash="c"))
    assert panels(both) == ["tasks-made-up-story-direct", "tasks-made-up-story-cot"]


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import whybench.suites.judge\n"
        "from whybench.suites.contract import UserError\n"
        "try:\n    import whybench.suites.judge.figures\n"
        "except UserError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout.strip() == "figures need matplotlib: pip install 'whybench[figures]'"


def test_the_suite_does_not_import_matplotlib() -> None:
    code = (
        "import sys, whybench.suites.judge, whybench.suites.judge.fitted_models\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)
