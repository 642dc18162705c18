"""Attacks on trace: agents that miss rules between cause and effect, or all switches.

By the argument of `world` none that misses a rule is right more often than by chance.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from whybench.suites.attacks import SILENT, Attack, of_agents
from whybench.suites.learners import learners
from whybench.suites.trace.agents import AGENTS
from whybench.suites.trace.prompts import parse_prompt, render_answer
from whybench.suites.trace.world import STATES

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from whybench.suites.attacks import Seen
    from whybench.suites.trace.prompts import StatedTrace

    Answerer = Callable[[StatedTrace], int]

STYLE = "cot"


def read_shifts(told: StatedTrace) -> list[int]:
    """Return what the rules between effect and cause add, from the effect on."""
    dial, shifts = told.effect, []
    while dial != told.cause:
        dial, shift = told.rules[dial][0 if told.switches[dial] else 1]
        shifts.append(shift)
    return shifts


def _from_effect(told: StatedTrace, rules: int) -> int:
    return told.number + sum(read_shifts(told)[:rules])


def _from_cause(told: StatedTrace, rules: int) -> int:
    return told.number + sum(read_shifts(told)[-rules:])


def _without(told: StatedTrace, place: float) -> int:
    """Leave out the rule at this share of the way from the effect to the cause."""
    shifts = read_shifts(told)
    del shifts[int(place * (len(shifts) - 1))]
    return told.number + sum(shifts)


def _repeat_first(told: StatedTrace) -> int:
    shifts = read_shifts(told)
    return told.number + len(shifts) * shifts[0]


def _ignore_switches(told: StatedTrace) -> int:
    """Return the number that most positions of the switches lead to."""
    counts = {0: 1}
    dial = told.effect
    while dial != told.cause:
        grown: dict[int, int] = {}
        for total, count in counts.items():
            for _, shift in told.rules[dial]:
                place = (total + shift) % STATES
                grown[place] = grown.get(place, 0) + count
        counts, dial = grown, told.rules[dial][0][0]
    return told.number + max(counts, key=lambda total: counts[total])


def _reply(seen: Seen, _: np.random.Generator, answer: Answerer) -> str:
    return render_answer(answer(parse_prompt(seen.prompt)) % STATES, STYLE)


def _attack(name: str, summary: str, answer: Answerer) -> Attack:
    return Attack(name, summary, partial(_reply, answer=answer))


def _say(value: float, _: Seen) -> str:
    return render_answer(round(value) % STATES, STYLE)


ATTACKS = (
    SILENT,
    *of_agents(AGENTS, "constant", "guesser", "sees-only"),
    _attack("copy", "answers the number of the cause", lambda told: told.number),
    *(
        _attack(
            f"{name}-from-{end}", f"reads {told} next to the {end} only", partial(read, rules=n)
        )
        for end, read in (("effect", _from_effect), ("cause", _from_cause))
        for n, name, told in ((1, "one", "one rule"), (3, "three", "three rules"))
    ),
    *(
        _attack(f"misses-{name}", f"reads all rules but the {name}", partial(_without, place=place))
        for name, place in (("first", 0.0), ("middle", 0.5), ("last", 1.0))
    ),
    _attack("repeats", "applies the rule of the effect as often as there are rules", _repeat_first),
    _attack("no-switches", "reads all rules and ignores the switches", _ignore_switches),
    *learners(_say),
)
"""The attacks on trace."""
