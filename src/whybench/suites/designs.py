"""What designs share: factors, and building a design from a named one and changes.

A design is a frozen dataclass whose fields are its factors. `factor` puts the meaning of a factor
beside it, once: the Inspect task of a suite takes its arguments and their help from there, and
settings are converted by the types of the fields (`build_design`).

The cells of a crossing come in an order in which every prefix of whole blocks is balanced:
`--limit 60` takes the first sixty items, and a run may end early, and whatever was asked by then
should not be all weather and no economy. Number the levels of each factor from zero, so that a
cell of the design is an element of the product of cyclic groups Z_n1 x ... x Z_nk. The diagonal
(0,0,...), (1,1,...), (2,2,...) is a subgroup; it has lcm(n1, ..., nk) elements and visits the
levels of each factor equally often. Its cosets have the same property and tile the whole design:
they are the blocks. With 20 questions, 3 stories and 4 polarities a block is 60 items long, with
each question three times, each story twenty times and each polarity fifteen times.

A design may also be a union of such crossings (`unions`).
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import product
from math import lcm, prod
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from whybench.errors import UserError, suggest
from whybench.seeds import digest, item_id
from whybench.suites.files import is_path, parse_list, read_design_file
from whybench.suites.unions import (
    UNION,
    Cell,
    check_union,
    split_union,
    union_block,
    union_field,
    unite_items,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    Readers = Mapping[str, Callable[[object], object]]

DESIGN = "design"
"""The setting that names the design, or the file, to start from."""

WORDINGS = ("plain", "formal")
"""The levels of the factor `wording`: everyday sentences, or the notation of the field."""

T = TypeVar("T")
DesignT = TypeVar("DesignT", bound="Design")


def factor(default: T, meaning: str, *, levels: Sequence[object] = (), files: bool = False) -> T:
    """Return a field of a design.

    Args:
        default: Its level or levels in the default design.
        meaning: What it is and which levels it takes, for the help of the Inspect task.
        levels: All levels that there are; none where they are not fixed. `Crossing` checks them.
        files: Whether levels may be YAML files, which are meant from where a design's file is.
    """
    metadata = {"meaning": meaning, "levels": tuple(levels), "files": files}
    result: T = field(default=default, metadata=metadata)
    return result


class Manipulated(NamedTuple):
    """A factor that may be manipulated while the same is asked, and how an id says its level.

    Attributes:
        words: Words around the level, such as `hint{}`; empty if something else says it.
        unsaid: The level that goes without saying; None if every level is said.
    """

    words: str = "{}"
    unsaid: object = None


def describe_condition(
    factors: Mapping[str, object], manipulated: Mapping[str, Manipulated]
) -> str:
    """Return the levels of what is manipulated, in words for an id.

    >>> said = {"style": Manipulated(), "overload": Manipulated("overload-{}", "none")}
    >>> describe_condition({"style": "cot", "overload": "de", "story": "weather"}, said)
    'cot-overload-de'
    """
    return "-".join(
        words.format(factors[name])
        for name, (words, unsaid) in manipulated.items()
        if words and factors[name] != unsaid
    )


def name_item(
    item_digest: str,
    case: str,
    factors: Mapping[str, object],
    manipulated: Mapping[str, Manipulated],
    *,
    generated: bool,
) -> str:
    """Return the id of an item: case, condition and digits (`seeds.item_id`)."""
    condition = describe_condition(factors, manipulated)
    return item_id(item_digest, case, condition, generated=generated)


class Design(Protocol):
    """Which questions are asked, as factors and levels; frozen and hashable."""

    @property
    def name(self) -> str:
        """The design's name."""

    @property
    def summary(self) -> str:
        """Its factors in one line."""

    @property
    def hash(self) -> str:
        """A digest of everything that decides which items there are."""

    @property
    def block(self) -> int:
        """The number of items in a block; every prefix of whole blocks is balanced."""

    @property
    def manipulated(self) -> Mapping[str, Manipulated]:
        """The factors that may be manipulated while the same is asked."""


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


def list_factors(design: type[Any]) -> Mapping[str, Factor]:
    """Return the settings that designs of a class take, by name, the design's name among them.

    A field that is itself a dataclass stands for its own fields. A union is a setting of files, and
    no factor.
    """
    factors: dict[str, Factor] = {}
    kinds = get_type_hints(design)
    for entry in fields(design):
        if entry.name == UNION:
            continue
        kind = kinds[entry.name]
        if is_dataclass(kind) and isinstance(kind, type):
            parts = list_factors(kind).values()
            factors |= {part.name: part._replace(part=entry.name) for part in parts}
            continue
        meaning, files = entry.metadata.get("meaning", ""), entry.metadata.get("files", False)
        factors[entry.name] = Factor(entry.name, kind, meaning, files)
    return factors


def check_levels(
    factor: str, chosen: Sequence[object], levels: Sequence[object] | None = None
) -> None:
    """Refuse no level at all, a level twice, and one that is not among those there are."""
    if not chosen or len({*chosen}) < len(chosen):
        raise UserError(f"{factor} must be one or more different levels, got {list(chosen)}")
    for level in chosen:
        if levels is not None and level not in levels:
            raise UserError(
                f"{factor} must be among {', '.join(map(str, levels))}, got {level!r}"
                f"{suggest(level, levels)}"
            )


def identifying_settings(design: Any, *left_out: str) -> dict[str, Any]:
    """Return the settings of a design by name, but for its name and what else is left out.

    A union is among them only where the design is one.
    """
    settings = {
        field.name: getattr(design, field.name)
        for field in fields(design)
        if field.name not in {"name", *left_out}
    }
    if not settings.get(UNION, True):
        del settings[UNION]
    return settings


def list_levels(value: object) -> list[object]:
    """Return the levels that a setting names: a list, or words with commas between them."""
    return list(value) if isinstance(value, list | tuple) else [*str(value).split(",")]


def parse_number(key: str, value: object, kind: type) -> Any:
    """Return a setting as a number of a kind, or say what was expected."""
    try:
        return kind(str(value))
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise UserError(f"{key} must be {what}, got {value!r}") from None


def resolve_settings(
    settings: Mapping[str, object],
    designs: Mapping[str, DesignT],
    readers: Readers | None = None,
) -> tuple[str, dict[str, Any]]:
    """Return the named design that settings start from, and the fields that they change.

    Args:
        settings: Settings by name. `design` is the name of a design, the first if it is left out,
            or the path of a YAML file of further settings. A factor takes one level or a list.
        designs: The named designs.
        readers: How to convert settings whose type does not say it.
    """
    given = dict(settings)
    default = next(iter(designs))
    factors = list_factors(type(designs[default]))
    name = str(given.pop(DESIGN, default))
    if is_path(name):
        files = [entry.name for entry in factors.values() if entry.files]
        own = read_design_file(name, files)
        _check_cells_are_kept(given, _name_factors(own.get(UNION)))
        return resolve_settings({**own, **given}, designs, readers)
    if name not in designs:
        raise UserError(
            f"design must be one of {', '.join(designs)}, or the path of a .yaml file, got {name!r}"
            f"{suggest(name, designs)}"
        )
    design = designs[name]
    if not hasattr(design, UNION) or UNION not in given:
        cells = getattr(design, UNION, ())
        _check_cells_are_kept(given, {factor for cell in cells for factor, _ in cell})
        return name, _read_fields(given, design, factors, readers)
    cells = parse_list(given.pop(UNION), UNION)
    changed = _read_fields(given, design, factors, readers)
    changed[UNION] = tuple(_read_cell(cell, design, factors, readers) for cell in cells)
    return name, changed


def _read_fields(
    given: Mapping[str, object],
    design: Design,
    factors: Mapping[str, Factor],
    readers: Readers | None,
) -> dict[str, Any]:
    """Return the fields of a design that settings change."""
    changed: dict[str, Any] = {}
    for key, value in given.items():
        if key not in factors:
            raise UserError(
                f"a design takes {', '.join((DESIGN, *factors))}, got {key!r}"
                f"{suggest(key, (DESIGN, *factors))}"
            )
        reader = (readers or {}).get(key)
        level = reader(value) if reader else _convert(key, value, factors[key].kind)
        if part := factors[key].part:
            whole: Any = changed.get(part, getattr(design, part))
            changed[part] = replace(whole, **{key: level})
        else:
            changed[key] = level
    return changed


def _read_cell(
    cell: object,
    design: Design,
    factors: Mapping[str, Factor],
    readers: Readers | None,
) -> Cell:
    """Return a cell of a union as its fields."""
    own = {name: entry for name, entry in factors.items() if name != "name" and not entry.part}
    if not isinstance(cell, dict) or not cell:
        raise UserError(f"a cell of a {UNION} must be a mapping of factors to levels, got {cell!r}")
    if unknown := [name for name in cell if name not in own]:
        raise UserError(
            f"a cell of a {UNION} takes {', '.join(own)}, got {unknown[0]!r}"
            f"{suggest(unknown[0], own)}"
        )
    return tuple(_read_fields(cell, design, own, readers).items())


def _name_factors(cells: object) -> set[str]:
    """Return the factors that cells in a file name."""
    listed = cells if isinstance(cells, list) else []
    return {str(factor) for cell in listed if isinstance(cell, dict) for factor in cell}


def _check_cells_are_kept(given: Mapping[str, object], named: Collection[str]) -> None:
    """Refuse to change a factor whose levels the cells of a union say."""
    if taken := [name for name in given if name in named]:
        raise UserError(
            f"{taken[0]} must stay as the cells of the design's {UNION} say, got "
            f"{given[taken[0]]!r}; write a design of your own in a file"
        )


def change_design(design: DesignT, changed: Mapping[str, Any]) -> DesignT:
    """Return a design with some fields changed; its name says so, unless that is changed too."""
    if not changed:
        return design
    original: Any = design
    result: DesignT = replace(original, **{"name": f"{design.name}*", **changed})
    return result


def design_family(name: str) -> str:
    """Return the name of the design that a design of this name was changed from, or its own.

    Figures show designs of one family together.

    >>> design_family("published*")
    'published'
    """
    return name.rstrip("*")


def build_design(
    settings: Mapping[str, object],
    designs: Mapping[str, DesignT],
    readers: Readers | None = None,
) -> DesignT:
    """Return a named design with its settings changed; see `resolve_settings`."""
    with name_design_file(settings):
        name, changed = resolve_settings(settings, designs, readers)
        return change_design(designs[name], changed)


@contextmanager
def name_design_file(settings: Mapping[str, object]) -> Iterator[None]:
    """Say of a design that cannot be made from which file it comes, if it comes from one."""
    path = str(settings.get(DESIGN, ""))
    try:
        yield
    except UserError as error:
        if not is_path(path) or path in str(error):
            raise
        others = [name for name in settings if name != DESIGN]
        changed = f" with {', '.join(others)} changed" if others else ""
        raise UserError(f"{path}{changed}: {error}") from None


def _convert(key: str, value: object, kind: Any) -> Any:
    """Return a setting as what its field holds: text, a number, or a tuple of these."""
    if get_origin(kind) is tuple:
        return tuple(_convert(key, level, get_args(kind)[0]) for level in list_levels(value))
    if kind in {int, float}:
        return parse_number(key, value, kind)
    if kind is str and isinstance(value, list | tuple):
        return ",".join(map(str, value))
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
    union: tuple[Cell, ...] = union_field()

    texts: ClassVar[tuple[object, ...]] = ()
    """What decides the items beside the factors, such as the words of prompts."""

    manipulated: ClassVar[dict[str, Manipulated]] = {}
    """Factors that may be manipulated while the same is asked, such as the form of the reply."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            chosen = getattr(self, entry.name)
            crossed = isinstance(chosen, tuple)
            levels = entry.metadata.get("levels")
            if entry.name != UNION and (crossed or levels):
                check_levels(entry.name, chosen if crossed else (chosen,), levels or None)
        check_union([identifying_settings(part).values() for part in split_union(self)])

    @property
    def levels(self) -> dict[str, tuple[Any, ...]]:
        """The levels of each crossed factor."""
        own = identifying_settings(self, UNION).items()
        return {name: levels for name, levels in own if isinstance(levels, tuple)}

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each crossed factor."""
        return tuple(map(len, self.levels.values()))

    @property
    def size(self) -> int:
        """The number of items."""
        return sum(part.size for part in split_union(self)) if self.union else prod(self.sizes)

    @property
    def block(self) -> int:
        """The number of items in a block."""
        return union_block(split_union(self)) if self.union else block_length(self.sizes)

    @property
    def summary(self) -> str:
        """The factors in one line."""
        if self.union:
            return "; ".join(part.summary for part in split_union(self))
        crossed = self.levels.items()
        return " x ".join(f"{name} {', '.join(map(str, levels))}" for name, levels in crossed)

    @property
    def hash(self) -> str:
        """A digest of what decides the items."""
        return digest(type(self).__name__, identifying_settings(self), self.texts).hex()[:16]

    def cells(self) -> Iterator[dict[str, Any]]:
        """Yield the levels of every cell by name, block after block."""
        if self.union:
            yield from unite_items(self, type(self).cells)
            return
        crossed = self.levels
        for cell in cells_in_blocks(self.sizes):
            pairs = zip(crossed.items(), cell, strict=True)
            yield {name: levels[number] for (name, levels), number in pairs}


def block_length(sizes: Sequence[int]) -> int:
    """Return how many cells a block of a design with these numbers of levels has."""
    return lcm(*sizes)


def cells_in_blocks(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every cell of the design once, block after block."""
    seen: set[tuple[int, ...]] = set()
    for start in product(*(range(size) for size in sizes)):
        if start in seen:
            continue
        for step in range(block_length(sizes)):
            cell = tuple((level + step) % size for level, size in zip(start, sizes, strict=True))
            seen.add(cell)
            yield cell
