"""Records to measures: how near are the numbers, and is it known which there are?

Of all questions that have an answer, and that no technical error prevented, with intervals
clustered by world:

- `skill`: 1 - the mean error over that of the best agent that does not reason. That one gives a
  constant for each query: the one of `CONSTANTS`, or the median of the truths where thirty or more
  were asked, whichever errs less. Errors are in points. Which of two is greater is wrong or not,
  and a coin is wrong in half. What was not answered, or said to have no answer, has the error of
  the agent that does not reason.
- `accuracy`: the share that is right: within half a point, which is how numbers are printed.

Of all questions:

- `computability`: the balanced accuracy of telling what has an answer from what has none. Who does
  not answer is wrong.
- `answered`.

Of the numbers given to questions that have an answer:

- `slope`: the least-squares slope of answers on truths; 1 for an exact agent.
- `mistake_seeing`, `mistake_doing`, …: of the wrong answers to questions with room for a mistake
  (`mistakes`), the share that is what the mistake comes to.

`skill` and `accuracy` are also given at each `rung`, `query`, `mechanism`, `variant` and number of
`variables`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import balanced_accuracy, clustered_ratio, clustered_share, clustered_slope
from whybench.suites.calculate.generation import TOLERANCE
from whybench.suites.calculate.mistakes import MISTAKES
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.groups import group_records
from whybench.suites.pairs import answered_share, compare_groups, filter_reached_by_both

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Estimate, Measure
    from whybench.suites.groups import Group
    from whybench.suites.pairs import Pair

    Numbers = NDArray[np.float64]

__all__ = ["CONDITION", "CONSTANTS", "calculate_measures", "calculate_pairs"]

CONDITION = ("form", "style")

LEVELS = ("rung", "query", "mechanism", "variant", "variables")
WHOLE = frozenset({"rung", "variables"})
"""Levels that are whole numbers."""

WORDS = ("outcome", "reason", "form", *LEVELS)
NUMBERS = ("value", "truth", *MISTAKES)

CONSTANTS: Mapping[str, float] = {
    "observe": 50.0, "do": 50.0, "ate": 0.0, "ett": 0.0, "nde": 0.0, "nie": 0.0,
    "counterfactual": 50.0, "pn": 40.0, "ps": 45.0, "pns": 25.0,
}  # fmt: skip
"""What the best agent that does not reason says. The first values are so by the symmetry of
questions, which ask as often that something holds as that it does not."""

ENOUGH = 30
"""Questions of a query from which on the median of their truths may serve as a constant."""

COIN = 0.5


def calculate_measures(records: pa.Table) -> list[Measure]:
    """Return the measures of records, the headline first."""
    return [measure for group in _groups(records) for measure in _measure(group)]


def calculate_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides, on questions that neither lost."""
    yield from compare_groups(_groups(filter_reached_by_both(records)), ESTIMATORS)


def _groups(records: pa.Table) -> list[Group]:
    return group_records(records, CONDITION, WORDS, NUMBERS, lambda _: ("world", ("pairing_key",)))


def _measure(group: Group) -> Iterator[Measure]:
    for name in ("skill", "accuracy"):
        yield group.measure(name, ESTIMATORS[name](group))
        for factor in LEVELS:
            levels = np.unique(group[factor]).tolist()
            for level in levels if len(levels) > 1 else ():
                value = int(level) if factor in WHOLE else level
                at_level = group.where(group[factor] == level, **{factor: value})
                yield at_level.measure(name, ESTIMATORS[name](at_level))
    yield group.measure("computability", _computability(group))
    given = _has_answer(group)
    given = given.where((given["outcome"] == "scored") & (given["value"] != NOT_COMPUTABLE))
    numbers = given.where(given["form"] == "number")
    if numbers.units.size:
        slope = clustered_slope(numbers["value"], numbers["truth"], numbers.units)
        yield given.measure("slope", slope)
    yield from _mistakes(given)
    yield group.measure("answered", answered_share(group))


def _has_answer(group: Group) -> Group:
    return group.where(group["truth"] != NOT_COMPUTABLE)


def _errors(group: Group) -> Numbers:
    """Return the errors of answers: points, or wrong or not; NaN where there is none."""
    value = np.where(group["value"] == NOT_COMPUTABLE, np.nan, group["value"])
    away = np.abs(value - group["truth"])
    errors: Numbers = np.where(group["form"] == "number", away, np.minimum(away, 1))
    return errors


def _blind_errors(group: Group) -> Numbers:
    """Return the errors of the best agent that does not reason."""
    errors = np.full(group.units.size, COIN)
    for query in np.unique(group["query"]).tolist():
        chosen = (group["query"] == query) & (group["form"] == "number")
        truth = group["truth"][chosen]
        guesses = [CONSTANTS[query]]
        if truth.size >= ENOUGH:
            guesses.append(float(np.median(truth)))
        if truth.size:
            errors[chosen] = min((np.abs(guess - truth) for guess in guesses), key=np.mean)
    return errors


def _reached(group: Group) -> Group:
    return group.where(group["outcome"] != "error")


def _skill(group: Group) -> Estimate:
    reached = _reached(_has_answer(group))
    errors, blind = _errors(reached), _blind_errors(reached)
    found = clustered_ratio(np.where(np.isnan(errors), blind, errors), blind, reached.units)
    ends = (found.estimate, found.high, found.low)
    value, low, high = (None if end is None else 1 - end for end in ends)
    return replace(found, estimate=value, low=low, high=high, method=f"1 - {found.method}")


def _accuracy(group: Group) -> Estimate:
    reached = _reached(_has_answer(group))
    return clustered_share(_errors(reached) <= TOLERANCE, reached.units)


def _computability(group: Group) -> Estimate:
    reached = _reached(group)
    none = reached["truth"] == NOT_COMPUTABLE
    said = np.where(np.isnan(reached["value"]), ~none, reached["value"] == NOT_COMPUTABLE)
    return balanced_accuracy(said, none, reached.units)


def _mistakes(given: Group) -> Iterator[Measure]:
    """Yield the share of each mistake among wrong answers to questions that have room for it."""
    wrong = _errors(given) > TOLERANCE
    for name in MISTAKES:
        made = given[name]
        room = wrong & (made != NOT_COMPUTABLE) & (np.abs(made - given["truth"]) > TOLERANCE)
        hits = np.abs(given["value"] - made) <= TOLERANCE
        share = clustered_share(hits[room], given.units[room])
        yield given.measure(f"mistake_{name}", share)


ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    "skill": _skill,
    "accuracy": _accuracy,
    "computability": _computability,
    "answered": answered_share,
}
"""The main measures."""
