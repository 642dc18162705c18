"""The party of eight of Maasch and colleagues (2025): true quantities, and answers by its rules.

The paper shows the results of its models as pictures, and its repository holds generators and not
the questions that were asked. No result of a model can be carried over, and there are no items. The
truth of the party follows from its rules, and so does the share of runs in which a perfect reasoner
meets the bound of the paper. Answers of your agents to the design `party` of compose are compared
with that bound: a relative absolute error of a tenth from the truth (external validity) and from
the agent's own answer about the whole (internal consistency). The paper calls a quantity valid if
nine estimates in ten keep to the bound, and near-valid if three in four do. The estimates here are
bootstrap estimates from the cases that were asked, resampled within patterns.
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
from whybench.suites.compose.tables import compositions_table, pairs_table
from whybench.suites.compose.truth import population_pns
from whybench.suites.compose.units import make_world
from whybench.suites.compose.verdicts import SOURCE_BOUND
from whybench.suites.contract import UserError
from whybench_papers.replication import Replication

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

Rows = list[dict[str, Any]]

PARTY = "party"
LETTERS = {0: "X", 3: "C", 4: "D", 7: "Y"}
"""The paper's names of root, cutpoints and leaf."""

PAPER_UNITS = 1000
"""How many sets of values the paper draws for each quantity."""

VALID, NEAR_VALID = 0.9, 0.75
"""Shares of estimates within the bound by which the paper calls a quantity valid, or nearly so."""

RESAMPLES, ROUNDING = 2000, 1e-9

KEPT = ("agent", "theme", "detail", "style", "gates", "units", "epochs")
CLASSES = {(True, True): "VC", (True, False): "VI", (False, True): "IC", (False, False): "II"}


def replicate(records: pa.Table | None = None) -> dict[str, Rows]:
    """Return the true quantities of the party, and your agents' estimates, as rows by table.

    Args:
        records: Records of compose, of which those of the design `party` are used.
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
    """Return the truth of each pair, and the share of runs in which a perfect reasoner passes."""
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


def chance_to_pass(true: Fraction, units: int = PAPER_UNITS) -> float:
    """Return the probability that the share in `units` random units is within a tenth."""
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
    """Return the paper's word for a quantity with this share of estimates within a tenth."""
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


def _tables(
    _resamples: int, beside: pa.Table | None = None
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    return replicate(beside)


REPLICATION = Replication(
    _tables,
    names=("quantities", "compositions"),
    suite="compose",
    note="The paper's repository holds generators, not the items it asked, and its results are "
    "printed as pictures, so no model's number is here. --with LOGS compares your agents' answers "
    "to the design party of compose with the paper's bound.",
)
