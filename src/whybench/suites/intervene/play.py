"""intervene at the terminal: what a person sees and types, and what their answer was worth.

A person sees the same world under the same rules, without JSON: they type `hold circle`, or the
beginnings of these words, and `yes` or `no` when they are ready.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from whybench.suites.contract import Play, UserError
from whybench.suites.intervene.episode import entities
from whybench.suites.intervene.experimenters import Inquiry, expected_steps
from whybench.suites.intervene.posets import MAX_ENUMERATED
from whybench.suites.intervene.steps import settled_after
from whybench.suites.intervene.verdicts import ANSWERS, verdict
from whybench.suites.intervene.wording import rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whybench.suites.intervene.episode import Case, Episode
    from whybench.suites.intervene.items import InterveneItem

__all__ = ["PLAY"]

WORTH = {
    "justified": "Right, and you had seen enough to know: your answer is justified.",
    "lucky": "Right, but what you had seen left it open: your answer was lucky.",
    "premature": "Wrong. What you had seen left it open: your answer was premature.",
    "contradicts": "Wrong, and what you had seen already proves the opposite.",
    "no_answer": "There is no answer: {end}.",
}

MISTAKES = {
    "correlation": "Being in the same state, or changing together, does not make one the cause.",
    "reverse_collider": "That something else moves the effect does not clear the supposed cause.",
    "illusive_confounder": "Nothing else could explain it: what you saw was the cause at work.",
    "root_cause": "That one thing stops everything does not clear those in between.",
}


def show(item: InterveneItem, episode: Episode) -> Iterator[str]:
    """Yield what a person sees before their turn: the story at first, then what happened."""
    case = episode.case
    if not episode.path:
        yield item.theme.setting
        yield ""
        yield from _states(case, case.initial, case.initial)
        yield ""
        yield _question(item)
    else:
        before = episode.path[-2][2] if len(episode.path) > 1 else case.initial
        yield from _states(case, before, episode.state)
        if before == episode.state:
            yield "  Nothing changed."
        yield ""
        yield _question(item)
    yield ""
    yield _choices(case, episode.left)


def _question(item: InterveneItem) -> str:
    x, y = item.asked
    return f"{item.theme.ask(item.names[x], item.names[y])} (Through others counts.)"


def _states(case: Case, before: int, now: int) -> Iterator[str]:
    width = max(map(len, case.names))
    for place, name in enumerate(case.names):
        moves = now >> place & 1
        mark, state = ("●", case.words[2]) if moves else ("○", case.words[3])
        news = "  <- changed" if (before ^ now) >> place & 1 else ""
        yield f"  {mark} {name:{width}}  {state}{news}"


def _choices(case: Case, left: int) -> str:
    move, hold = case.words[:2]
    if not left:
        return "No actions are left. Type yes or no."
    actions = "1 action" if left == 1 else f"{left} actions"
    return f"Type `{move} NAME` or `{hold} NAME` ({actions} left), `yes`, `no`, or `help`."


def explain(item: InterveneItem) -> Iterator[str]:
    """Yield the rules."""
    yield from rules(item).splitlines()
    yield ""
    yield "Words may be shortened as long as they stay clear: the first letters suffice."


def read(episode: Episode, line: str) -> str:
    """Return the reply that a person means."""
    case = episode.case
    first, _, rest = line.strip().lower().partition(" ")
    verbs = tuple(verb.lower() for verb in case.words[:2])
    chosen = _meant(first, (*ANSWERS, *verbs)) if first else None
    if chosen is None or (chosen in ANSWERS and rest):
        unclear = f"{line.strip()!r} is not clear. " if first else ""
        raise UserError(unclear + _choices(case, episode.left))
    if chosen in ANSWERS:
        return json.dumps({"answer": chosen})
    if not episode.left:
        raise UserError(_choices(case, 0))
    name = _meant(rest.strip().removeprefix("the "), [name.lower() for name in case.names])
    if name is None:
        raise UserError(f"{chosen.capitalize()} which one? There are {', '.join(case.names)}.")
    return json.dumps({"entity": name, "action": chosen})


def _meant(typed: str, words: Sequence[str]) -> str | None:
    """Return the word that was typed, or the only one that begins so."""
    if typed in words or not typed:
        return typed or None
    beginning = [word for word in words if word.startswith(typed)]
    return beginning[0] if len(beginning) == 1 else None


def debrief(episode: Episode) -> Iterator[str]:
    """Yield what was true, what the answer was worth, and what the best experimenter needs."""
    case, answer = episode.case, episode.answer
    cause, effect = case.names[case.x], case.names[case.y]
    worth = verdict(episode.said, case.truth, episode.evidence)
    yield WORTH[worth].format(end=episode.end.replace("_", " "))
    if mistake := MISTAKES.get(str(answer.parts["pattern"])):
        yield mistake
    yield ""
    yield f"{cause} {'causes' if case.truth else 'does not cause'} {effect}. The hidden world:"
    for entity, children in enumerate(case.world.children):
        for child in children:
            yield f"  {case.names[entity]} -> {case.names[child]}"
    if not case.world.edges:
        yield "  nothing drives anything"
    yield ""
    yield from _course(episode)
    yield ""
    yield from _yardstick(episode)


def _course(episode: Episode) -> Iterator[str]:
    """Yield each step with what was settled after it."""
    case = episode.case
    yield "What you could know:"
    marks = {"yes": "settled: yes", "no": "settled: no", "open": "open"}
    did = ["at first", *(_did(case, action, entity) for action, entity, _ in episode.path)]
    width = max(map(len, did))
    for what, settled in zip(did, settled_after(episode.inquiry), strict=True):
        yield f"  {what:{width}}  {marks[settled]}"


def _did(case: Case, action: str, entity: int) -> str:
    return f"{case.words[0] if action == 'move' else case.words[1]} {case.names[entity]}"


def _yardstick(episode: Episode) -> Iterator[str]:
    case = episode.case
    if case.world.n > MAX_ENUMERATED:
        return
    best = expected_steps(Inquiry(case.world.n, case.x, case.y, entities(case.initial)))
    yield f"You acted {len(episode.path)} times; the best experimenter expects to need {best:.1f}."


PLAY = Play(show=show, read=read, help=explain, debrief=debrief)
