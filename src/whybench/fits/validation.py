"""How well a scheme predicts tasks it was not fitted to, and which scheme wins by that.

Leave-one-task-out holds out the questions of one task, fits the rest and predicts the held-out
means; `r2` compares all held-out predictions with those means, one point a question, unweighted:
R² = 1 - Σ (y_t - f_t)² / Σ (y_t - ȳ)².

Where a model forces tasks to be equal (see `nets`), a task's fellows give its prediction away,
so plain leave-one-out flatters. Leave-one-class-out holds out whole classes, and with them every
task that has a question in the class.

One table of answers is asked about often: for a measure, a figure, and each comparison with another
agent. So what a fold predicts is remembered, by the numbers that it was fitted to. Who else is
fitted at the same time changes no bit of a fit (see `solver`), and so neither does remembering.

The winner among schemes is the one with the larger leave-one-task-out R²; of equals, the one with
fewer parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from whybench.fits.fitting import collect_flags, r_squared
from whybench.fits.nets import make_predictor
from whybench.fits.search import STARTS, search
from whybench.stats import SMALL_N

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from whybench.fits.judgments import Floats, Judgments, TaskTable
    from whybench.fits.nets import Predictor, Scheme

HoldOut = Literal["task", "class"]

PROBLEMS_AT_ONCE = 2048
"""Bounds the memory that the folds take."""

MOST_REMEMBERED = 10_000
"""When more problems of a scheme than these are remembered, they are forgotten."""


@dataclass(frozen=True, eq=False)
class Validation:
    """Predictions of held-out questions, for each problem.

    Attributes:
        scheme: The model.
        labels: Whose validation it is.
        hold_out: What was held out together.
        predictions: For each question that of the fit that did not see it, (problems, questions).
        r2: Over the questions with answers; -∞ where these are all equal, NaN without any.
        rmse: Over the same points.
        points: How many questions had answers.
        n: Answers.
        flags: `small_n`; of some fold `not_converged`, and `underdetermined` if fewer distinct
            predictions than parameters were left to fit.
        method: How the numbers were made.
    """

    scheme: Scheme
    labels: tuple[str, ...]
    hold_out: HoldOut
    predictions: Floats
    r2: Floats
    rmse: Floats
    points: NDArray[np.intp]
    n: NDArray[np.intp]
    flags: tuple[tuple[str, ...], ...]
    method: str


@dataclass(frozen=True)
class SchemeChoice:
    """The winning scheme of one problem, and the R² of every scheme that was compared.

    There is no winner where no answers are.
    """

    label: str
    winner: str | None
    r2: dict[str, float]


def folds(predictor: Predictor, hold_out: HoldOut) -> list[list[int]]:
    """Return the positions of the questions that are held out together, fold by fold."""
    table = predictor.table
    group = {task: task for task in table.tasks}
    if hold_out == "class":
        for number in set(predictor.classes):
            classes = zip(table.questions, predictor.classes, strict=True)
            members = [question.task for question, own in classes if own == number]
            merged = {group[task] for task in members}
            group = {
                task: group[members[0]] if name in merged else name for task, name in group.items()
            }
    elif hold_out != "task":
        raise ValueError(f"hold_out must be 'task' or 'class', got {hold_out!r}")
    return [
        [k for k, question in enumerate(table.questions) if group[question.task] == name]
        for name in dict.fromkeys(group.values())
    ]


def cross_validate(
    table: TaskTable,
    scheme: Scheme,
    data: Judgments,
    hold_out: HoldOut = "task",
    starts: int = STARTS,
) -> Validation:
    """Predict every question from fits that did not see its task, or its class of tasks.

    Args:
        table: The questions, in the order of the data's columns.
        scheme: The model.
        data: Answers.
        hold_out: What is held out together.
        starts: How many starts of each search.
    """
    predictor = make_predictor(table, scheme)
    seen = data.counts > 0
    predictions, converged = _predict_or_remember(
        predictor, hold_out, starts, data.counts, np.where(seen, data.means, 0.0)
    )
    points = seen.sum(axis=1)
    divisor = np.where(points > 0, points, np.nan)
    mean = (data.means * seen).sum(axis=1) / divisor
    rss = ((data.means - predictions) ** 2 * seen).sum(axis=1)
    spread = ((data.means - mean[:, None]) ** 2 * seen).sum(axis=1)
    fewest = _fewest_points(predictor, folds(predictor, hold_out), seen)
    flags = {
        "small_n": data.n < SMALL_N,
        "not_converged": ~converged,
        "underdetermined": fewest < len(scheme.parameters),
    }
    return Validation(
        scheme=scheme,
        labels=data.labels,
        hold_out=hold_out,
        predictions=predictions,
        r2=r_squared(np.where(points > 0, rss, np.nan), spread),
        rmse=np.sqrt(rss / divisor),
        points=points,
        n=data.n,
        flags=collect_flags(flags),
        method=f"leave-one-{hold_out}-out, R² over question means",
    )


def choose_scheme(validations: Sequence[Validation]) -> tuple[SchemeChoice, ...]:
    """Choose the scheme with the larger R² for each problem; of equals, the simpler one.

    Raises:
        ValueError: The validations are of different problems, or hold out different things.
    """
    if not validations:
        raise ValueError("validations must be at least one, got none")
    first = validations[0]
    for other in validations:
        if (other.labels, other.hold_out) != (first.labels, first.hold_out):
            raise ValueError(
                f"validations must be of the same problems and folds, got {other.scheme.name}"
            )
    ordered = sorted(validations, key=lambda validation: len(validation.scheme.parameters))
    choices = []
    for k, label in enumerate(first.labels):
        r2 = {validation.scheme.name: float(validation.r2[k]) for validation in ordered}
        known = {name: value for name, value in r2.items() if not np.isnan(value)}
        choices.append(
            SchemeChoice(label, max(known, key=known.__getitem__) if known else None, r2)
        )
    return tuple(choices)


def _predict_or_remember(
    predictor: Predictor, hold_out: HoldOut, starts: int, counts: Floats, means: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the predictions for held-out questions, and whether all fits converged."""
    known = predictor.remembered
    if len(known) > MOST_REMEMBERED:
        known.clear()
    keys = [(hold_out, starts, row.tobytes()) for row in np.hstack([counts, means])]
    new = {key: place for place, key in enumerate(keys) if key not in known}
    parts, places = folds(predictor, hold_out), list(new.values())
    for first in range(0, len(places), PROBLEMS_AT_ONCE):
        chosen = places[first : first + PROBLEMS_AT_ONCE]
        found = _predict_held_out(predictor, parts, counts[chosen], means[chosen], starts)
        for place, predictions, converged in zip(chosen, *found, strict=True):
            known[keys[place]] = predictions, bool(converged)
    rows = [known[key] for key in keys]
    return np.array([row for row, _ in rows]), np.array([done for _, done in rows])


def _predict_held_out(
    predictor: Predictor, parts: list[list[int]], counts: Floats, means: Floats, starts: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """Fit without each part; return the predictions for it, and whether all fits converged."""
    kept = np.ones((len(parts), counts.shape[1]))
    for number, part in enumerate(parts):
        kept[number, part] = 0.0
    fitted = (counts[:, None] * kept).reshape(-1, counts.shape[1])
    solution = search(predictor, fitted, np.repeat(means, len(parts), axis=0), starts)
    everything = predictor.predict(solution.theta).T.reshape(len(counts), len(parts), -1)
    predictions: Floats = np.empty(counts.shape)
    for number, part in enumerate(parts):
        predictions[:, part] = everything[:, number, part]
    converged = solution.converged.reshape(len(counts), len(parts)).all(axis=1)
    return predictions, np.asarray(converged)


def _fewest_points(
    predictor: Predictor, parts: list[list[int]], seen: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Return the fewest distinct predictions with answers that some fold is fitted to."""
    classes = np.array(predictor.classes)
    fewest = np.full(len(seen), predictor.points)
    for part in parts:
        fitted = seen.copy()
        fitted[:, part] = False
        answered = [fitted[:, classes == number].any(axis=1) for number in range(predictor.points)]
        fewest = np.minimum(fewest, np.sum(answered, axis=0))
    return fewest
