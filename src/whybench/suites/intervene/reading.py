"""What an opening says of the world, from its words alone.

The templates of `wording` are turned into patterns: a place that is named twice must hold the same
words twice. So a rule that were worded with the verbs exchanged, or with another limit, would not
pass for the item's.
"""

from __future__ import annotations

import re
from functools import cache

from whybench.suites.intervene.items import Situation
from whybench.suites.intervene.wording import CASE, INTERFACES, LISTED, OBSERVED, RULES, STYLES

__all__ = ["read_prompt"]


def read_prompt(prompt: str) -> Situation:
    """Return what an opening says of the world.

    Raises:
        ValueError: The prompt is no opening of an episode.
    """
    rules = _found(RULES, prompt)
    names = tuple(_found(LISTED, prompt)["names"].split(", "))
    states = dict(entry.rsplit(": ", 1) for entry in _found(OBSERVED, prompt)["states"].split("; "))
    go, rest = rules["moving"], rules["still"]
    if tuple(states) != names or not set(states.values()) <= {go, rest}:
        raise ValueError(
            f"each of {', '.join(names)} must be seen once, {go} or {rest}, got {states}"
        )
    asked = _found(CASE, prompt)
    return Situation(
        names=names,
        moving=frozenset(name for name, state in states.items() if state == go),
        cause=asked["cause"],
        effect=asked["effect"],
        words=(rules["move"], rules["hold"], go, rest),
        limit=int(rules["limit"]),
        style=_level(STYLES, prompt, rules),
        interface=_level(INTERFACES, prompt, rules),
    )


def _found(template: str, prompt: str) -> dict[str, str]:
    found = _pattern(template).search(prompt)
    if found is None:
        raise ValueError(f"the prompt must hold {template[:40]!r}…, got {prompt[:80]!r}…")
    return found.groupdict()


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return what finds a template in a text, its places being groups."""
    seen: set[str] = set()
    pieces = []
    for piece in re.split(r"(\{\w+\})", template):
        name = piece[1:-1]
        if piece != f"{{{name}}}":
            pieces.append(re.escape(piece))
        else:
            pieces.append(f"(?P={name})" if name in seen else rf"(?P<{name}>[^\n]+?)")
            seen.add(name)
    return re.compile("".join(pieces))


def _level(levels: dict[str, str], prompt: str, places: dict[str, str]) -> str:
    """Return the level whose words stand in the prompt; the one that adds none if there is none."""
    said = [name for name, text in levels.items() if text and text.format(**places) in prompt]
    silent = [name for name, text in levels.items() if not text]
    if len(said) > 1 or not (said or silent):
        raise ValueError(f"the prompt must hold the words of one of {', '.join(levels)}")
    return (said or silent)[0]
