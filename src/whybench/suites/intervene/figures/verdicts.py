"""How many answers were justified, lucky, premature or against the evidence: a bar an agent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from whybench.drawing.charts import BarPart, plot_shares
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import read_table
from whybench.suites.contract import UserError
from whybench.suites.intervene.measures import intervene_groups
from whybench.suites.intervene.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import pyarrow as pa

    from whybench.drawing.charts import Chart

LOOKS = read_table(__package__, "style.yaml")["verdicts"]

Counted = tuple["Mapping[str, str]", "Counter[str]"]
"""An agent under a condition, and how many of its episodes have each verdict."""


def verdict_bars(counts: Sequence[Counted]) -> Chart:
    """Return the verdicts on each agent's episodes as shares of a bar.

    Agents stand in the order of what they justified. Episodes that a technical error ended have no
    verdict and are not counted.

    Args:
        counts: The verdicts of each agent, see `count_verdicts`.
    """
    if not counts:
        raise UserError("records must hold episodes with a verdict, got none")
    names = distinct_names([labels for labels, _ in counts])
    parts = [
        BarPart(name, LOOKS[verdict]["name"], found[verdict], found[verdict] / found.total())
        for name, (_, found) in zip(names, counts, strict=True)
        for verdict in VERDICTS
        if found[verdict]
    ]
    return plot_shares(
        parts,
        names,
        {LOOKS[verdict]["name"]: LOOKS[verdict]["colour"] for verdict in VERDICTS},
        across="share of episodes",
        beside={
            name: f"of {found.total()}" for name, (_, found) in zip(names, counts, strict=True)
        },
        word="episodes",
    )


def verdict_rows(counts: Sequence[Counted]) -> Iterator[dict[str, Any]]:
    """Yield the verdicts of each agent as a flat row."""
    for labels, found in counts:
        yield {**labels, **{name: found[name] for name in VERDICTS}, "all": found.total()}


def count_verdicts(records: pa.Table) -> list[Counted]:
    """Return the verdicts of each agent under each condition, the most justified first.

    Args:
        records: Records of intervene.
    """
    found = [
        (group.labels, Counter(filter(None, group["verdict"])))
        for group in intervene_groups(records)
    ]
    return sorted([one for one in found if one[1]], key=_merit, reverse=True)


def _merit(counted: Counted) -> tuple[float, ...]:
    found = counted[1]
    return tuple(found[name] / found.total() for name in VERDICTS)
