"""Figures of compose: what is drawn, where, and that it can be read."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("matplotlib")

import numpy as np
from tests.drawing.seen import FigureLaws, texts, words
from tests.drawing.seen_charts import ChartLaws, told
from tests.drawing.seen_charts import texts as chart_texts

from whybench.drawing.figure import Figure as Saved
from whybench.drawing.figure import save_figures
from whybench.frames import rows_of
from whybench.records.table import record_table
from whybench.stats import Estimate, Measure
from whybench.suites.compose import SUITE
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.chain import Chain
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
from whybench.suites.compose.figures.run import CAPTIONS, trees_of
from whybench.suites.compose.measures import compose_measures
from whybench.suites.compose.verdicts import decide_verdict
from whybench.suites.contract import UserError, reply_generator

if TYPE_CHECKING:
    from collections.abc import Callable
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


def chart(kind: str, plot: Callable[..., Any], *given: Any) -> Callable[[], Saved]:
    return lambda: Saved(kind, partial(plot, *given), rows_of(*given), caption=CAPTIONS[kind])


CHARTS = {
    "plane": chart("plane", class_plane, CLASSIFIED),
    "plane-of-one": chart("plane", class_plane, CLASSIFIED[1:2]),
    "by-length": chart("length", error_by_length, errors()),
    "by-length-of-one": chart("length", error_by_length, errors()[:4]),
}


@cache
def chart_of(name: str) -> Saved:
    return CHARTS[name]()


class TestEveryChart(ChartLaws):
    draw = CHARTS
    figure_of = staticmethod(chart_of)

    def test_every_row_is_a_mark_that_tells_its_number(self, name: str) -> None:
        """What is undefined has no place in the plane; guessing is a line in each panel."""
        marks = [mark for mark in told(chart_of(name)) if "what" not in mark]
        rows = chart_of(name).rows
        if name.startswith("plane"):
            rows = [row for row in rows if row["class"] != "undefined"]
            key = next(key for key in marks[0] if key.startswith("validity"))
            numbers, said = [row["valid_estimate"] for row in rows], [m[key] for m in marks]
        else:
            numbers, said = [row["estimate"] for row in rows], [m["estimate"] for m in marks]
        assert sorted(float(text.replace("−", "-")) for text in said) == pytest.approx(
            sorted(numbers), abs=0.0006
        )


DRAW = {
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


def spots(kind: str = "", panel: str = "") -> list[tuple[float, float]]:
    """Return where the points of a kind stand in the panels of an agent."""
    return [
        (datum["x"], datum["y"])
        for datum in chart_of("plane").spec["data"]["values"]
        if "x" in datum and datum["s"].startswith(kind) and datum["p"].startswith(panel)
    ]


def test_a_composition_stands_at_its_two_differences() -> None:
    panels = [title.split("\n") for title in chart_of("plane").spec["facet"]["sort"]]
    names = [name for name, _ in panels]
    assert names == ["gpt-4o", "gpt-5-mini", "coin", "always-yes"], "most VC first"
    assert spots("VC", "gpt-5-mini") == [(0.0, 0.0), (0.1, -0.1)]
    assert spots("VI", "gpt-5-mini") == [(0.1, 0.9)]
    assert spots("IC", "gpt-5-mini") == [(0.5, 0.02)]
    assert spots("inconclusive", "gpt-5-mini") == [(0.24, 0.0)]
    assert spots("II", "coin") == [(-0.7, -0.8), (-0.9, -0.9)]
    assert spots(panel="always-yes") == []
    assert dict(panels)["gpt-5-mini"] == "2 VC, 1 VI, 1 IC, 1 inconclusive"
    assert dict(panels)["always-yes"] == "2 undefined"
    assert {"always-yes", "2 undefined"} <= set(chart_texts(chart_of("plane")))


def test_intervals_cross_in_their_point() -> None:
    for datum in chart_of("plane").spec["data"]["values"]:
        if datum["p"].startswith("coin"):
            across, up = datum["x"], datum["y"]
            assert (datum["xl"], datum["xh"]) == pytest.approx((across - 0.05, across + 0.05))
            assert (datum["yl"], datum["yh"]) == pytest.approx((up - 0.05, up + 0.05))


def test_only_what_is_inconclusive_is_open() -> None:
    for datum in chart_of("plane").spec["data"]["values"]:
        assert ("f" in datum) == (datum.get("s") == "inconclusive")
    assert "open: inconclusive" in chart_of("plane").spec["usermeta"]["note"]
    assert len(spots("inconclusive")) == 2


def test_regions_are_named_where_their_class_is() -> None:
    layers = chart_of("plane").spec["spec"]["layer"]
    names = [v for one in layers for v in one.get("data", {}).get("values", []) if "t" in v]
    for name in names:
        valid, consistent = ("VI"[not abs(name[way]) < 0.25] for way in "xy")
        assert name["t"] == valid + ("C" if consistent == "V" else "I")
    assert Counter(name["t"] for name in names) == {"VC": 1, "VI": 2, "IC": 2, "II": 4}


def test_the_plane_is_wide_enough_for_negative_effects() -> None:
    wide = class_plane([Classified(labels(AGENTS[0]), (composition(-1.8, 0.5),))])
    encoding = wide["spec"]["layer"][-1]["encoding"]
    low, high = encoding["x"]["scale"]["domain"]
    assert low == -high
    assert low < -1.85
    narrow = class_plane(CLASSIFIED, delta=0.1)["spec"]["layer"][-1]["encoding"]
    assert narrow["x"]["axis"]["values"] == [-1, -0.1, 0.1, 1]


def test_each_agent_has_a_panel_with_its_errors_the_best_first() -> None:
    chart = chart_of("by-length").spec
    titles = ["gpt-5-mini", "claude-opus-4", "coin", "gpt-4o", "always-yes"]
    assert chart["facet"]["sort"] == titles
    for agent, title in zip(AGENTS, titles, strict=True):
        mine = [m for m in errors() if m.labels["agent"] == agent]
        found = [d for d in chart["data"]["values"] if d["p"] == title and "e" in d]
        assert [(d["x"], d["e"], d["l"], d["h"]) for d in found] == [
            pytest.approx((at, m.estimate, m.low, m.high))
            for at, m in zip((0, 1, 3, 5), mine, strict=True)
        ]
    assert sum("f" in d for d in chart["data"]["values"]) == 4
    assert "open: fewer than 60 answers" in chart["usermeta"]["note"]


def at_errors(chart: dict[str, Any], panel: str) -> list[tuple[float, float]]:
    return [(d["x"], d["e"]) for d in chart["data"]["values"] if d["p"] == panel and "e" in d]


def test_a_scale_is_chosen_and_gaps_are_left() -> None:
    mixed = [
        error(AGENTS[0], 1, 0.1),
        error(AGENTS[0], 3, None),
        error(AGENTS[0], 1, 0.2, by="distance"),
    ]
    assert at_errors(error_by_length(mixed), "gpt-5-mini") == [(1, 0.1)]
    by_blocks = error_by_length(mixed, "distance")
    assert at_errors(by_blocks, "gpt-5-mini") == [(1, 0.2)]
    assert by_blocks["title"]["text"] == "number of blocks between cause and effect"
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
    chart = error_by_length(compose_measures(records()))
    assert chart["facet"]["sort"][0] == "exact"
    assert at_errors(chart, "exact") == [(0, 0.0), (1, 0.0), (2, 0.0)]


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import whybench.suites.compose\n"
        "from whybench.suites.contract import UserError\n"
        "try:\n    import whybench.suites.compose.figures\n"
        "except UserError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout.strip() == "figures need matplotlib: pip install 'whybench[figures]'"
