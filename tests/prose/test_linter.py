"""The prose linter finds words to avoid, and allowances only fall."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINTER = runpy.run_path(str(ROOT / ".ci" / "prose"))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.md", "The page tells a lot.\n", ["tells"]),
        ("a.md", "It prints `told` and\n```bash\nsay told\n```\n", []),
        ("a.md", "An error of .35, not 0.35.\n", [".35"]),
        ("a.md", "What happens? It stands beside it.\n", ["beside"]),
        ("a.py", '"""Return what it is."""\n\nsaid = 1  # in colour\n', ["what it", "colour"]),
        ("a.yaml", "key: the rooms of the house\n", ["rooms"]),
    ],
)
def test_find_matches_returns_words_to_avoid(tmp_path: Path, name, text, words) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert [found for _, _, found in LINTER["find_in_file"](path)] == words


def test_main_lower_never_raises_an_allowance(tmp_path: Path, monkeypatch, capsys) -> None:
    allowances = tmp_path / "allowances"
    allowances.write_text("1 a.md\n9 b.md\n", encoding="utf-8")
    files = {"a.md": "told told told\n", "b.md": "told\n", "c.md": "told\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    scope = LINTER["main"].__globals__
    monkeypatch.setitem(scope, "ROOT", tmp_path)
    monkeypatch.setitem(scope, "ALLOWANCES", allowances)
    monkeypatch.setitem(scope, "list_files", lambda: [tmp_path / name for name in files])
    assert scope["main"]([]) == 1
    assert "a.md: 3 matches, 1 allowed" in capsys.readouterr().out
    scope["main"](["--lower"])
    assert allowances.read_text(encoding="utf-8") == "1 a.md\n1 b.md\n"
