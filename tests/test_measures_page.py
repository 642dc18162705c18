"""The list of measures in the documentation, and the tables that it is written from."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from docs.measures import PAGE, write_page

from whybench.suites.calibration import simulate
from whybench.suites.measures import find_declared
from whybench.suites.registry import TEACHING_ORDER, get_suite

DECLARED = tuple(name for name in TEACHING_ORDER if get_suite(name).measure_table)


def test_page_equals_the_tables() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_page()


def test_page_has_a_section_for_each_suite() -> None:
    headings = re.findall(r"^## (\w+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == [*TEACHING_ORDER]


@pytest.mark.parametrize("name", DECLARED)
def test_table_texts_are_a_label_and_one_sentence(name: str) -> None:
    for one in get_suite(name).measure_table:
        assert one.label
        assert not one.label.endswith(".")
        assert one.meaning[0].isupper()
        assert one.meaning.endswith(".")
        assert ". " not in one.meaning, one.name
        assert "|" not in one.label + one.meaning
        low, high = one.range
        assert low < high
        assert all(low <= end <= high for end in (one.baseline, one.exact) if end is not None)


@pytest.mark.parametrize("name", DECLARED)
def test_table_declares_all_measures_of_a_run(name: str) -> None:
    suite = get_suite(name)
    assert all(find_declared(suite.measure_table, measure) for measure in suite.headline)
    for design in list(suite.designs.values())[:2]:
        items = [*islice(suite.items(design), 40)]
        for agent in list(suite.agents.values())[:3]:
            for found in simulate(suite, design, items, agent, {}):
                declared = find_declared(suite.measure_table, found.name)
                assert declared is not None, found.name
                low, high = declared.range
                assert found.range == declared.range
                assert found.estimate is None or low - 1e-9 <= found.estimate <= high + 1e-9
