"""The attacks on calculate: agents that don't reason causally.

Reference agents answer constants, copy numbers, or condition instead of intervening. Others read
one or two rules, as if every further variable were a fair coin (`truncate`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from whybench.scm import ImpossibleEvidence, elimination
from whybench.suites.attacks import SILENT, Attack, of_agents
from whybench.suites.calculate.agents import AGENTS
from whybench.suites.calculate.prompt_parser import parse_stated_prompt
from whybench.suites.calculate.prompts import render_answer
from whybench.suites.calculate.quantities import (
    FIRST,
    NOT_COMPUTABLE,
    POINTWISE,
    SECOND,
    complete_values,
)
from whybench.suites.calculate.world import StatedRule, fill_in
from whybench.suites.learners import learners

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.attacks import Seen
    from whybench.suites.calculate.prompts import StatedQuestion
    from whybench.suites.calculate.quantities import Quantity
    from whybench.suites.calculate.world import StatedWorld

STYLE = "cot"
"""The style of replies, which is read in every style of prompt."""

UNKNOWN = 50
"""The percentage for a number that isn't stated, and for a variable whose rule isn't read."""


def truncate(world: StatedWorld, asked: Quantity, rules: int) -> StatedWorld:
    """Return the world of a reader of few rules, to whom all other variables are fair coins.

    Args:
        world: The world.
        asked: The quantity asked for.
        rules: How many rules are read: that of the effect, then those of observed variables, then
            those of its direct causes, first of such that the cause affects directly, then others.
    """
    effect, rule = asked.effect, world.rule
    between = sorted(rule[effect].causes, key=lambda name: asked.cause not in rule[name].causes)
    seen = (asked.cause,) * (asked.query == "observe")
    given = (*seen, *(name for name, _ in asked.given))
    read = list(dict.fromkeys((effect, *given, *between, *rule)))
    if asked.query != "observe":
        read.remove(asked.cause)  # It is set, and so its own rule comes last.
        read.append(asked.cause)
    coin = StatedRule("table", (), (UNKNOWN,))
    kept = read[:rules]
    return replace(
        world, rules=tuple((name, own if name in kept else coin) for name, own in world.rules)
    )


def estimate(world: StatedWorld, asked: Quantity, rules: int) -> float:
    """Return a quantity of the truncated world in percent."""
    few = truncate(world, asked, rules)
    try:
        found: float = complete_values(elimination.probability, few, (asked,), float)[0][0]
    except ImpossibleEvidence:
        return float(UNKNOWN)
    return found


def _is_open(question: StatedQuestion) -> bool:
    """Return whether a rule of a named variable or of an ancestor has an unknown number."""
    world, pointwise = question.world, {one.query for one in question.asked} & POINTWISE
    if pointwise and not world.states_noise:
        return True
    named = {name for one in question.asked for name in (one.cause, one.effect)}
    above = {name for one in named for name in (one, *world.graph.ancestors(one))}
    return world.unstated is not None and world.unstated[0] in above


def _reply(seen: Seen, _: np.random.Generator, rules: int, *, doubts: bool = False) -> str:
    question = parse_stated_prompt(seen.prompt)
    if doubts and _is_open(question):
        return render_answer(NOT_COMPUTABLE, question, STYLE)
    (world,) = fill_in(question.world, UNKNOWN)
    values = [estimate(world, one, rules) for one in question.asked]
    if len(values) == 1:
        return render_answer(values[0], question, STYLE)
    return render_answer(FIRST if values[0] > values[1] else SECOND, question, STYLE)


def _say(value: float, seen: Seen) -> str:
    return render_answer(value, parse_stated_prompt(seen.prompt), STYLE)


ATTACKS = (
    SILENT,
    *of_agents(AGENTS, "constant", "uniform", "echo", "copies", "says-cannot", "doubts"),
    *of_agents(AGENTS, "sees-only"),
    Attack(
        "own-rule",
        "reads the rule of the effect; every other variable is a fair coin",
        partial(_reply, rules=1),
    ),
    Attack(
        "two-rules",
        "the same with the rule of one more variable",
        partial(_reply, rules=2),
    ),
    Attack(
        "own-rule-doubts",
        "own-rule; cannot be determined if an ancestor's rule has an unknown",
        partial(_reply, rules=1, doubts=True),
    ),
    *learners(_say, exceptions=(NOT_COMPUTABLE,)),
)
"""The attacks on calculate."""
