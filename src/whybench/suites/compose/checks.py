"""Checks of compose beyond those that every suite has."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.compose.number_items import NumberItem
from whybench.suites.compose.number_prompts import parse_number_prompt
from whybench.suites.compose.number_questions import ALL_CASES
from whybench.suites.compose.prompt_parser import ComposePromptError, parse_prompt
from whybench.suites.compose.themes import THEME_NAMES
from whybench.suites.compose.units import round_size
from whybench.suites.contract import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from whybench.suites.compose.items import ComposeItem

ROUNDING = 1e-9


def is_bundled_theme(item: ComposeItem | NumberItem) -> bool:
    """Whether the item is rendered in a bundled theme, which a prompt gives away by itself."""
    return item.question.theme.name in THEME_NAMES


def check_parsing_with_theme(items: Sequence[ComposeItem | NumberItem]) -> Iterator[str]:
    """Read prompts knowing the theme, as must be for users' own."""
    for item in items:
        parse = parse_number_prompt if isinstance(item, NumberItem) else parse_prompt
        try:
            read: object = parse(item.prompt, item.question.theme)
        except ComposePromptError as error:
            yield f"{item.id}: {error}"
            continue
        if read != item.world:
            yield f"{item.id}: the prompt says {read}, the item {item.world}"


def check_both_answers_occur(items: Sequence[ComposeItem]) -> Iterator[str]:
    """See that both answers are right now and then in both rungs of every world.

    Then the balanced accuracy of a constant answer is one half. Two rounds of units are sure to
    have both.
    """
    truths: dict[tuple[str, bool], set[float]] = defaultdict(set)
    for item in items:
        truths[_world_label(item), item.question.intervention is None].add(item.truth)
    for (world, factual), values in truths.items():
        if len(values) < 2:
            rung = "factual" if factual else "interventional"
            yield f"{world}: all {rung} questions have the answer {values.pop():g}"


def check_weights(items: Sequence[ComposeItem]) -> Iterator[str]:
    """See that the weights of whole rounds of units have the mean 1."""
    for world, members in _group_by_world(items).items():
        weights = {item.unit: (item.weight, item.factual_weight) for item in members}
        for name, column in zip(
            ("weight", "factual_weight"), zip(*weights.values(), strict=True), strict=True
        ):
            if abs(fmean(column) - 1) > ROUNDING:
                yield f"{world}: {name} has the mean {fmean(column)}"


def check_numbers(items: Sequence[NumberItem]) -> Iterator[str]:
    """See that no number can be taken for a share of 1, and that none is beyond its whole."""
    for item in items:
        for number in (*map(float, item.question.numbers.printed), item.truth):
            if not 1 < number < ALL_CASES:
                yield f"{item.id}: a number must be between 1 and {ALL_CASES}, got {number}"


def _with_numbers(items: Sequence[ComposeItem | NumberItem]) -> list[NumberItem]:
    return [item for item in items if isinstance(item, NumberItem)]


def _two_rounds(items: Sequence[ComposeItem]) -> list[ComposeItem]:
    """Return the items of worlds with two rounds of units or more."""
    return _select_worlds(items, lambda rounds: rounds >= 2)


def _even_rounds(items: Sequence[ComposeItem]) -> list[ComposeItem]:
    """Return the items of worlds whose units are whole rounds, and an even number of them."""
    return _select_worlds(items, lambda rounds: rounds % 2 == 0)


def _select_worlds(
    items: Sequence[ComposeItem], is_chosen: Callable[[Fraction], bool]
) -> list[ComposeItem]:
    return [
        item
        for members in _group_by_world(items).values()
        if is_chosen(
            Fraction(len({item.unit for item in members}), round_size(members[0].question.world))
        )
        for item in members
    ]


def _group_by_world(items: Sequence[ComposeItem | NumberItem]) -> dict[str, list[ComposeItem]]:
    groups: dict[str, list[ComposeItem]] = defaultdict(list)
    for item in items:
        if not isinstance(item, NumberItem):  # these are about no unit
            groups[_world_label(item)].append(item)
    return groups


def _world_label(item: ComposeItem) -> str:
    return f"{item.kinds}/{item.gates}/{item.draw}"


CHECKS: Mapping[str, Check[Any]] = {
    "prompt and theme, also one's own, give back the world": Check(check_parsing_with_theme),
    "a constant answer has half of balanced accuracy": Check(check_both_answers_occur, _two_rounds),
    "whole rounds of units stand for the population": Check(check_weights, _even_rounds),
    "numbers lie where they can be told": Check(check_numbers, _with_numbers),
}
"""The checks by name."""
