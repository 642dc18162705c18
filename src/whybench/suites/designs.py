"""What designs share: checking levels, and building a design from a named one and changes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from whybench.suites.contract import Design, UserError
from whybench.suites.files import design_settings, is_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["based_on", "check_levels", "deciding", "levels_of", "number", "redesigned"]

DesignT = TypeVar("DesignT", bound=Design)


def check_levels(
    factor: str, chosen: Sequence[object], levels: Sequence[object] | None = None
) -> None:
    """Refuse no level at all, a level twice, and one that is not among those there are."""
    if not chosen or len({*chosen}) < len(chosen):
        raise UserError(f"{factor} must be one or more different levels, got {list(chosen)}")
    for level in chosen:
        if levels is not None and level not in levels:
            raise UserError(f"{factor} must be among {', '.join(map(str, levels))}, got {level!r}")


def deciding(design: Any, *left_out: str) -> dict[str, Any]:
    """Return the settings of a design by name, but for its name and what else is left out."""
    return {
        field.name: getattr(design, field.name)
        for field in fields(design)
        if field.name not in {"name", *left_out}
    }


def levels_of(value: object) -> list[object]:
    """Return the levels that a setting names: a list, or words with commas between them."""
    return list(value) if isinstance(value, list | tuple) else [*str(value).split(",")]


def number(key: str, value: object, kind: type) -> Any:
    """Return a setting as a number of a kind, or say what was expected."""
    try:
        return kind(str(value))
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise UserError(f"{key} must be {what}, got {value!r}") from None


def based_on(
    settings: Mapping[str, object], designs: Mapping[str, DesignT], files: str
) -> tuple[str, dict[str, object]]:
    """Return the named design that settings start from (`base`), and what they change.

    Args:
        settings: The settings; `base` may be the path of a YAML file of further settings.
        designs: The named designs, the first being the default.
        files: The factor whose levels may be files, meant from where a design's file is.
    """
    given = dict(settings)
    base = str(given.pop("base", next(iter(designs))))
    if is_path(base):
        return based_on({**design_settings(base, files), **given}, designs, files)
    if base not in designs:
        raise UserError(
            f"design must be one of {', '.join(designs)}, or the path of a .yaml file, got {base!r}"
        )
    return base, given


def redesigned(
    settings: Mapping[str, object],
    designs: Mapping[str, DesignT],
    read: Callable[[str, object], object],
    files: str,
) -> DesignT:
    """Return a named design with its settings changed; `read` turns a setting into its value."""
    base, given = based_on(settings, designs, files)
    start: Any = designs[base]
    factors = tuple(field.name for field in fields(start))
    changed: dict[str, Any] = {}
    for key, value in given.items():
        if key not in factors:
            raise UserError(f"a design takes {', '.join(('base', *factors))}, got {key!r}")
        changed[key] = read(key, value)
    if changed:
        changed.setdefault("name", f"{base}*")
    made: DesignT = replace(start, **changed)
    return made
