"""The item browser: what was asked, what was said, how it was read, and what became of it.

The browser's data are one packed object, `Shown.data`:

| key | what it holds |
|---|---|
| `agents`, `suites`, `columns` | names that entries refer to by number |
| `texts` | everything that was said, each text once |
| `entries` | answers: agent, suite, item, epoch, kind, reason, value, truth, cells, turns |

`cells` are the factors and parts of an answer, as column and value; `turns` are role and text. A
long text is shortened in the middle, and says so. If everything together would make the page too
large, fewer answers of each agent are shown.

Which answers the item browser shows: failures first, and a sample of the rest.

Of each agent in each suite at most so many answers are shown. Failures are replies without an
answer, errors, and answers that are not right where there is a right and a wrong. If there are more
than three quarters of the places, a sample of them is taken, so that the others are seen too. The
sample goes by a seeded order of the items, the same for all agents, so that agents can be seen on
the same items, and prompts are stored once.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.page.downloads import packed
from whybench.records import CORE
from whybench.records.runs import AnswerPosition, Turn, read_transcripts
from whybench.seeds import digest

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.errors import Fence
    from whybench.page.material import Material
    from whybench.page.panels import Place

MOST_SHOWN = 40
"""So many answers of an agent in a suite are shown, at most."""

FAILURES = {"wrong", "partly", "no_answer", "error"}


def kind_of(row: Mapping[str, Any], marked: bool) -> str:
    """Return what became of an answer.

    Args:
        row: A record.
        marked: Whether answers of its suite are right or wrong, or in between.

    Returns:
        `no_answer` or `error`; where answers are marked, `right`, `partly` or `wrong`; else
        `scored`.
    """
    if row["outcome"] != "scored" or not marked:
        return str(row["outcome"])
    if row["value"] == row["truth"]:
        return "right"
    return "partly" if 0 < row["value"] < 1 else "wrong"


def selected(
    rows: Sequence[Mapping[str, Any]], most: int, seed: int, wanted: Container[Place] = ()
) -> list[Mapping[str, Any]]:
    """Return at most so many of an agent's rows, each with its `kind`: failures, then others.

    Those that are wanted, since a sentence leads to them, come before others of their kind.
    """
    ranked = sorted(
        rows,
        key=lambda row: (
            (row["suite"], row["agent"], row["item"], row["epoch"]) not in wanted,
            digest("shown", seed, row["item"], row["epoch"]),
        ),
    )
    failures = [row for row in ranked if row["kind"] in FAILURES]
    others = [row for row in ranked if row["kind"] not in FAILURES]
    places = max(most - len(others), most * 3 // 4)
    return [*failures[:places], *others[: most - min(len(failures), places)]]


HEAD, TAIL = 2400, 1200
"""So many characters are kept at the beginning and at the end of a long text."""

MOST_TURNS = 60
"""So many turns of a conversation are shown."""

LARGEST = 1_900_000
"""The item browser takes at most so many characters of the page."""


@dataclass(frozen=True)
class Shown:
    """What the item browser shows.

    Attributes:
        data: Its data, packed.
        entries: How many answers are shown.
        answers: How many there are.
        most: How many of each agent and suite are shown at most.
        spoken: How many of the answers shown come with their conversation.
        kinds: What became of them, in order.
    """

    data: str
    entries: int
    answers: int
    most: int
    spoken: int
    kinds: tuple[str, ...]


def browser(
    material: Material,
    seed: int = 0,
    largest: int = LARGEST,
    fence: Fence | None = None,
    wanted: Container[Place] = (),
) -> Shown:
    """Choose answers, read what was said, and pack both.

    Args:
        material: What the page is made of.
        seed: Decides which answers are shown where not all are.
        largest: How many characters the packed data may take.
        fence: Takes a note if the logs cannot be read; the answers are then shown without what was
            said.
        wanted: Answers that are shown before others.
    """
    groups = [
        selected(rows, MOST_SHOWN, seed, wanted)
        for table in _tables(material)
        for rows in _by_agent(table)
    ]
    places = {_place(row) for rows in groups for row in rows}
    said: dict[AnswerPosition, Sequence[Turn]] = {}
    with fence.around("what was said, from the logs") if fence else nullcontext():
        said = dict(read_transcripts(material.logs, places)) if material.logs else {}
    most = MOST_SHOWN
    while True:
        shown = [row for rows in groups for row in selected(rows, most, seed, wanted)]
        data = packed(json.dumps(_data(shown, said), ensure_ascii=False, separators=(",", ":")))
        if len(data) <= largest or most == 1:
            break
        most = max(most * 2 // 3, 1)
    return Shown(
        data=data,
        entries=len(shown),
        answers=sum(table.num_rows for table in _tables(material)),
        most=most,
        spoken=sum(bool(said.get(_place(row))) for row in shown),
        kinds=tuple(dict.fromkeys(str(row["kind"]) for row in shown)),
    )


def shortened(text: str) -> str:
    """Return a text without its middle if it is long, saying how much was left out."""
    left_out = len(text) - HEAD - TAIL
    if left_out <= 0:
        return text
    return f"{text[:HEAD]}\n\n[… {left_out:,} characters left out here …]\n\n{text[-TAIL:]}"


def _tables(material: Material) -> list[pa.Table]:
    return [table for _, table in material.own() if table.num_rows]


def _by_agent(table: pa.Table) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of each agent, each with what became of the answer."""
    marked = set(table["truth"].unique().to_pylist()) <= {0.0, 1.0}
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        groups.setdefault(row["agent"], []).append({**row, "kind": kind_of(row, marked)})
    yield from groups.values()


def _place(row: Mapping[str, Any]) -> AnswerPosition:
    return AnswerPosition(row["log"] or "", row["item"], row["epoch"])


class _Numbered(dict[str, int]):
    """Numbers words in the order in which they are met."""

    def __missing__(self, word: str) -> int:
        self[word] = len(self)
        return self[word]


def _data(
    rows: Sequence[Mapping[str, Any]], said: Mapping[AnswerPosition, Sequence[Turn]]
) -> dict[str, Any]:
    agents, suites, columns, texts = _Numbered(), _Numbered(), _Numbered(), _Numbered()
    entries = []
    for row in rows:
        turns = said.get(_place(row), ())
        kept = [[turn.role, texts[shortened(turn.text)]] for turn in turns[:MOST_TURNS]]
        if len(turns) > MOST_TURNS:
            kept.append(["note", texts[f"{len(turns) - MOST_TURNS} further turns are left out"]])
        cells = [
            [columns[name], _cell(value)]
            for name, value in row.items()
            if name not in CORE and name != "kind" and value not in (None, "")
        ]
        entries.append(
            [
                agents[row["agent"]],
                suites[row["suite"]],
                row["item"],
                row["epoch"],
                row["kind"],
                row["reason"] or "",
                _cell(row["value"]),
                _cell(row["truth"]),
                cells,
                kept,
            ]
        )
    return {
        "agents": list(agents),
        "suites": list(suites),
        "columns": list(columns),
        "texts": list(texts),
        "entries": entries,
    }


def _cell(value: Any) -> Any:
    """Return a value as the browser shows it; the download has all digits."""
    if isinstance(value, float):
        return round(value, 4)
    return shortened(value) if isinstance(value, str) else value
