"""Settings: where a challenge takes place, and what its columns are called there.

A challenge is told in many settings, so that none of its words can be learned by heart. A setting
is a YAML file in the folder of its challenge, or one of your own. Its texts have places in braces:
a role, such as {treatment}, stands for the column's name; others stand for `words`, and for figures
of the data set (`facts`).

- `challenge`: the challenge's name
- `split`: `train` or `test`; a setting is on one side alone
- `setting`: who collected what, and why
- `design`: how rows came into the table and who got what
- `question`: what somebody wants to know, in everyday words
- `words`: words for places; `unit` and `units`, what a row is and what rows are, in every setting
- `columns`: role to `names`, any of which may be drawn, and `meaning`; where the column is 0 or 1
  and may be told the other way round, `opposite` with names and meaning; where its meaning differs
  in a variant, `variants`
- `decoys`: columns that have nothing to do with the answer: `before`, known first and by chance,
  and `after`, recorded last and a consequence of the outcome
- `labels`: `flattering` and `damning`: other `words` and other names of `columns`
- `variants`: what is said differently in a variant: `setting`, `design`

It may also have a text of the story (`estimand`, `roles`, `method`, `warning`, `answer`) that is
better said in its own words. Question and answer cannot differ between variants: they would tell
the trap from its controls.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, get_args

from whybench.seeds import Split
from whybench.suites.contract import UserError
from whybench.suites.files import explain_shape, parse_mapping, read_own_file

__all__ = [
    "AFTER",
    "BEFORE",
    "LABELS",
    "ColumnWords",
    "Setting",
    "parse_setting",
    "read_own_setting",
    "read_settings",
    "unwrap_texts",
]

LABELS = ("neutral", "flattering", "damning")

MUST = frozenset({"challenge", "split", "setting", "design", "question", "words", "columns"})
MAY = frozenset(
    {"decoys", "labels", "variants", "estimand", "roles", "method", "warning", "answer"}
)
BY_VARIANT = frozenset({"setting", "design", "roles"})
EVERYWHERE = frozenset({"unit", "units"})
BEFORE, AFTER = "before_", "after_"
"""How the roles of decoys begin, by when they are measured."""

NAME = re.compile(r"[a-z][a-z0-9_]{1,23}")


@dataclass(frozen=True)
class ColumnWords:
    """What a column is called and what it holds.

    Attributes:
        names: Names, any of which may be drawn.
        meaning: What it holds.
        opposite: The same column, 0 or 1, told the other way round.
        by_variant: What it holds in a variant, where that differs.
    """

    names: tuple[str, ...]
    meaning: str
    opposite: ColumnWords | None = None
    by_variant: Mapping[str, str] = field(default_factory=dict)

    def meaning_in(self, variant: str) -> str:
        """Return what it holds in a variant."""
        return self.by_variant.get(variant, self.meaning)

    def all_names(self) -> Iterator[str]:
        """Yield every name, those of the opposite among them."""
        yield from self.names
        if self.opposite:
            yield from self.opposite.names


@dataclass(frozen=True)
class Setting:
    """A place for a challenge; see the head of this module.

    Attributes:
        name: Its name, or the path of its file.
        challenge: The challenge that takes place there.
        split: On which side of the divide it is.
        texts: Setting, design and question, and whatever it says in place of the story.
        words: Words for places in texts, by label.
        columns: What the columns are called, by role; decoys among them.
        renamed: Other names of columns, by label and role.
        variants: What is said differently in a variant.
    """

    name: str
    challenge: str
    split: Split
    texts: Mapping[str, Any]
    words: Mapping[str, Mapping[str, str]]
    columns: Mapping[str, ColumnWords]
    renamed: Mapping[str, Mapping[str, tuple[str, ...]]]
    variants: Mapping[str, Mapping[str, str]]

    @property
    def decoys(self) -> tuple[str, ...]:
        """The roles of decoys, such as `before_1`."""
        return tuple(role for role in self.columns if role.startswith((BEFORE, AFTER)))

    def column(self, role: str, *, opposite: bool = False) -> ColumnWords:
        """Return what a column is called, as it is or the other way round."""
        words = self.columns[role]
        if not opposite:
            return words
        if words.opposite is None:
            raise UserError(
                f"{self.name}: {role} must have an opposite, since {self.challenge} tells it "
                "either way round; add its names and meaning"
            )
        return words.opposite

    def name_column(self, role: str, label: str, place: int, *, opposite: bool = False) -> str:
        """Return one of the names that a column has under a label."""
        names = self.renamed.get(label, {}).get(role) or self.column(role, opposite=opposite).names
        return names[place % len(names)]


@cache
def read_settings(challenge: str, own: tuple[str, ...] = ()) -> dict[str, Setting]:
    """Return the settings of a challenge by name: ours, or those whose texts it brings."""
    if own:
        told = [parse_setting(text, f"{challenge}-{n}") for n, text in enumerate(own, 1)]
    else:
        folder = files(__package__).joinpath(challenge)
        entries = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml"))
        told = [
            parse_setting(folder.joinpath(name).read_text("utf-8"), name.removesuffix(".yaml"))
            for name in entries
        ]
    for setting in told:
        if setting.challenge != challenge:
            raise UserError(
                f"{setting.name}: challenge must be {challenge}, got {setting.challenge}"
            )
    return {setting.name: setting for setting in told}


@cache
def read_own_setting(path: str, challenge: str, ours: tuple[str, ...]) -> Setting:
    """Return the setting of a user's own file.

    Raises:
        UserError: There is no such file, or it is of another challenge.
    """
    setting = parse_setting(read_own_file("setting", path, ours), path)
    if setting.challenge != challenge:
        raise UserError(f"{path}: challenge must be {challenge}, got {setting.challenge}")
    return setting


def parse_setting(text: str, name: str) -> Setting:
    """Return the setting that YAML text tells.

    Raises:
        UserError: It lacks a key, has one too many, or names that do not fit.
    """
    raw = parse_mapping(text, name)
    if not MUST <= set(raw) <= MUST | MAY:
        raise UserError(
            f"{name} must have the keys {sorted(MUST)} and may have {sorted(MAY)}, "
            f"got {sorted(raw)}"
        )
    if raw["split"] not in get_args(Split):
        raise UserError(f"{name}: split must be train or test, got {raw['split']!r}")
    with explain_shape(name, "a setting"):
        setting = _build(unwrap_texts(raw), name)
    _check(setting)
    return setting


def _build(raw: Mapping[str, Any], name: str) -> Setting:
    decoys = {
        f"{when}_{place}": entry
        for when, entries in raw.get("decoys", {}).items()
        for place, entry in enumerate(entries, 1)
    }
    labels = raw.get("labels", {})
    said = {"setting", "design", "question", "estimand", "roles", "method", "warning", "answer"}
    return Setting(
        name=name,
        challenge=raw["challenge"],
        split=raw["split"],
        texts={key: text for key, text in raw.items() if key in said},
        words={
            label: {**raw["words"], **labels.get(label, {}).get("words", {})} for label in LABELS
        },
        columns={
            role: _build_column(entry) for role, entry in {**raw["columns"], **decoys}.items()
        },
        renamed={
            label: {role: tuple(names) for role, names in entry.get("columns", {}).items()}
            for label, entry in labels.items()
        },
        variants=raw.get("variants", {}),
    )


def _build_column(raw: Mapping[str, Any]) -> ColumnWords:
    changed = raw.get("variants", {})
    opposite = raw.get("opposite")
    return ColumnWords(
        tuple(raw["names"]),
        raw["meaning"],
        ColumnWords(
            tuple(opposite["names"]),
            opposite["meaning"],
            None,
            {variant: entry["opposite"] for variant, entry in changed.items()},
        )
        if opposite
        else None,
        {variant: entry["meaning"] for variant, entry in changed.items()},
    )


def _check(setting: Setting) -> None:
    """Refuse names that do not fit, or are given twice, and variants that tell too much."""
    names = Counter(
        [name for words in setting.columns.values() for name in words.all_names()]
        + [name for label in setting.renamed.values() for names in label.values() for name in names]
    )
    if wrong := [name for name in names if not NAME.fullmatch(str(name))]:
        raise UserError(
            f"{setting.name}: names of columns must be of small letters, digits and _, got {wrong}"
        )
    if twice := [name for name, times in names.items() if times > 1]:
        raise UserError(f"{setting.name}: names of columns must differ, got {twice} twice")
    if not set(setting.words["neutral"]) >= EVERYWHERE:
        raise UserError(
            f"{setting.name}: words must have {sorted(EVERYWHERE)}, "
            f"got {sorted(setting.words['neutral'])}"
        )
    if not set(setting.renamed) <= {*LABELS[1:]}:
        raise UserError(
            f"{setting.name}: labels must be {', '.join(LABELS[1:])}, got {list(setting.renamed)}"
        )
    for variant, changed in setting.variants.items():
        if not set(changed) <= BY_VARIANT:
            raise UserError(
                f"{setting.name}: {variant} may change {sorted(BY_VARIANT)}, got {sorted(changed)}"
            )


def unwrap_texts(value: Any) -> Any:
    """Put every text on one line."""
    if isinstance(value, Mapping):
        return {key: unwrap_texts(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [unwrap_texts(entry) for entry in value]
    return " ".join(value.split()) if isinstance(value, str) else value
