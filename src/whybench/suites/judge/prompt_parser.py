"""Words to world: rebuilds what a prompt says of the world from its text alone.

The checker holds the result against the world from which the item was made, so a prompt that
says something else than its item, or that distracting text makes ambiguous, does not pass. The
parser knows the sentences that structure a prompt and nothing of the stories.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

STATES = re.compile(r"Some [^;]+? have (?P<present>[^;]+); others have (?P<absent>[^;]+?)\. ?")
RULE = re.compile(r"- (?P<cause>[^;]+?) can cause (?P<effect>[^;]+?)\.(?= |$)")
EVIDENCE = re.compile(r"^Now take one particular [^.]+\. What is known about it: (?P<facts>.*)\.$")
INDEPENDENT = re.compile(
    r"^Among .+ (?:in general|that are alike in (?P<held>.+)), .+ tells nothing about .+: "
    r"those with (?P<first>[^;]+) have (?P<second>[^;]+) just as often as those with "
    r"(?P<absent>[^;]+)\.$"
)
QUERY = re.compile(r"^How likely is it that this .+? has (?P<target>.+)\?$")


class JudgePromptError(ValueError):
    """A prompt from which no world can be rebuilt."""


@dataclass(frozen=True)
class JudgeWorld:
    """What a prompt says: states, causal rules, what is known and what is asked.

    Attributes:
        states: For each variable, the words for present and for absent.
        rules: Pairs of the present states of a cause and of its effect.
        evidence: What is known of the unit: the words for a variable's state.
        target: The present state whose likelihood is asked.
        style: The form of reply asked for.
        independent: The present states of two variables of which it is stated that the one tells
            nothing about the other, and the name of the variable in which units must be alike, if
            they must; empty where nothing is stated.
    """

    states: frozenset[tuple[str, str]]
    rules: frozenset[tuple[str, str]]
    evidence: frozenset[str]
    target: str
    style: str
    independent: tuple[str, ...] = ()


def parse_prompt(prompt: str) -> JudgeWorld:
    """Rebuild the world from a prompt; `JudgePromptError` says which part is not to be found."""
    lines = prompt.split("\n")
    try:
        first, second = (
            lines.index("What causes what:"),
            lines.index("Nothing else is known about it."),
        )
    except ValueError:
        raise JudgePromptError("the prompt must have its headings, got none or not all") from None
    states = tuple(_parse_states(line) for line in lines[:first] if line.startswith("- "))
    capitalized = {present[:1].upper() + present[1:]: present for present, _ in states}
    rules = frozenset(
        (_present_state(match["cause"], capitalized), match["effect"])
        for line in lines[first + 1 : second]
        if (match := RULE.match(line))
    )
    evidence = _match_one(EVIDENCE, lines[first + 1 : second + 1])
    query = _match_one(QUERY, lines[second:])
    return JudgeWorld(
        states=frozenset(states),
        rules=rules,
        evidence=frozenset(fact.removeprefix("it has ") for fact in evidence["facts"].split("; ")),
        target=query["target"],
        style=_parse_style(lines[-1]),
        independent=_parse_independence(lines[first + 1 : second], dict(states)),
    )


def _parse_independence(lines: list[str], states: dict[str, str]) -> tuple[str, ...]:
    """Return what is stated to be independent, and in what; nothing if that is not stated."""
    matches = [match for line in lines if (match := INDEPENDENT.match(line))]
    if not matches:
        return ()
    if len(matches) > 1:
        raise JudgePromptError(f"independence must be stated once, got {len(matches)} lines")
    first, second, absent, held = matches[0].group("first", "second", "absent", "held")
    if states.get(first) != absent or second not in states:
        raise JudgePromptError(
            f"independence must be of states that variables have, got {matches[0][0]!r}"
        )
    return (first, second) if held is None else (first, second, held)


def _parse_states(line: str) -> tuple[str, str]:
    match = STATES.search(line)
    if match is None:
        raise JudgePromptError(f"a variable's line must name its two states, got {line!r}")
    return match["present"], match["absent"]


def _present_state(words: str, capitalized: dict[str, str]) -> str:
    if words not in capitalized:
        raise JudgePromptError(f"a rule must start from a present state, got {words!r}")
    return capitalized[words]


def _match_one(pattern: re.Pattern[str], lines: list[str]) -> re.Match[str]:
    matches = [match for line in lines if (match := pattern.match(line))]
    if len(matches) != 1:
        raise JudgePromptError(f"one line must match {pattern.pattern!r}, got {len(matches)}")
    return matches[0]


def _parse_style(form: str) -> str:
    if "<confidence>" in form:
        return "confidence"
    return "cot" if "<likelihood>" in form else "direct"
