"""The suite as the rest of the package meets it: checks, commands, shards and samples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from whybench.cli import whybench_command
from whybench.suites.catalog import split_into_samples, take_shard
from whybench.suites.checks import check_design
from whybench.suites.compose import SUITE
from whybench.suites.compose.checks import CHECKS
from whybench.suites.compose.design import DESIGNS
from whybench.suites.compose.themes import THEME_NAMES
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path

EVERYTHING = {
    "wording": "plain,formal",
    "design": "full",
    "kinds": "bridge+bridge,cycle3+bridge+wheel4",
    "worlds": 1,
    "units": 1,
}


def problems(design) -> list[str]:
    return [
        f"{result.name}: {result.examples}"
        for result in check_design(SUITE, design)
        if not result.passed
    ]


def test_the_suite_is_installed() -> None:
    assert get_suite("compose") is SUITE


@pytest.mark.slow
def test_checks_pass_on_all_levels_of_all_factors() -> None:
    assert not problems(SUITE.make_design(EVERYTHING))


@pytest.mark.parametrize("name", ["core", "shapes", "long", "party"])
def test_checks_pass_on_a_part_of_every_design(name: str) -> None:
    assert not problems(SUITE.make_design({"design": name, "worlds": 1, "units": 8}))


def test_checks_pass_on_a_theme_of_ones_own(tmp_path: Path) -> None:
    from importlib.resources import files

    source = files("whybench.suites.compose.themes").joinpath("vault.yaml")
    own = tmp_path / "safe.yaml"
    text = source.read_text(encoding="utf-8").replace("name: vault", "name: safe")
    own.write_text(text, encoding="utf-8")
    design = SUITE.make_design({"theme": [str(own)], "worlds": 1, "gates": "mixed"})
    results = {result.name: result for result in check_design(SUITE, design)}
    assert all(result.passed for result in results.values())
    assert not results["prompt gives back the world"].applies
    # A theme whose prompt lies is found out: the one at hand is another.
    items = list(SUITE.items(design))
    lying = [
        replace(item, question=replace(item.question, effect=item.question.world.leaf))
        for item in items
        if item.question.effect != item.question.world.leaf
    ]
    for item, other in zip(lying, items, strict=False):
        item.__dict__["prompt"] = other.prompt
    check = CHECKS["prompt and theme, also one's own, give back the world"]
    assert list(check.problems(lying))


def test_own_checks_see_what_is_wrong() -> None:
    items = list(
        SUITE.items(
            SUITE.make_design({"kinds": "bridge+bridge", "gates": "or", "worlds": 1, "units": 8})
        )
    )
    constant, weights = (
        CHECKS["a constant answer has half of balanced accuracy"],
        CHECKS["whole rounds of units stand for the population"],
    )
    assert len(constant.select(items)) == len(weights.select(items)) == len(items)
    assert not [*constant.problems(items), *weights.problems(items)]
    yes = [item for item in items if item.question.intervention is None or item.truth]
    assert list(constant.problems(yes)) == [
        "bridge+bridge/or/0: all interventional questions have the answer 1"
    ]
    few = [item for item in yes if item.unit]
    assert not constant.select(few)  # one unit less, and both answers need not occur
    heavy = [replace(item, weight=2 * item.weight) for item in items]
    (line,) = weights.problems(heavy)
    assert line.startswith("bridge+bridge/or/0: weight has the mean 2")


@given(st.integers(1, 40), st.integers(1, 6), st.integers(1, 9))
def test_what_belongs_together_is_never_parted(units: int, size: int, shards: int) -> None:
    from types import SimpleNamespace

    items = [
        SimpleNamespace(digest=f"x-{unit}-{place}", unit=unit)
        for unit in range(units)
        for place in range(size)
    ]

    def unit_of(item):
        return item.unit

    samples = split_into_samples(items, group_key=unit_of)
    assert [len(members) for members in samples] == [size] * units
    parts = [take_shard(items, f"{i}/{shards}", unit_of) for i in range(1, shards + 1)]
    assert sorted(item.digest for part in parts for item in part) == sorted(
        item.digest for item in items
    )
    assert sum(len({item.unit for item in part}) for part in parts) == units
    assert [len(members) for members in split_into_samples(items, 1, unit_of)] == [1] * len(items)
    assert [item for members in split_into_samples(items, size + 1) for item in members] == items


def test_commands_list_show_and_plan() -> None:
    def said(*words: str) -> str:
        done = CliRunner().invoke(whybench_command, words)
        assert done.exit_code == 0, done.output
        return done.output

    listed = said("list", "compose")
    assert all(name in listed for name in (*DESIGNS, *SUITE.agents))
    shown = said("show", "compose", "4")
    assert "16 units per world are enough for the primary measure, but not for the classes" in shown
    assert "by causal order" in shown
    planned = said(
        "run", "compose", "--model", "x", "--plan", "--limit", "4", "--epochs", "3",
        "-T", "units=32",
    )  # fmt: skip
    assert "60 items x 3 epochs = 180 calls to x" in planned
    assert (
        "32 units per world are enough for the primary measure, but not for the classes" in planned
    )
    alone = said("run", "compose", "--model", "x", "--plan", "--limit", "4", "--group", "1")
    assert "4 items x 1 epoch = 4 calls to x" in alone
    ids = said("show", "compose", "--shard", "2/3", "-T", "units=6", "--format", "ids")
    assert len(ids.split()) == 8 * 6 * 15


def test_themes_are_all_in_the_full_design() -> None:
    assert DESIGNS["full"].theme == THEME_NAMES
