"""The table of intervene's measures: what agents find out, why, and at which cost.

Accuracies count an episode without an answer as wrong. Intervals are clustered by the sampled unit:
the hidden graph of a random world, or the case, a graph with a first state and a question, in the
core set, which is complete and has four graphs only. `report_measures` has the measures of designs
that ask for a report on all pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import clustered_share
from whybench.suites.groups import Group, group_records
from whybench.suites.intervene.pair_measures import (
    BETTER,
    LIMITED_WORLDS,
    PAIR_MEASURES,
    is_justified,
    is_right,
)
from whybench.suites.intervene.report_measures import REPORT_MEASURES, is_of_reports
from whybench.suites.measures import (
    By,
    compare_declared,
    custom,
    equals,
    mean,
    measure_groups,
    only_when,
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

LINK_WORLDS = "links"
"""The set of worlds of the primary measure, in which it is asked which dotted link is real."""

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
NUMBERS = ("value", "truth", "entities", "depth", "steps", "reasks")

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


def _asks_pair(group: Group) -> bool:
    return not is_of_reports(group) and group.labels["worlds"] != LINK_WORLDS


def _is_exact(group: Group) -> bool:
    return group.labels["worlds"] in {LIMITED_WORLDS, LINK_WORLDS}


def _flag_ample(counted: Group) -> tuple[str, ...]:
    return () if counted.at or _is_exact(counted) else ("ample_actions",)


def _skill_score(episodes: Group) -> Estimate:
    return ZEROS.scale(clustered_share(is_justified(episodes), episodes.units), episodes.labels)


def _by_actions(group: Group) -> Iterator[Group]:
    """Yield the group for each number of actions within which an answer may come."""
    most = np.nanmax(group["steps"][reached(group)], initial=0)
    for actions in range(int(most) + 1):
        yield group.where(np.ones(group.units.size, dtype=bool), actions=actions)


def _within(group: Group) -> NDArray[np.bool_]:
    return np.asarray(is_justified(group) & (group["steps"] <= group.at["actions"]))


SPLIT_BY = (By("depth", int), By("entities", int), By("structure"), By("initial"), By("relation"))
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
        _is_exact,
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
    share(
        "justified_accuracy_answered",
        "justified accuracy of answers",
        "The share of answers that are correct and follow from the agent's experiments.",
        scored,
        is_justified,
        **BETTER,
    ),
    mean(
        "steps",
        "actions",
        "The mean number of actions before an answer.",
        scored,
        lambda answers: answers["steps"],
        range=(0.0, np.inf),
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
)
"""Measures of designs that ask one question of each world, or of each diagram."""

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
    *only_when(_asks_pair, *PAIR_MEASURES),
    *only_when(is_of_reports, *REPORT_MEASURES),
    *ENDING_MEASURES,
)
