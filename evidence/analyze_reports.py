"""Whether every defensible report scores in full, and a wrong claim of identification does not.

All numbers and claims of a defensible report are right. Of a claim without a number (`direction`,
`structure`), the ways differ in its confidence and in the graph of the equivalence class.
"""

from __future__ import annotations

from math import ceil, floor, log10
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.analysts import analyst_answer, report_fields, true_answer
from whybench.suites.analyze.challenges.contract import (
    CategoricalTruth,
    NumericTruth,
    UnidentifiedTruth,
)
from whybench.suites.analyze.grading import grade_values
from whybench.suites.analyze.items import item_at
from whybench.suites.analyze.reports import (
    DECREASE,
    INCREASE,
    INTERVAL,
    NO_CLEAR_EFFECT,
    NOT_IDENTIFIABLE,
    RECOMMENDATION,
    find_number,
    recommend,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from evidence.figures import Parts
    from whybench.suites.analyze.challenges.contract import Instance

    Report = Mapping[str, Any]

ITEMS, FEW_ITEMS = 60, 12
LEAST, MOST = 0.98, 0.3
WIDER, DIGITS, LESS_SURE = 1.3, 2, 0.05


def _number(instance: Instance) -> NumericTruth:
    return instance.number(find_number(report_fields(instance)))


def _is_identified(instance: Instance) -> bool:
    name = find_number(report_fields(instance))
    return bool(name) and isinstance(instance.truths[name], NumericTruth)


def _report(instance: Instance, value: float, interval: tuple[float, float]) -> Report:
    name = find_number(report_fields(instance))
    return {RECOMMENDATION: recommend(*interval), name: value, INTERVAL: interval}


def _by_reference(instance: Instance) -> Report:
    """Report the first reference estimator; the recommendation follows from its interval."""
    if not _is_identified(instance):
        return true_answer(instance)
    found = next(iter(_number(instance).panel.values()))
    return _report(instance, found.value, found.interval)


def _by_sign(instance: Instance) -> Report:
    """Recommend by the sign of the estimate where the key accepts this."""
    report = _by_reference(instance)
    if not _is_identified(instance):
        return {**report, INTERVAL: None} if INTERVAL in report else report
    sign = INCREASE if report[find_number(report_fields(instance))] > 0 else DECREASE
    key = instance.truths[RECOMMENDATION]
    accepted = isinstance(key, CategoricalTruth) and key.accepts(sign)
    return {**report, RECOMMENDATION: sign} if accepted else report


def _by_other_estimator(instance: Instance) -> Report:
    """Report the competent analyst, whose estimators are not the scorer's, or a right claim."""
    if find_number(report_fields(instance)):
        return analyst_answer("competent", instance)
    claim = report_fields(instance)[0].name
    truth = instance.truths[claim]
    also = truth.also if isinstance(truth, CategoricalTruth) else ()
    return {**true_answer(instance), **({claim: also[-1]} if also else {})}


def _with_wider_interval(instance: Instance) -> Report:
    """Report a conservative interval, or a little less confidence in a claim."""
    report = _by_other_estimator(instance)
    if not _is_identified(instance):
        sure = report.get("confidence")
        return report if sure is None else {**report, "confidence": sure - LESS_SURE}
    low, high = report[INTERVAL]
    more = (WIDER - 1) * (high - low) / 2
    value = report[find_number(report_fields(instance))]
    return _report(instance, value, (low - more, high + more))


def _rounded(instance: Instance) -> Report:
    """Round the number and both ends of its interval, these outward."""
    report = _by_other_estimator(instance)
    if not _is_identified(instance):
        return report
    low, high = report[INTERVAL]
    unit = 10.0 ** (floor(log10(high - low)) + 1 - DIGITS)
    value = unit * round(report[find_number(report_fields(instance))] / unit)
    return _report(instance, value, (unit * floor(low / unit), unit * ceil(high / unit)))


DEFENSIBLE: Mapping[str, Callable[[Instance], Report]] = {
    "reference estimator": _by_reference,
    "recommendation by sign": _by_sign,
    "other estimator": _by_other_estimator,
    "wider interval": _with_wider_interval,
    "rounded": _rounded,
}


def _refuse(instance: Instance) -> Report:
    name = find_number(report_fields(instance))
    return {RECOMMENDATION: NOT_IDENTIFIABLE, name: None, INTERVAL: None}


def _call_not_identifiable(instance: Instance) -> Report:
    return {**_by_reference(instance), RECOMMENDATION: NOT_IDENTIFIABLE}


def _claim(advice: str) -> Callable[[Instance], Report]:
    return lambda instance: {**_refuse(instance), RECOMMENDATION: advice}


def _estimate(instance: Instance) -> Report:
    return analyst_answer("naive", instance)


REFUSALS = {"null": _refuse, "number called not identifiable": _call_not_identifiable}
CLAIMS = {"estimate": _estimate, **{word: _claim(word) for word in (INCREASE, NO_CLEAR_EFFECT)}}


def _scores(instances: Sequence[Instance], way: Callable[[Instance], Report]) -> list[float]:
    return [grade_values(report_fields(x), x, way(x)).score for x in instances]


def _draw(name: str, count: int = 0) -> list[Instance]:
    """Return the instances of a design, or `count` evenly spaced ones."""
    design = SUITE.designs[name]
    chosen = range(design.size) if not count else [k * design.size // count for k in range(count)]
    return [item_at(design, index).instance for index in chosen]


def defended(small: bool) -> Iterator[Figure]:
    """Yield the scores of defensible reports, of refusals and of claims."""
    designs = {"core": FEW_ITEMS if small else ITEMS, "direct": FEW_ITEMS if small else 0}
    for name, count in designs.items():
        instances = _draw(name, count)
        means = {title: fmean(_scores(instances, way)) for title, way in DEFENSIBLE.items()}
        yield Figure(
            f"{name}: {len(DEFENSIBLE)} defensible ways of answering {len(instances)} items each "
            f"score {LEAST} or more on average",
            ", ".join(f"{title} {mean:.3f}" for title, mean in means.items()),
            min(means.values()) >= LEAST,
        )
        identified = [instance for instance in instances if _is_identified(instance)]
        yield _at_most(name, "refusals where the effect is identified", identified, REFUSALS)
    everything = [*_draw("core"), *_draw("hard", FEW_ITEMS if small else 0)]
    unidentified = [
        instance
        for instance in everything
        if any(isinstance(truth, UnidentifiedTruth) for truth in instance.truths.values())
    ]
    yield _at_most("core and hard", "claims where it is not", unidentified, CLAIMS)


def _at_most(
    where: str,
    what: str,
    instances: Sequence[Instance],
    ways: Mapping[str, Callable[[Instance], Report]],
) -> Figure:
    highest = {title: max(_scores(instances, way)) for title, way in ways.items()}
    return Figure(
        f"{where}: {what} score {MOST} or less on each of {len(instances)} items",
        ", ".join(f"{title} {score:.2f}" for title, score in highest.items()),
        max(highest.values()) <= MOST,
    )


PARTS: Parts = {"defended-reports": defended}
