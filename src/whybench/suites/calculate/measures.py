"""Records to measures: how near are the numbers, and is it known which there are?

Of all questions that have an answer, and that no technical error prevented, with intervals
clustered by world:

- `number_skill`: 1 - the sum of errors over that of the agent that does not reason, which says a
  constant for each query (`CONSTANTS`). Errors are in points. Which of two is greater is wrong or
  not, and a coin is wrong in half. What was not answered, or said to have no answer, has the error
  of the agent that does not reason.
- `accuracy`: the share that is right: within half a point, which is how numbers are printed.

Of all questions:

- `gap_skill`: how much more often "cannot be computed" is said of questions that have no answer
  than of questions that look like them and have one: a number is not told, and does not matter.
  Both are means over queries of the share in each. Where nothing of the kind was asked, all
  questions that have an answer stand in. Who does not answer has not said it.
- `skill`: the mean of the two; `number_skill` alone where every question has an answer.
- `computability`: the balanced accuracy of telling what has an answer from what has none. Who does
  not answer is wrong.
- `answered`.

Of the numbers given to questions that have an answer:

- `slope`: the least-squares slope of answers on truths; 1 for an exact agent.
- `mistake_seeing`, `mistake_doing`, …: of the wrong answers to questions with room for a mistake
  (`mistakes`), the share that is what the mistake comes to.

`skill` is also given at each `rung`, `query`, `mechanism` and number of `variables`;
`number_skill` and `accuracy` at these and at each `variant`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import (
    Estimate,
    balanced_accuracy,
    clustered_score,
    clustered_share,
    clustered_slope,
    mean_of_means,
    ratio_of_sums,
)
from whybench.stats.left_out import Ratio, balanced_ratios, share_ratio
from whybench.suites.calculate.generation import TOLERANCE
from whybench.suites.calculate.mistakes import MISTAKES
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.groups import group_records
from whybench.suites.pairs import (
    RatioEstimator,
    answered_share,
    compare_groups,
    filter_reached_by_both,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Measure, Part
    from whybench.suites.groups import Group
    from whybench.suites.pairs import Pair

    Numbers = NDArray[np.float64]

CONDITION = ("form", "style")

LEVELS = ("rung", "query", "mechanism", "variant", "variables")
LEVELS_OF = {
    "skill": tuple(name for name in LEVELS if name != "variant"),
    "number_skill": LEVELS,
    "accuracy": LEVELS,
}
"""At the levels of which factors measures are given too. A variant alone does not hold both
questions that have an answer and questions like them that have none."""
WHOLE = frozenset({"rung", "variables"})
"""Levels that are whole numbers."""

WORDS = ("outcome", "reason", "form", "gap", *LEVELS)
NUMBERS = ("value", "truth", *MISTAKES)

CONSTANTS: Mapping[str, float] = {
    "observe": 50.0, "do": 50.0, "ate": 0.0, "ett": 0.0, "nde": 0.0, "nie": 0.0,
    "counterfactual": 50.0, "pn": 42.0, "ps": 47.0, "pns": 27.0,
}  # fmt: skip
"""What the agent that does not reason says: the medians of truths, once and for all.

Questions ask as often that something holds as that it does not, which makes 50 and 0 the medians
of probabilities and effects. Those of `pn`, `ps` and `pns`, whose effect is always asked as
present, are of 5,000 items or more each, of the numbers of variables of `standard`."""

COIN = 0.5


def calculate_measures(records: pa.Table) -> list[Measure]:
    """Return the measures of records, the headline first."""
    return [measure for group in _groups(records) for measure in _measure(group)]


def calculate_estimates(records: pa.Table) -> dict[str, Estimate]:
    """Return the main measures of records of one agent under one condition, overall."""
    (group,) = _groups(records)
    return {name: estimate(group) for name, estimate in ESTIMATORS.items()}


def calculate_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides, on questions that neither lost."""
    yield from compare_groups(_groups(filter_reached_by_both(records)), ESTIMATORS)


def _groups(records: pa.Table) -> list[Group]:
    return group_records(records, CONDITION, WORDS, NUMBERS, lambda _: ("world", ("pairing_key",)))


def _measure(group: Group) -> Iterator[Measure]:
    for name, factors in LEVELS_OF.items():
        yield group.measure(name, ESTIMATORS[name](group))
        for factor in factors:
            levels = np.unique(group[factor]).tolist()
            for level in levels if len(levels) > 1 else ():
                value = int(level) if factor in WHOLE else level
                at_level = group.where(group[factor] == level, **{factor: value})
                yield at_level.measure(name, ESTIMATORS[name](at_level))
    if (group["truth"] == NOT_COMPUTABLE).any():
        yield group.measure("gap_skill", _gap_skill(group))
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
    """Return the errors of the agent that does not reason."""
    guess = np.array([CONSTANTS[query] for query in group["query"].tolist()])
    away = np.abs(guess - group["truth"])
    errors: Numbers = np.where(group["form"] == "number", away, COIN)
    return errors


def _reached(group: Group) -> Group:
    return group.where(group["outcome"] != "error")


def _skill(group: Group) -> Estimate:
    reached = _reached(group)
    number = _number_part(reached)
    if number is None:
        return _undefined(reached)
    if not (reached["truth"] == NOT_COMPUTABLE).any():
        return _number_skill(reached)
    parts = [(0.5, part) for part in (number, *_gap_parts(reached))]
    return clustered_score(parts, reached.units, "mean of number_skill and gap_skill")


def _number_skill(group: Group) -> Estimate:
    reached = _reached(_has_answer(group))
    number = _number_part(reached)
    if number is None:
        return _undefined(reached)
    return clustered_score([(1.0, number)], reached.units, "1 - ratio of sums")


def _gap_skill(group: Group) -> Estimate:
    reached = _reached(group)
    none, alike = _gaps(reached)
    if not none.any() or not alike.any():
        return _undefined(reached)
    looked_at = reached.where(none | alike)
    parts = [(1.0, part) for part in _gap_parts(looked_at)]
    return clustered_score(parts, looked_at.units, "difference of mean shares")


def _undefined(group: Group) -> Estimate:
    units = np.unique(group.units).size
    return Estimate(None, None, None, group.units.size, units, "score t, clustered", ("undefined",))


def _number_part(reached: Group) -> Part | None:
    """Return the errors of numbers over those of the agent that does not reason; None without."""
    known = reached["truth"] != NOT_COMPUTABLE
    blind = np.where(known, _blind_errors(reached), 0.0)
    if not blind.sum():
        return None
    errors = _errors(reached)
    return ratio_of_sums(np.where(known & ~np.isnan(errors), errors, blind), blind)


def _gap_parts(reached: Group) -> list[Part]:
    """Return how often it is not said that there is no answer, and how often it is said wrongly."""
    said = reached["value"] == NOT_COMPUTABLE
    return [
        mean_of_means(lost, np.where(rows, reached["query"], ""), reached.units)
        for lost, rows in zip((~said, said), _gaps(reached), strict=True)
    ]


def _gaps(group: Group) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which questions have no answer, and which look like them and have one."""
    none, idle = group["truth"] == NOT_COMPUTABLE, group["gap"] == "idle"
    return none, idle if idle.any() else ~none


def _accuracy(group: Group) -> Estimate:
    reached = _reached(_has_answer(group))
    return clustered_share(_errors(reached) <= TOLERANCE, reached.units)


def _computability(group: Group) -> Estimate:
    reached = _reached(group)
    said = _says_none(reached)
    return balanced_accuracy(said, reached["truth"] == NOT_COMPUTABLE, reached.units)


def _says_none(group: Group) -> NDArray[np.bool_]:
    """Return whether it is said that there is no answer; wrongly where nothing is said."""
    none = group["truth"] == NOT_COMPUTABLE
    says = np.where(np.isnan(group["value"]), ~none, group["value"] == NOT_COMPUTABLE)
    return np.asarray(says, dtype=bool)


def _mistakes(given: Group) -> Iterator[Measure]:
    """Yield the share of each mistake among wrong answers to questions that have room for it."""
    wrong = _errors(given) > TOLERANCE
    for name in MISTAKES:
        made = given[name]
        room = wrong & (made != NOT_COMPUTABLE) & (np.abs(made - given["truth"]) > TOLERANCE)
        hits = np.abs(given["value"] - made) <= TOLERANCE
        share = clustered_share(hits[room], given.units[room])
        yield given.measure(f"mistake_{name}", share)


def _number_ratio(group: Group, weight: float = 1.0) -> Ratio:
    counted = (group["outcome"] != "error") & (group["truth"] != NOT_COMPUTABLE)
    blind = np.where(counted, _blind_errors(group), 0.0)
    errors = _errors(group)
    return Ratio(weight, np.where(counted & ~np.isnan(errors), blind - errors, 0.0), blind)


def _gap_ratios(group: Group, weight: float = 1.0) -> Iterator[Ratio]:
    """Yield for each query how often it is said that there is no answer, rightly and wrongly."""
    reached, query = group["outcome"] != "error", group["query"]
    said, none = group["value"] == NOT_COMPUTABLE, reached & (group["truth"] == NOT_COMPUTABLE)
    idle = reached & (group["gap"] == "idle")
    alike = idle if idle.any() else reached & ~none
    if none.any() and alike.any():
        for rows, sign in ((none, weight), (alike, -weight)):
            names = np.unique(query[rows]).tolist()
            for name in names:
                yield share_ratio(said, rows & (query == name), sign / len(names))


def _skill_ratios(group: Group) -> list[Ratio]:
    gaps = list(_gap_ratios(group, 0.5))
    return [_number_ratio(group, 0.5 if gaps else 1.0), *gaps]


def _accuracy_ratio(group: Group) -> list[Ratio]:
    counted = (group["outcome"] != "error") & (group["truth"] != NOT_COMPUTABLE)
    return [share_ratio(_errors(group) <= TOLERANCE, counted)]


def _computability_ratios(group: Group) -> Iterator[Ratio]:
    none = group["truth"] == NOT_COMPUTABLE
    return balanced_ratios(_says_none(group) == none, none, group["outcome"] != "error")


ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    "skill": RatioEstimator(_skill, _skill_ratios),
    "number_skill": RatioEstimator(_number_skill, lambda group: [_number_ratio(group)]),
    "gap_skill": RatioEstimator(_gap_skill, _gap_ratios),
    "accuracy": RatioEstimator(_accuracy, _accuracy_ratio),
    "computability": RatioEstimator(_computability, _computability_ratios),
    "answered": answered_share,
}
"""The main measures."""
