"""Which answers the item browser shows: failures first, and a sample of the rest.

Of each agent in each suite at most so many answers are shown. Failures are replies without an
answer, errors, and answers that are not right where there is a right and a wrong. If there are more
than three quarters of the places, a sample of them is taken, so that the others are seen too. The
sample goes by a seeded order of the items, the same for all agents, so that agents can be seen on
the same items, and prompts are stored once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.seeds import digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["MOST_SHOWN", "kind_of", "selected"]

MOST_SHOWN = 200
"""So many answers of an agent in a suite are shown, at most."""

FAILURES = {"wrong", "partly", "no_answer", "error"}


def kind_of(row: Mapping[str, Any], marked: bool) -> str:
    """Return what became of an answer.

    Args:
        row: A record.
        marked: Whether answers of its suite are right or wrong, or in between.

    Returns:
        `no_answer` or `error`; where answers are marked, `right`, `partly` or `wrong`; else
        `scored`.
    """
    if row["outcome"] != "scored" or not marked:
        return str(row["outcome"])
    if row["value"] == row["truth"]:
        return "right"
    return "partly" if 0 < row["value"] < 1 else "wrong"


def selected(rows: Sequence[Mapping[str, Any]], most: int, seed: int) -> list[Mapping[str, Any]]:
    """Return at most so many of an agent's rows, each with its `kind`: failures, then others."""
    ranked = sorted(rows, key=lambda row: digest("shown", seed, row["item"], row["epoch"]))
    failures = [row for row in ranked if row["kind"] in FAILURES]
    others = [row for row in ranked if row["kind"] not in FAILURES]
    places = max(most - len(others), most * 3 // 4)
    return [*failures[:places], *others[: most - min(len(failures), places)]]
