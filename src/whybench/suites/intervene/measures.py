"""The table of intervene's measures: what agents find out, why, and at which cost.

Accuracies count an episode without an answer as wrong. Intervals are clustered by the sampled unit:
the hidden graph of a random world, or the case, a graph with a first state and a question, in the
core set, which is complete and has four graphs only. `report_measures` has the measures of designs
that ask for a report on all pairs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import clustered_share, clustered_slope, signal_detection
from whybench.suites.groups import Group, group_records
from whybench.suites.intervene.experimenters import Inquiry, expected_steps_at_first
from whybench.suites.intervene.information import count_bits
from whybench.suites.intervene.posets import MAX_ENUMERATED
from whybench.suites.intervene.report_measures import REPORT_MEASURES, is_of_reports
from whybench.suites.measures import (
    By,
    balanced,
    both,
    compare_declared,
    custom,
    equals,
    mean,
    measure_groups,
    only_when,
    ratio,
    reached,
    scored,
    share,
)
from whybench.suites.zeros import read_zeros

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Difference, Estimate, Measure
    from whybench.stats.clustered import SignalDetection
    from whybench.suites.measures import Values

LIMITED_WORLDS = "limited"
"""The set of worlds of the primary measure."""

CONDITION = ("worlds", "theme", "style", "interface", "wording", "split")
"""The columns that make up a condition; measures are computed within one."""

WORDS = (
    "outcome",
    "reason",
    "structure",
    "initial",
    "relation",
    "graph",
    "moving",
    "asked",
    "verdict",
    "pattern",
    "evidence",
    "path",
    "report",
)
NUMBERS = ("value", "truth", "entities", "steps", "reasks")

ZEROS = read_zeros(__package__)
"""The value of the best attack on each design."""

GRAPH = ("entities", "graph")
CASE = (*GRAPH, "moving", "asked")


def intervene_groups(records: pa.Table) -> list[Group]:
    """Return the groups of intervene records, in order of appearance."""
    return group_records(records, CONDITION, WORDS, NUMBERS, _sampled_unit)


def _sampled_unit(labels: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    return ("case", CASE) if labels["worlds"] == "core" else ("hidden graph", GRAPH)


def intervene_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition, the primary measure first."""
    return [*measure_groups(intervene_groups(records), MEASURES)]


def intervene_pairs(records: pa.Table) -> Iterator[Difference]:
    """Yield the differences between two sides, the primary measure first."""
    return compare_declared(records, intervene_groups, MEASURES)


def is_right(group: Group) -> NDArray[np.bool_]:
    """Return whether the answer is correct; no answer isn't."""
    return np.asarray(group["value"] == group["truth"])


def _is_limited(group: Group) -> bool:
    return group.labels["worlds"] == LIMITED_WORLDS


def _has_sizes(group: Group) -> bool:
    return bool(np.unique(group["entities"]).size > 1)


def _flag_ample(counted: Group) -> tuple[str, ...]:
    return () if counted.at or _is_limited(counted) else ("ample_actions",)


def _flag_beyond_planner(counted: Group) -> tuple[str, ...]:
    return ("beyond_planner",) if counted.outcomes.get("scored") and not counted.units.size else ()


def _skill_score(episodes: Group) -> Estimate:
    return ZEROS.scale(clustered_share(is_justified(episodes), episodes.units), episodes.labels)


def _by_actions(group: Group) -> Iterator[Group]:
    """Yield the group for each number of actions within which an answer may come."""
    most = np.nanmax(group["steps"][reached(group)], initial=0)
    for actions in range(int(most) + 1):
        yield group.where(np.ones(group.units.size, dtype=bool), actions=actions)


def _within(group: Group) -> NDArray[np.bool_]:
    return np.asarray(is_justified(group) & (group["steps"] <= group.at["actions"]))


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


is_justified = equals("verdict", "justified")
is_wrong = both(scored, lambda group: ~is_right(group))
SPLIT_BY = (By("entities", int), By("structure"), By("initial"), By("relation"))
BETTER = {"direction": "higher", "exact": 1.0}
WORSE = {"direction": "lower", "exact": 0.0}

EPISODE_MEASURES = (
    share(
        "justified_accuracy",
        "justified accuracy",
        "The share of episodes with a correct answer that follows from its experiments.",
        reached,
        is_justified,
        levels=SPLIT_BY,
        compared="reached",
        flags=_flag_ample,
        **BETTER,
    ),
    *only_when(
        _is_limited,
        custom(
            "skill_score",
            "skill score (baseline: best attack)",
            "The justified accuracy, scaled so that 0 is the best attack and 1 is the controlled "
            "experiment.",
            _skill_score,
            reached,
            range=(-np.inf, 1.0),
            baseline=0.0,
            **BETTER,
        ),
        share(
            "justified_within",
            "justified within a number of actions",
            "The share of episodes with a justified answer after at most this number of actions.",
            reached,
            _within,
            overall=False,
            levels=(_by_actions,),
            **BETTER,
        ),
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
    share(
        "accuracy",
        "accuracy",
        "The share of episodes with a correct answer, whether or not it follows from experiments.",
        reached,
        is_right,
        levels=SPLIT_BY,
        compared="reached",
        **BETTER,
    ),
    balanced(
        "balanced_accuracy",
        "balanced accuracy",
        "The mean of the accuracies where the correct answer is yes and where it is no, which a "
        "preference for either answer can't raise.",
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
    share(
        "justified_accuracy_answered",
        "justified accuracy of answers",
        "The share of answers that are correct and follow from the agent's experiments.",
        scored,
        is_justified,
        **BETTER,
    ),
    custom(
        "d_prime",
        "sensitivity d′",
        "The signal detection sensitivity d′ of answers, 0 if yes is as frequent for causes as for "
        "other entities.",
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
    mean(
        "steps",
        "actions",
        "The mean number of actions before an answer.",
        scored,
        lambda answers: answers["steps"],
        range=(0.0, np.inf),
    ),
    ratio(
        "steps_ratio",
        "actions relative to the optimal experimenter",
        "The number of actions divided by the expected number of the Bayes-optimal experimenter, "
        "below 1 for early or lucky answers.",
        both(scored, _is_planned),
        lambda answers: answers["steps"],
        _optimal_steps,
        range=(0.0, np.inf),
        flags=_flag_beyond_planner,
    ),
    share(
        "entailed_share",
        "settled questions",
        "The share of answers given when the experiments had settled the question.",
        scored,
        lambda answers: answers["evidence"] != "open",
        **BETTER,
    ),
    *(
        share(
            f"verdict_{verdict}",
            f"{label} answers",
            f"The share of answers that are {meaning}.",
            scored,
            equals("verdict", verdict),
            family="verdict_…",
            **WORSE,
        )
        for verdict, label, meaning in (
            ("lucky", "lucky", "correct without evidence that settles the question"),
            ("premature", "premature", "wrong without evidence that settles the question"),
            ("contradicts", "contradicting", "wrong against evidence that settles the question"),
        )
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
            ("reverse_collider", "no although one entity moves and the other doesn't at the end"),
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
"""Measures of designs that ask one question of each world."""

ENDING_MEASURES = (
    share(
        "answered",
        "answered",
        "The share of episodes with an answer.",
        reached,
        scored,
        compared="all",
        **BETTER,
    ),
    *(
        share(
            f"mode_{mode}",
            f"episodes without an answer: {mode.replace('_', ' ')}",
            f"The share of episodes that ended without an answer because {reason}.",
            reached,
            equals("reason", mode),
            family="mode_…",
            **WORSE,
        )
        for mode, reason in (
            ("invalid_format", "a reply couldn't be read"),
            ("invalid_action", "an action wasn't possible"),
            ("invalid_answer", "the answer wasn't one of the possible ones"),
            ("out_of_steps", "the actions were used up"),
            ("cut_off", "the token limit cut off a reply"),
        )
    ),
    mean(
        "reasks",
        "repeated requests",
        "The mean number of times that an episode asked again for a reply that couldn't be read.",
        reached,
        lambda episodes: episodes["reasks"],
        range=(0.0, np.inf),
        **WORSE,
    ),
)
"""Measures of how episodes end."""

MEASURES = (
    *only_when(lambda group: not is_of_reports(group), *EPISODE_MEASURES),
    *only_when(is_of_reports, *REPORT_MEASURES),
    *ENDING_MEASURES,
)
