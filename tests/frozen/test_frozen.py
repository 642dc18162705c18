"""Items, readings, measures and comparisons are those that the files hold."""

from __future__ import annotations

import json

import pytest
from tests.frozen.rows import DATA, changed_rows, differences, plain, read_rows
from tests.frozen.sections import SECTIONS, Section

SHOWN = 8

SLOW = ("judge-measures", "judge-measures-people")
"""Sections that take seconds, and follow from others: the answers, and how they are measured."""

EVERY = [
    pytest.param(section, marks=[pytest.mark.slow] if section.name in SLOW else [])
    for section in SECTIONS
]


@pytest.mark.parametrize("section", EVERY, ids=[section.name for section in SECTIONS])
def test_nothing_changed(section: Section, request: pytest.FixtureRequest) -> None:
    if section.needs_data:
        request.getfixturevalue("mirror")
    told = changed_rows(section, DATA)
    shown = "\n".join(told[:SHOWN])
    assert not told, f"{len(told)} differences from {section.name}.jsonl:\n{shown}"


def test_every_file_belongs_to_a_section() -> None:
    assert {path.stem for path in DATA.iterdir()} == {section.name for section in SECTIONS}


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_a_changed_row_is_noticed(section: Section) -> None:
    held = read_rows(DATA / f"{section.name}.jsonl")[:30]
    bounds = section.relative, section.absolute
    assert not differences(held, held, section.key, *bounds)
    assert len(differences(held[1:], held, section.key, *bounds)) >= 1
    assert len(differences([*held, held[0]], held, section.key, *bounds)) == 1
    for column, value in held[0].items():
        changed = [{**held[0], column: _other(value)}, *held[1:]]
        assert differences(changed, held, section.key, *bounds), column
    less = {name: value for name, value in held[0].items() if name != next(iter(held[0]))}
    assert differences([less, *held[1:]], held, section.key, *bounds)


def _other(value: object) -> object:
    """Return a value with a single sign changed, or another where there is none."""
    if isinstance(value, float):
        return value + max(abs(value), 1) * 1e-4
    if isinstance(value, str) and value:
        return value[:-1] + ("0" if value[-1] != "0" else "1")
    return 1 if value is None else json.dumps(value)


def test_a_number_that_is_not_the_same_kind_of_number_is_noticed() -> None:
    row = {"name": "a", "n": 1, "estimate": 0.5}
    for changed in ({"n": 1.0}, {"n": True}, {"estimate": None}, {"estimate": 0.5 + 1e-8}):
        assert len(differences([{**row, **changed}], [row], ["name"])) == 1
    assert not differences([{**row, "estimate": 0.5 + 1e-11}], [row], ["name"])
    assert plain({"estimate": 1 / 3}) == {"estimate": 0.333333333333}
