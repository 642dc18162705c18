"""Rows to participations: one person going through the study once.

A participation is what one person did between starting and ending, in however many sittings: who
closes the page and opens it again goes on with the same session. Who starts anew, perhaps on
another machine, has another session, and so another participation.

A row may be there several times, because a page sent it again or a file was saved twice; it counts
once. Two rows that claim the same place and say different things cannot both be true, and are an
error: choosing one of them would be inventing data.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.study.rows import Row
    from whybench.suites.contract import Item, Scalar

__all__ = ["Participation", "participations_of"]


@dataclass(frozen=True)
class Participation:
    """One person going through the study once.

    Attributes:
        participant: Who, by the id that the study was opened with.
        go: Which time this person takes part, from 1.
        rows: What happened, in order.
        planned: How many items were to be answered; None if that is not known.
        truths: The true answers to the items that were answered, in the same order; empty if these
            are not known.
    """

    participant: str
    go: int
    rows: tuple[Row, ...]
    planned: int | None = None
    truths: tuple[Scalar, ...] = ()

    @property
    def answers(self) -> tuple[Row, ...]:
        """The rows that answer items."""
        return self._of("item")

    @property
    def incomplete(self) -> bool:
        """Whether items that were to be answered are missing."""
        return not self._of("end") if self.planned is None else len(self.answers) < self.planned

    @property
    def constant(self) -> bool:
        """Whether all answers, the last replies, are the same, though not all truths are.

        A list may happen to have one true answer throughout; who finds it is not careless.
        """
        same = len({row.replies[-1:] for row in self.answers}) == 1
        return same and len(self.answers) > 1 and len({*self.truths}) != 1

    @property
    def attempts(self) -> int | None:
        """How often the comprehension check was tried; None if it was not reached."""
        return max((row.attempts for row in self.rows if row.attempts is not None), default=None)

    @property
    def attention(self) -> float | None:
        """The share of attention checks that were answered rightly; None if there was none."""
        checks = [row.correct for row in self._of("attention") if row.correct is not None]
        return fmean(checks) if checks else None

    @property
    def seconds(self) -> float | None:
        """The median time that an answer took; None if there is no answer with a time."""
        times = [row.seconds for row in self.answers if row.seconds is not None]
        return median(times) if times else None

    def _of(self, kind: str) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.kind == kind)


def participations_of(
    rows: Iterable[Row], lengths: Sequence[int] = (), items: Mapping[str, Item] | None = None
) -> tuple[list[Participation], int]:
    """Return the participations, in the order in which they began, and how many rows were double.

    Args:
        rows: The rows of a study.
        lengths: How long its lists are; participants have them in turn, by their numbers.
        items: Its items by id.

    Raises:
        UserError: Two rows contradict each other.
    """
    sessions: dict[tuple[str, str], dict[int, Row]] = {}
    doubles = 0
    for row in rows:
        session = sessions.setdefault((row.participant, row.session), {})
        before = session.setdefault(row.position, row)
        if before != row:
            raise UserError(_conflict(before, row, f"the place {row.position} of a session"))
        doubles += before is not row
    ordered = sorted(sessions.items(), key=lambda entry: (_began(entry[1].values()), entry[0]))
    found: list[Participation] = []
    goes: dict[str, int] = {}
    for (participant, _), session in ordered:
        goes[participant] = goes.get(participant, 0) + 1
        in_order = tuple(session[position] for position in sorted(session))
        number = in_order[0].number
        planned = lengths[number % len(lengths)] if lengths and number is not None else None
        answered = (row.item for row in in_order if row.kind == "item")
        truths = tuple(items[item].truth for item in answered) if items else ()
        made = Participation(participant, goes[participant], in_order, planned, truths)
        _check_answered_once(made)
        found.append(made)
    return found, doubles


def _began(rows: Iterable[Row]) -> str:
    return min(row.at for row in rows)


def _check_answered_once(made: Participation) -> None:
    answered: dict[str, Row] = {}
    for row in made.answers:
        before = answered.setdefault(row.item, row)
        if before is not row:
            raise UserError(_conflict(before, row, f"the answer to {row.item} in a session"))


def _conflict(first: Row, second: Row, what: str) -> str:
    return (
        f"{what} must be one row, got two that differ, at {first.where} and {second.where}: "
        f"{_difference(first, second)}; keep the file that is right"
    )


def _difference(first: Row, second: Row) -> str:
    """Say in which fields two rows differ, but not whose they are."""
    names = (name for name, spec in first.__dataclass_fields__.items() if spec.compare)
    return ", ".join(
        f"{name} {getattr(first, name)!r} and {getattr(second, name)!r}"
        for name in names
        if getattr(first, name) != getattr(second, name)
    )
