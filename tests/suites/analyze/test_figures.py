"""Figures of analyze: what is drawn, where, and that it can be read."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("vl_convert")
pytest.importorskip("matplotlib")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.drawing.charts_seen import check_told, values
from tests.drawing.seen_charts import ChartLaws, texts, told, words

from whybench.drawing.figure import Figure, save_figures
from whybench.frames import rows_of
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.stats import Level, Measure
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.challenges import CHALLENGES as EVERY
from whybench.suites.analyze.challenges import CORE
from whybench.suites.analyze.figures import (
    analyze_figures,
    flip_ladder,
    plane,
    run,
    score_by_hint,
    score_ladder,
    twin_plane,
)
from whybench.suites.analyze.figures.plane import OVERALL, STYLE
from whybench.suites.analyze.figures.profiles import SCORES
from whybench.suites.analyze.figures.run import CAPTIONS, families_of, flips_at
from whybench.suites.analyze.measures import analyze_measures
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from whybench.drawing.charts import Chart

AGENTS = (
    "anthropic/claude-opus-4-20250514",
    "openai/gpt-5-mini",
    "google/gemini-1.5-pro",
    "reference/analyze.always-trap",
    "openai/gpt-4o-2024-08-06",
)
LABELS = ("damning", "flattering", "neutral")
CHALLENGES = {name: EVERY[name] for name in CORE}
FAMILIES = tuple(dict.fromkeys(challenge.family for challenge in CHALLENGES.values()))


def measure(name: str, agent: str, value: float | None, *flags: str, **at: Level) -> Measure:
    ends = (None, None) if value is None else (max(value - 0.2, 0.0), min(value + 0.1, 1.0))
    labels = {"agent": agent, "design": "made-up", "protocol": "direct"}
    return Measure(name, value, *ends, 80, 40, 320, 2, 0, "made up", flags, labels, at)


def _made_up() -> Iterator[Measure]:
    """Five agents from the best to the worst; their scores at challenges rest on few answers."""
    levels = [
        *(({}, ()), *(({"hint": hint}, ()) for hint in range(1, 6))),
        *(({"family": family}, ()) for family in FAMILIES),
        *(({"challenge": name}, ("small_n",)) for name in CHALLENGES),
    ]
    for place, agent in enumerate(AGENTS):
        for at, flags in levels:
            trap, control = generator("made-up", agent, *at.items()).beta(6 - place, 1 + place, 2)
            yield measure("score_trap", agent, trap, *flags, **at)
            yield measure("score_control", agent, control, *flags, **at)
            twin = 0.9 * min(trap, control) if at else 0.9 - 0.2 * place
            yield measure("paired_score", agent, twin, *flags, **at)
            if "hint" not in at:
                yield measure("label_flips", agent, 1 - control, *flags, **at)
        for pair in combinations(LABELS, 2):
            yield measure("label_flips", agent, 0.1 * (place + 1), labels="/".join(pair))


@cache
def made_up() -> tuple[Measure, ...]:
    return tuple(_made_up())


def of_one(place: int = 0) -> list[Measure]:
    return [found for found in made_up() if found.labels["agent"] == AGENTS[place]]


def stacked() -> list[Measure]:
    """An agent that is right everywhere: all points belong in one corner."""
    return [
        measure(f"score_{twin}", AGENTS[0], 1.0, challenge=name)
        for twin in ("trap", "control")
        for name in CHALLENGES
    ]


def make(kind: str, draw: Callable[..., Chart], measures: Sequence[Measure]) -> Figure:
    return Figure(kind, partial(draw, measures), rows_of(list(measures)), caption=CAPTIONS[kind])


DRAW = {
    "scores": lambda: make("by-challenge", score_ladder, made_up()),
    "scores-of-one": lambda: make("by-challenge", score_ladder, of_one()),
    "flips": lambda: make("label-flips", flip_ladder, made_up()),
    "hints": lambda: make("by-hint", score_by_hint, made_up()),
    "plane": lambda: make("plane", twin_plane, made_up()),
    "plane-of-one": lambda: make("plane", twin_plane, stacked()),
}

SHOWN = {
    "scores": ({"score_trap", "score_control"}, ({}, {"family"}, {"challenge"})),
    "flips": ({"label_flips"}, ({}, {"labels"}, {"family"}, {"challenge"})),
    "hints": ({"score_trap", "score_control", "paired_score"}, ({"hint"},)),
}
"""The measures that a figure shows, and at levels of which factors."""


@cache
def figure_of(name: str) -> Figure:
    return DRAW[name]()


EVERY = pytest.mark.parametrize("name", DRAW)


class TestEveryFigure(ChartLaws):
    draw = DRAW
    figure_of = staticmethod(figure_of)

    def test_every_row_is_a_mark_that_tells_its_number(self, name: str) -> None:
        figure = figure_of(name)
        kind = name.removesuffix("-of-one")
        given = stacked() if name == "plane-of-one" else of_one() if kind != name else made_up()
        if kind == "plane":
            placed: dict[tuple[str, ...], dict[str, float]] = {}
            for found in given:
                if {*found.at} <= {"challenge"} and found.name.startswith("score_"):
                    where = (found.labels["agent"], *map(str, found.at.values()))
                    placed.setdefault(where, {})[found.name] = found.estimate
            rows = [(both["score_trap"], both["score_control"]) for both in placed.values()]
            check_told(figure, ["mean score in traps", "mean score in controls"], rows)
            return
        names, factors = SHOWN[kind]
        shown = [
            (found.estimate,)
            for found in given
            if found.name in names and {*found.at} in map(set, factors)
        ]
        check_told(figure, ["estimate"], shown)


def panels_of(figure: Figure) -> list[str]:
    return figure.spec["facet"]["sort"]


@EVERY
def test_agents_stand_in_the_order_of_their_twin_scores(name: str) -> None:
    titles = [title.split("\n")[0] for title in panels_of(figure_of(name))]
    best_first = ["claude-opus-4", "gpt-5-mini", "gemini-1.5-pro", "always-trap", "gpt-4o"]
    assert titles == best_first[: len(titles)]
    assert len(titles) == (1 if name.endswith("-of-one") else 5)


def points(figure: Figure, place: int = 0, series: str = "") -> list[dict[str, Any]]:
    """Return the points of a panel, and of a series if one is named."""
    panel = panels_of(figure)[place]
    found = [d for d in figure.spec["data"]["values"] if d["p"] == panel and {"e", "x"} & {*d}]
    return [datum for datum in found if not series or datum["s"] == series]


def rows_in(chart: Chart) -> list[str]:
    """Return the names of rows, from above."""
    return chart["spec"]["layer"][-1]["encoding"]["y"]["scale"]["domain"]


def row_measures(place: int, name: str) -> list[Measure]:
    """Return a measure of an agent in the order of the rows: all, and families with challenges."""
    mine = {found.title: found for found in of_one(place)}
    at = ["", *(at for family in FAMILIES for at in (
        f" (family {family})",
        *(f" (challenge {key})" for key, found in CHALLENGES.items() if found.family == family),
    ))]  # fmt: skip
    return [mine[f"{name}{level}"] for level in at]


def ends_of(found: Measure) -> tuple[Any, ...]:
    return tuple(pytest.approx(end, abs=1e-5) for end in (found.low, found.estimate, found.high))


@pytest.mark.parametrize("place", [0, 3])
@pytest.mark.parametrize("twin", ["trap", "control"])
def test_a_ladder_has_points_at_scores_within_their_intervals(place: int, twin: str) -> None:
    figure = figure_of("scores")
    found = points(figure, place, twin)
    wanted = row_measures(place, f"score_{twin}")
    assert [(d["l"], d["e"], d["h"]) for d in found] == [ends_of(one) for one in wanted]
    assert [d["r"] for d in found] == rows_in(figure.spec)


def test_rows_are_challenges_under_their_families() -> None:
    chart = figure_of("scores").spec
    rows = rows_in(chart)
    assert rows[:4] == ["all challenges", "confounding", "simpson", "selection"]
    assert len(rows) == 1 + 6 + 15
    bold = [
        element.text
        for element in ET.fromstring(figure_of("scores").to_svg()).iter()
        if element.get("font-weight") == "bold" and element.text in rows
    ]
    assert {*bold} == {"all challenges", *FAMILIES}
    (bands,) = [
        layer["data"]["values"]
        for layer in figure_of("scores").spec["spec"]["layer"]
        if layer["mark"]["style"] == "guide-band"
    ]
    assert [band["hd"] for band in bands] == ["all challenges", *FAMILIES]


def test_a_challenge_that_is_called_like_a_family_has_a_row_of_its_own() -> None:
    both = [
        measure("score_trap", AGENTS[0], 0.5, challenge="folklore"),
        measure("score_trap", AGENTS[0], 0.75, family="folklore"),
    ]
    chart = score_ladder(both, {"folklore": "folklore"})
    assert rows_in(chart) == ["folklore", "folklore (challenge)"]


def test_trap_stands_above_control_in_its_row() -> None:
    offset = figure_of("scores").spec["spec"]["layer"][-1]["encoding"]["yOffset"]
    assert offset["scale"]["domain"] == ["trap", "control"]


def test_the_twin_score_is_told_above_its_ladder() -> None:
    assert panels_of(figure_of("scores"))[1] == "gpt-5-mini\ntwin 0.70 (0.50–0.80)"
    assert "twin 0.70 (0.50–0.80)" in texts(figure_of("scores"))


def test_few_answers_are_open_and_the_note_says_so() -> None:
    assert len(values(figure_of("scores"), "e")) == 5 * 2 * 22
    assert len(values(figure_of("scores"), "f")) == 5 * 2 * 15
    assert any("open: fewer than 60 answers" in text for text in texts(figure_of("scores")))
    assert not any("open: fewer" in text for text in texts(figure_of("hints")))


def test_only_rows_with_a_measure_are_there() -> None:
    some = [
        measure("score_trap", AGENTS[0], 0.5, challenge="outcome"),
        measure("score_control", AGENTS[0], 0.25, challenge="temporal"),
        measure("score_control", AGENTS[0], None, challenge="simpson"),
        measure("score_trap", AGENTS[0], 0.75, challenge="folklore"),
    ]
    assert rows_in(score_ladder(some)) == ["outcome", "temporal"]
    other = make("by-challenge", partial(score_ladder, families={"folklore": "elsewhere"}), some)
    assert rows_in(other.spec) == ["folklore"]
    assert len(values(other, "e")) == 1


def test_flips_are_shown_by_labels_and_by_challenge() -> None:
    rows = rows_in(figure_of("flips").spec)
    assert rows[:5] == [
        "all labels", "damning / flattering", "damning / neutral", "flattering / neutral",
        "confounding",
    ]  # fmt: skip
    found = {datum["r"]: datum["e"] for datum in points(figure_of("flips"), 2)}
    assert found["damning / neutral"] == pytest.approx(0.3)
    wanted = row_measures(2, "label_flips")
    assert found["all labels"] == pytest.approx(wanted[0].estimate, abs=1e-5)
    assert found["simpson"] == pytest.approx(wanted[2].estimate, abs=1e-5)


@pytest.mark.parametrize("kind", ["trap", "control", "twin"])
def test_curves_go_through_the_scores_at_each_hint(kind: str) -> None:
    mine = {found.title: found for found in of_one(1)}
    wanted = [mine[f"{SCORES[kind]} (hint {hint})"] for hint in range(1, 6)]
    found = points(figure_of("hints"), 1, STYLE["series"][kind]["name"])
    assert [(d["l"], d["e"], d["h"]) for d in found] == [ends_of(one) for one in wanted]
    assert [round(d["x"]) for d in found] == [1, 2, 3, 4, 5]


UNIT = 188 / 1.4
"""Pixels of a unit of the plane, where three panels stand in a row."""


def drawn_at(found: Sequence[dict[str, Any]]) -> Any:
    return np.array([[datum["px"], datum["py"]] for datum in found])


def test_each_challenge_is_a_point_near_its_scores() -> None:
    for place in range(5):
        found = points(figure_of("plane"), place)
        moved = drawn_at(found) - np.array([[datum["x"], datum["y"]] for datum in found])
        assert np.hypot(*moved.T).max() * UNIT < 16, "moved aside by two points at most"
        assert [d["v"] for d in found] == [
            OVERALL,
            *(name.replace("_", " ") for name in CHALLENGES),
        ]


def test_points_of_one_corner_are_all_seen() -> None:
    found = points(figure_of("plane-of-one"))
    at = drawn_at(found)
    assert at.shape == (15, 2)
    pixels = at * np.array([590, 260]) / 1.4
    gaps = np.hypot(*(pixels[:, None] - pixels[None]).transpose(2, 0, 1))
    assert gaps[~np.eye(15, dtype=bool)].min() >= 7.4
    assert np.abs(at - 1).max() < 0.15
    assert {(datum["x"], datum["y"]) for datum in found} == {(1.0, 1.0)}


def test_corners_are_named_where_they_are() -> None:
    boxes = {one.text: one.box for one in words(figure_of("plane-of-one"))}
    falls, careful = boxes["falls for traps"], boxes["careful analyst"]
    nothing, cries = boxes["knows nothing"], boxes["cries trap"]
    assert falls[2] < careful[0]
    assert nothing[2] < cries[0]
    assert max(falls[3], careful[3]) < min(nothing[1], cries[1])


def test_on_a_contour_the_lesser_score_is_the_same() -> None:
    (layer,) = [
        layer
        for layer in figure_of("plane").spec["spec"]["layer"]
        if layer["mark"]["style"] == "contour"
    ]
    found = {(min(d["x0"], d["y0"]), min(d["x1"], d["y1"])) for d in layer["data"]["values"]}
    assert found == {(height, height) for height in (0.2, 0.4, 0.6, 0.8)}


def test_a_cross_is_the_mean_with_both_intervals() -> None:
    mine = {found.title: found for found in of_one(2)}
    (cross,) = points(figure_of("plane"), 2, OVERALL)
    assert (cross["xl"], cross["x"], cross["xh"]) == ends_of(mine["score_trap"])
    assert (cross["yl"], cross["y"], cross["yh"]) == ends_of(mine["score_control"])
    assert (cross["px"], cross["py"]) == (cross["x"], cross["y"])
    assert not points(figure_of("plane-of-one"), 0, OVERALL)


def test_a_challenge_of_another_family_is_drawn_too() -> None:
    both = [measure(f"score_{twin}", AGENTS[0], 0.5, challenge="folklore")
            for twin in ("trap", "control")]  # fmt: skip
    figure = make("plane", partial(twin_plane, families={"folklore": "elsewhere"}), both)
    (mark,) = told(figure)
    assert mark["mean score in traps"] == mark["mean score in controls"] == "0.5"
    assert points(figure)[0]["s"] == "other"
    assert "folklore" in texts(figure)
    with pytest.raises(UserError, match="of traps and of controls at challenges, got none"):
        twin_plane(both[:1], {"folklore": "elsewhere"})


places = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=15)


@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(places)
def test_spread_points_keep_apart_and_near(at: list[tuple[int, int]]) -> None:
    given_at = np.array(at, dtype=float)
    found = plane.spread(given_at, 1.0)
    gaps = np.hypot(*(found[:, None] - found[None]).transpose(2, 0, 1))
    np.fill_diagonal(gaps, np.inf)
    assert gaps.min() >= 0.999
    assert found[0].tolist() == [*map(float, at[0])]
    assert np.hypot(*(found - given_at).T).max() <= 4


def test_points_with_room_stay() -> None:
    at = np.array([[0.0, 0.0], [7.5, 0.0], [0.0, 8.0]])
    assert np.array_equal(plane.spread(at), at)


def test_examples_in_docstrings() -> None:
    found = doctest.testmod(plane)
    assert (found.attempted, found.failed) == (1, 0)


def test_what_cannot_be_drawn_is_refused() -> None:
    nothing = [
        measure("answered", AGENTS[0], 0.5),
        measure("score_trap", AGENTS[0], None, hint=1),
    ]
    for draw, said in (
        (score_ladder, "measures must hold score_trap or score_control, got 1 others"),
        (flip_ladder, "measures must hold label_flips, got 1 others"),
        (score_by_hint, "scores at levels of hint, got none"),
        (twin_plane, "controls at challenges, got none"),
    ):
        with pytest.raises(UserError, match=said):
            draw(nothing)


def simulated(name: str, agents: tuple[str, ...], **settings: Any) -> list[dict[str, Any]]:
    design = SUITE.make_design({"design": "core", "name": name, **settings})
    items = list(SUITE.items(design))
    return [
        row
        for agent in agents
        for row in simulate_rows(
            SUITE, design, items, SUITE.agent(agent), {}, f"reference/analyze.{agent}", {}
        )
    ]


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return record_table(rows, SUITE.record_columns)


@cache
def labelled() -> pa.Table:
    """An analyst who goes by the data, and one whom damning names turn in `selection` only."""
    names = {"challenge": "simpson,selection,outcome", "label": "neutral,flattering,damning"}
    rows = simulated("labels", ("competent",), seeds=2, **names)
    turned = [{**row, "agent": "somebody"} for row in rows]
    for row in turned:
        if (row["challenge"], row["label"]) == ("selection", "damning"):
            row["conclusion"] = json.dumps({"recommendation": "otherwise"})
    return table([*rows, *turned])


def test_flips_are_found_where_they_are() -> None:
    found = {
        (at.labels["agent"], *at.at.items()): at.estimate
        for factor in ("challenge", "family")
        for at in flips_at(labelled(), factor)
    }
    wanted = {("challenge", "simpson"): 0, ("challenge", "selection"): 2 / 3,
              ("challenge", "outcome"): 0, ("family", "confounding"): 1 / 3,
              ("family", "counterfactual"): 0}  # fmt: skip
    for at, share in wanted.items():
        assert found["somebody", at] == pytest.approx(share)
        assert found["reference/analyze.competent", at] == 0
    assert len(found) == 2 * len(wanted)
    one = labelled().filter([name == "simpson" for name in labelled()["challenge"].to_pylist()])
    assert flips_at(one, "challenge") == []


def test_families_are_those_of_the_records_ours_first_and_in_order() -> None:
    rows = [{"challenge": name, "family": family} for name, family in (
        ("folklore", "elsewhere"), ("outcome", "counterfactual"), ("simpson", "confounding"),
        ("outcome", "counterfactual"),
    )]  # fmt: skip
    assert [*families_of(table(rows)).items()] == [
        ("simpson", "confounding"), ("outcome", "counterfactual"), ("folklore", "elsewhere"),
    ]  # fmt: skip


@pytest.mark.slow
def test_all_figures_of_a_run(tmp_path: Path) -> None:
    hints = {"challenge": "simpson", "hint": "1,5", "seeds": 1}
    records = table([*labelled().to_pylist(), *simulated("hints*", ("naive", "null"), **hints)])
    names = [path.name for path in save_figures(analyze_figures(records), tmp_path)]
    figures = ["by-challenge-labels", "plane-labels", "label-flips-labels"]
    figures += ["by-challenge-hints-changed", "by-hint-hints-changed"]
    assert names == [f"{name}.{kind}" for name in figures for kind in ("pdf", "svg", "png", "csv")]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_many_agents_go_into_several_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MOST_AGENTS", 2)
    rows = simulated("few", ("naive",), challenge="simpson", seeds=1)
    many = [{**row, "agent": f"agent {place}"} for place in range(3) for row in rows]
    names = [figure.name for figure in analyze_figures(table(many))]
    assert names == ["by-challenge-few-1", "by-challenge-few-2"]


def test_reference_analysts_stand_in_their_corners() -> None:
    """Simulated from end to end: who is competent sees traps, and who cries trap has no twins."""
    agents = ("competent", "naive", "always-trap")
    records = table(
        simulated("corners", agents, challenge="direction,structure,interaction", seeds=1)
    )
    measures = analyze_measures(records)
    figure = make("plane", partial(twin_plane, families=families_of(records)), measures)
    at = {
        panel: np.mean([[d["x"], d["y"]] for d in points(figure, place)], axis=0)
        for place, panel in enumerate(panels_of(figure))
    }
    assert at["competent"].min() > 0.8
    assert at["naive"][0] < 0.35 < at["naive"][1]
    assert at["always-trap"][1] < 0.5 < at["always-trap"][0]


def test_charts_need_no_matplotlib() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from whybench.suites.analyze.figures import score_ladder\n"
        "from whybench.stats import Measure\n"
        "found = Measure('score_trap', .5, None, None, 8, 4, 8, 0, 0, '', (), {'agent': 'a'})\n"
        "print(len(score_ladder([found])['data']['values']) > 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout.strip() == "True"
