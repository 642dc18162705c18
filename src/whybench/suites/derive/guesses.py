"""The best guesses of agents that miss some of the numbers of the first factor.

All percentages of the confounder, the cause and c1 that have the margins of `drawing` are equally
likely. So those that agree with the numbers that an agent reads are too, and one answer is right
for most of them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whybench.suites.derive.drawing import PERCENTAGES, SHARES, is_confounded, is_strong
from whybench.suites.derive.world import TOLERANCE, Start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from whybench.suites.derive.world import Whole

    Keep = Callable[[Start], Any]

ON_WITHOUT, OFF_WITHOUT, ON_WITH, OFF_WITH = range(4)
"""The places of the percentages of c1: x is on or off, without the confounder and with it."""


class Guess(NamedTuple):
    """An answer, and the share of the possible values for which it is right."""

    answer: float
    share: float


def find_best(values: Iterable[float]) -> Guess:
    """Return the best answer if these values are equally likely."""
    known = np.array(list(values), dtype=float)
    best = Guess(0.0, 0.0)
    for sign in (1, -1):
        # An answer is right for values from its (1 + tolerance)th to its (1 - tolerance)th part.
        lows = np.sort(sign * known[sign * known > 0])
        if not lows.size:
            continue
        highs = lows * (1 + TOLERANCE) / (1 - TOLERANCE)
        numbers = np.searchsorted(lows, highs * (1 + 1e-12), side="right") - np.arange(lows.size)
        place = int(numbers.argmax())
        low, high = lows[place], lows[place + numbers[place] - 1]
        answer = sign * ((1 - TOLERANCE) * high + (1 + TOLERANCE) * low) / 2
        best = max(best, Guess(float(answer), numbers[place] / known.size), key=lambda one: one[1])
    return best


def find_firsts(start: Start, keep: Keep | None = None) -> NDArray[np.float64]:
    """Return the first factors of those of some starts that have the margins, as shares.

    Args:
        start: Percentages, some of which are arrays.
        keep: Returns for which of the starts this holds as well.
    """
    kept = is_strong(start)
    if start.selection:
        kept &= is_confounded(start)
    if keep:
        kept &= keep(start)
    firsts: NDArray[np.float64] = np.broadcast_to(start.first, kept.shape)[kept] / 10_000
    return firsts


def vary_percentages(start: Start, *places: int) -> Start:
    """Return the starts with all values of the percentages of c1 at these places."""
    numbers: list[Whole] = [*start.strata[0], *start.strata[1]]
    values = np.meshgrid(*[np.array(PERCENTAGES)] * len(places))
    for place, value in zip(places, values, strict=True):
        numbers[place] = value.ravel()
    one, two, three, four = numbers
    return start._replace(strata=((one, two), (three, four)))


def miss_confounder(start: Start) -> NDArray[np.float64]:
    """Miss the rule of the confounder."""
    return find_firsts(start._replace(share=np.array(SHARES)))


def miss_size_of_confounder(start: Start) -> NDArray[np.float64]:
    """Miss the rule of the confounder, except for whether it is on mostly or rarely."""
    side = start.share > 50
    return find_firsts(start._replace(share=np.array(SHARES)), lambda one: (one.share > 50) == side)


def miss_state(start: Start, *, rarer: bool) -> NDArray[np.float64]:
    """Miss the rule of c1 in the rarer or in the commoner state of the confounder."""
    return find_firsts(vary_percentages(start, *_places_of(start, rarer=rarer)))


def _places_of(start: Start, *, rarer: bool) -> tuple[int, int]:
    without = (start.share > 50) == rarer
    return (ON_WITHOUT, OFF_WITHOUT) if without else (ON_WITH, OFF_WITH)


def miss_smaller(start: Start) -> NDArray[np.float64]:
    """Miss the smaller one of D0 and D1, and know that it is."""
    off, on = map(abs, start.differences)
    if off > on:
        places = (ON_WITH, OFF_WITH)
        return find_firsts(
            vary_percentages(start, *places), lambda one: abs(one.differences[1]) <= off
        )
    places = (ON_WITHOUT, OFF_WITHOUT)
    return find_firsts(vary_percentages(start, *places), lambda one: abs(one.differences[0]) <= on)


def miss_cause_off(start: Start) -> NDArray[np.float64]:
    """Miss the rule of c1 where x is off."""
    return find_firsts(vary_percentages(start, OFF_WITHOUT, OFF_WITH))


def miss_percentage(start: Start) -> NDArray[np.float64]:
    """Miss one percentage of c1, that of the rarer state of the confounder with x off."""
    return find_firsts(vary_percentages(start, _places_of(start, rarer=True)[1]))


MISSED: dict[str, tuple[str, Callable[[Start], NDArray[np.float64]]]] = {
    "confounder": ("the rule of the confounder", miss_confounder),
    "size-of-confounder": (
        "the rule of the confounder except for its likelier state",
        miss_size_of_confounder,
    ),
    "rarer-state": (
        "the first rule in the rarer state of the confounder",
        partial(miss_state, rarer=True),
    ),
    "commoner-state": (
        "the first rule in the commoner state of the confounder",
        partial(miss_state, rarer=False),
    ),
    "smaller-difference": ("the smaller one of the two differences of c1", miss_smaller),
    "cause-off": ("the first rule where the cause is off", miss_cause_off),
    "percentage": ("one of the four percentages of the first rule", miss_percentage),
}
"""The numbers of the first factor that an agent may miss: in words, and the values that remain."""
