"""The attacks on compose: agents that read few rules, or none, or ignore the graph.

`read-rules` answers factual questions correctly. After an intervention it reads the rules of the
effect and of a few of its ancestors. It assumes that other nodes follow the cause, or are as
it is in fact. `nobody-decides` asks one question about all rules at once, and gives the same answer
whatever the prompt asks about.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from whybench.suites.attacks import SILENT, SILENT_REPLY, Attack, of_agents
from whybench.suites.compose.agents import AGENTS
from whybench.suites.compose.number_prompts import is_number_prompt, render_number_reply
from whybench.suites.compose.prompt_parser import parse_prompt
from whybench.suites.compose.prompts import render_reply
from whybench.suites.learners import learners

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.attacks import Seen
    from whybench.suites.compose.questions import ComposeQuestion, Style

STYLE: Style = "cot"
"""The style of replies, which is read in every style of prompt."""


def read_rules(question: ComposeQuestion, node: int, rules: int | None, *, follows: bool) -> bool:
    """Return whether a node holds, from its rule and a few before it.

    Args:
        question: The question.
        node: The node.
        rules: How many rules are read along each path; None for all.
        follows: Whether a node beyond takes the value of the intervention instead of its threshold.
    """
    world, made = question.world, question.intervention
    if made is not None and node == made[0]:
        return made[1]
    own = question.counts[node] >= world.thresholds[node]
    if rules == 0:
        return made[1] if follows and made is not None else own
    left = None if rules is None else rules - 1
    grounds = [own, *(read_rules(question, p, left, follows=follows) for p in world.parents[node])]
    return any(grounds) if world.gates[node] == "or" else all(grounds)


def nobody_decides(question: ComposeQuestion, *, gates: bool) -> bool:
    """Return whether no node but roots has a count that decides its rule.

    It looks at all nodes at once, whatever affects what and whatever is asked.

    Args:
        question: The question.
        gates: Whether nodes with one parent are looked at only if most others have their gate.
    """
    world, counts = question.world, question.counts
    joint = [world.gates[n] for n, parents in enumerate(world.parents) if len(parents) > 1]
    for node, parents in enumerate(world.parents):
        gate, enough = world.gates[node], counts[node] >= world.thresholds[node]
        rare = gates and len(parents) == 1 and 2 * joint.count(gate) < len(joint)
        if parents and not rare and enough == (gate == "or"):
            return False
    return True


def _reply_at_once(seen: Seen, _: np.random.Generator, *, gates: bool) -> str:
    """Return the value of the intervention or of the root if nothing decides, else yes."""
    if is_number_prompt(seen.prompt):
        return SILENT_REPLY
    question = parse_prompt(seen.prompt)
    world, made = question.world, question.intervention
    root = next(n for n, parents in enumerate(world.parents) if not parents)
    own = question.counts[root] >= world.thresholds[root]
    if made is None:
        return render_reply(own, STYLE)
    return render_reply(made[1] if nobody_decides(question, gates=gates) else True, STYLE)


def _reply(seen: Seen, _: np.random.Generator, rules: int, *, follows: bool) -> str:
    if is_number_prompt(seen.prompt):
        return SILENT_REPLY
    question = parse_prompt(seen.prompt)
    read = rules if question.intervention else None
    return render_reply(read_rules(question, question.effect, read, follows=follows), STYLE)


def _say(value: float, seen: Seen) -> str:
    if is_number_prompt(seen.prompt):
        return render_number_reply(value, STYLE)
    return render_reply(value > 0.5, STYLE)


ATTACKS = (
    SILENT,
    *of_agents(AGENTS, "copy", "coin", "always-yes", "always-no"),
    *(
        Attack(
            f"{number}-rule{'s' if rules > 1 else ''}-{ending}",
            f"reads {rules} rule{'s' if rules > 1 else ''} along each path; others {summary}",
            partial(_reply, rules=rules, follows=follows),
        )
        for number, rules in (("one", 1), ("two", 2))
        for ending, summary, follows in (
            ("following", "take the value of the intervention", True),
            ("alone", "are decided by their own counts", False),
        )
    ),
    *(
        Attack(
            f"nobody-decides{ending}",
            f"takes the value of the intervention if no node{summary} is decided by its own count",
            partial(_reply_at_once, gates=gates),
        )
        for ending, summary, gates in (("", "", False), ("-gates", " with a common gate", True))
    ),
    *learners(_say),
)
"""The attacks on compose."""
