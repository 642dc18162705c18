"""The measures of intervene for designs that ask about one pair: preferences, steps, errors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import clustered_slope, signal_detection
from whybench.suites.intervene.experimenters import Inquiry, expected_steps_at_first
from whybench.suites.intervene.information import count_bits
from whybench.suites.intervene.posets import MAX_ENUMERATED
from whybench.suites.measures import (
    balanced,
    both,
    custom,
    equals,
    only_when,
    ratio,
    reached,
    scored,
    share,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.stats import Estimate
    from whybench.stats.clustered import SignalDetection
    from whybench.suites.groups import Group
    from whybench.suites.measures import Values

LIMITED_WORLDS = "limited"
"""The set of worlds of which one pair is asked, with the actions that suffice."""

BETTER = {"direction": "higher", "exact": 1.0}


def is_right(group: Group) -> NDArray[np.bool_]:
    """Return whether the answer is correct; no answer isn't."""
    return np.asarray(group["value"] == group["truth"])


is_justified = equals("verdict", "justified")
is_wrong = both(scored, lambda group: ~is_right(group))


def _is_limited(group: Group) -> bool:
    return group.labels["worlds"] == LIMITED_WORLDS


def _has_sizes(group: Group) -> bool:
    return bool(np.unique(group["entities"]).size > 1)


def _flag_beyond_planner(counted: Group) -> tuple[str, ...]:
    return ("beyond_planner",) if counted.outcomes.get("scored") and not counted.units.size else ()


def _detect(answers: Group) -> SignalDetection:
    return signal_detection(answers["value"] == 1, answers["truth"] == 1, answers.units)


def _slope_on_entities(hits: Values, episodes: Group) -> Estimate:
    return clustered_slope(hits(episodes), episodes["entities"], episodes.units)


def _bits(answers: Group) -> NDArray[np.float64]:
    """Return the expected bits of the actions of each episode, and of the best actions instead."""
    columns = ("entities", "graph", "moving", "asked", "path")
    cases = zip(*(answers[name].tolist() for name in columns), strict=True)
    return np.array([count_bits(int(n), *words) for n, *words in cases]).reshape(-1, 2)


def _optimal_steps(answers: Group) -> NDArray[np.float64]:
    """Return the expected steps of the best experimenter, NaN for worlds that are too large."""
    cases = zip(*(answers[name].tolist() for name in ("entities", "moving", "asked")), strict=True)
    return np.array(
        [
            optimal_steps(int(n), moving, asked) if n <= MAX_ENUMERATED else np.nan
            for n, moving, asked in cases
        ],
        dtype=float,
    )


def _is_planned(group: Group) -> NDArray[np.bool_]:
    """Return whether steps are known, those of the best experimenter too."""
    return np.asarray(~np.isnan(group.once(_optimal_steps) + group["steps"]))


def optimal_steps(n: int, moving: str, asked: str) -> float:
    """Return how many interventions the Bayes-optimal experimenter is to expect.

    Args:
        n: How many entities there are, at most five.
        moving: Those that move at first, as in records: `0 2`.
        asked: Cause and effect in question, as in records: `0>2`.
    """
    x, y = map(int, asked.split(">"))
    return expected_steps_at_first(Inquiry(n, x, y, frozenset(map(int, moving.split()))))


PAIR_MEASURES = (
    *only_when(
        _is_limited,
        ratio(
            "information_ratio",
            "information ratio",
            "The expected information of the agent's actions as a share of the best actions'.",
            scored,
            lambda answers: answers.once(_bits)[:, 0],
            lambda answers: answers.once(_bits)[:, 1],
            range=(0.0, 1.0),
            **BETTER,
        ),
    ),
    balanced(
        "balanced_accuracy",
        "balanced accuracy",
        "The mean of the accuracies where the correct answer is yes and where it is no, which "
        "a preference for either answer can't raise.",
        reached,
        is_right,
        equals("truth", 1),
        compared="reached",
        baseline=0.5,
        **BETTER,
    ),
    *(
        share(
            f"accuracy_{word}",
            f"accuracy where the answer is {word}",
            f"The share of episodes with a correct answer where the correct answer is {word}.",
            both(reached, equals("truth", truth)),
            is_right,
            family="accuracy_…",
            **BETTER,
        )
        for word, truth in (("yes", 1), ("no", 0))
    ),
    custom(
        "d_prime",
        "sensitivity d′",
        "The signal detection sensitivity d′ of answers, 0 if yes is as frequent for causes as "
        "for other entities.",
        lambda answers: answers.once(_detect).d_prime,
        scored,
        direction="higher",
        baseline=0.0,
    ),
    custom(
        "criterion",
        "response criterion",
        "The signal detection criterion of answers, below 0 for a preference for yes.",
        lambda answers: answers.once(_detect).criterion,
        scored,
        exact=0.0,
    ),
    share(
        "yes_share",
        "share of yes",
        "The share of answers that are yes.",
        scored,
        equals("value", 1),
    ),
    ratio(
        "steps_ratio",
        "actions relative to the optimal experimenter",
        "The number of actions divided by the expected number of the Bayes-optimal "
        "experimenter, below 1 for early or lucky answers.",
        both(scored, _is_planned),
        lambda answers: answers["steps"],
        _optimal_steps,
        range=(0.0, np.inf),
        flags=_flag_beyond_planner,
    ),
    *(
        share(
            f"pattern_{pattern}",
            f"pattern {pattern.replace('_', ' ')}",
            f"The share of wrong answers that are {meaning}.",
            is_wrong,
            equals("pattern", pattern),
            family="pattern_…",
        )
        for pattern, meaning in (
            ("correlation", "yes for two entities that moved, rested or changed together"),
            (
                "reverse_collider",
                "no although one entity moves and the other doesn't at the end",
            ),
            ("illusive_confounder", "no although the evidence showed that the answer is yes"),
            ("root_cause", "no after all entities came to rest"),
            ("other", "of none of the other patterns"),
        )
    ),
    *(
        custom(
            f"{name.removesuffix('_accuracy')}_per_entity",
            f"{label} per entity",
            f"The change of {label} with each further entity, a least-squares slope.",
            partial(_slope_on_entities, hits),
            reached,
            when=_has_sizes,
            direction="higher",
        )
        for name, label, hits in (
            ("justified_accuracy", "justified accuracy", is_justified),
            ("accuracy", "accuracy", is_right),
        )
    ),
)
"""Measures of designs that ask about one pair."""
