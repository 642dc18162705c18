"""What we claim of the statistics, by the code that prints it, on less than the full size."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from evidence.figures import held

from evidence import statistics

PRINTED = "printed tables"


@pytest.fixture
def tables(mirror: Path) -> Path:
    folder = os.environ.get(statistics.TABLES)
    if not folder:
        pytest.skip(f"set {statistics.TABLES} to the folder of the source's printed tables")
    return Path(folder)


@pytest.mark.slow
@pytest.mark.parametrize("part", [name for name in statistics.PARTS if name != PRINTED])
def test_the_figures_hold(part: str) -> None:
    held(statistics.PARTS[part])


@pytest.mark.slow
def test_printed_tables_are_reproduced(tables: Path) -> None:
    assert len(held(statistics.PARTS[PRINTED])) == 4


def test_figures_without_tables_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(statistics.TABLES, raising=False)
    (figure,) = statistics.figures(small=True, only="printed")
    assert figure.measured == "nothing compared"
