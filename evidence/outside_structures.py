"""Outside analysts of `direction`, `structure` and `necessity_sufficiency`."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats

from evidence.outside_tools import (
    STRICT,
    Answer,
    Array,
    Facts,
    When,
    column,
    defensible,
    design,
    fit,
    fit_glm,
    indefensible,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

Graph = frozenset[tuple[str, str]]
ROLES = ("one", "two", "three")
PAIRS = tuple(combinations(ROLES, 2))


def _tell_direction(forward: float, backward: float, level: float = 0.05) -> Answer:
    """Tell the arrow with the lesser p value, if that is at the level or below."""
    edge = "none"
    if min(forward, backward) <= level:
        edge = "first_to_second" if forward <= backward else "second_to_first"
    return {"edge": edge, "p_values": {"first_to_second": forward, "second_to_first": backward}}


@defensible("direction")
def try_pushes(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Whether the push of each moves the other, with both pushes in a regression (statsmodels)."""
    pushes = column(data, "push_first"), column(data, "push_second")
    forward = fit(column(data, "second"), *pushes).pvalues[1]
    backward = fit(column(data, "first"), *pushes).pvalues[2]
    return _tell_direction(float(forward), float(backward))


def _instrument(outcome: Array, exposure: Array, push: Array, other: Array) -> float:
    """Return the p value of an effect by two-stage least squares, the other push held."""
    instruments, parts = design(push, other), design(exposure, other)
    stage = instruments @ np.linalg.lstsq(instruments, parts, rcond=None)[0]
    slopes = np.linalg.solve(stage.T @ parts, stage.T @ outcome)
    rest = outcome - parts @ slopes
    bread = np.linalg.inv(stage.T @ stage)
    meat = (stage * rest[:, None] ** 2).T @ stage
    error = float(np.sqrt((bread @ meat @ bread)[1, 1]))
    return float(2 * stats.norm.sf(abs(slopes[1]) / error))


@defensible("direction")
def instrument_both(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Each as an instrument for its own column, two-stage least squares; Bonferroni."""
    first, second = column(data, "first"), column(data, "second")
    one, two = column(data, "push_first"), column(data, "push_second")
    forward = _instrument(second, first, one, two)
    backward = _instrument(first, second, two, one)
    return _tell_direction(forward, backward, 0.025)


@defensible("direction")
def rank_by_push(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Rank tests of each column by the push of the other."""

    def p_value(push: str, other: str) -> float:
        pushed, values = column(data, push), column(data, other)
        test = stats.mannwhitneyu(values[pushed == 1], values[pushed == 0])
        return float(test.pvalue)

    return _tell_direction(p_value("push_first", "second"), p_value("push_second", "first"))


@indefensible("direction")
def regress_one_on_other(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Each regressed on the other; the arrow with the steeper line (statsmodels)."""
    first, second = column(data, "first"), column(data, "second")
    forward, backward = fit(second, first), fit(first, second)
    answer = _tell_direction(float(forward.pvalues[1]), float(backward.pvalues[1]))
    if answer["edge"] != "none":
        steeper = abs(forward.params[1]) > abs(backward.params[1])
        answer["edge"] = "first_to_second" if steeper else "second_to_first"
    return answer


@indefensible("direction")
def hold_push(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Each on the other with both pushes as covariates."""
    first, second = column(data, "first"), column(data, "second")
    pushes = column(data, "push_first"), column(data, "push_second")
    forward = float(fit(second, first, *pushes).pvalues[1])
    backward = float(fit(first, second, *pushes).pvalues[1])
    return _tell_direction(forward, backward)


def _all_graphs() -> Iterator[Graph]:
    """Yield the 25 acyclic graphs on three columns."""
    for arrows in product((0, 1, -1), repeat=3):
        pairs = zip(PAIRS, arrows, strict=True)
        graph = frozenset((pair if arrow > 0 else pair[::-1]) for pair, arrow in pairs if arrow)
        if all(any(effect == role for _, effect in graph) for role in ROLES) and len(graph) == 3:
            continue
        yield graph


def _separations(graph: Graph) -> frozenset[tuple[tuple[str, str], bool]]:
    """Return which pairs are independent, plainly (False) or given the third (True)."""
    found = set()
    for pair in PAIRS:
        if pair in graph or pair[::-1] in graph:
            continue
        third = next(role for role in ROLES if role not in pair)
        near = [(role, third) in graph or (third, role) in graph for role in pair]
        collides = all((role, third) in graph for role in pair)
        if not all(near) or collides:
            found.add((pair, False))
        if not collides:
            found.add((pair, True))
    return frozenset(found)


GRAPHS = tuple(_all_graphs())
CLASSES = {graph: _separations(graph) for graph in GRAPHS}


def _alike(graph: Graph) -> frozenset[Graph]:
    return frozenset(other for other in GRAPHS if CLASSES[other] == CLASSES[graph])


def _score(data: pd.DataFrame, graph: Graph) -> float:
    """Return the BIC of a graph with lines and normal noise."""
    total = 0.0
    for role in ROLES:
        causes = sorted(cause for cause, effect in graph if effect == role)
        parts = design(*(column(data, cause) for cause in (*causes, role)))[:, :-1]
        rest = column(data, role)
        rest = rest - parts @ np.linalg.lstsq(parts, rest, rcond=None)[0]
        total += len(rest) * np.log(float(rest @ rest) / len(rest))
        total += np.log(len(rest)) * len(causes)
    return total


def _best_class(data: pd.DataFrame) -> frozenset[Graph]:
    return _alike(min(GRAPHS, key=lambda graph: _score(data, graph)))


@defensible("structure")
def score_graphs(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The BIC of all 25 graphs, and all that are equivalent to the best."""
    return {"graphs": _best_class(data)}


def _match(data: pd.DataFrame, shown: frozenset[tuple[tuple[str, str], bool]]) -> Answer:
    """Return the graphs that imply what is shown; if none does, the best by BIC."""
    graphs = frozenset(graph for graph in GRAPHS if CLASSES[graph] == shown)
    return {"graphs": graphs or _best_class(data)}


@defensible("structure")
def try_correlations(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Fisher's test of all plain and partial correlations, and the graphs that imply them."""
    plain = np.atleast_2d(np.corrcoef([column(data, role) for role in ROLES]))
    inverse = np.linalg.inv(plain)
    shown = set()
    for one, two in combinations(range(3), 2):
        partial = -inverse[one, two] / np.sqrt(inverse[one, one] * inverse[two, two])
        for given, value in ((False, plain[one, two]), (True, partial)):
            statistic = abs(np.arctanh(value)) * np.sqrt(len(data) - 3 - given)
            if 2 * stats.norm.sf(statistic) >= STRICT:
                shown.add(((ROLES[one], ROLES[two]), given))
    return _match(data, frozenset(shown))


@defensible("structure")
def try_regressions(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The PC algorithm with t tests of regressions (statsmodels)."""
    apart: dict[tuple[str, str], bool] = {}
    for pair in PAIRS:
        third = next(role for role in ROLES if role not in pair)
        cause, effect, other = (column(data, role) for role in (*pair, third))
        if fit(effect, cause).pvalues[1] >= STRICT:
            apart[pair] = False
        elif fit(effect, cause, other).pvalues[1] >= STRICT:
            apart[pair] = True
    graphs = []
    for graph in GRAPHS:
        pairs = {pair for pair in PAIRS if pair in graph or pair[::-1] in graph}
        if pairs != set(PAIRS) - set(apart):
            continue
        if len(apart) == 1:
            ((pair, given),) = apart.items()
            third = next(role for role in ROLES if role not in pair)
            if all((role, third) in graph for role in pair) == given:
                continue
        graphs.append(graph)
    return {"graphs": frozenset(graphs)}


@indefensible("structure")
def draw_correlations(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """An arrow for each plain correlation, in the order of the signs (statsmodels)."""
    graph = frozenset(
        pair
        for pair in PAIRS
        if fit(column(data, pair[1]), column(data, pair[0])).pvalues[1] < 0.05
    )
    return {"graphs": frozenset({graph})}


@indefensible("structure")
def score_one_graph(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The best graph by BIC alone, without those that are as good."""
    return {"graphs": frozenset({min(GRAPHS, key=lambda graph: _score(data, graph))})}


@indefensible("structure")
def orient_freely(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Every way to draw arrows on the pairs that hang together, colliders or not."""
    best = next(iter(_best_class(data)))
    pairs = {frozenset(edge) for edge in best}
    graphs = (graph for graph in GRAPHS if {frozenset(edge) for edge in graph} == pairs)
    return {"graphs": frozenset(graphs)}


def _chances(data: pd.DataFrame, when: When, model: Callable[..., Any] | None) -> dict[str, Array]:
    """Return the chance of the outcome under each cause, averaged over each arm.

    What was known before the cause and bears on the outcome is held; under "kept" are the chances
    with and without in rows that had the cause, under "left" in rows that had it not.
    """
    cause, outcome = column(data, "cause"), column(data, "outcome")
    held = [role for role in ("context", "other") if when[role] < when["cause"]]
    if model is None:
        labels = np.zeros(len(data), dtype=int)
        for role in held:
            labels = 2 * labels + column(data, role).astype(int)
        with_it, without = (
            np.array(
                [
                    outcome[(labels == label) & (cause == arm)].mean()
                    for label in range(2 ** len(held))
                ]
            )[labels]
            for arm in (1, 0)
        )
    else:
        levels = np.column_stack([column(data, role) for role in held])
        products = np.column_stack(
            [
                levels,
                *(
                    levels[:, [one]] * levels[:, [two]]
                    for one, two in combinations(range(len(held)), 2)
                ),
            ]
        )
        result = model(outcome, cause, products, products * cause[:, None])
        with_it, without = (
            np.asarray(
                result.predict(design(np.full(len(data), arm), products, products * arm)),
                dtype=np.float64,
            )
            for arm in (1.0, 0.0)
        )
    return {
        name: np.array([with_it[cause == arm].mean(), without[cause == arm].mean()])
        for name, arm in (("kept", 1), ("left", 0))
    }


def _tell_necessity(chances: dict[str, Array], kind: str) -> Answer:
    (with_it, would), (might, without) = chances["kept"], chances["left"]
    return {
        "estimate": float(np.clip(1 - would / with_it, 0, 1)),
        "ps": float(np.clip((might - without) / (1 - without), 0, 1)),
        "class": kind,
    }


def _joint(kind: str, one: float, two: float) -> float:
    joint = {
        "max": max(one, two),
        "sum": one + two,
        "noisy_or": 1 - (1 - one) * (1 - two),
    }
    return joint[kind]


def _count(data: pd.DataFrame) -> tuple[Array, Array]:
    """Return how many rows and how many with the outcome, by context, cause and other."""
    shape = (2, 2, 2)
    places = tuple(column(data, role).astype(int) for role in ("context", "cause", "other"))
    rows, hits = np.zeros(shape), np.zeros(shape)
    np.add.at(rows, places, 1)
    np.add.at(hits, places, column(data, "outcome"))
    return rows, hits


def _class_by_likelihood(data: pd.DataFrame) -> str:
    """Fit each class to the eight shares by maximum likelihood; the best by BIC."""
    rows, hits = _count(data)

    def lost(numbers: Array, kind: str) -> float:
        origins = numbers[:2]
        if kind == "min":
            chances = np.array([[0, 0], [0, numbers[2]]])
        else:
            one, two = float(numbers[2]), float(numbers[3])
            chances = np.array([[0, two], [one, _joint(kind, one, two)]])
        shares = 1 - (1 - origins)[:, None, None] * (1 - chances)[None]
        shares = np.clip(shares, 1e-6, 1 - 1e-6)
        return -float(np.sum(hits * np.log(shares) + (rows - hits) * np.log(1 - shares)))

    scores = {}
    for kind in ("min", "max", "sum", "noisy_or"):
        start = np.array([0.1, 0.5, 0.4] if kind == "min" else [0.1, 0.5, 0.35, 0.3])
        best = optimize.minimize(
            lost, start, (kind,), "L-BFGS-B", bounds=[(0.001, 0.999)] * len(start)
        )
        scores[kind] = 2 * best.fun + np.log(len(data)) * len(start)
    return min(scores, key=scores.__getitem__)


def _class_by_distance(with_cause: float, with_other: float, with_both: float) -> str:
    """Take the class whose chance with both is nearest; min if neither does much alone."""
    if max(with_cause, with_other) < 0.1 and with_both > 0.1:
        return "min"
    kinds = ("max", "sum", "noisy_or")
    return min(kinds, key=lambda kind: abs(_joint(kind, with_cause, with_other) - with_both))


@defensible("necessity_sufficiency")
def count_in_strata(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Strata of what came before the cause; the class by likelihood."""
    return _tell_necessity(_chances(data, when, None), _class_by_likelihood(data))


@defensible("necessity_sufficiency")
def average_logit_causes(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Logistic regression with products; the class from shares that stay out (statsmodels)."""
    rows, hits = _count(data)
    alone = 1 - hits / rows
    weights = rows[:, 0, 0] * alone[:, 0, 0]
    left = np.average(alone / alone[:, :1, :1], axis=0, weights=weights)
    kind = _class_by_distance(*(float(1 - left[place]) for place in ((1, 0), (0, 1), (1, 1))))
    return _tell_necessity(_chances(data, when, fit_glm), kind)


@defensible("necessity_sufficiency")
def regress_logs(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Shares of either arm, weighed if it was chosen; the class by a log-linear model."""
    cause, outcome = column(data, "cause"), column(data, "outcome")
    other, context = column(data, "other"), column(data, "context")
    parts = design(context, cause, other, cause * other)
    result = sm.GLM(1 - outcome, parts, family=sm.families.Poisson()).fit()
    one, two, both = (float(value) for value in result.params[2:])
    risks = [float(1 - np.exp(value)) for value in (one, two, one + two + both)]
    kind = _class_by_distance(*risks)
    shares = [float(outcome[cause == arm].mean()) for arm in (1, 0)]
    would, might = shares[1], shares[0]
    if not assigned and when["context"] < when["cause"]:
        had = np.asarray(fit_glm(cause, context, other, context * other).fittedvalues)
        odds = had / (1 - had)
        would = float(np.average(outcome[cause == 0], weights=odds[cause == 0]))
        might = float(np.average(outcome[cause == 1], weights=1 / odds[cause == 1]))
    chances = {"kept": np.array([shares[0], would]), "left": np.array([might, shares[1]])}
    return _tell_necessity(chances, kind)


@indefensible("necessity_sufficiency")
def compare_arms(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The arms as they are, and the class from plain shares with other origins in (statsmodels)."""
    cause, outcome, other = (column(data, role) for role in ("cause", "outcome", "other"))
    result = sm.OLS(outcome, design(cause)).fit()
    without, with_it = float(result.params[0]), float(result.params.sum())
    chances = np.array([with_it, without])
    one, two, both = (
        float(outcome[(cause == arm) & (other == kind)].mean())
        for arm, kind in ((1, 0), (0, 1), (1, 1))
    )
    kind = _class_by_distance(one, two, both)
    return _tell_necessity({"kept": chances, "left": chances}, kind)


@indefensible("necessity_sufficiency")
def hold_context(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Strata of the context and the other cause whenever they were measured, sums throughout."""
    early = {"context": 0, "other": 0, "cause": 1}
    return _tell_necessity(_chances(data, early, None), "sum")


@indefensible("necessity_sufficiency")
def take_shares(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Shares of rows taken for chances of what would have been; the class from a plain fit."""
    cause, outcome, other = (column(data, role) for role in ("cause", "outcome", "other"))
    result = fit(outcome, cause, other, cause * other)
    return {
        "estimate": float(cause[outcome == 1].mean()),
        "ps": float(outcome[cause == 1].mean()),
        "class": "sum" if result.pvalues[3] > 0.05 else "max" if result.params[3] < 0 else "min",
    }
