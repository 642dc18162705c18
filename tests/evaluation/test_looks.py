"""Looks at designs: balanced parts that make up the whole."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from whybench.evaluation.looks import schedule_looks
from whybench.evaluation.profiles import plan_profile
from whybench.evaluation.progress import planned_samples
from whybench.planning.asks import Ask
from whybench.suites.catalog import list_samples
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path

DESIGNS = [
    Ask("intervene", {"design": "limited"}),
    Ask("compose", {"design": "core"}, limit=96),
    Ask("trace", {"style": "direct,cot"}),
    Ask("calculate", {"design": "core"}),
]


@pytest.mark.parametrize("ask", DESIGNS, ids=lambda ask: ask.suite)
def test_schedule_looks_end_after_whole_cases_and_cover_the_design(ask: Ask) -> None:
    suite = get_suite(ask.suite)
    found = schedule_looks(ask)
    samples = list_samples(suite, suite.items(ask.choose_design()), limit=ask.limit)
    assert found.ends[-1] == len(samples)
    assert 2 <= len(found.ends) <= 10
    assert list(found.ends) == sorted(set(found.ends))
    parts = [samples[start:end] for start, end in pairwise((0, *found.ends))]
    cases = [{item.case for members in part for item in members} for part in parts]
    assert all(not one & two for one, two in pairwise(cases))
    assert found.items == tuple(item.id for members in samples for item in members)
    assert found.counts[-1] == len(found.items)


def test_schedule_looks_each_part_of_trace_has_each_depth_and_condition_once() -> None:
    found = schedule_looks(Ask("trace", {"style": "direct,cot"}))
    design = get_suite("trace").make_design({"style": "direct,cot"})
    factors = {item.id: item.factors for item in get_suite("trace").items(design)}
    for start, end in pairwise((0, *found.counts)):
        cells = Counter(
            tuple(factors[item][name] for name in ("depth", "query", "style"))
            for item in found.items[start:end]
        )
        assert set(cells.values()) == {1}
        assert len(cells) == 11 * 2 * 2
    assert found.several == ("style",)


def test_schedule_looks_levels_in_turn_are_no_conditions() -> None:
    assert schedule_looks(Ask("calculate", {"design": "core"})).several == ()


def test_units_of_a_profile_are_looks_except_of_a_style() -> None:
    agents = ["reference/careful", "reference/hasty"]
    stated = plan_profile(agents, suites=["judge", "trace"]).with_until("decided")
    units = stated.list_units()
    assert Counter((unit.ask.suite, unit.look) for unit in units) == {
        ("judge", 0): 2,
        **{("trace", look): 2 for look in range(1, 6)},
    }
    assert [unit.limit for unit in units if unit.model == agents[0]][1:3] == [(0, 22), (22, 44)]
    assert len({unit.place for unit in units}) == len({unit.digest for unit in units}) == 12
    assert stated.deciding is not None
    assert "judge: asked in full, since it has no comparison that can be decided" in [
        *stated.deciding.lines()
    ]


def test_planned_samples_of_ranges_make_up_the_whole(tmp_path: Path) -> None:
    task = SimpleNamespace(dataset=[SimpleNamespace(id=number) for number in range(10)])
    ranges = [planned_samples(task, part, 2, tmp_path) for part in ((0, 4), (4, 7), (7, 10))]
    assert [len(part) for part in ranges] == [8, 6, 6]
    assert set().union(*ranges) == planned_samples(task, None, 2, tmp_path)
    assert ranges[0] == planned_samples(task, 4, 2, tmp_path)
