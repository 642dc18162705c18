"""The figures of dotted links by depth: cases, lists, plans, greedy choice and attacks.

All test cases are measured, with every dotted link that has weight, so no figure depends on which
link was drawn: a share is the mean over cases of the share of the weight that an agent settles.
"""

from __future__ import annotations

from functools import partial
from statistics import fmean, median
from typing import TYPE_CHECKING

from evidence.figures import Figure, Parts, figures_of
from whybench.suites.intervene.link_solvers import LINK_SOLVERS
from whybench.suites.intervene.links.cases import DEPTHS, TESTS, load_cases
from whybench.suites.intervene.links.generation import FEWEST, MOST
from whybench.suites.intervene.links.lists import best_share, settled_sets
from whybench.suites.intervene.links.planning import find_depth
from whybench.suites.intervene.links.scripts import find_list, find_script
from whybench.suites.intervene.links.shapes import describe_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from whybench.suites.intervene.links.cases import LinkCase
    from whybench.suites.intervene.links.diagram import Diagram, Step

    Act = Callable[[Diagram, int, Sequence[int]], Step | None]

SMALL = 4


def settles(diagram: Diagram, real: int, act: Act, depth: int) -> bool:
    """Return whether an agent settles the real link within the budget."""
    states, left = [diagram.initial], diagram.every
    while len(states) <= depth and (step := act(diagram, left, states)) is not None:
        action, entity = step
        after = diagram.worlds[real].after(states[-1], action, entity)
        left &= diagram.possible([states[-1], after], [step])
        states.append(after)
    return left == 1 << real


def weigh(case: LinkCase, act: Act) -> float:
    """Return the share of the weight of a case that an agent settles."""
    right = sum(
        weight
        for real, weight in enumerate(case.weights)
        if weight and settles(case.diagram, real, act, case.depth)
    )
    return right / sum(case.weights)


def _follow_list(diagram: Diagram, _left: int, states: Sequence[int], depth: int) -> Step | None:
    return find_list(diagram, depth).next_step(states)


def _follow_script(diagram: Diagram, _left: int, states: Sequence[int], depth: int) -> Step | None:
    return find_script(diagram, depth).next_step(states)


def by_depth(small: bool) -> Iterator[Figure]:
    """Yield for each depth its cases, the values of lists, and the shares of agents."""
    shapes: dict[str, list[str]] = {"train": [], "test": []}
    for depth in DEPTHS:
        stored = {side: load_cases()[depth, side] for side in ("train", "test")}
        for side, cases in stored.items():
            shapes[side] += [describe_shape(case.diagram) for case in cases]
        cases = stored["test"][:SMALL] if small else stored["test"]
        yield _count(depth, cases, small)
        yield _value(depth, cases)
        yield _shares(depth, cases)
    everything = shapes["train"] + shapes["test"]
    yield Figure(
        "no two cases are isomorphic, within a side or on both",
        f"{len(everything)} cases, {len(set(everything))} shapes",
        len(set(everything)) == len(everything),
    )


def _count(depth: int, cases: Sequence[LinkCase], small: bool) -> Figure:
    exact = [find_depth(case.diagram, depth) == depth for case in cases]
    support = [sum(weight > 0 for weight in case.weights) for case in cases]
    return Figure(
        f"depth {depth}: {TESTS} test cases or more, each of this depth, with {FEWEST} or more "
        "links that have weight",
        f"{len(cases)} cases; links with weight: least {min(support)}, median {median(support):g}",
        all(exact) and min(support) >= FEWEST and (small or len(cases) >= TESTS),
    )


def _value(depth: int, cases: Sequence[LinkCase]) -> Figure:
    values = sorted(best_share(settled_sets(case.diagram, depth), case.weights) for case in cases)
    tenths = [values[round(k * (len(values) - 1) / 4)] for k in range(5)]
    low = fmean(value <= 0.25 + 1e-9 for value in values)
    return Figure(
        f"depth {depth}: no list of actions settles more than {MOST} of the weight of a case",
        f"best list of each case (v): mean {fmean(values):.3f}; quartiles "
        f"{', '.join(f'{value:.3f}' for value in tenths)}; v at most 0.25 in {low:.0%}",
        values[-1] <= MOST,
    )


def _shares(depth: int, cases: Sequence[LinkCase]) -> Figure:
    agents: dict[str, Act] = {
        "planner": LINK_SOLVERS["controlled"].choose,
        "greedy information gain": LINK_SOLVERS["bayes"].choose,
        "one if": partial(_follow_script, depth=depth),
        "list": partial(_follow_list, depth=depth),
        "tries each link": LINK_SOLVERS["recipe"].choose,
    }
    shares = {name: [weigh(case, act) for case in cases] for name, act in agents.items()}
    found = {name: fmean(values) for name, values in shares.items()}
    failed = sum(value < 1 for value in shares["greedy information gain"])
    shown = "; ".join(f"{name} {value:.2f}" for name, value in found.items())
    return Figure(
        f"depth {depth}: the planner settles every link, lists at most {MOST}, one `if` at most "
        "twice as many",
        f"justified accuracy: {shown}; greedy fails in {failed} of {len(cases)} cases",
        found["planner"] == 1 and found["list"] <= MOST and found["one if"] <= 2 * MOST,
    )


PARTS: Parts = {"links by depth": by_depth}

figures = partial(figures_of, PARTS)
