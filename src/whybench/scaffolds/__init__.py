"""Scaffolds: the first working version of what users add, to be changed word by word.

A scaffold is a story, a theme, a challenge or a suite that already passes its checks. Its files are
templates in the folder `templates`, one folder a kind: `NAME` in a path and `$name` in a text stand
for the name that the user chose, and a path loses its ending `.template`. The examples of the
documentation are made from the same templates, so that there is one copy of each.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

import yaml

from whybench.errors import UserError, atomic_write

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

__all__ = ["KINDS", "THEMED", "Scaffold", "make_scaffold", "write_scaffold"]

KINDS = ("story", "theme", "challenge", "suite")
"""The kinds of scaffolds."""

THEMED = ("intervene", "compose", "calculate")
"""The suites that have themes, the first being the default."""

PLACEHOLDER, SUFFIX = "NAME", ".template"


@dataclass(frozen=True)
class Scaffold:
    """What a scaffold of one kind and name consists of.

    Attributes:
        kind: One of `KINDS`.
        name: What the user calls it.
        suite: The suite that it is for; its own name, if it is one.
        texts: The text of each file, by path.
        steps: The commands to go on with, each followed from the folder of the files.
        guide: The page of the documentation that explains it.
    """

    kind: str
    name: str
    suite: str
    texts: dict[str, str]
    steps: tuple[str, ...]
    guide: str


def make_scaffold(kind: str, name: str, suite: str = THEMED[0]) -> Scaffold:
    """Return the scaffold of a kind under a name.

    Args:
        kind: One of `KINDS`.
        name: What to call it.
        suite: The suite that a theme is for.

    Raises:
        UserError: The name cannot be one, or is taken.
    """
    if kind not in KINDS:
        raise UserError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if kind == "theme" and suite not in THEMED:
        raise UserError(f"suite of a theme must be one of {', '.join(THEMED)}, got {suite!r}")
    owner = {"story": "judge", "theme": suite, "challenge": "analyze", "suite": name}[kind]
    _check_name(name)
    if name in _list_taken_names(kind, owner):
        raise UserError(
            f"NAME must differ from every {kind} that is installed for {owner}, got {name!r}: "
            "answers to the two would be mixed up; choose another NAME"
        )
    folder = files(__name__).joinpath("templates", kind if kind != "theme" else f"theme-{suite}")
    texts = {
        path.replace(PLACEHOLDER, name): Template(text).substitute(name=name)
        for path, text in sorted(_read_templates(folder))
    }
    return Scaffold(kind, name, owner, texts, _steps(kind, name, owner), f"Add a {kind}")


def write_scaffold(scaffold: Scaffold, folder: Path) -> list[Path]:
    """Write the files of a scaffold into a folder, and return their paths.

    Raises:
        UserError: One of them is there already, or cannot be written; then none is left behind.
    """
    paths = {folder / path: text for path, text in scaffold.texts.items()}
    if existing := [path for path in paths if path.exists()]:
        raise UserError(
            f"{existing[0]} must not be there yet: nothing is overwritten; choose another NAME, or "
            "another `folder`"
        )
    written: list[Path] = []
    try:
        for path, text in paths.items():
            with atomic_write(path) as part:
                part.write_text(text, encoding="utf-8")
            written.append(path)
    except UserError:
        for path in written:
            path.unlink()
        raise
    return written


def _check_name(name: str) -> None:
    """Refuse what cannot be the name of a module, of a package and, unquoted, a word in YAML."""
    valid = re.fullmatch(r"[A-Za-z](\w*[A-Za-z0-9])?", name, re.ASCII)
    if not valid or keyword.iskeyword(name) or yaml.safe_load(name) != name:
        raise UserError(
            "NAME must be a Python name of letters, digits and underscores, such as my_story, "
            f"got {name!r}; choose another NAME"
        )


def _list_taken_names(kind: str, owner: str) -> Collection[str]:
    """Return the names that are in use; suites are imported only here, for their names."""
    if kind == "suite":
        from whybench.suites.registry import suite_names  # noqa: PLC0415

        return suite_names()
    if kind == "challenge":
        from whybench.suites.analyze.challenges import challenge_names  # noqa: PLC0415

        return challenge_names()
    if kind == "story":
        from whybench.suites.judge.stories import bundled_stories  # noqa: PLC0415

        return bundled_stories()
    if owner == "compose":
        from whybench.suites.compose.themes import THEME_NAMES as COMPOSE_THEMES  # noqa: PLC0415

        return COMPOSE_THEMES
    if owner == "calculate":
        from whybench.suites.calculate.themes import THEME_NAMES as STATED_THEMES  # noqa: PLC0415

        return STATED_THEMES
    from whybench.suites.intervene.themes import THEME_NAMES as INTERVENE_THEMES  # noqa: PLC0415

    return INTERVENE_THEMES


def _read_templates(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path of each file, without its ending, and its text."""
    for entry in folder.iterdir():
        path = f"{above}{entry.name}"
        if entry.is_dir():
            yield from _read_templates(entry, f"{path}/")
        elif path.endswith(SUFFIX):
            yield path.removesuffix(SUFFIX), entry.read_text(encoding="utf-8")


def _steps(kind: str, name: str, owner: str) -> tuple[str, ...]:
    if kind in {"story", "theme"}:
        chosen = f"{owner} -T {kind}={name}.yaml"
        return f"whybench validate {chosen}", f"whybench show {chosen}"
    chosen = name if kind == "suite" else f"analyze -T challenge={name}"
    last = f"run {name} --model reference/{name}.confused" if kind == "suite" else f"show {chosen}"
    return (
        f"pip install --editable whybench-{name}",
        f"whybench validate {chosen}",
        f"whybench {last}",
    )
