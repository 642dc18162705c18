"""Our reader against the published recipe, on every raw reply of some thirty models.

The source of the `judge` suite published its models' raw replies and how it read them. The recipe
is written here a second time, without a line of our reader, and both read the same replies.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from whybench.suites.judge.replies import parse_reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REPLIES = "causAIign/data/output_llm"
STYLES = {"_cot_": "cot", "numeric-conf": "confidence", "numeric": "direct"}

KINDS = {
    "error in the explanation": (
        "The recipe drops every reply with the word 'error', to be rid of failed calls; here an "
        "explanation speaks of errors, and the tagged answer after it is whole."
    ),
    "no response around the tags": (
        "The likelihood is tagged, but <response> is not opened or not closed."
    ),
    "answer after prose": (
        "More than 50 characters, which the recipe drops, of reasoning that ends in the answer: a "
        "number in a paragraph of its own, or 'the answer is' and a number."
    ),
    "unexplained": "None of the above. There must be none of these.",
}
"""Where the two readers part, and why."""


class Row(NamedTuple):
    """One line of the comparison: how many replies, of which kind, and what that means."""

    what: str
    number: int
    why: str


def published_replies(mirror: Path, every: int = 1) -> list[Row]:
    """Compare our reader with the recipe on the published replies.

    Args:
        mirror: The folder that holds causAIign/.
        every: Take the first reply of each file and every n-th after it; 1 takes them all.

    Returns:
        Totals first, then one row for each kind of disagreement that occurs. `differ` counts
        replies of which the recipe reads a number and we read none or another one; `ours only`
        those of which only we read a number.
    """
    count = Counter(dict.fromkeys(("files", "replies", "recipe reads", "agree"), 0))
    parted: Counter[tuple[str, str]] = Counter()
    for path in sorted((mirror / REPLIES).rglob("*.csv")):
        count["files"] += 1
        for reply in islice(_replies(path), 0, None, every):
            count["replies"] += 1
            theirs = recipe(reply)
            ours = parse_reply(reply, _style(path.name)).value
            count["recipe reads"] += theirs is not None
            if theirs is not None and theirs == ours:
                count["agree"] += 1
            elif theirs is not None:
                parted["differ", _kind(reply)] += 1
            elif ours is not None:
                parted["ours only", _kind(reply)] += 1
            else:
                count["neither reads"] += 1
    rows = [Row(what, number, "") for what, number in count.items()]
    for group in ("differ", "ours only"):
        kinds = [(kind, number) for (where, kind), number in parted.items() if where == group]
        rows.append(Row(group, sum(number for _, number in kinds), ""))
        rows.extend(Row(f"{group}: {kind}", number, KINDS[kind]) for kind, number in sorted(kinds))
    return rows


def recipe(reply: str) -> float | None:
    """Read a reply as the source did.

    Its three steps: (1) the likelihood in a reply with <response>…</response>; (2) else, of at
    most 50 characters, the first integer from 0 to 100 that stands alone; (3) else nothing. A
    reply with the word "error" is dropped in any case.
    """
    if "error" in reply.lower():
        return None
    response = re.search(r"<response>(.*)</response>", reply, re.DOTALL)
    tagged = response and re.search(r"<likelihood>\s*([\d.]+)\s*</likelihood>", response[1])
    if tagged:
        return float(tagged[1])
    alone = re.search(r"\b(100|[1-9]?[0-9])\b", reply) if len(reply.strip()) <= 50 else None
    return float(alone[1]) if alone else None


def _kind(reply: str) -> str:
    """Name the kind of a reply on which the two readers part."""
    tagged = "</likelihood>" in reply
    if tagged and "error" in reply.lower():
        return "error in the explanation"
    if tagged and not ("<response>" in reply and "</response>" in reply):
        return "no response around the tags"
    if not tagged and len(reply.strip()) > 50:
        return "answer after prose"
    return "unexplained"


def _replies(path: Path) -> Iterator[str]:
    """Yield the raw replies in one file."""
    # Some replies repeat themselves up to the models' limit, far beyond what csv takes in a field.
    csv.field_size_limit(10**7)
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines, delimiter=";"):
            yield row["response"]


def _style(name: str) -> str:
    """Tell from a file's name which style of reply it holds."""
    return next(style for mark, style in STYLES.items() if mark in name.lower())
