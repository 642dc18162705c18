"""The words of the house: those that were given up do not come back, and a name means one thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import whybench as wb
from whybench.cli import COMMANDS, whybench_command
from whybench.suites.registry import TEACHING_ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "whybench"
DECISION = (ROOT / "docs" / "decisions" / "0017-words.md").read_text(encoding="utf-8")

GIVEN_UP = {
    word.strip()
    for line in re.findall(r"^\| ([^|]+) \| [^|]+ \|$", DECISION, flags=re.MULTILINE)[1:]
    for word in line.split(",")
}
"""The words of the decision's table."""

INSTEAD = re.findall(r"^\| [^|]+ \| ([^|]+) \|$", DECISION, flags=re.MULTILINE)[1:]
"""What is said in their place."""

LEFT = set(re.findall(r"^- `(\w+)`$", DECISION, flags=re.MULTILINE))
"""Rooms whose words change when they are rewritten."""

SMALLEST = 40

SMALL = {
    "_registry.py": "what Inspect imports",
    "suites/judge/people_values.py": "published facts, loaded without the code that checks them",
    "version.py": "the version, which every package may import",
    "training/canary.py": "all that the room of studies may import of training",
}
"""Modules under forty lines, and why they are not part of another one."""

TWICE: dict[str, str] = {}
"""Names of classes that are defined twice, and why."""


@cache
def _trees() -> dict[str, ast.Module]:
    return {
        path.relative_to(source).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for source in (SOURCE, *ROOT.glob("packages/*/src"))
        for path in sorted(source.rglob("*.py"))
    }


def _is_left(module: str) -> bool:
    return bool(LEFT & set(Path(module).parts))


def _public_names(tree: ast.Module) -> set[str]:
    """Return the names that a module defines, except private ones."""
    names = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {part.id for one in node.targets for part in ast.walk(one)
                      if isinstance(part, ast.Name)}  # fmt: skip
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def _options(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        yield from (option.lstrip("-") for option in parameter.opts)
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            further = command.get_command(click.Context(command), name)
            assert further is not None
            yield name
            yield from _options(further)


def test_the_table_is_read() -> None:
    assert {"worded", "beside", "step-by-step", "WHOSE"} <= GIVEN_UP
    assert "page" in LEFT
    assert all((SOURCE / room).is_dir() or list(SOURCE.rglob(room)) for room in LEFT)


def test_the_words_that_took_their_place_are_used() -> None:
    names = {
        node.id
        for tree in _trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name)
    }
    names |= {
        getattr(node, field)
        for tree in _trees().values()
        for node in ast.walk(tree)
        for field in ("name", "attr", "arg")
        if isinstance(getattr(node, field, None), str)
    }
    names |= {word for module in _trees() for word in (*Path(module).parts[:-1], Path(module).stem)}
    names |= {*wb.get_suite("judge").designs["styles"].style}
    unused = {word for word in re.findall(r"\w+", " ".join(INSTEAD)) if word not in names}
    assert not unused


def test_no_module_is_called_by_a_word_that_was_given_up() -> None:
    for module in _trees():
        if not _is_left(module):
            assert not GIVEN_UP & {Path(module).stem, *Path(module).parts[:-1]}, module


def test_no_public_name_is_a_word_that_was_given_up() -> None:
    for module, tree in _trees().items():
        if not _is_left(module):
            assert not GIVEN_UP & _public_names(tree), module


def test_no_option_is_a_word_that_was_given_up() -> None:
    options = set(_options(whybench_command))
    assert {"baseline", "count", "limit", *COMMANDS} <= options
    assert not GIVEN_UP & options


@pytest.mark.parametrize("name", TEACHING_ORDER)
def test_no_column_factor_or_style_is_a_word_that_was_given_up(name: str) -> None:
    suite = wb.get_suite(name)
    assert not GIVEN_UP & {*suite.columns, *suite.parts}
    for design in suite.designs.values():
        assert is_dataclass(design)
        assert not GIVEN_UP & {field.name for field in fields(design)}
        assert not GIVEN_UP & set(getattr(design, "style", ()))
    styles = {style for design in suite.designs.values() for style in getattr(design, "style", ())}
    assert not styles or "direct" in styles


def test_a_class_name_means_one_thing() -> None:
    places = defaultdict(list)
    for module, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module)
    twice = {name: modules for name, modules in places.items() if len(modules) > 1}
    assert set(twice) == set(TWICE), twice
    assert len(TWICE) <= 5


def test_no_module_is_a_crumb() -> None:
    small = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if path.name != "__init__.py"
        and len(path.read_text(encoding="utf-8").splitlines()) < SMALLEST
        and not _is_left(path.relative_to(SOURCE).as_posix())
    }
    assert small == set(SMALL)
