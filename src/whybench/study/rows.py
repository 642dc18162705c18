"""Rows, one for each event that the experiment notes, and the participations that they make up.

A row comes from JSON, where its values have their types, or from CSV, where all are text and the
others are written as JSON. Both are parsed by the same functions, so that a row is the same row
wherever it was saved. Fields that are not listed here are ignored: jsPsych adds its own.

A participation is what one person did between starting and ending, in however many sittings: who
closes the page and opens it again goes on with the same session. Who starts anew, perhaps on
another machine, has another session, and so another participation. Rows name their session.

A row may be there several times, because a page sent it again or a file was saved twice; it counts
once. Two rows that claim the same position and say different things cannot both be true, and
choosing one of them would be inventing data: such a participation has a flaw, and is left out
whole. Nobody else's is touched by that, since rows may be written by strangers.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from whybench.suites.contract import Item, Scalar

LONGEST_WORD = 1_000
LONGEST_REPLY = 100_000
MOST_REPLIES = 1_000
LARGEST_NUMBER = 1e15
LARGEST_INTEGER = 10**9
"""What a row may hold: signs of an id, signs and number of replies, numbers. Nobody's answers come
near these; a row that is beyond them was not written by the experiment."""

CHECK_FAILED = "check failed"
"""The outcome of who failed the comprehension check so often that the study ended."""

SHOWN = 80
"""So many signs of a wrong value are shown."""


def _decode(value: Any) -> Any:
    """Return the value in a cell of CSV; what comes from JSON is a value already."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):  # no JSON, too many digits, too deep
        raise ValueError("JSON") from None


def _unicode(text: str, longest: int) -> str:
    """Return a text that can be written; half of a surrogate pair cannot."""
    if len(text) > longest:
        raise ValueError(f"at most {longest} signs")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("text of Unicode") from None
    return text


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("a word")
    return _unicode(str(value), LONGEST_WORD)


def _number(value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        raise ValueError("a number")
    return float(value)


def _integer(value: Any) -> int:
    if not _number(value).is_integer() or not 0 <= value <= LARGEST_INTEGER:
        raise ValueError(f"a whole number from 0 to {LARGEST_INTEGER}")
    return int(value)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError("a list of words")
    if len(value) > MOST_REPLIES:
        raise ValueError(f"a list of at most {MOST_REPLIES} words")
    return tuple(_unicode(entry, LONGEST_REPLY) for entry in value)


FIELDS: Mapping[str, Callable[[Any], Any]] = {
    "kind": _text,
    "study": _text,
    "participant": _text,
    "session": _text,
    "position": _integer,
    "number": _integer,
    "at": _text,
    "seconds": _number,
    "item": _text,
    "order": _integer,
    "replies": _texts,
    "slider_start": _number,
    "attempts": _integer,
    "correct": _boolean,
    "outcome": _text,
    "resumed": _boolean,
}
"""How each field of a row is parsed; others are ignored."""

NEEDED = ("kind", "study", "participant", "session", "position")
NEEDED_OF_ITEMS = ("item", "replies")


@dataclass(frozen=True)
class StudyRow:
    """One event of one participation, as the experiment noted it.

    Two rows are equal if they say the same, wherever they were found.

    Attributes:
        kind: What happened: start, consent, instructions, learning, comprehension, attention, item
            or end.
        study: The study's id.
        participant: Who took part, by the id that the study was opened with.
        session: Which time of taking part: a random id.
        position: Which row of the session, in order.
        number: The participant's number in the counterbalancing.
        at: When, as ISO writes it.
        seconds: How long the response took.
        item: The id of the item that is answered.
        order: Which item of the participant, in order.
        replies: What was replied, a word for each turn, as a model would have.
        slider_start: Where the slider stood at first.
        attempts: How often a comprehension check was tried.
        correct: Whether a check was answered rightly.
        outcome: How the study ended, in `end`: complete or check failed.
        resumed: Whether a start goes on with what was begun before.
        file: The file it was found in.
        line: And where there.
    """

    kind: str
    study: str
    participant: str
    position: int
    session: str
    number: int | None = None
    at: str = ""
    seconds: float | None = None
    item: str = ""
    order: int | None = None
    replies: tuple[str, ...] = ()
    slider_start: float | None = None
    attempts: int | None = None
    correct: bool | None = None
    outcome: str = ""
    resumed: bool | None = None
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.file}:{self.line}"

    @classmethod
    def read(cls, values: Mapping[str, Any], file: str, line: int) -> StudyRow:
        """Read a row.

        Raises:
            ValueError: Something that a row needs is missing, or is not what it should be.
        """
        parsed = {}
        for name, parse in FIELDS.items():
            value = values.get(name)
            if value in (None, "", "null"):
                continue
            try:
                parsed[name] = parse(value if parse is _text else _decode(value))
            except ValueError as error:
                raise ValueError(f"{name} must be {error}, got {repr(value)[:SHOWN]}") from None
        needed = (*NEEDED, *(NEEDED_OF_ITEMS if parsed.get("kind") == "item" else ()))
        if missing := [name for name in needed if name not in parsed]:
            raise ValueError(f"a row must have {', '.join(needed)}, got no {', '.join(missing)}")
        return cls(**parsed, file=file, line=line)


@dataclass(frozen=True)
class Participation:
    """One person going through the study once.

    Attributes:
        participant: Who, by the id that the study was opened with.
        occasion: Which time this person takes part, from 1.
        rows: What happened, in order.
        planned: How many items were to be answered; None if that is not known.
        truths: The true answers to the items that were answered, in the same order; empty if these
            are not known.
        flaw: What is wrong with it, in a word or two; then it is left out whole. Empty if nothing.
        flaw_message: The same in a sentence, with its location.
    """

    participant: str
    occasion: int
    rows: tuple[StudyRow, ...]
    planned: int | None = None
    truths: tuple[Scalar, ...] = ()
    flaw: str = ""
    flaw_message: str = ""

    @property
    def answers(self) -> tuple[StudyRow, ...]:
        """The rows that answer items."""
        return self._of("item")

    @property
    def incomplete(self) -> bool:
        """Whether items that were to be answered are missing."""
        return not self._of("end") if self.planned is None else len(self.answers) < self.planned

    @property
    def check_failed(self) -> bool:
        """Whether the study ended early, since the comprehension check was failed too often."""
        return any(row.outcome == CHECK_FAILED for row in self._of("end"))

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

    def _of(self, kind: str) -> tuple[StudyRow, ...]:
        return tuple(row for row in self.rows if row.kind == kind)


def group_participations(
    rows: Iterable[StudyRow], lengths: Sequence[int] = (), items: Mapping[str, Item] | None = None
) -> tuple[list[Participation], int]:
    """Return the participations, in the order in which they began, and how many rows were double.

    Args:
        rows: The rows of a study.
        lengths: The lengths of its lists; participants have them in turn, by their numbers.
        items: Its items by id.
    """
    sessions: dict[tuple[str, str], dict[int, StudyRow]] = {}
    conflicts: dict[tuple[str, str], str] = {}
    doubles = 0
    for row in rows:
        key = (row.participant, row.session)
        before = sessions.setdefault(key, {}).setdefault(row.position, row)
        if before != row:
            what = f"the position {row.position} of a session"
            conflicts.setdefault(key, _conflict(before, row, what))
        else:
            doubles += before is not row
    participations: list[Participation] = []
    occasions: Counter[str] = Counter()
    by_start = sorted((min(row.at for row in rows.values()), key) for key, rows in sessions.items())
    for _, (participant, start) in by_start:
        occasions[participant] += 1
        session = sessions[participant, start]
        ordered = tuple(session[position] for position in sorted(session))
        number = ordered[0].number
        planned = lengths[number % len(lengths)] if lengths and number is not None else None
        each = Participation(participant, occasions[participant], ordered, planned)
        conflict = conflicts.get((participant, start)) or _repeated_answer(each)
        unknown = _unknown_item(each, items) if items else ""
        if conflict:
            each = replace(each, flaw="contradictory", flaw_message=conflict)
        elif unknown:
            each = replace(each, flaw="unknown item", flaw_message=unknown)
        elif items:
            each = replace(each, truths=tuple(items[row.item].truth for row in each.answers))
        participations.append(each)
    return participations, doubles


def _repeated_answer(participation: Participation) -> str:
    """Say which item has two answers; nothing, if none has."""
    answered: dict[str, StudyRow] = {}
    for row in participation.answers:
        before = answered.setdefault(row.item, row)
        if before is not row:
            return _conflict(before, row, f"the answer to {row.item} in a session")
    return ""


def _unknown_item(participation: Participation, items: Mapping[str, Item]) -> str:
    """Say which answer is to an item that nobody was asked; nothing, if none is."""
    for row in participation.answers:
        if row.item not in items:
            got = repr(row.item)[:SHOWN]
            return f"items must be among the {len(items)} of the study, got {got} at {row.where}"
    return ""


def _conflict(first: StudyRow, second: StudyRow, what: str) -> str:
    return (
        f"{what} must be one row, got two that differ, at {first.where} and {second.where}: "
        f"{_difference(first, second)}"
    )


def _difference(first: StudyRow, second: StudyRow) -> str:
    """Say in which fields two rows differ, but not whose they are."""
    names = (name for name, spec in first.__dataclass_fields__.items() if spec.compare)
    return ", ".join(
        f"{name} {repr(getattr(first, name))[:SHOWN]} and {repr(getattr(second, name))[:SHOWN]}"
        for name in names
        if getattr(first, name) != getattr(second, name)
    )
