"""What the source measures on its party of eight, and one's own agents by the same rules.

The source (Maasch and colleagues 2025) shows the results of its models as pictures, and its
repository holds generators and not the questions that were asked. So there is no number of a model
to carry over; what can be had is the truth of the party, which follows from its rules, and how
often a perfect reasoner meets the source's own bound. Agents of one's own are held to that bound:
a relative absolute error of a tenth, against the truth (external validity) and against their own
answer about the whole (internal consistency).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, cast

import pyarrow.compute as pc

from whybench.suites.compose.measures import compositions_table, pairs_table
from whybench.suites.compose.truth import population_pns
from whybench.suites.compose.units import make_world
from whybench.suites.compose.verdicts import SOURCE_BOUND
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["chance_to_pass", "replicate"]

Rows = list[dict[str, Any]]

PARTY = "party"
LETTERS = {0: "X", 3: "C", 4: "D", 7: "Y"}
"""The source's names of root, cutpoints and leaf."""

SOURCE_UNITS = 1000
"""How many sets of values the source draws for each quantity."""

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
    return {
        "quantities": [*quantities, *map(_quantity_row, pairs_table(party).to_pylist())],
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


def _quantity_row(row: dict[str, Any]) -> dict[str, Any]:
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
