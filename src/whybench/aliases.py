"""Words that were stored and are called otherwise now: one table, for all that reads them.

Logs, records, YAML designs, plans and exported rows keep the words of the version that wrote them.
Whoever reads one asks here, so that old and new answers stand under the same words. A word is taken
into the table once and stays; nothing is written in old words, but for one digest: a design's hash
says that two runs asked the same questions, and a new word for a factor does not change them, so
the hash is taken of the words that the design was first hashed in (`first_words`). A factor that a
suite took on later is read as if it had been there at the level that went without saying, and is
no part of the first words as long as it stands at that level.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

__all__ = [
    "ADDED",
    "DESIGN",
    "DESIGNS",
    "FACTORS",
    "LEVELS",
    "MISLABELLED",
    "MOVED",
    "SETTINGS",
    "current_row",
    "current_settings",
    "current_table",
    "first_words",
]

DESIGN = "design"
"""The setting that names the design, or the file, to start from."""

SETTINGS = {"base": DESIGN}
"""Old to new keys of settings, whatever the suite."""

FACTORS: dict[str, dict[str, str]] = {"intervene": {"n": "entities"}}
"""Suite to the old and new names of its factors, which are columns of its records too."""

LEVELS: dict[str, dict[str, dict[str, str]]] = {
    "judge": {"style": {"numeric": "direct"}},
    "compose": {"style": {"step-by-step": "cot"}},
    "intervene": {"style": {"basic": "direct", "step-by-step": "cot"}},
}
"""Suite to factor, by its new name, to old and new levels."""

DESIGNS: dict[str, dict[str, str]] = {
    "judge": {"published-abstract-overload-de": "published-abstract-overload-d"},
}
"""Suite to old and new names of designs."""

MISLABELLED: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "judge": (
        {"stimuli": "published", "content": "abstract", "overload": "de"},
        {"overload": "d"},
    ),
}
"""Suite to words that together were wrong of what was asked, and to those that are right."""

MOVED: dict[str, tuple[str, str]] = {"judge": ("generated", "calculate")}
"""Suite to stimuli of it that another suite took over, with its items to train on, and to that
suite. What was kept of them is read as before; nobody can ask for them."""

ADDED: dict[str, dict[str, str | None]] = {
    "judge": {"independence": "unstated"},
    "intervene": {"report": None, "stimuli": "own"},
    "analyze": {
        "setting": None,
        "diagnosis": None,
        "diagnosis_reason": None,
        "rubrics": "none",
        "rubric_marks": None,
        "grader": None,
    },
}
"""Suite to the words that its records took on later, and what all that was kept before had: the
level that went without saying, or nothing."""


def current_settings(suite: str, settings: Mapping[str, object]) -> dict[str, object]:
    """Return the settings of a design in today's words.

    Raises:
        UserError: The same is set twice, by its old and its new word; or another suite asks it now.
    """
    what, other = MOVED.get(suite, ("", ""))
    if what and what in (settings.get(DESIGN), settings.get("stimuli")):
        raise UserError(f"{what} worlds of {suite} are those of {other} now; use {other}")
    names = {**SETTINGS, **FACTORS.get(suite, {})}
    for old in names.keys() & settings.keys():
        if names[old] in settings:
            raise UserError(
                f"settings must have one value for {names[old]}, got {settings[names[old]]} and "
                f"{settings[old]} for {old}, which means the same; leave {old} out"
            )
    designs = {DESIGN: DESIGNS.get(suite, {})}
    return _translate(settings, names, {**LEVELS.get(suite, {}), **designs})


def current_row(suite: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored row, or the factors of an item, in today's words."""
    current = {
        **ADDED.get(suite, {}),
        **_translate(row, FACTORS.get(suite, {}), LEVELS.get(suite, {})),
    }
    wrong, right = MISLABELLED.get(suite, ({}, {}))
    if wrong and all(current.get(name) == level for name, level in wrong.items()):
        current |= right
    return current


def current_table(suite: str, table: pa.Table) -> pa.Table:
    """Return stored records of a suite in today's words."""
    import pyarrow as pa  # noqa: PLC0415  (light commands do without)
    import pyarrow.compute as pc  # noqa: PLC0415

    names = FACTORS.get(suite, {})
    table = table.rename_columns([names.get(name, name) for name in table.column_names])
    if "pairing_key" not in table.column_names and "item" in table.column_names:
        # Records were kept without it at first, when ids were digests alone.
        column = pa.nulls(table.num_rows, pa.string())
        table = table.add_column(table.column_names.index("item") + 1, "pairing_key", column)
    for factor, levels in LEVELS.get(suite, {}).items():
        if factor in table.column_names:
            column = table[factor]
            for old, new in levels.items():
                column = pc.if_else(pc.equal(column, old), new, column)
            table = table.set_column(table.column_names.index(factor), factor, column)
    wrong, right = MISLABELLED.get(suite, ({}, {}))
    if wrong and wrong.keys() <= {*table.column_names}:
        every = [pc.fill_null(pc.equal(table[name], wrong[name]), False) for name in wrong]
        found = reduce(pc.and_, every)
        for name, true in right.items():
            column = pc.if_else(found, true, table[name])
            table = table.set_column(table.column_names.index(name), name, column)
    for name, level in ADDED.get(suite, {}).items():
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, pa.string()))
        if level is not None:
            column = pc.fill_null(table[name], level)
            table = table.set_column(table.column_names.index(name), name, column)
    return table


def first_words(suite: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a design in the words in which they were first hashed."""
    names = {new: old for old, new in FACTORS.get(suite, {}).items()}
    levels = {
        names.get(factor, factor): {new: old for old, new in words.items()}
        for factor, words in LEVELS.get(suite, {}).items()
    }
    first = _translate(settings, names, levels)
    for factor, level in ADDED.get(suite, {}).items():
        if level is not None and first.get(factor) in (level, (level,), [level]):
            del first[factor]
    return first


def _translate(
    words: Mapping[str, Any], names: Mapping[str, str], levels: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Return a mapping with its keys, and then the levels under them, in other words."""
    renamed = {names.get(name, name): value for name, value in words.items()}
    for name, others in levels.items():
        if name in renamed:
            renamed[name] = _translate_levels(renamed[name], others)
    return renamed


def _translate_levels(value: Any, words: Mapping[str, str]) -> Any:
    """Translate one level, several in a list, or several between commas."""
    if isinstance(value, str):
        return ",".join(words.get(level, level) for level in value.split(","))
    if isinstance(value, list | tuple):
        return type(value)(_translate_levels(level, words) for level in value)
    return value
