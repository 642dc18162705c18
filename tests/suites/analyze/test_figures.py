"""Figures of analyze: what is drawn, where, and that it can be read."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("matplotlib")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.drawing.seen import FigureLaws, drawn, texts, words

from whybench.drawing.figure import save_figures
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.stats import Level, Measure
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.challenges import CHALLENGES, FAMILIES
from whybench.suites.analyze.figures import (
    analyze_figures,
    flip_ladder,
    plane,
    run,
    score_by_hint,
    score_ladder,
    twin_plane,
)
from whybench.suites.analyze.figures.run import families_of, flips_at
from whybench.suites.analyze.measures import analyze_measures
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AGENTS = (
    "anthropic/claude-opus-4-20250514",
    "openai/gpt-5-mini",
    "google/gemini-1.5-pro",
    "reference/analyze.always-trap",
    "openai/gpt-4o-2024-08-06",
)
LABELS = ("damning", "flattering", "neutral")


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
            yield measure("twin_score", agent, twin, *flags, **at)
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


DRAW = {
    "scores": lambda: score_ladder(made_up()),
    "scores-of-one": lambda: score_ladder(of_one()),
    "flips": lambda: flip_ladder(made_up()),
    "hints": lambda: score_by_hint(made_up()),
    "plane": lambda: twin_plane(made_up()),
    "plane-of-one": lambda: twin_plane(stacked()),
}


@cache
def figure_of(name: str) -> Figure:
    return DRAW[name]()


EVERY = pytest.mark.parametrize("name", DRAW)


class TestEveryFigure(FigureLaws):
    draw = DRAW
    figure_of = staticmethod(figure_of)


@EVERY
def test_agents_stand_in_the_order_of_their_twin_scores(name: str) -> None:
    titles = [axes.get_title().split("\n")[0] for axes in figure_of(name).axes if axes.axison]
    best_first = ["claude-opus-4", "gpt-5-mini", "gemini-1.5-pro", "always-trap", "gpt-4o"]
    assert titles == best_first[: len(titles)]
    assert len(titles) == (1 if name.endswith("-of-one") else 5)


def marks(axes: Axes, gid: str) -> list[tuple[float, float]]:
    """Return where points stand, open or not."""
    return [
        (float(x), float(y))
        for line in axes.get_lines()
        if str(line.get_gid()).removesuffix("-small") == f"points-{gid}"
        for x, y in zip(*line.get_data(), strict=True)
    ]


def lines(axes: Axes, gid: str) -> list[tuple[list[float], list[float]]]:
    found = [line.get_data() for line in axes.get_lines() if line.get_gid() == gid]
    return [(list(x), list(y)) for x, y in found]


def rows_of(axes: Axes) -> list[str]:
    return [tick.label1.get_text() for tick in axes.yaxis.get_major_ticks()]


def row_measures(place: int, name: str) -> list[Measure]:
    """Return a measure of an agent in the order of the rows: all, and families with challenges."""
    mine = {found.title: found for found in of_one(place)}
    at = ["", *(at for family in FAMILIES for at in (
        f" (family {family})",
        *(f" (challenge {key})" for key, found in CHALLENGES.items() if found.family == family),
    ))]  # fmt: skip
    return [mine[f"{name}{level}"] for level in at]


@pytest.mark.parametrize("place", [0, 3])
@pytest.mark.parametrize("twin", ["trap", "control"])
def test_a_ladder_has_dots_at_scores_within_their_intervals(place: int, twin: str) -> None:
    axes = figure_of("scores").axes[place]
    wanted = row_measures(place, f"score_{twin}")
    points = sorted((y, x) for x, y in marks(axes, twin))
    assert [x for _, x in points] == [found.estimate for found in wanted]
    assert [round(y) for y, _ in points] == list(range(1 + len(FAMILIES) + len(CHALLENGES)))
    ends = [x for x, _ in lines(axes, f"interval-{twin}")]
    assert ends == [[found.low, found.high] for found in wanted]


def test_rows_are_challenges_under_their_families() -> None:
    rows = rows_of(figure_of("scores").axes[0])
    assert rows[:4] == ["all challenges", "confounding", "simpson", "selection"]
    assert len(rows) == 1 + 6 + 15
    for axes in figure_of("scores").axes[:5]:
        heads = [tick.label1 for tick in axes.yaxis.get_major_ticks()]
        bold = [text.get_text() for text in heads if text.get_fontweight() == "bold"]
        assert bold == ["all challenges", *FAMILIES]
        assert sum(patch.get_gid() == "head" for patch in axes.patches) == 7


def test_trap_stands_above_control_in_its_row() -> None:
    axes = figure_of("scores").axes[0]
    low, high = axes.get_ylim()
    assert low > high, "rows go downwards"
    traps, controls = (sorted(y for _, y in marks(axes, twin)) for twin in ("trap", "control"))
    assert all(trap < control for trap, control in zip(traps, controls, strict=True))


def test_the_twin_score_is_told_above_its_ladder() -> None:
    assert figure_of("scores").axes[1].get_title() == "gpt-5-mini\ntwin 0.70 (0.50–0.80)"


def test_few_answers_are_open_and_the_key_says_so() -> None:
    assert drawn(figure_of("scores")) == 5 * 2 * 22
    assert drawn(figure_of("scores"), "-small") == 5 * 2 * 15
    assert "open: fewer than 60 answers" in words(figure_of("scores"))
    assert "open: fewer than 60 answers" not in words(figure_of("hints"))


def test_only_rows_with_a_measure_are_there() -> None:
    some = [
        measure("score_trap", AGENTS[0], 0.5, challenge="outcome"),
        measure("score_control", AGENTS[0], 0.25, challenge="temporal"),
        measure("score_control", AGENTS[0], None, challenge="simpson"),
        measure("score_trap", AGENTS[0], 0.75, challenge="folklore"),
    ]
    assert rows_of(score_ladder(some).axes[0]) == ["outcome", "temporal"]
    other = score_ladder(some, {"folklore": "elsewhere"})
    assert rows_of(other.axes[0]) == ["folklore"]
    assert drawn(other) == 1


def test_flips_are_shown_by_labels_and_by_challenge() -> None:
    axes = figure_of("flips").axes[2]
    rows = rows_of(axes)
    assert rows[:5] == [
        "all labels", "damning / flattering", "damning / neutral", "flattering / neutral",
        "confounding",
    ]  # fmt: skip
    found = {rows[round(y)]: x for x, y in marks(axes, "flips")}
    assert found["damning / neutral"] == pytest.approx(0.3)
    wanted = row_measures(2, "label_flips")
    assert found["all labels"] == wanted[0].estimate
    assert found["simpson"] == wanted[2].estimate


@pytest.mark.parametrize("kind", ["score_trap", "score_control", "twin_score"])
def test_curves_go_through_the_scores_at_each_hint(kind: str) -> None:
    axes = figure_of("hints").axes[1]
    twin = {"twin_score": "twin"}.get(kind, kind.removeprefix("score_"))
    mine = {found.title: found for found in of_one(1)}
    wanted = [mine[f"{kind} (hint {hint})"] for hint in range(1, 6)]
    across, up = map(list, zip(*marks(axes, twin), strict=True))
    assert up == [found.estimate for found in wanted]
    assert [round(x) for x in across] == [1, 2, 3, 4, 5]
    assert lines(axes, f"curve-{twin}") == [(across, up)]
    ends = [y for _, y in lines(axes, f"interval-{twin}")]
    assert ends == [[found.low, found.high] for found in wanted]


def test_each_challenge_is_a_point_near_its_scores() -> None:
    for place, axes in enumerate(figure_of("plane").axes[:5]):
        unit = (
            axes.transData.transform([[0, 0], [1, 0]])[1, 0] - axes.transData.transform([0, 0])[0]
        )
        millimetres = unit / axes.figure.dpi * 25.4
        mine = {found.title: found.estimate for found in of_one(place)}
        for family in FAMILIES:
            points = np.array(marks(axes, family))
            wanted = np.array([
                [mine[f"score_{twin} (challenge {name})"] for twin in ("trap", "control")]
                for name, found in CHALLENGES.items() if found.family == family
            ])  # fmt: skip
            gaps = np.hypot(*(points[:, None] - wanted[None]).transpose(2, 0, 1)) * millimetres
            assert gaps.min(axis=0).max() < 3.2, "moved aside by two points at most"
            assert len(points) == len(wanted)


def test_points_of_one_corner_are_all_seen() -> None:
    axes = figure_of("plane-of-one").axes[0]
    points = np.array([point for family in FAMILIES for point in marks(axes, family)])
    assert points.shape == (15, 2)
    pixels = axes.transData.transform(points) / axes.figure.dpi * 25.4
    gaps = np.hypot(*(pixels[:, None] - pixels[None]).transpose(2, 0, 1))
    assert gaps[~np.eye(15, dtype=bool)].min() >= 1.49
    assert np.abs(points - 1).max() < 0.1


def test_corners_are_named_where_they_are() -> None:
    figure = figure_of("plane")
    figure.draw_without_rendering()  # one that was saved still knows the sizes of its file
    for axes in figure.axes[:5]:
        middle = axes.get_window_extent()
        at = {text.get_text(): text.get_window_extent() for text in axes.texts}
        for name, right, top in (
            ("careful analyst", True, True),
            ("falls for traps", False, True),
            ("cries trap", True, False),
            ("knows nothing", False, False),
        ):
            assert (at[name].x0 > middle.x0 + middle.width / 2) == right
            assert (at[name].y0 > middle.y0 + middle.height / 2) == top


def test_on_a_contour_the_lesser_score_is_the_same() -> None:
    axes = figure_of("plane").axes[0]
    contours = [{min(pair) for pair in zip(x, y, strict=True)} for x, y in lines(axes, "contour")]
    assert contours == [{0.2}, {0.4}, {0.6}, {0.8}]


def test_a_cross_is_the_mean_with_both_intervals() -> None:
    mine = {found.title: found for found in of_one(2)}
    across, upright = lines(figure_of("plane").axes[2], "overall")
    trap, control = mine["score_trap"], mine["score_control"]
    assert (across[0][0], across[0][-1]) == pytest.approx((trap.low, trap.high))
    assert {*across[1]} == {control.estimate}
    assert {*upright[0]} == {trap.estimate}
    assert (upright[1][0], upright[1][-1]) == pytest.approx((control.low, control.high))
    assert not lines(figure_of("plane-of-one").axes[0], "overall")


def test_a_challenge_of_another_family_is_drawn_too() -> None:
    both = [measure(f"score_{twin}", AGENTS[0], 0.5, challenge="folklore")
            for twin in ("trap", "control")]  # fmt: skip
    figure = twin_plane(both, {"folklore": "elsewhere"})
    assert drawn(figure, "other") == 1
    assert {"other", "folklore"} <= {text.get_text() for text in texts(figure)}
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
    at = np.array([[0.0, 0.0], [1.5, 0.0], [0.0, 1.6]])
    assert np.array_equal(plane.spread(at), at)


def test_examples_in_docstrings() -> None:
    found = doctest.testmod(plane)
    assert (found.attempted, found.failed) == (1, 0)


def test_what_cannot_be_drawn_is_refused() -> None:
    nothing = [
        measure("answered", AGENTS[0], 0.5),
        measure("score_trap", AGENTS[0], None, hint=1),
    ]
    for draw, told in (
        (score_ladder, "measures must hold score_trap or score_control, got 1 others"),
        (flip_ladder, "measures must hold label_flips, got 1 others"),
        (score_by_hint, "scores at levels of hint, got none"),
        (twin_plane, "controls at challenges, got none"),
    ):
        with pytest.raises(UserError, match=told):
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
            row["conclusion"] = json.dumps({"direction": "otherwise"})
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
    records = table(simulated("corners", agents, challenge="simpson,selection,temporal", seeds=1))
    figure = twin_plane(analyze_measures(records), families_of(records))
    at = {
        axes.get_title(): np.mean(
            [point for family in FAMILIES for point in marks(axes, family)], axis=0
        )
        for axes in figure.axes
    }
    assert at["competent"].min() > 0.8
    assert at["naive"][0] < 0.35 < at["naive"][1]
    assert at["always-trap"][1] < 0.5 < at["always-trap"][0]


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import whybench.suites.analyze\n"
        "from whybench.suites.contract import UserError\n"
        "try:\n    import whybench.suites.analyze.figures\n"
        "except UserError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "figures need matplotlib: pip install 'whybench[figures]'"
