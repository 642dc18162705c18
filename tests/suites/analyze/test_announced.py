"""A challenge of another package is found by its name, and is part of nothing else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from whybench.scaffolds import make_scaffold, write_scaffold
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.challenges import CHALLENGES, FAMILIES, challenge_names
from whybench.suites.analyze.checks import self_tests
from whybench.suites.analyze.grading import WRONG_CAP
from whybench.suites.calibration import simulate
from whybench.suites.checks import check_design
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = "comeback"


@pytest.fixture
def announce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return a function that puts a package of a challenge on the path, with its entry point."""

    def installed(name: str, target: str) -> None:
        write_scaffold(make_scaffold("challenge", name), tmp_path)
        source = tmp_path / f"whybench-{name}" / "src"
        about = source / f"whybench_{name}-0.1.0.dist-info"
        about.mkdir()
        about.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: whybench-{name}\nVersion: 0.1.0\n"
        )
        about.joinpath("entry_points.txt").write_text(
            f"[whybench.challenges]\n{name} = {target.format(name=name)}\n"
        )
        monkeypatch.syspath_prepend(source)
        monkeypatch.delitem(sys.modules, f"whybench_{name}", raising=False)

    return installed


@pytest.fixture
def comeback(announce: Callable[[str, str], None]) -> None:
    announce(NAME, "whybench_{name}:CHALLENGE")


@pytest.mark.usefixtures("comeback")
def test_it_is_found_by_name_and_is_in_no_named_design() -> None:
    before = tuple(CHALLENGES)
    assert CHALLENGES[NAME].name == NAME
    assert challenge_names() == (*before, NAME)
    assert tuple(CHALLENGES) == before
    assert NAME not in SUITE.make_design({"challenge": "all"}).challenge
    assert NAME not in SUITE.make_design({"challenge": list(FAMILIES)}).challenge
    assert SUITE.make_design({"challenge": f"simpson,{NAME}"}).challenge == ("simpson", NAME)


@pytest.mark.usefixtures("comeback")
def test_the_start_passes_the_checks_and_its_trials() -> None:
    design = SUITE.make_design(
        {"challenge": NAME, "seeds": 2, "hint": [1, 5], "label": "neutral,damning"}
    )
    assert [result for result in check_design(SUITE, design) if not result.passed] == []
    lines = list(self_tests(design, 20))
    assert [line.subject for line in lines] == [f"{NAME} trap", f"{NAME} everybody"]
    assert [line.misses for line in lines] == [(), ()]


@pytest.mark.usefixtures("comeback")
def test_the_truth_of_the_start_is_what_a_simulation_finds() -> None:
    for draw in range(3):
        instance = CHALLENGES[NAME].generate("trap", "items", draw)
        true = instance.number("estimate").value
        mean, se = CHALLENGES[NAME].simulate(instance, 200_000, np.random.default_rng(draw))[
            "estimate"
        ]
        # All children gain alike, so the trial has no error but that of rounding.
        assert se < 1e-12
        assert mean == pytest.approx(true, abs=1e-9)


@pytest.mark.usefixtures("comeback")
def test_its_analysts_answer_in_records_like_ours() -> None:
    design = SUITE.make_design({"challenge": NAME, "seeds": 2})
    items = list(SUITE.items(design))
    found = {
        name: {m.title: m.estimate for m in simulate(SUITE, design, items, SUITE.agent(name), {})}
        for name in ("competent", "naive", "always-trap")
    }
    assert found["competent"]["paired_score"] == 1
    assert found["competent"]["paired_diagnosis"] == 1
    # Its sign may be right by luck, and its number is not.
    assert found["naive"]["trap_rate"] == 1
    assert found["naive"]["score_trap"] <= WRONG_CAP
    assert found["naive"]["paired_score"] <= WRONG_CAP
    assert found["always-trap"]["false_alarm"] == 1


def test_an_entry_point_that_names_something_else_is_refused(
    announce: Callable[[str, str], None],
) -> None:
    announce("other", "whybench_{name}:CLEAR")
    with pytest.raises(UserError, match="entry point 'other' of whybench.challenges must name a"):
        SUITE.make_design({"challenge": "other"})


def test_a_challenge_that_nobody_has_is_refused_with_all_names() -> None:
    with pytest.raises(
        UserError, match="must be among simpson, .*, got 'comebac'; one of your own"
    ):
        SUITE.make_design({"challenge": "comebac"})
