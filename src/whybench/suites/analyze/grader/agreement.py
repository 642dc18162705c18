"""How well a grader agrees with labels.

**Weighted kappa** (Cohen 1968) with quadratic weights: 1 less the mean squared distance between
verdict and label over what that distance would be if verdicts were dealt out to answers at random.
1 is full agreement, 0 that of chance. Its interval is a bootstrap over answers, since the verdicts
on one answer go together.

**Gap**: the mean of verdict less label, where missed is 0 and met is 1. A grader with a gap above 0
is lenient. Answers on which a grader gave no verdicts count in neither, and are told beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, bootstrap, clustered_mean
from whybench.suites.analyze.grader.criteria import LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from whybench.stats.resampling import Statistic

__all__ = ["UNCALIBRATED", "Agreement", "agreement", "weighted_kappa"]

UNCALIBRATED = "the grader has not been set beside the labelled answers"
"""What is told with a graded figure where there is no agreement to tell."""


@dataclass(frozen=True)
class Agreement:
    """A grader's agreement with labels.

    Attributes:
        grader: The grader's name.
        kappa: Weighted kappa.
        gap: Mean of verdict less label.
        answers: How many labelled answers have verdicts.
        unscored: How many do not.
    """

    grader: str
    kappa: Estimate
    gap: Estimate
    answers: int
    unscored: int

    def __str__(self) -> str:
        """Say it in one line, to be printed with every graded figure."""
        return (
            f"graded by {self.grader}: weighted kappa {_told(self.kappa)}, gap "
            f"{_told(self.gap, '+')}, {self.kappa.n} verdicts on {self.answers} labelled answers, "
            f"{self.unscored} unscored"
        )


def agreement(
    grader: str,
    verdicts: Sequence[Mapping[str, str] | None],
    labels: Sequence[Mapping[str, str]],
    resamples: int = 2000,
) -> Agreement:
    """Set verdicts beside labels.

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
    said: list[int] = []
    true: list[int] = []
    answers: list[int] = []
    for place, (given, label) in enumerate(zip(verdicts, labels, strict=True)):
        if given is None:
            continue
        if set(given) != set(label):
            raise ValueError(f"verdicts must be of {sorted(label)}, got {sorted(given)}")
        said += [LEVELS.index(given[name]) for name in label]
        true += [LEVELS.index(label[name]) for name in label]
        answers += [place] * len(label)
    apart = (np.array(said, dtype=float) - np.array(true, dtype=float)) / (len(LEVELS) - 1)
    scored = len(set(answers))
    return Agreement(
        grader,
        bootstrap(
            weighted_kappa(said, true), len(said), ("kappa", grader), answers, resamples=resamples
        ),
        clustered_mean(apart, answers),
        scored,
        len(labels) - scored,
    )


def weighted_kappa(said: Sequence[int], true: Sequence[int]) -> Statistic:
    """Return weighted kappa of two series of levels, as a statistic of counts.

    With quadratic weights the distance expected by chance needs no table: it is that of one of the
    verdicts and one of the labels, drawn independently. Where it is nothing, because all verdicts
    and all labels are the same level, kappa is not defined.
    """
    x, y = np.asarray(said, dtype=float), np.asarray(true, dtype=float)

    def statistic(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore", divide="ignore"):
            weights = counts / counts.sum(axis=1, keepdims=True)
            seen = weights @ (x - y) ** 2
            by_chance = weights @ x**2 + weights @ y**2 - 2 * (weights @ x) * (weights @ y)
            found = 1 - seen / by_chance
        return np.where(by_chance > 1e-12, found, np.nan)

    return statistic


def _told(found: Estimate, sign: str = "") -> str:
    if found.estimate is None:
        return "undefined"
    ends = (found.low, found.high)
    told = ", ".join("none" if end is None else f"{end:{sign}.2f}" for end in ends)
    return f"{found.estimate:{sign}.2f} [{told}]"
