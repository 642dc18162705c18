"""intervene at the terminal: what a person sees and types, and what their answer was verdict.

A person sees the same world under the same rules, without JSON: they type `hold circle`, or the
beginnings of these words, and `yes` or `no` when they are ready.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from whybench.suites.contract import Play, UserError
from whybench.suites.intervene.experimenters import Inquiry, expected_steps_at_first
from whybench.suites.intervene.posets import MAX_ENUMERATED
from whybench.suites.intervene.prompts import INDIRECT, render_rules
from whybench.suites.intervene.steps import trace_entailment
from whybench.suites.intervene.verdicts import ANSWERS, decide_verdict
from whybench.suites.intervene.world import bits_to_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whybench.suites.intervene.case import InterveneCase
    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.episode import InterveneEpisode
    from whybench.suites.intervene.items import InterveneItem

VERDICT_TEXTS = {
    "justified": "Right, and your observations prove it: your answer is justified.",
    "lucky": "Right, but your observations did not settle it: your answer was lucky.",
    "premature": "Wrong. Your observations did not settle it: your answer was premature.",
    "contradicts": "Wrong, and your observations prove the opposite.",
    "no_answer": "There is no answer: {end}.",
}

PATTERN_TEXTS = {
    "correlation": "Two things can share a state or change together although neither is a cause.",
    "reverse_collider": "An effect can have several causes: finding one does not rule out others.",
    "illusive_confounder": "No common cause explains what you saw: the cause itself was at work.",
    "root_cause": "Stopping one thing stopped everything, but those in between can be causes too.",
}


def show(item: InterveneItem, episode: InterveneEpisode) -> Iterator[str]:
    """Yield what a person sees before their turn: the story at first, then what happened."""
    case = episode.case
    if not episode.path:
        yield item.theme.setting
        yield ""
        yield from _render_states(case, case.initial, case.initial)
        yield ""
        yield _render_question(item)
    else:
        before = episode.path[-2][2] if len(episode.path) > 1 else case.initial
        yield from _render_states(case, before, episode.state)
        if before == episode.state:
            yield "  Nothing changed."
        yield ""
        yield _render_question(item)
    yield ""
    yield _render_choices(case, episode.left)


def _render_question(item: InterveneItem) -> str:
    x, y = item.pair
    return f"{item.theme.ask(item.names[x], item.names[y])} {INDIRECT}"


def _render_states(case: InterveneCase, before: int, now: int) -> Iterator[str]:
    width = max(map(len, case.names))
    for number, name in enumerate(case.names):
        moves = now >> number & 1
        mark, state = ("●", case.words[2]) if moves else ("○", case.words[3])
        news = "  <- changed" if (before ^ now) >> number & 1 else ""
        yield f"  {mark} {name:{width}}  {state}{news}"


def _render_choices(case: InterveneCase, left: int) -> str:
    move, hold = case.words[:2]
    if not left:
        return "No actions are left. Type yes or no."
    actions = "1 action" if left == 1 else f"{left} actions"
    return f"Type `{move} NAME` or `{hold} NAME` ({actions} left), `yes`, `no`, or `help`."


def explain(item: InterveneItem) -> Iterator[str]:
    """Yield the rules."""
    yield from render_rules(item).splitlines()
    yield ""
    yield "You can shorten a word to its first letters if only one word begins with them."


def parse_line(episode: InterveneEpisode, line: str) -> str:
    """Return the reply that a person means."""
    case = episode.case
    first, _, rest = line.strip().lower().partition(" ")
    verbs = tuple(verb.lower() for verb in case.words[:2])
    word = _complete(first, (*ANSWERS, *verbs)) if first else None
    if word is None or (word in ANSWERS and rest):
        unclear = f"{line.strip()!r} is not clear. " if first else ""
        raise UserError(unclear + _render_choices(case, episode.left))
    if word in ANSWERS:
        return json.dumps({"answer": word})
    if not episode.left:
        raise UserError(_render_choices(case, 0))
    name = _complete(rest.strip().removeprefix("the "), [name.lower() for name in case.names])
    if name is None:
        raise UserError(f"{word.capitalize()} which one? There are {', '.join(case.names)}.")
    return json.dumps({"entity": name, "action": word})


def _complete(typed: str, words: Sequence[str]) -> str | None:
    """Return the word that was typed, or the only one that begins so."""
    if typed in words or not typed:
        return typed or None
    beginning = [word for word in words if word.startswith(typed)]
    return beginning[0] if len(beginning) == 1 else None


def debrief(episode: InterveneEpisode) -> Iterator[str]:
    """Yield what was true, what the answer was verdict, and what the best experimenter needs."""
    case, answer = episode.case, episode.answer
    cause, effect = case.names[case.x], case.names[case.y]
    verdict = decide_verdict(episode.yes_or_no, case.truth, episode.evidence)
    yield VERDICT_TEXTS[verdict].format(end=episode.end.replace("_", " "))
    if mistake := PATTERN_TEXTS.get(str(answer.parts["pattern"])):
        yield mistake
    yield ""
    yield f"{cause} {'causes' if case.truth else 'does not cause'} {effect}. The hidden world:"
    for entity, children in enumerate(case.world.children):
        for child in children:
            yield f"  {case.names[entity]} -> {case.names[child]}"
    if not case.world.edges:
        yield "  none drives another"
    yield ""
    yield from _render_course(episode)
    yield ""
    yield from _render_optimum(episode)


def _render_course(episode: InterveneEpisode) -> Iterator[str]:
    """Yield each step with what was settled after it."""
    case = episode.case
    yield "What your observations settled:"
    marks = {"yes": "settled: yes", "no": "settled: no", "open": "open"}
    did = ["at first", *(_render_step(case, action, entity) for action, entity, _ in episode.path)]
    width = max(map(len, did))
    for what, settled in zip(did, trace_entailment(episode.inquiry), strict=True):
        yield f"  {what:{width}}  {marks[settled]}"


def _render_step(case: InterveneCase, action: str, entity: int) -> str:
    return f"{case.words[0] if action == 'move' else case.words[1]} {case.names[entity]}"


def _render_optimum(episode: InterveneEpisode) -> Iterator[str]:
    case = episode.case
    if case.world.n > MAX_ENUMERATED:
        return
    start = Inquiry(case.world.n, case.x, case.y, bits_to_state(case.initial))
    best = expected_steps_at_first(start)
    yield f"You acted {len(episode.path)} times; the best experimenter expects to need {best:.1f}."


def refuse(design: InterveneDesign) -> str:
    """Return why people cannot play a design; nothing if they can."""
    if design.worlds in {"graph", "links"}:
        return f"people are asked about one pair, got {design.name}, which asks about several"
    if design.wording != ("plain",):
        return f"people play in plain wording, got {', '.join(design.wording)}"
    return ""


PLAY = Play(show=show, read=parse_line, help=explain, debrief=debrief, refuse=refuse)
