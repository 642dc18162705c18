"""Which formula gives a causal quantity, by the graph and by what is printed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from whybench_papers.audits.cladder.adjustment import (
    is_adjusted,
    is_front_door,
    is_instrument,
    mediates,
)
from whybench_papers.audits.cladder.instrument import find_instrument_range
from whybench_papers.audits.cladder.natural import Arrowhead, find_natural_range
from whybench_papers.audits.cladder.ranges import AmountRange, find_range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from whybench.scm import Graph
    from whybench_papers.audits.cladder.ranges import Chances, PrintedShares

_CASES = tuple(product((0, 1), repeat=2))


@dataclass(frozen=True)
class RangeEstimate:
    """A way from the printed shares to a quantity.

    Attributes:
        method: What it is called.
        range_within: From how far a share may be from its print, to the quantity's range.
    """

    method: str
    range_within: Callable[[Fraction], AmountRange]


def find_estimate(query: str, graph: Graph, x: str, y: str, shares: PrintedShares) -> RangeEstimate:
    """Return the estimate of an effect of `x` on `y`: ate, ett (in cases with x), nde or nie.

    Raises:
        ValueError: The print gives no formula that the graph allows.
    """
    ways = {"ate": _average, "ett": _treated, "nde": _direct, "nie": _indirect}
    for estimate in ways[query](graph, x, y, shares):
        return estimate
    raise ValueError(f"{query} of {x} on {y} must have a formula with what is printed")


def _within(
    method: str, shares: PrintedShares, formula: Callable[[Chances], Fraction]
) -> RangeEstimate:
    return RangeEstimate(method, lambda slack: find_range(formula, shares, slack))


def _average(graph: Graph, x: str, y: str, shares: PrintedShares) -> Iterator[RangeEstimate]:
    if shares.has(y, x) and is_adjusted(graph, x, y):
        yield _within("difference", shares, partial(_difference, x, y))
    for z in graph.nodes:
        if shares.has(y, z, x) and shares.has(z) and is_adjusted(graph, x, y, [z]):
            yield _within("back door", shares, partial(_back_door, x, y, z, None))
        if shares.has(y, x, z) and shares.has(z, x) and is_front_door(graph, x, z, y):
            yield _within("front door", shares, partial(_front_door, x, y, z))
        if shares.has(y, z) and shares.has(x, z) and is_instrument(graph, z, x, y):
            yield RangeEstimate("instrument", partial(_bound_by_instrument, x, y, z, shares))


def _treated(graph: Graph, x: str, y: str, shares: PrintedShares) -> Iterator[RangeEstimate]:
    if shares.has(y, x) and is_adjusted(graph, x, y):
        yield _within("difference", shares, partial(_difference, x, y))
    for z in graph.nodes:
        if shares.has(y, x, z) and is_front_door(graph, x, z, y):
            yield _within("front door", shares, partial(_front_door_treated, x, y, z))
        if shares.has(y, z, x) and is_adjusted(graph, x, y, [z]):
            method = "back door" if shares.has(z, x) else "back door without its weights"
            yield _within(method, shares, partial(_back_door, x, y, z, x))


def _indirect(graph: Graph, x: str, y: str, shares: PrintedShares) -> Iterator[RangeEstimate]:
    if (x, y) not in graph.edges:
        yield from _average(graph, x, y, shares)
    yield from _natural("nie", graph, x, y, shares)


def _direct(graph: Graph, x: str, y: str, shares: PrintedShares) -> Iterator[RangeEstimate]:
    yield from _natural("nde", graph, x, y, shares)


def _natural(
    kind: str, graph: Graph, x: str, y: str, shares: PrintedShares
) -> Iterator[RangeEstimate]:
    for m in graph.nodes:
        if not shares.has(y, x, m):
            continue
        if shares.has(m, x) and mediates(graph, x, m, y):
            formula = _natural_direct if kind == "nde" else _natural_indirect
            yield _within("mediation", shares, partial(formula, x, y, m))
        for k in graph.nodes:
            if shares.has(m, x, k) and shares.has(k) and mediates(graph, x, m, y, [k]):
                yield RangeEstimate(
                    "mediation, confounded",
                    partial(_bound_natural, kind, (x, m, k, y), shares),
                )


def _difference(x: str, y: str, chance: Chances) -> Fraction:
    return chance(y, {x: 1}) - chance(y, {x: 0})


def _back_door(x: str, y: str, z: str, among: str | None, chance: Chances) -> Fraction:
    """Return the effect in cases with `among`, by what z is there; in all cases if None."""
    given = {among: 1} if among else {}
    first, second = (
        chance(z, given, value) * (chance(y, {z: value, x: 1}) - chance(y, {z: value, x: 0}))
        for value in (0, 1)
    )
    return first + second


def _front_door(x: str, y: str, m: str, chance: Chances) -> Fraction:
    with_m, without = (
        sum((chance(x, value=h) * chance(y, {x: h, m: value}) for h in (0, 1)), Fraction(0))
        for value in (1, 0)
    )
    return (chance(m, {x: 1}) - chance(m, {x: 0})) * (with_m - without)


def _front_door_treated(x: str, y: str, m: str, chance: Chances) -> Fraction:
    return (chance(m, {x: 1}) - chance(m, {x: 0})) * (
        chance(y, {x: 1, m: 1}) - chance(y, {x: 1, m: 0})
    )


def _natural_direct(x: str, y: str, m: str, chance: Chances) -> Fraction:
    first, second = (
        chance(m, {x: 0}, value) * (chance(y, {x: 1, m: value}) - chance(y, {x: 0, m: value}))
        for value in (0, 1)
    )
    return first + second


def _natural_indirect(x: str, y: str, m: str, chance: Chances) -> Fraction:
    return (chance(m, {x: 1}) - chance(m, {x: 0})) * (
        chance(y, {x: 0, m: 1}) - chance(y, {x: 0, m: 0})
    )


def _bound_by_instrument(
    x: str, y: str, z: str, shares: PrintedShares, slack: Fraction
) -> AmountRange:
    cause, effect = (
        tuple(shares.bounds((name, frozenset({(z, value)})), slack) for value in (0, 1))
        for name in (x, y)
    )
    return find_instrument_range(cause, effect)


def _bound_natural(
    kind: str, names: tuple[str, str, str, str], shares: PrintedShares, slack: Fraction
) -> AmountRange:
    x, m, k, y = names

    def arrowhead(width: Fraction) -> Arrowhead:
        def boxes(name: str, second: str) -> tuple[AmountRange, ...]:
            given = (frozenset(zip((x, second), each, strict=True)) for each in _CASES)
            return tuple(shares.bounds((name, states), width) for states in given)

        return Arrowhead(shares.bounds((k, frozenset()), width), boxes(m, k), boxes(y, m))

    return find_natural_range(kind, arrowhead(Fraction(0)), arrowhead(slack))
