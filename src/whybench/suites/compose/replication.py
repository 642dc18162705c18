"""What the source measures on its party of eight, and one's own agents by the same rules.

The source (Maasch and colleagues 2025) shows the results of its models as pictures, and its
repository holds generators and not the questions that were asked. So there is no number of a model
to carry over; what can be had is the truth of the party, which follows from its rules, and how
often a perfect reasoner meets the source's own bound. Agents of one's own are held to that bound:
a relative absolute error of a tenth, against the truth (external validity) and against their own
answer about the whole (internal consistency). A quantity is called valid by the source where nine
estimates in ten keep to it, and near-valid where three in four do; the estimates are here those
from cases drawn anew among those that were asked, within patterns.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow.compute as pc

from whybench.stats.resampling import draw_stratified_counts
from whybench.suites.compose.estimators import weighted_means
from whybench.suites.compose.groups import compose_groups, group_by_world
from whybench.suites.compose.measures import compositions_table, pairs_table
from whybench.suites.compose.truth import population_pns
from whybench.suites.compose.units import make_world
from whybench.suites.compose.verdicts import SOURCE_BOUND
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    import pyarrow as pa

Rows = list[dict[str, Any]]

PARTY = "party"
LETTERS = {0: "X", 3: "C", 4: "D", 7: "Y"}
"""The source's names of root, cutpoints and leaf."""

SOURCE_UNITS = 1000
"""How many sets of values the source draws for each quantity."""

VALID, NEAR_VALID = 0.9, 0.75
"""Shares of estimates within the bound by which the source calls a quantity valid, or nearly so."""

RESAMPLES, ROUNDING = 2000, 1e-9

KEPT = ("agent", "theme", "detail", "style", "gates", "units", "epochs")
CLASSES = {(True, True): "VC", (True, False): "VI", (False, True): "IC", (False, False): "II"}


def replicate(records: pa.Table | None = None) -> dict[str, Rows]:
    """Return the quantities of the party, and what one's own agents answered: table to rows.

    Args:
        records: Records of compose; those of the party count.
    """
    quantities = _true_quantities()
    if records is None:
        return {"quantities": quantities}
    party = records.filter(pc.equal(records["kinds"], PARTY))
    if not party.num_rows:
        met = ", ".join(sorted(set(records["kinds"].to_pylist())))
        raise UserError(f"records must hold answers about the party (design party), got {met}")
    shares = _shares_within(party)
    pairs = zip(pairs_table(party).to_pylist(), shares, strict=True)
    return {
        "quantities": [*quantities, *(_quantity_row(*pair) for pair in pairs)],
        "compositions": [_composition_row(row) for row in compositions_table(party).to_pylist()],
    }


def _true_quantities() -> Rows:
    """Return the truth of each pair, and how often a perfect reasoner is within the bound."""
    world = make_world(PARTY, "or", 0, "test")
    rows = []
    for cause, effect in combinations(LETTERS, 2):
        true = cast("Fraction", population_pns(world, cause, effect).value)
        rows.append(
            {
                "agent": "truth",
                "source": str(true),
                "cause": LETTERS[cause],
                "effect": LETTERS[effect],
                "estimate": float(true),
                "perfect": chance_to_pass(true),
                "flags": "",
            }
        )
    return rows


def chance_to_pass(true: Fraction, units: int = SOURCE_UNITS) -> float:
    """Return how often a share of so many units, drawn evenly, is within a tenth of the truth."""
    bound = Fraction(str(SOURCE_BOUND)) * true
    passing = (k for k in range(units + 1) if abs(Fraction(k, units) - true) <= bound)
    n, p = true.denominator, true.numerator
    return float(
        Fraction(sum(comb(units, k) * p**k * (n - p) ** (units - k) for k in passing), n**units)
    )


def _shares_within(records: pa.Table) -> list[float | None]:
    """Return for each pair of `pairs_table` the share of estimates within a tenth of the truth."""
    shares: list[float | None] = []
    for group in compose_groups(records):
        for world in group_by_world(group):
            answered = world.answered
            means = weighted_means(answered.effects("pns"), answered.sample)
            true = weighted_means(answered.true_effects(), answered.sample)
            drawn = draw_stratified_counts(answered.sample.strata, RESAMPLES, world.keys)
            targets = true(np.ones((1, answered.sample.size)))[0]
            for estimates, target in zip(means(drawn).T, targets, strict=True):
                within = np.abs(estimates - target) <= (SOURCE_BOUND + ROUNDING) * target
                shares.append(None if np.isnan(estimates).any() else float(within.mean()))
    return shares


def _call(share: float | None) -> str:
    """Return what the source calls a quantity of which so many estimates are within a tenth."""
    if share is None:
        return ""
    return "valid" if share >= VALID else "near_valid" if share >= NEAR_VALID else "invalid"


def _quantity_row(row: dict[str, Any], share: float | None) -> dict[str, Any]:
    error = row["pns_error"]
    return {
        **{name: row[name] for name in KEPT},
        "source": "own run",
        "cause": LETTERS[row["cause"]],
        "effect": LETTERS[row["effect"]],
        "estimate": row["pns"],
        "low": row["pns_low"],
        "high": row["pns_high"],
        "true": row["true"],
        "ratio": None if error is None else abs(error),
        "within": share,
        "verdict": _call(share),
        "flags": "" if error is None or abs(error) > SOURCE_BOUND else "within_a_tenth",
    }


def _composition_row(row: dict[str, Any]) -> dict[str, Any]:
    passed = (row["valid_source"], row["consistent_source"])
    kind = "" if None in passed else CLASSES[passed]
    return {
        **{name: row[name] for name in KEPT},
        "source": "own run",
        "path": "".join(LETTERS[int(node)] for node in row["path"].split("-")),
        "estimate": row["product"],
        "low": row["product_low"],
        "high": row["product_high"],
        "true": row["valid_target"],
        "external": _relative(row["product"], row["valid_target"]),
        "internal": _relative(row["product"], row["consistent_target"]),
        "class": kind,
        "flags": row["flags"],
    }


def _relative(product: float | None, target: float | None) -> float | None:
    return None if product is None or not target else abs(product - target) / target
