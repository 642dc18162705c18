"""Words to world: rebuilds what a prompt says of the world from its text alone.

The checker holds the result against the world from which the item was made, so a prompt that
says something else than its item, or that distracting text makes ambiguous, does not pass. The
reader knows the sentences that structure a prompt and nothing of the stories.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["JudgeWorld", "PromptError", "read_prompt"]

STATES = re.compile(r"Some [^;]+? have (?P<present>[^;]+); others have (?P<absent>[^;]+?)\. ?")
RULE = re.compile(r"- (?P<cause>[^;]+?) can cause (?P<effect>[^;]+?)\.(?= |$)")
KNOWN = re.compile(r"^Now take one particular [^.]+\. What is known about it: (?P<facts>.*)\.$")
ROOT = re.compile(r": (?P<number>\d+) of 100 \S+ have (?P<state>[^;.]+)\. Some ")
ITSELF = re.compile(r": (?P<state>[^;.]+) comes about by itself in (?P<number>\d+) of 100 ")
LINK = re.compile(RULE.pattern.removesuffix("(?= |$)") + r" It does so in (?P<number>\d+) of 100 ")
ASKED = re.compile(r"^How likely is it that this .+? has (?P<asked>.+)\?$")


class PromptError(ValueError):
    """A prompt from which no world can be rebuilt."""


@dataclass(frozen=True)
class JudgeWorld:
    """What a prompt says: states, causal rules, what is known and what is asked.

    Attributes:
        states: For each variable, the words for present and for absent.
        rules: Pairs of the present states of a cause and of its effect.
        known: What is known of the unit: the words for a variable's state.
        asked: The present state whose likelihood is asked.
        style: The form of reply asked for.
        numbers: What is stated of a variable, or of a cause and its effect, as whole numbers out
            of a hundred; stories state nothing.
    """

    states: frozenset[tuple[str, str]]
    rules: frozenset[tuple[str, str]]
    known: frozenset[str]
    asked: str
    style: str
    numbers: frozenset[tuple[tuple[str, ...], int]] = frozenset()


def read_prompt(prompt: str) -> JudgeWorld:
    """Rebuild the world from a prompt; `PromptError` says which part is not to be found."""
    lines = prompt.split("\n")
    try:
        first, second = (
            lines.index("What causes what:"),
            lines.index("Nothing else is known about it."),
        )
    except ValueError:
        raise PromptError("the prompt must have its headings, got none or not all") from None
    states = tuple(_states(line) for line in lines[:first] if line.startswith("- "))
    spoken = {present[:1].upper() + present[1:]: present for present, _ in states}
    rules = frozenset(
        (_state(match["cause"], spoken), match["effect"])
        for line in lines[first + 1 : second]
        if (match := RULE.match(line))
    )
    known = _only(KNOWN, lines[first + 1 : second + 1])
    asked = _only(ASKED, lines[second:])
    return JudgeWorld(
        states=frozenset(states),
        rules=rules,
        known=frozenset(fact.removeprefix("it has ") for fact in known["facts"].split("; ")),
        asked=asked["asked"],
        style=_style(lines[-1]),
        numbers=frozenset(_numbers(lines[:second], spoken)),
    )


def _numbers(lines: list[str], spoken: dict[str, str]) -> Iterator[tuple[tuple[str, ...], int]]:
    for line in lines:
        if found := ROOT.search(line):
            yield (found["state"],), int(found["number"])
        elif found := ITSELF.search(line):
            yield (_state(found["state"], spoken),), int(found["number"])
        elif found := LINK.match(line):
            yield (_state(found["cause"], spoken), found["effect"]), int(found["number"])


def _states(line: str) -> tuple[str, str]:
    match = STATES.search(line)
    if match is None:
        raise PromptError(f"a variable's line must name its two states, got {line!r}")
    return match["present"], match["absent"]


def _state(words: str, spoken: dict[str, str]) -> str:
    if words not in spoken:
        raise PromptError(f"a rule must start from a present state, got {words!r}")
    return spoken[words]


def _only(pattern: re.Pattern[str], lines: list[str]) -> re.Match[str]:
    found = [match for line in lines if (match := pattern.match(line))]
    if len(found) != 1:
        raise PromptError(f"one line must match {pattern.pattern!r}, got {len(found)}")
    return found[0]


def _style(form: str) -> str:
    if "<confidence>" in form:
        return "confidence"
    return "cot" if "<likelihood>" in form else "numeric"
