"""Self-tests find what is wrong with a challenge."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from evidence.challenges import HEAD, format_results

from whybench.suites.analyze import analysts
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.checks import find_failures, mean_twin_scores, run_analysts

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Challenge

SIMPSON = CHALLENGES["simpson"]


def found(monkeypatch: pytest.MonkeyPatch, changed: Challenge) -> list[str]:
    """Say what does not hold of a changed challenge, which answers under the same name."""
    monkeypatch.setattr(analysts, "CHALLENGES", {"simpson": changed})
    return list(find_failures(run_analysts(changed, range(10))))


def test_a_sound_challenge_has_no_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, SIMPSON) == []


def test_an_incompetent_analyst_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    confounded = ("trap", "agreeing", "null")
    assert found(monkeypatch, replace(SIMPSON, competent=SIMPSON.naive)) == [
        f"simpson {variant}: competent passes {what} in 0.000"
        for variant in confounded
        for what in ("estimate", "all numbers")
    ]


def test_a_naive_analyst_who_does_not_fall_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, replace(SIMPSON, naive=SIMPSON.competent)) == [
        "simpson: naive passes a key number in 1.000",
        "simpson: naive falls for it in 0.000",
    ]


def test_crying_trap_that_pays_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, replace(SIMPSON, always_trap=SIMPSON.competent)) == [
        f"simpson: always-trap diagnoses twins with 1.000 ({variant})"
        for variant in (*SIMPSON.controls, "all")
    ]


def test_an_analyst_who_leaves_numbers_out_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = replace(SIMPSON, competent=lambda _: {"reversal": True})
    assert "simpson null: competent passes estimate in 0.000" in found(monkeypatch, silent)


def test_twins_are_paired_seed_by_seed() -> None:
    results = run_analysts(SIMPSON, range(4))
    scores = {v: [g.score for g in t.graded["always-trap"]] for v, t in results.items()}
    by_hand = {
        variant: sum(map(min, scores["trap"], scores[variant])) / 4 for variant in SIMPSON.controls
    }
    always = mean_twin_scores(results, "always-trap")
    assert {variant: always[variant] for variant in by_hand} == pytest.approx(by_hand)
    assert always["all"] == pytest.approx(fmean(by_hand.values()))


def test_the_table_has_a_line_for_each_variant() -> None:
    lines = list(format_results(run_analysts(SIMPSON, range(2))))
    assert [line.split()[1] for line in lines] == list(SIMPSON.variants)
    assert lines[0].split()[2] == "2/2"
    assert max(map(len, lines)) <= len(HEAD) + 2
