"""How well a grader agrees with labels.

**Weighted kappa** (Cohen 1968) with quadratic weights: 1 less the mean squared distance between
verdict and label over what that distance would be if verdicts were dealt out to answers at random.
1 is full agreement, 0 that of chance. Its interval is a bootstrap over answers, since the verdicts
on one answer go together.

**Gap**: the mean of verdict less label, where missed is 0 and met is 1. A grader with a gap above 0
is lenient.

**Distance**: the mean over answers of how far the mean verdict is from the mean label, whichever
way; what the source of analyze calls the gap between its grader and its experts.

Answers on which a grader gave no verdicts count in none of them; their number is given.

A model must not grade itself, and the same weights go by many names: with or without a provider
before them, with a date, a tag or `latest` after them (`is_same_model`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, bootstrap, clustered_mean
from whybench_papers.du2025.grader.verdicts import LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from whybench.stats.resampling import StatisticOfCounts

UNCALIBRATED = "the grader has not been set beside the labelled answers"
"""What is said with a graded figure where no agreement was measured."""


@dataclass(frozen=True)
class Agreement:
    """A grader's agreement with labels.

    Attributes:
        grader: The grader's name.
        kappa: Weighted kappa.
        gap: Mean of verdict less label.
        distance: Mean over answers of the distance between mean verdict and mean label.
        answers: How many labelled answers have verdicts.
        unscored: How many do not.
    """

    grader: str
    kappa: Estimate
    gap: Estimate
    distance: Estimate
    answers: int
    unscored: int

    def __str__(self) -> str:
        """Say it in one line, to be printed with every graded figure."""
        kappa, gap = _format_estimate(self.kappa), _format_estimate(self.gap, "+")
        return (
            f"graded by {self.grader}: weighted kappa {kappa}, gap {gap}, distance "
            f"{_format_estimate(self.distance)}, {self.kappa.n} verdicts on {self.answers} "
            f"labelled answers, {self.unscored} unscored"
        )


def measure_agreement(
    grader: str,
    verdicts: Sequence[Mapping[str, str] | None],
    labels: Sequence[Mapping[str, str]],
    resamples: int = 2000,
) -> Agreement:
    """Measure how far verdicts agree with labels.

    Args:
        grader: The grader's name.
        verdicts: For each labelled answer its verdicts by criterion; None where it is unscored.
        labels: The labels of each answer, by criterion.
        resamples: Number of bootstrap resamples.

    Raises:
        ValueError: Verdicts and labels are not of the same answers and criteria.
    """
    if len(verdicts) != len(labels):
        raise ValueError(f"verdicts must be of all {len(labels)} answers, got {len(verdicts)}")
    given: list[int] = []
    true: list[int] = []
    answers: list[int] = []
    for answer, (verdict, label) in enumerate(zip(verdicts, labels, strict=True)):
        if verdict is None:
            continue
        if set(verdict) != set(label):
            raise ValueError(f"verdicts must be of {sorted(label)}, got {sorted(verdict)}")
        given += [LEVELS.index(verdict[name]) for name in label]
        true += [LEVELS.index(label[name]) for name in label]
        answers += [answer] * len(label)
    gaps = (np.array(given, dtype=float) - np.array(true, dtype=float)) / (len(LEVELS) - 1)
    kappa = weighted_kappa(given, true)
    scored = len(set(answers))
    _, code, counts = np.unique(answers, return_inverse=True, return_counts=True)
    distances = np.abs(np.bincount(code, gaps)) / counts if scored else gaps
    return Agreement(
        grader,
        bootstrap(kappa, len(given), ("kappa", grader), answers, resamples=resamples),
        clustered_mean(gaps, answers),
        clustered_mean(distances, np.arange(scored)),
        scored,
        len(labels) - scored,
    )


def weighted_kappa(given: Sequence[int], true: Sequence[int]) -> StatisticOfCounts:
    """Return weighted kappa of two series of levels, as a statistic of counts.

    With quadratic weights the distance expected by chance needs no table: it is that of one of the
    verdicts and one of the labels, drawn independently. Where it is nothing, because all verdicts
    and all labels are the same level, kappa is not defined.
    """
    x, y = np.asarray(given, dtype=float), np.asarray(true, dtype=float)

    def statistic(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore", divide="ignore"):
            weights = counts / counts.sum(axis=1, keepdims=True)
            observed = weights @ (x - y) ** 2
            by_chance = weights @ x**2 + weights @ y**2 - 2 * (weights @ x) * (weights @ y)
            kappa = 1 - observed / by_chance
        return np.where(by_chance > 1e-12, kappa, np.nan)

    return statistic


def _format_estimate(estimate: Estimate, sign: str = "") -> str:
    if estimate.estimate is None:
        return "undefined"
    ends = (estimate.low, estimate.high)
    interval = ", ".join("none" if end is None else f"{end:{sign}.2f}" for end in ends)
    return f"{estimate.estimate:{sign}.2f} [{interval}]"


_TAIL = re.compile(r"(?:[-@:](?:latest|free|beta|\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}))+\Z")


def is_same_model(name: str, other: str) -> bool:
    """Whether `openai/gpt-4o` and `openrouter/openai/gpt-4o:free`, say, are one model."""
    return _bare_name(name) == _bare_name(other)


def _bare_name(name: str) -> str:
    bare = name.strip().casefold().rsplit("/", maxsplit=1)[-1]
    return _TAIL.sub("", bare) or bare
