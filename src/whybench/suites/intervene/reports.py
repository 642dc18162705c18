"""A report on a whole graph: what is said of each ordered pair, and what that is worth.

Of each pair a report says that the first causes the second (`yes`), that it does not (`no`), or
that what was seen leaves it open (`open`). What it claims is set against the truth and against what
was seen, as an answer about one pair is (`verdicts`); what it leaves open has the verdict `open`.
The verdict on the whole is the worst of any of its pairs: a report is justified if all of it is.

Records hold what is said of all pairs, and what was entailed, in words: `0>1 yes; 0>2 open`.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, cast

from whybench.suites.intervene.verdicts import Verdict, decide_verdict
from whybench.suites.intervene.world import InterveneWorld, list_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.replies import ReportReply

    Said = Mapping[tuple[int, int], Entailed]

PairVerdict = Verdict | Literal["open"]

PAIR_VERDICTS: tuple[PairVerdict, ...] = ("justified", "open", "lucky", "premature", "contradicts")
"""The verdicts on what a report says of a pair, best first."""


def read_report(reply: ReportReply, entities: Mapping[str, int], n: int) -> Said | None:
    """Return what a reply says of each pair; None if it cannot be followed.

    That is where it names an entity that there is not, one as its own cause, or lists a pair as a
    cause and as open.
    """
    listed: list[set[tuple[int, int]]] = []
    for pairs in reply:
        found = [(entities.get(cause, -1), entities.get(effect, -1)) for cause, effect in pairs]
        if any(-1 in pair or pair[0] == pair[1] for pair in found):
            return None
        listed.append({*found})
    drives, doubtful = listed
    if drives & doubtful:
        return None
    return {
        pair: "yes" if pair in drives else "open" if pair in doubtful else "no"
        for pair in list_pairs(n)
    }


def render_report(said: Said, names: Sequence[str]) -> str:
    """Return the reply that reports this."""
    drives, doubtful = (
        [f"{names[x]} > {names[y]}" for (x, y), claim in said.items() if claim == level]
        for level in ("yes", "open")
    )
    return json.dumps({"drives": drives, "open": doubtful})


def pack_report(said: Said) -> str:
    """Return what is said of all pairs, or entailed, as records hold it."""
    return "; ".join(f"{x}>{y} {claim}" for (x, y), claim in said.items())


def unpack_report(text: str) -> Said:
    """Return what is said of all pairs from the words of a record."""
    said = {}
    for entry in text.split("; "):
        pair, claim = entry.split(" ")
        x, y = pair.split(">")
        said[int(x), int(y)] = cast("Entailed", claim)
    return said


def grade_report(
    said: Said, world: InterveneWorld, evidence: Said
) -> dict[tuple[int, int], PairVerdict]:
    """Return the verdict on each pair of a report.

    Raises:
        ValueError: If the evidence entails what is not true; no observation of this world can.
    """
    return {
        pair: "open"
        if claim == "open"
        else decide_verdict(claim, world.causes(*pair), evidence[pair])
        for pair, claim in said.items()
    }


def worst_verdict(verdicts: Mapping[tuple[int, int], PairVerdict]) -> PairVerdict:
    """Return the verdict on a report as a whole."""
    return max(verdicts.values(), key=PAIR_VERDICTS.index)


@lru_cache(maxsize=65536)
def count_verdicts(n: int, graph: str, report: str, evidence: str) -> tuple[int, ...]:
    """Return how many pairs have each of `PAIR_VERDICTS`, and how many are said as entailed.

    Args:
        n: How many entities there are.
        graph: The hidden edges, as in records: `0>1 1>2`.
        report: What was reported: `0>1 yes; 0>2 open`.
        evidence: What was entailed, in the same words.
    """
    edges = tuple((int(x), int(y)) for x, y in (edge.split(">") for edge in graph.split()))
    said, entailed = unpack_report(report), unpack_report(evidence)
    met = Counter(grade_report(said, InterveneWorld(n, edges), entailed).values())
    agreed = sum(said[pair] == entailed[pair] for pair in said)
    return (*(met[verdict] for verdict in PAIR_VERDICTS), agreed)
