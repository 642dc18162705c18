"""What users write: designs, stories and themes, as YAML files.

Errors in a file name its key, what was expected and what came. A theme is the words in which a
world is told, and compose and intervene share what theirs have in common (`Theme`): its first
`names` serve as they are; where there are more things than names, the words of `more` are put in
front of them ("red circle").
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

from whybench.errors import UserError, suggest
from whybench.seeds import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np


def is_path(source: str) -> bool:
    """Whether a name is the path of a YAML file."""
    return source.endswith((".yaml", ".yml"))


def parse_mapping(text: str, where: str, what: str = "keys to values") -> dict[str, Any]:
    """Return the mapping that YAML text holds."""
    try:
        raw = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{where} must be YAML, got a file that cannot be read: {reason}") from None
    if not isinstance(raw, dict):
        raise UserError(f"{where} must be a mapping of {what}, got {_shorten(raw)}")
    return raw


SHOWN = 80
"""Characters of a wrong value that a message shows."""


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def read_text(path: str | Path) -> str:
    """Return the text of a file that a user wrote."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{path} must be a file of text, got one that has none: {reason}") from None


@contextmanager
def explain_shape(where: str, what: str) -> Iterator[None]:
    """Name the file in what is said of it, also where it has another form than was expected.

    Args:
        where: The file.
        what: What it should be, such as `a story`.
    """
    try:
        yield
    except UserError as error:
        if where in str(error):
            raise
        raise UserError(f"{where}: {error}") from None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{where} must have the form of {what}, got another one ({_shorten(str(error))}); "
            "`whybench new` makes one that is right"
        ) from None


def read_own_file(kind: str, source: str, names: Sequence[str]) -> str:
    """Return the text of a user's own story or theme; `names` are those of the bundled ones."""
    if not is_path(source):
        raise UserError(
            f"{kind} must be one of {', '.join(names)}, or the path of a .yaml file, got {source!r}"
            f"{suggest(source, names)}"
        )
    if not Path(source).is_file():
        raise UserError(f"{kind} must be the path of a YAML file, got {source!r}: no such file")
    return read_text(source)


def check_name_is_new(kinds: str, source: str, name: str, names: Sequence[str]) -> None:
    """Refuse a user's own story or theme that has the name of a bundled one."""
    if name in names:
        raise UserError(
            f"{source}: name must differ from the bundled {kinds} {', '.join(names)}, "
            f"got {name!r}: answers to the two would be mixed up"
        )


def read_design_file(path: str, files: Sequence[str]) -> dict[str, Any]:
    """Return the settings in a design's file; it is named after the file unless it names itself.

    Files named as levels of the factors in `files` are meant from where the design is, not from
    where the command is run; so are those in the cells of a `union`.
    """
    if not Path(path).is_file():
        raise UserError(f"design must be a name or a YAML file, got {path!r}: no such file")
    raw = parse_mapping(read_text(path), path, "factors to levels")
    settings = {"name": Path(path).stem, **raw}
    cells = settings.get("union")
    for named in (settings, *(cells if isinstance(cells, list) else ())):
        for factor in named.keys() & {*files} if isinstance(named, dict) else ():
            given = named[factor]
            named[factor] = [
                str(Path(path).parent / level) if is_path(str(level)) else level
                for level in (given if isinstance(given, list) else str(given).split(","))
            ]
    return settings


OPTIONAL: dict[str, Any] = {"article": "", "more": (), "glue": " "}
"""The keys that may be left out, and what holds then."""

LISTS = {"names", "more", "unit", "example_names"}
"""The keys that hold lists of words, in the themes of any suite."""


@dataclass(frozen=True)
class Theme:
    """What every theme has; a suite adds the sentences of its own.

    Attributes:
        name: The name by which it is chosen; the level of the factor `theme`.
        setting: Opening sentences of the prompt.
        many: What the things of the world are, plural.
        names: Names of things.
        article: What stands before a name in a sentence, such as "the"; may be empty.
        more: Words put in front of names where there are more things than names.
        glue: What joins the two.
    """

    name: str
    setting: str
    many: str
    names: tuple[str, ...]
    article: str
    more: tuple[str, ...]
    glue: str

    @cached_property
    def hash(self) -> str:
        """A digest of all words of the theme."""
        return digest("theme", self).hex()[:16]

    @property
    def capacity(self) -> int:
        """How many things the theme can name."""
        return len(self.names) * (1 + len(self.more))

    def pool(self, n: int) -> tuple[str, ...]:
        """Return the names among which those of n things are drawn."""
        if n <= len(self.names):
            return self.names if n else ()
        if n > self.capacity:
            raise UserError(
                f"the theme {self.name} can name {self.capacity} {self.many}, got {n}; "
                "add `names`, or words in `more`"
            )
        rounds = -(-n // len(self.names))
        marked = (f"{mark}{self.glue}{name}" for mark in self.more for name in self.names)
        return (*self.names, *marked)[: rounds * len(self.names)]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[str, ...]:
        """Return names of n things, different ones, in random order."""
        pool = self.pool(n)
        return tuple(pool[position] for position in rng.permutation(len(pool))[:n].tolist())

    def in_sentence(self, name: str) -> str:
        """Return a name as it stands in a sentence."""
        return f"{self.article} {name}" if self.article else name


ThemeT = TypeVar("ThemeT", bound=Theme)


def read_theme(
    source: str, names: Sequence[str], package: str, parse: Callable[[str, str], ThemeT]
) -> ThemeT:
    """Return a bundled theme by name, or a user's own by the path of its YAML file.

    Args:
        source: The name or the path.
        names: The bundled themes.
        package: Where their files are.
        parse: Makes a theme of the text of a file, which errors call by its second argument.
    """
    if source in names:
        name = f"{source}.yaml"
        return parse(files(package).joinpath(name).read_text(encoding="utf-8"), name)
    with explain_shape(source, "a theme"):
        theme = parse(read_own_file("theme", source, names), source)
    check_name_is_new("themes", source, theme.name, names)
    return theme


def read_values(text: str, where: str, kind: type[Any]) -> dict[str, Any]:
    """Return what the YAML text of a theme holds, under each key that its class has."""
    raw = parse_mapping(text, where)
    keys = tuple(field.name for field in fields(kind))
    if unknown := [key for key in raw if key not in keys]:
        raise UserError(
            f"{where} must have the keys {', '.join(keys)} (the keys of a theme), "
            f"got {unknown[0]!r}{suggest(unknown[0], keys)}"
        )
    if missing := [key for key in keys if key not in {*raw, *OPTIONAL}]:
        has = ", ".join(map(str, raw)) or "none"
        raise UserError(f"{where} must have the key {missing[0]!r}; it has {has}")
    return {key: {**OPTIONAL, **raw}[key] for key in keys}


def parse_text(value: object, where: str) -> str:
    """Return some text, with single spaces; YAML reads an unquoted `off` or `7` as other things."""
    if not isinstance(value, str) or not value.strip():
        raise UserError(
            f"{where} must be some text (in quotes, if YAML takes it for something else), "
            f"got {value!r}"
        )
    return " ".join(value.split())


def parse_word(value: object, where: str, reserved: Iterable[str]) -> str:
    """Return some text that holds none of the marks by which prompts are taken apart."""
    text = parse_text(value, where)
    if bad := [mark for mark in reserved if mark in text]:
        raise UserError(f"{where} must not contain {bad[0]!r}, got {text!r}")
    return text


def parse_list(value: object, where: str, may_be_empty: bool = False) -> list[object]:
    """Return the entries of a list."""
    if not isinstance(value, list | tuple) or not (value or may_be_empty):
        raise UserError(f"{where} must be a list, got {value!r}")
    return list(value)


def parse_words(key: str, value: object, where: str, reserved: Iterable[str]) -> Any:
    """Return the value of a key that says how things are called: one word, or a list of them."""
    if (key in OPTIONAL and value == OPTIONAL[key]) or (key == "glue" and isinstance(value, str)):
        return value
    if key in LISTS:
        words = parse_list(value, where, key in OPTIONAL)
        return tuple(parse_word(word, where, reserved) for word in words)
    return parse_word(value, where, reserved)


def check_names_differ(theme: Theme, where: str, further: Sequence[str] = ()) -> None:
    """Refuse names that are fewer than two or, whatever their case, the same."""
    if len(theme.names) < 2:
        raise UserError(f"{where}: names must be 2 or more, got {list(theme.names)}")
    seen: set[str] = set()
    for name in (*theme.pool(theme.capacity), *further):
        if name.casefold() in seen:
            raise UserError(f"{where}: names must differ in more than case, got {name!r} twice")
        seen.add(name.casefold())
