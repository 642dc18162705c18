"""All figures of a run, from its records.

The course of one episode: what was done, what was seen, and what was settled by then.
"""

from __future__ import annotations

from functools import cache, partial
from statistics import fmean
from typing import TYPE_CHECKING, cast

import pyarrow.compute as pc

from whybench.drawing.figure import Figure, figures_by_design, short_names
from whybench.frames import rows_of
from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.entailment import decide_entailment
from whybench.suites.intervene.experimenters import Intervention
from whybench.suites.intervene.figures.by_size import accuracy_by_size, is_sized
from whybench.suites.intervene.figures.episode import MOST, Course, episode_steps
from whybench.suites.intervene.figures.verdicts import count_verdicts, verdict_bars, verdict_rows
from whybench.suites.intervene.measures import LINK_WORLDS, intervene_measures
from whybench.suites.intervene.report_measures import GRAPH_WORLDS
from whybench.suites.intervene.verdicts import VERDICTS
from whybench.suites.intervene.world import bits_to_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    import matplotlib.figure
    import pyarrow as pa

    from whybench.suites.intervene.world import Action


def course_of(row: Mapping[str, Any]) -> Course:
    """Return the course that a record tells.

    >>> row = {"names": "lid,wheel,bell", "words": "turn,stop,turning,still", "graph": "0>1 1>2",
    ...        "moving": "1 2", "asked": "1>2", "interface": "text", "path": "hold 1; move 0",
    ...        "value": 1.0}
    >>> course_of(row).settled
    ('open', 'yes', 'yes')
    """
    case = parse_case(row)
    move, hold, moving, still = case.words
    value = row["value"]
    return Course(
        names=case.names,
        world=case.world,
        initial=bits_to_state(case.initial),
        path=tuple(map(_intervention, filter(None, row["path"].split("; ")))),
        asked=(case.x, case.y),
        words=(move, hold, moving, still),
        answer=None if value is None else "yes" if value else "no",
    )


def _intervention(step: str) -> Intervention:
    action, entity = step.split()
    return Intervention(cast("Action", action), int(entity))


STEPS = range(2, 11)
"""How many steps an episode has that is picked as an example, if there is such a one."""


VERDICT_CAPTION = (
    "A bar is all episodes of an agent, cut by what became of the answer. Justified are answers "
    "that the agent had made certain by acting; lucky ones are right without that."
)
SIZE_CAPTION = (
    "Accuracy and justified accuracy by the number of entities. Between the two lines lie answers "
    "that were right by luck."
)
EPISODE_CAPTION = (
    "One episode, step by step: what was acted on, what changed, and what was settled by then. The "
    "hidden world comes last."
)


def intervene_figures(records: pa.Table) -> Iterator[Figure]:
    """Yield the figures of a run.

    For each design there are the verdicts and, if its worlds differ in size, both accuracies by
    size; and for each verdict that was met one episode, as an example. Reports on whole graphs have
    no figures.

    Args:
        records: Records of intervene.
    """
    records = records.filter(pc.not_equal(records["worlds"], GRAPH_WORLDS))
    yield from figures_by_design(records, _figures)
    pairs = records.filter(pc.not_equal(records["worlds"], LINK_WORLDS))
    for verdict, row in _examples(pairs).items():
        name = f"episode-{verdict.replace('_', '-')}"
        yield Figure(name, partial(_draw_episode, row), caption=EPISODE_CAPTION)


def _draw_episode(row: Mapping[str, Any]) -> matplotlib.figure.Figure:
    item = row["item"].rpartition("-")[0]  # what follows is a hash, for machines
    title = f"{short_names([row['agent']])[row['agent']]}, {item}"
    return episode_steps(course_of(row), title)


def settled_at_first(records: pa.Table) -> dict[int, float]:
    """Return, by number of entities, the share of items that the first state alone settles."""
    found: dict[int, list[bool]] = {}
    case = ["item", "entities", "moving", "asked"]
    for row in records.group_by(case).aggregate([]).sort_by("item").to_pylist():
        settled = _settled(row["entities"], row["moving"], row["asked"])
        found.setdefault(row["entities"], []).append(settled)
    return {n: fmean(settled) for n, settled in sorted(found.items())}


@cache
def _settled(n: int, moving: str, asked: str) -> bool:
    x, y = map(int, asked.split(">"))
    return decide_entailment(n, (), x, y, frozenset(map(int, moving.split()))) != "open"


def _figures(design: str, records: pa.Table) -> Iterator[Figure]:
    counts = count_verdicts(records)
    draw = partial(verdict_bars, counts)
    yield Figure(f"verdicts-{design}", draw, verdict_rows(counts), caption=VERDICT_CAPTION)
    measures = [measure for measure in intervene_measures(records) if is_sized(measure)]
    if measures:
        settled = settled_at_first(records)
        draw = partial(accuracy_by_size, measures, settled)
        yield Figure(f"by-size-{design}", draw, rows_of(measures), caption=SIZE_CAPTION)


def _examples(records: pa.Table) -> dict[str, dict[str, Any]]:
    """Return an episode for each verdict: the first of a length that shows something."""
    found: dict[str, dict[str, Any]] = {}
    for row in records.to_pylist():
        if row["verdict"] and row["entities"] <= MOST:
            first = found.setdefault(row["verdict"], row)
            if first["steps"] not in STEPS and row["steps"] in STEPS:
                found[row["verdict"]] = row
    return {verdict: found[verdict] for verdict in VERDICTS if verdict in found}
