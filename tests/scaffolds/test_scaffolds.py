"""Starts work as they are under any name, and nothing is ever overwritten."""

from __future__ import annotations

import keyword
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from whybench.scaffolds import KINDS, THEMED, make_scaffold, write_scaffold
from whybench.suites.analyze.settings import parse_setting
from whybench.suites.analyze.stories import parse_story
from whybench.suites.checks import check_design
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path

NAMES = st.from_regex(r"[a-z]([a-z0-9_]{0,12}[a-z0-9])?", fullmatch=True).filter(
    lambda name: not keyword.iskeyword(name) and yaml.safe_load(name) == name
)
EVERY = [*((kind, THEMED[0]) for kind in KINDS), ("theme", "compose"), ("theme", "calculate")]


@given(st.sampled_from(EVERY), NAMES)
def test_whatever_the_name_files_parse_and_bear_it(which: tuple[str, str], name: str) -> None:
    kind, owner = which
    try:
        begun = make_scaffold(kind, name, owner)
    except UserError as error:
        assert "must differ from every" in str(error)  # noqa: PT017
        return
    assert begun.texts
    for path, text in begun.texts.items():
        assert name in path
        if path.endswith(".py"):
            compile(text, path, "exec")
        elif path.endswith("story.yaml"):
            assert parse_story(text, path)["challenge"] == name
        elif "/settings/" in path:
            assert parse_setting(text, path).challenge == name
        elif path.endswith(".yaml"):
            assert yaml.safe_load(text)["name"] == name
        else:
            assert tomllib.loads(text)["project"]["name"] == f"whybench-{name}"
    assert all(name in step for step in begun.steps)


@pytest.mark.parametrize("name", ["", "my-story", "2nd", "class", "a.b", "né", "yes", "null", "a_"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_a_name_is_refused(kind: str, name: str) -> None:
    with pytest.raises(UserError, match="NAME must be a Python name .*, got .*; choose another"):
        make_scaffold(kind, name)


@pytest.mark.parametrize(
    ("kind", "name", "owner"),
    [
        ("story", "weather", ""),
        ("theme", "lamps", "intervene"),
        ("theme", "feast", "compose"),
        ("challenge", "simpson", ""),
        ("suite", "judge", ""),
    ],
)
def test_names_that_are_taken_are_refused(kind: str, name: str, owner: str) -> None:
    with pytest.raises(UserError, match=f"NAME must differ from every {kind}.*got '{name}'"):
        make_scaffold(kind, name, owner)


def test_a_name_may_be_used_again_in_another_suite() -> None:
    assert make_scaffold("theme", "feast", "intervene").suite == "intervene"
    assert make_scaffold("theme", "lamps", "compose").suite == "compose"


def test_what_cannot_be_started_is_refused() -> None:
    with pytest.raises(UserError, match="kind must be one of story, theme, .*, got 'model'"):
        make_scaffold("model", "mine")
    with pytest.raises(UserError, match="suite of a theme must be one of .*, got 'judge'"):
        make_scaffold("theme", "mine", "judge")


def test_nothing_is_overwritten_and_nothing_half_written(tmp_path: Path) -> None:
    begun = make_scaffold("suite", "mine")
    first, *_, last = write_scaffold(begun, tmp_path)
    first.unlink()
    last.write_text("my own work")
    with pytest.raises(UserError, match="must not be there yet: nothing is overwritten"):
        write_scaffold(begun, tmp_path)
    assert last.read_text() == "my own work"
    assert not first.exists()


@pytest.mark.parametrize(
    ("kind", "owner", "settings"),
    [
        ("story", "judge", {}),
        ("story", "judge", {"overload": "d,e,de", "overload_source": "story,filler"}),
        ("theme", "intervene", {}),
        ("theme", "intervene", {"design": "advanced", "entities": "7", "graphs": "2"}),
        ("theme", "compose", {"worlds": "1", "units": "4", "detail": "none,some"}),
    ],
)
def test_a_story_and_a_theme_pass_the_checks_untouched(
    kind: str, owner: str, settings: dict[str, str], tmp_path: Path
) -> None:
    (path,) = write_scaffold(make_scaffold(kind, "mine", owner), tmp_path)
    one = get_suite(owner)
    design = one.make_design({"design": "core", **settings, kind: str(path)})
    results = list(check_design(one, design))
    assert len(results) > 10
    assert [result.name for result in results if not result.passed] == []


def test_the_code_is_clean(tmp_path: Path) -> None:
    """Ruff is held to the rules of this project, not to what stands around the folder."""
    for kind in ("challenge", "suite"):
        write_scaffold(make_scaffold(kind, f"a_{kind}"), tmp_path)
    rules = str(__file__).rsplit("/tests/", maxsplit=1)[0] + "/pyproject.toml"
    for words in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--no-cache", "--config", rules, "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
