"""What the measures of the reference agents are expected to be.

Of an analyst they are found from the typed answers themselves, graded one by one and averaged by
hand: without prompts, replies, records or measures.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.stats import FEW_UNITS
from whybench.suites.analyze.analysts import (
    analyst_answer,
    diagnosis_fields,
    report_fields,
)
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.design import CONTROL, CONTROLS
from whybench.suites.analyze.grading import GradedAnswer, grade_values
from whybench.suites.analyze.items import AnalyzeItem, analyze_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from whybench.suites.analyze.design import AnalyzeDesign


def expected_of_analyst(
    analyst: str,
) -> Callable[[Mapping[str, Any], AnalyzeDesign], dict[str, float]]:
    """Return what gives the measures of an analyst: its answers are graded item by item.

    What guesses are worth is not known, so of an analyst with lapses only that it answers.
    """

    def expected(settings: Mapping[str, Any], design: AnalyzeDesign) -> dict[str, float]:
        if settings.get("lapse"):
            return {"answered": 1.0}
        graded, diagnoses = {}, {}
        for item in analyze_items(design):
            graded[item], diagnoses[item] = _grade(analyst, item)
        by_challenge = defaultdict(list)
        for item, marks in graded.items():
            by_challenge[item.challenge].append(marks)
        measures = {
            "reliability": fmean(map(_mean_score, by_challenge.values())),
            "score": _mean_score(graded.values()),
            "answered": 1.0,
        }
        if traps := [marks for item, marks in graded.items() if item.factors["twin"] == TRAP]:
            measures["score_trap"] = _mean_score(traps)
            measures["trap_rate"] = fmean(marks.fell_for for marks in traps)
        if controls := [m for item, m in graded.items() if item.factors["twin"] == CONTROL]:
            measures["score_control"] = _mean_score(controls)
            measures["false_alarm"] = fmean(
                marks.false_alarm or diagnoses[item].false_alarm
                for item, marks in graded.items()
                if item.factors["twin"] == CONTROL
            )
        measures["diagnosis"] = _mean_score(diagnoses.values())
        if design.twins:
            measures["sound_pairs"] = _mean_of_pairs(
                {
                    item: marks.score >= 1
                    and not (marks.false_alarm or diagnoses[item].false_alarm)
                    for item, marks in graded.items()
                }
            )
            measures["paired_score"] = _mean_of_pairs(_scores(graded))
            measures["paired_diagnosis"] = _mean_of_pairs(_scores(diagnoses))
        if len(design.label) > 1:
            measures["label_flips"] = 0.0
        return measures

    return expected


def expected_of_silent(_settings: Mapping[str, Any], design: AnalyzeDesign) -> dict[str, float]:
    """Return the measures of an agent that never answers."""
    measures = {"reliability": 0.0, "score": 0.0, "answered": 0.0}
    return measures | ({"sound_pairs": 0.0, "paired_score": 0.0} if design.twins else {})


def expected_of_oracle(settings: Mapping[str, Any], design: AnalyzeDesign) -> dict[str, float]:
    """Return the measures of an agent that is right whenever it answers, which is left to chance.

    A pair of twins is worth something only where both were answered. Where there is chance in it
    and there are few draws, intervals are flagged and claim nothing.
    """
    answers = 1 - settings["silence"]
    if answers < 1 and len(design.challenge) * design.seeds < FEW_UNITS:
        return {}
    measures = {"reliability": answers, "score": answers, "answered": answers}
    if design.twins:
        measures |= dict.fromkeys(("sound_pairs", "paired_score"), answers**2)
    if answers == 1:
        measures |= {"score_answered": 1.0, "diagnosis": 1.0}
        measures |= {"paired_diagnosis": 1.0} if design.twins else {}
        measures |= {"trap_rate": 0.0} if TRAP in design.variant else {}
        measures |= {"false_alarm": 0.0} if {CONTROL, CONTROLS} & {*design.variant} else {}
        measures |= {"label_flips": 0.0} if len(design.label) > 1 else {}
    return measures


def _grade(analyst: str, item: AnalyzeItem) -> tuple[GradedAnswer, GradedAnswer]:
    """Grade what an analyst reports, and how it diagnoses it."""
    instance = item.instance
    answer = analyst_answer(analyst, instance)
    report, diagnosis = report_fields(instance), diagnosis_fields(instance)
    return grade_values(report, instance, answer), grade_values(diagnosis, instance, answer)


def _mean_score(graded: Iterable[GradedAnswer]) -> float:
    return fmean(marks.score for marks in graded)


def _scores(graded: Mapping[AnalyzeItem, GradedAnswer]) -> dict[AnalyzeItem, float]:
    return {item: marks.score for item, marks in graded.items()}


def _mean_of_pairs(values: Mapping[AnalyzeItem, float]) -> float:
    """Return the mean of the lesser value over all pairs of a trap and one of its controls."""
    return fmean(
        min(values[trap], value)
        for item, value in values.items()
        if item.variant != TRAP and (trap := replace(item, variant=TRAP)) in values
    )
