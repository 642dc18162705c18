"""Tables and sentences of conditions that were compared (`whybench compare --by`)."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import click

from whybench.cli.tables import change_text, label_measure
from whybench.numerals import interval_text, number_text
from whybench.suites.registry import get_suite
from whybench.terminal import print_line, print_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.results import Change, ConditionComparison, MeanChange

__all__ = ["print_conditions"]

MOST_WHOLE = 4
"""Up to so many agents all measures are printed; of more, the headline ones."""

SAID = ("agent", "by", "base", "level")
"""Labels that stand above a table."""


def print_conditions(comparison: ConditionComparison, *, every: bool) -> None:
    """Print the changes of each suite, agent and level, means over agents, and what shows.

    Args:
        comparison: The comparison.
        every: Whether all measures of all agents are printed, however many agents there are.
    """
    many = len(comparison.agents) > MOST_WHOLE
    changes = [one for one in comparison if every or not many or _is_headline(one)]
    if many:
        for (suite, base, level), mine in _group(changes, "base", "level"):
            _print_changes(f"{suite}, {comparison.by} {base} to {level}", base, level, mine)
            click.echo()
    else:
        for (suite, agent, base, level), mine in _group(changes, "agent", "base", "level"):
            title = f"{suite}, {agent}, {comparison.by} {base} to {level}"
            _print_changes(title, base, level, mine)
            click.echo()
    means = [one for one in comparison.means if every or not many or _is_headline(one)]
    for suite, own in groupby(means, lambda mean: mean.suite):
        _print_means(suite, comparison.by, list(own))
        click.echo()
    sentences = list(comparison.sentences())
    for sentence in sentences or ["no change of a headline measure is shown"]:
        print_line(sentence)
    if many and not every:
        print_line("Other measures: --measure NAME, or --json for all.")


def _is_headline(change: Change | MeanChange) -> bool:
    return change.measure in get_suite(change.suite).headline


def _group(changes: Sequence[Change], *labels: str) -> list[tuple[tuple[str, ...], list[Change]]]:
    groups: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        key = (change.suite, *(change.labels[name] for name in labels))
        groups.setdefault(key, []).append(change)
    return list(groups.items())


def _print_changes(title: str, base: str, level: str, changes: Sequence[Change]) -> None:
    rows = []
    agents = {change.labels["agent"] for change in changes}
    for change in changes:
        alike = [other.labels for other in changes if other.measure == change.measure]
        rows.append(
            {
                "measure": label_measure(change.measure, change.labels, alike, SAID),
                "agent": change.labels["agent"] if len(agents) > 1 else "",
                base: number_text(change.first),
                level: number_text(change.second),
                "change": change_text(change),
                "p": "–" if change.adjusted is None else f"{change.adjusted:.2g}",
                "verdict": change.verdict,
                "flags": " ".join(change.flags),
            }
        )
    print_rows(rows, title, share=("flags",))


def _print_means(suite: str, by: str, means: Sequence[MeanChange]) -> None:
    rows = []
    for mean in means:
        alike = [other.labels for other in means if other.measure == mean.measure]
        (most, largest), (least, smallest) = mean.most, mean.least
        rows.append(
            {
                "measure": label_measure(mean.measure, mean.labels, alike),
                by: f"{mean.base} to {mean.level}",
                "mean change": interval_text(mean.estimate, mean.low, mean.high, "+"),
                "p": "–" if mean.adjusted is None else f"{mean.adjusted:.2g}",
                "verdict": mean.verdict,
                "most": f"{most} {number_text(largest, '+')}",
                "least": f"{least} {number_text(smallest, '+')}",
                "flags": " ".join(mean.flags),
            }
        )
    print_rows(rows, suite, f"mean over {max(m.agents for m in means)} agents", share=("flags",))
