"""What the measures of the reference agents really are, and what else calibration must show.

An analyst's value on a design is found from the typed answers themselves, graded one by one and
averaged by hand: without words, replies, records or measures. What the challenges do to analysts
over many draws of their own (`trials`) is set beside it, a line a variant.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.stats import FEW_UNITS
from whybench.suites.analyze.analysts import ANALYSTS, conclude
from whybench.suites.analyze.asked import asked_of
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.design import CONTROL, CONTROLS
from whybench.suites.analyze.fields import Said
from whybench.suites.analyze.generation import analyze_items
from whybench.suites.analyze.grading import Graded, grade, twin_score
from whybench.suites.analyze.published.forms import PUBLISHED
from whybench.suites.analyze.trials import BOUNDS, Bounds, Trials, misses, try_challenge, twin
from whybench.suites.contract import SelfTest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.design import AnalyzeDesign
    from whybench.suites.analyze.items import AnalyzeItem

    Marked = tuple[AnalyzeItem, Graded]

__all__ = ["declining", "examined", "self_tests", "silent"]

MANY = 200
"""Number of draws from which on challenges are held to `BOUNDS` as they are."""

LUCK, SPREAD = 3.0, 0.2
"""With fewer draws shares may miss their bound by so many standard deviations of chance, and the
mean of twin scores, which have about this spread, as well."""


def examined(analyst: str) -> Callable[[Mapping[str, Any], AnalyzeDesign], dict[str, float]]:
    """Know an analyst by grading what it concludes, item by item."""

    def known(_settings: Mapping[str, Any], design: AnalyzeDesign) -> dict[str, float]:
        if PUBLISHED in design.variant and analyst != "competent":
            return {}
        marked = [(item, _graded(analyst, item.instance)) for item in analyze_items(design)]
        traps = [graded for item, graded in marked if item.variant == TRAP]
        controls = [graded for item, graded in marked if item.factors["twin"] == CONTROL]
        scores = [graded for _, graded in marked]
        found = {"reliability": _reliability(marked), "score": _score(scores)}
        if traps:
            found["score_trap"] = _score(traps)
            found["fell_for"] = fmean(graded.fell_for for graded in traps)
        if controls:
            found["score_control"] = _score(controls)
            found["false_alarm"] = fmean(graded.false_alarm for graded in controls)
        if design.twins:
            found["twin_score"] = _twin_score(marked)
        if len(design.label) > 1:
            found["label_flips"] = 0.0
        return {**found, "answered": 1.0}

    return known


def silent(_settings: Mapping[str, Any], design: AnalyzeDesign) -> dict[str, float]:
    """Know an agent that never answers."""
    found = {"reliability": 0.0, "score": 0.0, "answered": 0.0}
    return found | ({"twin_score": 0.0} if design.twins else {})


def declining(settings: Mapping[str, Any], design: AnalyzeDesign) -> dict[str, float]:
    """Know an agent that is right whenever it answers, which each time is left to chance.

    A pair of twins is worth something only where both were answered. Where there is chance in it
    and there are few draws, intervals are flagged and claim nothing.
    """
    answers = 1 - settings["silence"]
    if answers < 1 and len(design.asked) * design.seeds < FEW_UNITS:
        return {}
    found = {"reliability": answers, "score": answers, "answered": answers}
    if design.twins:
        found["twin_score"] = answers**2
    if answers == 1:
        found |= {"score_answered": 1.0}
        found |= {"fell_for": 0.0} if TRAP in design.variant else {}
        found |= {"false_alarm": 0.0} if {CONTROL, CONTROLS} & {*design.variant} else {}
        found |= {"label_flips": 0.0} if len(design.label) > 1 else {}
    return found


def self_tests(design: AnalyzeDesign, seeds: int) -> Iterator[SelfTest]:
    """Try the challenges of a design on draws of their own, and say what does not hold."""
    if PUBLISHED in design.variant:
        return  # which are what they are, and cannot be drawn anew
    for name in design.challenge:
        found = try_challenge(CHALLENGES[name], range(seeds))
        missed = list(misses(found, _bounds(seeds)))
        for variant, each in found.items():
            whole = [miss for miss in missed if miss.startswith(f"{name}: ")]
            own = [miss for miss in missed if miss.startswith(f"{name} {variant}: ")]
            yield SelfTest(
                f"{name} {variant}",
                _figures(found, each),
                tuple(own + (whole if variant == TRAP else [])),
            )


def _bounds(draws: int) -> Bounds:
    if draws >= MANY:
        return BOUNDS

    def lucky(share: float) -> float:
        return share - LUCK * sqrt(share * (1 - share) / draws)

    return Bounds(
        each_number=lucky(BOUNDS.each_number),
        all_numbers=lucky(BOUNDS.all_numbers),
        fell_for=lucky(BOUNDS.fell_for),
        twin=BOUNDS.twin + LUCK * SPREAD / sqrt(draws),
    )


def _score(marks: Sequence[Graded]) -> float:
    return fmean(graded.score for graded in marks)


def _reliability(marked: Sequence[Marked]) -> float:
    challenges = {item.challenge for item, _ in marked}
    return fmean(
        _score([graded for item, graded in marked if item.challenge == name]) for name in challenges
    )


def _twin_score(marked: Sequence[Marked]) -> float:
    """Go through all pairs that differ in nothing but the variant."""
    asked: dict[AnalyzeItem, list[Marked]] = defaultdict(list)
    for item, graded in marked:
        asked[replace(item, variant=TRAP)].append((item, graded))
    return fmean(
        twin_score(trap, control)
        for twins in asked.values()
        for one, trap in twins
        for other, control in twins
        if one.variant == TRAP != other.variant
    )


def _graded(analyst: str, instance: Instance) -> Graded:
    said = {name: Said(value) for name, value in conclude(analyst, instance).items()}
    return grade(asked_of(instance), instance, said)


def _figures(found: Mapping[str, Trials], each: Trials) -> dict[str, float]:
    """Return the figures of a variant; twin scores of the trap are with all of its controls."""
    place = "all" if each.variant == TRAP else each.variant
    return {
        "draws": len(each.present),
        "trap": sum(each.present),
        "each number": min(each.each_number.values(), default=1.0),
        "all numbers": each.all_numbers,
        "naive passes": fmean(each.naive_passed),
        "naive fell": each.fell_for,
        **{analyst: each.score(analyst) for analyst in ANALYSTS},
        "twin competent": twin(found, "competent")[place],
        "twin always-trap": twin(found, "always-trap")[place],
    }
