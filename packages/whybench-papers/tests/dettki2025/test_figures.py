from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, ClassVar

import pytest

pytest.importorskip("matplotlib")

from tests.drawing.seen_charts import ChartLaws, texts, told
from tests.suites.judge.test_figures import (
    AGENTS,
    NAMES,
    OWN,
    beside,
    made,
    measure,
    only,
    some,
)

from whybench.drawing.figure import save_figures
from whybench.suites.contract import UserError
from whybench.suites.judge.figures.run import make_figure
from whybench_papers.dettki2025.figures.release import measures_by_release
from whybench_papers.dettki2025.figures.replication import replication_figures
from whybench_papers.dettki2025.models import released
from whybench_papers.dettki2025.replies import CONDITIONS, published_records

if TYPE_CHECKING:
    from pathlib import Path

    from whybench.drawing.figure import Figure as Chart

CHARTS = {
    "release": some("release", measures_by_release, only(made(*NAMES), content="story")),
    "release-conditions": some(
        "release",
        measures_by_release,
        beside("leak_adjusted_determinacy"),
        ("leak_adjusted_determinacy",),
    ),
}


@cache
def figure_of(name: str) -> Chart:
    return CHARTS[name]()


class TestEveryChart(ChartLaws):
    draw: ClassVar = CHARTS
    figure_of = staticmethod(figure_of)

    def test_every_row_is_a_mark_that_tells_its_number(self, name: str) -> None:
        """People are lines, so marks are of the rows of agents."""
        rows = [row["estimate"] for row in figure_of(name).rows if row["estimate"] is not None]
        marks = [mark for mark in told(figure_of(name)) if "agent" in mark]
        assert marks
        for mark in marks:
            shown = mark.get("estimate") or mark["leak-adjusted determinacy (LAD)"]
            assert min(abs(float(shown) - number) for number in rows) < 0.0006


def test_each_agent_is_a_point_at_its_release() -> None:
    assert len([mark for mark in told(figure_of("release")) if "agent" in mark]) == (
        4 * len(AGENTS) * 2
    )


def test_few_answers_are_marked() -> None:
    figure = figure_of("release")
    assert sum("f" in datum for datum in figure.spec["data"]["values"]) == 8
    assert "fewer than 60 answers" in " ".join(texts(figure))


def test_a_single_agent_has_a_mark_for_each_measure() -> None:
    few = [m for m in made(*NAMES, people=False) if m.labels["agent"] == AGENTS[0]]
    story = only(few, content="story", style="direct")
    assert len(told(make_figure("release", measures_by_release, story))) == 4


def test_release_dates_are_those_of_the_source() -> None:
    assert released(AGENTS[1]) == released("published/gpt-5-v_low-r_low")
    assert str(released("published/gpt-4o[temperature=0.7]")) == (
        "('OpenAI', datetime.date(2024, 5, 13))"
    )
    assert released("reference/judge.noisy-or") is None


@pytest.mark.slow
@pytest.mark.usefixtures("mirror")
def test_every_published_model_has_a_release_date() -> None:
    for design in CONDITIONS:
        agents = set(published_records(design)["agent"].to_pylist())
        assert [agent for agent in agents if released(agent) is None] == []


def test_agents_without_a_date_are_counted() -> None:
    unknown = [measure("explaining_away", "published/of-old", "story", "direct", 0.3)]
    chart = measures_by_release(made("explaining_away") + unknown, names=("explaining_away",))
    assert "without a known date: 1 agents" in chart["usermeta"]["note"]
    own = [measure("explaining_away", OWN, "story", "direct", 0.3)]
    note = measures_by_release(made("explaining_away") + own, names=("explaining_away",))[
        "usermeta"
    ]["note"]
    assert "dashed line: noisy-or" in note
    assert "without a known date" not in note
    with pytest.raises(UserError, match="known release date"):
        measures_by_release(unknown)


@pytest.mark.usefixtures("mirror")
def test_an_unknown_model_cannot_be_shown() -> None:
    with pytest.raises(UserError, match="published models, got gpt-0"):
        next(replication_figures(shown=("gpt-0",)))


@pytest.mark.slow
@pytest.mark.usefixtures("mirror")
def test_the_first_figure_of_the_published_data(tmp_path: Path) -> None:
    figures = save_figures(replication_figures(), tmp_path)
    assert [next(figures).name for _ in range(3)] == ["tasks.pdf", "tasks.svg", "tasks.png"]
