"""Do both intervals of judge hold what they speak of? Agents whose stories and vignettes differ.

`python -m evidence validity --only stories` prints these figures. A simulated agent answers as a
noisy-OR reasoner would, and each of its answers is moved by what its story and its vignette do to
that question and to all of them. *For these stories* the true value is what vignettes of the
stories drawn would give on average; *for stories like these* it is what stories would give on
average, of the shift ratio the ratio of both shifts' averages.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from statistics import median, stdev
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from evidence.figures import Figure, Parts
from whybench.seeds import generator
from whybench.suites.groups import Group
from whybench.suites.judge.implied import ASKED, GIVEN, imply
from whybench.suites.judge.measures import task_contrast
from whybench.suites.judge.shift_ratio import ABSENT, PRESENT, measure_shift_ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from whybench.stats import Estimate

    Array = NDArray[np.float64]

STORIES, POLARITIES = 3, 4
UNITS = STORIES * POLARITIES
QUESTIONS = (*GIVEN, *ASKED)
TASK, CAUSE = (np.array(column) for column in zip(*QUESTIONS, strict=True))

BETWEEN_STORIES, BETWEEN_VIGNETTES = 0.048, 0.087
"""Standard deviations of explaining away in the published runs, between stories and within them."""

MOST_LOST = 0.6
"""The share of answers that a vignette loses is drawn from 0 to this."""

LEAST_COVERED, ALPHA = 0.935, 0.05
CONTRASTS = {"explaining_away": ("VIII", "VI"), "markov_violation": ("IV", "V")}
LEVELS = {"these stories": ("low", "high"), "stories like these": ("general_low", "general_high")}
MANY = 4000
"""Vignettes or stories by which averages are taken that have no closed form."""


def _answers() -> Array:
    """Return what a noisy-OR reasoner says to every question."""
    b, m, p = 0.1, 0.8, 0.5
    one = 1 - (1 - b) * (1 - m)
    given = np.array([[b, one, one, 1 - (1 - b) * (1 - m) ** 2, p, p, p, p]])
    answers: Array = np.hstack([given, imply(given)])[0]
    return answers


@dataclass(frozen=True)
class StoryAgent:
    """An agent whose answers depend on story and vignette.

    Attributes:
        between: Standard deviation of what a story does to one question, and to all of them.
        within: That of a vignette.
    """

    between: float
    within: float = BETWEEN_VIGNETTES

    def stories(self, draw: np.random.Generator, number: int) -> Array:
        """Draw what stories make of the answers, stories x questions."""
        shape = (number, len(QUESTIONS))
        own, shared = draw.normal(size=shape), draw.normal(size=(number, 1))
        return np.asarray(_answers() + self.between * (own + shared))

    def vignettes(self, draw: np.random.Generator, stories: Array, each: int) -> Array:
        """Draw the answers to vignettes of stories, story by story."""
        centre = np.repeat(stories, each, axis=0)
        own, shared = draw.normal(size=centre.shape), draw.normal(size=(len(centre), 1))
        return np.clip(centre + self.within * (own + shared), 0.0, 1.0)

    def contrasts(self, centres: Array, spread: float) -> dict[str, float]:
        """Return the contrasts of answers around these, on average and within 0 and 1."""
        mean = _mean_within(centres, spread * 2**0.5).mean(axis=0)
        return {
            name: float(mean[above == TASK].mean() - mean[below == TASK].mean())
            for name, (above, below) in CONTRASTS.items()
        }

    def shift_ratio(self, draw: np.random.Generator, stories: Array, each: int) -> float:
        """Return the ratio of the mean shifts over many vignettes of these stories."""
        given, judged = np.split(self.vignettes(draw, stories, each), [len(GIVEN)], axis=1)
        observed, implied = (
            np.nanmean(x[:, ABSENT] - x[:, PRESENT]) for x in (judged, imply(given))
        )
        return float(observed / implied)

    def true_values(self, draw: np.random.Generator) -> dict[str, float]:
        """Return the value of each measure over all stories."""
        total = float(np.hypot(self.between, self.within))
        values = self.contrasts(_answers()[None], total)
        drawn = self.stories(draw, MANY)
        return {**values, "shift_ratio": self.shift_ratio(draw, drawn, POLARITIES)}

    def values_of(self, draw: np.random.Generator, stories: Array) -> dict[str, float]:
        """Return the value of each measure over vignettes of these stories."""
        ratio = self.shift_ratio(draw, stories, MANY // 4)
        return {**self.contrasts(stories, self.within), "shift_ratio": ratio}


def _mean_within(centre: Array, spread: float) -> Array:
    """Return the mean of normal variables that are cut off at 0 and 1."""
    low, high = -centre / spread, (1 - centre) / spread
    inside = ndtr(high) - ndtr(low)
    density = (np.exp(-(low**2) / 2) - np.exp(-(high**2) / 2)) / (2 * np.pi) ** 0.5
    return np.asarray(centre * inside + spread * density + 1 - ndtr(high))


def _measure(said: Array, given: NDArray[np.bool_]) -> dict[str, Estimate]:
    """Return the measures of answers, vignettes x questions, of which only some are given."""
    unit, question = np.nonzero(given)
    value, task = 100 * said[given], TASK[question]
    story, names = (unit // POLARITIES).astype(str), unit.astype(str)
    found = {
        name: task_contrast(name, value, task, unit, stories=story)
        for name in ("explaining_away", "markov_violation")
    }
    columns = {
        "outcome": np.full(unit.size, "scored"),
        "task": task,
        "cause": CAUSE[question],
        "story": story,
        "sampled": names,
        "value": value,
    }
    ones = np.ones(unit.size)
    group = Group({"graph": "collider"}, columns, unit, "vignette", {"scored": unit.size}, ones)
    return {**found, "shift_ratio": measure_shift_ratio(group).ratio}


def judge_coverage(shares: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return the lines whose share is below the bound by more than chance, corrected by Holm.

    Args:
        shares: Line to how many intervals hold the value, and how many there are.
    """
    p = {line: binom.cdf(held, runs, LEAST_COVERED) for line, (held, runs) in shares.items()}
    missed: list[str] = []
    for place, line in enumerate(sorted(p, key=lambda line: p[line])):
        if p[line] * (len(p) - place) >= ALPHA:
            break
        missed.append(line)
    return missed


def stories(small: bool) -> Iterator[Figure]:
    """Yield how often both intervals hold what they speak of, and how wide they are."""
    runs = 100 if small else 1000
    for measure, lines in _coverages(runs).items():
        shares = {line: (sum(x.held for x in found), len(found)) for line, found in lines.items()}
        missed = judge_coverage(shares)
        told = "; ".join(
            f"{line} {held / number:.1%}, {_relative_width(lines[line]):.2f} x"
            for line, (held, number) in shares.items()
        )
        yield Figure(
            f"judge: intervals of {measure} hold the value in {LEAST_COVERED:.1%} of {runs} runs "
            "or more; beside it the middle width, relative to an oracle's who knows the spread",
            told + "".join(f"; too few: {line}" for line in missed),
            not missed,
        )


@dataclass(frozen=True)
class _Tried:
    held: bool
    width: float
    off: float


def _coverages(runs: int) -> dict[str, dict[str, list[_Tried]]]:
    """Return what became of each run, by measure and by line."""
    tried: dict[str, dict[str, list[_Tried]]] = defaultdict(lambda: defaultdict(list))
    for between, lost in product((BETWEEN_STORIES, 0.0), (0.0, MOST_LOST)):
        agent = StoryAgent(between)
        draw = generator("evidence", "stories", between, lost)
        everywhere = agent.true_values(draw)
        for _ in range(runs):
            drawn = agent.stories(draw, STORIES)
            here = agent.values_of(draw, drawn)
            said = agent.vignettes(draw, drawn, POLARITIES)
            rates = lost * draw.random((UNITS, 1))
            found = _measure(said, draw.random(said.shape) >= rates)
            for name, (kind, ends) in product(found, LEVELS.items()):
                line = f"{kind}, sd {between:g}, {'unequal' if lost else 'complete'}"
                true = (here if kind == "these stories" else everywhere)[name]
                tried[name][line].append(_hold(found[name], ends, true))
    return tried


def _hold(found: Estimate, ends: Sequence[str], true: float) -> _Tried:
    """Say whether an interval holds a value; what has no estimate or interval rules out nothing."""
    low, high = (getattr(found, end) for end in ends)
    if found.estimate is None or low is None or high is None:
        return _Tried(True, np.nan, np.nan)
    return _Tried(low - 1e-9 <= true <= high + 1e-9, high - low, found.estimate - true)


def _relative_width(found: Iterable[_Tried]) -> float:
    known = [one for one in found if not np.isnan(one.width)]
    return median(one.width for one in known) / (2 * 1.96 * stdev(one.off for one in known))


STORY_PARTS: Parts = {"stories": stories}
