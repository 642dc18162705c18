"""Figures of compose: what is drawn, where, and that it can be read."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("matplotlib")

import numpy as np
from matplotlib.colors import to_rgba
from tests.drawing.seen import FigureLaws, drawn, texts, words

from whybench.drawing.figure import save_figures
from whybench.records.table import record_table
from whybench.stats import Estimate, Measure
from whybench.suites.compose import SUITE
from whybench.suites.compose.chain import Block, Chain
from whybench.suites.compose.comparisons import Composition, TargetComparison
from whybench.suites.compose.figures import (
    Classified,
    CutTree,
    PairEffect,
    class_plane,
    compose_figures,
    cut_tree,
    cut_trees,
    error_by_length,
)
from whybench.suites.compose.figures.run import trees_of
from whybench.suites.compose.measures import compose_measures
from whybench.suites.compose.verdicts import decide_verdict
from whybench.suites.contract import UserError, reply_generator

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AGENTS = (
    "openai/gpt-5-mini",
    "anthropic/claude-opus-4-20250514",
    "reference/compose.coin",
    "openai/gpt-4o-2024-08-06",
    "reference/compose.always-yes",
)
PLAYERS = ("exact", "local-only", "always-no")


def labels(agent: str) -> dict[str, str]:
    return {"agent": agent, "design": "made-up", "style": "direct"}


def composition(valid: Any, consistent: Any, reach: float = 0.05) -> Composition:
    """A composition whose ratios are these, with intervals that reach so far; None: undefined."""

    def side(ratio: float | None) -> TargetComparison:
        ends = (None, None) if ratio is None else (ratio - reach, ratio + reach)
        found = Estimate(ratio, *ends, 100, 100, "made up")
        return TargetComparison(0.2, found, found, found, 0.1, decide_verdict(found))

    product = Estimate(0.2, 0.1, 0.3, 100, 100, "made up")
    return Composition((0, 2, 4), "pns", product, side(valid), side(consistent))


CLASSIFIED = (
    Classified(labels(AGENTS[2]), (composition(-0.7, -0.8), composition(-0.9, -0.9))),
    Classified(
        labels(AGENTS[0]),
        (
            composition(0.0, 0.0),
            composition(0.1, -0.1),
            composition(0.1, 0.9),
            composition(0.5, 0.02),
            composition(0.24, 0.0),
        ),
    ),
    Classified(labels(AGENTS[4]), (composition(-1.0, None), composition(-1.0, None))),
    Classified(labels(AGENTS[3]), (composition(-0.2, 0.2, 0.12), composition(0.0, 0.1))),
)


def effect(cause: int, effect: int, true: float, said: float | None, reach: float) -> PairEffect:
    ends = (None, None) if said is None else (said - reach, said + reach)
    return PairEffect(cause, effect, true, said, *ends)


def tree(blocks: int, agent: str = AGENTS[0], worse: float = 0.0) -> CutTree:
    """The longer the way, the more is answered; ends are missing where nothing is."""
    chain = Chain((Block("cycle", 3),) * blocks)
    effects = []
    for cause, at in chain.pairs:
        far = (at - cause) // 2
        true = 0.6**far
        effects.append(effect(cause, at, true, true * (1 + worse * far), 0.04 * true))
    return CutTree(labels(agent), chain, tuple(effects))


def by_hand() -> CutTree:
    """By hand: right on 0-2; too small on 2-3 by a half, and open on 0-3."""
    chain = Chain((Block("cycle", 3), Block("bridge", 2)))
    effects = (
        effect(0, 2, 0.5, 0.5, 0.0),
        effect(2, 3, 0.8, 0.4, 0.2),
        effect(0, 3, 0.4, 0.5, 0.1),
    )
    return CutTree(labels(AGENTS[0]), chain, effects)


def error(agent: str, length: int, value: float | None, *flags: str, by="mediators") -> Measure:
    ends = (None, None) if value is None else (max(value - 0.03, 0.0), value + 0.04)
    at = {by: length}
    return Measure("error", value, *ends, 80, 40, 320, 2, 0, "made up", flags, labels(agent), at)


def errors() -> list[Measure]:
    """Five agents at four lengths, the first best, the last but one with few answers."""
    return [
        error(agent, length, 0.02 + 0.03 * place * (1 + length), *flags)
        for place, agent in reversed([*enumerate(AGENTS)])
        for flags in [("small_n",) if agent == AGENTS[3] else ()]
        for length in (0, 1, 3, 5)
    ]


DRAW = {
    "plane": lambda: class_plane(CLASSIFIED),
    "plane-of-one": lambda: class_plane(CLASSIFIED[1:2]),
    "by-length": lambda: error_by_length(errors()),
    "by-length-of-one": lambda: error_by_length(errors()[:4]),
    "tree-by-hand": lambda: cut_trees([by_hand()]),
    "trees-of-three": lambda: cut_trees(
        [tree(3, agent, 0.1 * place) for place, agent in enumerate(AGENTS)], "a world"
    ),
    "tree-of-five": lambda: cut_trees([tree(5, worse=-0.19)]),
    "tree-of-wrong": lambda: cut_trees([tree(3, worse=-0.33)] * 2),
}


@cache
def figure_of(name: str) -> Figure:
    return DRAW[name]()


class TestEveryFigure(FigureLaws):
    draw = DRAW
    figure_of = staticmethod(figure_of)


def points(axes: Axes, kind: str) -> list[tuple[float, float]]:
    """Return where the points of a kind stand."""
    return [
        (float(x), float(y))
        for line in axes.get_lines()
        if str(line.get_gid()).startswith(f"points-{kind}")
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    ]


def lines(axes: Axes, gid: str) -> list[tuple[list[float], list[float]]]:
    return [
        (list(line.get_xdata()), list(line.get_ydata()))
        for line in axes.get_lines()
        if line.get_gid() == gid
    ]


def test_a_composition_stands_at_its_two_differences() -> None:
    figure = figure_of("plane")
    panels = {axes.get_title().split("\n")[0]: axes for axes in figure.axes if axes.axison}
    assert list(panels) == ["gpt-4o", "gpt-5-mini", "coin", "always-yes"], "most VC first"
    mini = panels["gpt-5-mini"]
    assert points(mini, "VC") == [(0.0, 0.0), (0.1, -0.1)]
    assert points(mini, "VI") == [(0.1, 0.9)]
    assert points(mini, "IC") == [(0.5, 0.02)]
    assert points(mini, "inconclusive") == [(0.24, 0.0)]
    assert points(panels["coin"], "II") == [(-0.7, -0.8), (-0.9, -0.9)]
    assert points(panels["always-yes"], "") == []
    assert panels["gpt-5-mini"].get_title() == "gpt-5-mini\n2 VC, 1 VI, 1 IC, 1 inconclusive"
    assert panels["always-yes"].get_title() == "always-yes\n2 undefined"


def test_intervals_cross_in_their_point() -> None:
    axes = figure_of("plane").axes[2]
    found = lines(axes, "interval")
    for across, up in ((-0.7, -0.8), (-0.9, -0.9)):
        assert ([pytest.approx(across - 0.05), pytest.approx(across + 0.05)], [up] * 2) in found
        assert ([across] * 2, [pytest.approx(up - 0.05), pytest.approx(up + 0.05)]) in found
    assert len(found) == 4


def test_only_what_is_inconclusive_is_open() -> None:
    for axes in figure_of("plane").axes:
        for line in axes.get_lines():
            name = str(line.get_gid())
            if name.startswith("points-"):
                is_open = to_rgba(line.get_markerfacecolor()) == to_rgba("white")
                assert is_open == name.startswith("points-inconclusive")
    assert "open: inconclusive" in words(figure_of("plane"))
    assert drawn(figure_of("plane"), "inconclusive") == 2


def test_regions_are_named_where_their_class_is() -> None:
    axes = figure_of("plane").axes[0]
    for text in axes.texts:
        x, y = text.get_position()
        valid, consistent = ("VI"[not abs(v) < 0.25] for v in (x, y))
        assert text.get_text() == valid + ("C" if consistent == "V" else "I")
    assert Counter(text.get_text() for text in axes.texts) == {"VC": 1, "VI": 2, "IC": 2, "II": 4}
    (square,) = [patch for patch in axes.patches if patch.get_gid() == "equal"]
    assert square.get_bbox().bounds == (-0.25, -0.25, 0.5, 0.5)


def test_the_plane_is_wide_enough_for_negative_effects() -> None:
    figure = class_plane([Classified(labels(AGENTS[0]), (composition(-1.8, 0.5),))])
    low, high = figure.axes[0].get_xlim()
    assert low == -high
    assert low < -1.85
    assert class_plane(CLASSIFIED, delta=0.1).axes[0].get_xticks().tolist() == [-1, -0.1, 0, 0.1, 1]


def test_each_agent_has_a_panel_with_its_errors_the_best_first() -> None:
    figure = figure_of("by-length")
    shown = [axes for axes in figure.axes if axes.axison]
    titles = [axes.get_title() for axes in shown]
    assert titles == ["gpt-5-mini", "claude-opus-4", "coin", "gpt-4o", "always-yes"]
    for place, axes in enumerate(shown):
        mine = [m for m in errors() if m.labels["agent"] == AGENTS[place]]
        wanted = [(0, 1, 3, 5)[i] for i in range(4)], [m.estimate for m in mine]
        assert points(axes, "error") == [*zip(*wanted, strict=True)]
        assert lines(axes, "interval") == [
            ([length] * 2, [m.low, m.high]) for length, m in zip(wanted[0], mine, strict=True)
        ]
        assert len(lines(axes, "other")) == 4
        assert wanted not in lines(axes, "other")
    assert drawn(figure, "-small") == 4
    assert "open: fewer than 60 answers" in words(figure)
    assert "the others" not in words(figure_of("by-length-of-one"))


def test_a_scale_is_chosen_and_gaps_are_left() -> None:
    mixed = [
        error(AGENTS[0], 1, 0.1),
        error(AGENTS[0], 3, None),
        error(AGENTS[0], 1, 0.2, by="distance"),
    ]
    assert points(error_by_length(mixed).axes[0], "error") == [(1, 0.1)]
    by_blocks = error_by_length(mixed, "distance")
    assert points(by_blocks.axes[0], "error") == [(1, 0.2)]
    assert "number of blocks between cause and effect" in words(by_blocks)
    with pytest.raises(UserError, match="errors at levels of distance, got none"):
        error_by_length(mixed[:2], "distance")


def test_an_arrow_tells_truth_answer_and_error() -> None:
    axes = figure_of("tree-by-hand").axes[0]
    told = [text.get_text() for text in axes.texts if "→" in text.get_text()]
    # (0.4 - 0.8)/0.8, from 0.2 and 0.6; and (0.5 - 0.4)/0.5, from 0.4 and 0.6.
    assert told == [
        "0.5 → 0.5\n0%",
        "0.8 → 0.4\n−50% [−75, −25]",
        "0.4 → 0.5\n+20% [0, +33]",
    ]
    assert {"root", "leaf", "0", "2", "3", "cycle 3", "bridge 2"} <= set(words(axes.figure))


def arrows(axes: Axes) -> Counter[str]:
    found = (re.match("arrow-(.*)", str(line.get_gid())) for line in axes.get_lines())
    return Counter(match[1] for match in found if match)


def test_arrows_follow_the_rule_of_verdicts() -> None:
    # The interval of 2-3 ends on the margin; a little beyond it is a no.
    assert arrows(figure_of("tree-by-hand").axes[0]) == {"yes": 1, "inconclusive": 2}
    half = effect(2, 3, 0.8, 0.4, 0.19)
    assert [half.verdict(delta) for delta in (0.2, 0.25, 0.8)] == ["no", "no", "yes"]
    figure = figure_of("tree-of-wrong")
    # Off by 33, 66 and 99 per cent; with 4% of the truth to either side.
    assert arrows(figure.axes[0]) == {"no": 6}
    bold = [t.get_text() for t in texts(figure) if t.get_fontweight() == "bold"]
    assert len(bold) == 12
    assert "off by more than 25%" in words(figure)
    assert "inconclusive" not in words(figure)


def test_arrows_lead_from_anchor_to_anchor_without_touching() -> None:
    axes = figure_of("tree-of-five").axes[0]
    anchors = [
        float(line.get_xdata()[0]) for line in axes.get_lines() if line.get_gid() == "anchor"
    ]
    assert len(anchors) == 6
    arcs = [line for line in axes.get_lines() if str(line.get_gid()).startswith("arrow-")]
    assert len(arcs) == 15
    ends = Counter()
    for arc in arcs:
        across, up = arc.get_data()
        nearest = [int(np.argmin(np.abs(np.array(anchors) - x))) for x in (across[0], across[-1])]
        ends[tuple(nearest)] += 1
        # Height grows with the number of blocks: that is what keeps labels apart.
        assert max(up) == pytest.approx(13 * (nearest[1] - nearest[0] - 1), abs=0.1)
        # From a rim, half a node of 11 points and one point more in mm, to the head at another.
        from_start, from_end = (
            np.hypot(across[at] - anchors[nearest[at]], up[at]) for at in (0, -1)
        )
        assert from_start == pytest.approx(6.5 / 72 * 25.4, abs=0.15)
        assert from_start <= from_end < 5
    assert ends == Counter({(i, j): 1 for i in range(6) for j in range(i + 1, 6)})


def test_no_answer_and_no_effect_are_said() -> None:
    chain = Chain((Block("bridge", 2),) * 2)
    silent = (effect(0, 1, 0.5, None, 0), PairEffect(1, 2, 0.5, 0.5), effect(0, 2, 0.0, 0.0, 0.0))
    figure = cut_trees([CutTree(labels(AGENTS[0]), chain, silent)])
    assert {"0.5 → ?\nno answer", "0.5 → 0.5\n0%", "0 → 0\nno effect"} <= set(words(figure))
    assert arrows(figure.axes[0]) == {"undefined": 2, "inconclusive": 1}


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(UserError, match="trees must be one or more of the same blocks, got 0"):
        cut_trees([])
    with pytest.raises(UserError, match="of the same blocks, got 2"):
        cut_trees([tree(2), tree(3)])
    with pytest.raises(UserError, match="at most 5 blocks, got 6"):
        cut_trees([tree(6)])
    with pytest.raises(UserError, match="agents must have compositions to draw, got none"):
        class_plane([Classified(labels(AGENTS[0]), ())])
    with pytest.raises(ValueError, match="effects must be one for each of the pairs"):
        CutTree({}, Chain((Block("bridge", 2),) * 2), by_hand().effects)


def test_examples_in_docstrings() -> None:
    found = doctest.testmod(cut_tree)
    assert (found.attempted, found.failed) == (1, 0)


@cache
def records() -> Any:
    """What three reference agents answer in two small worlds."""
    design = SUITE.make_design(
        {"kinds": "cycle3+bridge,bridge+bridge", "gates": "or", "worlds": 1, "units": 64}
    )
    rows = []
    for name in PLAYERS:
        agent = SUITE.agent(name)
        settings = agent.settings({})
        for item in SUITE.items(design):
            rng = reply_generator(name, settings, item.id, 1)
            value = SUITE.parse_reply(item.factors, agent.reply(item, settings, rng), False).value
            rows.append(
                {
                    **{"agent": f"reference/compose.{name}", "suite": "compose", "epoch": 1},
                    **{"design": design.name, "design_hash": design.hash, "item": item.id},
                    **{"outcome": "scored", "reason": "", "value": value},
                    **{"truth": item.truth, **item.factors},
                }
            )
    return record_table(rows, SUITE.record_columns)


def test_trees_are_those_of_the_records() -> None:
    found = trees_of(records())
    assert list(found) == [("cycle3+bridge", "or", 0), ("bridge+bridge", "or", 0)]
    exact, near, never = found["cycle3+bridge", "or", 0]
    assert [e.answered for e in exact.effects] == [pytest.approx(e.true) for e in exact.effects]
    assert [e.verdict() for e in exact.effects] == ["yes"] * 3
    assert {(e.cause, e.effect): e.verdict() for e in near.effects} == {
        (0, 2): "yes",
        (2, 3): "yes",
        (0, 3): "no",
    }
    assert [e.answered for e in never.effects] == [0.0] * 3


@pytest.mark.slow
def test_all_figures_of_a_run(tmp_path: Path) -> None:
    names = [path.name for path in save_figures(compose_figures(records()), tmp_path)]
    figures = [
        *("plane-core-changed", "by-mediators-core-changed"),
        *("cut-tree-core-changed-cycle3-bridge-or", "cut-tree-core-changed-bridge-bridge-or"),
    ]
    assert names == [f"{name}.{kind}" for name in figures for kind in ("pdf", "svg", "png", "csv")]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_errors_of_a_run_are_drawn_as_measured() -> None:
    figure = error_by_length(compose_measures(records()))
    panels = {axes.get_title(): axes for axes in figure.axes if axes.axison}
    assert next(iter(panels)) == "exact"
    assert {up for _, up in points(panels["exact"], "error")} == {0.0}
    assert [across for across, _ in points(panels["exact"], "error")] == [0, 1, 2]


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import whybench.suites.compose\n"
        "from whybench.suites.contract import UserError\n"
        "try:\n    import whybench.suites.compose.figures\n"
        "except UserError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "figures need matplotlib: pip install 'whybench[figures]'"
