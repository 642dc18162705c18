"""The page on limitations: its counts and its claims about challenges match the code.

A claim is a phrase "no …" in a section of the page that mentions analyze. Each one needs a check in
`CLAIMS` that looks at generated data sets, so a claim can't outlive the challenge that refutes it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from whybench.suites.analyze.challenges import CHALLENGES, CORE, HARD
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.estimators.groups import count_sides
from whybench.suites.analyze.truths import UnidentifiedTruth
from whybench.suites.registry import TEACHING_ORDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.world import World

PAGE = (Path(__file__).parents[1] / "docs" / "when-not.md").read_text("utf-8")
NUMBERS = {
    2: "two",
    3: "three",
    4: "four",
    5: "five",
    6: "six",
    7: "seven",
    15: "fifteen",
    16: "sixteen",
}

STRONG_INSTRUMENT = 10.0
"""The F statistic of the first stage that is commonly required of an instrument."""


@cache
def _instances(challenge: str) -> dict[str, Instance]:
    return CHALLENGES[challenge].generate_twins("limits page", 0)


def _worlds() -> Iterator[tuple[str, World]]:
    for name, challenge in CHALLENGES.items():
        for variant, instance in _instances(name).items():
            yield name, challenge.world(variant, instance.parameters)


def check_no_missing_values() -> None:
    for name in CHALLENGES:
        for instance in _instances(name).values():
            for role, values in instance.rows.items():
                assert np.isfinite(np.asarray(values, dtype=float)).all(), (name, role)


def _overlap_counts(variant: str) -> np.ndarray:
    """Return the treated and untreated units of the four groups of `overlap`."""
    rows = _instances("overlap")[variant].rows
    return count_sides(rows["treatment"], 2 * rows["first"] + rows["second"])


def check_no_empty_groups() -> None:
    for variant in _instances("overlap"):
        assert _overlap_counts(variant).min() >= 12, variant


def check_no_weak_instruments() -> None:
    challenge = CHALLENGES["direction"]
    for variant, instance in _instances("direction").items():
        graph = challenge.world(variant, instance.parameters).find_graph()
        for column in ("first", "second"):
            push = f"push_{column}"
            edges = [edge for edge in graph.edges if push in edge]
            assert edges == [(push, column)], (variant, edges)
            r2 = np.corrcoef(instance.rows[push], instance.rows[column])[0, 1] ** 2
            assert r2 / (1 - r2) * (instance.size - 2) > STRONG_INSTRUMENT, (variant, column)
    rows = _instances("instrument")[TRAP].rows
    r2 = np.corrcoef(rows["known"], rows["treatment"])[0, 1] ** 2
    assert r2 / (1 - r2) * (len(rows["known"]) - 2) > STRONG_INSTRUMENT


CLAIMS: dict[str, Callable[[], None]] = {
    "missing values": check_no_missing_values,
    "empty groups": check_no_empty_groups,
    "weak instruments": check_no_weak_instruments,
}
"""What the page claims that no challenge has, and the check of each claim."""


def find_claims(page: str) -> list[str]:
    """Return what follows "no" in the sections of a page that mention analyze."""
    sections = [part for part in re.split(r"^## ", page, flags=re.MULTILINE) if "analyze" in part]
    return [
        " ".join(claim.split())
        for part in sections
        for claim in re.findall(r"\b[Nn]o ([A-Za-z][^,.;:*]*)", part)
        if not claim.startswith("effect estimate")  # what a correct report has, not a challenge
    ]


def test_limits_page_claims_are_those_that_are_checked() -> None:
    assert find_claims(PAGE) == list(CLAIMS)


def test_limits_page_claims_name_no_challenge() -> None:
    names = {*CHALLENGES, *(challenge.family for challenge in CHALLENGES.values())}
    for claim in find_claims(PAGE):
        assert not names & set(re.findall(r"\w+", claim)), claim


@pytest.mark.parametrize("claim", CLAIMS)
def test_limits_page_claim_holds_in_every_challenge(claim: str) -> None:
    CLAIMS[claim]()


def test_limits_page_counts_suites_and_challenges() -> None:
    counts = {
        r"(\w+) (?:causal-reasoning skills|skills|abilities)\b": len(TEACHING_ORDER),
        r"(\w+) kinds of trap\b": len(CORE),
        r"tier of (\w+) challenges\b": len(HARD),
    }
    for pattern, number in counts.items():
        found = [word for word in re.findall(pattern, PAGE) if word in NUMBERS.values()]
        assert found, pattern
        assert set(found) == {NUMBERS[number]}, pattern


def test_limits_page_names_every_challenge_of_the_hard_design() -> None:
    assert all(f"`{name}`" in PAGE for name in HARD)


def test_overlap_has_the_extreme_propensities_of_the_limits_page() -> None:
    counts = _overlap_counts(TRAP)
    assert sorted(counts.min(axis=1) / counts.sum(axis=1))[1] < 0.1


def test_unidentified_has_the_unmeasured_confounder_of_the_limits_page() -> None:
    instance = _instances("unidentified")[TRAP]
    world = CHALLENGES["unidentified"].world(TRAP, instance.parameters)
    assert isinstance(instance.truths["estimate"], UnidentifiedTruth)
    hidden = {column.role for column in world.columns if column.time is None}
    edges = world.find_graph().edges
    assert any({(one, "treatment"), (one, "outcome")} <= set(edges) for one in hidden)
