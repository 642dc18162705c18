"""The people of Rehder and Waldmann (2017) as records: an answer by a person is a row.

Two downloaded files hold 48 people each, of whom everyone judged one story in one polarity
(20 questions). Both separate columns by semicolons, start with a byte-order mark and write
decimal commas. In both, `letter.type` names the question, `type` says what was asked and given,
and the column `task` is the same everywhere and says nothing.

The coding of `type`, checked against every row when a file is read:

=======  =========================  =======================
letter   collider (CA, CB -> E)     fork (C -> EA, EB)
=======  =========================  =======================
a        Ci given E=1, Cj=1         Ei given C=1, Ej=1
b        Ci given E=1               Ei given C=1
c        Ci given E=1, Cj=0         Ei given C=1, Ej=0
d, e     Ci given Cj=1, 0           Ei given Ej=1, 0
f        Ci given E=0, Cj=1         Ei given C=0, Ej=1
g        Ci given E=0               Ei given C=0
h        Ci given E=0, Cj=0         Ei given C=0, Ej=0
i, j, k  E given 0, 1, 2 causes     C given 0, 1, 2 effects
=======  =========================  =======================

So a letter means the same place in both graphs (the two outer variables and the one they meet
in), and the fork's rows carry the collider's task numerals. What the letter *tests* differs: in
the fork, a, b and c should agree (the cause screens off the other effect), as should f, g and h.
The two files differ in three more ways: the fork has four people in every story and polarity, the
collider between two and six; the fork's `study.type` is another notation, and for j it seems to
contradict `type` about which effect was present (`C|EA=0,EB=1` stands beside `[X]/v10`), so
`cause` of the fork's j, which follows `type`, is not to be trusted; and persons are numbered anew
in each file. CA and EA count as the first outer variable. Neither file says where on the screen
it stood (`diagram` a or b).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, get_args

from whybench.datasets import data_path
from whybench.suites.judge.published import SOURCE, STORIES, human_means
from whybench.suites.judge.questions import structure

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PEOPLE_COLUMNS", "Graph", "human_cells", "mean_records", "people_records"]

Graph = Literal["collider", "fork"]

FILES: dict[str, str] = {
    "collider": "data/raw/human/rw17/rw17_collider_ce.csv",
    "fork": "data/raw/human/rw17/rw17_fork_cc.csv",
}
AGENT = "human/rw17"
MEAN_AGENT = "human/rw17.mean"
PEOPLE_COLUMNS = {"person": str}
"""The column that records of people have beside those of judge."""

NODES = {
    "collider": {"CA": "C1", "CB": "C2", "E": "E"},
    "fork": {"EA": "E1", "EB": "E2", "C": "C"},
}
"""The files' names of variables, to ours."""

Given = dict[str, int]


def people_records(graph: Graph = "collider") -> pa.Table:
    """Return every judgment of every person: 960 rows of 48 people.

    `person` is the graph and the file's number of the person; `epoch` numbers the people who
    answered the same question about the same story in the same polarity, so that agent, item and
    epoch name a row. There is no truth. `stimuli` is published: people read the stories from
    which the source made its prompts.
    """
    if graph not in get_args(Graph):
        raise ValueError(f"graph must be collider or fork, got {graph!r}")
    path = FILES[graph]
    rows: list[dict[str, Any]] = []
    met: Counter[str] = Counter()
    with data_path(SOURCE, path).open(encoding="utf-8-sig", newline="") as lines:
        for line in csv.DictReader(lines, delimiter=";"):
            story, polarity = STORIES[line["domain"]], line["attr.polarity"]
            letter = line["letter.type"].lower()
            cause = _version(graph, letter, line["type"])
            item = f"rw17-{graph}-{story}-{polarity}-{letter}-{cause}"
            met[item] += 1
            rows.append(
                _row(graph, story, polarity, letter, cause)
                | {
                    "agent": AGENT,
                    "item": item,
                    "epoch": met[item],
                    "value": _number(line["y"]),
                    "seconds": _number(line["rt"]),
                    "log": f"{SOURCE}/{path}",
                    "person": f"{graph}-{line['s']}",
                }
            )
    return _table(rows)


def mean_records() -> pa.Table:
    """Return the mean person: 240 rows, as the source uses people in its tests and fits.

    The mean judgment of each of 132 cells (story, polarity, letter) stands once for each version
    of the question, so twice except for i and k. People are thereby weighted by cell, not by
    person: explaining away is .0995 so, and .0964 in the judgments themselves.
    """
    questions = structure("collider").questions
    rows = [
        _row("collider", story, polarity, letter, question.cause)
        | {
            "agent": MEAN_AGENT,
            "item": f"rw17-collider-{story}-{polarity}-{letter}-{question.cause}",
            "epoch": 1,
            "value": mean,
            "log": f"{SOURCE}/{FILES['collider']}",
            "person": "",
        }
        for (story, polarity, letter), mean in human_means().items()
        for question in questions
        if question.letter == letter
    ]
    return _table(rows)


@cache
def human_cells(graph: str) -> dict[tuple[str, str, str], float]:
    """Return (story, polarity, letter) to people's mean judgment; empty if nobody was asked."""
    if graph not in get_args(Graph):
        return {}
    if graph == "collider":
        return human_means()
    cells: dict[tuple[str, str, str], list[float]] = {}
    for row in people_records("fork").to_pylist():
        key = (row["story"], row["polarity"], row["letter"])
        cells.setdefault(key, []).append(row["value"])
    return {key: fmean(values) for key, values in cells.items()}


def _row(graph: str, story: str, polarity: str, letter: str, cause: str) -> dict[str, Any]:
    """Return what a judgment has in common with every other one of its kind."""
    return {
        "suite": "judge",
        "design": "people",
        "design_hash": "",
        "outcome": "scored",
        "reason": "",
        "graph": graph,
        "content": "story",
        "story": story,
        "polarity": polarity,
        "task": _numerals()[letter],
        "letter": letter,
        "cause": cause,
        "overload": "none",
        "overload_source": "none",
        "style": "numeric",
        "stimuli": "published",
    }


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    from whybench.records.schema import record_table  # noqa: PLC0415  (imports pyarrow)
    from whybench.suites.judge import SUITE  # noqa: PLC0415  (a part of it imports us)

    for row in rows:
        row["version"] = SUITE.version
    return record_table(rows, {**SUITE.columns, **PEOPLE_COLUMNS})


def _numerals() -> dict[str, str]:
    return {question.letter: question.task for question in structure("collider").questions}


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _version(graph: str, letter: str, kind: str) -> str:
    """Return the outer variable that a question is about, having checked its letter.

    `kind` is the file's column `type`, such as `CA|E=1,CB=0`.
    """
    names = NODES[graph]
    asked, *given = re.findall(r"[A-Z]+", kind)
    states = [int(state) for state in re.findall(r"=([01])", kind)]
    known = {names[node]: state for node, state in zip(given, states, strict=True)}
    for question in structure("collider").questions:
        # The outer variables are C1 and C2 of the collider, E1 and E2 of the fork.
        moved = {"C1": "E1", "C2": "E2", "E": "C"} if graph == "fork" else {}
        expected: Given = {moved.get(node, node): state for node, state in question.given}
        if known == expected and names[asked] == moved.get(question.asked, question.asked):
            if question.letter != letter:
                break
            return moved.get(question.cause, question.cause)
    raise ValueError(f"letter.type must be that of {kind} in the {graph}, got {letter!r}")
