"""The values of the reference agents' measures where dotted links are asked.

As in `expected`, nothing here holds an episode: worlds act by parents that drive their children,
and a link is ruled out if its world would have shown something else.
"""

from __future__ import annotations

from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.links.diagram import Diagram
from whybench.suites.intervene.world import (
    ACTIONS,
    InterveneWorld,
    bits_to_state,
    simulate_action,
    state_to_bits,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.expected import Expected
    from whybench.suites.intervene.items import InterveneItem
    from whybench.suites.intervene.link_solvers import LinkSolver
    from whybench.suites.intervene.links.diagram import Step


class _Trial:
    """An item, with the links that are left and the states that were seen."""

    def __init__(self, item: InterveneItem) -> None:
        initial = state_to_bits(item.initial)
        self.diagram = Diagram(item.hidden.n, item.solid, item.dotted, initial)
        self.left = self.diagram.every
        self.states = [initial]
        self._world = item.hidden

    def act(self, step: Step) -> None:
        action, entity = step
        before = bits_to_state(self.states[-1])
        after = simulate_action(self._world, before, action, entity)
        for place, link in enumerate(self.diagram.dotted):
            world = InterveneWorld(self.diagram.n, (*self.diagram.solid, link))
            if simulate_action(world, before, action, entity) != after:
                self.left &= ~(1 << place)
        self.states.append(state_to_bits(after))


def expect_link(solver: LinkSolver) -> Expected:
    """Return the measures of an agent that names a link, at times another one."""

    def expected(settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
        error = settings.get("error", 0.0)
        settled, right, steps = [], [], []
        for item in intervene_items(design):
            trial = _Trial(item)
            while len(trial.states) <= item.limit:
                step = solver.choose(trial.diagram, trial.left, trial.states)
                if step is None:
                    break
                trial.act(step)
            named = solver.guess(trial.diagram, trial.left, trial.states)
            right.append(named == item.truth)
            settled.append(trial.left.bit_count() == 1)
            steps.append(len(trial.states) - 1)
        proven = [one and two for one, two in zip(settled, right, strict=True)]
        shares = {"justified_accuracy": fmean(proven) * (1 - error)}
        if error:
            return shares
        return shares | {
            "accuracy": fmean(right),
            "entailed_share": fmean(settled),
            "steps": fmean(steps),
        }

    return expected


def expect_link_guessing(settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
    """Return the measures of an agent that acts at random and names any dotted link."""
    items = list(intervene_items(design))
    chance = fmean(1 / len(item.dotted) for item in items)
    if settings["steps"] != 1:
        return {"accuracy": chance}
    settled = []
    for item in items:
        for step in product(ACTIONS, range(item.hidden.n)):
            trial = _Trial(item)
            trial.act(step)
            settled.append(trial.left.bit_count() == 1)
    return {"accuracy": chance, "justified_accuracy": fmean(settled) * chance}
