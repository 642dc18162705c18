"""Outside analysts of ways: `interaction`, `mediator_confounding` and `sequential`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evidence.outside_tools import (
    Answer,
    Array,
    Facts,
    When,
    causes_by_bic,
    causes_by_tests,
    column,
    columns,
    compare_means,
    defensible,
    design,
    fit,
    indefensible,
    interval,
    number,
    when_before,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pandas as pd

    from evidence.outside_tools import Effect

DRAWS = 2000


def _tell_interaction(facts: Facts, at_zero: float, product: float) -> Answer:
    low, high = (at_zero + product * number(facts, end) for end in ("low", "high"))
    return {
        "interaction": product,
        "cde_low": low,
        "estimate": high,
        "sign_change": bool(low * high < 0),
    }


def _fit_product(data: pd.DataFrame, others: Array) -> tuple[float, float, float]:
    """Return the direct effect at 0, the product and its p value."""
    treated, mediator = column(data, "treatment"), column(data, "mediator")
    result = fit(column(data, "outcome"), treated, treated * mediator, mediator, others)
    return float(result.params[1]), float(result.params[2]), float(result.pvalues[2])


@defensible("interaction")
def fit_product(data: pd.DataFrame, when: When, facts: Facts, _assigned: bool) -> Answer:
    """Regression with the product and all that was known before (statsmodels)."""
    at_zero, product, _ = _fit_product(data, columns(data, when_before(when, "treatment")))
    return _tell_interaction(facts, at_zero, product)


@defensible("interaction")
def fit_product_if_found(data: pd.DataFrame, when: When, facts: Facts, _assigned: bool) -> Answer:
    """The product if a test finds it, else one direct effect for all."""
    known = columns(data, when_before(when, "treatment"))
    at_zero, product, p_value = _fit_product(data, known)
    if p_value >= 0.05:
        parts = (column(data, "treatment"), column(data, "mediator"), known)
        at_zero, product = float(fit(column(data, "outcome"), *parts).params[1]), 0.0
    return _tell_interaction(facts, at_zero, product)


@defensible("interaction")
def fit_each_arm(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """A line in each arm, both read at the mean of the baseline."""
    base = float(column(data, "baseline").mean())
    lines = []
    for arm in (0, 1):
        rows = data[data["treatment"] == arm]
        parts = column(rows, "mediator"), column(rows, "baseline") - base
        lines.append(fit(column(rows, "outcome"), *parts).params)
    return _tell_interaction(facts, *(float(lines[1][k] - lines[0][k]) for k in (0, 1)))


@defensible("interaction")
def take_mediator_away(data: pd.DataFrame, when: When, facts: Facts, _assigned: bool) -> Answer:
    """Sequential g-estimation: take what the mediator does away, then compare the arms."""
    known = columns(data, when_before(when, "treatment"))
    treated, mediator = column(data, "treatment"), column(data, "mediator")
    result = fit(
        column(data, "outcome"),
        mediator,
        treated * mediator,
        treated,
        known,
        known * treated[:, None],
    )
    slope, product = float(result.params[1]), float(result.params[2])
    effects = []
    for end in ("low", "high"):
        away = mediator - number(facts, end)
        left = column(data, "outcome") - slope * away - product * treated * away
        effects.append(compare_means(left, treated)[0])
    return {
        "interaction": product,
        "cde_low": effects[0],
        "estimate": effects[1],
        "sign_change": bool(effects[0] * effects[1] < 0),
    }


@indefensible("interaction")
def neglect_interaction(data: pd.DataFrame, when: When, facts: Facts, _assigned: bool) -> Answer:
    """One direct effect for all, without a product (statsmodels)."""
    known = columns(data, when_before(when, "treatment"))
    parts = (column(data, "treatment"), column(data, "mediator"), known)
    return _tell_interaction(facts, float(fit(column(data, "outcome"), *parts).params[1]), 0.0)


@indefensible("interaction")
def neglect_mediator(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """The plain difference of the arms, whatever the mediator."""
    effect, _ = compare_means(column(data, "outcome"), column(data, "treatment"))
    return _tell_interaction(facts, effect, 0.0)


@indefensible("interaction")
def compare_strata(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The arms among rows with the mediator below its median and above, nothing adjusted for."""
    mediator = column(data, "mediator")
    halves = [data[mediator <= np.median(mediator)], data[mediator > np.median(mediator)]]
    low, high = (
        compare_means(column(half, "outcome"), column(half, "treatment"))[0] for half in halves
    )
    return {
        "interaction": high - low,
        "cde_low": low,
        "estimate": high,
        "sign_change": bool(low * high < 0),
    }


def _tell_mediation(
    direct: Effect, indirect: Effect, total: Effect, roles: Collection[str]
) -> Answer:
    return {
        "estimate": direct[0],
        "nie": indirect[0],
        "te": total[0],
        "estimate_ci": interval(direct),
        "nie_ci": interval(indirect),
        "te_ci": interval(total),
        "confounded": bool(roles),
        "adjustment_set": frozenset(roles),
    }


def _known(when: When) -> list[str]:
    return [role for role in when_before(when, "mediator") if role != "treatment"]


def _find_causes_of_both(data: pd.DataFrame, when: When) -> frozenset[str]:
    """Return what bears on mediator and outcome, given the treatment, of what came before."""
    found = causes_by_tests(data, [*_known(when), "treatment"], "mediator", "outcome")
    return found - {"treatment"}


def _find_causes_of_both_by_bic(data: pd.DataFrame, when: When) -> frozenset[str]:
    found = causes_by_bic(data, [*_known(when), "treatment"], "mediator", "outcome")
    return found - {"treatment"}


def _multiply(data: pd.DataFrame, roles: Sequence[str]) -> tuple[Effect, Effect, Effect]:
    """Return direct, indirect and total effect by the product of coefficients; delta method."""
    treated, mediator = column(data, "treatment"), column(data, "mediator")
    others = columns(data, roles)
    first = fit(mediator, treated, others)
    second = fit(column(data, "outcome"), treated, mediator, others)
    total = fit(column(data, "outcome"), treated, others)
    product = float(first.params[1] * second.params[2])
    error = float(np.hypot(first.bse[1] * second.params[2], second.bse[2] * first.params[1]))
    return (
        (float(second.params[1]), float(second.bse[1])),
        (product, error),
        (float(total.params[1]), float(total.bse[1])),
    )


@defensible("mediator_confounding")
def multiply_coefficients(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The product of coefficients with all that was known before (statsmodels)."""
    return _tell_mediation(*_multiply(data, _known(when)), _find_causes_of_both(data, when))


@defensible("mediator_confounding")
def simulate_mediation(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Draws of the coefficients of both regressions, with the causes of both found by BIC."""
    roles = _find_causes_of_both_by_bic(data, when)
    others = columns(data, sorted(roles))
    treated, mediator = column(data, "treatment"), column(data, "mediator")
    first = fit(mediator, treated, others)
    second = fit(column(data, "outcome"), treated, mediator, others)
    rng = np.random.default_rng(0)
    moves, slopes = (
        rng.multivariate_normal(result.params, result.cov_params(), DRAWS)
        for result in (first, second)
    )
    draws = {
        "estimate": slopes[:, 1],
        "nie": moves[:, 1] * slopes[:, 2],
        "te": slopes[:, 1] + moves[:, 1] * slopes[:, 2],
    }
    answer: Answer = {name: float(values.mean()) for name, values in draws.items()}
    for name, values in draws.items():
        low, high = np.quantile(values, [0.025, 0.975])
        answer[f"{name}_ci"] = float(low), float(high)
    return {**answer, "confounded": bool(roles), "adjustment_set": roles}


@defensible("mediator_confounding")
def bootstrap_mediation(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The total less the direct effect, with rows drawn again."""
    roles = _find_causes_of_both(data, when)
    treated, mediator = column(data, "treatment"), column(data, "mediator")
    outcome = column(data, "outcome")
    both = design(treated, mediator, columns(data, sorted(roles)))
    rng = np.random.default_rng(0)

    def estimate(weights: Array) -> Array:
        rows = both * weights[:, None]
        direct = float(np.linalg.solve(both.T @ rows, rows.T @ outcome)[1])
        arms = [weights * (treated == arm) for arm in (1, 0)]
        means = [float(arm @ outcome / arm.sum()) for arm in arms]
        total = means[0] - means[1]
        return np.array([direct, total - direct, total])

    found = estimate(np.ones(len(outcome)))
    again = [
        estimate(
            rng.multinomial(len(outcome), np.full(len(outcome), 1 / len(outcome))).astype(float)
        )
        for _ in range(120)
    ]
    errors = np.std(again, axis=0)
    effects = [(float(value), float(error)) for value, error in zip(found, errors, strict=True)]
    return _tell_mediation(effects[0], effects[1], effects[2], roles)


@indefensible("mediator_confounding")
def multiply_unadjusted(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The product of coefficients with nothing adjusted for: it was a draw (statsmodels)."""
    return _tell_mediation(*_multiply(data, []), frozenset())


@indefensible("mediator_confounding")
def multiply_with_all(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The product of coefficients with every column, whenever it was measured."""
    others = sorted(set(when) - {"treatment", "mediator", "outcome"})
    return _tell_mediation(
        *_multiply(data, others), causes_by_tests(data, others, "mediator", "outcome")
    )


def _tell_sequential(
    direct: float, through: dict[str, float], both: float, order: tuple[str, ...]
) -> Answer:
    return {
        "order": order,
        "direct": direct,
        "through_a": through["mediator_a"],
        "estimate": through["mediator_b"],
        "through_both": both,
    }


def _order(when: When) -> tuple[str, str]:
    earlier, later = sorted(("mediator_a", "mediator_b"), key=when.__getitem__)
    return earlier, later


def _trace(data: pd.DataFrame, order: tuple[str, str], others: Array, moves: bool | None) -> Answer:
    """Multiply the coefficients along each way; by a test whether one mediator moves the other."""
    earlier, later = order
    treated, one, two = (column(data, role) for role in ("treatment", earlier, later))
    outcome = fit(column(data, "outcome"), treated, one, two, others)
    first = fit(one, treated, others)
    second = fit(two, treated, one, others)
    is_chain = float(second.pvalues[2]) < 0.01 if moves is None else moves
    if not is_chain:
        second = fit(two, treated, others)
    through = {
        earlier: float(first.params[1] * outcome.params[2]),
        later: float(second.params[1] * outcome.params[3]),
    }
    both = float(first.params[1] * second.params[2] * outcome.params[3]) if is_chain else 0.0
    return _tell_sequential(float(outcome.params[1]), through, both, order if is_chain else ())


@defensible("sequential")
def multiply_along_ways(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Products of coefficients in the order of measurement, with all known before (statsmodels)."""
    return _trace(data, _order(when), columns(data, when_before(when, "treatment")), None)


@defensible("sequential")
def multiply_bare(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Products of coefficients in the order of measurement, with nothing else."""
    return _trace(data, _order(when), np.empty((len(data), 0)), None)


@defensible("sequential")
def replay_ways(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The equations as a machine: set the treatment along one way at a time and read the gap."""
    earlier, later = _order(when)
    treated, one, two = (column(data, role) for role in ("treatment", earlier, later))
    left = two - np.where(treated == 1, two[treated == 1].mean(), two[treated == 0].mean())
    gone = one - np.where(treated == 1, one[treated == 1].mean(), one[treated == 0].mean())
    moved = float(np.corrcoef(left, gone)[0, 1]) ** 2 * len(data) > 10
    lines = [
        np.linalg.lstsq(parts, target, rcond=None)[0]
        for parts, target in (
            (design(treated), one),
            (design(treated, one) if moved else design(treated), two),
            (design(treated, one, two), column(data, "outcome")),
        )
    ]

    def run(direct: int, on_end: int, on_two: int, to_two: int) -> float:
        """Return the mean outcome with the treatment set on each arrow of its own."""
        second = lines[1] @ [1, to_two, *([lines[0] @ [1, on_two]] if moved else [])]
        return float(lines[2] @ [1, direct, lines[0] @ [1, on_end], second])

    none = run(0, 0, 0, 0)
    through = {earlier: run(0, 1, 0, 0) - none, later: run(0, 0, 0, 1) - none}
    both = run(0, 0, 1, 0) - none if moved else 0.0
    order = (earlier, later) if moved else ()
    return _tell_sequential(run(1, 0, 0, 0) - none, through, both, order)


@indefensible("sequential")
def reverse_order(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Products of coefficients with the mediators the other way round."""
    earlier, later = _order(when)
    others = columns(data, when_before(when, "treatment"))
    return _trace(data, (later, earlier), others, None)


@indefensible("sequential")
def neglect_order(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Both mediators side by side, neither moving the other (statsmodels)."""
    return _trace(data, _order(when), columns(data, when_before(when, "treatment")), False)


@indefensible("sequential")
def trace_one_at_a_time(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Each mediator by itself, as if the other were not there."""
    treated, outcome = column(data, "treatment"), column(data, "outcome")
    through = {}
    for role in ("mediator_a", "mediator_b"):
        middle = column(data, role)
        slope = fit(outcome, treated, middle).params[2]
        through[role] = float(slope * fit(middle, treated).params[1])
    both = float(np.prod(list(through.values())))
    direct = compare_means(outcome, treated)[0] - sum(through.values())
    return _tell_sequential(direct, through, both, _order(when))
