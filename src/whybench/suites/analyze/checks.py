"""Checks of analyze beyond those that every suite has."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from whybench.scm.certificate import TOLERANCE
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.fields import Number
from whybench.suites.analyze.grading import number_passes
from whybench.suites.analyze.items import instance_at, instance_of
from whybench.suites.analyze.published.forms import PUBLISHED
from whybench.suites.analyze.wording import table
from whybench.suites.contract import Check, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.items import AnalyzeItem

__all__ = ["CHECKS"]


def every_number_is_derived_twice(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """See that two derivations by other names give the same value of each number."""
    for where, instance in _instances(items):
        for name, truth in instance.numbers().items():
            (first, one), (second, two) = truth.certificate.derivations
            gap = abs(float(one) - float(two))
            if first == second or not gap <= TOLERANCE * max(1.0, abs(float(one))):
                yield f"{where}, {name}: {first} gives {one}, {second} gives {two}"


def traps_are_traps_and_controls_are_none(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """Look for the trap by its own statistical criterion, on all rows."""
    for where, instance in _whole(items):
        if CHALLENGES[instance.challenge].present(instance) != (instance.variant == TRAP):
            yield f"{where}: the trap is {'not ' * (instance.variant == TRAP)}there"


def naive_values_fail_in_traps(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """See that no naive value of a number that the trap bends would pass."""
    for where, instance in _whole(items):
        for entry in CHALLENGES[instance.challenge].fields:
            truth = instance.numbers().get(entry.name)
            if truth is None or not (isinstance(entry, Number) and entry.key):
                continue
            for method, value in truth.naive.items():
                if number_passes(value, truth):
                    yield f"{where}, {entry.name}: the naive value by {method} passes"


def labels_change_names_alone(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """See that rows are the same to the byte, and the number of columns, under all labels."""
    heads: dict[str, dict[str, tuple[int, str]]] = defaultdict(dict)
    for item in items:
        head, _, rows = table(item.instance, item.label).partition("\n")
        heads[_where(item)][item.label] = (head.count(","), rows)
    for where, shown in heads.items():
        if len({*shown.values()}) > 1:
            yield f"{where}: the rows are not the same under {', '.join(shown)}"


def factors_give_back_the_data(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """See that the columns of the records lead to the data set that was asked about."""
    for item in items:
        try:
            instance_of(item.factors)
        except UserError as error:
            yield f"{item.id}: {error}"


def _guaranteed(items: Sequence[AnalyzeItem]) -> list[AnalyzeItem]:
    """Return the items about data sets of our own; of published ones nothing is guaranteed."""
    return [item for item in items if item.variant != PUBLISHED]


def _traps(items: Sequence[AnalyzeItem]) -> list[AnalyzeItem]:
    return [item for item in items if item.variant == TRAP]


def _under_several_labels(items: Sequence[AnalyzeItem]) -> list[AnalyzeItem]:
    """Return the items about data sets that are shown under more than one label."""
    labels = defaultdict(set)
    for item in items:
        labels[_where(item)].add(item.label)
    return [item for item in items if len(labels[_where(item)]) > 1]


def _instances(items: Sequence[AnalyzeItem]) -> Iterator[tuple[str, Instance]]:
    """Yield every data set once, with words for it."""
    for where, item in {_where(item): item for item in items}.items():
        yield where, item.instance


def _whole(items: Sequence[AnalyzeItem]) -> Iterator[tuple[str, Instance]]:
    """Yield every data set once with all of its rows; a sample alone guarantees nothing."""
    for where, item in {_where(item): item for item in items}.items():
        shown = item.instance
        place = item.challenge, item.variant, item.draw
        yield where, instance_at(*place) if shown.whole else shown


def _where(item: AnalyzeItem) -> str:
    return f"{item.challenge}, {item.variant}, draw {item.draw}"


CHECKS: Mapping[str, Check[AnalyzeItem]] = {
    "every number is derived twice": Check(every_number_is_derived_twice),
    "traps are traps and controls are none": Check(
        traps_are_traps_and_controls_are_none, _guaranteed
    ),
    "naive values fail in traps": Check(naive_values_fail_in_traps, _traps),
    "labels change names alone": Check(labels_change_names_alone, _under_several_labels),
    "factors give back the data": Check(factors_give_back_the_data),
}
"""The checks by name."""
