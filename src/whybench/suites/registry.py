"""Finds suites, ours and other packages', and remembers which items are being asked.

Suites are found through the entry-point group `whybench.suites`. The registry of items maps ids to
the items of the tasks built in this process: a reference agent learns from a message only the id of
what it is asked, and finds the item by it. A task that is resumed in a new process is built again
there, so its items are registered again before the first call.
"""

from __future__ import annotations

import logging
from functools import cache, partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.suites.abilities import check_budget
from whybench.suites.contract import Item, Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.metadata import EntryPoint

    import pyarrow as pa

GROUP = "whybench.suites"
BASELINES = "whybench.baselines"

TEACHING_ORDER = ("judge", "intervene", "compose", "trace", "derive", "calculate", "analyze")
"""The order in which suites are listed and reported; suites of other packages follow."""

AnySuite = Suite[Any, Any]

logger = logging.getLogger(__name__)

_ITEMS: dict[str, Item] = {}


def suite_names() -> tuple[str, ...]:
    """Return the names of all installed suites in teaching order, without importing them."""
    return sort_suites(entry.name for entry in entry_points(group=GROUP))


def sort_suites(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of suites, each once, in teaching order: ours, then others alphabetically.

    >>> sort_suites(["analyze", "lamp", "judge"])
    ('judge', 'analyze', 'lamp')
    """
    chosen = set(names)
    own = [name for name in TEACHING_ORDER if name in chosen]
    return (*own, *sorted(chosen.difference(own)))


def own_suites() -> tuple[str, ...]:
    """Return the names of installed suites that ask cases of their own, as profiles do."""
    return tuple(
        name for name in suite_names() if name in TEACHING_ORDER or not get_suite(name).cases_of
    )


def profiled_suites(budget: str) -> tuple[str, ...]:
    """Return the names of the suites that a profile of a budget asks, if none is named."""
    check_budget(budget)
    return tuple(name for name in own_suites() if budget in get_suite(name).costs.profiled)


def list_baselines(suite: AnySuite) -> dict[str, Callable[[], pa.Table]]:
    """Return the baselines of a suite by name: its own, then those of other packages.

    An entry point `SUITE.NAME` of the group `whybench.baselines` names a function that returns
    records of the suite.
    """
    added = {
        name: partial(_load_records, entry)
        for entry in entry_points(group=BASELINES)
        for owner, _, name in (entry.name.partition("."),)
        if owner == suite.name
    }
    return {**suite.baselines, **added}


def _load_records(entry: EntryPoint) -> pa.Table:
    """Call the function that an entry point names."""
    records: pa.Table = entry.load()()
    return records


def list_suites() -> dict[str, AnySuite]:
    """Return all installed suites by name; one that cannot be loaded is named and left out."""
    suites = {}
    for name in suite_names():
        try:
            suites[name] = get_suite(name)
        except UserError as error:
            logger.warning("Note: left out %s: %s", name, error)
    return suites


@cache
def get_suite(name: str) -> AnySuite:
    """Return the installed suite of this name."""
    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in entries:
        raise UserError(
            f"there is no suite {name!r}; installed are {', '.join(sort_suites(entries))}"
            f"{suggest(name, entries)}"
        )
    try:
        suite = entries[name].load()
    except Exception as error:
        # A package of somebody else's may fail by any error while it is imported.
        raise UserError(
            f"the suite {name!r} must be one that can be imported, got {type(error).__name__} from "
            f"{entries[name].value}: {error}; fix or uninstall its package"
        ) from error
    if not isinstance(suite, Suite):
        raise UserError(
            f"the entry point {name!r} of {GROUP} must name a whybench Suite, "
            f"got {type(suite).__name__} from {entries[name].value}"
        )
    return suite


def register_items(items: Iterable[Item]) -> None:
    """Remember items by id, so that reference agents in this process can find them."""
    _ITEMS.update((item.id, item) for item in items)


def find_item(item_id: str) -> Item | None:
    """Return the item of this id, or None if no task of this process asks it."""
    return _ITEMS.get(item_id)
