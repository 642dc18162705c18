"""The attacks on intervene: agents that act by a list fixed in advance.

A list names roles, such as "hold every other entity". Only `toggle` depends on an observation, the
present state of that entity. The answer follows from the states by a fixed rule. `best-list`
searches lists and rules on the training stream and keeps the best. On dotted links, `diagram-list`
and `diagram-if` search the best list of each diagram, without and with one `if`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product
from statistics import fmean
from typing import TYPE_CHECKING

from whybench.suites.attacks import SILENT, SILENT_REPLY, Attack, of_agents
from whybench.suites.intervene.agents import AGENTS
from whybench.suites.intervene.link_solvers import LINK_SOLVERS, first_left
from whybench.suites.intervene.links.diagram import Diagram
from whybench.suites.intervene.links.scripts import find_list, find_script
from whybench.suites.intervene.prompt_parser import parse_prompt
from whybench.suites.intervene.world import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np

    from whybench.suites.attacks import Reply, Seen, TrainingExample
    from whybench.suites.intervene.items import Situation
    from whybench.suites.intervene.links.diagram import Step
    from whybench.suites.intervene.links.scripts import ActionScript

    States = Sequence[Mapping[str, bool]]
    """Which entities move: at first, and after each action."""

STEPS = ("hold others", "move others", "hold cause", "move cause", "toggle cause", "toggle effect")
"""The steps of a list. To toggle is to hold an entity that moves now, or to move one at rest."""

LONGEST = 3
"""The number of steps in a list, of which those on others are several actions."""

RULES: Mapping[str, Callable[[str, str, States], bool]] = {
    "yes": lambda _x, _y, _states: True,
    "no": lambda _x, _y, _states: False,
    "effect changed at last": lambda _x, y, states: states[-1][y] != states[-2:][0][y],
    "effect changed": lambda _x, y, states: states[-1][y] != states[0][y],
    "effect moves": lambda _x, y, states: states[-1][y],
    "same state": lambda x, y, states: states[-1][x] == states[-1][y],
}
"""Answers by the states of cause and effect."""

ROUNDS = ((24, 40), (200, 1))
"""How many lessons each round of the search uses, and how many lists it keeps."""


@dataclass(frozen=True)
class ActionList:
    """A fixed list of steps, and the rule of the answer."""

    steps: tuple[str, ...]
    rule: str

    def __str__(self) -> str:
        return f"{', '.join(self.steps) or 'no action'}; answer: {self.rule}"

    def actions(self, situation: Situation, now: Mapping[str, bool]) -> Iterator[tuple[str, str]]:
        """Yield entity and verb of each action, given which entities move now."""
        move, hold, *_ = situation.words
        pair = (situation.cause, situation.effect)
        for step in self.steps:
            verb, _, whom = step.partition(" ")
            chosen = [pair[whom == "effect"]]
            if whom == "others":
                wanted = verb == "hold"
                chosen = [
                    name
                    for name in situation.names
                    if name not in pair and (name in situation.moving) == wanted
                ]
            for name in chosen:
                holds = verb == "hold" or (verb == "toggle" and now[name])
                yield name, hold if holds else move

    def reply(self, seen: Seen, _: np.random.Generator | None = None) -> str:
        """Return the next action, or the answer after the last one."""
        situation = parse_prompt(seen.prompt)
        if not situation.cause:
            return SILENT_REPLY  # It asks about all pairs, or about dotted links.
        states = list_states(situation, seen)
        actions = list(self.actions(situation, states[-1]))[: situation.limit]
        done = sum('"entity"' in said for said in seen.messages[1::2])
        if done < len(actions):
            entity, verb = actions[done]
            return json.dumps({"entity": entity, "action": verb})
        is_yes = RULES[self.rule](situation.cause, situation.effect, states)
        return json.dumps({"answer": "yes" if is_yes else "no"})


def list_states(situation: Situation, seen: Seen) -> list[dict[str, bool]]:
    """Return which entities move: at first, and after each action."""
    states = [{name: name in situation.moving for name in situation.names}]
    for response in seen.responses:
        if found := re.findall(rf"([^\s:;]+): ({'|'.join(situation.words[2:])})", response):
            states.append({name: state == situation.words[2] for name, state in found})
    return states


def list_action_lists() -> list[ActionList]:
    """Return all lists that the search compares."""
    lists = [steps for size in range(LONGEST + 1) for steps in permutations(STEPS, size)]
    return [ActionList(steps, rule) for steps, rule in product(lists, RULES)]


def search_lists(lessons: Sequence[TrainingExample], lists: Sequence[ActionList]) -> ActionList:
    """Return the one with the highest mean reward; of equal ones the first."""
    for count, kept in ROUNDS:
        rewards = {
            one: fmean(lesson.score(one.reply) for lesson in lessons[:count]) for one in lists
        }
        lists = sorted(lists, key=lambda one: -rewards[one])[:kept]
    return lists[0]


def _fit(lessons: Sequence[TrainingExample]) -> Reply:
    return search_lists(lessons, list_action_lists()).reply


ChooseOnDiagram = Callable[[Diagram, int, int, Sequence[int]], "Step | None"]
"""Chooses an action, given the diagram, the budget, the links that are left, and the states."""


def follow_script(find: Callable[[Diagram, int], ActionScript]) -> ChooseOnDiagram:
    """Return the choice that follows the script for each diagram."""
    return lambda diagram, limit, _left, states: find(diagram, limit).next_step(states)


def try_links(diagram: Diagram, _limit: int, left: int, states: Sequence[int]) -> Step | None:
    """Act on the ends of the first dotted link that is left."""
    return LINK_SOLVERS["recipe"].choose(diagram, left, states)


def reply_on_diagram(
    choose: ChooseOnDiagram, seen: Seen, _: np.random.Generator | None = None
) -> str:
    """Return the next action on the diagram of a prompt, or the first dotted link that is left."""
    situation = parse_prompt(seen.prompt)
    if not situation.dotted:
        return SILENT_REPLY
    number = {name: place for place, name in enumerate(situation.names)}
    states = [
        sum(1 << number[name] for name, moves in state.items() if moves)
        for state in list_states(situation, seen)
    ]
    solid, dotted = (
        tuple((number[cause], number[effect]) for cause, effect in links)
        for links in (situation.solid, situation.dotted)
    )
    diagram = Diagram(len(number), solid, dotted, states[0])
    left = diagram.every
    for done in range(1, len(states)):
        step = choose(diagram, situation.limit, left, states[:done])
        left &= diagram.possible(states[done - 1 : done + 1], [step] if step else [])
    step = choose(diagram, situation.limit, left, states)
    if step is not None and len(states) <= situation.limit:
        verb = situation.words[ACTIONS.index(step[0])]
        return json.dumps({"entity": situation.names[step[1]], "action": verb})
    cause, effect = situation.dotted[first_left(diagram, left, states)]
    return json.dumps({"answer": f"{cause} -> {effect}"})


ATTACKS = (
    SILENT,
    *of_agents(AGENTS, "single-cause", "correlational", "listed-first"),
    *of_agents(AGENTS, "random-then-guess", "always-yes", "always-no"),
    Attack(
        "hold-all",
        "holds all others, then the cause; yes if the effect just changed",
        ActionList(("hold others", "hold cause"), "effect changed at last").reply,
    ),
    Attack(
        "hold-all-toggle",
        "holds all others, then toggles the cause; yes if the effect just changed",
        ActionList(("hold others", "toggle cause"), "effect changed at last").reply,
    ),
    Attack(
        "diagram-list",
        "of each diagram, the fixed list of actions that settles most dotted links",
        partial(reply_on_diagram, follow_script(find_list)),
    ),
    Attack(
        "diagram-if",
        "the same with one `if`: the state of one entity decides between two lists",
        partial(reply_on_diagram, follow_script(find_script)),
    ),
    Attack(
        "try-links",
        "acts on the ends of each dotted link in turn, and skips excluded links",
        partial(reply_on_diagram, try_links),
    ),
    Attack("best-list", "the best fixed list of actions by search", fit=_fit, lessons=200),
)
"""The attacks on intervene."""
