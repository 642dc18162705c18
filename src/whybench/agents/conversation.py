"""What a conversation is about, from its messages: the item, and the episode so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspect_ai.solver._task_state import sample_state

from whybench.suites.registry import find_item

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

    from whybench.suites.contract import Episode, Item
    from whybench.suites.registry import AnySuite

__all__ = ["episode_so_far", "item_asked"]


def item_asked(messages: list[ChatMessage]) -> tuple[str, Item | None]:
    """Return the id of the item that is asked, and the item if this process asks it.

    The message that was last said about an item names it, or else the sample does.
    """
    named = (str((message.metadata or {}).get("item", "")) for message in reversed(messages))
    item_id = next(filter(None, named), "")
    state = None if item_id else sample_state()
    if state is not None:
        item_id = str(state.sample_id)
    return item_id, find_item(item_id)


def episode_so_far(suite: AnySuite, item: Item, messages: list[ChatMessage]) -> tuple[Episode, int]:
    """Return the episode after all replies so far, and how many there were."""
    episode = suite.open_episode(item.factors)
    said = [message.text for message in messages if message.role == "assistant"]
    for reply in said:
        episode.hear(reply, truncated=False)
    return episode, len(said)
