"""Which state of which variable a phrase of CLadder speaks of.

The table `words.yaml` has the phrases of its stories. The words of its invented stories follow a
rule: `rixq`, `are not rixq`, `those who are rixq`, `if the individual was not rixq`.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

import yaml

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

State: TypeAlias = tuple[str, int]
"""A variable's name and its value, 0 or 1."""

UNDIRECTED = frozenset({"my decision", "season", "the captain", "ground", "prisoner"})
"""Names neither of whose states is more of what is named, among those that are said to be affected
positively or to affect so: a decision is for the stairs or for the elevator."""

_INVENTED = re.compile(
    r"(?:those who are |are |if the individual was |the individual is )?(not )?(\w+)"
)
_JOINTS = re.compile(r" (and|or) |, and ")


@cache
def _phrases() -> Mapping[str, tuple[State, ...]]:
    text = (files(__package__) / "words.yaml").read_text(encoding="utf-8")
    found: dict[str, tuple[State, ...]] = {}
    for name, by_value in yaml.safe_load(text).items():
        for value, phrases in enumerate(by_value):
            for phrase in phrases:
                found[phrase] = (*found.get(phrase, ()), (name, value))
    return found


@cache
def list_names() -> frozenset[str]:
    """Return the names of all variables that the table has words for."""
    return frozenset(name for states in _phrases().values() for name, _ in states)


def find_state(phrase: str, names: Collection[str]) -> State:
    """Return the state that a phrase speaks of, of a variable among `names`.

    Raises:
        ValueError: It speaks of none of them, or of several.
    """
    found = {state for state in _phrases().get(phrase, ()) if state[0] in names}
    invented = _INVENTED.fullmatch(phrase)
    if invented and invented[2] in names and not found:
        found = {(invented[2], int(not invented[1]))}
    if len(found) != 1:
        raise ValueError(f"a phrase must speak of one state of {sorted(names)}, got {phrase!r}")
    return found.pop()


def split_states(text: str, names: Collection[str]) -> tuple[tuple[State, ...], str]:
    """Return the states in a text that joins phrases by "and" or "or", and the word that joins.

    Raises:
        ValueError: It cannot be parted into phrases that are known.
    """
    try:
        return (find_state(text, names),), ""
    except ValueError:
        pass
    for joint in _JOINTS.finditer(text):
        try:
            first = find_state(text[: joint.start()], names)
            rest, _ = split_states(text[joint.end() :], names)
        except ValueError:
            continue
        return (first, *rest), joint[1] or "and"
    raise ValueError(f"a text must join phrases that are known, got {text!r}")
