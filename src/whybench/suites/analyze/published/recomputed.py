"""What a key should hold, worked out from the rows it is a key to.

One function for each kind of challenge; it yields the fields that the rows settle, under the names
the key has for them. Rates and means are as they are in the rows. Effects are adjusted for what
the key itself calls confounders: the question here is whether a key follows from its own
assumptions, not whether these are good ones. `REASONS` says why a field is not recomputed.

Every number can be had in two ways (`ways`): the second bears out the first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.dose_curves import curve, near
from whybench.suites.analyze.doubly_robust import doubly_robust
from whybench.suites.analyze.estimators import (
    Array,
    Coefficient,
    design_matrix,
    least_squares,
)
from whybench.suites.analyze.published.graphs import compatible_graphs, write_graph
from whybench.suites.analyze.published.ways import FLOATING, Ways

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from whybench.suites.analyze.published.reading import DataSet

__all__ = ["REASONS", "SETTLED", "Recomputed", "inferred_edge", "recompute"]

LEVEL = 0.05
SMALL_GROUP = 30
NEAR_DOSE = 0.5


@dataclass(frozen=True)
class Recomputed:
    """One field of a key, recomputed.

    Attributes:
        name: The key's name of the field.
        value: A number with its error, or words.
        method: How it was found.
        n: How many rows it rests on; of an effect, how many had the rarer treatment.
        also: What other estimators that deserve the same trust make of the same rows, by name.
    """

    name: str
    value: Coefficient | str
    method: str
    n: int
    also: Mapping[str, Coefficient] = field(default_factory=dict)

    @property
    def small_n(self) -> bool:
        """Whether there are too few rows to trust the error."""
        return self.n < SMALL_GROUP


def recompute(data: DataSet, ways: Ways = FLOATING) -> Iterator[Recomputed]:
    """Yield the fields of a data set's key that its rows settle."""
    if data.challenge in _FIELDS:
        yield from _FIELDS[data.challenge](data, ways)


def _mean(name: str, values: Array, ways: Ways) -> Recomputed:
    return Recomputed(name, ways.mean(values), "mean", len(values))


def _standardised(
    outcome: Array, treatment: Array, stratum: Array, before: list[Array], ways: Ways
) -> Recomputed:
    effect = ways.standardised(outcome, treatment, stratum)
    also = _robust(outcome, treatment, before)
    return Recomputed("ADJUSTED_P_DIFF", effect, "standardised", _rarer(treatment), also)


def _robust(outcome: Array, treatment: Array, before: list[Array]) -> dict[str, Coefficient]:
    return {"doubly robust": doubly_robust(outcome, treatment, before)}


def _rarer(treatment: Array) -> int:
    return int(min((treatment == 1).sum(), (treatment == 0).sum()))


def _simpson(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    assert data.key is not None
    drug, outcome, stratum = data.columns("TREATMENT", "OUTCOME", "CONFOUNDER")
    treated = (drug == "Yes").astype(int)
    for had, word in ((1, "YES"), (0, "NO")):
        yield _mean(f"OVERALL_P_{word}", outcome[treated == had], ways)
        for level in ("LEVEL1", "LEVEL2"):
            here = (treated == had) & (stratum == data.key[level])
            yield _mean(f"P_{level}_{word}", outcome[here], ways)
    before = [(stratum == data.key["LEVEL1"]).astype(int)]
    yield _standardised(outcome, treated, stratum, before, ways)


def _selection(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    first, second = data.columns("VARIABLE_X", "VARIABLE_Y")
    yield _mean("NAIVE_CONDITIONAL_1", second[first == 1], ways)
    yield _mean("NAIVE_CONDITIONAL_2", second[first == 0], ways)


def _observational(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    treatment, outcome = data.columns("TREATMENT", "OUTCOME")
    before = [*data.columns("TRUE_CONFOUNDERS")]
    stratum = np.unique(np.column_stack(before), axis=0, return_inverse=True)[1].reshape(-1)
    yield _mean("OVERALL_P_YES", outcome[treatment == 1], ways)
    yield _mean("OVERALL_P_NO", outcome[treatment == 0], ways)
    yield _standardised(outcome, treatment, stratum, before, ways)


def _adjusted(name: str, data: DataSet, ways: Ways) -> Recomputed:
    treatment, outcome, *before = data.columns("TREATMENT", "OUTCOME", "TRUE_CONFOUNDERS")
    effect = ways.coefficients(outcome, design_matrix(treatment, *before))[1]
    also = _robust(outcome, treatment, before)
    return Recomputed(name, effect, "least squares", _rarer(treatment), also)


def _effect(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    yield _adjusted("TRUE_CAUSAL_EFFECT", data, ways)


def _means(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    treatment, outcome = data.columns("TREATMENT", "OUTCOME")
    yield _mean("OVERALL_MEAN_TREATMENT", outcome[treatment == 1], ways)
    yield _mean("OVERALL_MEAN_NO_TREATMENT", outcome[treatment == 0], ways)


def _mediated(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    yield from _means(data, ways)
    yield _adjusted("ADJUSTED_TREATMENT_EFFECT", data, ways)


def _interaction(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    yield from _means(data, ways)
    treatment, outcome, mediator = data.columns("TREATMENT", "OUTCOME", "MEDIATOR")
    held = data.columns("TRUE_CONFOUNDERS")
    matrix = design_matrix(treatment, treatment * mediator, mediator, *held)
    fit = ways.coefficients(outcome, matrix)
    n = _rarer(treatment)
    at_zero = "least squares, effect where the mediator is 0"
    yield Recomputed("ADJUSTED_TREATMENT_EFFECT", fit[1], at_zero, n)
    yield Recomputed("INTERACTION_EFFECT", fit[2], "least squares", n)


def _dose(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    assert data.key is not None
    dose, outcome, confounder = data.columns("VARIABLE_X", "VARIABLE_Y", "CONFOUNDER")
    low, high = data.key["DOSE_BEFORE"], data.key["DOSE_AFTER"]
    response = ways.response(outcome, dose, confounder)
    effect = response.change(low, high)
    bent = {"polynomial of degree 5": curve(outcome, dose, 5, [confounder]).change(low, high)}
    yield Recomputed("ATE", effect, "maximum likelihood", len(dose), bent)
    line = ways.coefficients(confounder, design_matrix(dose))[1]
    shift = response.slope.value * (high - low)
    seen = Coefficient(effect.value + shift * line.value, math.hypot(effect.se, shift * line.se))
    method = "effect, and what the confounder adds along its line on the dose"
    here, there = (near(outcome, dose, at, NEAR_DOSE) for at in (low, high))
    lines = Coefficient(there.value - here.value, math.hypot(there.se, here.se))
    also = {"lines through the rows near either dose": lines}
    yield Recomputed("CONDITIONAL_DIFFERENCE", seen, method, len(dose), also)


def inferred_edge(data: DataSet) -> str:
    """Say which of two columns moves the other, by the instrument that shows in one alone."""
    names = data.named("VARIABLE_X1", "VARIABLE_X2")
    instruments = design_matrix(*data.columns("VARIABLE_Z1", "VARIABLE_Z2"))
    fits = {name: least_squares(data.rows[name], instruments) for name in names}
    for place in (1, 2):
        moved = [name for name in names if fits[name][place].p < LEVEL]
        if len(moved) == 1:
            (cause,) = set(names) - set(moved)
            return f"{cause}->{moved[0]}"
    return "none"


def _direction(data: DataSet, _ways: Ways) -> Iterator[Recomputed]:
    n = len(data.columns("VARIABLE_X1")[0])
    yield Recomputed("TRUE_EDGES", inferred_edge(data), "two regressions on the instruments", n)


def _structure(data: DataSet, _ways: Ways) -> Iterator[Recomputed]:
    first, second, third = data.rows
    nodes = (first, second, third)
    graphs = sorted(write_graph(graph, nodes) for graph in compatible_graphs(data.rows, nodes))
    n = len(data.rows[first])
    yield Recomputed("EQUIVALENT_GRAPHS", "; ".join(graphs), "independences of the 25 graphs", n)


def _moderation(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    severity, dosage, outcome = data.columns("VARIABLE_X1", "VARIABLE_X2", "VARIABLE_Y")
    fit = ways.coefficients(outcome, design_matrix(dosage, severity, dosage * severity))
    for place, name in enumerate(("DOSAGE_COEF", "SEVERITY_COEF", "INTERACTION_COEF"), start=1):
        yield Recomputed(name, fit[place], "least squares", len(outcome))


def _slopes(data: DataSet, by: Array, held: tuple[Array, ...], ways: Ways) -> Iterator[Recomputed]:
    cause, outcome = data.columns("VARIABLE_X2", "VARIABLE_Y")
    for name, group in zip(("EFFECT_A", "EFFECT_B"), np.unique(by), strict=True):
        here = by == group
        matrix = design_matrix(cause[here], *(column[here] for column in held))
        slope = ways.coefficients(outcome[here], matrix)[1]
        yield Recomputed(name, slope, "least squares", int(here.sum()))


def _population(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    yield from _slopes(data, data.columns("VARIABLE_U")[0], data.columns("VARIABLE_X1"), ways)


def _temporal(data: DataSet, ways: Ways) -> Iterator[Recomputed]:
    yield from _slopes(data, data.rows["period"], (), ways)


_FIELDS: dict[str, Callable[[DataSet, Ways], Iterator[Recomputed]]] = {
    "simpson_paradox": _simpson,
    "berkson_paradox": _selection,
    "observational_vs_experimental_reasoning": _observational,
    "casual_effect": _effect,
    "counterfactual_reasoning": _dose,
    "mediation_outcome_confounder": _mediated,
    "sequential_mediator": _mediated,
    "treatment_mediator": _interaction,
    "causal_direction_iv": _direction,
    "dag_structure_markequi": _structure,
    "moderation_effect": _moderation,
    "population_shift": _population,
    "temporal_stability": _temporal,
}

SETTLED = tuple(_FIELDS)
"""The challenges of whose keys rows settle something, by the source's names."""

REASONS = {
    "berkson_paradox": "CORRECTED_CONDITIONAL_1 and _2: the rows are those selected, and the "
    "chances of selection, by which to weight them, are not given",
    "necessity_sufficiency": "IS_NECESSARY and IS_SUFFICIENT: claims about what each row would "
    "have been, which rows do not settle without the mechanism",
    "domain_shift": "the key holds roles and age groups, and no answer",
}
"""Why fields of a challenge's keys are not recomputed."""
