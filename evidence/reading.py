"""How the time of readers grows with the length of hostile texts.

Each reader reads a text that is hard for it, and an eighth of that text. A reader that goes through
the whole text again for each place takes 64 times as long. Tests read the same texts and assert the
readings.
"""

from __future__ import annotations

import time
from functools import partial
from timeit import repeat
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure
from whybench.replies.objects import find_last_object
from whybench.study.saved import SavedData
from whybench.suites.compose.replies import parse_reply as parse_choice
from whybench.suites.intervene.replies import parse_reply as parse_turn
from whybench.suites.judge.replies import parse_reply as parse_judgment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "HOSTILE_CHOICES",
    "HOSTILE_JUDGMENTS",
    "HOSTILE_OBJECTS",
    "HOSTILE_ROWS",
    "HOSTILE_TURNS",
    "grows_linearly",
    "read_rows",
    "reading",
]

LONG = 200_000
MOST_GROWTH = 24
LEAST_SECONDS = 0.005
"""A shorter time is mostly chance."""

HOSTILE_JUDGMENTS = [
    "1 " * (LONG // 2),
    "1\n" * (LONG // 2),
    "1\n\n" * (LONG // 3),
    "9" * LONG,
    "1," * (LONG // 2),
    "a. " * (LONG // 3) + "1",
    "The answer is 1. " * (LONG // 17),
    "the answer is 1\n" * (LONG // 16),
    " " * LONG + "85" + " " * LONG,
    "\n" * LONG + "x",
    "<" * LONG,
    "< " * (LONG // 2),
    "<likelihood>" * (LONG // 12),
    "<likelihood>1</likelihood>" * (LONG // 26),
    "<likelihood>" + " " * LONG + "</likelihood>",
    "<think>" * (LONG // 7),
    "</think>" * (LONG // 8),
    "<explanation>" * (LONG // 13) + "</explanation>",
    "<confidence>1" * (LONG // 13),
    '{"a":' * (LONG // 5) + "}",
    "{" * LONG + "}",
    '{"likelihood": ' + "9" * LONG + "}",
    '"' * LONG,
    "$" * LONG,
    "\\boxed{" * (LONG // 7),
    "```" * (LONG // 3),
    "*" * LONG,
    "٨" * LONG,
    "0 to " * (LONG // 5),
    "(" * LONG + "85" + ")" * LONG,
    "</s>" * (LONG // 4),
    "the my final best " * (LONG // 18),
]
HOSTILE_CHOICES = [
    piece * (LONG // len(piece))
    for piece in (
        *("yes ", "no\n", "yes\n\n", "Answer: yes\n", "Answer:\n", "the my final ", " ", "\n"),
        *("<", "<answer>", "<think>", "</think>", '{"a":', "{", '"', "$", "\\boxed{", "```", "*"),
        *("(", ", no", "\n ", "so ", "Question:\n", "yes/", "—", "i think that "),
    )
]
HOSTILE_TURNS = [
    *("{" * 200_000, '{"a":' * 40_000, '{"a":1,' * 40_000, "}{" * 100_000, '{"' * 100_000)
]
HOSTILE_OBJECTS = [
    part * 40_000 for part in ('{"\\"', "{'", "{#", "{//", '{"a":', "{'a':[", '{"a":"', "{/*")
]
HOSTILE_ROWS = [
    part * 100_000 for part in (b"x\n", b'{"kind":', b'{"kind":"', b'{"kind":[\n', b'{"kind":"a",')
]


def read_rows(text: bytes) -> SavedData:
    """Read a file of a study that mentions a kind, so that rows are looked for."""
    found = SavedData()
    found.read_text("a.txt", b'"kind"\n' + text)
    return found


READERS: dict[str, tuple[Callable[[Any], object], Sequence[str | bytes], float]] = {
    "replies of judge": (lambda text: parse_judgment(text, "cot"), HOSTILE_JUDGMENTS, 1),
    "replies of compose": (lambda text: parse_choice(f"{text}yes", "cot"), HOSTILE_CHOICES, 5),
    "replies of intervene": (parse_turn, HOSTILE_TURNS, 5),
    "objects in a reply": (find_last_object, HOSTILE_OBJECTS, 5),
    "saved rows of a study": (read_rows, HOSTILE_ROWS, 5),
}
"""By what is read: the reader, hostile texts, and the most seconds for one of them."""


def grows_linearly(short: float, long: float) -> bool:
    """Return whether a time is in proportion to that of an eighth of the text, with slack."""
    return long < MOST_GROWTH * max(short, LEAST_SECONDS)


def reading(small: bool) -> Iterator[Figure]:
    """Yield how the time of each reader grows with hostile texts."""
    for name, (read, texts, most) in READERS.items():
        times = [
            tuple(_seconds(read, text[:size]) for size in (len(text) // 8, len(text)))
            for text in texts[:: 4 if small else 1]
        ]
        short, long = max(times, key=lambda pair: pair[1] / max(pair[0], LEAST_SECONDS))
        yield Figure(
            f"{name}: eight times a hostile text takes less than {MOST_GROWTH} times as long, and "
            f"less than {most} s",
            f"{len(times)} texts; the worst takes {long:.3f} s, an eighth of it {short:.3f} s; the "
            f"slowest takes {max(time for _, time in times):.3f} s",
            all(grows_linearly(*pair) and pair[1] < most for pair in times),
            timed=True,
        )


def _seconds(read: Callable[[Any], object], text: str | bytes) -> float:
    """Return the CPU time of this thread, without its garbage: the least of three times."""
    return min(repeat(partial(read, text), timer=time.thread_time, repeat=3, number=1))
