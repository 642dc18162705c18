"""Ask attacks the items of a design, and measure their replies.

Replies go through the parser and the measures of the suite, as those of a model do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from itertools import chain
from math import inf
from time import process_time
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.attacks import Attack, Seen
from whybench.suites.calibration import answer_rows, simulate_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np

    from whybench.stats import Measure
    from whybench.suites.attacks import Lessons, Reply
    from whybench.suites.contract import Answer, Design
    from whybench.suites.registry import AnySuite

GROUP = "whybench.attacks"
"""The entry-point group of attacks from other packages. `SUITE.NAME` names a list of them."""

EXTRA = "attack"
"""The extra that attacks with scikit-learn require."""


@dataclass(frozen=True)
class AttackResult:
    """The measures of an attack on a design.

    Attributes:
        attack: The attack.
        measures: Its measures over the whole design, by name.
        replies: The number of its replies.
        seconds: The CPU time that it took, with learning and scoring.
    """

    attack: Attack
    measures: Mapping[str, Measure]
    replies: int
    seconds: float

    def value(self, measure: str) -> float | None:
        """Return the estimate of a measure; None without."""
        found = self.measures.get(measure)
        return None if found is None else found.estimate


def list_attacks(suite: AnySuite) -> list[Attack]:
    """Return the attacks of a suite: its own, then those of other packages."""
    added = (
        entry.load()
        for entry in entry_points(group=GROUP)
        if entry.name.partition(".")[0] == suite.name
    )
    return [*suite.attacks, *chain.from_iterable(added)]


def load_attacks(path: str) -> list[Attack]:
    """Return the list `ATTACKS` of a Python file.

    Raises:
        UserError: The file doesn't run, or has no such list.
    """
    from runpy import run_path  # noqa: PLC0415  (only for attacks of others)

    try:
        found = run_path(path).get("ATTACKS")
    except Exception as error:
        # The file of a user can raise any error.
        raise UserError(f"{path} must run, got {type(error).__name__}: {error}") from error
    if not isinstance(found, list) or not all(isinstance(one, Attack) for one in found):
        raise UserError(f"{path} must define ATTACKS, a list of whybench attacks, got {found!r}")
    return found


def run_attack(
    suite: AnySuite,
    design: Design,
    items: Sequence[Any],
    attack: Attack,
    lessons: Lessons | None = None,
) -> AttackResult:
    """Ask an attack the items of a design, and measure its replies.

    Args:
        suite: The suite.
        design: The design.
        items: Its items, or the first ones.
        attack: The attack.
        lessons: Returns items to learn from (`whybench.training.items.training_lessons`).
    """
    start, replies = process_time(), 0

    def count(reply: Callable[..., str]) -> Callable[..., str]:
        def counted(*context: Any) -> str:
            nonlocal replies
            replies += 1
            return reply(*context)

        return counted

    if attack.agent is not None:
        agent = suite.agent(attack.name)
        agent = replace(agent, reply=count(agent.reply))
        rows = simulate_rows(suite, design, items, agent, attack.agent, attack.name, {})
    else:
        reply = count(attack.reply or _fit(suite, design, attack, lessons))
        rows = answer_rows(
            suite, design, items, attack.name, lambda item: _answer(suite, item, attack, reply)
        )
    measures = suite.measures(record_table(list(rows), suite.record_columns))
    found = {one.name: one for one in measures if not one.at}
    return AttackResult(attack, found, replies, process_time() - start)


def rank_attacks(suite: AnySuite, results: Iterable[AttackResult]) -> list[AttackResult]:
    """Return the results, the best by the primary measure first."""

    def rank(result: AttackResult) -> float:
        value = result.value(suite.headline[0])
        return -inf if value is None else value

    return sorted(results, key=rank, reverse=True)


def find_stronger(
    suite: AnySuite, design: Design, items: Sequence[Any], most: float, *, whole: bool
) -> Iterator[str]:
    """Yield the attacks that exceed a value, without those that learn.

    Args:
        suite: The suite.
        design: The design.
        items: Its items, or the first ones.
        most: The value.
        whole: Whether these are all items. Of a part, the lower end of the interval must exceed it.
    """
    for attack in list_attacks(suite):
        if attack.fit is None:
            found = run_attack(suite, design, items, attack).measures.get(suite.headline[0])
            end = None if found is None else found.estimate if whole else found.low
            if end is not None and end > most:
                yield f"{attack.name} has {suite.headline[0]} {end:.3f}, above {most:.3f}"


def converse(suite: AnySuite, item: Any, reply: Reply, rng: np.random.Generator) -> Answer:
    """Hold the conversation about an item in messages, and return the answer."""
    seen = see(suite, item)
    episode = suite.open_episode(item.factors)
    while not episode.over:
        said = reply(seen, rng)
        heard = episode.hear(said, False)
        seen = replace(seen, messages=(*seen.messages, said, heard or ""))
    return episode.answer


def see(suite: AnySuite, item: Any) -> Seen:
    """Return what an agent sees of an item at first."""
    return Seen((suite.render(item),), suite.files(item))


def _answer(suite: AnySuite, item: Any, attack: Attack, reply: Reply) -> Answer:
    try:
        return converse(suite, item, reply, generator("attack", attack.name, item.digest))
    except UserError:
        raise
    except Exception as error:
        # An attack of a user can raise any error.
        raise UserError(
            f"{attack.name} must reply to every item, got {type(error).__name__} at {item.id}: "
            f"{error}"
        ) from error


def _fit(suite: AnySuite, design: Design, attack: Attack, lessons: Lessons | None) -> Reply:
    if attack.fit is None or lessons is None:
        raise UserError(f"{attack.name} must have items to learn from, got none")
    try:
        return attack.fit(lessons(suite, design, attack.lessons))
    except ImportError as error:
        raise UserError(
            f"{attack.name} requires {error.name}; pip install 'whybench[{EXTRA}]'"
        ) from error
