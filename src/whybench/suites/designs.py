"""What designs share: factors, and building a design from a named one and changes.

A design is a frozen dataclass whose fields are its factors. `factor` puts the meaning of a factor
beside it, once: the Inspect task of a suite takes its arguments and their help from there, and
settings are converted by the types of the fields (`redesign`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from whybench.seeds import digest
from whybench.suites.blocks import block_length, cells_in_blocks
from whybench.suites.errors import UserError
from whybench.suites.files import design_settings, is_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from whybench.suites.items import Design

    Readers = Mapping[str, Callable[[object], object]]

__all__ = [
    "DESIGN",
    "Crossing",
    "Factor",
    "changed_settings",
    "check_levels",
    "deciding",
    "factor",
    "factors_of",
    "levels_of",
    "modified",
    "number",
    "redesign",
    "with_design_key",
]

T = TypeVar("T")
DesignT = TypeVar("DesignT", bound="Design")

DESIGN = "design"
"""The setting that names the design, or the file, to start from."""

BASE = "base"
"""What that setting was called before; files, plans and exports of the time are still read."""


def factor(default: T, meaning: str, *, levels: Sequence[object] = (), files: bool = False) -> T:
    """Return a field of a design.

    Args:
        default: Its level or levels in the default design.
        meaning: What it is and which levels it takes, for the help of the Inspect task.
        levels: All levels that there are; none where they are not fixed. `Crossing` checks them.
        files: Whether levels may be YAML files, which are meant from where a design's file is.
    """
    about = {"meaning": meaning, "levels": tuple(levels), "files": files}
    made: T = field(default=default, metadata=about)
    return made


class Factor(NamedTuple):
    """A setting that a design takes.

    Attributes:
        name: Its name.
        kind: The type of its field.
        meaning: What it is; empty if the design does not say.
        files: Whether its levels may be files.
        part: The field that holds it, if that is a dataclass of its own.
    """

    name: str
    kind: Any
    meaning: str
    files: bool
    part: str = ""


def factors_of(design: type[Any]) -> Mapping[str, Factor]:
    """Return the settings that designs of a class take, by name, the design's name among them.

    A field that is itself a dataclass stands for its own fields.
    """
    found: dict[str, Factor] = {}
    kinds = get_type_hints(design)
    for entry in fields(design):
        kind = kinds[entry.name]
        if is_dataclass(kind) and isinstance(kind, type):
            parts = factors_of(kind).values()
            found |= {part.name: part._replace(part=entry.name) for part in parts}
            continue
        meaning, files = entry.metadata.get("meaning", ""), entry.metadata.get("files", False)
        found[entry.name] = Factor(entry.name, kind, meaning, files)
    return found


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


def with_design_key(settings: Mapping[str, object]) -> dict[str, object]:
    """Return settings that name their design by the key `design`, whichever key they use."""
    if BASE in settings and DESIGN in settings:
        raise UserError(
            f"settings must name one design, got {DESIGN}={settings[DESIGN]} and "
            f"{BASE}={settings[BASE]}, which mean the same; leave {BASE} out"
        )
    return {DESIGN if key == BASE else key: value for key, value in settings.items()}


def changed_settings(
    settings: Mapping[str, object], designs: Mapping[str, DesignT], readers: Readers | None = None
) -> tuple[str, dict[str, Any]]:
    """Return the named design that settings start from, and the fields that they change.

    Args:
        settings: Settings by name. `design` is the name of a design, the first if it is left out,
            or the path of a YAML file of further settings. A factor takes one level or a list.
        designs: The named designs.
        readers: How to convert settings whose type does not say it.
    """
    given = with_design_key(settings)
    default = next(iter(designs))
    takes = factors_of(type(designs[default]))
    name = str(given.pop(DESIGN, default))
    if is_path(name):
        files = [one.name for one in takes.values() if one.files]
        return changed_settings({**design_settings(name, files), **given}, designs, readers)
    if name not in designs:
        raise UserError(
            f"design must be one of {', '.join(designs)}, or the path of a .yaml file, got {name!r}"
        )
    changed: dict[str, Any] = {}
    for key, value in given.items():
        if key not in takes:
            raise UserError(f"a design takes {', '.join((DESIGN, *takes))}, got {key!r}")
        reader = (readers or {}).get(key)
        read = reader(value) if reader else _read(key, value, takes[key].kind)
        if part := takes[key].part:
            whole: Any = changed.get(part, getattr(designs[name], part))
            changed[part] = replace(whole, **{key: read})
        else:
            changed[key] = read
    return name, changed


def modified(design: DesignT, changed: Mapping[str, Any]) -> DesignT:
    """Return a design with some fields changed; its name says so, unless that is changed too."""
    if not changed:
        return design
    made: Any = design
    result: DesignT = replace(made, **{"name": f"{design.name}*", **changed})
    return result


def redesign(
    settings: Mapping[str, object], designs: Mapping[str, DesignT], readers: Readers | None = None
) -> DesignT:
    """Return a named design with its settings changed; see `changed_settings`."""
    name, changed = changed_settings(settings, designs, readers)
    return modified(designs[name], changed)


def _read(key: str, value: object, kind: Any) -> Any:
    """Return a setting as what its field holds: text, a number, or a tuple of these."""
    if get_origin(kind) is tuple:
        return tuple(_read(key, level, get_args(kind)[0]) for level in levels_of(value))
    if kind in {int, float}:
        return number(key, value, kind)
    if kind is str or get_origin(kind) is Literal:
        return str(value)
    raise TypeError(
        f"{key} must be str, int, float or a tuple of one of these to be read by itself, got "
        f"{kind}; give the suite a make_design of its own"
    )


@dataclass(frozen=True)
class Crossing:
    """A design that crosses its factors: every level of each with every level of the others.

    Make a subclass whose fields are tuples of levels; a field of another kind is a setting that
    all items share.
    """

    name: str = "core"

    texts: ClassVar[tuple[object, ...]] = ()
    """What decides the items beside the factors, such as the words of prompts."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            chosen = getattr(self, entry.name)
            crossed = isinstance(chosen, tuple)
            levels = entry.metadata.get("levels")
            if crossed or levels:
                check_levels(entry.name, chosen if crossed else (chosen,), levels or None)

    @property
    def levels(self) -> dict[str, tuple[Any, ...]]:
        """The levels of each crossed factor."""
        own = deciding(self).items()
        return {name: levels for name, levels in own if isinstance(levels, tuple)}

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each crossed factor."""
        return tuple(map(len, self.levels.values()))

    @property
    def block(self) -> int:
        """The number of items in a block."""
        return block_length(self.sizes)

    @property
    def summary(self) -> str:
        """The factors in one line."""
        crossed = self.levels.items()
        return " x ".join(f"{name} {', '.join(map(str, levels))}" for name, levels in crossed)

    @property
    def hash(self) -> str:
        """A digest of what decides the items."""
        return digest(type(self).__name__, deciding(self), self.texts).hex()[:16]

    def cells(self) -> Iterator[dict[str, Any]]:
        """Yield the levels of every cell by name, block after block."""
        crossed = self.levels
        for cell in cells_in_blocks(self.sizes):
            pairs = zip(crossed.items(), cell, strict=True)
            yield {name: levels[place] for (name, levels), place in pairs}
