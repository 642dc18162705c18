"""What of the sources is here, and that a wrong row is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from evidence.coverage import FOLDER, Row, coverage, list_mistakes, read_sources
from evidence.figures import held

if TYPE_CHECKING:
    from pathlib import Path

FULL = {"feature": "A thing", "status": "full"}


def test_the_figures_hold() -> None:
    found = held(coverage)
    assert len(found) == len(list(FOLDER.glob("*.yaml"))) + 2


def test_no_row_is_there_twice() -> None:
    for source in read_sources():
        features = [row.feature for row in source.rows]
        assert len(features) == len(set(features)), source.suite


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"command": "whybench judge"}, "No such command 'judge'"),
        ({"command": "whybench run judge --model m --hot"}, "No such option '--hot'"),
        ({"command": "whybench run judge"}, "Missing option '--model'"),
        ({"command": "whybench show guess --all"}, "'guess'"),
        ({"command": "whybench show judge --all --design thesi"}, "design must be"),
        ({"command": "whybench show judge --all -T stile=cot"}, "stile"),
        ({"command": "whybench show judge --all -T style=long"}, "style must be"),
        ({"command": "whybench papers replicate dettki2025 --table fit"}, "table must be"),
        ({"command": "whybench results logs --table fitz"}, "table must be"),
        ({"command": "whybench compare logs --by stile"}, "by must be"),
        ({"command": "whybench compare a b --measure eagerness"}, "measure must be"),
        ({"command": "whybench run judge --model reference/judge.nobody"}, "nobody"),
        ({"command": "inspect eval whybench/judge -T style=long"}, "style must be"),
        ({"command": "inspect eval whybench/guess"}, "guess"),
        ({"command": "python -m evidence nothing"}, "nothing"),
        ({"command": "rm logs"}, "must begin with"),
        ({"command": "whybench list && whybench lists"}, "No such command 'lists'"),
        ({"api": "whybench.fits.fitt"}, "fitt"),
        ({"api": "whybenk.fits"}, "whybenk"),
        ({}, "must have a command or an api"),
        ({"status": "different", "command": "whybench list"}, "must have a why"),
        ({"status": "missing"}, "must have a why"),
        ({"status": "nearly", "why": "so"}, "status must be"),
    ],
)
def test_a_wrong_row_is_found(row: dict[str, str], message: str, tmp_path: Path) -> None:
    wrong = {**FULL, **row}
    assert message in " ".join(list_mistakes(Row(**wrong)))
    made = {"source": "a book", "rows": [wrong]}
    (tmp_path / "intervene.yaml").write_text(yaml.safe_dump(made), encoding="utf-8")
    with pytest.raises(AssertionError, match="MISS every command parses"):
        held(lambda small: coverage(small, tmp_path))


@pytest.mark.parametrize(
    ("suite", "count"), [("judge", 1), ("intervene", 21)], ids=["of judge", "too many"]
)
def test_too_much_that_is_open_is_found(suite: str, count: int, tmp_path: Path) -> None:
    rows = [{"feature": f"{k}", "status": "missing", "why": "so"} for k in range(count)]
    made = {"source": "a book", "rows": rows}
    (tmp_path / f"{suite}.yaml").write_text(yaml.safe_dump(made), encoding="utf-8")
    missed = [figure for figure in coverage(True, tmp_path) if not figure.holds]
    assert [figure.claim[:10] for figure in missed] == ["at most 20"]
    assert f"{suite}: 0 (missing)" in missed[0].measured


def test_a_key_that_no_row_has_is_refused(tmp_path: Path) -> None:
    made = {"source": "a book", "rows": [{**FULL, "comand": "whybench list"}]}
    (tmp_path / "judge.yaml").write_text(yaml.safe_dump(made), encoding="utf-8")
    with pytest.raises(ValueError, match="comand"):
        read_sources(tmp_path)
