"""What a key should hold, worked out from the rows it is a key to.

One function for each kind of challenge; it yields the fields that the rows settle, under the names
the key has for them. Rates and means are as they are in the rows. Effects are adjusted for what
the key itself calls confounders: the question here is whether a key follows from its own
assumptions, not whether these are good ones. `REASONS` says why a field is not recomputed.

Every number can be had by two arithmetics (`arithmetic`): the second bears out the first. Graphs
are written as the source's keys write them.

>>> parse_graph("a<-b->c") == {("b", "a"), ("b", "c")}
True
>>> write_graph(frozenset({("b", "a"), ("b", "c")}), ("a", "b", "c"))
'a<-b->c'
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.equivalence import Edges, all_graphs, independences, statements
from whybench.suites.analyze.estimators.regression import (
    Array,
    Coefficient,
    design_matrix,
    fit_curve,
    least_squares,
    local_mean,
    normal_p,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench_papers.du2025.arithmetic import FLOATING, Arithmetic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from whybench_papers.du2025.data_sets import DataSet

LEVEL = 0.05
NEAR_DOSE = 0.5

_ARROW = re.compile(r"\s*(->|<-)\s*")


def parse_graph(text: str) -> Edges:
    """Read a path of arrows, such as `a<-b->c`."""
    first, *rest = _ARROW.split(text.strip())
    edges, last = set(), first
    for arrow, node in zip(rest[::2], rest[1::2], strict=True):
        edges.add((last, node) if arrow == "->" else (node, last))
        last = node
    return frozenset(edges)


def parse_graphs(text: str) -> frozenset[Edges]:
    """Read graphs with semicolons between them."""
    return frozenset(map(parse_graph, text.split(";")))


def write_graph(edges: Edges, nodes: tuple[str, str, str]) -> str:
    """Write a graph: a path in the order of the nodes where it is one, else edge by edge."""
    pairs = list(pairwise(nodes))
    if {frozenset(edge) for edge in edges} != {frozenset(pair) for pair in pairs}:
        return ", ".join(f"{cause}->{effect}" for cause, effect in sorted(edges))
    arrows = ["->" if pair in edges else "<-" for pair in pairs]
    return "".join([nodes[0], *(a + node for a, node in zip(arrows, nodes[1:], strict=True))])


def partial_correlation(
    rows: Mapping[str, Array], column: str, other: str, given: str | None
) -> float:
    """Return the correlation of two columns, given a third or not."""
    if given is None:
        return float(np.corrcoef(rows[column], rows[other])[0, 1])
    matrix = np.corrcoef([rows[column], rows[other], rows[given]])
    rest = matrix[0, 1] - matrix[0, 2] * matrix[1, 2]
    return float(rest / math.sqrt((1 - matrix[0, 2] ** 2) * (1 - matrix[1, 2] ** 2)))


def compatible_graphs(rows: Mapping[str, Array], nodes: tuple[str, str, str]) -> frozenset[Edges]:
    """Return the graphs on three columns whose independences are those that the rows show.

    Independence is what a test of the (partial) correlation does not reject at the 5% level
    (Fisher's z). There may be no such graph.
    """

    def independent(column: str, other: str, given: str | None) -> bool:
        r = partial_correlation(rows, column, other, given)
        freedom = len(rows[column]) - 3 - (given is not None)
        return normal_p(math.atanh(r) * math.sqrt(freedom)) > LEVEL

    seen = frozenset(entry for entry in statements(nodes) if independent(*entry))
    return frozenset(graph for graph in all_graphs(nodes) if independences(graph, nodes) == seen)


@dataclass(frozen=True)
class RecomputedField:
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


def recompute(data: DataSet, arithmetic: Arithmetic = FLOATING) -> Iterator[RecomputedField]:
    """Yield the fields of a data set's key that its rows settle."""
    if data.challenge in _FIELDS:
        yield from _FIELDS[data.challenge](data, arithmetic)


def _mean(name: str, values: Array, arithmetic: Arithmetic) -> RecomputedField:
    return RecomputedField(name, arithmetic.mean(values), "mean", len(values))


def _arm_means(
    names: tuple[str, str], outcome: Array, treatment: Array, arithmetic: Arithmetic
) -> Iterator[RecomputedField]:
    for name, arm in zip(names, (1, 0), strict=True):
        yield _mean(name, outcome[treatment == arm], arithmetic)


def _adjusted(
    name: str,
    effect: Coefficient,
    method: str,
    outcome: Array,
    treatment: Array,
    before: Sequence[Array],
) -> RecomputedField:
    also = {"doubly robust": doubly_robust(outcome, treatment, before)}
    return RecomputedField(name, effect, method, _count_rarer(treatment), also)


def _count_rarer(treatment: Array) -> int:
    return int(min((treatment == 1).sum(), (treatment == 0).sum()))


def _simpson(data: DataSet, arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    assert data.key is not None
    drug, outcome, stratum = data.columns("TREATMENT", "OUTCOME", "CONFOUNDER")
    treated = (drug == "Yes").astype(int)
    for arm, word in ((1, "YES"), (0, "NO")):
        yield _mean(f"OVERALL_P_{word}", outcome[treated == arm], arithmetic)
        for level in ("LEVEL1", "LEVEL2"):
            here = (treated == arm) & (stratum == data.key[level])
            yield _mean(f"P_{level}_{word}", outcome[here], arithmetic)
    before = [(stratum == data.key["LEVEL1"]).astype(int)]
    effect = arithmetic.stratified(outcome, treated, stratum)
    yield _adjusted("ADJUSTED_P_DIFF", effect, "standardised", outcome, treated, before)


def _selection(data: DataSet, arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    first, second = data.columns("VARIABLE_X", "VARIABLE_Y")
    yield from _arm_means(("NAIVE_CONDITIONAL_1", "NAIVE_CONDITIONAL_2"), second, first, arithmetic)


def _observational(data: DataSet, arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    treatment, outcome, *before = data.columns("TREATMENT", "OUTCOME", "TRUE_CONFOUNDERS")
    stratum = np.unique(np.column_stack(before), axis=0, return_inverse=True)[1].reshape(-1)
    yield from _arm_means(("OVERALL_P_YES", "OVERALL_P_NO"), outcome, treatment, arithmetic)
    effect = arithmetic.stratified(outcome, treatment, stratum)
    yield _adjusted("ADJUSTED_P_DIFF", effect, "standardised", outcome, treatment, before)


def _regression(name: str, data: DataSet, arithmetic: Arithmetic) -> RecomputedField:
    treatment, outcome, *before = data.columns("TREATMENT", "OUTCOME", "TRUE_CONFOUNDERS")
    effect = arithmetic.coefficients(outcome, design_matrix(treatment, *before))[1]
    return _adjusted(name, effect, "least squares", outcome, treatment, before)


def _means(data: DataSet, arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    treatment, outcome = data.columns("TREATMENT", "OUTCOME")
    names = ("OVERALL_MEAN_TREATMENT", "OVERALL_MEAN_NO_TREATMENT")
    yield from _arm_means(names, outcome, treatment, arithmetic)


def _mediated(data: DataSet, arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    yield from _means(data, arithmetic)
    yield _regression("ADJUSTED_TREATMENT_EFFECT", data, arithmetic)


def _interaction(data: DataSet, arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    yield from _means(data, arithmetic)
    treatment, outcome, mediator = data.columns("TREATMENT", "OUTCOME", "MEDIATOR")
    held = data.columns("TRUE_CONFOUNDERS")
    matrix = design_matrix(treatment, treatment * mediator, mediator, *held)
    fit = arithmetic.coefficients(outcome, matrix)
    n = _count_rarer(treatment)
    at_zero = "least squares, effect where the mediator is 0"
    yield RecomputedField("ADJUSTED_TREATMENT_EFFECT", fit[1], at_zero, n)
    yield RecomputedField("INTERACTION_EFFECT", fit[2], "least squares", n)


def _dose(data: DataSet, arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    assert data.key is not None
    dose, outcome, confounder = data.columns("VARIABLE_X", "VARIABLE_Y", "CONFOUNDER")
    low, high = data.key["DOSE_BEFORE"], data.key["DOSE_AFTER"]
    response = arithmetic.response(outcome, dose, confounder)
    effect = response.change(low, high)
    curve = fit_curve(outcome, dose, 5, [confounder]).change(low, high)
    also = {"polynomial of degree 5": curve}
    yield RecomputedField("ATE", effect, "maximum likelihood", len(dose), also)
    line = arithmetic.coefficients(confounder, design_matrix(dose))[1]
    shift = response.slope.value * (high - low)
    seen = Coefficient(effect.value + shift * line.value, math.hypot(effect.se, shift * line.se))
    method = "effect, and what the confounder adds along its line on the dose"
    before, after = (local_mean(outcome, dose, level, NEAR_DOSE) for level in (low, high))
    lines = Coefficient(after.value - before.value, math.hypot(after.se, before.se))
    also = {"lines through the rows near either dose": lines}
    yield RecomputedField("CONDITIONAL_DIFFERENCE", seen, method, len(dose), also)


def infer_edge(data: DataSet) -> str:
    """Say which of two columns moves the other, by the instrument that shows in one alone."""
    names = data.column_names("VARIABLE_X1", "VARIABLE_X2")
    instruments = design_matrix(*data.columns("VARIABLE_Z1", "VARIABLE_Z2"))
    fits = {name: least_squares(data.rows[name], instruments) for name in names}
    for instrument in (1, 2):
        moved = [name for name in names if fits[name][instrument].p < LEVEL]
        if len(moved) == 1:
            (cause,) = set(names) - set(moved)
            return f"{cause}->{moved[0]}"
    return "none"


def _direction(data: DataSet, _arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    n = len(data.columns("VARIABLE_X1")[0])
    yield RecomputedField("TRUE_EDGES", infer_edge(data), "two regressions on the instruments", n)


def _structure(data: DataSet, _arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    first, second, third = data.rows
    nodes = (first, second, third)
    graphs = sorted(write_graph(graph, nodes) for graph in compatible_graphs(data.rows, nodes))
    method, n = "independences of the 25 graphs", len(data.rows[first])
    yield RecomputedField("EQUIVALENT_GRAPHS", "; ".join(graphs), method, n)


def _moderation(data: DataSet, arithmetic: Arithmetic) -> Iterator[RecomputedField]:
    severity, dosage, outcome = data.columns("VARIABLE_X1", "VARIABLE_X2", "VARIABLE_Y")
    fit = arithmetic.coefficients(outcome, design_matrix(dosage, severity, dosage * severity))
    names = ("DOSAGE_COEF", "SEVERITY_COEF", "INTERACTION_COEF")
    for index, name in enumerate(names, start=1):
        yield RecomputedField(name, fit[index], "least squares", len(outcome))


def _slopes(
    data: DataSet, by: Array, held: tuple[Array, ...], arithmetic: Arithmetic
) -> Iterator[RecomputedField]:
    cause, outcome = data.columns("VARIABLE_X2", "VARIABLE_Y")
    for name, group in zip(("EFFECT_A", "EFFECT_B"), np.unique(by), strict=True):
        here = by == group
        matrix = design_matrix(cause[here], *(column[here] for column in held))
        slope = arithmetic.coefficients(outcome[here], matrix)[1]
        yield RecomputedField(name, slope, "least squares", int(here.sum()))


_FIELDS: dict[str, Callable[[DataSet, Arithmetic], Iterable[RecomputedField]]] = {
    "simpson_paradox": _simpson,
    "berkson_paradox": _selection,
    "observational_vs_experimental_reasoning": _observational,
    "casual_effect": lambda data, how: [_regression("TRUE_CAUSAL_EFFECT", data, how)],
    "counterfactual_reasoning": _dose,
    "mediation_outcome_confounder": _mediated,
    "sequential_mediator": _mediated,
    "treatment_mediator": _interaction,
    "causal_direction_iv": _direction,
    "dag_structure_markequi": _structure,
    "moderation_effect": _moderation,
    "population_shift": lambda data, how: _slopes(
        data, data.columns("VARIABLE_U")[0], data.columns("VARIABLE_X1"), how
    ),
    "temporal_stability": lambda data, how: _slopes(data, data.rows["period"], (), how),
}

RECOMPUTED = tuple(_FIELDS)
"""The challenges of whose keys rows settle something, by the source's names."""

REASONS = {
    "berkson_paradox": "CORRECTED_CONDITIONAL_1 and _2: the rows are those selected, and the "
    "chances of selection, by which to weight them, are not given",
    "necessity_sufficiency": "IS_NECESSARY and IS_SUFFICIENT: claims about what each row would "
    "have been, which rows do not settle without the mechanism",
    "domain_shift": "the key holds roles and age groups, and no answer",
}
"""Why fields of a challenge's keys are not recomputed."""
