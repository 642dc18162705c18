"""Questions to words, and words to questions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from whybench.suites.trace.world import STATES, TraceQuestion

if TYPE_CHECKING:
    from whybench.suites.depths import Naming

LAST = STATES - 1

OPENING = (
    "A control panel has {size} dials. Each dial shows a whole number from 0 to {last}. Counting "
    "goes around in a circle: after {last} comes 0, so {last} plus 3 is 2. Each dial has a switch, "
    "which is up or down. Its rule and its switch determine the number on a dial."
)
RULE = "- {dial}: if its switch is up, {up}; if it is down, {down}."
SOURCE = "the number on {dial} plus {shift}"
UP, DOWN = "Switches that are up: ", "Switches that are down: "
ASKED = {
    "do": "Question: Suppose that a technician overrides the rule of {cause} and sets {cause} to "
    "{number}. All switches stay as they are, and all other dials follow their rules. Which number "
    "does {effect} show then?",
    "observe": "Question: {cause} shows {number}. All switches are as stated, and all dials follow "
    "their rules. Which number does {effect} show?",
}
FORMS = {
    "cot": "Reason step by step. Then end your reply with a line such as “Answer: 3”.",
    "direct": "Reply with one number and nothing else.",
}


def render_prompt(question: TraceQuestion, naming: Naming, style: str) -> str:
    """Return the prompt of a question."""
    names, order = naming
    structure = question.structure

    def sort(up: bool) -> str:
        chosen = [names[dial] for dial in order if structure.switches[dial] == up]
        return ", ".join(chosen) or "none"

    rules = "\n".join(_render_rule(question, names, dial) for dial in order)
    asked = ASKED[question.query].format(
        cause=names[question.cause], effect=names[question.effect], number=question.number
    )
    return (
        f"{OPENING.format(size=structure.size, last=LAST)}\n\nRules:\n{rules}\n\n"
        f"{UP}{sort(True)}.\n{DOWN}{sort(False)}.\n\n{asked}\n\n{FORMS[style]}"
    )


def _render_rule(question: TraceQuestion, names: tuple[str, ...], dial: int) -> str:
    source = question.structure.sources[dial]
    up, down = (
        str(shift) if source is None else SOURCE.format(dial=names[source], shift=shift)
        for shift in question.shifts[dial]
    )
    return RULE.format(dial=names[dial], up=up, down=down)


_RULE = re.compile(r"^- (\w\d): if its switch is up, (.+); if it is down, (.+)\.$", re.MULTILINE)
_SOURCE = re.compile(r"(?:the number on (\w\d) plus )?(\d)")


class StatedTrace(NamedTuple):
    """A question in the names of its prompt.

    Attributes:
        rules: For each dial the dial to follow and the number to add if its switch is up, and if
            it is down.
        switches: Whether the switch of each dial is up.
        query: `do` or `observe`.
        cause: The dial that is set or observed.
        number: The number to which it is set, or that it shows.
        effect: The dial that is asked for.
    """

    rules: dict[str, tuple[tuple[str, int], ...]]
    switches: dict[str, bool]
    query: str
    cause: str
    number: int
    effect: str


def state_question(question: TraceQuestion, naming: Naming) -> StatedTrace:
    """Return the content of the prompt of a question."""
    names = naming.names
    structure = question.structure
    followed = ["" if source is None else names[source] for source in structure.sources]
    rules = {
        dial: tuple((source, shift) for shift in shifts)
        for dial, source, shifts in zip(names, followed, question.shifts, strict=True)
    }
    switches = dict(zip(names, structure.switches, strict=True))
    cause, effect = names[question.cause], names[question.effect]
    return StatedTrace(rules, switches, question.query, cause, question.number, effect)


def parse_prompt(prompt: str) -> StatedTrace:
    """Return the question of a prompt.

    Raises:
        ValueError: The prompt is not in the suite's own words.
    """
    rules = {found[1]: tuple(map(_read, found.group(2, 3))) for found in _RULE.finditer(prompt)}
    switches: dict[str, bool] = {}
    for start, up in ((UP, True), (DOWN, False)):
        line = next((line for line in prompt.splitlines() if line.startswith(start)), "")
        switches |= dict.fromkeys(re.findall(r"\b[A-Z]\d\b", line), up)
    for query, words in ASKED.items():
        pattern = re.escape(words).replace(r"\{cause\}", r"(?P<cause>\w\d)", 1)
        pattern = pattern.replace(r"\{cause\}", r"(?P=cause)")
        pattern = pattern.replace(r"\{number\}", r"(?P<number>\d)")
        found = re.search(pattern.replace(r"\{effect\}", r"(?P<effect>\w\d)"), prompt)
        if found and rules and rules.keys() == switches.keys():
            number = int(found["number"])
            return StatedTrace(rules, switches, query, found["cause"], number, found["effect"])
    raise ValueError("a prompt must state rules, switches and a question")


def _read(half: str) -> tuple[str, int]:
    found = _SOURCE.fullmatch(half)
    if found is None:
        raise ValueError(f"a rule must add a number to that of a dial, got {half!r}")
    return found[1] or "", int(found[2])


def render_answer(number: int, style: str) -> str:
    """Return an answer in the words of an agent that follows the form of the reply."""
    return str(number) if style == "direct" else f"Answer: {number}"
