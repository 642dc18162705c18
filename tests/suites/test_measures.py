"""Measures that are declared once: estimates, levels and comparisons follow from the table."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.stats import (
    Estimate,
    balanced_accuracy,
    clustered_mean,
    clustered_ratio,
    clustered_share,
)
from whybench.stats.left_out import sum_ratios_without
from whybench.suites.groups import Group
from whybench.suites.measures import (
    By,
    DeclaredMeasure,
    balanced,
    both,
    custom,
    equals,
    every,
    find_declared,
    mean,
    measure_groups,
    only_when,
    ratio,
    reached,
    scored,
    share,
)
from whybench.suites.pairs import RatioEstimator

TEXTS = ("a label", "One sentence.")


def is_right(group: Group) -> Any:
    return group["value"] == group["truth"]


RIGHT = share("accuracy", *TEXTS, reached, is_right, levels=(By("size", int), By("kind")))
BALANCED = balanced("balanced", *TEXTS, reached, is_right, equals("truth", 1))
STEPS = mean("steps", *TEXTS, scored, lambda group: group["steps"])
COSTS = ratio("costs", *TEXTS, scored, lambda group: group["cost"], lambda group: group["size"])
TABLE = (RIGHT, BALANCED, STEPS, COSTS)


def random_group(seed: int = 1, rows: int = 60) -> Group:
    draw = generator("tests", "declared measures", seed)
    outcome = draw.choice(["scored", "scored", "scored", "no_answer", "error"], rows)
    columns = {
        "outcome": outcome,
        "truth": draw.integers(0, 2, rows).astype(float),
        "value": np.where(outcome == "scored", draw.integers(0, 2, rows), np.nan),
        "steps": np.where(draw.random(rows) < 0.2, np.nan, draw.integers(0, 9, rows)),
        "cost": draw.random(rows),
        "size": draw.integers(3, 6, rows).astype(float),
        "kind": draw.choice(["chain", "fork"], rows),
    }
    units = np.sort(draw.integers(0, 12, rows))
    return Group({"agent": "first"}, columns, units, "unit", {"scored": rows}, np.ones(rows))


def numbers(estimate: Estimate) -> list[float | None]:
    return [estimate.estimate, estimate.low, estimate.high]


def test_estimates_equal_those_of_the_functions_for_one_kind() -> None:
    group = random_group()
    there, answers = (group.where(rows(group)) for rows in (reached, scored))
    known = answers.where(~np.isnan(answers["steps"]))
    right, truth = is_right(there), there["truth"] == 1
    yes = np.where(right, truth, ~truth)
    expected = (
        clustered_share(right, there.units),
        balanced_accuracy(yes, truth, there.units),
        clustered_mean(known["steps"], known.units),
        clustered_ratio(answers["cost"], answers["size"], answers.units),
    )
    for declared, one in zip(TABLE, expected, strict=True):
        found = declared.estimate(group)
        assert numbers(found) == pytest.approx(numbers(one), abs=1e-12)
        assert replace(found, estimate=0, low=0, high=0) == replace(one, estimate=0, low=0, high=0)


@pytest.mark.parametrize("declared", TABLE, ids=lambda one: one.name)
def test_values_without_a_unit_equal_estimates_without_its_rows(declared: DeclaredMeasure) -> None:
    group = random_group()
    estimator = declared.estimator
    assert isinstance(estimator, RatioEstimator)
    values = sum_ratios_without(list(estimator.ratios(group)), group.units)
    for unit, value in zip(np.unique(group.units), values, strict=True):
        left = declared.estimate(group.where(group.units != unit))
        assert left.estimate == pytest.approx(value, abs=1e-12)


def test_a_share_of_no_rows_is_undefined() -> None:
    nothing = random_group().where(np.zeros(60, dtype=bool))
    for declared in TABLE:
        found = declared.estimate(nothing)
        assert (found.estimate, found.n, found.flags) == (None, 0, ("undefined",))


def test_a_sum_of_rounded_shares_keeps_wilsons_interval() -> None:
    thirds = share("thirds", *TEXTS, every, lambda group: np.full(group.units.size, 1 + 2e-16))
    assert thirds.estimate(random_group(rows=7)).estimate == 1


def test_levels_come_after_the_whole_and_factor_by_factor() -> None:
    levels = [(one.name, dict(one.at)) for one in measure_groups([random_group()], TABLE)]
    assert levels[:4] == [(declared.name, {}) for declared in TABLE]
    assert levels[4:] == [
        *(("accuracy", {"size": size}) for size in (3, 4, 5)),
        *(("accuracy", {"kind": kind}) for kind in ("chain", "fork")),
    ]


def test_a_factor_with_one_level_gives_no_levels() -> None:
    group = random_group()
    chains = group.where(group["kind"] == "chain")
    assert {tuple(one.at) for one in measure_groups([chains], TABLE)} == {(), ("size",)}


def test_a_measure_has_the_range_and_flags_of_its_row() -> None:
    flagged = replace(RIGHT, flags=lambda counted: (f"of_{counted.units.size}",))
    group = random_group()
    (found,) = (one for one in measure_groups([group], (flagged,)) if not one.at)
    assert found.range == (0, 1)
    assert found.flags[-1] == f"of_{int(reached(group).sum())}"
    assert STEPS.measure(group).range == (-inf, inf)


def test_only_groups_that_have_a_measure_get_it() -> None:
    here = only_when(lambda group: group.labels["agent"] == "second", RIGHT)
    assert not [*measure_groups([random_group()], here)]
    second = replace(random_group(), labels={"agent": "second"})
    assert [*measure_groups([second], here)]


def test_a_described_measure_is_not_computed() -> None:
    described = DeclaredMeasure(name="fit", label="fit", meaning="How well a model fits.")
    assert not [*measure_groups([random_group()], (described,))]
    with pytest.raises(TypeError, match="fit must have a function"):
        described.estimate(random_group())


def test_custom_measures_take_the_rows_that_count() -> None:
    def count(group: Group) -> Estimate:
        return Estimate(float(group.units.size), None, None, group.units.size, 1, "count")

    group = random_group()
    chains = custom("rows", *TEXTS, count, both(scored, equals("kind", "chain")))
    expected = np.sum(scored(group) & (group["kind"] == "chain"))
    assert chains.measure(group).estimate == expected
    assert chains.estimator(group).estimate == expected


def test_find_declared_returns_the_first_row_of_a_name() -> None:
    assert find_declared((RIGHT, replace(RIGHT, label="another")), "accuracy") is RIGHT
    assert find_declared(TABLE, "none") is None


def test_once_computes_once_for_each_group() -> None:
    calls = []

    def size(group: Group) -> int:
        calls.append(group)
        return group.units.size

    group = random_group()
    assert group.once(size) == group.once(size) == 60
    assert group.where(reached(group)).once(size) < 60
    assert len(calls) == 2
