"""What an opening says of the world, from its words alone.

The templates of `prompts` are turned into patterns: a place that is named twice must hold the same
words twice. So a rule that were rendered with the verbs exchanged, or with another limit, would not
pass for the item's.
"""

from __future__ import annotations

import re
from functools import cache

from whybench.suites.intervene.items import Situation
from whybench.suites.intervene.prompts import (
    CASE,
    FORMAL_WORDS,
    GRAPH,
    INTERFACES,
    LINKS,
    LISTED,
    NO_LINK,
    OBSERVED,
    RULES,
    STYLES,
)


def parse_prompt(prompt: str) -> Situation:
    """Return what an opening says of the world.

    Raises:
        ValueError: The prompt is no opening of an episode.
    """
    wording = "formal" if _pattern(RULES["formal"]).search(prompt) else "plain"
    rules = _find_fields(RULES[wording], prompt)
    if wording == "formal":
        rules |= FORMAL_WORDS
    names = tuple(_find_fields(LISTED, prompt)["names"].split(", "))
    states = dict(
        entry.rsplit(": ", 1) for entry in _find_fields(OBSERVED, prompt)["states"].split("; ")
    )
    go, rest = rules["moving"], rules["still"]
    if tuple(states) != names or not set(states.values()) <= {go, rest}:
        raise ValueError(
            f"each of {', '.join(names)} must be seen once, {go} or {rest}, got {states}"
        )
    question = {"cause": "", "effect": "", "solid": NO_LINK, "dotted": NO_LINK}
    if found := _pattern(LINKS[wording]).search(prompt):
        question |= found.groupdict()
    elif not _pattern(GRAPH[wording]).search(prompt):
        question |= _find_fields(CASE[wording], prompt)
    return Situation(
        names=names,
        moving=frozenset(name for name, state in states.items() if state == go),
        cause=question["cause"],
        effect=question["effect"],
        words=(rules["move"], rules["hold"], go, rest),
        limit=int(rules["limit"]),
        style=_find_level(STYLES, prompt, rules),
        interface=_find_level(INTERFACES, prompt, rules),
        wording=wording,
        solid=_parse_links(question["solid"]),
        dotted=_parse_links(question["dotted"]),
    )


def _parse_links(text: str) -> tuple[tuple[str, str], ...]:
    links = (link.split(" -> ") for link in text.split("; ") if text != NO_LINK)
    return tuple((cause, effect) for cause, effect in links)


def _find_fields(template: str, prompt: str) -> dict[str, str]:
    match = _pattern(template).search(prompt)
    if match is None:
        raise ValueError(f"the prompt must hold {template[:40]!r}…, got {prompt[:80]!r}…")
    return match.groupdict()


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


def _find_level(levels: dict[str, str], prompt: str, fields: dict[str, str]) -> str:
    """Return the level whose words stand in the prompt; the one that adds none if there is none."""
    present = [name for name, text in levels.items() if text and text.format(**fields) in prompt]
    absent = [name for name, text in levels.items() if not text]
    if len(present) > 1 or not (present or absent):
        raise ValueError(f"the prompt must hold the words of one of {', '.join(levels)}")
    return (present or absent)[0]
