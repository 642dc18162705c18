"""Who is asked what, and in which order.

Items that share a lesson make a *list*, cut into several where there are more than one participant
can be asked. Participant number k (from 0) gets the list k modulo the number of lists, and goes
through it in the order that is next for that list. Over a whole *cycle* of participants every item
of a list is therefore at every position equally often, and follows every other one equally often:
exactly, whatever chance does.

The orders are a Williams square. For even n there are n of them, for odd n twice as many: the
second half is the first one read backwards. The first order zigzags 0, 1, n-1, 2, n-2, ...; its
neighbours differ by 1, 2, ..., n-1 modulo n, each once, and adding a constant modulo n gives the
others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, lcm
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.seeds import digest
from whybench.suites.registry import get_suite, suite_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.suites.contract import Item
    from whybench.suites.questionnaire import Questionnaire
    from whybench.suites.registry import AnySuite


def williams_square(size: int) -> list[list[int]]:
    """Return the orders of a Williams square of the numbers 0, ..., size - 1."""
    first = [(k + 1) // 2 if k % 2 else -k // 2 % size for k in range(size)]
    orders = [[(entry + step) % size for entry in first] for step in range(size)]
    return orders + [order[::-1] for order in orders] if size % 2 and size > 1 else orders


@dataclass(frozen=True)
class StudyPlan:
    """A suite, a design of it, and the lists that its items make.

    Attributes:
        suite: The suite.
        settings: The design, as `Suite.make_design` takes it.
        design_hash: The design's digest.
        lists: The items of each list.
        pictures: Whether what the words say is drawn too.
    """

    suite: AnySuite
    settings: Mapping[str, Any]
    design_hash: str
    lists: tuple[tuple[Item, ...], ...]
    pictures: bool = False

    @property
    def questionnaire(self) -> Questionnaire:
        """How the items are asked."""
        assert self.suite.study is not None
        return self.suite.study

    @cached_property
    def orders(self) -> dict[int, list[list[int]]]:
        """The orders of a list, by its length."""
        return {
            size: williams_square(size) for size in sorted({len(entry) for entry in self.lists})
        }

    @property
    def cycle(self) -> int:
        """The number of participants after which everything is balanced."""
        return len(self.lists) * lcm(*(len(orders) for orders in self.orders.values()))

    @cached_property
    def id(self) -> str:
        """A digest of what people see: suite, version, design, lists, settings, pictures."""
        ids = [[item.digest for item in entry] for entry in self.lists]
        keys = (self.suite.name, self.suite.version, self.design_hash, dict(self.settings), ids)
        return digest("study", *keys, self.pictures).hex()[:16]

    def list_items(self, number: int) -> list[Item]:
        """Return the items of a participant in their order; numbers are counted from 0."""
        entry = self.lists[number % len(self.lists)]
        orders = self.orders[len(entry)]
        return [entry[index] for index in orders[number // len(self.lists) % len(orders)]]


def make_plan(
    suite_name: str,
    settings: Mapping[str, Any],
    max_items: int | None = None,
    lists: int | None = None,
    pictures: bool = True,
) -> StudyPlan:
    """Plan a study.

    Args:
        suite_name: The suite.
        settings: The design, as `Suite.make_design` takes it.
        max_items: How many items one participant is asked at most; the suite's own number if None.
        lists: The number of lists, evenly chosen from all; all if None.
        pictures: Whether what the words say is drawn too, in a suite that has something to draw.
    """
    suite = get_suite(suite_name)
    if suite.study is None:
        able = ", ".join(name for name in suite_names() if get_suite(name).study)
        raise UserError(
            f"SUITE must be one that people can be asked in a browser ({able}), got {suite_name}"
        )
    design = suite.make_design(settings)
    groups: dict[object, list[Item]] = {}
    for item in suite.items(design):
        groups.setdefault(suite.study.group_key(item), []).append(item)
    size = max_items or suite.study.max_items
    parts = [part for group in groups.values() for part in _split(group, size)]
    if lists is not None:
        if lists > len(parts):
            raise UserError(
                f"`lists` must be at most {len(parts)}, the number of lists there are, got {lists}"
            )
        parts = [parts[k * len(parts) // lists] for k in range(lists)]
    drawn = pictures and suite.study.pictures
    return StudyPlan(suite, dict(settings), design.hash, tuple(parts), drawn)


def _split(group: Sequence[Item], size: int) -> Iterable[tuple[Item, ...]]:
    """Cut a group into as few parts as possible, of lengths as equal as possible."""
    count = ceil(len(group) / size)
    for part in range(count):
        yield tuple(group[part * len(group) // count : (part + 1) * len(group) // count])
