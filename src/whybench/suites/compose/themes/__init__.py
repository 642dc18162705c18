"""Themes: what the nodes of a world are, and the sentences in which its rules are told.

A theme is a YAML file of words. Its nodes are villagers who come to a feast or stay at home, locks
that open or stay shut; the count of a node is what it holds of some unit, from 1 to 10. The rules
are the same in every theme, so that a theme shows whether an agent reasons from the rules it was
told or from what it knows of villagers; the made-up words of `glims` mean nothing to anybody.

A sentence has places in braces (see `sentences`). `{parents}` is one name, or several with "at
least one of" (or) or "each of" (and) in front, so that the verb behind it is always singular.

A world may have any number of nodes. The first `names` serve as they are; where they do not
suffice, the words of `more` are put in front of them. `example_names` are kept for worked examples,
which therefore never speak of the nodes that are asked about.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from whybench.suites.compose.themes.parsing import parsed
from whybench.suites.compose.themes.theme import EXAMPLE_SIZE, Theme
from whybench.suites.files import check_own_name, own_text

__all__ = ["EXAMPLE_SIZE", "THEME_NAMES", "Theme", "theme"]

THEME_NAMES = ("feast", "vault", "petition", "glims")
"""The bundled themes; the last is of made-up words."""


@cache
def theme(source: str) -> Theme:
    """Return a bundled theme by name, or a user's own by the path of its YAML file."""
    if source in THEME_NAMES:
        name = f"{source}.yaml"
        return parsed(files(__package__).joinpath(name).read_text(encoding="utf-8"), name)
    own = parsed(own_text("theme", source, THEME_NAMES), source)
    check_own_name("themes", source, own.name, THEME_NAMES)
    return own
