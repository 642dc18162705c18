"""Measures of answers in numbers: how near are they?

Numbers are on the scale from 0 to 100, and intervals are clustered by world. The skill score is
relative to the best agent that doesn't compose. Such an agent gives the best constant, or the
least, the mean, the first or the last of the printed numbers. The best one has the least error on
the questions that were asked, for the whole and for a part separately.

A typical mistake takes the least of the printed numbers, their mean, their sum (for the whole) or
their product (for a part). Its share leaves out questions on which it would be correct or above
100.

Skill score and accuracy are also given at each `setting`: forward, where the whole is asked, and
reverse.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats import clustered_ratio, clustered_slope
from whybench.suites.compose.groups import CONDITION
from whybench.suites.compose.number_questions import ALL_CASES, NUMBER, TOLERANCE, make_numbers
from whybench.suites.compose.units import parse_world
from whybench.suites.groups import group_records
from whybench.suites.measures import By, custom, reached, scored, share

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Estimate
    from whybench.suites.groups import Group
    from whybench.suites.measures import Rows

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


def is_near(group: Group) -> NDArray[np.bool_]:
    """Return whether the number is within half a case of the truth."""
    return np.asarray(np.abs(group["value"] - group["truth"]) <= TOLERANCE)


def _slope_on_truth(given: Group) -> Estimate:
    return clustered_slope(given["value"], given["truth"], given.units)


def _apply_mistake(group: Group, name: str) -> Numbers:
    return _apply(MISTAKES[name][1], group.once(_printed_numbers))


def _could_show(name: str) -> Rows:
    """Return a function that chooses the answers in which a mistake would show."""

    def rows(group: Group) -> NDArray[np.bool_]:
        made, direction = group.once(_apply_mistake, name), MISTAKES[name][0]
        shows = (np.abs(made - group["truth"]) > TOLERANCE) & (made <= ALL_CASES)
        here = group["setting"] == direction if direction else True
        return np.asarray(scored(group) & shows & here)

    return rows


def _shows(name: str) -> Rows:
    def hits(group: Group) -> NDArray[np.bool_]:
        made = _apply_mistake(group, name)
        return np.asarray(~is_near(group) & (np.abs(group["value"] - made) <= TOLERANCE))

    return hits


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


def _skill(reached: Group) -> Estimate:
    """Estimate 1 less the ratio of errors to those of the best agent that doesn't compose."""
    blind = _blind_errors(reached)
    silent = np.isnan(reached["value"])
    errors = np.where(silent, blind, np.abs(reached["value"] - reached["truth"]))
    found = clustered_ratio(errors, blind, reached.units)
    ends = (found.estimate, found.high, found.low)
    value, low, high = (None if end is None else 1 - end for end in ends)
    return replace(found, estimate=value, low=low, high=high, method=f"1 - {found.method}")


BY_SETTING = (By("setting"),)
BETTER: dict[str, Any] = {"direction": "higher", "exact": 1.0}

NUMBER_MEASURES = (
    custom(
        "number_skill",
        "skill score of numbers (baseline: the best agent that doesn't compose)",
        "One minus the mean error, as a share of the error of the best agent that doesn't compose "
        "the printed numbers; no answer has the error of this agent.",
        _skill,
        reached,
        range=(-np.inf, 1.0),
        baseline=0.0,
        levels=BY_SETTING,
        compared="reached",
        **BETTER,
    ),
    share(
        "number_accuracy",
        "accuracy of numbers",
        "The share of answers within half a case of the truth.",
        reached,
        is_near,
        levels=BY_SETTING,
        compared="reached",
        **BETTER,
    ),
    custom(
        "number_slope",
        "slope of numbers",
        "The slope of answers on the truth.",
        _slope_on_truth,
        scored,
        exact=1.0,
    ),
    *(
        share(
            f"mistake_{name}",
            f"mistake: {label}",
            f"The share of answers that are the {label} of the printed numbers, where this is "
            "wrong and possible.",
            _could_show(name),
            _shows(name),
            family="mistake_…",
            direction="lower",
            exact=0.0,
        )
        for name, label in (
            ("least", "least"),
            ("mean", "mean"),
            ("sum", "sum"),
            ("multiplied", "product"),
        )
    ),
    share(
        "answered",
        "answered",
        "The share of questions with an answer.",
        reached,
        scored,
        compared="reached",
        **BETTER,
    ),
)
"""The measures of answers in numbers."""
