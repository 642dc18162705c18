"""Each entry of docs/errata/analyze.md is recomputed, and each names a command that exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from evidence.figures import held
from evidence.pitfall_programs import NOT_FETCHED
from evidence.pitfalls import PARTS, fetched, figures

PAGE = Path(__file__).parents[2] / "docs" / "errata" / "analyze.md"


@pytest.mark.parametrize("part", PARTS)
def test_an_entry_says_what_is_recomputed(part: str) -> None:
    if not fetched():
        pytest.skip("set WHYBENCH_DATA_MIRROR to a folder that holds CausalPitfalls/")
    if NOT_FETCHED in [figure.measured for figure in held(PARTS[part])]:
        pytest.skip("the source's programs are not in the mirror; what the data show holds")


def test_the_page_has_every_entry_once() -> None:
    named = re.findall(r"`python -m evidence pitfalls --only ([\w.-]+)`", PAGE.read_text("utf-8"))
    assert sorted(named) == sorted(PARTS)


def test_no_name_selects_another_entry() -> None:
    assert all(sum(name in other for other in PARTS) == 1 for name in PARTS)


def test_without_data_nothing_is_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WHYBENCH_DATA_MIRROR", raising=False)
    monkeypatch.setenv("WHYBENCH_DATA_CACHE", str(tmp_path))
    (only,) = figures(small=True)
    assert only.measured == "nothing compared"


def _as_if(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr("evidence.pitfall_programs._program", lambda name: ast.parse(program))


def test_a_program_that_is_bounded_is_not_accused(monkeypatch: pytest.MonkeyPatch) -> None:
    _as_if(
        monkeypatch,
        "def execute_code_with_dependencies(code):\n"
        "    subprocess.run(['python', code], env={}, timeout=30)\n",
    )
    (figure,) = PARTS["environment"](True)
    assert not figure.holds
    assert "1 with a timeout" in figure.measured


def test_a_pattern_of_tracebacks_is_not_accused(monkeypatch: pytest.MonkeyPatch) -> None:
    if not fetched():
        pytest.skip("set WHYBENCH_DATA_MIRROR to a folder that holds CausalPitfalls/")
    _as_if(monkeypatch, "df['response'].str.contains('traceback', case=False)")
    *_, figure = PARTS["failures"](True)
    assert not figure.holds
