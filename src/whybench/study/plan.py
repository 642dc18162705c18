"""Who is asked what, and in which order.

Items that share a lesson make a *list*, cut into several where there are more than one participant
can be asked. Participant number k (from 0) gets the list k modulo the number of lists, and goes
through it in the order that is next for that list. Over a whole *cycle* of participants every item
of a list is therefore at every place equally often, and follows every other one equally often:
exactly, whatever chance does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, lcm
from typing import TYPE_CHECKING, Any

from whybench.seeds import digest
from whybench.study.orders import williams
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite, suite_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.suites.contract import Item
    from whybench.suites.questionnaire import Questionnaire
    from whybench.suites.registry import AnySuite

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True)
class Plan:
    """A suite, a design of it, and the lists that its items make.

    Attributes:
        asked: The suite.
        settings: The design, as `Suite.make_design` takes it.
        design_hash: The design's digest.
        lists: The items of each list.
    """

    asked: AnySuite
    settings: Mapping[str, Any]
    design_hash: str
    lists: tuple[tuple[Item, ...], ...]

    @property
    def questionnaire(self) -> Questionnaire:
        """How the items are asked."""
        assert self.asked.study is not None
        return self.asked.study

    @cached_property
    def orders(self) -> dict[int, list[list[int]]]:
        """The orders of a list, by its length."""
        return {size: williams(size) for size in sorted({len(entry) for entry in self.lists})}

    @property
    def cycle(self) -> int:
        """The number of participants after which everything is balanced."""
        return len(self.lists) * lcm(*(len(orders) for orders in self.orders.values()))

    @cached_property
    def id(self) -> str:
        """A digest of what decides the questions: suite, version, design, lists and settings."""
        ids = [[item.id for item in entry] for entry in self.lists]
        keys = (self.asked.name, self.asked.version, self.design_hash, dict(self.settings), ids)
        return digest("study", *keys).hex()[:16]

    def items_of(self, number: int) -> list[Item]:
        """Return the items of a participant in their order; numbers are counted from 0."""
        entry = self.lists[number % len(self.lists)]
        orders = self.orders[len(entry)]
        return [entry[place] for place in orders[number // len(self.lists) % len(orders)]]


def make_plan(
    suite_name: str,
    settings: Mapping[str, Any],
    most: int | None = None,
    lists: int | None = None,
) -> Plan:
    """Plan a study.

    Args:
        suite_name: The suite.
        settings: The design, as `Suite.make_design` takes it.
        most: How many items one participant is asked at most; the suite's own number if None.
        lists: So many lists, evenly chosen from all; all if None.
    """
    asked = get_suite(suite_name)
    if asked.study is None:
        able = ", ".join(name for name in suite_names() if get_suite(name).study)
        raise UserError(
            f"SUITE must be one that people can be asked in a browser ({able}), got {suite_name}"
        )
    design = asked.make_design(settings)
    groups: dict[object, list[Item]] = {}
    for item in asked.items(design):
        groups.setdefault(asked.study.together(item), []).append(item)
    largest = most or asked.study.most
    made = [part for group in groups.values() for part in _parts(group, largest)]
    if lists is not None:
        if lists > len(made):
            raise UserError(
                f"`lists` must be at most {len(made)}, the number of lists there are, got {lists}"
            )
        made = [made[place * len(made) // lists] for place in range(lists)]
    return Plan(asked, dict(settings), design.hash, tuple(made))


def _parts(group: Sequence[Item], most: int) -> Iterable[tuple[Item, ...]]:
    """Cut a group into as few parts as can be, of lengths as equal as can be."""
    count = ceil(len(group) / most)
    for part in range(count):
        yield tuple(group[part * len(group) // count : (part + 1) * len(group) // count])
