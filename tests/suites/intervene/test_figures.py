from __future__ import annotations

import doctest
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("pysat")

from tests.drawing.seen import FigureLaws, check_apart, check_readable, words
from tests.drawing.seen_charts import ChartLaws, texts, told

from whybench.drawing.figure import Figure as Saved
from whybench.drawing.figure import save_figures
from whybench.frames import rows_of
from whybench.records.table import record_table
from whybench.stats import Measure
from whybench.suites.contract import UserError, reply_generator
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.experimenters import Intervention, recipe, run_experiment
from whybench.suites.intervene.figures import (
    Course,
    accuracy_by_size,
    count_verdicts,
    course_of,
    episode_steps,
    intervene_figures,
    run,
    verdict_bars,
)
from whybench.suites.intervene.figures.run import settled_at_first
from whybench.suites.intervene.figures.verdicts import LOOKS, verdict_rows
from whybench.suites.intervene.sets import draw_advanced_world
from whybench.suites.intervene.themes import load_theme
from whybench.suites.intervene.verdicts import VERDICTS
from whybench.suites.intervene.world import InterveneWorld

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AGENTS = (
    "openai/gpt-5-mini",
    "anthropic/claude-opus-4-20250514",
    "reference/intervene.bayes",
    "reference/intervene.random-then-guess",
    "openai/gpt-4o-2024-08-06",
)
SIZES = (4, 5, 6, 7)
ENTAILED = {4: 0.24, 5: 0.2, 6: 0.17, 7: 0.15}
PLAYERS = ("recipe", "correlational", "random-then-guess", "always-no")


def measure(name: str, agent: str, value: float | None, *flags: str, **at: int) -> Measure:
    ends = (None, None) if value is None else (max(value - 0.06, 0.0), min(value + 0.05, 1.0))
    labels = {"agent": agent, "design": "made-up", "style": "direct"}
    return Measure(name, value, *ends, 80, 40, 320, 2, 0, "made up", flags, labels, at)


def sized() -> list[Measure]:
    """Five agents at four sizes, from the best to the worst, the last with few answers."""
    return [
        measure(name, agent, 0.97 - worse * place - 0.02 * place * (n - 4), *flags, entities=n)
        for place, agent in enumerate(AGENTS)
        for flags in [("small_n",) if agent == AGENTS[-1] else ()]
        for n in SIZES
        for name, worse in (("accuracy", 0.06), ("justified_accuracy", 0.13))
    ]


@cache
def records() -> pa.Table:
    """Episodes of four reference agents in the core set and in a few random worlds."""
    core = SUITE.make_design({"design": "core"})
    small = SUITE.make_design(
        {"design": "advanced", "name": "small", "entities": "4,6", "graphs": 2}
    )
    rows = [row for design in (core, small) for name in PLAYERS for row in _played(name, design)]
    for row in rows[:3]:
        row |= {"value": None, "outcome": "no_answer", "reason": "cut_off", "verdict": "no_answer"}
    rows[3] |= {"value": None, "outcome": "error", "verdict": None}
    return record_table(rows, SUITE.record_columns)


def _played(name: str, design: Any) -> list[dict[str, Any]]:
    agent = SUITE.agent(name)
    settings = agent.settings({})
    rows = []
    for item in SUITE.items(design):
        episode = SUITE.open_episode(item.factors)
        rng = reply_generator(name, settings, item.id, 1)
        while not episode.over:
            episode.hear(agent.reply(episode, settings, rng), False)
        rows.append(
            {
                **{"agent": f"reference/intervene.{name}", "suite": "intervene", "epoch": 1},
                **{"design": design.name, "design_hash": design.hash, "item": item.id},
                **{"outcome": "scored", "reason": "", "value": episode.answer.value},
                **{"truth": item.truth, **item.factors, **episode.answer.parts},
            }
        )
    return rows


def chain(answer: Any = "yes") -> Course:
    """0 -> 1 -> 2, all moving; in vain 1 is held, then 0, then 1 is moved and takes 2 along."""
    return Course(
        names=("circle", "star", "oval"),
        world=InterveneWorld(3, ((0, 1), (1, 2))),
        initial=frozenset({0, 1, 2}),
        path=(Intervention("hold", 1), Intervention("hold", 0), Intervention("move", 1)),
        asked=(1, 2),
        answer=answer,
    )


def tried(n: int, steps: int, name: str = "shapes") -> Course:
    """Everything is held in turn in a random world, and then moved."""
    found = draw_advanced_world(n, 0.3 if n > 8 else 0.5, 0, False, "test")
    acts = [Intervention(action, entity) for action in ("hold", "move") for entity in range(n)]
    called = load_theme(name)
    return Course(
        names=tuple(called.names[:n]),
        world=found.world,
        initial=frozenset(range(n)),
        path=tuple(acts[:steps]),
        asked=found.pairs[0],
        words=called.verbs_and_states,
    )


def by_size(measures: list[Measure], settled: dict[int, float]) -> Saved:
    draw = partial(accuracy_by_size, measures, settled)
    return Saved("by-size", draw, rows_of(measures), caption=run.SIZE_CAPTION)


def verdicts() -> Saved:
    """All designs in one, to have several bars of an agent."""
    counts = count_verdicts(records())
    draw = partial(verdict_bars, counts)
    return Saved("verdicts", draw, verdict_rows(counts), caption=run.VERDICT_CAPTION)


CHARTS = {
    "by-size": lambda: by_size(sized(), ENTAILED),
    "by-size-of-one": lambda: by_size(sized()[:8], {}),
    "verdicts": verdicts,
}


@cache
def chart_of(name: str) -> Saved:
    return CHARTS[name]()


class TestEveryChart(ChartLaws):
    draw = CHARTS
    figure_of = staticmethod(chart_of)

    def test_every_row_is_a_mark_that_tells_its_number(self, name: str) -> None:
        """A row of verdicts is a bar of several parts; guessing is a line in each panel."""
        marks = [mark for mark in told(chart_of(name)) if "what" not in mark]
        if name == "verdicts":
            counts = [row[verdict] for row in chart_of(name).rows for verdict in VERDICTS]
            assert [int(mark["episodes"]) for mark in marks] == [n for n in counts if n]
        else:
            rows = sorted(f"{row['estimate']:.3f}" for row in chart_of(name).rows)
            assert sorted(f"{float(mark['estimate']):.3f}" for mark in marks) == rows


DRAW = {
    "two-entities": lambda: episode_steps(
        Course(
            ("dax", "wug"),
            InterveneWorld(2, ((0, 1),)),
            frozenset(),
            (Intervention("move", 0),),
            (0, 1),
        )
    ),
    "chain": lambda: episode_steps(chain(), "somebody, somewhere"),
    "lamps": lambda: episode_steps(tried(7, 6, "lamps"), reveal=True),
    "crowd": lambda: episode_steps(tried(16, 2, "lamps"), reveal=True),
}


@cache
def figure_of(name: str) -> Figure:
    return DRAW[name]()


class TestEveryFigure(FigureLaws):
    draw = DRAW
    figure_of = staticmethod(figure_of)


def marked(axes: Axes, gid: str) -> list[tuple[float, float]]:
    """Return where the marks of a name stand."""
    marks = [line for line in axes.get_lines() if line.get_gid() == gid]
    return [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in marks]


def links(axes: Axes, gid: str) -> int:
    return sum(
        patch.get_gid() == gid
        for text in axes.texts
        if (patch := getattr(text, "arrow_patch", None)) is not None
    )


def below(axes: Axes) -> tuple[str, str]:
    """Return the two lines under a picture."""
    first, second = [text.get_text() for text in axes.texts if len(text.get_text()) > 1]
    return first, second


def panels_of(chart: dict[str, Any]) -> list[str]:
    return chart["facet"]["sort"]


def test_each_agent_has_a_panel_the_most_justified_first() -> None:
    chart = chart_of("by-size").spec
    titles = ["gpt-5-mini", "claude-opus-4", "bayes", "random-then-guess", "gpt-4o"]
    assert panels_of(chart) == titles
    assert panels_of(accuracy_by_size(sized()[::-1])) == titles
    assert sum("f" in datum for datum in chart["data"]["values"]) == 4 * 2


def test_points_stand_at_their_estimates_within_their_intervals() -> None:
    chart = chart_of("by-size").spec
    drawn = [d for d in chart["data"]["values"] if d["p"] == "claude-opus-4" and "e" in d]
    mine = [m for m in sized() if m.labels["agent"] == AGENTS[1]]
    for share, name in (("accuracy", "accuracy"), ("justified_accuracy", "justified accuracy")):
        wanted = [m for m in mine if m.name == share]
        points = [d for d in drawn if d["s"] == name]
        assert [(d["l"], d["e"], d["h"]) for d in points] == [
            pytest.approx((m.low, m.estimate, m.high)) for m in wanted
        ]
        assert [round(d["x"]) for d in points] == [4, 5, 6, 7]
    assert {"4", "5", "6", "7", "number of entities"} <= set(texts(chart_of("by-size")))


def test_guessing_and_what_was_settled_are_lines() -> None:
    values = chart_of("by-size").spec["data"]["values"]
    assert [d["g"] for d in values if "g" in d] == [0.5] * 5
    assert [d["c"] for d in values if "c" in d] == [*ENTAILED.values()] * 5
    assert "long dashes: settled before any action" in chart_of("by-size").spec["usermeta"]["note"]
    assert "settled" not in chart_of("by-size-of-one").spec["usermeta"]["note"]


def test_a_share_without_an_estimate_leaves_a_gap() -> None:
    holes = [
        measure("accuracy", AGENTS[0], None, entities=4),
        measure("accuracy", AGENTS[0], 0.8, entities=5),
    ]
    chart = accuracy_by_size(holes)
    assert [d["e"] for d in chart["data"]["values"] if "e" in d] == [0.8]
    with pytest.raises(UserError, match="accuracy at numbers of entities, got none"):
        accuracy_by_size([*holes[:1], measure("accuracy", AGENTS[0], 0.8)])


def test_bars_are_the_shares_of_verdicts_and_their_counts_stand_beside() -> None:
    core = records().filter([name == "core" for name in records()["design"].to_pylist()])
    figure = Saved("verdicts", partial(verdict_bars, count_verdicts(core)))
    counts = {
        name: Counter(
            row["verdict"]
            for row in core.to_pylist()
            if row["agent"].endswith(name) and row["verdict"]
        )
        for name in PLAYERS
    }
    marks = told(figure)
    assert {mark["agent"] for mark in marks} == {*PLAYERS}
    assert marks[0]["agent"] == "recipe"
    names = {LOOKS[verdict]["name"]: verdict for verdict in VERDICTS}
    for name, found in counts.items():
        mine = [mark for mark in marks if mark["agent"] == name]
        assert {names[mark["kind"]]: int(mark["episodes"]) for mark in mine} == +found
        for mark in mine:
            share = found[names[mark["kind"]]] / found.total()
            assert float(mark["estimate"]) == pytest.approx(share, abs=0.0005)
        assert f"of {found.total()}" in texts(figure)
    assert counts["recipe"] == {"justified": 80, "no_answer": 3}, "84 cases, one lost to an error"


def test_verdicts_differ_in_colour() -> None:
    assert len({LOOKS[verdict]["colour"] for verdict in VERDICTS}) == len(VERDICTS)
    bars = {mark["agent"] for mark in told(chart_of("verdicts"))}
    assert len(bars) == 2 * len(PLAYERS), "one bar for each agent and design"


def test_an_episode_is_drawn_step_by_step() -> None:
    start, *steps, hidden = figure_of("chain").axes
    titles = [axes.get_title() for axes in (start, *steps, hidden)]
    assert titles == ["start", "1. hold B", "2. hold A", "3. move B", "hidden world"]
    assert [len(marked(axes, "moving")) for axes in (start, *steps)] == [3, 3, 0, 2]
    assert [len(marked(axes, "still")) for axes in (start, *steps)] == [0, 0, 3, 1]
    assert [below(axes) for axes in (start, *steps, hidden)] == [
        ("all moving", "B causes C: open"),
        ("nothing changed", "B causes C: open"),
        ("all stopped", "B causes C: open"),
        ("B, C started", "B causes C: yes"),
        ("answered yes: justified", "truth: yes"),
    ]
    heading = figure_of("chain").get_suptitle().replace("\xa0", " ")
    assert heading.split("\n") == [
        "somebody, somewhere",
        "Does B (star) cause C (oval)?",
        "A circle   B star   C oval",
    ]


def test_what_was_acted_on_and_what_changed_are_marked() -> None:
    start, first, second, third, hidden = figure_of("chain").axes
    a, b, c = marked(second, "still")
    assert marked(first, "acted") == [b]
    assert marked(second, "acted") == [a]
    assert marked(third, "acted") == [b]
    assert marked(start, "acted") == marked(hidden, "acted") == []
    for axes, kind, entities in ((second, "stopped", [a, b, c]), (third, "started", [b, c])):
        triangles = np.array(marked(axes, kind))
        outward = np.hypot(*triangles.T)[:, None]
        assert outward.min() > 1
        assert triangles / outward == pytest.approx(np.array(entities), abs=1e-9)
    assert marked(first, "stopped") == marked(first, "started") == marked(third, "stopped") == []


def test_the_hidden_graph_comes_last_unless_it_is_revealed() -> None:
    for reveal in (False, True):
        figure = episode_steps(chain(), reveal=reveal)
        *steps, hidden = figure.axes
        assert links(hidden, "hidden") == 2
        assert [links(axes, "hidden") for axes in steps] == [2 * reveal] * 4
        assert [links(axes, "asked") for axes in steps] == [1] * 4
        assert links(hidden, "asked") == 0
        assert ("hidden graph" in words(figure)) is reveal


@pytest.mark.parametrize(
    ("answer", "said"),
    [("yes", "answered yes: justified"), ("no", "answered no: contradicts"), (None, "no answer")],
)
def test_the_answer_stands_beside_the_truth(answer: str | None, said: str) -> None:
    assert below(episode_steps(chain(answer)).axes[-1]) == (said, "truth: yes")


def test_settled_is_bold() -> None:
    for axes in figure_of("chain").axes:
        for text in axes.texts:
            if text.get_text().startswith("B causes C"):
                weight = "bold" if text.get_text().endswith("yes") else "normal"
                assert text.get_fontweight() == weight


@pytest.mark.slow
@pytest.mark.parametrize("steps", [0, 2, 3, 6, 10])
def test_pictures_wrap_into_rows(steps: int) -> None:
    figure = episode_steps(tried(5, steps))
    assert len(figure.axes) == steps + 2
    rows = Counter(round(axes.get_window_extent().y0) for axes in figure.axes)
    assert len(rows) == -(-(steps + 2) // 4)
    assert max(rows.values()) <= 4
    check_readable(figure)
    check_apart(figure)


@pytest.mark.parametrize(("n", "least"), [(4, 10), (10, 10), (11, 14), (16, 14)])
def test_nodes_of_a_picture_have_room(n: int, least: float) -> None:
    """Links keep clear of nodes if entities stand this far from the middle, in mm."""
    axes = episode_steps(tried(n, 8)).axes[0]
    low, high = axes.get_xlim()
    unit = axes.get_window_extent().width / axes.figure.dpi * 25.4 / (high - low)
    assert unit >= least


def test_words_are_the_themes_own() -> None:
    start, first, *_ = figure_of("lamps").axes
    assert below(start)[0] == "all lit"
    assert first.get_title() == "1. darken A"
    assert {"lit", "dark"} <= set(words(figure_of("lamps")))


def test_a_record_tells_its_course() -> None:
    rows = [row for row in records().to_pylist() if row["outcome"] == "scored"]
    for row in rows[:: len(rows) // 40]:
        told = course_of(row)
        assert told.settled[-1] == row["evidence"]
        assert len(told.path) == row["steps"]
        assert told.world.causes(*told.asked) == bool(row["truth"])
        assert told.answer == ("yes" if row["value"] else "no")


def test_a_course_repeats_an_run_experiment() -> None:
    found = draw_advanced_world(5, 0.5, 1, False, "test")
    x, y = found.pairs[0]
    inquiry = run_experiment(recipe, found.world, frozenset(range(5)), x, y)
    path = tuple(Intervention(seen.action, seen.entity) for seen in inquiry.transitions)
    told = Course(tuple("abcde"), found.world, frozenset(range(5)), path, (x, y))
    assert told.transitions == inquiry.transitions
    assert told.settled[-1] == "yes"


def test_examples_in_docstrings() -> None:
    found = doctest.testmod(run)
    assert (found.attempted, found.failed) == (2, 0)


def test_what_the_first_state_settles_is_counted_once_an_item() -> None:
    rows = {row["item"]: row for row in records().to_pylist() if row["design"] == "core"}.values()
    for n, share in settled_at_first(records()).items():
        # Only "no" can be settled at first: the supposed cause moves and the effect does not.
        moves = [
            (row["asked"].split(">"), row["moving"].split()) for row in rows if row["entities"] == n
        ]
        settled = [x in moving and y not in moving for (x, y), moving in moves]
        assert share == pytest.approx(np.mean(settled) if settled else 0.0)


@pytest.mark.slow
def test_all_figures_of_a_run(tmp_path: Path) -> None:
    names = [path.name for path in save_figures(intervene_figures(records()), tmp_path)]
    figures = [
        *("verdicts-core", "by-size-core", "verdicts-small", "by-size-small"),
        *("episode-justified", "episode-lucky", "episode-premature", "episode-contradicts"),
        "episode-no-answer",
    ]
    assert names == [f"{name}.{kind}" for name in figures for kind in ("pdf", "svg", "png", "csv")]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_a_design_of_one_size_has_no_figure_by_size() -> None:
    chosen = [row["entities"] == 4 for row in records().to_pylist()]
    figures = islice(intervene_figures(records().filter(chosen)), 2)
    assert [figure.name for figure in figures] == ["verdicts-small", "episode-justified"]


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(UserError, match="records must hold episodes with a verdict, got none"):
        verdict_bars(count_verdicts(records().slice(3, 1)))
    many = Course(tuple(map(str, range(17))), InterveneWorld(17, ()), frozenset(), (), (0, 1))
    with pytest.raises(UserError, match="at most 16 entities, got 17"):
        episode_steps(many)
    with pytest.raises(ValueError, match="names must be 3, one an entity, got"):
        replace(chain(), names=("circle",))
    with pytest.raises(ValueError, match="initial must hold all that its entities drive, got"):
        replace(chain(), initial=frozenset({0}))


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import whybench.suites.intervene\n"
        "from whybench.suites.contract import UserError\n"
        "try:\n    import whybench.suites.intervene.figures\n"
        "except UserError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout.strip() == "figures need matplotlib: pip install 'whybench[figures]'"
