"""How judgments are distributed: the share of them up to each level, story by story."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.charts import ShownEstimate, plot_lines
from whybench.drawing.figure import is_people, short_names
from whybench.drawing.style import PEOPLE, SERIES
from whybench.stats import Estimate
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from whybench.drawing.charts import Chart

LEVELS = tuple(range(0, 101, 10))


def share_rows(records: pa.Table) -> Iterator[dict[str, str | float]]:
    """Yield, for each agent, story and level from 0 to 100, the share of judgments up to it."""
    judged: dict[tuple[str, str], list[float]] = {}
    columns = (records[name].to_pylist() for name in ("agent", "story", "outcome", "value"))
    for agent, story, outcome, value in zip(*columns, strict=True):
        if outcome == "scored":
            judged.setdefault((agent, story), []).append(value)
    for (agent, story), values in judged.items():
        for level in LEVELS:
            share = sum(value <= level for value in values) / len(values)
            yield {"agent": agent, "story": story, "level": level, "share": share, "n": len(values)}


def judgment_shares(rows: Sequence[dict[str, str | float]]) -> Chart:
    """Return the share of judgments up to each level, a panel for each story.

    Args:
        rows: `share_rows` of a few agents under one condition, people among them or not.
    """
    agents = list(dict.fromkeys(str(row["agent"]) for row in rows))
    room = len(SERIES) - 1
    if not 1 <= sum(not is_people(agent) for agent in agents) <= room:
        raise UserError(f"rows must be of 1 to {room} agents beside people, got {len(agents)}")
    names = short_names(agents)
    others = iter(SERIES[1:])
    looks = {names[a]: PEOPLE if is_people(a) else next(others) for a in agents}
    shown = [
        ShownEstimate(
            Estimate(float(row["share"]), None, None, int(row["n"]), 1, "share"),
            panel=str(row["story"]),
            series=names[str(row["agent"])],
            at=float(row["level"]),
            level=str(row["level"]),
        )
        for row in rows
    ]
    return plot_lines(
        shown,
        list(dict.fromkeys(str(row["story"]) for row in rows)),
        looks,
        {float(level): str(level) if level % 50 == 0 else "" for level in LEVELS},
        across="judgment, 0 to 100",
        up="share of judgments up to it",
        ends=(0.0, 1.0),
        columns=3,
        words=("story", "agent", "judgment"),
    )
