"""Items, readings, measures and replications are those that the files hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from papers_frozen.sections import SECTIONS
from tests.frozen.rows import changed_rows

if TYPE_CHECKING:
    from tests.frozen.sections import Section

DATA = Path(__file__).parent / "data"

SHOWN = 8

QUICK = ("-items", "-readings")

EVERY = [
    pytest.param(section, marks=[] if section.name.endswith(QUICK) else [pytest.mark.slow])
    for section in SECTIONS
]


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("section", EVERY, ids=[section.name for section in SECTIONS])
def test_nothing_changed(section: Section) -> None:
    changed = changed_rows(section, DATA)
    shown = "\n".join(changed[:SHOWN])
    assert not changed, f"{len(changed)} differences from {section.name}.jsonl:\n{shown}"


def test_every_file_belongs_to_a_section() -> None:
    assert {path.stem for path in DATA.iterdir()} == {section.name for section in SECTIONS}
