"""Which mistake: the wrong answers of each agent, by the way in which they are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.drawing.charts import BarPart, plot_shares
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import read_table
from whybench.suites.calculate.diagnoses import WAYS
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.drawing.charts import Chart
    from whybench.suites.calculate.figures.results import Diagnosed

LOOKS = read_table(__package__, "style.yaml")["diagnoses"]


def mistake_bars(agents: Sequence[Diagnosed]) -> Chart:
    """Return the wrong answers of each agent as a bar, cut by the way in which they are wrong.

    Agents stand in the order of their wrong answers, those with the fewest first; beside each bar
    stands how many there are.

    Args:
        agents: The answers of each agent.
    """
    if not agents:
        raise UserError("agents must have answers to draw, got none")
    ordered = _ordered(agents)
    names = distinct_names([agent.labels for agent in ordered])
    parts = [
        BarPart(name, WAYS[way], agent.counts[way], agent.counts[way] / agent.wrong,
             share.low, share.high)
        for name, agent in zip(names, ordered, strict=True)
        for way, share in agent.shares.items()
    ]  # fmt: skip
    return plot_shares(
        parts,
        names,
        {WAYS[way]: LOOKS[way]["bar"] for way in WAYS if any(a.counts[way] for a in ordered)},
        across="share of wrong answers",
        beside={
            name: f"{agent.wrong} of {len(agent.answers)} wrong"
            for name, agent in zip(names, ordered, strict=True)
        },
        word="answers",
        none="no wrong answers",
    )


def mistake_rows(agents: Sequence[Diagnosed]) -> Iterator[Mapping[str, Any]]:
    """Yield what bars show: for each way to be wrong, how many answers and which share."""
    for agent in _ordered(agents):
        whole = {"wrong": agent.wrong, "all": len(agent.answers)}
        for way, share in agent.shares.items():
            ends = {end: getattr(share, end) for end in ("estimate", "low", "high")}
            yield {**agent.labels, "way": way, "answers": agent.counts[way], **ends, **whole}
        if not agent.shares:
            yield {**agent.labels, **whole}


def _ordered(agents: Sequence[Diagnosed]) -> list[Diagnosed]:
    return sorted(agents, key=lambda agent: agent.wrong / len(agent.answers))
