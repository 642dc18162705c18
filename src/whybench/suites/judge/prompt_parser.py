"""Words to world: rebuilds what a prompt says of the world from its text alone.

The checker holds the result against the world from which the item was made, so a prompt that
says something else than its item, or that distracting text makes ambiguous, does not pass. The
parser knows the sentences that structure a prompt and nothing of the stories.

A bundled story leaves open how likely things are, as life does. A generated one states it in whole
numbers out of a hundred, so that the normative answer follows from the prompt alone: how many units
have a variable that nothing causes, in how many a caused one comes about by itself, and in how many
a present cause brings about its effect. These are the `Strengths` of a world, and they decide its
split. Two worlds are the same if one turns into the other by renaming variables, such as the two
causes of a collider. The world at which the bundled stories are normative is for testing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from typing import TYPE_CHECKING

from whybench.seeds import Split, split_of
from whybench.suites.judge.design import Parameters
from whybench.suites.judge.questions import GRAPHS, load_structure

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "JudgePromptError",
    "JudgeWorld",
    "Strengths",
    "find_strengths",
    "parse_prompt",
    "split_of_prompt",
]


STATES = re.compile(r"Some [^;]+? have (?P<present>[^;]+); others have (?P<absent>[^;]+?)\. ?")
RULE = re.compile(r"- (?P<cause>[^;]+?) can cause (?P<effect>[^;]+?)\.(?= |$)")
EVIDENCE = re.compile(r"^Now take one particular [^.]+\. What is known about it: (?P<facts>.*)\.$")
ROOT = re.compile(r": (?P<number>\d+) of 100 \S+ have (?P<state>[^;.]+)\. Some ")
ITSELF = re.compile(r": (?P<state>[^;.]+) comes about by itself in (?P<number>\d+) of 100 ")
LINK = re.compile(RULE.pattern.removesuffix("(?= |$)") + r" It does so in (?P<number>\d+) of 100 ")
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
        numbers: What is stated of a variable, or of a cause and its effect, as whole numbers out
            of a hundred; stories state nothing.
        independent: The present states of two variables of which it is stated that the one tells
            nothing about the other, and the name of the variable in which units must be alike, if
            they must; empty where nothing is stated.
    """

    states: frozenset[tuple[str, str]]
    rules: frozenset[tuple[str, str]]
    evidence: frozenset[str]
    target: str
    style: str
    numbers: frozenset[tuple[tuple[str, ...], int]] = frozenset()
    independent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Strengths:
    """The strengths of one world, in parts of a hundred.

    Attributes:
        graph: The causal graph.
        base_rates: For each node, how often it is present without any cause.
        link_strengths: For each edge, how often a present cause brings about its effect.
    """

    graph: str
    base_rates: tuple[int, ...]
    link_strengths: tuple[int, ...]

    @cached_property
    def canonical(self) -> str:
        """The world in one line, the same for worlds that differ in names alone."""
        base_rates, link_strengths = min(
            (
                tuple(self.base_rates[node] for node in nodes),
                tuple(self.link_strengths[edge] for edge in edges),
            )
            for nodes, edges in _symmetries(self.graph)
        )
        rates, strengths = (" ".join(map(str, part)) for part in (base_rates, link_strengths))
        return f"{self.graph}; {rates}; {strengths}"

    @property
    def split(self) -> Split:
        """The side of the train/test divide."""
        is_default = self.canonical == _default_world(self.graph)
        return "test" if is_default else split_of(self.canonical)


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
        numbers=frozenset(_parse_numbers(lines[:second], capitalized)),
        independent=_parse_independence(lines[first + 1 : second], dict(states)),
    )


def find_strengths(world: JudgeWorld) -> Strengths | None:
    """Return the strengths that a world parsed from a prompt states; None where it states none."""
    numbers = dict(world.numbers)
    present = [state for state, _ in world.states]
    for graph in GRAPHS if numbers else ():
        structure = load_structure(graph)
        for states in permutations(present, len(structure.nodes)):
            state = dict(zip(structure.nodes, states, strict=True))
            links = [(state[cause], state[effect]) for cause, effect in structure.edges]
            if frozenset(links) == world.rules:
                return Strengths(
                    graph,
                    tuple(numbers[(state,)] for state in states),
                    tuple(numbers[link] for link in links),
                )
    return None


def split_of_prompt(world: JudgeWorld) -> Split | None:
    """Return the split of a world parsed from a prompt; None where it states no strengths."""
    strengths = find_strengths(world)
    return None if strengths is None else strengths.split


def _parse_numbers(
    lines: list[str], capitalized: dict[str, str]
) -> Iterator[tuple[tuple[str, ...], int]]:
    for line in lines:
        if match := ROOT.search(line):
            yield (match["state"],), int(match["number"])
        elif match := ITSELF.search(line):
            yield (_present_state(match["state"], capitalized),), int(match["number"])
        elif match := LINK.match(line):
            yield (
                (_present_state(match["cause"], capitalized), match["effect"]),
                int(match["number"]),
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


@cache
def _symmetries(graph: str) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return the ways to exchange nodes, and with them edges, that leave a graph as it is."""
    structure = load_structure(graph)
    edges = [
        (structure.nodes.index(cause), structure.nodes.index(effect))
        for cause, effect in structure.edges
    ]
    images = [
        (nodes, [(nodes[cause], nodes[effect]) for cause, effect in edges])
        for nodes in permutations(range(len(structure.nodes)))
    ]
    return tuple(
        (nodes, tuple(edges.index(edge) for edge in image))
        for nodes, image in images
        if set(image) == set(edges)
    )


@cache
def _default_world(graph: str) -> str:
    """Return the world at which the bundled stories of a graph are normative."""
    structure, default = load_structure(graph), Parameters()
    rates = structure.base_rates(default.prior, default.leak)
    strength = round(100 * default.strength)
    percent = tuple(round(100 * rate) for rate in rates)
    return Strengths(graph, percent, (strength,) * len(structure.edges)).canonical
