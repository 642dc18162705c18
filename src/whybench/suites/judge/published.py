"""The judgments of people, read from downloaded files.

`people_records` are the people of Rehder and Waldmann (2017) as records: an answer by a person is a
row. Two downloaded files hold 48 people each, of whom everyone judged one story in one polarity
(20 questions). Both separate columns by semicolons, start with a byte-order mark and write decimal
commas. In both, `letter.type` names the question, `type` says what was asked and given,
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

So a letter means the same position in both graphs (the two outer variables and the one they meet
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
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from whybench.datasets import data_path, file_state
from whybench.suites.judge.items import COLUMNS, VERSION
from whybench.suites.judge.questions import load_structure

if TYPE_CHECKING:
    import pyarrow as pa

    from whybench.suites.judge.questions import JudgeQuestion

SOURCE = "causAIign"
STORIES = {"economy": "economy", "society": "sociology", "weather": "weather"}
"""The stories as the files name them, and our names."""


JudgedGraph = Literal["collider", "fork"]
"""The graphs that people were asked about."""

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


def people_are_fetched() -> bool:
    """Whether people's judgments have been downloaded."""
    return file_state(SOURCE, FILES["collider"]) != "not fetched"


def people_records(graph: JudgedGraph = "collider") -> pa.Table:
    """Return every judgment of every person: 960 rows of 48 people.

    `person` is the graph and the file's number of the person; `epoch` numbers the people who
    answered the same question about the same story in the same polarity, so that agent, item and
    epoch name a row. There is no truth. People read the stories from which Dettki (2025) made
    prompts, not ours.
    """
    if graph not in get_args(JudgedGraph):
        raise ValueError(f"graph must be collider or fork, got {graph!r}")
    rows = []
    epochs: Counter[str] = Counter()
    with data_path(SOURCE, FILES[graph]).open(encoding="utf-8-sig", newline="") as lines:
        for line in csv.DictReader(lines, delimiter=";"):
            question = _find_question(graph, line["letter.type"].lower(), line["type"])
            row = _row(graph, STORIES[line["domain"]], line["attr.polarity"], question)
            epochs[row["item"]] += 1
            row |= {
                "agent": AGENT,
                "epoch": epochs[row["item"]],
                "value": _number(line["y"]),
                "seconds": _number(line["rt"]),
                "person": f"{graph}-{line['s']}",
            }
            rows.append(row)
    return _table(rows)


def mean_records() -> pa.Table:
    """Return the mean person: 240 rows, as the source uses people in its tests and fits.

    The mean judgment of each of 132 cells (story, polarity, letter) stands once for each version
    of the question, so twice except for i and k. People are thereby weighted by cell, not by
    person: explaining away is .0995 so, and .0964 in the judgments themselves.
    """
    mean_person = {"agent": MEAN_AGENT, "epoch": 1, "person": ""}
    rows = [
        _row("collider", story, polarity, question) | mean_person | {"value": mean}
        for (story, polarity, letter), mean in human_means("collider").items()
        for question in load_structure("collider").questions
        if question.letter == letter
    ]
    return _table(rows)


@cache
def human_means(graph: str) -> dict[tuple[str, str, str], float]:
    """Return (story, polarity, letter) to people's mean judgment, 0 to 100: 132 cells.

    It is empty if nobody was asked about the graph.
    """
    if graph not in get_args(JudgedGraph):
        return {}
    cells: dict[tuple[str, str, str], list[float]] = {}
    for row in people_records(cast("JudgedGraph", graph)).to_pylist():
        key = (row["story"], row["polarity"], row["letter"])
        cells.setdefault(key, []).append(row["value"])
    return {key: fmean(values) for key, values in cells.items()}


def _row(graph: str, story: str, polarity: str, question: JudgeQuestion) -> dict[str, Any]:
    """Return what a judgment has in common with every other one about the same item."""
    return {
        "suite": "judge",
        "design": "people",
        "design_hash": "",
        "outcome": "scored",
        "reason": "",
        "item": f"rw17-{graph}-{story}-{polarity}-{question.letter}-{question.cause}",
        "log": f"{SOURCE}/{FILES[graph]}",
        "graph": graph,
        "content": "story",
        "story": story,
        "polarity": polarity,
        "task": question.task,
        "letter": question.letter,
        "cause": question.cause,
        "overload": "none",
        "overload_source": "none",
        "style": "direct",
        "independence": "unstated",
    }


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    from whybench.records.table import record_table  # noqa: PLC0415  (imports pyarrow)

    for row in rows:
        row["version"] = VERSION
    return record_table(rows, {**COLUMNS, **PEOPLE_COLUMNS})


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _find_question(graph: str, letter: str, kind: str) -> JudgeQuestion:
    """Return the question that a row answers, having checked its letter.

    `kind` is the file's column `type`, such as `CA|E=1,CB=0`.
    """
    target, *given = (NODES[graph][node] for node in re.findall(r"[A-Z]+", kind))
    states = map(int, re.findall(r"=([01])", kind))
    known = dict(zip(given, states, strict=True))
    for question in load_structure(graph).questions:
        if (question.target, dict(question.given), question.letter) == (target, known, letter):
            return question
    raise ValueError(f"letter.type must be that of {kind} in the {graph}, got {letter!r}")
