"""Shallow agents: how far one gets without an analysis.

Each is fitted on data sets of training, whose answers it learns by heart, and answers data sets of
the test, in settings and with parameters that it has never met. It sees little of them:

| agent | sees |
|---|---|
| `constant` | nothing: the commonest answer of each challenge |
| `text` | the words of the description |
| `marginals` | the mean and the spread of each column |
| `signs` | which columns go together, and in which direction |
| `text and signs` | both |

What it sees becomes a class, and each class has the answer that was commonest in training; numbers
are remembered in units of the outcome's spread. It even knows which column has which role, which
nobody is told. `discriminate` says how well a trap is told from its controls by features alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    NumericTruth,
    TableTruth,
)
from whybench.suites.analyze.estimators.regression import NORMAL_95
from whybench.suites.analyze.fields import IntervalField
from whybench.suites.analyze.grading import grade_values
from whybench.suites.analyze.prompts import render_description

if TYPE_CHECKING:
    from whybench.seeds import Split
    from whybench.suites.analyze.challenges.contract import Challenge, Instance
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.settings import Setting

ALWAYS = "always-trap"

MOST_TWIN, MOST_AUC = 0.45, 0.60
"""The most that a shallow agent may have, in mean twin score and in telling traps from controls."""

HINT = 5
"""The level at which texts are read: the bare story, which says the least."""

RIDGE, TINY = 0.1, 1e-9
CLEAR = 3.0
"""How many standard errors a correlation must be from 0 to have a sign."""

WORD = re.compile(r"[a-z]+")

Pair = tuple["Instance", "Instance"]
"""A trap and one of its controls."""


def draw_pairs(challenge: Challenge, split: Split, seeds: Sequence[int]) -> list[Pair]:
    """Return a trap and a control for each seed, the controls in turn."""
    pairs = []
    for seed in seeds:
        twins = challenge.generate_twins("shallow", seed, split=split)
        control = challenge.controls[seed % len(challenge.controls)]
        pairs.append((twins[TRAP], twins[control]))
    return pairs


def see_marginals(instance: Instance, roles: Sequence[str]) -> Array:
    """Return the number of rows, and the mean and the spread of each column."""
    seen = [
        value
        for column in _numbers(instance, roles)
        for value in (column.mean(), np.log(column.std() + TINY))
    ]
    return np.array([instance.size, *seen])


def see_signs(instance: Instance, roles: Sequence[str]) -> tuple[int, ...]:
    """Return the sign of each correlation, 0 where it is not clear."""
    columns = _numbers(instance, roles)
    standard = [(column - column.mean()) / (column.std() + TINY) for column in columns]
    correlations = np.cov(standard, bias=True)[np.triu_indices(len(columns), 1)]
    clear = np.abs(correlations) * np.sqrt(instance.size) > CLEAR
    return tuple((np.sign(correlations) * clear).astype(int).tolist())


def see_words(instance: Instance) -> set[str]:
    """Return the words of the description."""
    text = render_description(instance, "neutral", HINT).split("\n{")[0].lower()
    return set(WORD.findall(text))


def _numbers(instance: Instance, roles: Sequence[str]) -> list[Array]:
    """Return the columns of numbers among these."""
    columns = [instance.rows[role] for role in roles]
    return [column.astype(float) for column in columns if np.issubdtype(column.dtype, np.number)]


@dataclass(frozen=True)
class Discriminant:
    """A line between two groups in the space of features and their squares (Fisher's).

    Attributes:
        centre: Means of the features in training.
        spread: Their standard deviations.
        weights: Of features and squares.
        cut: The score above which it is the first group.
    """

    centre: Array
    spread: Array
    weights: Array
    cut: float

    @classmethod
    def fit(cls, first: Array, second: Array) -> Discriminant:
        """Find the line that keeps the groups apart."""
        both = np.vstack([first, second])
        centre, spread = both.mean(axis=0), both.std(axis=0) + TINY
        unfitted = cls(centre, spread, np.empty(0), 0.0)
        groups = [unfitted._expand(group) for group in (first, second)]
        within = sum(np.cov(group.T, bias=True) for group in groups) / 2
        gap = groups[0].mean(axis=0) - groups[1].mean(axis=0)
        weights = np.linalg.solve(np.atleast_2d(within) + RIDGE * np.eye(len(gap)), gap)
        cut = float(fmean(group.mean(axis=0) @ weights for group in groups))
        return cls(centre, spread, weights, cut)

    def score(self, features: Array) -> Array:
        """Return how far each row of features is on the side of the first group."""
        scores: Array = self._expand(np.atleast_2d(features)) @ self.weights - self.cut
        return scores

    def _expand(self, features: Array) -> Array:
        standard = np.clip((features - self.centre) / self.spread, -4, 4)
        return np.hstack([standard, standard**2])


def measure_auc(first: Array, second: Array) -> float:
    """Return how often a score of the first group is above one of the second; ties count half."""
    above = np.sign(first[:, None] - second[None, :])
    return float((1 + above.mean()) / 2)


Line = Callable[["Instance"], float]
"""An instance to how far it is on the side of traps; each is looked at once."""


def fit_line(kind: str, pairs: Sequence[Pair], challenge: Challenge) -> Line:
    """Return the line between traps and controls by `marginals`, or by `text`."""
    look = _choose_features(kind, pairs, challenge)
    line = Discriminant.fit(
        np.array([look(trap) for trap, _ in pairs]),
        np.array([look(control) for _, control in pairs]),
    )
    return cache(lambda instance: float(line.score(look(instance))[0]))


def _choose_features(
    kind: str, pairs: Sequence[Pair], challenge: Challenge
) -> Callable[[Instance], Array]:
    """Return what is measured of an instance: marginals, or which words it has."""
    if kind == "marginals":
        return lambda instance: see_marginals(instance, challenge.shown)
    words_of = cache(see_words)
    counts = Counter(word for pair in pairs for one in pair for word in words_of(one))
    half = [word for word, count in counts.items() if 0 < count < 2 * len(pairs)]
    words = sorted(half, key=lambda word: (-counts[word], word))[:200]
    return lambda instance: np.isin(words, list(words_of(instance))).astype(float)


def _sort(kind: str, instance: Instance, lines: Mapping[str, Line], roles: Sequence[str]) -> Any:
    """Return what an agent makes of an instance: the class to which it gives one answer."""
    sides = tuple(line(instance) > 0 for seen, line in lines.items() if seen in kind)
    return sides, see_signs(instance, roles) if "signs" in kind else ()


def fit_agent(
    kind: str, pairs: Sequence[Pair], challenge: Challenge, lines: Mapping[str, Line]
) -> Callable[[Instance], dict[str, Any]]:
    """Return a shallow agent that has learned these pairs by heart, and goes by these lines."""
    everything = [instance for pair in pairs for instance in pair]
    classes: dict[Hashable, list[Instance]] = defaultdict(list)
    for instance in everything:
        classes[_sort(kind, instance, lines, challenge.shown)].append(instance)
    answers = {key: _commonest(members, challenge) for key, members in classes.items()}
    usual = _commonest(everything, challenge)

    def answer(instance: Instance) -> dict[str, Any]:
        scale = _scale(instance)
        learned = answers.get(_sort(kind, instance, lines, challenge.shown), usual)
        return {name: _times(value, scale) for name, value in learned.items()}

    return answer


def _commonest(instances: Sequence[Instance], challenge: Challenge) -> dict[str, Any]:
    """Return the commonest answer; numbers in units of the outcome's spread."""
    answer: dict[str, Any] = {}
    for field in challenge.report:
        interval = isinstance(field, IntervalField)
        name = field.of if isinstance(field, IntervalField) else field.name
        truths = [(instance.truths[name], _scale(instance)) for instance in instances]
        kind = Counter(type(truth) for truth, _ in truths).most_common(1)[0][0]
        truths = [(truth, scale) for truth, scale in truths if isinstance(truth, kind)]
        first = truths[0][0]
        if isinstance(first, CategoricalTruth):
            values = Counter(truth.value for truth, _ in truths)
            answer[field.name] = values.most_common(1)[0][0]
        elif isinstance(first, TableTruth):
            tables = [(t.rows, scale) for t, scale in truths if isinstance(t, TableTruth)]
            answer[name] = {
                row: median(rows[row].value / scale for rows, scale in tables) for row in first.rows
            }
        else:
            numbers = [(t.value / s, t.se / s) for t, s in truths if isinstance(t, NumericTruth)]
            middle = median(value for value, _ in numbers)
            reach = NORMAL_95 * median(se for _, se in numbers)
            answer[field.name] = (middle - reach, middle + reach) if interval else middle
    return answer


def _scale(instance: Instance) -> float:
    """Return the spread of an outcome whose units are drawn; 1 where they are always the same."""
    return float(instance.rows["outcome"].std()) if "outcome" in instance.telling.units else 1.0


def _times(value: Any, scale: float) -> Any:
    if isinstance(value, Mapping):
        return {row: _times(entry, scale) for row, entry in value.items()}
    if isinstance(value, tuple) and all(isinstance(end, float) for end in value):
        return tuple(scale * end for end in value)
    return scale * value if isinstance(value, float) else value


def score_agent(
    answer: Callable[[Instance], Mapping[str, Any]], pairs: Sequence[Pair], challenge: Challenge
) -> list[float]:
    """Return the twin score of each pair."""
    return [
        min(grade_values(challenge.report, one, answer(one)).score for one in pair)
        for pair in pairs
    ]


SHALLOW = ("constant", "text", "marginals", "signs", "text and signs")
"""The shallow agents."""


@dataclass(frozen=True)
class ShallowResult:
    """How far shallow agents get in a challenge.

    Attributes:
        challenge: Its name.
        pairs: How many pairs of twins they were tried on.
        twin: Mean twin scores by agent, and that of who always claims the trap.
        error: The standard error of each, clustered by setting.
        auc: How well traps are told from controls by `marginals` and by `text`.
        told_apart: Whether the text rightly tells a trap from a control.
        not_shallow: What is the analysis itself, so that seeing it is no shortcut.
    """

    challenge: str
    pairs: int
    twin: Mapping[str, float]
    error: Mapping[str, float]
    auc: Mapping[str, float]
    told_apart: bool
    not_shallow: tuple[str, ...] = ()

    def counts(self, kind: str) -> bool:
        """Whether it is a shortcut to see what an agent of a kind sees."""
        return kind != ALWAYS and not any(sight in kind for sight in self.not_shallow)


def measure_shallow(challenge: Challenge, count: int) -> ShallowResult:
    """Fit shallow agents on so many pairs of training, and try them on as many of the test."""
    train, test = (draw_pairs(challenge, split, range(count)) for split in ("train", "test"))
    lines = {kind: fit_line(kind, train, challenge) for kind in ("marginals", "text")}
    agents = {kind: fit_agent(kind, train, challenge, lines) for kind in SHALLOW}
    agents[ALWAYS] = partial(challenge.answer, "always_trap")
    scores = {kind: score_agent(answer, test, challenge) for kind, answer in agents.items()}
    settings = [trap.telling.setting for trap, _ in test]
    return ShallowResult(
        challenge.name,
        count,
        {kind: fmean(values) for kind, values in scores.items()},
        {kind: _clustered_error(values, settings) for kind, values in scores.items()},
        {kind: _separate(line, test) for kind, line in lines.items()},
        any(_changes_with_variant(setting) for setting in challenge.read_settings().values()),
        challenge.not_shallow,
    )


def _separate(line: Line, pairs: Sequence[Pair]) -> float:
    """Return how well a line tells the traps of pairs from their controls."""
    return measure_auc(*(np.array([line(pair[side]) for pair in pairs]) for side in (0, 1)))


def _clustered_error(values: Sequence[float], clusters: Sequence[str]) -> float:
    """Return the standard error of a mean of values that come in clusters."""
    mean, sums = fmean(values), defaultdict[str, float](float)
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] += value - mean
    groups = len(sums)
    if groups < 2:
        return float("inf")
    spread = sum(total**2 for total in sums.values()) * groups / (groups - 1)
    return float(np.sqrt(spread)) / len(values)


def _changes_with_variant(setting: Setting) -> bool:
    return bool(setting.variants) or any(words.by_variant for words in setting.columns.values())


def find_leaks(result: ShallowResult, luck: float = 0.0) -> Iterator[str]:
    """Yield what a shallow agent gets too far with, beyond so many standard errors of chance."""
    for kind, twin in result.twin.items():
        if result.counts(kind) and twin > MOST_TWIN + luck * SPREAD / np.sqrt(result.pairs):
            yield f"{result.challenge}: {kind} has a twin score of {twin:.2f}"
    for kind, auc in result.auc.items():
        if not result.counts(kind) or (kind == "text" and result.told_apart):
            continue
        if auc > MOST_AUC + luck * SPREAD_OF_AUC / np.sqrt(result.pairs):
            yield f"{result.challenge}: {kind} tell traps from controls, AUC {auc:.2f}"


SPREAD, SPREAD_OF_AUC = 0.3, 0.41
"""Standard deviations of a pair's twin score, and of an AUC of one half by the root of pairs."""
