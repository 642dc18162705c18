"""The measures of a suite whose items have a depth, and of its matched control.

Items that ask `do` set the cause. Each has a control (`Control`), which needs the same steps and no
intervention. An agent that loses its way in long computations has a low horizon in both. Only the
ratio of the two is about causal reasoning.

A suite whose items have the columns `depth` and `query` takes its measures from
`declare_horizon`, with its own guessing rate, tolerance and control.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.stats import Difference
from whybench.stats.horizon import HorizonFit
from whybench.suites.groups import group_records
from whybench.suites.measures import By, both, compare_declared, custom, equals, reached, share
from whybench.suites.pairs import match_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Estimate
    from whybench.suites.groups import Group
    from whybench.suites.measures import DeclaredMeasure

DO, OBSERVE = "do", "observe"
QUERIES = (DO, OBSERVE)
"""The cause is set, or observed."""


class Control(NamedTuple):
    """The control of a suite, and its descriptions in explanations of measures.

    Attributes:
        query: The query of its items.
        condition: Completes "The same where …".
        compared: Completes "with interventions as with …".
        asked: Completes "correct answers where …".
    """

    query: str
    condition: str
    compared: str
    asked: str


OBSERVED = Control(
    OBSERVE,
    "the cause is observed and not set, which takes the same steps",
    "observations",
    "the cause is observed",
)
"""The control in which the cause is observed."""

HEADLINE = ("horizon", "control_horizon", "horizon_ratio")


def is_right(group: Group, tolerance: float = 0.0) -> NDArray[np.bool_]:
    """Return which answers are right; no answer is wrong.

    Args:
        group: The answers.
        tolerance: How far a right answer may be from the ground truth, as a share of the latter.
    """
    near = np.abs(group["value"] - group["truth"]) <= tolerance * np.abs(group["truth"])
    return np.asarray((group["outcome"] == "scored") & near)


def fit_horizon(group: Group, query: str, guess: float, tolerance: float = 0.0) -> HorizonFit:
    """Fit the curve of a query to the answers that no technical error ended."""
    asked = group.where(reached(group) & (group["query"] == query))
    return HorizonFit(asked["depth"], is_right(asked, tolerance), guess)


def declare_horizon(
    guess: float, tolerance: float = 0.0, control: Control = OBSERVED
) -> tuple[DeclaredMeasure, ...]:
    """Return the measures of a suite with this guessing rate, tolerance and control."""

    def fit(group: Group, query: str) -> HorizonFit:
        return group.once(fit_horizon, query, guess, tolerance)

    def of_query(
        query: str, estimate: Callable[[HorizonFit], Estimate]
    ) -> Callable[[Group], Estimate]:
        return lambda group: estimate(fit(group, query))

    def compare(group: Group) -> Estimate:
        return fit(group, DO).compare(fit(group, control.query))

    def has(*queries: str) -> Callable[[Group], bool]:
        return lambda group: all((group["query"] == query).any() for query in queries)

    return (
        custom(
            "horizon",
            "horizon",
            "The depth at which half of the answers are correct, corrected for guessing, where the "
            "cause is set by an intervention.",
            of_query(DO, HorizonFit.estimate),
            range=(0.0, inf),
            direction="higher",
            when=has(DO),
        ),
        custom(
            "control_horizon",
            "horizon of the control",
            f"The same where {control.condition}.",
            of_query(control.query, HorizonFit.estimate),
            range=(0.0, inf),
            direction="higher",
            when=has(control.query),
        ),
        custom(
            "horizon_ratio",
            "log2 of horizon over control",
            f"How many times as far an agent gets with interventions as with {control.compared}, "
            "as a power of 2: at 0 equally far, at -1 half as far.",
            compare,
            exact=0.0,
            when=has(DO, control.query),
        ),
        custom(
            "steepness",
            "steepness",
            "How suddenly success ends where the cause is set: about 1 if each step may fail, "
            "larger if it ends at a certain depth.",
            of_query(DO, HorizonFit.estimate_steepness),
            range=(0.0, inf),
            when=has(DO),
        ),
        custom(
            "lapse_rate",
            "lapses",
            "The share of wrong answers at any depth, where the cause is set.",
            of_query(DO, HorizonFit.estimate_lapses),
            range=(0.0, 1.0),
            direction="lower",
            when=has(DO),
        ),
        *(
            share(
                name,
                label,
                f"The share of correct answers where {asked}.",
                both(reached, equals("query", query)),
                lambda group: is_right(group, tolerance).astype(float),
                direction="higher",
                baseline=guess,
                exact=1.0,
                when=has(query),
                levels=(By("depth", int),),
                compared="reached",
            )
            for name, label, asked, query in (
                ("accuracy", "accuracy", "the cause is set", DO),
                (
                    "control_accuracy",
                    "accuracy in the control",
                    control.asked,
                    control.query,
                ),
            )
        ),
    )


def compare_horizons(
    records: pa.Table,
    condition: Sequence[str],
    measures: Sequence[DeclaredMeasure],
    guess: float,
    tolerance: float = 0.0,
    control: Control = OBSERVED,
) -> Iterator[Difference]:
    """Yield the differences between two sides.

    Horizons are compared by all answers of each side, since questions that are placed by the
    answers differ between the sides; shares on the questions of both.
    """
    for first, second in match_groups(group_by_depth(records, condition)):
        named = {name: value for name, value in first.labels.items() if name in condition}
        for name, query in (("horizon", DO), ("control_horizon", control.query)):
            reference, other = (
                fit_horizon(side, query, guess, tolerance) for side in (first, second)
            )
            if reference.depths.size and other.depths.size:
                sides = other.estimate(), reference.estimate()
                yield Difference.of(name, named, sides, other.subtract(reference))
    yield from compare_declared(records, lambda table: group_by_depth(table, condition), measures)


def group_by_depth(records: pa.Table, condition: Sequence[str]) -> list[Group]:
    """Return the groups of records; the sampled unit is a world."""
    return group_records(
        records,
        condition,
        ("outcome", "query"),
        ("value", "truth", "depth", "draw"),
        lambda _: ("world", ("depth", "draw")),
    )
