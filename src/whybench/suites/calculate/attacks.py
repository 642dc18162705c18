"""The attacks on calculate: agents that don't reason causally.

Reference agents answer constants, copy numbers, or condition instead of intervening. `read-rules`
reads the rules of the effect and of a few of its ancestors, and takes the direct causes of a
variable to be independent. It sets the cause and ignores all evidence.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from whybench.suites.attacks import SILENT, Attack, of_agents
from whybench.suites.calculate.agents import AGENTS
from whybench.suites.calculate.prompt_parser import parse_stated_prompt
from whybench.suites.calculate.prompts import render_answer
from whybench.suites.calculate.quantities import (
    EFFECTS,
    FIRST,
    NOT_COMPUTABLE,
    PERCENT,
    POINTWISE,
    SECOND,
)
from whybench.suites.calculate.world import fill_in
from whybench.suites.learners import learners

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.attacks import Seen
    from whybench.suites.calculate.prompts import StatedQuestion
    from whybench.suites.calculate.quantities import Quantity
    from whybench.suites.calculate.world import StatedWorld

STYLE = "cot"
"""The style of replies, which is read in every style of prompt."""

UNKNOWN = 0.5
"""The probability of a variable whose rule is not read."""


def read_rules(world: StatedWorld, name: str, setting: tuple[str, int], rules: int) -> float:
    """Return the probability that a variable holds, from its rule and a few before it.

    Args:
        world: The world, with all numbers known.
        name: The variable.
        setting: The cause and its value.
        rules: How many rules are read along each path. Further causes have the probability 1/2.
    """
    if name == setting[0]:
        return float(setting[1])
    if not rules:
        return UNKNOWN
    rule = world.rule[name]
    chances = [read_rules(world, cause, setting, rules - 1) for cause in rule.causes]
    ways = rule.respond()
    found = 0.0
    for row, values in enumerate(product((0, 1), repeat=len(rule.causes))):
        weight = prod(p if value else 1 - p for p, value in zip(chances, values, strict=True))
        found += weight * sum(chance for way, chance in ways.items() if way[row])
    return found / sum(ways.values())


def _estimate(world: StatedWorld, asked: Quantity, rules: int) -> float:
    """Return a quantity in percent, with each counterfactual read as an intervention."""

    def effect(value: int) -> float:
        return read_rules(world, asked.effect, (asked.cause, value), rules)

    on, off = effect(1), effect(0)
    sign = 1 if asked.value else -1
    if asked.query in EFFECTS:
        found = 0.0 if asked.query == "nie" else sign * (on - off)
    elif asked.query == "pns":
        found = max(on - off, 0.0)
    elif asked.query == "pn":
        found = 1 - off
    elif asked.query == "ps":
        found = on
    else:
        held = effect(asked.set_to)
        found = held if asked.value else 1 - held
    return PERCENT * found


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
    (world,) = fill_in(question.world, round(PERCENT * UNKNOWN))
    values = [_estimate(world, one, rules) for one in question.asked]
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
        "averages the rows of the effect's rule that match the cause",
        partial(_reply, rules=1),
    ),
    Attack(
        "two-rules",
        "the same with the rules of the effect's direct causes",
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
