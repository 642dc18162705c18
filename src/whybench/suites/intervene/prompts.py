"""The texts of an opening: the rules, what the agent observes, and the question.

Each sentence is a template with named places, and is written once: `prompt_parser` turns the same
templates into patterns to read a prompt. The words of the theme fill the places. In formal wording
entities are variables with the values 1 and 0; names and verbs are those of the theme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.intervene.items import EXACT_BUDGETS
from whybench.suites.intervene.world import state_to_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.suites.intervene.items import InterveneItem

RULES = {
    "plain": """\
We say that {one} A drives {one} B if a {moving} A causes B to be {moving}, directly or through \
other {many}. These relations never change, and no {one} drives itself. A {one} can also be \
{moving} even if no {moving} {one} drives it. You can act on one {one} at a time:

- {move}: If the {one} is already {moving}, nothing changes. Otherwise it becomes {moving}, and so \
does every {one} that it drives.
- {hold}: If the {one} is {still}, or if a {moving} {one} drives it, nothing changes. Otherwise it \
becomes {still}, and so does every {one} that it drives, unless another {one} that stays {moving} \
drives that {one} too.

Earlier actions leave no trace apart from the present states. So if you {move} a {one} and then \
{move} another that drives it, the first becomes {still} again as soon as no {moving} {one} drives \
it any longer. You may act at most {limit} times.""",
    "formal": """\
A deterministic system has binary variables (0 or 1). G is a fixed, unknown directed acyclic graph \
on them. Each variable V has an unobserved binary input U_V and the structural equation

V := the maximum of U_V and the values of all parents of V in G.

Every state that you see is a solution of these equations. You can act on one variable X at a \
time. At each action, all inputs are first reset from the current state, so that earlier actions \
do not persist: for every variable V, U_V := 1 if V = 1 and all parents of V are 0, and U_V := 0 \
otherwise. The action then intervenes on the input of X, and all equations are solved again:

- {move}: do(U_X = 1)
- {hold}: do(U_X = 0)

You may act at most {limit} times.""",
}
"""The rules of a world by wording."""

FORMAL_WORDS = {"one": "variable", "many": "variables", "moving": "1", "still": "0"}
"""The words of the formal wording in place of those of a theme."""

LISTED = "The {many} are: {names}."
OBSERVED = "You see: {states}."
INDIRECT = "Indirect effects count."
_SUPPOSED = "(Supposed cause: {cause}; supposed effect: {effect}.)"
CASE = {
    "plain": f"Question: {{question}} {INDIRECT} {_SUPPOSED}",
    "formal": f"Question: Is there a directed path from {{cause}} to {{effect}} in G? {_SUPPOSED}",
}
"""The question where one pair is asked, by wording."""

GRAPH = {
    "plain": (
        f"Question: Which {{one}} drives which? {INDIRECT} In your answer, report on every ordered "
        'pair of {many}: list it under "drives" if the first drives the second, and under "open" '
        "if your observations do not settle it. Leaving a pair out means you claim the first does "
        "not drive the second."
    ),
    "formal": (
        "Question: For which ordered pairs (A, B) of variables does G have a directed path from A "
        'to B? In your answer, report on every ordered pair: list it under "drives" if there is '
        'such a path, and under "open" if your observations do not settle it. Leaving a pair out '
        "means you claim there is no such path."
    ),
}
"""The question where all pairs are asked, by wording."""

LINKS = {
    "plain": """\
A diagram shows links between {many}. These links are real: {solid}. Exactly one of these dotted \
links is real: {dotted}. There are no other links. A {one} A drives a {one} B exactly if a path of \
real links leads from A to B.

Question: Which dotted link is real? Answer with one dotted link, written as in the list.""",
    "formal": """\
These edges are in G: {solid}. Exactly one of these dotted edges is in G: {dotted}. G has no other \
edges.

Question: Which dotted edge is in G? Answer with one dotted edge, written as in the list.""",
}
"""The diagram, and the question where it is asked which dotted link is real, by wording."""

NO_LINK = "none"
"""Shown in place of solid links where there are none."""

STYLES = {
    "direct": "",
    "fewest-steps": "Use as few actions as possible, and answer as soon as you are certain.",
    "cot": (
        "Think step by step before each reply: What have you observed so far? What does it rule "
        "out? What would settle the question? Write your reasoning first, then the reply."
    ),
    "recipe": (
        "Follow this procedure. First make sure that the supposed cause and the supposed effect "
        "are {still}: {hold} them, and if that has no effect, {hold} the other {many} that are "
        "{moving}, one by one. When both are {still}, {move} the supposed cause. The answer is yes "
        "if the supposed effect then becomes {moving}, and no if it stays {still}."
    ),
}
"""What a style adds to the opening."""

ACT = '{{"entity": "NAME", "action": "{move}|{hold}"}}'
NEXT = '{"next": "continue|answer"}'
ANSWER = '{"answer": "yes|no"}'
ANSWER_LINK = '{"answer": "NAME -> NAME"}'
REPORT = '{"drives": ["NAME > NAME", ...], "open": ["NAME > NAME", ...]}'

REQUESTS = {"pair": ANSWER, "graph": REPORT, "links": ANSWER_LINK}
"""The form of the answer to each kind of question."""

INTERFACES = {
    "text": (
        "Reply with one JSON object. Any other text must come before it. Choose an action now: "
        f'{ACT}. If your observations already settle the question, reply {{{{"next": "answer"}}}} '
        "instead."
    ),
    "tools": (
        "To {move} a {one}, call the tool move. To {hold} a {one}, call the tool hold. When your "
        "observations settle the question, call the tool answer."
    ),
}
"""How the opening asks for a reply."""

ENOUGH = "If you choose well, that is always enough to settle the question."
"""The sentence where no action is to spare."""

COUNTS = (
    "Your answer is scored as correct only if the rules and your observations prove it. A correct "
    "guess does not count."
)

PAIRS_COUNT = (
    "A claim about a pair is scored as correct only if the rules and your observations prove it. A "
    "correct guess does not count."
)

ACTIONS_LEFT = "Actions left: {left}."


def render_rules(item: InterveneItem) -> str:
    """Return the rules of an item's world."""
    rules = RULES[item.wording]
    if item.worlds in EXACT_BUDGETS:
        rules = f"{rules} {ENOUGH}"
    counts = PAIRS_COUNT if item.asks == "graph" else COUNTS
    return f"{rules} {counts}".format(**_fields(item))


def render_style(item: InterveneItem) -> str:
    """Return what an item's style adds to the opening."""
    return STYLES[item.style].format(**_fields(item))


def _fields(item: InterveneItem) -> dict[str, str | int]:
    """Return what fills the fields of the templates."""
    words = ("one", "many", "move", "hold", "moving", "still")
    formal = FORMAL_WORDS if item.wording == "formal" else {}
    return {"limit": item.limit, **{name: getattr(item.theme, name) for name in words}, **formal}


def render_prompt(item: InterveneItem) -> str:
    """Return the first message of an episode: rules, observation, question, form of the reply."""
    fields = _fields(item)
    rules = render_rules(item)
    phrases = state_phrases(item.names, item.words[2:])
    paragraphs = (
        rules if item.wording == "formal" else f"{item.theme.setting} {rules}",
        LISTED.format(many=fields["many"], names=", ".join(item.names)),
        render_observation(phrases, state_to_bits(item.initial)),
        _render_question(item),
        render_style(item),
        INTERFACES[item.interface].format(**fields),
    )
    return "\n\n".join(filter(None, paragraphs))


def _render_question(item: InterveneItem) -> str:
    if item.asks == "graph":
        return GRAPH[item.wording].format(**_fields(item))
    if item.asks == "links":
        links = {"solid": item.solid, "dotted": item.dotted}
        shown = {name: list_links(pairs, item.names) for name, pairs in links.items()}
        return LINKS[item.wording].format(**_fields(item), **shown)
    cause, effect = (item.names[v] for v in item.pair)
    asked = item.theme.ask(cause, effect)
    return CASE[item.wording].format(question=asked, cause=cause, effect=effect)


def render_link(pair: tuple[int, int], names: Sequence[str]) -> str:
    """Return a link as it is written in prompts and replies."""
    cause, effect = pair
    return f"{names[cause]} -> {names[effect]}"


def list_links(pairs: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """Return links in one line."""
    return "; ".join(render_link(pair, names) for pair in pairs) or NO_LINK


def state_phrases(names: Sequence[str], states: Sequence[str]) -> tuple[tuple[str, str], ...]:
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
