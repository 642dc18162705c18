"""The home page of the documentation: its example and its list of suites match the code."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean

import pytest

from whybench.suites.calibration import simulate_rows
from whybench.suites.registry import TEACHING_ORDER, get_suite

PAGE = (Path(__file__).parents[1] / "docs" / "index.md").read_text("utf-8")
KINDS = {"other cause present": "VI", "other cause absent": "VIII"}
"""The rows of the example that are means, and the task of judge that each is the mean of."""


def read_table(first_header: str) -> list[list[str]]:
    """Return the rows of the table with this first header, without code marks."""
    lines = PAGE.partition(f"| {first_header} |")[2].splitlines()
    lines = [f"| {first_header} |{lines[0]}", *lines[2:]]
    table = lines[: next(n for n, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip(" `") for cell in line.strip("| ").split(" | ")] for line in table]


@pytest.fixture(scope="module")
def judgments() -> dict[str, list[tuple[str, float]]]:
    """Return the task and the judgment of every item of the default design, by agent."""
    judge = get_suite("judge")
    design = judge.make_design(judge.budget("small").settings)
    items = list(judge.items(design))
    found = {}
    for mind in ("careful", "associative"):
        name, settings = judge.minds[mind]
        rows = simulate_rows(judge, design, items, judge.agent(name), settings, mind, {})
        found[mind] = [(str(row["task"]), float(row["value"])) for row in rows]
    return found


def test_home_page_example_shows_the_judgments_of_the_reference_agents(
    judgments: dict[str, list[tuple[str, float]]],
) -> None:
    head, first, *means = read_table("Question")
    for agent, shown in zip(head[1:], first[1:], strict=True):
        assert float(shown) == judgments[agent][8][1], agent
    assert len(means) == len(KINDS)
    for label, *values_shown in means:
        (task,) = (task for words, task in KINDS.items() if words in label)
        for agent, value in zip(head[1:], values_shown, strict=True):
            values = [judgment for kind, judgment in judgments[agent] if kind == task]
            assert len(values) == 24
            assert value == f"{fmean(values):.0f}", (label, agent)


def test_home_page_lists_every_suite_with_one_of_its_primary_measures() -> None:
    _, *shown = read_table("Suite")
    names = [re.findall(r"\[(\w+)\]", row[0])[0] for row in shown]
    assert sorted(names) == sorted(TEACHING_ORDER)
    for name, row in zip(names, shown, strict=True):
        measures = re.findall(r"`(\w+)`?\)?", row[2])
        assert measures, name
        assert set(measures) <= set(get_suite(name).headline), name
