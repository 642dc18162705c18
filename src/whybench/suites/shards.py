"""Shards: one design, divided over several runs without overlap or gap.

Items come in an order that cycles through the levels of every factor, so each third item may be
of the same story. Shards are therefore dealt out in the order of a digest of the ids: fixed
forever, equally large, and unrelated to any factor.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from whybench.seeds import digest
from whybench.suites.contract import Item, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["WHOLE", "take_shard"]

WHOLE = "1/1"

ItemT = TypeVar("ItemT", bound=Item)


def take_shard(items: Sequence[ItemT], shard: str) -> list[ItemT]:
    """Return shard `i/n` of the items, in their order."""
    match = re.fullmatch(r"(\d+)/(\d+)", str(shard))
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise UserError(f"shard must be i/n with i from 1 to n, such as 2/7, got {shard!r}")
    if count == 1:
        return list(items)
    dealt = sorted(range(len(items)), key=lambda place: digest("shard", items[place].id))
    return [items[place] for place in sorted(dealt[index - 1 :: count])]
