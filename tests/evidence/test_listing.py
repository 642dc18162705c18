"""The suites are fit to be listed, by the field's own tools; and `eval.yaml` says what is so."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
import yaml
from evidence.figures import held
from evidence.judge import PEOPLE
from evidence.listing import PARTS, SUITES

import whybench as wb

INSTALL = [pytest.mark.install, pytest.mark.xdist_group("install")]
MARKS = {"register": INSTALL, "lowest versions": INSTALL}
# The newest versions are those that these tests run with, and the linter is a step of the gate.
TRIED = [name for name in PARTS if name not in {"newest versions", "linter"}]


@pytest.mark.parametrize("part", [pytest.param(name, marks=MARKS.get(name, [])) for name in TRIED])
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])


def entry(place: str) -> dict[str, Any]:
    found = yaml.safe_load((files("whybench") / place / "eval.yaml").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", SUITES)
def test_an_entry_says_what_the_suite_is(name: str) -> None:
    said = entry(f"suites/{name}")
    task = getattr(wb, name)()
    assert said["version"] == task.version
    (listed,) = said["tasks"]
    assert (listed["name"], listed["dataset_samples"]) == (name, len(task.dataset))
    assert ("human_baseline" in listed) == ("people" in wb.get_suite(name).baselines)


def test_the_entry_of_the_package_is_the_sum_of_the_others() -> None:
    whole = entry("")
    listed = [task for task in whole["tasks"] if task.get("kind") != "maintenance"]
    own = [task for name in SUITES for task in entry(f"suites/{name}")["tasks"]]
    assert listed == [{k: v for k, v in task.items() if k != "human_baseline"} for task in own]


def test_the_figure_of_people_is_the_one_that_we_measure() -> None:
    (listed,) = entry("suites/judge")["tasks"]
    people = listed["human_baseline"]
    assert people["score"] == PEOPLE[people["metric"]]
