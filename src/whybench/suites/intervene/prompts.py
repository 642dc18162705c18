"""What an agent is told: the rules, what it sees, and what it is asked.

Each sentence is a template with named places, and is written once: `reading` turns the same
templates around to find out what a prompt says. The words of the theme fill the places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.intervene.world import state_to_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.suites.intervene.items import InterveneItem

RULES = """\
One {one} drives another if, whenever the one is {moving}, the other becomes {moving} too. \
Which {one} drives which stays the same throughout, and no {one} drives itself, not through others \
either. You can act on one {one} at a time:

- {move}: the {one} becomes {moving}, and so does every {one} that it drives, directly or through \
others.
- {hold}: if a {moving} {one} drives it, nothing happens. Otherwise it becomes {still}, and so \
does every {one} that was {moving} only because of it.

A {one} may also be {moving} without being driven by any other. To {move} what is {moving} \
already, or to {hold} what is {still}, changes nothing. A {one} that \
you acted on is afterwards like any other: if it is driven, it becomes {still} when what drives it \
does.
You may act at most {limit} times."""

LISTED = "The {many} are: {names}."
OBSERVED = "You see: {states}."
THROUGH_OTHERS = "Through others counts too."
CASE = (
    f"Question: {{question}} {THROUGH_OTHERS} "
    "(Supposed cause: {cause}; supposed effect: {effect}.)"
)

GRAPH = (
    f"Question: which {{one}} drives which? {THROUGH_OTHERS} When you answer, you report on every "
    'ordered pair of {many}: list it under "drives" if the first drives the second, and under '
    '"open" if what you have seen does not settle that. Of a pair that you do not list, you say '
    "that the first does not drive the second."
)
"""The question where all pairs are asked."""

STYLES = {
    "direct": "",
    "fewest-steps": "Act as few times as you can, and no more than is needed to be sure.",
    "cot": (
        "Think step by step before each reply: what have you seen so far, what does it rule out, "
        "what would settle the question? Write your thoughts first, then the reply."
    ),
    "recipe": (
        "Proceed like this. First make the supposed cause and the supposed effect {still}: "
        "{hold} them, and where that does nothing, {hold} the others that are {moving}, one by "
        "one. When both are {still}, {move} the supposed cause. The answer is yes if the supposed "
        "effect becomes {moving} then, and no if it stays {still}."
    ),
}
"""What a style adds to the opening."""

ACT = '{{"entity": "NAME", "action": "{move}|{hold}"}}'
NEXT = '{"next": "continue|answer"}'
ANSWER = '{"answer": "yes|no"}'
REPORT = '{"drives": ["NAME > NAME", ...], "open": ["NAME > NAME", ...]}'

INTERFACES = {
    "text": (
        "Reply with one JSON object; whatever else you write goes before it. Now choose what to "
        f'do: {ACT}. Or, if what you see settles the question already, {{{{"next": "answer"}}}}.'
    ),
    "tools": (
        "Call the tool move to {move} a {one}, and the tool hold to {hold} one. When what you have "
        "seen settles the question, call the tool answer."
    ),
}
"""How the opening asks for a reply."""

ENOUGH = "That is enough to settle the question, whichever {one} drives which."
"""What is said where there is no action to spare."""

COUNTS = (
    "Your answer counts only if what you have seen by then settles the question; a guess does not, "
    "even if it is right."
)

PAIRS_COUNT = (
    "A pair counts only if what you have seen by then settles it and you report it so; a guess "
    "does not, even if it is right."
)

ACTIONS_LEFT = "Actions left: {left}."


def render_rules(item: InterveneItem) -> str:
    """Return the rules of an item's world."""
    rules = f"{RULES} {ENOUGH}" if item.worlds in {"limited", "graph"} else RULES
    return f"{rules} {PAIRS_COUNT if item.asks_graph else COUNTS}".format(**_fields(item))


def render_style(item: InterveneItem) -> str:
    """Return what an item's style adds to the opening."""
    return STYLES[item.style].format(**_fields(item))


def _fields(item: InterveneItem) -> dict[str, str | int]:
    """Return what fills the fields of the templates."""
    words = ("one", "many", "move", "hold", "moving", "still")
    return {"limit": item.limit, **{name: getattr(item.theme, name) for name in words}}


def render_prompt(item: InterveneItem) -> str:
    """Return the first message of an episode: rules, observation, question, form of the reply."""
    theme = item.theme
    phrases = state_phrases(item.names, theme.states)
    paragraphs = (
        f"{theme.setting} {render_rules(item)}",
        LISTED.format(many=theme.many, names=", ".join(item.names)),
        render_observation(phrases, state_to_bits(item.initial)),
        _render_question(item),
        render_style(item),
        INTERFACES[item.interface].format(**_fields(item)),
    )
    return "\n\n".join(filter(None, paragraphs))


def _render_question(item: InterveneItem) -> str:
    if item.asks_graph:
        return GRAPH.format(**_fields(item))
    cause, effect = (item.names[v] for v in item.pair)
    return CASE.format(question=item.theme.ask(cause, effect), cause=cause, effect=effect)


def state_phrases(names: Sequence[str], states: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Return how each entity is shown when it is still, and when it moves."""
    go, rest = states
    return tuple((f"{name}: {rest}", f"{name}: {go}") for name in names)


def render_observation(phrases: Sequence[tuple[str, str]], moving: int) -> str:
    """Return what is seen: each entity with its state, moving ones being bits that are set."""
    return f"{_BEFORE}{list_states(phrases, moving)}{_BEHIND}"


def list_states(phrases: Sequence[tuple[str, str]], moving: int) -> str:
    """Return each entity with its state, moving ones being bits that are set."""
    return "; ".join(both[moving >> entity & 1] for entity, both in enumerate(phrases))


_BEFORE, _BEHIND = OBSERVED.split("{states}")
