"""What the figures of calculate are drawn from: plain results, whoever computed them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whybench.stats import clustered_share
from whybench.suites.calculate.diagnoses import RIGHT, WAYS, diagnose
from whybench.suites.calculate.measures import CONDITION, calculate_measures
from whybench.suites.calculate.mistakes import MISTAKES
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.groups import group_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Estimate, Measure
    from whybench.suites.groups import Group

WORDS = ("outcome", "form")
NUMBERS = ("value", "truth", "relevant", "operations", *MISTAKES)

STEPS = {"0": 0, "1–9": 9, "10–29": 29, "30–99": 99, "100–": np.inf}
"""Classes of operations, and the most that each holds."""

WORTH_TELLING = 0.1
"""A smaller share of wrong answers is not told in words."""
MOST_TOLD = 3


class DiagnosedAnswer(NamedTuple):
    """One answer; `value` is None without one, `unit` names its sampled unit."""

    truth: float
    value: float | None
    form: str
    diagnosis: str
    unit: int


@dataclass(frozen=True)
class Diagnosed:
    """The answers of one agent under one condition.

    Attributes:
        labels: Whose they are: the agent, and its condition.
        answers: All answers that no technical error prevented.
        slope: The slope of answers on truths, if it was measured.
    """

    labels: Mapping[str, str]
    answers: tuple[DiagnosedAnswer, ...]
    slope: Measure | None = None

    @cached_property
    def counts(self) -> Counter[str]:
        """How many answers have each diagnosis."""
        return Counter(answer.diagnosis for answer in self.answers)

    @property
    def wrong(self) -> int:
        """How many answers are wrong, those that were not given among them."""
        return len(self.answers) - self.counts[RIGHT]

    @cached_property
    def shares(self) -> dict[str, Estimate]:
        """Of the wrong answers, the share of each way to be wrong that was met."""
        wrong = [answer for answer in self.answers if answer.diagnosis != RIGHT]
        units = [answer.unit for answer in wrong]
        return {
            way: clustered_share([answer.diagnosis == way for answer in wrong], units)
            for way in WAYS
            if self.counts[way]
        }

    @property
    def placed(self) -> list[DiagnosedAnswer]:
        """The numbers that were given where a number is true."""
        return [
            answer
            for answer in self.answers
            if answer.form == "number"
            and answer.value not in (None, NOT_COMPUTABLE)
            and answer.truth != NOT_COMPUTABLE
        ]

    def tell(self, name: str) -> str:
        """Return in two sentences how often answers are wrong and in which ways."""
        if not self.wrong:
            return f"{name}: none of {len(self.answers)} answers is wrong."
        ranked = sorted(self.shares.items(), key=lambda entry: -(entry[1].estimate or 0.0))
        told = [
            f"{WAYS[way]} ({_percent(share.estimate)}, {_percent(share.low)} to "
            f"{_percent(share.high)})"
            for way, share in ranked[:MOST_TOLD]
            if (share.estimate or 0.0) >= WORTH_TELLING
        ]
        said = "; ".join(told)
        return f"{name}: {self.wrong} of {len(self.answers)} answers are wrong. It {said}."

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each number that was given where one is true, as a flat row."""
        for answer in self.placed:
            about = {"truth": answer.truth, "answer": answer.value}
            yield {**self.labels, **about, "diagnosis": answer.diagnosis}


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def diagnose_groups(records: pa.Table) -> list[Diagnosed]:
    """Return the diagnosed answers of each agent under each condition."""
    slopes = {
        tuple(measure.labels.items()): measure
        for measure in calculate_measures(records)
        if measure.name == "slope" and not measure.at
    }
    found = []
    for group in _groups(records):
        reached = group.where(group["outcome"] != "error")
        answers = tuple(_answers(reached))
        if answers:
            slope = slopes.get(tuple(group.labels.items()))
            found.append(Diagnosed(group.labels, answers, slope))
    return found


def level_measures(records: pa.Table, factor: str) -> list[Measure]:
    """Return skill and accuracy at the levels of a factor; nothing where there is one level.

    Args:
        records: Records of calculate.
        factor: `rung`, `relevant`, or `operations`, whose levels are classes.
    """
    if factor == "rung":
        return [
            measure
            for measure in calculate_measures(records)
            if measure.name in {"number_skill", "accuracy"} and {*measure.at} == {factor}
        ]
    found = []
    for group in _groups(records):
        reached = group.where((group["outcome"] != "error") & (group["truth"] != NOT_COMPUTABLE))
        right = np.array([answer.diagnosis == RIGHT for answer in _answers(reached)], dtype=bool)
        levels = _levels(reached, factor)
        for level in dict.fromkeys(sorted(levels)) if len({*levels}) > 1 else ():
            chosen = np.array([own == level for own in levels])
            at_level = reached.where(
                chosen, **{factor: level if factor == "relevant" else _class(level)}
            )
            share = clustered_share(right[chosen], at_level.units)
            found.append(at_level.measure("accuracy", share))
    return found


def _class(place: int) -> str:
    return [*STEPS][place]


def _levels(group: Group, factor: str) -> list[int]:
    """Return the level of each answer: the number itself, or which class of it."""
    if factor == "operations":
        return [int(place) for place in np.searchsorted([*STEPS.values()], group[factor])]
    return [int(level) for level in group[factor]]


def _groups(records: pa.Table) -> list[Group]:
    return group_records(records, CONDITION, WORDS, NUMBERS, lambda _: ("world", ("case",)))


def _answers(group: Group) -> Iterator[DiagnosedAnswer]:
    columns = [group[name].tolist() for name in ("value", "truth", "form", *MISTAKES)]
    for unit, (value, truth, form, *made) in zip(
        group.units.tolist(), zip(*columns, strict=True), strict=True
    ):
        said = None if np.isnan(value) else value
        found = diagnose(said, truth, form, dict(zip(MISTAKES, made, strict=True)))
        yield DiagnosedAnswer(truth, said, form, found, unit)
