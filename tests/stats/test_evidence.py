"""The figures we claim of the statistics, on less than their full size."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evidence import statistics


@pytest.fixture
def tables(mirror: Path) -> Path:
    folder = os.environ.get(statistics.TABLES)
    if not folder:
        pytest.skip(f"set {statistics.TABLES} to the folder of the source's printed tables")
    return Path(folder)


def test_the_bootstrap_of_rho_is_fast_and_exact() -> None:
    speed = statistics.spearman_speed(agents=10, scopes=2, looped=120)
    assert speed.largest_difference <= 1e-12
    # 200 at full size on a quiet machine.
    assert speed.ratio > 60


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_of_rho_cover(method: str, pairs: bool) -> None:
    rate = statistics.spearman_coverage(300, method=method, pairs=pairs, resamples=400)
    # Three standard errors of 300 simulations around 92–97%.
    assert 0.875 <= rate.share <= 0.995


def test_kruskal_wallis_holds_its_level() -> None:
    # Three standard errors of 3,000 simulations are 0.012.
    assert 0.038 <= statistics.kruskal_level(3000).share <= 0.062
    assert statistics.kruskal_level(3000, design=True).share <= 0.05


def test_the_permutation_test_holds_its_level_and_sees_more() -> None:
    null, _ = statistics.permutation_level(2000, permutations=499)
    assert 0.035 <= null.share <= 0.065
    permuted, ranked = statistics.permutation_level(300, shift=6.0, permutations=499)
    assert permuted.share > 0.9
    assert ranked.share < 0.5


def test_the_ceiling_is_what_the_truth_reaches() -> None:
    ceiling, reached = statistics.ceiling_bias(40, splits=40)
    assert ceiling == pytest.approx(reached, abs=0.02)


def test_power_is_what_simulations_find() -> None:
    assert statistics.power_error(2000) <= 0.04


def test_printed_alignment_is_reproduced(tables: Path) -> None:
    assert statistics.printed_alignment(tables, "pooled") == statistics.Agreement(55, ())
    assert statistics.printed_alignment(tables, "story") == statistics.Agreement(163, ())


def test_printed_story_differences_are_reproduced(tables: Path) -> None:
    assert statistics.printed_story_differences(tables, "4.1") == statistics.Agreement(30, ())
    assert statistics.printed_story_differences(tables, "B") == statistics.Agreement(118, ())


def test_figures_without_tables_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(statistics.TABLES, raising=False)
    (figure,) = statistics.figures(small=True, only="printed")
    assert figure.measured == "nothing compared"
