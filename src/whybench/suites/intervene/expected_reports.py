"""What the measures of the reference agents really are where all pairs are asked.

As in `expected`, nothing here holds an episode: worlds act by parents that drive their children,
what was seen entails what all orders agree on that could have shown it, and matrices tell what is
true.
"""

from __future__ import annotations

from itertools import product
from math import prod
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.intervene.entailment import conclude
from whybench.suites.intervene.expected import list_questions
from whybench.suites.intervene.experimenters import ALL_PAIRS, Inquiry, Intervention
from whybench.suites.intervene.posets import consistent_orders, list_posets
from whybench.suites.intervene.world import (
    ACTIONS,
    list_pairs,
    simulate_action,
    transitive_closure,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.expected import Expected, InterveneQuestion
    from whybench.suites.intervene.reporters import Reporter


def expect_report(reporter: Reporter) -> Expected:
    """Return the measures of an agent that claims something of all pairs, at times the opposite."""

    def expected(settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
        error = settings.get("error", 0.0)
        graded = [_grade_pairs(reporter, q) for q in list_questions(design)]
        chances = [
            [
                0.0 if entailed == "open" else error if wrong else 1 - error
                for entailed, wrong in one
            ]
            for one, _ in graded
        ]
        shares = {
            "justified_pairs": fmean(map(fmean, chances)),
            "justified_accuracy": fmean(map(prod, chances)),
        }
        if error:
            return shares
        pairs = [pair for one, _ in graded for pair in one]
        settled = [[entailed != "open" for entailed, _ in one] for one, _ in graded]
        return shares | {
            "settled": fmean(map(fmean, settled)),
            "accuracy_pairs": fmean(fmean(not wrong for _, wrong in one) for one, _ in graded),
            "as_entailed": shares["justified_pairs"],
            "overclaimed": fmean(entailed == "open" for entailed, _ in pairs),
            "steps": fmean(steps for _, steps in graded),
        }

    return expected


def _grade_pairs(
    reporter: Reporter, q: InterveneQuestion
) -> tuple[list[tuple[Entailed, bool]], int]:
    """Return what is entailed of each pair and whether the report is wrong of it, and the steps."""
    inquiry = Inquiry(q.world.n, *ALL_PAIRS, q.initial)
    while len(inquiry.transitions) < q.limit and (chosen := reporter.choose(inquiry)) is not None:
        inquiry = inquiry.then(chosen, simulate_action(q.world, inquiry.state, *chosen))
    known = _list_entailed(inquiry)
    caused = transitive_closure(q.world)
    graded = [
        (entailed, reporter.claims(inquiry, known, *pair) != caused[pair])
        for pair, entailed in known.items()
    ]
    return graded, len(inquiry.transitions)


def _list_entailed(inquiry: Inquiry) -> dict[tuple[int, int], Entailed]:
    """Return what is entailed of every pair, by listing all orders."""
    n = inquiry.n
    left = consistent_orders(n, inquiry.transitions, inquiry.initial)
    answers = {pair: list_posets(n).causes(*pair)[left] for pair in list_pairs(n)}
    return {pair: conclude(bool(yes.any()), not yes.all()) for pair, yes in answers.items()}


def expect_report_guessing(
    settings: Mapping[str, Any], design: InterveneDesign
) -> dict[str, float]:
    """Return the measures of an agent that acts at random and tosses a coin for each pair."""
    shares = {"accuracy_pairs": 0.5}
    if settings["steps"] == 1:
        settled = [
            fmean(
                entailed != "open"
                for inquiry in _list_first_steps(q)
                for entailed in _list_entailed(inquiry).values()
            )
            for q in list_questions(design)
        ]
        shares |= {"justified_pairs": fmean(settled) / 2}
    return shares


def _list_first_steps(q: InterveneQuestion) -> Iterator[Inquiry]:
    """Yield what is known after each action that there is."""
    first = Inquiry(q.world.n, *ALL_PAIRS, q.initial)
    for action, v in product(ACTIONS, range(q.world.n)):
        yield first.then(Intervention(action, v), simulate_action(q.world, q.initial, action, v))
