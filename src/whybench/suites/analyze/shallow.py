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
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
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

__all__ = ["SHALLOW", "Discriminant", "draw_pairs", "fit_agent", "measure_auc", "score_agent"]

HINT = 5
"""The level at which texts are read: the bare story, which says the least."""

RIDGE = 0.1
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
    numbers = [
        np.asarray(instance.rows[role], dtype=float) for role in roles if _is_number(instance, role)
    ]
    seen = [value for column in numbers for value in (column.mean(), np.log(column.std() + 1e-9))]
    return np.array([instance.size, *seen])


def see_signs(instance: Instance, roles: Sequence[str]) -> tuple[int, ...]:
    """Return the sign of each correlation, 0 where it is not clear."""
    columns = [instance.rows[role] for role in roles if _is_number(instance, role)]
    correlations = np.corrcoef(np.array(columns, dtype=float))[np.triu_indices(len(columns), 1)]
    clear = np.abs(correlations) * np.sqrt(instance.size) > CLEAR
    return tuple((np.sign(correlations) * clear).astype(int).tolist())


def see_words(instance: Instance) -> set[str]:
    """Return the words of the description."""
    text = render_description(instance, "neutral", HINT).split("\n{")[0].lower()
    return set(WORD.findall(text))


def _is_number(instance: Instance, role: str) -> bool:
    return bool(np.issubdtype(instance.rows[role].dtype, np.number))


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
        centre, spread = both.mean(axis=0), both.std(axis=0) + 1e-9
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


See = Callable[["Instance"], Hashable]


def _fit_sight(kind: str, pairs: Sequence[Pair], challenge: Challenge) -> See:
    """Return what an agent makes of an instance: the class to which it gives one answer."""
    if kind == "constant":
        return lambda _: ()
    if kind == "signs":
        return lambda instance: see_signs(instance, challenge.shown)
    if kind == "text and signs":
        told = _fit_sight("text", pairs, challenge)
        return lambda instance: (told(instance), see_signs(instance, challenge.shown))
    look = fit_features(kind, pairs, challenge)
    line = Discriminant.fit(
        np.array([look(trap) for trap, _ in pairs]),
        np.array([look(control) for _, control in pairs]),
    )
    return lambda instance: bool(line.score(look(instance))[0] > 0)


def fit_features(
    kind: str, pairs: Sequence[Pair], challenge: Challenge
) -> Callable[[Instance], Array]:
    """Return what is measured of an instance: marginals, or which words it has."""
    if kind == "marginals":
        return lambda instance: see_marginals(instance, challenge.shown)
    counts = Counter(word for pair in pairs for one in pair for word in see_words(one))
    half = [word for word, count in counts.items() if 0 < count < 2 * len(pairs)]
    words = sorted(half, key=lambda word: (-counts[word], word))[:200]
    return lambda instance: np.isin(words, list(see_words(instance))).astype(float)


def fit_agent(
    kind: str, pairs: Sequence[Pair], challenge: Challenge
) -> Callable[[Instance], dict[str, Any]]:
    """Return a shallow agent that has learned these pairs by heart."""
    see = _fit_sight(kind, pairs, challenge)
    classes: dict[Hashable, list[Instance]] = defaultdict(list)
    for pair in pairs:
        for instance in pair:
            classes[see(instance)].append(instance)
    everything = [instance for pair in pairs for instance in pair]
    answers = {key: _commonest(members, challenge) for key, members in classes.items()}
    usual = _commonest(everything, challenge)

    def answer(instance: Instance) -> dict[str, Any]:
        scale = _scale(instance)
        learned = answers.get(see(instance), usual)
        return {name: _times(value, scale) for name, value in learned.items()}

    return answer


def _commonest(instances: Sequence[Instance], challenge: Challenge) -> dict[str, Any]:
    """Return the commonest answer; numbers in units of the outcome's spread."""
    answer: dict[str, Any] = {}
    for field in challenge.fields:
        interval = isinstance(field, IntervalField)
        name = field.of if isinstance(field, IntervalField) else field.name
        truths = [(instance.truths[name], _scale(instance)) for instance in instances]
        first = truths[0][0]
        if isinstance(first, CategoricalTruth):
            answer[name] = Counter(truth.value for truth, _ in truths).most_common(1)[0][0]
        elif isinstance(first, TableTruth):
            answer[name] = {
                row: median(truth.rows[row].value / scale for truth, scale in truths)
                for row in first.rows
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
        min(grade_values(challenge.fields, one, answer(one)).score for one in pair)
        for pair in pairs
    ]


SHALLOW = ("constant", "text", "marginals", "signs", "text and signs")
"""The shallow agents."""
