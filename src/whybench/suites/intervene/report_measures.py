"""The table of intervene's measures where a report on all pairs is asked.

Episodes without a report count as reports without a claim. Intervals are clustered by hidden graph.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.intervene.reports import PAIR_VERDICTS, count_verdicts, unpack_report
from whybench.suites.measures import By, equals, mean, ratio, reached, scored, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.groups import Group

GRAPH_WORLDS = "graph"
"""The set of worlds in which all pairs are asked."""

SPLIT_BY = (By("entities", int), By("initial"))
JUSTIFIED, OPEN, LUCKY, PREMATURE, CONTRADICTS = range(len(PAIR_VERDICTS))


def is_of_reports(group: Group) -> bool:
    """Return whether a group has reports on all pairs."""
    return group.labels["worlds"] == GRAPH_WORLDS


def _pairs(group: Group) -> NDArray[np.float64]:
    """Return the number of ordered pairs."""
    return np.asarray(group["entities"] * (group["entities"] - 1))


def _counts(answers: Group) -> NDArray[np.float64]:
    """Return for each report the pairs with each verdict, and the pairs reported as entailed."""
    columns = ("entities", "graph", "report", "evidence")
    cases = zip(*(answers[name].tolist() for name in columns), strict=True)
    counts = [count_verdicts(int(n), *words) for n, *words in cases]
    return np.array(counts, dtype=float).reshape(-1, len(PAIR_VERDICTS) + 1)


def _has(verdict: int, answers: Group) -> NDArray[np.float64]:
    """Return the share of pairs of each report that have a verdict, by its place."""
    return np.asarray(answers.once(_counts)[:, verdict] / _pairs(answers))


def _settled(answers: Group) -> NDArray[np.float64]:
    entailed = [unpack_report(text).values() for text in answers["evidence"].tolist()]
    settled = np.array([sum(claim != "open" for claim in found) for found in entailed])
    return np.asarray(settled / _pairs(answers))


def _right_pairs(episodes: Group) -> NDArray[np.float64]:
    right, answered = np.zeros(episodes.units.size), scored(episodes)
    right[answered] = _has(JUSTIFIED, episodes.where(answered)) + _has(
        LUCKY, episodes.where(answered)
    )
    return right


REPORT_MEASURES = (
    share(
        "justified_pairs",
        "justified pairs",
        "The mean share of pairs with a correct claim that follows from the agent's experiments.",
        reached,
        lambda episodes: np.nan_to_num(episodes["value"]),
        levels=SPLIT_BY,
        compared="reached",
        direction="higher",
        exact=1.0,
    ),
    share(
        "justified_accuracy",
        "justified accuracy of reports",
        "The share of reports that are justified in every pair.",
        reached,
        equals("verdict", "justified"),
        levels=SPLIT_BY,
        compared="reached",
        direction="higher",
        exact=1.0,
    ),
    share(
        "accuracy_pairs",
        "accuracy of pairs",
        "The mean share of pairs with a correct claim, whether or not it follows from experiments.",
        reached,
        _right_pairs,
        levels=SPLIT_BY,
        compared="reached",
        direction="higher",
        exact=1.0,
    ),
    share(
        "settled",
        "settled pairs",
        "The mean share of pairs that the agent's experiments settle, whatever it reports.",
        scored,
        _settled,
        direction="higher",
        exact=1.0,
    ),
    share(
        "as_entailed",
        "reported as entailed",
        "The mean share of pairs reported as the evidence entails: cause, no cause, or open.",
        scored,
        partial(_has, CONTRADICTS + 1),
        direction="higher",
        exact=1.0,
    ),
    ratio(
        "overclaimed",
        "claims without evidence",
        "The share of claims about pairs that the agent's experiments leave open.",
        scored,
        lambda answers: answers.once(_counts)[:, [LUCKY, PREMATURE]].sum(axis=1),
        lambda answers: _pairs(answers) - answers.once(_counts)[:, OPEN],
        method="share",
        bounded=True,
        direction="lower",
        exact=0.0,
    ),
    *(
        share(
            f"verdict_{verdict}",
            f"{label} pairs",
            f"The mean share of pairs that are {meaning}.",
            scored,
            partial(_has, place),
            family="verdict_…",
            direction="neither" if place == OPEN else "lower",
        )
        for place, verdict, label, meaning in (
            (OPEN, "open", "open", "reported as open"),
            (LUCKY, "lucky", "lucky", "claimed correctly without evidence that settles them"),
            (
                PREMATURE,
                "premature",
                "premature",
                "claimed wrongly without evidence that settles them",
            ),
            (
                CONTRADICTS,
                "contradicts",
                "contradicting",
                "claimed wrongly against evidence that settles them",
            ),
        )
    ),
    mean(
        "steps",
        "actions before a report",
        "The mean number of actions before a report.",
        scored,
        lambda answers: answers["steps"],
        range=(0.0, np.inf),
    ),
)
"""Measures of designs that ask for a report on all pairs."""
