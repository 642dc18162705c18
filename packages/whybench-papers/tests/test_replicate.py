"""`papers replicate`: tables, names and errors."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import whybench_papers.dettki2025
from whybench_papers import PAPERS
from whybench_papers.replication import get_replication

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CallCommand


def test_group_lists_its_commands(call_command: CallCommand) -> None:
    status, out, _ = call_command("papers --help")
    assert status == 0
    listed = out.partition("Commands:")[2]
    assert re.findall(r"^  (\w+) ", listed, re.MULTILINE) == ["audit", "replicate"]


def test_unknown_table_is_refused_before_computing(
    monkeypatch: pytest.MonkeyPatch, call_command: CallCommand
) -> None:
    def never(_: int) -> None:
        raise AssertionError("computed")

    named = replace(get_replication("dettki2025"), tables=never, names=("people",))
    monkeypatch.setattr(whybench_papers.dettki2025, "REPLICATION", named)
    status, _, err = call_command("papers replicate dettki2025 --table peopl")
    assert status == 2
    assert "did you mean 'people'?" in err
    _, _, err = call_command("papers replicate dettki2025 --table people")
    assert "computed" in err


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_tables_are_those_that_are_named(paper: str, mirror: Path) -> None:
    replication = get_replication(paper)
    made = tuple(replication.tables(20))
    assert made == tuple(name for name in replication.names if name in made)
    assert made


@pytest.mark.slow
def test_preview_shows_long_tables_in_part(mirror: Path, call_command: CallCommand) -> None:
    _, preview, _ = call_command("papers replicate feng2025")
    assert re.search(r"^better  12 rows$", preview, re.MULTILINE)
    assert "use --table better for all rows" in preview
    assert "--table failures" not in preview  # which is short


@pytest.mark.slow
def test_json_has_every_row_with_its_table(mirror: Path, call_command: CallCommand) -> None:
    words = "papers replicate dettki2025 --resamples 20"
    _, out, _ = call_command(f"{words} --json")
    rows = [json.loads(line) for line in out.splitlines()]
    names = get_replication("dettki2025").names
    assert (*dict.fromkeys(row["table"] for row in rows), "own_changes") == names
    (human,) = (row for row in rows if row["table"] == "fits" and row["agent"] == "humans")
    assert round(human["heldout_r2"], 4) == 0.9367
    status, _, err = call_command(f"{words} --table fit")
    assert status == 2
    assert "--table must be one of people, human_correlation" in err
