"""Does an agent answer differently from story to story, and do agents differ within a story?

Kruskal–Wallis compares stories within an agent and agents within a story, as the source does;
Mann–Whitney, with the rank-biserial effect, tells which stories differ. P-values are corrected
(Benjamini–Hochberg) over the tests of a condition, or over the pairs of an agent.

All stories share their questions, and questions differ far more than stories. Kruskal–Wallis
counts that shared spread as chance and rarely finds anything between stories. The permutation
test compares answers to the same question only.

An agent's failed and missing answers do not count. Distracting text from another story and filler
make two versions of a story, which are told apart as stories are.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, get_args

from whybench.stats import (
    SMALL_N,
    Finding,
    adjust,
    kruskal_wallis,
    mann_whitney,
    permutation_test,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

__all__ = ["Difference", "agent_differences", "story_differences", "story_pairs"]

CONDITION = ("graph", "stimuli", "content", "overload", "style")
"""What makes a condition here: overload sources are told apart as stories are."""

StoryTest = Literal["kruskal-wallis", "permutation"]


@dataclass(frozen=True)
class Difference:
    """The finding of a test, and whose it is: agent, condition, and story or pair of stories."""

    labels: Mapping[str, str]
    finding: Finding

    def row(self) -> dict[str, object]:
        """Return it as one flat row, labels first."""
        return {**self.labels, **asdict(self.finding), "flags": " ".join(self.finding.flags)}


def story_differences(records: pa.Table, test: StoryTest = "kruskal-wallis") -> list[Difference]:
    """Test for each agent whether its answers differ between stories.

    `kruskal-wallis` takes every answer; answers to one prompt in several epochs are flagged
    `repeated_items`, since it takes them for independent. `permutation` averages epochs and
    shuffles stories among the answers to the same question. Adjusted within the condition.
    """
    if test not in get_args(StoryTest):
        raise ValueError(f"test must be kruskal-wallis or permutation, got {test!r}")
    find = _permuted if test == "permutation" else _ranked
    found = [
        Difference(labels, find(rows)) for labels, rows in _groups(records, ("agent", "design"))
    ]
    return _adjusted(found, CONDITION)


def agent_differences(records: pa.Table) -> list[Difference]:
    """Test for each story whether agents differ in it. Adjusted within the condition."""
    found = [
        Difference(labels, kruskal_wallis(_values(rows), [row["agent"] for row in rows]))
        for labels, rows in _groups(records, ("story", "overload_source"))
    ]
    return _adjusted(found, CONDITION)


def story_pairs(records: pa.Table) -> list[Difference]:
    """Compare each pair of stories within an agent. Adjusted within the agent and condition.

    The effect is positive where the first story's answers tend to be higher.
    """
    found = []
    for labels, rows in _groups(records, ("agent", "design")):
        told: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            told[_told(row)].append(row["value"])
        found += [
            Difference({**labels, "first": one, "second": two}, mann_whitney(told[one], told[two]))
            for one, two in combinations(sorted(told), 2)
        ]
    return _adjusted(found, ("agent", "design", *CONDITION))


def _ranked(rows: list[dict[str, Any]]) -> Finding:
    finding = kruskal_wallis(_values(rows), [_told(row) for row in rows])
    repeated = len({row["item"] for row in rows}) < len(rows)
    return _flagged(finding, *(("repeated_items",) if repeated else ()))


def _permuted(rows: list[dict[str, Any]]) -> Finding:
    epochs: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in rows:
        place = (_told(row), row["polarity"], row["letter"], row["cause"])
        epochs[place].append(row["value"])
    finding = permutation_test(
        [fmean(values) for values in epochs.values()],
        [told for told, *_ in epochs],
        [f"{letter}/{cause}" for *_, letter, cause in epochs],
        ("judge", "stories"),
    )
    return _flagged(finding)


def _flagged(finding: Finding, *flags: str) -> Finding:
    small = ("small_n",) if finding.n < SMALL_N else ()
    return replace(finding, flags=(*finding.flags, *small, *flags))


def _groups(
    records: pa.Table, names: tuple[str, ...]
) -> Iterable[tuple[dict[str, str], list[dict[str, Any]]]]:
    """Return scored answers by these columns and the condition, in order of appearance."""
    labels = (*names, *CONDITION)
    more = ("agent", "item", "story", "overload_source", "polarity", "letter", "cause", "outcome")
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in records.select(list(dict.fromkeys((*labels, *more, "value")))).to_pylist():
        if row["outcome"] == "scored":
            groups[tuple(row[name] for name in labels)].append(row)
    return [(dict(zip(labels, key, strict=True)), rows) for key, rows in groups.items()]


def _values(rows: list[dict[str, Any]]) -> list[float]:
    return [row["value"] for row in rows]


def _told(row: Mapping[str, Any]) -> str:
    """Name a story, with the source of its distracting text if there is any."""
    source = row["overload_source"]
    return str(row["story"]) if source == "none" else f"{row['story']} ({source})"


def _adjusted(found: list[Difference], family: tuple[str, ...]) -> list[Difference]:
    """Correct p-values over the tests that share these labels."""
    families: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, difference in enumerate(found):
        families[tuple(difference.labels[name] for name in family)].append(place)
    adjusted = list(found)
    for places in families.values():
        for place, finding in zip(places, adjust([found[p].finding for p in places]), strict=True):
            adjusted[place] = replace(found[place], finding=finding)
    return adjusted
