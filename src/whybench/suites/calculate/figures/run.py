"""All figures of a run, from its records."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from whybench.drawing.figure import Figure, distinct_names, figures_by_design
from whybench.drawing.grids import pages
from whybench.frames import rows_of
from whybench.suites.calculate.figures.answers import answers_on_truths
from whybench.suites.calculate.figures.by_level import shares_by_level
from whybench.suites.calculate.figures.results import diagnose_groups, level_measures
from whybench.suites.calculate.figures.wrong_answers import mistake_bars, mistake_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from whybench.suites.calculate.figures.results import Diagnosed

MOST_BARS, MOST_PANELS = 30, 12
"""So many agents have their bars or panels in one figure; those of more go into further ones."""

BARS = (
    "A bar is all wrong answers of an agent, cut by how they are wrong. A mistake is known by its "
    "number: the wrong answer is what this mistake comes to on that question. In brackets: the "
    "share of the agent's wrong answers, and its 95% interval."
)
POINTS = (
    "A point is a number given to a question that has one. Right answers lie on the line; coloured "
    "points are what a typical mistake comes to; crosses fit none. A slope below 1 means answers "
    "that shrink towards a constant."
)
LEVELS = {
    "rung": "Skill and accuracy where something is seen, made from outside, or imagined otherwise. "
    "High on what is seen and lower on the rest: probabilities are computed well, and "
    "interventions are not carried through.",
    "relevant": "The share of right answers by the number of variables that matter, of questions "
    "that have an answer. A fall means that more is lost the more there is to take into account.",
    "operations": "The share of right answers by the arithmetic that it takes, of questions that "
    "have an answer. A fall means that slips add up. At 0 the answer is printed in the question.",
}


def calculate_figures(records: pa.Table) -> Iterator[Figure]:
    """Yield the figures of a run.

    For each design there are the ways in which answers are wrong, answers against truths where
    numbers were asked for, and skill and accuracy by rung and difficulty, where these differ.

    Args:
        records: Records of calculate.
    """
    return figures_by_design(records, _figures)


def _figures(design: str, records: pa.Table) -> Iterator[Figure]:
    agents = sorted(diagnose_groups(records), key=lambda agent: agent.wrong / len(agent.answers))
    for page, some in pages(agents, MOST_BARS):
        name = "-".join([f"which-mistake-{design}", *page])
        caption = f"{BARS}\n{_told(some)}"
        yield Figure(name, partial(mistake_bars, some), mistake_rows(some), caption=caption)
    for page, some in pages([agent for agent in agents if agent.placed], MOST_PANELS):
        name = "-".join([f"answers-{design}", *page])
        yield Figure(name, partial(answers_on_truths, some), rows_of(some), caption=POINTS)
    for factor, caption in LEVELS.items():
        measures = [m for m in level_measures(records, factor) if m.estimate is not None]
        if measures:
            draw = partial(shares_by_level, measures, factor)
            yield Figure(f"by-{factor}-{design}", draw, rows_of(measures), caption=caption)


def _told(agents: Sequence[Diagnosed]) -> str:
    """Return which mistakes agents make, a sentence each."""
    names = distinct_names([agent.labels for agent in agents])
    return "\n".join(agent.tell(name) for agent, name in zip(agents, names, strict=True))
