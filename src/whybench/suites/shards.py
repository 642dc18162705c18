"""Shards and samples: one design, divided over several runs, and a run into samples.

A sample asks one item, or as many as one wishes, or those that belong together by the suite's word,
such as all questions about one case. Shards do not overlap and leave nothing out. They take nothing
apart that belongs together.

Items come in an order that cycles through the levels of every factor, so each third item may be
of the same story. Shards are therefore dealt out in the order of a digest of the ids: fixed
forever, equally large, and unrelated to any factor.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from whybench.seeds import digest
from whybench.suites.contract import Item, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["WHOLE", "in_samples", "take_shard"]

WHOLE = "1/1"

ItemT = TypeVar("ItemT", bound=Item)


def in_samples(
    items: Sequence[ItemT],
    group: int | None = None,
    together: Callable[[ItemT], object] | None = None,
) -> list[list[ItemT]]:
    """Return the items of each sample.

    Args:
        items: All items, in order.
        group: How many items a sample asks; None for those that belong together.
        together: What neighbours that belong together have in common; None if no two do.
    """
    if group is None and together is not None:
        return [list(members) for _, members in groupby(items, key=together)]
    if group is not None and (not isinstance(group, int) or group < 1):
        raise UserError(f"group must be a whole number from 1, got {group!r}")
    size = group or 1
    return [list(items[start : start + size]) for start in range(0, len(items), size)]


def take_shard(
    items: Sequence[ItemT], shard: str, together: Callable[[ItemT], object] | None = None
) -> list[ItemT]:
    """Return shard `i/n` of the items, in their order.

    Args:
        items: All items, in order.
        shard: Which part, of how many.
        together: What neighbours have in common that are not to be parted.
    """
    match = re.fullmatch(r"(\d+)/(\d+)", str(shard))
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise UserError(f"shard must be i/n with i from 1 to n, such as 2/7, got {shard!r}")
    if count == 1:
        return list(items)
    parts = in_samples(items, together=together)
    dealt = sorted(range(len(parts)), key=lambda place: digest("shard", parts[place][0].id))
    return [item for place in sorted(dealt[index - 1 :: count]) for item in parts[place]]
