"""Conversations about items: the answer of all replies, and a hash of how a suite reads them.

`whybench.replies` reads a single reply. The way a suite reads its golden replies goes, with the ids
of its items, into the content hash.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.suites.contract import Answer, Item
    from whybench.suites.registry import AnySuite

REASK = "Your reply could not be read."
"""The message to an agent whose reply is asked for once more."""

HASHED_ITEMS = 60
"""The number of leading items that the golden replies are tried on: enough to see each style."""


def content_hash(suite: AnySuite, items: Sequence[Item]) -> str:
    """Return a digest of the items and of how the suite parses its golden replies to them."""
    from whybench.seeds import digest  # noqa: PLC0415  (needs NumPy)

    kinds = {digest(dict(item.factors)): item.factors for item in items[:HASHED_ITEMS]}
    verdicts = [
        [
            (answer.value, answer.reason)
            for reply in suite.golden_replies
            for answer in [parse_replies(suite, factors, repeat((reply, False)))]
        ]
        for factors in kinds.values()
    ]
    return digest([item.digest for item in items], verdicts).hex()[:16]


def parse_conversation(
    suite: AnySuite, factors: Mapping[str, Any], replies: Sequence[tuple[str, bool]]
) -> Answer:
    """Return the answer of a whole conversation about an item.

    Without an episode the last reply is the answer; what came before was work on it.

    Args:
        suite: The suite.
        factors: The item's factors.
        replies: Each reply, and whether the token limit cut it off.
    """
    return parse_replies(suite, factors, replies if suite.multi_turn else replies[-1:])


def parse_replies(
    suite: AnySuite, factors: Mapping[str, Any], replies: Iterable[tuple[str, bool]]
) -> Answer:
    """Return the answer of replies to an item, all heard in turn; see `parse_conversation`."""
    episode = suite.open_episode(factors)
    for text, truncated in replies:
        if episode.over:
            break
        episode.hear(text, truncated)
    return episode.answer
