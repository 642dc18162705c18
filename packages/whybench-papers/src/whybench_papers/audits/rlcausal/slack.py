"""The worlds that a print allows: every row may be any distribution that rounds to what is printed.

An answer is a quotient of functions that are linear in each row, and rows may move by half of a
hundredth only, so that it is nearly linear in all of them together. The searches below follow its
slope, by the second engine in floats, in many worlds at once. What they find is a world, which the
caller certifies in fractions: a world that was found proves that there is one; that none was found
proves nothing, and `farthest` bounds how far answers can lie.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import elimination
from whybench_papers.audits.rlcausal.prompts import HALF
from whybench_papers.audits.rlcausal.worlds import RowPlace, estimated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.scm.parameters import Array
    from whybench_papers.audits.rlcausal.prompts import Distribution
    from whybench_papers.audits.rlcausal.worlds import Asked

Rows = dict[RowPlace, "Distribution"]

MARGIN = 1e-6
"""How far inside of what rounds to the print searches stay, so that no tie decides."""

STEP = 1e-5
"""How far a row is moved to see how the answer changes."""

ROUNDS = 6
DIGITS = 10**9


def nearest(row: Distribution) -> Distribution:
    """Return the distribution nearest to a printed row: what is too much or too little is shared.

    Where a printed 0 would become negative it stays 0.
    """
    off = 1 - sum(row, Fraction(0))
    kept = [place for place, entry in enumerate(row) if entry > 0 or off > 0]
    share = off / len(kept)
    return tuple(entry + share if place in kept else entry for place, entry in enumerate(row))


def rounds_to(numbers: Sequence[Fraction], printed: Sequence[Fraction]) -> bool:
    """Say whether numbers may be printed so with two digits; a tie may go either way."""
    return all(abs(a - b) <= HALF for a, b in zip(numbers, printed, strict=True))


def find_world(
    asked: Asked, printed: Rows, free: Sequence[RowPlace], key: Distribution
) -> Rows | None:
    """Look for rows that round to the print, and whose answer rounds to the key.

    Args:
        asked: The question.
        printed: The printed rows.
        free: Those that may be anything that rounds to the print; the others are as printed.
        key: The answer looked for.

    Returns:
        Rows whose entries are fractions; None if none were found.
    """
    if not free:
        return None
    rows = {place: np.array(nearest(row), dtype=float) for place, row in printed.items()}
    goal = np.array(key, dtype=float)
    left = np.inf
    for _ in range(ROUNDS):
        now, slope = _slope(asked, rows, free)
        if np.abs(now - goal).max() < float(HALF) - MARGIN / 2:
            return _exact(rows, printed, free)
        step, distance = _step(rows, printed, free, slope, goal - now)
        if distance > float(HALF) and distance > left - MARGIN:
            return None
        left = distance
        parts = np.split(step, np.cumsum([len(rows[place]) for place in free])[:-1])
        for place, part in zip(free, parts, strict=True):
            rows[place] = rows[place] + part
    return None


def _step(
    rows: Mapping[RowPlace, Array],
    printed: Rows,
    free: Sequence[RowPlace],
    slope: Array,
    wanted: Array,
) -> tuple[Array, float]:
    """Return the step of the free rows that brings the answer nearest to the key, and how near.

    If the answer were linear: rows stay distributions that round to the print, and the greatest
    difference to the key is the least that there is.
    """
    from scipy.optimize import linprog  # noqa: PLC0415  (imported when it is needed)

    bounds: list[tuple[float, float]] = []
    balance = np.zeros((len(free), slope.shape[1] + 1))
    for number, place in enumerate(free):
        balance[number, len(bounds) : len(bounds) + len(rows[place])] = 1
        lows, highs = _bounds(printed[place])
        bounds += list(zip(lows - rows[place], highs - rows[place], strict=True))
    ones = np.ones((len(wanted), 1))
    found = linprog(
        np.append(np.zeros(len(bounds)), 1.0),
        A_ub=np.block([[slope, -ones], [-slope, -ones]]),
        b_ub=np.concatenate([wanted, -wanted]),
        A_eq=balance,
        b_eq=np.zeros(len(free)),
        bounds=[*bounds, (0, None)],
    )
    if not found.success:
        return np.zeros(len(bounds)), np.inf
    return found.x[:-1], float(found.fun)


def find_others(
    asked: Asked, printed: Rows, free: Sequence[RowPlace], answer: Distribution
) -> Iterator[Rows]:
    """Yield rows that round to the print, and whose answer seems to round to another one.

    Args:
        asked: The question.
        printed: The printed rows.
        free: Those that may be anything that rounds to the print.
        answer: The answer of the nearest distributions, with two digits.
    """
    rows = {place: np.array(nearest(row), dtype=float) for place, row in printed.items()}
    _, slope = _slope(asked, rows, free)
    corners = [_corners(printed[place]) for place in free]
    signed = np.concatenate([slope, -slope])  # towards more and less of each value
    chosen = []
    start = 0
    for place, every in zip(free, corners, strict=True):
        gain = signed[:, start : start + len(rows[place])] @ (every - rows[place]).T
        chosen.append(every[gain.argmax(axis=1)])
        start += len(rows[place])
    worlds = {place: np.repeat(row[:, None], len(signed), axis=1) for place, row in rows.items()}
    worlds |= {place: best.T for place, best in zip(free, chosen, strict=True)}
    found = estimated(asked, worlds)
    excess = np.abs(found - np.array(answer, dtype=float)[:, None]).max(axis=0) - float(HALF)
    best_world = int(excess.argmax())
    if excess[best_world] > 1e-9:
        yield _exact({place: row[:, best_world] for place, row in worlds.items()}, printed, free)


def farthest(asked: Asked, printed: Rows) -> Fraction:
    """Return a bound on how far an answer may lie from that of the nearest distributions.

    A row that moves by t in total variation moves what can be seen by t at most, and rows of one
    variable exclude each other. So the joint distribution moves by no more than the sum T over
    variables, and the quotient, where what was seen has probability D, by T / (D - T).
    """
    rows = {place: nearest(row) for place, row in printed.items()}
    moved = Fraction(0)
    done = asked.done[0] if asked.done else None
    for variable in asked.variables:
        places = [rule for rule in variable.rules if isinstance(rule, RowPlace)]
        if variable.name == done:
            continue
        moved += max((_variation(printed[place]) for place in places), default=Fraction(0))
    if asked.seen is None:
        return moved
    seen = Fraction(elimination.probability(asked.model(rows), asked.query_seen()))  # type: ignore[arg-type]
    return moved / (seen - moved) if seen > moved else Fraction(1)


def _variation(row: Distribution) -> Fraction:
    """Return how far a distribution that rounds to a row may be from the nearest one."""
    center = nearest(row)
    off = [HALF + abs(a - b) for a, b in zip(row, center, strict=True)]
    return sum(off, Fraction(0)) / 2


def _slope(
    asked: Asked, rows: Mapping[RowPlace, Array], free: Sequence[RowPlace]
) -> tuple[Array, Array]:
    """Return the answer, and how it changes with each entry of the free rows.

    Each row is moved a little towards each value in turn. The change by entries that add up to 0
    is the sum of these changes, weighted with the entries.
    """
    count = 1 + sum(len(rows[place]) for place in free)
    worlds = {place: np.repeat(row[:, None], count, axis=1) for place, row in rows.items()}
    column = 1
    for place in free:
        for value in range(len(rows[place])):
            worlds[place][:, column] *= 1 - STEP
            worlds[place][value, column] += STEP
            column += 1
    found = estimated(asked, worlds)
    return found[:, 0], (found[:, 1:] - found[:, :1]) / STEP


def _bounds(row: Distribution) -> tuple[Array, Array]:
    """Return the least and the greatest entries that round to a row, a little inside."""
    entries = np.array(row, dtype=float)
    reach = float(HALF) - MARGIN
    return np.maximum(entries - reach, 0), np.minimum(entries + reach, 1)


def _corners(row: Distribution) -> Array:
    """Return the corners of all distributions that round to a row; shape (corners, values)."""
    lows, highs = _bounds(row)
    found = []
    for loose in range(len(row)):
        fixed = [place for place in range(len(row)) if place != loose]
        for ends in product((lows, highs), repeat=len(fixed)):
            corner = np.zeros(len(row))
            for place, end in zip(fixed, ends, strict=True):
                corner[place] = end[place]
            corner[loose] = 1 - corner.sum()
            if lows[loose] - 1e-12 <= corner[loose] <= highs[loose] + 1e-12:
                found.append(corner)
    return np.array(found) if found else np.array([nearest(row)], dtype=float)


def _exact(rows: Mapping[RowPlace, Array], printed: Rows, free: Sequence[RowPlace]) -> Rows:
    """Return rows as fractions that add up to 1; those that are not free as printed."""
    exact = {place: nearest(row) for place, row in printed.items()}
    for place in free:
        *most, _ = (Fraction(round(entry * DIGITS), DIGITS) for entry in rows[place])
        row = (*most, 1 - sum(most, Fraction(0)))
        if min(row) >= 0 and rounds_to(row, printed[place]):
            exact[place] = row
    return exact
