"""Records to the causal model that describes an agent's answers best, and how well it does.

Each agent under each condition is fitted by the noisy-OR models of its graph; the one that
predicts held-out tasks better wins. Its measures:

- `prior`, `leak`, `strength`: prior of a cause, leak, and strength of a cause (the mean of both
  where the winner tells them apart);
- `leak_adjusted_determinacy`: m - b, how far the answers are from "causes make no difference"
  towards "causes decide";
- `heldout_r2`: R² of predicting each task's mean from a fit to the other tasks;
- `heldout_class_r2`: the same, holding out whole classes of tasks that the model forces to be
  equal (IV with V; IX, X and XI), since a task is easily predicted from its twin.

The convention is that of the published fits: a task pools its two versions and is predicted as
the first. Intervals of the parameters resample whole vignettes (or people). Resampling would add
noise to the means, which can only lower an R², so the two held-out R² have a jackknife interval:
each vignette is left out once, and log(1 - R²) varies as Student's t says. It speaks of the
R² that this number of answers shows; noise in the answers keeps it below the agent's
own.

The table `fits` has more of each fit: the number of parameters, the strengths of both causes of a
collider (`strength_1`, `strength_2`), and how far single answers lie from it (`rmse`, `mae`, `r2`).
Information criteria of the winner (`aic`, `bic`) stand there too, with the number of parameters
that each would have chosen (`aic_parameters`, `bic_parameters`): they count parameters, the winner
is by what it predicts. With errors of least squares, AIC is n ln(RSS/n) + 2k and BIC n ln(RSS/n) +
k ln n.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.fits import (
    CHAIN_3,
    COLLIDER_3,
    COLLIDER_4,
    FORK_3,
    HoldOut,
    Judgments,
    Scheme,
    TaskQuestion,
    TaskTable,
    bootstrap_intervals,
    choose_scheme,
    cross_validate,
    fit,
    information_criteria,
)
from whybench.fits.intervals import sum_by_unit
from whybench.stats import Estimate, Measure, t_quantile
from whybench.suites.judge.groups import CONDITION, group_answers, make_measure
from whybench.suites.judge.questions import load_structure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.suites.groups import Group
    from whybench.suites.judge.questions import JudgeQuestion

SCHEMES: dict[str, tuple[Scheme, ...]] = {
    "collider": (
        replace(
            COLLIDER_3,
            derived={
                **COLLIDER_3.derived,
                "strength_1": {"strength": 1.0},
                "strength_2": {"strength": 1.0},
            },
        ),
        replace(
            COLLIDER_4,
            derived={**COLLIDER_4.derived, "strength": {"strength_1": 0.5, "strength_2": 0.5}},
        ),
    ),
    "fork": (FORK_3,),
    "chain": (CHAIN_3,),
}
"""Graph to the models that are fitted to its answers."""

PARAMETERS = ("prior", "leak", "strength", "leak_adjusted_determinacy")
STRENGTHS = ("strength_1", "strength_2")
"""The strengths of the causes of a collider; both are m where the winner has one for both."""

ERRORS = ("rmse", "mae", "r2")
"""How far single answers lie from a fit."""

MIN_ERROR = 1e-12
"""1 - R² of a perfect prediction, whose logarithm must exist."""


@dataclass(frozen=True)
class FittedModel:
    """The model that describes one agent under one condition.

    Attributes:
        group: The agent, the condition and its answers.
        scheme: The winning model.
        tasks: The tasks, in the order of the arrays below.
        means: The mean answer to each task, 0 to 1; NaN where there is none.
        predictions: What the winning model, fitted to all tasks, predicts.
        estimates: `prior`, `leak`, `strength`, `leak_adjusted_determinacy` with intervals; of a
            collider also `strength_1`, `strength_2`.
        heldout_r2: R² of predicting held-out tasks, with its interval.
        heldout_class_r2: R² of predicting held-out classes of tasks, with its interval.
        rmse: Row-level root mean square error of the fit.
        r2: Row-level R² of the fit.
        mae: Mean absolute error of single answers; NaN where these are not known.
        criteria: Number of parameters of each model that was fitted, to its AIC and BIC.
        flags: What a reader should know.
    """

    group: Group
    scheme: Scheme
    tasks: tuple[str, ...]
    means: NDArray[np.float64]
    predictions: NDArray[np.float64]
    estimates: dict[str, Estimate]
    heldout_r2: Estimate
    heldout_class_r2: Estimate
    rmse: float
    r2: float
    mae: float
    criteria: Mapping[int, Mapping[str, float]]
    flags: tuple[str, ...]

    def measures(self) -> Iterator[Measure]:
        """Yield the measures of this model."""
        unknown = "underdetermined" in self.flags  # fewer distinct tasks than parameters
        kind = f"noisy-OR, {len(self.scheme.parameters)} parameters"
        for name, estimate in (
            *((name, self.estimates[name]) for name in PARAMETERS),
            ("heldout_r2", self.heldout_r2),
            ("heldout_class_r2", self.heldout_class_r2),
        ):
            known = replace(estimate, estimate=None, low=None, high=None) if unknown else estimate
            flagged = replace(known, flags=(*self.flags, *estimate.flags))
            yield make_measure(self.group, name, flagged, f"{kind}; {estimate.method}")


def task_table(graph: str) -> TaskTable:
    """Return the tasks of a graph as a fit sees them: the first version stands for both."""
    structure = load_structure(graph)
    first: dict[str, JudgeQuestion] = {}
    for question in structure.questions:
        first.setdefault(question.task, question)
    questions = [TaskQuestion(task, q.target, q.given) for task, q in first.items()]
    return TaskTable(structure.graph, tuple(questions))


def fit_agents(
    records: pa.Table, resamples: int = 2000, condition: Sequence[str] = CONDITION
) -> list[FittedModel]:
    """Fit every agent under every condition.

    Args:
        records: Answers, as they are or summed up.
        resamples: Refits for the intervals of each parameter; 0 for no intervals.
        condition: The columns that make up a condition.
    """
    groups = [group for group in group_answers(records, condition) if group.units.size]
    models: dict[int, FittedModel] = {}
    for graph in dict.fromkeys(group.labels["graph"] for group in groups):
        positions = [k for k, group in enumerate(groups) if group.labels["graph"] == graph]
        fitted = _fit_graph(graph, [groups[k] for k in positions], resamples)
        models |= zip(positions, fitted, strict=True)
    return [models[position] for position in sorted(models)]


def model_measures(records: pa.Table, resamples: int = 2000) -> Iterator[Measure]:
    """Yield the measures of every agent's model."""
    for model in fit_agents(records, resamples):
        yield from model.measures()


def fit_row(model: FittedModel) -> dict[str, Any]:
    """Return all that there is to say of a fit, as one flat row."""
    row: dict[str, Any] = {
        **model.group.labels,
        "parameters": len(model.scheme.parameters),
        "n": model.group.units.size,
        "heldout_r2": model.heldout_r2.estimate,
        "heldout_class_r2": model.heldout_class_r2.estimate,
        **{name: getattr(model, name) for name in ERRORS},
        **_criteria_columns(model),
        "flags": " ".join(model.flags),
    }
    for name, found in model.estimates.items():
        row |= {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
    return row


def _criteria_columns(model: FittedModel) -> dict[str, float | None]:
    """Return AIC and BIC of the winner, and how many parameters each would have chosen."""
    own = model.criteria[len(model.scheme.parameters)]
    columns: dict[str, float | None] = {}
    for name, value in own.items():
        best = min(model.criteria, key=lambda count: (model.criteria[count][name], count))
        columns |= {name: value if np.isfinite(value) else None, f"{name}_parameters": best}
    return columns


def fits_table(records: pa.Table) -> pa.Table:
    """Return a row for the fit of each agent under each condition."""
    import pyarrow as pa  # noqa: PLC0415  (not for `whybench list`)

    return pa.Table.from_pylist([fit_row(model) for model in fit_agents(records)])


def error_measures(models: Iterable[FittedModel]) -> Iterator[Measure]:
    """Yield how far single answers lie from each fit; there is no interval."""
    for model in models:
        n, units = model.group.units.size, int(np.unique(model.group.units).size)
        for name in ERRORS:
            value = getattr(model, name)
            known = None if np.isnan(value) else value
            estimate = Estimate(known, None, None, n, units, "of the fit to all answers")
            yield make_measure(model.group, name, estimate, estimate.method)


def strength_measures(models: Iterable[FittedModel]) -> Iterator[Measure]:
    """Yield the strengths of the causes of each collider."""
    for model in models:
        for name in STRENGTHS:
            if (found := model.estimates.get(name)) and "underdetermined" not in model.flags:
                yield make_measure(model.group, name, found, found.method)


def _fit_graph(graph: str, groups: Sequence[Group], resamples: int) -> list[FittedModel]:
    """Fit the groups of one graph, all at once."""
    table = task_table(graph)
    names = list(map(str, range(len(groups))))
    columns = {
        name: np.concatenate([group[name] for group in groups]) for name in groups[0].columns
    }
    summed = "square" in columns
    data = Judgments.from_rows(
        table,
        columns["value"] / 100,
        columns["task"].tolist(),
        np.repeat(names, [group.units.size for group in groups]).tolist(),
        columns["sampled"].tolist(),
        np.concatenate([group.weights for group in groups]) if summed else None,
        columns["square"] / 100**2 if summed else None,
    )
    schemes = SCHEMES[graph]
    by_task = [cross_validate(table, scheme, data) for scheme in schemes]
    by_class = [cross_validate(table, scheme, data, "class") for scheme in schemes]
    winners = [choice.winner for choice in choose_scheme(by_task)]
    criteria = {len(s.parameters): information_criteria(fit(table, s, data)) for s in schemes}
    models: dict[int, FittedModel] = {}
    for scheme, tasks, classes in zip(schemes, by_task, by_class, strict=True):
        won = [position for position, winner in enumerate(winners) if winner == scheme.name]
        if not won:
            continue
        chosen = data.select(won)
        fits = fit(table, scheme, chosen)
        estimates = bootstrap_intervals(
            table, scheme, chosen, fits, resamples=resamples, keys=("judge",)
        )
        by_tasks = _heldout_estimates(table, scheme, chosen, tasks.r2[won], "task")
        by_classes = _heldout_estimates(table, scheme, chosen, classes.r2[won], "class")
        for row, position in enumerate(won):
            models[position] = FittedModel(
                group=groups[position],
                scheme=scheme,
                tasks=table.names,
                means=np.where(chosen.counts[row] > 0, chosen.means[row], np.nan),
                predictions=fits.predictions[row],
                estimates={
                    name: estimates[row][name]
                    for name in (*PARAMETERS, *STRENGTHS)
                    if name in estimates[row]
                },
                heldout_r2=by_tasks[row],
                heldout_class_r2=by_classes[row],
                rmse=float(fits.rmse[row]),
                r2=float(fits.r2[row]),
                mae=float("nan") if fits.mae is None else float(fits.mae[row]),
                criteria={
                    count: {name: float(values[position]) for name, values in found.items()}
                    for count, found in criteria.items()
                },
                flags=fits.flags[row],
            )
    return [models[position] for position in sorted(models)]


def _heldout_estimates(
    table: TaskTable,
    scheme: Scheme,
    data: Judgments,
    whole: NDArray[np.float64],
    hold_out: HoldOut,
) -> list[Estimate]:
    """Return R² of held-out tasks with a jackknife interval, for every problem."""
    jackknives = [sample.jackknife() for sample in sum_by_unit(data)]
    counts = np.concatenate([counts for counts, _ in jackknives])
    means = np.concatenate([means for _, means in jackknives])
    labels = tuple(map(str, range(len(counts))))
    left_out = cross_validate(table, scheme, Judgments(labels, counts, means, means), hold_out).r2
    ends = np.cumsum([len(counts) for counts, _ in jackknives])[:-1]
    return [
        _jackknife_interval(float(value), parts, int(n))
        for value, parts, n in zip(whole, np.split(left_out, ends), data.n, strict=True)
    ]


def _jackknife_interval(value: float, parts: NDArray[np.float64], n: int) -> Estimate:
    method = f"R² of held-out tasks; jackknife over {len(parts)} units"
    if not np.isfinite(value):
        return Estimate(None, None, None, n, len(parts), method)
    errors = np.log(np.maximum(1 - parts, MIN_ERROR))
    if len(parts) < 2 or not np.all(np.isfinite(errors)):
        return Estimate(value, None, None, n, len(parts), method)
    spread = np.sqrt((len(parts) - 1) * np.mean((errors - errors.mean()) ** 2))
    half = t_quantile(0.975, len(parts) - 1) * float(spread)
    error = np.log(max(1 - value, MIN_ERROR))
    low, high = (float(1 - np.exp(error + side * half)) for side in (1, -1))
    return Estimate(value, min(low, value), max(high, value), n, len(parts), method)
