"""Tables and sentences of conditions that were compared (`whybench compare --by`)."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from whybench.numerals import interval_text, number_text
from whybench.results.conditions import SIDES
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from whybench.results.changes import Change
    from whybench.results.conditions import ConditionComparison, MeanChange

    Row = Mapping[str, str]
    Label = Callable[..., str]

MOST_WHOLE = 4
"""Up to so many agents all measures are told; of more, the headline ones."""


def tell_conditions(
    comparison: ConditionComparison, label: Label, *, every: bool
) -> Iterator[str | tuple[str, list[Row]]]:
    """Yield tables with their titles: changes of each agent, means over agents; then sentences.

    Args:
        comparison: The comparison.
        label: Names a measure by what tells it from others, given name, labels and those of all.
        every: Whether all measures of all agents are told, however many agents there are.
    """
    few = every or len(comparison.agents) <= MOST_WHOLE
    changes = [one for one in comparison if few or _is_headline(one)]
    names = ("agent", "reference", "level") if len(comparison.agents) <= MOST_WHOLE else SIDES[2:]
    groups: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        key = (change.suite, *(change.labels[name] for name in names))
        groups.setdefault(key, []).append(change)
    for (*whose, reference, level), mine in groups.items():
        title = f"{', '.join(whose)}, {comparison.by} {reference} to {level}"
        yield title, _change_rows(mine, reference, level, label, own_agent="agent" in names)
    means = [one for one in comparison.means if few or _is_headline(one)]
    for suite, own in groupby(means, lambda mean: mean.suite):
        rows = list(own)
        title = f"{suite}, mean over {max(mean.agents for mean in rows)} agents"
        yield title, _mean_rows(comparison.by, rows, label)
    told = {change.measure for change in comparison} if every else ()
    nothing = "no change is shown" if every else "no change of a headline measure is shown"
    yield from list(comparison.sentences(*told)) or [nothing]
    if not few:
        yield "Other measures: --measure NAME, or --json for all."


def _is_headline(change: Change | MeanChange) -> bool:
    return change.measure in get_suite(change.suite).headline


def _change_rows(
    changes: Sequence[Change], reference: str, level: str, label: Label, *, own_agent: bool
) -> list[Row]:
    return [
        {
            "measure": label(
                change.measure,
                change.labels,
                [other.labels for other in changes if other.measure == change.measure],
                SIDES,
            ),
            "agent": "" if own_agent else change.labels["agent"],
            reference: number_text(change.first),
            level: number_text(change.second),
            "change": interval_text(change.estimate, change.low, change.high, "+"),
            "p": "–" if change.adjusted is None else f"{change.adjusted:.2g}",
            "verdict": change.verdict,
            "flags": " ".join(change.flags),
        }
        for change in changes
    ]


def _mean_rows(by: str, means: Sequence[MeanChange], label: Label) -> list[Row]:
    return [
        {
            "measure": label(
                mean.measure,
                mean.labels,
                [other.labels for other in means if other.measure == mean.measure],
            ),
            by: f"{mean.reference} to {mean.level}",
            "mean change": interval_text(mean.estimate, mean.low, mean.high, "+"),
            "p": "–" if mean.adjusted is None else f"{mean.adjusted:.2g}",
            "verdict": mean.verdict,
            "most": f"{mean.most[0]} {number_text(mean.most[1], '+')}",
            "least": f"{mean.least[0]} {number_text(mean.least[1], '+')}",
            "flags": " ".join(mean.flags),
        }
        for mean in means
    ]
