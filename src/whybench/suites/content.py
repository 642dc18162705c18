"""What is asked, as a digest, and what replies come to; needs nothing of Inspect."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

from whybench.seeds import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.suites.contract import Answer, Item
    from whybench.suites.registry import AnySuite

__all__ = ["content_hash", "read_replies", "read_talk"]


def content_hash(asked: AnySuite, items: Sequence[Item]) -> str:
    """Return a digest of what is asked and of how replies to it are read."""
    kinds = {digest(dict(item.factors)): item.factors for item in items[: items_for_probing(items)]}
    verdicts = [
        [(answer.value, answer.reason) for answer in _verdicts(asked, factors)]
        for factors in kinds.values()
    ]
    return digest([item.id for item in items], verdicts).hex()[:16]


def items_for_probing(items: Sequence[Item]) -> int:
    """Return how many leading items the fixed replies are tried on: enough to see each style."""
    return min(len(items), 60)


def _verdicts(asked: AnySuite, factors: Any) -> list[Any]:
    return [read_replies(asked, factors, repeat((reply, False))) for reply in asked.golden_replies]


def read_talk(
    asked: AnySuite, factors: Mapping[str, Any], said: Sequence[tuple[str, bool]]
) -> Answer:
    """Return what a whole talk about an item comes to: all its replies, or the last one.

    Without an episode the last reply is the answer; what came before was work on it.
    """
    return read_replies(asked, factors, said if asked.multi_turn else said[-1:])


def read_replies(
    asked: AnySuite, factors: Mapping[str, Any], replies: Iterable[tuple[str, bool]]
) -> Answer:
    """Return what replies to an item come to; each says whether it was cut off."""
    episode = asked.open_episode(factors)
    for text, truncated in replies:
        if episode.over:
            break
        episode.hear(text, truncated)
    return episode.answer
