"""The figure of scores by the rows and by the printed keys."""

from __future__ import annotations

from functools import cache, partial

from tests.drawing.seen_charts import ChartLaws
from tests.suites.analyze.test_figures import AGENTS, measure

from whybench.drawing.figure import Figure
from whybench.frames import rows_of
from whybench.suites.analyze.figures.profiles import FAMILY_OF
from whybench_papers.du2025.figures import CAPTION, key_ladder

MEASURES = [
    measure(name, agent, value, **at)
    for agent, by_rows, by_key in ((AGENTS[0], 0.8, 0.6), (AGENTS[1], 0.3, 0.9))
    for at in ({}, {"challenge": "simpson"})
    for name, value in (("score", by_rows), ("key_score", by_key))
]
"""Two agents, one of whom knows the keys."""


def draw_keys() -> Figure:
    draw = partial(key_ladder, MEASURES, FAMILY_OF)
    return Figure("keys", draw, rows_of(MEASURES), caption=CAPTION)


DRAW = {"keys": draw_keys}


@cache
def figure_of(name: str) -> Figure:
    return DRAW[name]()


class TestEveryFigure(ChartLaws):
    draw = DRAW
    figure_of = staticmethod(figure_of)


def test_both_scores_of_both_agents_are_drawn() -> None:
    spec = figure_of("keys").spec
    assert spec["facet"]["sort"] == ["claude-opus-4", "gpt-5-mini"]
    drawn = sorted(point["e"] for point in spec["data"]["values"] if "e" in point)
    assert drawn == sorted(found.estimate for found in MEASURES)
