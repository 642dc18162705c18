"""Checks of analyze beyond those that every suite has, and self-tests of its challenges.

A self-test generates a challenge many times in each variant, and every reference analyst replies.
What must hold is in `BOUNDS`: the trap is there in every trap and in no control, the competent
analyst is near the truth, the naive one falls, and neither crying trap every time nor saying
nothing pays.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cache
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING

from whybench.scm.certificate import TOLERANCE
from whybench.suites.analyze.analysts import ANALYSTS, analyst_reply
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.fields import NumberField
from whybench.suites.analyze.grading import (
    FALSE_ALARM_CAP,
    grade,
    is_near_truth,
    number_passes,
    paired_score,
)
from whybench.suites.analyze.items import instance_from_factors
from whybench.suites.analyze.prompts import column_names, rows_csv
from whybench.suites.analyze.replies import parse_reply
from whybench.suites.analyze.shallow import find_leaks, measure_shallow
from whybench.suites.contract import Check, SelfTest, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.suites.analyze.challenges.contract import Challenge, Instance, NumericTruth
    from whybench.suites.analyze.design import AnalyzeDesign
    from whybench.suites.analyze.fields import FieldValue
    from whybench.suites.analyze.grading import GradedAnswer
    from whybench.suites.analyze.items import AnalyzeItem
    from whybench.suites.analyze.shallow import ShallowResult


def check_derivations(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """See that two derivations by other names give the same value of each number."""
    for where, instance in _instances(items):
        for name, truth in instance.numbers().items():
            (method, value), (other, second) = truth.certificate.derivations
            gap = abs(float(value) - float(second))
            if method == other or not gap <= TOLERANCE * max(1.0, abs(float(value))):
                yield f"{where}, {name}: {method} gives {value}, {other} gives {second}"


def check_traps(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """Look for the trap by its own statistical criterion, on all rows."""
    for where, instance in _instances(items, all_rows=True):
        if CHALLENGES[instance.challenge].has_trap(instance) != (instance.variant == TRAP):
            yield f"{where}: the trap is {'not ' * (instance.variant == TRAP)}there"


def check_naive_values(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """See that no naive value of a number that the trap bends would pass."""
    for where, instance in _instances(items, all_rows=True):
        for entry in CHALLENGES[instance.challenge].fields:
            truth = instance.numbers().get(entry.name)
            if truth is None or not (isinstance(entry, NumberField) and entry.key):
                continue
            for method, value in truth.naive.items():
                if number_passes(value, truth):
                    yield f"{where}, {entry.name}: the naive value by {method} passes"


def check_labels(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """See that rows are the same to the byte, and the number of columns, under all labels."""
    heads: dict[str, dict[str, tuple[int, str]]] = defaultdict(dict)
    for item in items:
        head, _, rows = rows_csv(item.instance, item.label).partition("\n")
        heads[_describe_item(item)][item.label] = (head.count(","), rows)
    for where, tables in heads.items():
        if len({*tables.values()}) > 1:
            yield f"{where}: the rows are not the same under {', '.join(tables)}"


def check_factors(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """See that the columns of the records lead to the data set that was asked about."""
    for item in items:
        try:
            instance_from_factors(item.factors)
        except UserError as error:
            yield f"{item.id}: {error}"


def check_shallow(items: Sequence[AnalyzeItem]) -> Iterator[str]:
    """Let shallow agents learn each challenge by heart, and see how far they get in the test."""
    for name in dict.fromkeys(item.challenge for item in items):
        yield from find_leaks(_measure_shallow(name), LUCK)


@cache
def _measure_shallow(challenge: str) -> ShallowResult:
    return measure_shallow(CHALLENGES[challenge], PAIRS)


def _select_traps(items: Sequence[AnalyzeItem]) -> list[AnalyzeItem]:
    return [item for item in items if item.variant == TRAP]


def _select_relabelled(items: Sequence[AnalyzeItem]) -> list[AnalyzeItem]:
    """Return the items about data sets that are shown under more than one label."""
    labels = defaultdict(set)
    for item in items:
        labels[_describe_item(item)].add(item.label)
    return [item for item in items if len(labels[_describe_item(item)]) > 1]


def _instances(
    items: Sequence[AnalyzeItem], all_rows: bool = False
) -> Iterator[tuple[str, Instance]]:
    """Yield every data set once, with words for it; a sample of its rows guarantees nothing."""
    for where, item in {_describe_item(item): item for item in items}.items():
        yield where, replace(item, rows=0).instance if all_rows else item.instance


def _describe_item(item: AnalyzeItem) -> str:
    return f"{item.challenge}, {item.variant}, draw {item.draw}"


CHECKS: Mapping[str, Check[AnalyzeItem]] = {
    "every number is derived twice": Check(check_derivations),
    "traps are traps and controls are none": Check(check_traps),
    "naive values fail in traps": Check(check_naive_values, _select_traps),
    "labels change names alone": Check(check_labels, _select_relabelled),
    "factors give back the data": Check(check_factors),
    "nothing shallow gets far": Check(check_shallow, _select_traps, costly=True),
}
"""The checks by name."""


@dataclass(frozen=True)
class Bounds:
    """What must hold of a challenge.

    Attributes:
        each_number: The competent analyst passes each number in this share of items, at least.
        all_numbers: And all numbers of an item.
        fell_for: The naive analyst falls in this share of traps, at least; and passes no key
            number in any.
        twin: The diagnoses of who always claims the trap have this mean twin score over all
            controls, at most; with no control it is above what a false alarm may score. (What it
            reports may be right: to adjust where nothing asks for it often does no harm.)
    """

    each_number: float = 0.95
    all_numbers: float = 0.85
    fell_for: float = 0.95
    twin: float = 0.35


BOUNDS = Bounds()

PAIRS = 40
"""Pairs of twins of each challenge that shallow agents learn, and are tried on."""

MANY = 200
"""Number of draws from which on challenges are held to `BOUNDS` as they are."""

LUCK, SPREAD = 3.0, 0.2
"""With fewer draws shares may miss their bound by this many standard deviations of chance, and so
may the mean of twin scores, which have about this spread."""


@dataclass(frozen=True)
class VariantResults:
    """What became of a challenge in one variant, over many seeds.

    Attributes:
        challenge: The challenge's name.
        variant: The variant.
        has_trap: Whether the trap was there, seed by seed.
        numbers: Whether the competent analyst's numbers were near the truth, by name.
        naive_passed: Whether the naive analyst passed a key number.
        graded: The marks of every analyst's reports.
        diagnoses: And of their diagnoses.
    """

    challenge: str
    variant: str
    has_trap: list[bool] = field(default_factory=list)
    numbers: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    naive_passed: list[bool] = field(default_factory=list)
    graded: dict[str, list[GradedAnswer]] = field(default_factory=lambda: defaultdict(list))
    diagnoses: dict[str, list[GradedAnswer]] = field(default_factory=lambda: defaultdict(list))

    @property
    def each_number(self) -> dict[str, float]:
        """The share of items in which each number of the competent analyst passed."""
        return {name: fmean(passed) for name, passed in self.numbers.items()}

    @property
    def all_numbers(self) -> float:
        """The share of items in which all of them passed; 1 where none is asked for."""
        items = list(zip(*self.numbers.values(), strict=False))
        return fmean(map(all, items)) if items else 1.0

    @property
    def fell_for(self) -> float:
        """The share of items in which the naive analyst fell for the trap."""
        return fmean(graded.fell_for for graded in self.graded["naive"])

    def score(self, analyst: str) -> float:
        """Return an analyst's mean score."""
        return fmean(graded.score for graded in self.graded[analyst])

    def add(self, challenge: Challenge, instance: Instance) -> None:
        """Let every analyst answer an instance, and keep what becomes of it."""
        self.has_trap.append(challenge.has_trap(instance))
        names = column_names(instance, "neutral")
        for analyst in ANALYSTS:
            answers: dict[str, FieldValue] = {}
            for fields, marks in (
                (challenge.report, self.graded),
                (challenge.diagnosis, self.diagnoses),
            ):
                said = analyst_reply(analyst, instance, names, fields)
                reply = parse_reply(said, fields, names)
                answers |= reply.fields
                marks[analyst].append(grade(fields, instance, reply.fields))
            if analyst == "competent":
                for name, truth in instance.numbers().items():
                    self.numbers[name].append(_is_near_truth(name, truth, answers))
            if analyst == "naive":
                report = self.graded[analyst][-1]
                numbers = (e for e in challenge.report if isinstance(e, NumberField))
                self.naive_passed.append(any(e.key and report.passed(e.name) for e in numbers))


def run_analysts(challenge: Challenge, seeds: Sequence[int]) -> dict[str, VariantResults]:
    """Let every analyst answer every variant, seed by seed; return the results by variant."""
    results = {variant: VariantResults(challenge.name, variant) for variant in challenge.variants}
    for seed in seeds:
        twins = challenge.generate_twins("trials", seed)
        for variant, result in results.items():
            result.add(challenge, twins[variant])
    return results


def mean_twin_scores(
    results: Mapping[str, VariantResults], analyst: str, stage: str = "graded"
) -> dict[str, float]:
    """Return an analyst's mean twin score with each control, and under `all` over all of them.

    Args:
        results: The results by variant.
        analyst: The analyst.
        stage: Whether of reports (`graded`) or of `diagnoses`.
    """
    marks = {variant: getattr(result, stage)[analyst] for variant, result in results.items()}
    traps = marks.pop(TRAP)
    scores = {
        variant: [paired_score(*pair) for pair in zip(traps, controls, strict=True)]
        for variant, controls in marks.items()
    }
    scores["all"] = [score for control in scores.values() for score in control]
    return {variant: fmean(values) for variant, values in scores.items()}


def find_failures(results: Mapping[str, VariantResults], bounds: Bounds = BOUNDS) -> Iterator[str]:
    """Yield what does not hold, in words."""
    for variant, result in results.items():
        where = f"{result.challenge} {variant}"
        if set(result.has_trap) != {variant == TRAP}:
            yield f"{where}: trap present in {sum(result.has_trap)} of {len(result.has_trap)}"
        for name, share in result.each_number.items():
            if share < bounds.each_number:
                yield f"{where}: competent passes {name} in {share:.3f}"
        if result.all_numbers < bounds.all_numbers:
            yield f"{where}: competent passes all numbers in {result.all_numbers:.3f}"
        for analyst in ("null", "schema-breaker"):
            if result.score(analyst) > 0:
                yield f"{where}: {analyst} scores {result.score(analyst):.3f}"
    trap = results[TRAP]
    if any(trap.naive_passed):
        yield f"{trap.challenge}: naive passes a key number in {fmean(trap.naive_passed):.3f}"
    if trap.fell_for < bounds.fell_for:
        yield f"{trap.challenge}: naive falls for it in {trap.fell_for:.3f}"
    for variant, mean in mean_twin_scores(results, "always-trap", "diagnoses").items():
        if mean > (bounds.twin if variant == "all" else FALSE_ALARM_CAP):
            yield f"{trap.challenge}: always-trap diagnoses twins with {mean:.3f} ({variant})"


def self_tests(design: AnalyzeDesign, seeds: int) -> Iterator[SelfTest]:
    """Run the analysts on draws of the design's challenges, and yield what does not hold."""
    for name in design.challenge:
        results = run_analysts(CHALLENGES[name], range(seeds))
        failures = list(find_failures(results, _bounds_for(seeds)))
        for variant, result in results.items():
            # What is said of the whole challenge stands with its trap.
            prefixes = (f"{name} {variant}: ", *([f"{name}: "] if variant == TRAP else []))
            own = tuple(failure for failure in failures if failure.startswith(prefixes))
            yield SelfTest(f"{name} {variant}", _summarize(results, result), own)


def _bounds_for(draws: int) -> Bounds:
    if draws >= MANY:
        return BOUNDS

    def lower(share: float) -> float:
        return share - LUCK * sqrt(share * (1 - share) / draws)

    return Bounds(
        each_number=lower(BOUNDS.each_number),
        all_numbers=lower(BOUNDS.all_numbers),
        fell_for=lower(BOUNDS.fell_for),
        twin=BOUNDS.twin + LUCK * SPREAD / sqrt(draws),
    )


def _summarize(results: Mapping[str, VariantResults], result: VariantResults) -> dict[str, float]:
    """Return the figures of a variant; twin scores of the trap are with all of its controls."""
    control = "all" if result.variant == TRAP else result.variant
    return {
        "draws": len(result.has_trap),
        "trap": sum(result.has_trap),
        "each number": min(result.each_number.values(), default=1.0),
        "all numbers": result.all_numbers,
        "naive passes": fmean(result.naive_passed),
        "naive fell": result.fell_for,
        **{analyst: result.score(analyst) for analyst in ANALYSTS},
        "twin competent": mean_twin_scores(results, "competent")[control],
        "twin naive": mean_twin_scores(results, "naive")[control],
        "twin always-trap": mean_twin_scores(results, "always-trap")[control],
        "diagnosed competent": mean_twin_scores(results, "competent", "diagnoses")[control],
        "diagnosed always-trap": mean_twin_scores(results, "always-trap", "diagnoses")[control],
    }


def _is_near_truth(name: str, truth: NumericTruth, answers: Mapping[str, FieldValue]) -> bool:
    """Whether a number (`field` or `field.row`) is near the truth; a missing one is not."""
    entry, _, row = name.partition(".")
    value = answers[entry].value if entry in answers else None
    if value is None:
        return False
    return is_near_truth(value[row] if row else value, truth)
