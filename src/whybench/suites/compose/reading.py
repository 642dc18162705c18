"""Words to world: rebuilds the question from its prompt alone.

The checker holds the result against the question from which the prompt was made, so a prompt that
says something else than its question, or that a detail makes ambiguous, does not pass. The reader
knows the sentences of the themes and how worlds are built, and nothing of the item: it finds out
from the rules who depends on whom, sorts the nodes, and takes the graph apart into blocks. Lines
among the rules that are no rule are details and are passed over; so is a worked example.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

from whybench.suites.compose.questions import Question, Style
from whybench.suites.compose.themes import THEME_NAMES, Theme, theme
from whybench.suites.compose.themes.sentences import Sentence, unlisted
from whybench.suites.compose.themes.theme import OF_SEVERAL
from whybench.suites.compose.wording import ASKED, REPLY_FORM, counts_heading, rules_heading
from whybench.suites.compose.world import Block, Gate, Kind, World

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["PromptError", "read_prompt"]


class PromptError(ValueError):
    """A prompt from which no question can be rebuilt."""


@dataclass(frozen=True)
class _Rule:
    """What the rule of a node says: its gate, its threshold and the names of its parents."""

    gate: Gate
    threshold: int
    parents: frozenset[str]


def read_prompt(prompt: str, told: Theme | None = None) -> Question:
    """Rebuild a question from its prompt; it equals `Question.plain` of what was worded.

    Args:
        prompt: The whole prompt.
        told: The theme in which it is told; needed for a user's own, while a bundled one is found
            by its setting.

    Raises:
        PromptError: Says which part is not to be found, or does not fit the others.
    """
    told = told or _theme(prompt)
    lines = prompt.split("\n")
    rules_from = _last(lines, rules_heading(told))
    counts_from = _last(lines, counts_heading(told))
    rules = _rules(told, lines[rules_from + 1 : counts_from])
    counts = _counts(told, lines[counts_from + 1 :])
    if rules.keys() != counts.keys():
        raise PromptError(
            f"every name must have one rule and one count, got {list(rules)} and {list(counts)}"
        )
    names = _causes_first(rules)
    number = {name: node for node, name in enumerate(names)}
    effect, intervention = _asked(told, lines[counts_from + 1 :])
    try:
        return Question(
            world=_world([rules[name] for name in names], number),
            counts=tuple(counts[name] for name in names),
            names=names,
            theme=told,
            order=tuple(number[name] for name in rules),
            effect=number[effect],
            intervention=intervention and (number[intervention[0]], intervention[1]),
            style=_style(lines[-1], has_example=lines.index(rules_heading(told)) < rules_from),
        )
    except (KeyError, ValueError) as error:
        raise PromptError(f"the parts of a prompt must fit each other: {error}") from None


def _theme(prompt: str) -> Theme:
    setting = prompt.partition("\n")[0]
    found = [known for known in map(theme, THEME_NAMES) if known.setting == setting]
    if len(found) != 1:
        raise PromptError(f"a prompt must open with the setting of one theme, got {setting!r}")
    return found[0]


def _last(lines: list[str], heading: str) -> int:
    """Return where a heading stands for the last time: before that there may be an example."""
    if heading not in lines:
        raise PromptError(f"a prompt must have the line {heading!r}, got none")
    return len(lines) - 1 - lines[::-1].index(heading)


def _rules(told: Theme, lines: list[str]) -> dict[str, _Rule]:
    """Return the rule of every name, in the order of the lines."""
    forms: tuple[tuple[Gate, Sentence], ...] = (
        ("or", told.root_rule),
        ("or", told.or_rule),
        ("and", told.and_rule),
    )
    rules: dict[str, _Rule] = {}
    for line in lines:
        said = line.removeprefix("- ")
        for gate, sentence in forms:
            if (found := sentence.read(said)) is None:
                continue
            name = _name(told, found["name"])
            if name in rules:
                raise PromptError(f"a name must have one rule, got two of {name!r}")
            rules[name] = _Rule(
                gate,
                _count(told, found["count"]),
                _parents(told, gate, found.get("parents")),
            )
    return rules


def _parents(told: Theme, gate: Gate, said: str | None) -> frozenset[str]:
    if said is None:
        return frozenset()
    named = [said]
    if said.startswith(several := f"{OF_SEVERAL[gate]} "):
        named = unlisted(said.removeprefix(several))
    return frozenset(_name(told, name) for name in named)


def _counts(told: Theme, lines: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for line in lines:
        found = told.count_line.read(line.removeprefix("- "))
        if found is not None:
            counts[_name(told, found["name"])] = _count(told, found["count"])
    return counts


def _asked(told: Theme, lines: list[str]) -> tuple[str, tuple[str, bool] | None]:
    """Return the name that is asked about, and the one that is set from outside with its value."""
    asked = [line.removeprefix(ASKED) for line in lines if line.startswith(ASKED)]
    if len(asked) != 1:
        raise PromptError(f"a prompt must have one question, got {len(asked)}")
    for sentence, value in ((told.ask_true, True), (told.ask_false, False)):
        if found := sentence.read(asked[0]):
            return _name(told, found["effect"]), (_name(told, found["cause"]), value)
    if found := told.ask.read(asked[0]):
        return _name(told, found["effect"]), None
    raise PromptError(f"a question must have one of the forms of its theme, got {asked[0]!r}")


def _name(told: Theme, said: str) -> str:
    if said.casefold() not in told.spelling:
        raise PromptError(f"a name must be one of the theme {told.name}, got {said!r}")
    return told.spelling[said.casefold()]


def _count(told: Theme, said: str) -> int:
    number = int(said.partition(" ")[0])
    if said != told.counted(number):
        raise PromptError(f"a count must be a number of {told.unit[1]}, got {said!r}")
    return number


def _causes_first(rules: Mapping[str, _Rule]) -> tuple[str, ...]:
    """Return the names, every cause before its effects; in a world of blocks there is one way."""
    order: list[str] = []
    while len(order) < len(rules):
        ready = [
            name for name, rule in rules.items() if name not in order and rule.parents <= set(order)
        ]
        if len(ready) != 1:
            raise PromptError(f"one node must follow on {order}, got {ready or 'none'}")
        order += ready
    return tuple(order)


def _world(rules: list[_Rule], number: Mapping[str, int]) -> World:
    parents = [frozenset(number[name] for name in rule.parents) for rule in rules]
    # At an anchor nothing passes by: no later node has an earlier one for its parent.
    anchors = [
        node
        for node in range(len(rules))
        if all(min(causes, default=node) >= node for causes in parents[node + 1 :])
    ]
    return World(
        blocks=tuple(_block(parents, first, last) for first, last in pairwise(anchors)),
        gates=tuple(rule.gate for rule in rules),
        thresholds=tuple(rule.threshold for rule in rules),
    )


def _block(parents: list[frozenset[int]], first: int, last: int) -> Block:
    edges = {
        (cause - first, node - first)
        for node in range(first + 1, last + 1)
        for cause in parents[node]
    }
    for block in _shapes(last - first + 1):
        if set(block.edges) == edges:
            return block
    raise ValueError(f"a block must be a bridge, a cycle or a wheel, got the edges {edges}")


def _shapes(size: int) -> Iterable[Block]:
    """Yield the blocks that there are of a size."""
    for kind in get_args(Kind):
        try:
            yield Block(kind, size)
        except ValueError:
            continue


def _style(form: str, *, has_example: bool) -> Style:
    fitting = [
        style
        for style, words in REPLY_FORM.items()
        if words == form and has_example == (style == "worked-example")
    ]
    if len(fitting) != 1:
        raise PromptError(f"a prompt must end in the form of the reply, got {form!r}")
    return fitting[0]
