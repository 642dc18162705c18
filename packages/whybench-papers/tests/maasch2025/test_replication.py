"""The party of eight by the source's rule."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import pytest
from tests.scm.test_block_product import PARTY_EDGES

from whybench.records.table import record_table
from whybench.suites.compose import SUITE
from whybench.suites.compose.units import make_world
from whybench.suites.contract import UserError
from whybench_papers.maasch2025 import LETTERS, _call, chance_to_pass, replicate

if TYPE_CHECKING:
    import pyarrow as pa


def test_the_shipped_party_has_the_edges_of_the_source() -> None:
    letters = "XABCDEFY"
    edges = {letters[a] + letters[b] for a, b in make_world("party", "or", 0, "test").edges}
    assert edges == {*PARTY_EDGES, "XB", "AB"}
    assert "DY" not in edges
    assert [letters[node] for node in LETTERS] == [*LETTERS.values()]


def test_truths_are_those_of_the_design() -> None:
    found = {one["cause"] + one["effect"]: one["source"] for one in replicate()["quantities"]}
    assert found == {
        "XC": "27/125",
        "XD": "81/625",
        "XY": "2187/78125",
        "CD": "3/5",
        "CY": "81/625",
        "DY": "27/125",
    }


def test_a_perfect_reasoner_passes_in_37_percent_of_runs() -> None:
    by_name = {one["cause"] + one["effect"]: one["perfect"] for one in replicate()["quantities"]}
    p = 2187 / 78125
    passing = sum(comb(1000, k) * p**k * (1 - p) ** (1000 - k) for k in range(26, 31))
    assert by_name["XY"] == pytest.approx(passing)
    assert round(passing, 2) == 0.37


def test_few_units_never_meet_a_bound_between_them() -> None:
    assert chance_to_pass(Fraction(1, 4), units=2) == 0.0
    assert chance_to_pass(Fraction(1, 2), units=2) == 0.5


def test_records_of_other_worlds_are_refused() -> None:
    rows = [{"agent": "a", "kinds": "cycle3+cycle3", "item": "1"}]
    with pytest.raises(UserError, match="design party"):
        replicate(record_table(rows, SUITE.columns))


def answered(says_yes_of_whole: bool) -> pa.Table:
    """The party answered rightly, or with yes to all that is asked of the whole."""
    design = SUITE.make_design({"design": "party", "units": 64})
    rows = []
    for item in SUITE.items(design):
        whole = (item.factors["cause"], item.factors["effect"]) == (0, 7)
        value = 1.0 if says_yes_of_whole and whole else item.truth
        rows.append(
            {
                **item.factors,
                "agent": "a",
                "design": "party",
                "design_hash": "0",
                "item": item.id,
                "epoch": 1,
                "outcome": "scored",
                "reason": "",
                "value": value,
                "truth": item.truth,
            }
        )
    return record_table(rows, SUITE.columns)


def test_a_perfect_agent_is_valid_and_consistent() -> None:
    tables = replicate(answered(says_yes_of_whole=False))
    own = [one for one in tables["quantities"] if one["agent"] == "a"]
    assert {one["cause"] + one["effect"] for one in own} == {"XC", "XD", "XY", "CD", "CY", "DY"}
    for one in own:
        assert one["ratio"] == pytest.approx(0, abs=1e-9)
        assert one["flags"] == "within_a_tenth"
        assert (one["within"], one["verdict"]) == (1.0, "valid")
    assert {one["path"]: one["class"] for one in tables["compositions"]} == {
        "XCY": "VC",
        "XDY": "VC",
        "XCDY": "VC",
    }


def test_who_sees_no_effect_of_the_whole_has_no_class_by_a_ratio() -> None:
    tables = replicate(answered(says_yes_of_whole=True))
    calls = {x["cause"] + x["effect"]: x["verdict"] for x in tables["quantities"] if "verdict" in x}
    assert calls == {**dict.fromkeys(("XC", "XD", "CD", "CY", "DY"), "valid"), "XY": "invalid"}
    assert {one["class"] for one in tables["compositions"]} == {""}
    assert {one["internal"] for one in tables["compositions"]} == {None}
    assert all(one["external"] == pytest.approx(0, abs=1e-9) for one in tables["compositions"])


@pytest.mark.parametrize(
    ("share", "verdict"),
    [(0.9, "valid"), (0.8999, "near_valid"), (0.75, "near_valid"), (0.7499, "invalid"), (None, "")],
)
def test_verdicts_are_by_the_shares_that_the_source_prints(share, verdict) -> None:
    assert _call(share) == verdict
