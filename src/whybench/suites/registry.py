"""Finds suites, ours and other packages', and remembers which items are being asked.

Suites are found through the entry-point group `whybench.suites`. The shelf maps the ids of items
to the items of the tasks built in this process: a reference agent learns from a message only the
id of what it is asked, and takes the item from the shelf. A task that is resumed in a new process
is built anew there, so its items are on the shelf again before the first call.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from whybench.suites.contract import Item, Suite, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["GROUP", "AnySuite", "put_on_shelf", "suite", "suite_names", "take_from_shelf"]

GROUP = "whybench.suites"

AnySuite = Suite[Any, Any]

_SHELF: dict[str, Item] = {}


def suite_names() -> tuple[str, ...]:
    """Return the names of all installed suites, without importing them."""
    return tuple(sorted({entry.name for entry in entry_points(group=GROUP)}))


@cache
def suite(name: str) -> AnySuite:
    """Return the installed suite of this name."""
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in found:
        raise UserError(f"there is no suite {name!r}; installed are {', '.join(sorted(found))}")
    loaded = found[name].load()
    if not isinstance(loaded, Suite):
        raise UserError(
            f"the entry point {name!r} of {GROUP} must name a whybench Suite, "
            f"got {type(loaded).__name__} from {found[name].value}"
        )
    return loaded


def put_on_shelf(items: Iterable[Item]) -> None:
    """Remember items by id, so that reference agents in this process can find them."""
    _SHELF.update((item.id, item) for item in items)


def take_from_shelf(item_id: str) -> Item | None:
    """Return the item of this id, or None if no task of this process asks it."""
    return _SHELF.get(item_id)
