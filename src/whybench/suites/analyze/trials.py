"""Trials of the challenges: do they do to known analysts what they are made to do?

Each challenge is generated many times in each variant, and every reference analyst answers in
words. What must hold is in `BOUNDS`: the trap is there in every trap and in no control, the
competent analyst passes by the truth alone, the naive one falls, and neither crying trap every
time nor saying nothing pays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from whybench.suites.analyze.analysts import ANALYSTS, reply
from whybench.suites.analyze.answers import read_answers
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.fields import Number, NumberTable
from whybench.suites.analyze.grading import FALSE_ALARM_CAP, grade, number_passes, twin_score
from whybench.suites.analyze.wording import column_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.suites.analyze.challenges.contract import Challenge, Instance
    from whybench.suites.analyze.fields import Said
    from whybench.suites.analyze.grading import Graded

__all__ = ["BOUNDS", "HEAD", "Bounds", "Trials", "misses", "table", "try_challenge", "twin"]


@dataclass(frozen=True)
class Bounds:
    """What must hold of a challenge.

    Attributes:
        each_number: The competent analyst passes each number in this share of items, at least.
        all_numbers: And all numbers of an item.
        fell_for: The naive analyst falls in this share of traps, at least; and passes no key
            number in any.
        twin: Who always claims the trap has this mean twin score over all controls, at most; with
            no control it is above what a false alarm may score.
    """

    each_number: float = 0.95
    all_numbers: float = 0.85
    fell_for: float = 0.95
    twin: float = 0.35


BOUNDS = Bounds()


@dataclass(frozen=True)
class Trials:
    """What became of a challenge in one variant, over many seeds.

    Attributes:
        challenge: The challenge's name.
        variant: The variant.
        present: Whether the trap was there, seed by seed.
        numbers: Whether the competent analyst's numbers passed by the truth alone, by name.
        naive_passed: Whether the naive analyst passed a key number.
        graded: Every analyst's marks.
    """

    challenge: str
    variant: str
    present: list[bool] = field(default_factory=list)
    numbers: dict[str, list[bool]] = field(default_factory=dict)
    naive_passed: list[bool] = field(default_factory=list)
    graded: dict[str, list[Graded]] = field(
        default_factory=lambda: {analyst: [] for analyst in ANALYSTS}
    )

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
        """An analyst's mean score."""
        return fmean(graded.score for graded in self.graded[analyst])


def try_challenge(challenge: Challenge, seeds: Sequence[int]) -> dict[str, Trials]:
    """Let every analyst answer every variant, seed by seed."""
    found = {variant: Trials(challenge.name, variant) for variant in challenge.variants}
    for seed in seeds:
        for variant, trials in found.items():
            _try(challenge, challenge.generate(variant, "trials", seed), trials)
    return found


def twin(trials: Mapping[str, Trials], analyst: str) -> dict[str, float]:
    """Return an analyst's mean twin score with each control, and under `all` over all of them."""
    traps = trials[TRAP].graded[analyst]
    scores = {
        variant: [twin_score(*pair) for pair in zip(traps, found.graded[analyst], strict=True)]
        for variant, found in trials.items()
        if variant != TRAP
    }
    pooled = [score for each in scores.values() for score in each]
    return {variant: fmean(each) for variant, each in scores.items()} | {"all": fmean(pooled)}


def misses(trials: Mapping[str, Trials], bounds: Bounds = BOUNDS) -> Iterator[str]:
    """Say what does not hold."""
    for variant, found in trials.items():
        where = f"{found.challenge} {variant}"
        if set(found.present) != {variant == TRAP}:
            yield f"{where}: trap present in {sum(found.present)} of {len(found.present)}"
        for name, share in found.each_number.items():
            if share < bounds.each_number:
                yield f"{where}: competent passes {name} in {share:.3f}"
        if found.all_numbers < bounds.all_numbers:
            yield f"{where}: competent passes all numbers in {found.all_numbers:.3f}"
        for analyst in ("null", "schema-breaker"):
            if found.score(analyst) > 0:
                yield f"{where}: {analyst} scores {found.score(analyst):.3f}"
    trap = trials[TRAP]
    if any(trap.naive_passed):
        yield f"{trap.challenge}: naive passes a key number in {fmean(trap.naive_passed):.3f}"
    if trap.fell_for < bounds.fell_for:
        yield f"{trap.challenge}: naive falls for it in {trap.fell_for:.3f}"
    for variant, mean in twin(trials, "always-trap").items():
        if mean > (bounds.twin if variant == "all" else FALSE_ALARM_CAP):
            yield f"{trap.challenge}: always-trap has a twin score of {mean:.3f} ({variant})"


HEAD = (
    "challenge             variant             trap  each≥   all  naive  fell  "
    "score: comp naive alwys null schm  twin: alwys  comp"
)


def table(trials: Mapping[str, Trials]) -> Iterator[str]:
    """Yield one line for each variant, in the columns of `HEAD`; `all` is the mean of the twins."""
    always, competent = twin(trials, "always-trap"), twin(trials, "competent")
    for variant, found in trials.items():
        marks = " ".join(f"{found.score(analyst):5.2f}" for analyst in ANALYSTS)
        key = "all" if variant == TRAP else variant
        yield (
            f"{found.challenge:21} {variant:18} {sum(found.present):3}/{len(found.present):<3} "
            f"{min(found.each_number.values(), default=1.0):5.3f} {found.all_numbers:5.3f} "
            f"{fmean(found.naive_passed):5.2f} {found.fell_for:5.2f}       {marks}"
            f"        {always[key]:5.2f} {competent[key]:5.2f}"
        )


def _try(challenge: Challenge, instance: Instance, trials: Trials) -> None:
    trials.present.append(challenge.present(instance))
    names = column_names(instance, "neutral")
    for analyst in ANALYSTS:
        said = read_answers(reply(analyst, instance, names), challenge.fields, names).fields
        graded = grade(challenge, instance, said)
        trials.graded[analyst].append(graded)
        if analyst == "competent":
            for name, passed in _by_truth(instance, said).items():
                trials.numbers.setdefault(name, []).append(passed)
        if analyst == "naive":
            keys = [
                e.name for e in challenge.fields if isinstance(e, Number | NumberTable) and e.key
            ]
            trials.naive_passed.append(any(graded.passed(name) for name in keys))


def _by_truth(instance: Instance, said: Mapping[str, Said]) -> dict[str, bool]:
    """Return whether each number passes by the truth alone; one that is missing does not."""
    passed = {}
    for name, truth in instance.numbers().items():
        entry, _, row = name.partition(".")
        value = said[entry].value if entry in said and said[entry].given else None
        number = value[row] if row and value is not None else value
        passed[name] = number is not None and number_passes(number, truth, "truth")
    return passed
