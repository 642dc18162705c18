"""Figures on prose: how often the texts that people see first use words to avoid.

Counted in README, in the help of every command, and in the strings of the report. Code, markup and
template expressions do not count as words.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import yaml

from evidence.figures import Figure, Parts, figures_of
from whybench.cli import COMMANDS, GROUPS, whybench_command

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]

MOST = {"told": 0.3, "say": 0.6, "beside": 0.1}
"""The highest rate per 1,000 words."""

WORDS = {
    "told": r"\b(tells?|told|telling)\b",
    "say": r"\b(says?|said|saying)\b",
    "beside": r"\bbeside\b",
    "you": r"\b(you|yours?)\b",
}

NOT_PROSE = re.compile(
    r"^```.*?^```"  # code
    r"|<!--.*?-->|<(style|script|svg)\b.*?</\1>|<[^<>]+>"  # markup
    r"|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|\{[a-z_:.0-9%]+\}"  # template expressions
    r"|`[^`\n]+`|\]\([^)]*\)",  # code and addresses within sentences
    re.DOTALL | re.MULTILINE,
)


def strip_markup(text: str) -> str:
    """Return a text without code, markup and template expressions."""
    return NOT_PROSE.sub(" ", text)


def count_rates(text: str) -> dict[str, float]:
    """Return the rate of each of `WORDS` per 1,000 words of a text, and the number of words."""
    words = len(re.findall(r"[A-Za-z][\w'’-]*", text))
    rates = {
        name: 1000 * len(re.findall(pattern, text, re.IGNORECASE)) / max(words, 1)
        for name, pattern in WORDS.items()
    }
    return {"words": words, **rates}


def _help() -> Iterator[str]:
    """Yield every text that `--help` prints."""
    yield whybench_command.help or ""
    for title, group in GROUPS.items():
        yield title
        yield from (line for _, line in group.values())
    with click.Context(whybench_command) as context:
        found = [whybench_command.get_command(context, name) for name in COMMANDS]
    for command in found:
        for one in (command, *getattr(command, "commands", {}).values()):
            yield one.help or ""
            yield from (getattr(option, "help", None) or "" for option in one.params)


def _page() -> Iterator[str]:
    """Yield the strings of the report: templates, words and findings."""
    source = ROOT / "src" / "whybench"
    for path in sorted((source / "page" / "templates").glob("*.html")):
        yield path.read_text("utf-8")
    for path in (source / "page" / "words.yaml", *sorted(source.glob("suites/*/sentences.yaml"))):
        yield from _strings(yaml.safe_load(path.read_text("utf-8")))


def _strings(value: object) -> Iterator[str]:
    """Yield all strings of a YAML document that are not keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


TEXTS = {
    "README": lambda: [(ROOT / "README.md").read_text("utf-8")],
    "help": _help,
    "page": _page,
}


def rates(_small: bool) -> Iterator[Figure]:
    """Yield the rates of each text."""
    for name, read in TEXTS.items():
        found = count_rates("\n".join(strip_markup(text) for text in read()))
        shown = ", ".join(f"{word} {found[word]:.2f}" for word in WORDS)
        bounds = ", ".join(f"{word} <= {most}" for word, most in MOST.items())
        yield Figure(
            f"{name}: rates per 1,000 words, {bounds}",
            f"{found['words']:,} words: {shown}",
            all(found[word] <= most for word, most in MOST.items()),
        )


PARTS: Parts = {"rates": rates}

figures = partial(figures_of, PARTS)
