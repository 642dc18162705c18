"""What a conversation is about, from its messages: the item, and the episode so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.registry import take_from_shelf

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

    from whybench.suites.contract import Episode, Item
    from whybench.suites.registry import AnySuite

__all__ = ["episode_so_far", "item_asked"]


def item_asked(messages: list[ChatMessage]) -> tuple[str, Item | None]:
    """Return the id of the item that was last named, and the item if this process asks it."""
    named = (str((message.metadata or {}).get("item", "")) for message in reversed(messages))
    item_id = next(filter(None, named), "")
    return item_id, take_from_shelf(item_id)


def episode_so_far(suite: AnySuite, item: Item, messages: list[ChatMessage]) -> tuple[Episode, int]:
    """Return the episode after all replies so far, and how many there were."""
    episode = suite.open(item.factors)
    said = [message.text for message in messages if message.role == "assistant"]
    for reply in said:
        episode.hear(reply, truncated=False)
    return episode, len(said)
