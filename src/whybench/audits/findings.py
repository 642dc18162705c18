"""What an audit finds out about one item of somebody else's benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["VERDICTS", "Finding", "Verdict"]

Verdict = Literal["right", "wrong", "undetermined", "trivial"]

VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "undetermined", "trivial")


@dataclass(frozen=True)
class Finding:
    """The verdict on one item.

    Attributes:
        file: The file that holds the item, relative to the benchmark's folder.
        item: What the benchmark calls it.
        query: The kind of question.
        key: The answer that the benchmark holds to be right, as it prints it.
        recomputed: The answer that follows from what the item prints, or the range of it.
        verdict: right; wrong; undetermined, where what is printed allows several answers; trivial,
            where the key is right and can be had without the reasoning that the item asks for.
        reason: Why, in a few words that are the same for all items alike.
    """

    file: str
    item: str
    query: str
    key: str
    recomputed: str
    verdict: Verdict
    reason: str
