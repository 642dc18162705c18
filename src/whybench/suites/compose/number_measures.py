"""Records to measures where numbers are asked: how near are they?

Of all answers that no technical error prevented, on the scale from 0 to 100, with intervals
clustered by world:

- `number_skill`: 1 - the mean error over that of the best agent that does not compose. Of those
  that give the best constant, or the least, the mean, the first or the last of the printed numbers,
  that is the one with the least error on the very questions that were asked, for the whole and for
  a part apart. What was not answered has the error of this agent.
- `number_accuracy`: the share within half a case of the truth, which is how parts are printed.
- `answered`.

Of the numbers given:

- `number_slope`: the least-squares slope of answers on truths; 1 for an exact agent.
- `mistake_least`, `mistake_mean`, `mistake_sum`, `mistake_multiplied`: the share that is not right
  and is what a typical mistake makes of the numbers: the least of them, their mean, their sum (if
  the whole is asked), their product (if a part is). Questions on which that would be right, or
  above 100, are left out.

The first two are also given at each `setting`: forward, where the whole is asked, and reverse.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import clustered_ratio, clustered_share, clustered_slope
from whybench.suites.compose.groups import CONDITION
from whybench.suites.compose.number_questions import ALL_CASES, NUMBER, TOLERANCE, make_numbers
from whybench.suites.compose.units import parse_world
from whybench.suites.groups import group_records
from whybench.suites.pairs import answered_share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Estimate, Measure
    from whybench.suites.groups import Group

    Numbers = NDArray[np.float64]

WORDS = ("outcome", "reason", "setting", "world")
NUMBERS = ("value", "truth", "draw", "cause", "effect")
WORLD = ("kinds", "gates", "draw")

BLIND: Mapping[str, Callable[[Sequence[float]], float]] = {
    "least": min,
    "mean": fmean,
    "first": lambda printed: printed[0],
    "last": lambda printed: printed[-1],
}
"""What agents that do not compose make of the printed numbers, beside the best constant."""

MISTAKES: Mapping[str, tuple[str, Callable[[Sequence[float]], float]]] = {
    "least": ("", min),
    "mean": ("", fmean),
    "sum": ("forward", sum),
    "multiplied": ("reverse", lambda x: ALL_CASES * prod(each / ALL_CASES for each in x)),
}
"""Typical mistakes: the direction in which each is made, if it is made in one, and its value."""


def number_groups(records: pa.Table) -> list[Group]:
    """Return the groups of answers in numbers, in order of appearance."""
    import pyarrow.compute as pc  # noqa: PLC0415  (kept out of the start-up path)

    chosen = records.filter(pc.equal(records["rung"], NUMBER))
    if not chosen.num_rows:
        return []
    return group_records(chosen, CONDITION, WORDS, NUMBERS, lambda _: ("world", WORLD))


def measure_numbers(group: Group) -> Iterator[Measure]:
    """Yield the measures of a group, the skill first."""
    levels = np.unique(group["setting"]).tolist()
    for name, estimate in NUMBER_ESTIMATORS.items():
        yield group.measure(name, estimate(group))
        for level in levels if len(levels) > 1 else ():
            at_level = group.where(group["setting"] == level, setting=level)
            yield at_level.measure(name, estimate(at_level))
    given = group.where(group["outcome"] == "scored")
    slope = clustered_slope(given["value"], given["truth"], given.units)
    yield given.measure("number_slope", slope)
    yield from _mistakes(given)
    yield group.measure("answered", answered_share(group))


def _mistakes(given: Group) -> Iterator[Measure]:
    printed = _printed_numbers(given)
    wrong = np.abs(given["value"] - given["truth"]) > TOLERANCE
    for name, (direction, make) in MISTAKES.items():
        made = _apply(make, printed)
        told = (np.abs(made - given["truth"]) > TOLERANCE) & (made <= ALL_CASES)
        if direction:
            told &= given["setting"] == direction
        hits = wrong & (np.abs(given["value"] - made) <= TOLERANCE)
        share = clustered_share(hits[told], given.units[told])
        yield given.measure(f"mistake_{name}", share)


def _printed_numbers(group: Group) -> list[tuple[float, ...]]:
    """Return the numbers that each question printed, in their order."""
    columns = (group[name].tolist() for name in ("world", "draw", "cause", "effect", "setting"))
    return [
        tuple(map(float, make_numbers(parse_world(world), *map(int, place), setting).printed))
        for world, *place, setting in zip(*columns, strict=True)
    ]


def _apply(make: Callable[[Sequence[float]], float], printed: Sequence[Sequence[float]]) -> Numbers:
    return np.array([make(numbers) for numbers in printed], dtype=float)


def _blind_errors(group: Group) -> Numbers:
    """Return the errors of the best agent that does not compose, for each direction apart."""
    errors = np.zeros(group.units.size)
    for direction in np.unique(group["setting"]).tolist():
        chosen = group["setting"] == direction
        here = group.where(chosen)
        truth, printed = here["truth"], _printed_numbers(here)
        guesses = [np.full(truth.size, np.median(truth))]
        guesses += [_apply(make, printed) for make in BLIND.values()]
        errors[chosen] = min((np.abs(guess - truth) for guess in guesses), key=np.mean)
    return errors


def _skill(group: Group) -> Estimate:
    reached = group.where(group["outcome"] != "error")
    blind = _blind_errors(reached)
    silent = np.isnan(reached["value"])
    errors = np.where(silent, blind, np.abs(reached["value"] - reached["truth"]))
    found = clustered_ratio(errors, blind, reached.units)
    ends = (found.estimate, found.high, found.low)
    value, low, high = (None if end is None else 1 - end for end in ends)
    return replace(found, estimate=value, low=low, high=high, method=f"1 - {found.method}")


def _accuracy(group: Group) -> Estimate:
    reached = group.where(group["outcome"] != "error")
    near = np.abs(reached["value"] - reached["truth"]) <= TOLERANCE
    return clustered_share(near, reached.units)


NUMBER_ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    "number_skill": _skill,
    "number_accuracy": _accuracy,
}
"""The main measures."""
