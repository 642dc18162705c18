from __future__ import annotations

import subprocess
import sys
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from tests.drawing.seen import check_apart, check_files, check_readable, drawn, texts

from whybench.records.schema import record_table
from whybench.seeds import generator
from whybench.stats import Measure
from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.figures import (
    alignment_forest,
    consistency_by_condition,
    determinacy_panels,
    measures_by_release,
    parameter_map,
    replication_figures,
    slope_chart,
    tasks_panel,
)
from whybench.suites.judge.figures.by_release import released
from whybench.suites.judge.figures.graphs import layers
from whybench.suites.judge.figures.looks import TASKS
from whybench.suites.judge.figures.names import condition_name
from whybench.suites.judge.figures.slopes import spread
from whybench.suites.judge.imported import CONDITIONS, published_records
from whybench.suites.judge.measures import CONDITION
from whybench.suites.judge.modelled import model_agents
from whybench.suites.judge.questions import GRAPHS, structure

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from whybench.suites.judge.modelled import Modelled

AGENTS = (
    "published/gemini-2.5-pro",
    "published/gpt-5-mini-v_low-r_high",
    "published/gpt-5-mini-v_low-r_low",
    "published/claude-opus-4-20250514",
    "published/o3",
)
SMALL = AGENTS[3]
PEOPLE = "human/rw17.mean"
NAMES = ("ea", "mv", "p", "b", "m", "lad", "consistency")
CONTENTS = ("story", "abstract")
STYLES = ("numeric", "cot")


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
            "stimuli": "published",
            "content": content,
            "overload": "none",
            "overload_source": "none",
            "style": style,
            "story": "pooled",
        },
    )


def made(*names: str, people: bool = True) -> list[Measure]:
    draw = generator("test", "figures", *names)
    found = [
        measure(name, agent, content, style, float(draw.uniform(0.05, 0.95)))
        for name, agent, content, style in product(names, AGENTS, CONTENTS, STYLES)
    ]
    return found + [measure(name, PEOPLE, "story", "numeric", 0.4) for name in names if people]


def only(measures: list[Measure], **labels: str) -> list[Measure]:
    return [m for m in measures if all(m.labels[name] == value for name, value in labels.items())]


@cache
def models(graph: str = "collider", *, few: bool = False) -> list[Modelled]:
    """Three agents, of whom the last may have answered one vignette only."""
    shape = structure(graph)
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
            "stimuli": "own",
            "content": "story",
            "style": "numeric",
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
        }
        for agent, story, polarity in product(
            (PEOPLE, *AGENTS[:2]), ("economy", "weather"), ("ppp", "pmm")
        )
        if not few or agent != AGENTS[1] or (story, polarity) == ("economy", "ppp")
        for place, question in enumerate(shape.questions)
    ]
    return model_agents(record_table(rows, SUITE.columns), resamples=0)


def ceiling() -> Measure:
    return measure("alignment_ceiling", PEOPLE, "story", "numeric", 0.92)


DRAW = {
    "tasks": lambda: tasks_panel(models()),
    "alignment": lambda: alignment_forest(made("alignment"), ceiling()),
    "parameters": lambda: parameter_map(made("p", "b", "m", "lad")),
    "consistency": lambda: consistency_by_condition(made("consistency")),
    "determinacy": lambda: determinacy_panels(only(made(*NAMES), content="story")),
    "changes": lambda: slope_chart(
        only(made("ea", "mv", "consistency"), content="story", style="numeric"),
        only(made("ea", "mv", "consistency"), content="abstract", style="numeric"),
    ),
    "release": lambda: measures_by_release(only(made(*NAMES), content="story")),
}


@cache
def figure_of(name: str) -> Figure:
    return DRAW[name]()


EVERY = pytest.mark.parametrize("name", DRAW)


@EVERY
def test_a_figure_is_written_in_three_formats_and_always_the_same(
    name: str, tmp_path: Path
) -> None:
    check_files(figure_of(name), DRAW[name], tmp_path)


@EVERY
def test_nothing_is_cut_off_or_too_small_to_read(name: str) -> None:
    check_readable(figure_of(name))


@EVERY
def test_names_do_not_cover_each_other(name: str) -> None:
    check_apart(figure_of(name))


def test_each_agent_is_a_point() -> None:
    agents = len(AGENTS)
    assert drawn(figure_of("tasks")) == 3 * 11
    assert drawn(figure_of("alignment")) == agents * 4
    assert drawn(figure_of("parameters")) == 4 * (agents * 4 + 2)  # people stand under both styles
    assert drawn(figure_of("consistency")) == agents * 4
    assert drawn(figure_of("determinacy")) == 3 * (agents * 2 + 1)
    assert drawn(figure_of("changes")) == 3 * (agents * 2 + 1)
    assert drawn(figure_of("release")) == 3 * agents * 2


def test_few_answers_are_marked_and_not_ranked() -> None:
    assert drawn(figure_of("alignment"), "-small") == 2
    assert drawn(figure_of("consistency"), "-small") == 2
    assert drawn(figure_of("determinacy"), "-small") == 6
    assert drawn(figure_of("changes"), "-small") == 6
    assert drawn(figure_of("release"), "-small") == 6
    for name in ("alignment", "consistency", "determinacy", "changes", "release"):
        words = " ".join(text.get_text() for text in texts(figure_of(name)))
        assert "fewer than 60 answers" in words, name

    forest = figure_of("alignment")
    ranked = [label.get_text() for label in forest.axes[0].get_yticklabels()]
    assert ranked[-1] == "claude-opus-4"
    assert "n = 4" in [text.get_text() for text in texts(figure_of("consistency"))]
    words = [text.get_text() for text in texts(tasks_panel(models(few=True)))]
    assert words.count("gpt-5-mini, high (few answers)") == 1


def test_small_cells_of_the_map_are_smaller() -> None:
    figure = figure_of("parameters")
    cells = [m for m in figure.findobj() if str(m.get_gid()).startswith("points-lad")]
    assert sorted({round(cell.get_width(), 2) for cell in cells}) == [0.72, 1.0]
    assert sum(cell.get_width() < 1 for cell in cells) == 2


def test_the_map_holds_numbers_where_they_fit() -> None:
    one = parameter_map(only(made("p", "b", "m", "lad"), style="numeric"))
    assert "cells hold hundredths" in " ".join(text.get_text() for text in texts(one))
    many = [
        Measure(**{**vars(m), "labels": {**m.labels, "overload": overload}})
        for m in made("p", "b", "m", "lad")
        for overload in ("none", "d", "e", "de")
    ]
    assert "hundredths" not in " ".join(text.get_text() for text in texts(parameter_map(many)))


def test_forest_without_a_rho_has_a_cross() -> None:
    figure = alignment_forest(
        [measure("alignment", agent, "story", "numeric", 0.5) for agent in AGENTS[:2]]
        + [measure("alignment", AGENTS[2], "story", "numeric", None)]
    )
    assert drawn(figure) == 2
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()][-1] == "gpt-5-mini, low"


@pytest.mark.parametrize("graph", GRAPHS)
def test_every_graph_has_a_tasks_panel(graph: str) -> None:
    shape = structure(graph)
    grouped = [task for tasks in TASKS[graph].values() for task in tasks]
    assert grouped == list(dict.fromkeys(question.task for question in shape.questions))
    assert drawn(tasks_panel(models(graph))) == 3 * len(grouped)


def test_causes_stand_above_effects() -> None:
    assert layers(structure("fork")) == [["C"], ["E1", "E2"]]
    assert layers(structure("chain")) == [["X"], ["Y"], ["Z"]]


def test_conditions_are_named_by_what_differs() -> None:
    labels = {"graph": "fork", "content": "abstract", "overload": "de", "overload_source": "story"}
    assert condition_name(labels) == "fork, abstract +de\n(other story)"
    assert condition_name({**labels, "graph": "collider", "overload": "none"}) == "abstract"


def test_release_dates_are_those_of_the_source() -> None:
    assert released(AGENTS[1]) == released("published/gpt-5-v_low-r_low")
    assert str(released("published/gpt-4o[temperature=0.7]")) == (
        "('OpenAI', datetime.date(2024, 5, 13))"
    )
    assert released("reference/judge.noisy-or") is None


@pytest.mark.usefixtures("mirror")
def test_every_published_model_has_a_release_date() -> None:
    for design in CONDITIONS:
        agents = set(published_records(design)["agent"].to_pylist())
        assert [agent for agent in agents if released(agent) is None] == []


def test_agents_without_a_date_are_counted() -> None:
    unknown = [measure("ea", "reference/judge.noisy-or", "story", "numeric", 0.3)]
    figure = measures_by_release(made("ea") + unknown, names=("ea",))
    assert "without a known date: 1 agents" in " ".join(t.get_text() for t in texts(figure))
    with pytest.raises(UserError, match="known release date"):
        measures_by_release(unknown)


def test_spread_keeps_names_apart_and_in_order() -> None:
    moved = spread(np.array([0.5, 0.5, 0.98, 0.52, 1.0]), 0.1)
    assert np.diff(np.sort(moved)).min() >= 0.1 - 1e-9
    assert moved.max() <= 1 + 1e-9
    assert moved[0] < moved[1] < moved[3] < moved[2] < moved[4]
    assert spread(np.array([0.1, 0.9]), 0.1).tolist() == [0.1, 0.9]


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(UserError, match="1 to 5 agents, got 6"):
        tasks_panel(models() * 2)
    with pytest.raises(UserError, match="one graph, got collider, fork"):
        tasks_panel([models()[0], models("fork")[0]])
    with pytest.raises(UserError, match="pooled alignments"):
        alignment_forest([])
    with pytest.raises(UserError, match="an estimate of consistency, got none"):
        consistency_by_condition([])
    with pytest.raises(UserError, match="none in common"):
        slope_chart(made("ea"), [])


def test_a_single_agent_without_people_is_drawn() -> None:
    few = [m for m in made(*NAMES, people=False) if m.labels["agent"] == AGENTS[0]]
    story = only(few, content="story", style="numeric")
    assert drawn(determinacy_panels(story)) == 3
    assert drawn(consistency_by_condition(story)) == 1
    assert drawn(measures_by_release(story)) == 3
    assert drawn(parameter_map(story)) == 4
    assert drawn(slope_chart(story, only(few, content="abstract", style="numeric"))) == 14


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import whybench.suites.judge\n"
        "from whybench.suites.contract import UserError\n"
        "try:\n    import whybench.suites.judge.figures\n"
        "except UserError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "figures need matplotlib: pip install 'whybench[figures]'"


def test_the_suite_does_not_import_matplotlib() -> None:
    code = (
        "import sys, whybench.suites.judge, whybench.suites.judge.modelled\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.usefixtures("mirror")
def test_an_unknown_model_cannot_be_shown(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="published models, got gpt-0"):
        next(replication_figures(tmp_path, shown=("gpt-0",)))


@pytest.mark.usefixtures("mirror")
def test_the_first_figure_of_the_published_data(tmp_path: Path) -> None:
    figures = replication_figures(tmp_path)
    assert [next(figures).name for _ in range(3)] == ["tasks.pdf", "tasks.svg", "tasks.png"]
