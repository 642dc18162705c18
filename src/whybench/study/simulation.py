"""Simulated people: a study answered by a reference agent, before anybody is asked.

The rows are those that the experiment would save, so that everything behind it can be tried:
importing the data, rules of exclusion, measures. And since the measures of the agent can be
compared with their expected values, it shows whether this many people are enough. Simulated people
read carefully and answer everything; how long they take is not simulated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.seeds import digest
from whybench.suites.contract import reply_generator
from whybench.suites.references import REFERENCE, find_reference

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from whybench.study.plan import StudyPlan
    from whybench.suites.contract import Item

MOST = 100_000
"""The number of people that can be simulated with one seed."""


@dataclass(frozen=True)
class SimulatedPerson:
    """Somebody who answers as a reference agent does.

    Attributes:
        number: The number in the counterbalancing.
        agent: The reference agent, without its suite.
        settings: Its parameters; the seed of their noise is made of `seed` and the number.
        seed: Tells people of the same number apart.
    """

    number: int
    agent: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    @property
    def id(self) -> str:
        """The id with which they take part."""
        return f"simulated-{self.seed}-{self.number:05}"

    def replies(self, plan: StudyPlan, item: Item) -> list[str]:
        """Return what they reply about an item, turn by turn."""
        agent = plan.suite.agent(self.agent)
        seed = self.seed * MOST + self.number
        settings = agent.settings({**self.settings, "seed": seed})
        replies: list[str] = []

        def respond(context: Any, turn: int) -> str:
            rng = reply_generator(agent.name, settings, item.digest, epoch=1, turn=turn)
            replies.append(agent.reply(context, settings, rng))
            return replies[-1]

        plan.suite.converse(item, respond)
        return replies


def participation_rows(plan: StudyPlan, person: SimulatedPerson) -> list[dict[str, Any]]:
    """Return the rows of a participation, as the experiment would save them."""
    items = [
        {"kind": "item", "item": item.digest, "order": order, "replies": person.replies(plan, item)}
        for order, item in enumerate(plan.list_items(person.number))
    ]
    events: list[dict[str, Any]] = [
        {"kind": "start", "number_by": "simulation", "resumed": False},
        {"kind": "consent"},
        {"kind": "instructions"},
        {"kind": "learning"},
        {"kind": "comprehension", "attempts": 1, "correct": True},
        *items,
        {"kind": "attention", "correct": True},
        {"kind": "end", "outcome": "complete"},
    ]
    common = {
        "study": plan.id,
        "suite": plan.suite.name,
        "version": plan.suite.version,
        "design_hash": plan.design_hash,
        "participant": person.id,
        "session": digest("session", plan.id, person.id).hex()[:16],
        "number": person.number,
        "at": "",
        "seconds": None,
    }
    return [{**common, **event, "position": k} for k, event in enumerate(events)]


def simulate_study(
    folder: Path, target: Path, model: str, settings: Mapping[str, Any], people: int, seed: int = 0
) -> None:
    """Let simulated people take part in a study, and write what they would save.

    Args:
        folder: The study, as it was exported.
        target: The file of JSON lines.
        model: Who answers: a reference agent of the study's suite, `reference/judge.noisy-or`, or
            a mind, `reference/careful`.
        settings: Settings of the agent.
        people: How many.
        seed: Of their noise.
    """
    from whybench.records.table import atomic_write  # noqa: PLC0415  (imports pyarrow)
    from whybench.study.saved import reopen_study  # noqa: PLC0415

    plan = reopen_study(folder)
    suite = plan.suite.name
    if not model.startswith(REFERENCE) or suite not in find_reference(model).parts:
        raise UserError(
            f"`model` must be a reference agent of the study's suite, {REFERENCE}{suite}.NAME "
            f"(`whybench list {suite}`), or a mind, got {model!r}"
        )
    agent, chosen = find_reference(model).agent_for(suite, settings)
    with atomic_write(target) as part, part.open("w", encoding="utf-8") as lines:
        for number in range(people):
            person = SimulatedPerson(number, agent.name, chosen, seed)
            for row in participation_rows(plan, person):
                lines.write(f"{json.dumps(row)}\n")
