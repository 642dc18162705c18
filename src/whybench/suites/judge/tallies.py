"""How many agents explain away more than people do, and the like.

An agent whose measure rests on few answers is named beside the count and not in it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.suites.judge.groups import CONDITION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from whybench.stats import Measure

__all__ = ["Tally", "tallies"]


@dataclass(frozen=True)
class Tally:
    """How many agents of a condition meet a criterion.

    Attributes:
        criterion: In words.
        number: Agents that meet it.
        n: Agents counted.
        left_out: Agents with too few answers to count, by name.
        labels: The condition.
    """

    criterion: str
    number: int
    n: int
    left_out: tuple[str, ...]
    labels: Mapping[str, str]

    def row(self) -> dict[str, object]:
        """Return it as one flat row, labels first."""
        plain = {"criterion": self.criterion, "number": self.number, "n": self.n}
        return {**self.labels, **plain, "left_out": " ".join(self.left_out)}

    @property
    def share(self) -> float | None:
        """The share of the agents counted; None if there are none."""
        return self.number / self.n if self.n else None


def tallies(measures: Iterable[Measure], human_ea: float) -> list[Tally]:
    """Count agents by their explaining away and Markov violation, condition by condition.

    Args:
        measures: Measures `ea` and `mv`, such as `judge_measures` computes. People among them do
            not count as agents.
        human_ea: People's explaining away.

    Returns:
        Three tallies for each condition. Agents flagged `small_n` are named and not counted.
    """
    kinds: dict[tuple[tuple[str, str], ...], dict[str, list[Measure]]] = {}
    for measure in measures:
        if not measure.labels["agent"].startswith("human/"):
            key = tuple(
                (name, measure.labels[name]) for name in CONDITION if name in measure.labels
            )
            kinds.setdefault(key, defaultdict(list))[measure.name].append(measure)
    return [
        tally
        for key, named in kinds.items()
        for tally in (
            _tally("ea above people's", named["ea"], key, lambda ea: ea > human_ea),
            _tally("ea > 0.3", named["ea"], key, lambda ea: ea > 0.3),
            _tally("|mv| <= 0.05", named["mv"], key, lambda mv: abs(mv) <= 0.05),
        )
    ]


def _tally(
    criterion: str,
    measures: list[Measure],
    condition: tuple[tuple[str, str], ...],
    meets: Callable[[float], bool],
) -> Tally:
    enough = [m.estimate for m in measures if "small_n" not in m.flags and m.estimate is not None]
    return Tally(
        criterion=criterion,
        number=sum(meets(value) for value in enough),
        n=len(enough),
        left_out=tuple(m.labels["agent"] for m in measures if "small_n" in m.flags),
        labels=dict(condition),
    )
