"""The table of calculate's measures: errors of numbers, and questions without an answer.

Errors are in percentage points. Which of two is greater is wrong or not, and a coin is wrong in
half. An answer is correct within half a point, the precision of printed numbers. A missing answer,
and "cannot be determined" where there is an answer, count as the error of the baseline agent, which
gives a constant for each query (`CONSTANTS`). Intervals are clustered by world.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, clustered_score, clustered_slope, mean_of_means, ratio_of_sums
from whybench.stats.left_out import Ratio, share_ratio
from whybench.suites.calculate.generation import TOLERANCE
from whybench.suites.calculate.mistakes import MISTAKES
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.groups import group_records
from whybench.suites.measures import (
    By,
    balanced,
    both,
    compare_declared,
    custom,
    equals,
    measure_groups,
    reached,
    scored,
    share,
)
from whybench.suites.zeros import read_zeros

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Difference, Measure, Part
    from whybench.suites.groups import Group

    Numbers = NDArray[np.float64]

CONDITION = ("form", "style", "wording")

WORDS = (
    "outcome", "reason", "form", "gap", "rung", "query", "mechanism", "variant", "variables",
)  # fmt: skip
NUMBERS = ("value", "truth", *MISTAKES)

CONSTANTS: Mapping[str, float] = {
    "observe": 50.0, "do": 50.0, "ate": 0.0, "ett": 0.0, "nde": 0.0, "nie": 0.0,
    "counterfactual": 50.0, "pn": 42.0, "ps": 47.0, "pns": 27.0,
}  # fmt: skip
"""The answers of an agent that doesn't reason: the medians of the ground truth.

Questions ask as often that something holds as that it does not, which makes 50 and 0 the medians
of probabilities and effects. Those of `pn`, `ps` and `pns`, whose effect is always asked as
present, are of 5,000 items or more each, of the numbers of variables of `standard`."""

COIN = 0.5

ZEROS = read_zeros(__package__)
"""The value of the best attack on each design."""


def calculate_measures(records: pa.Table) -> list[Measure]:
    """Return the measures of records, the primary measure first."""
    return [*measure_groups(calculate_groups(records), MEASURES)]


def calculate_pairs(records: pa.Table) -> Iterator[Difference]:
    """Yield the differences between two sides, on questions that neither lost."""
    return compare_declared(records, calculate_groups, MEASURES)


def calculate_groups(records: pa.Table) -> list[Group]:
    """Return the groups of calculate records, in order of appearance."""
    return group_records(records, CONDITION, WORDS, NUMBERS, lambda _: ("world", ("case",)))


has_no_answer = equals("truth", NOT_COMPUTABLE)
says_no_answer = equals("value", NOT_COMPUTABLE)


def has_answer(group: Group) -> NDArray[np.bool_]:
    """Return whether a question has an answer."""
    return ~has_no_answer(group)


def _errors(group: Group) -> Numbers:
    """Return the errors of answers: points, or wrong or not; NaN where there is none."""
    value = np.where(says_no_answer(group), np.nan, group["value"])
    away = np.abs(value - group["truth"])
    return np.asarray(np.where(group["form"] == "number", away, np.minimum(away, 1)))


def _blind_errors(group: Group) -> Numbers:
    """Return the errors of the baseline agent."""
    guess = np.array([CONSTANTS[query] for query in group["query"].tolist()])
    away = np.abs(guess - group["truth"])
    return np.asarray(np.where(group["form"] == "number", away, COIN))


def _is_near(group: Group) -> NDArray[np.bool_]:
    return np.asarray(_errors(group) <= TOLERANCE)


def _judges_answerability(group: Group) -> NDArray[np.bool_]:
    """Return whether an answer is right about whether there is one; a missing answer isn't."""
    right = says_no_answer(group) == has_no_answer(group)
    return np.asarray(right & ~np.isnan(group["value"]))


def _gaps(group: Group) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which questions have no answer, and which look like them and have one."""
    none, idle = has_no_answer(group), group["gap"] == "idle"
    return none, idle if idle.any() else ~none


def _undefined(group: Group) -> Estimate:
    units = np.unique(group.units).size
    return Estimate(None, None, None, group.units.size, units, "score t, clustered", ("undefined",))


def _number_part(group: Group) -> Part | None:
    """Return the errors of numbers over those of the baseline; None without numbers."""
    known = has_answer(group)
    blind = np.where(known, _blind_errors(group), 0.0)
    if not blind.sum():
        return None
    errors = _errors(group)
    return ratio_of_sums(np.where(known & ~np.isnan(errors), errors, blind), blind)


def _gap_parts(group: Group) -> list[Part]:
    """Return the misses of "cannot be determined", and the false alarms, each a mean of shares."""
    said = says_no_answer(group)
    return [
        mean_of_means(lost, np.where(rows, group["query"], ""), group.units)
        for lost, rows in zip((~said, said), _gaps(group), strict=True)
    ]


def _number_skill(group: Group) -> Estimate:
    number = _number_part(group)
    if number is None:
        return _undefined(group)
    return clustered_score([(1.0, number)], group.units, "1 - ratio of sums")


def _skill_score(group: Group) -> Estimate:
    return ZEROS.scale(_number_skill(group), group.labels)


def _answerability_skill(group: Group) -> Estimate:
    none, alike = _gaps(group)
    if not none.any() or not alike.any():
        return _undefined(group)
    compared = group.where(none | alike)
    parts = [(1.0, part) for part in _gap_parts(compared)]
    return clustered_score(parts, compared.units, "difference of mean shares")


def _number_ratios(group: Group) -> list[Ratio]:
    blind = np.where(has_answer(group), _blind_errors(group), 0.0)
    errors = _errors(group)
    gained = np.where(has_answer(group) & ~np.isnan(errors), blind - errors, 0.0)
    return [Ratio(1.0, gained, blind)]


def _skill_ratios(group: Group) -> list[Ratio]:
    return ZEROS.scale_ratios(_number_ratios(group), group.labels)


def _gap_ratios(group: Group) -> list[Ratio]:
    """Return the shares of "cannot be determined" for each query, right ones and wrong ones."""
    none, alike = _gaps(group)
    if not none.any() or not alike.any():
        return []
    return [
        share_ratio(says_no_answer(group), rows & (group["query"] == name), sign / len(names))
        for rows, sign in ((none, 1), (alike, -1))
        for names in (np.unique(group["query"][rows]).tolist(),)
        for name in names
    ]


def _is_number(group: Group) -> NDArray[np.bool_]:
    """Choose the numbers given to questions that have an answer."""
    given = scored(group) & has_answer(group) & ~says_no_answer(group)
    return np.asarray(given & (group["form"] == "number"))


def _can_be_error(name: str, group: Group) -> NDArray[np.bool_]:
    """Choose the wrong answers where this error has a value other than the ground truth."""
    made = group[name]
    wrong = scored(group) & has_answer(group) & ~says_no_answer(group) & ~_is_near(group)
    apart = np.abs(made - group["truth"]) > TOLERANCE
    return np.asarray(wrong & (made != NOT_COMPUTABLE) & apart)


def _is_error(name: str, group: Group) -> NDArray[np.bool_]:
    return np.asarray(np.abs(group["value"] - group[name]) <= TOLERANCE)


ALL_LEVELS = (By("rung", int), By("query"), By("mechanism"), By("variant"), By("variables", int))
SKILL = {
    "direction": "higher",
    "range": (-np.inf, 1.0),
    "baseline": 0.0,
    "exact": 1.0,
    "compared": "reached",
}
SHARE_OF_RIGHT = {"direction": "higher", "exact": 1.0, "compared": "reached"}

MEASURES = (
    custom(
        "number_skill",
        "number skill",
        "One minus the sum of errors divided by that of the best constant for each query.",
        _number_skill,
        both(reached, has_answer),
        ratios=_number_ratios,
        levels=ALL_LEVELS,
        **SKILL,
    ),
    custom(
        "skill_score",
        "skill score (baseline: best attack)",
        "The skill score of numbers, scaled so that 0 is the best attack and 1 is exact.",
        _skill_score,
        both(reached, has_answer),
        ratios=_skill_ratios,
        **SKILL,
    ),
    share(
        "accuracy",
        "accuracy",
        "The share of questions with an answer that are answered correctly, within half a point.",
        both(reached, has_answer),
        _is_near,
        levels=ALL_LEVELS,
        **SHARE_OF_RIGHT,
    ),
    custom(
        "answerability_skill",
        "answerability skill",
        'The share of "cannot be determined" among questions without an answer, minus its share '
        "among questions that look like them and have one.",
        _answerability_skill,
        reached,
        ratios=_gap_ratios,
        when=lambda group: bool(has_no_answer(group).any()),
        **{**SKILL, "range": (-1.0, 1.0)},
    ),
    balanced(
        "answerability",
        "answerability",
        "The balanced accuracy of separating questions that have an answer from those without one.",
        reached,
        _judges_answerability,
        has_no_answer,
        baseline=0.5,
        **SHARE_OF_RIGHT,
    ),
    custom(
        "slope",
        "slope of answers",
        "The least-squares slope of the numbers on the ground truth, below 1 for an agent that "
        "avoids extreme numbers.",
        lambda numbers: clustered_slope(numbers["value"], numbers["truth"], numbers.units),
        _is_number,
        when=lambda group: bool(_is_number(group).any()),
        baseline=0.0,
        exact=1.0,
    ),
    *(
        share(
            f"error_{name}",
            f"error: {label}",
            f"The share of wrong answers that equal {meaning}, where this differs from the ground "
            "truth.",
            partial(_can_be_error, name),
            partial(_is_error, name),
            family="error_…",
            direction="lower",
        )
        for name, label, meaning in (
            (
                "conditioning",
                "conditions instead of intervening",
                "the result of conditioning instead of intervening",
            ),
            (
                "intervening",
                "intervenes instead of conditioning",
                "the result of intervening instead of conditioning",
            ),
            (
                "no_abduction",
                "skips abduction",
                "the result of ignoring the evidence about the case",
            ),
            ("base_rate", "base rate", "the effect's share of all cases"),
            ("total_effect", "total effect", "the average effect instead of the part in question"),
        )
    ),
    share(
        "answered",
        "answered",
        "The share of questions with an answer that can be read.",
        reached,
        scored,
        **SHARE_OF_RIGHT,
    ),
)
