"""What users write: designs, stories and themes, as YAML files.

A thing is named by the name of a bundled one or by the path of a file of one's own. Whatever is
wrong with a file is said with its name, what was expected and what came.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from whybench.suites.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["check_own_name", "design_settings", "is_path", "mapping_of", "own_text"]


def is_path(source: str) -> bool:
    """Whether a thing is named by the path of a file."""
    return source.endswith((".yaml", ".yml"))


def mapping_of(text: str, where: str, what: str = "keys to values") -> dict[str, Any]:
    """Return the mapping that YAML text holds."""
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"{where} must be YAML, got a file that cannot be read: {error}") from None
    if not isinstance(raw, dict):
        raise UserError(f"{where} must be a mapping of {what}, got {raw!r}")
    return raw


def own_text(kind: str, source: str, names: Sequence[str]) -> str:
    """Return the text of a user's own story or theme; `names` are those of the bundled ones."""
    if not is_path(source):
        raise UserError(
            f"{kind} must be one of {', '.join(names)}, or the path of a .yaml file, got {source!r}"
        )
    if not Path(source).is_file():
        raise UserError(f"{kind} must be the path of a YAML file, got {source!r}: no such file")
    return Path(source).read_text(encoding="utf-8")


def check_own_name(kinds: str, source: str, name: str, names: Sequence[str]) -> None:
    """Refuse a user's own story or theme that bears the name of a bundled one."""
    if name in names:
        raise UserError(
            f"{source}: name must differ from the bundled {kinds} {', '.join(names)}, "
            f"got {name!r}: answers to the two would be mixed up"
        )


def design_settings(path: str, files: Sequence[str]) -> dict[str, Any]:
    """Return the settings in a design's file; it is named after the file unless it names itself.

    Files named as levels of the factors in `files` are meant from where the design is, not from
    where the command is run.
    """
    if not Path(path).is_file():
        raise UserError(f"design must be a name or a YAML file, got {path!r}: no such file")
    raw = mapping_of(Path(path).read_text(encoding="utf-8"), path, "factors to levels")
    settings = {"name": Path(path).stem, **raw}
    for factor in settings.keys() & {*files}:
        given = settings[factor]
        settings[factor] = [
            str(Path(path).parent / level) if is_path(str(level)) else level
            for level in (given if isinstance(given, list) else str(given).split(","))
        ]
    return settings
