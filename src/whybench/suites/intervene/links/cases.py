"""The stored cases of dotted links.

`python -m whybench.suites.intervene.links.generation` writes the file `cases.txt`. A line is a
case: depth, side, first state, solid links, dotted links, and weights. Numbers of entities stand
two by two, as cause and effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from whybench.seeds import Split, digest
from whybench.suites.contract import UserError
from whybench.suites.intervene.links.diagram import Diagram

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whybench.suites.intervene.links.diagram import Pair

FILE = "cases.txt"

HASH = "c486478f637dd557"
"""The digest of the file, by which an altered one is noticed."""

ENTITIES = 8
"""The number of entities of every case."""

LINKS = 12
"""The number of dotted links of every case."""

TESTS = 200
"""How many cases of each depth are for tests, at least."""

DEPTHS = (2, 3, 4)
"""The depths of cases."""


@dataclass(frozen=True)
class LinkCase:
    """A diagram, and how the real link is drawn.

    Attributes:
        depth: The number of actions that settle every hypothesis, and that are allowed.
        split: The side of the train/test divide.
        diagram: The diagram.
        weights: The probability of each dotted link, as whole numbers with any sum.
    """

    depth: int
    split: Split
    diagram: Diagram
    weights: tuple[int, ...]


def write_case(case: LinkCase) -> str:
    """Return the line of a case."""
    diagram = case.diagram
    return " ".join(
        (
            str(case.depth),
            case.split,
            str(diagram.initial),
            _write_pairs(diagram.solid),
            _write_pairs(diagram.dotted),
            ",".join(map(str, case.weights)),
        )
    )


def read_case(line: str) -> LinkCase:
    """Return the case of a line."""
    depth, split, initial, solid, dotted, weights = line.split()
    diagram = Diagram(ENTITIES, _read_pairs(solid), _read_pairs(dotted), int(initial))
    return LinkCase(int(depth), cast("Split", split), diagram, tuple(map(int, weights.split(","))))


def _write_pairs(pairs: Iterable[Pair]) -> str:
    return "".join(f"{u}{w}" for u, w in pairs)


def _read_pairs(text: str) -> tuple[Pair, ...]:
    return tuple((int(u), int(w)) for u, w in zip(text[::2], text[1::2], strict=True))


@cache
def load_cases() -> Mapping[tuple[int, Split], tuple[LinkCase, ...]]:
    """Return the cases of each depth and side.

    Raises:
        UserError: The file is not the one that belongs to this version.
    """
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    if (found := digest(text).hex()[:16]) != HASH:
        raise UserError(f"{FILE} must have the digest {HASH}, got {found}; install whybench again")
    cases: dict[tuple[int, Split], list[LinkCase]] = {}
    for case in map(read_case, text.splitlines()):
        cases.setdefault((case.depth, case.split), []).append(case)
    return {key: tuple(found) for key, found in cases.items()}
