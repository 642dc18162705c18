"""Measures of analyze: is the trap avoided, and are there no false alarms without it?

The primary measure is `sound_pairs`: the share of pairs of a trap and its matched control in which
both data sets are analyzed soundly.

The score of an answer is from 0 to 1 (`whybench.suites.analyze.grading`). A reply without an answer
scores 0, so that declining hard questions gains nothing. Measures that this affects have the flag
`no_answer_as_0`. Technical errors are left out.

The sampled unit is the draw: trap and control, and the same rows under other hints and labels,
belong to one draw. Scores and shares have Wilson's interval, which stays between 0 and 1.

Where a group has several families, challenges, hints or labels, the scores are also given at each.

Where samples of the rows were shown, every measure has the flag `sampled_rows`: in few rows a trap
may not show and a control may look like a trap, so don't compare these scores with those of all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.left_out import Ratio
from whybench.suites.analyze.aggregates import (
    DRAW,
    ByReplies,
    by_two_labels,
    challenge_weights,
    estimate_failures,
    estimate_flips,
    estimate_pull,
    flag_silence,
    has_controls,
    has_pulls,
    has_runs,
    has_several,
    is_control,
    is_diagnosed,
    is_reply,
    is_trap,
    pair_scores,
    reply_scores,
    slope_on_hints,
    sound_replies,
    split_replies,
)
from whybench.suites.analyze.replies import REASONS
from whybench.suites.groups import group_records
from whybench.suites.measures import (
    SHARE,
    both,
    compare_declared,
    custom,
    equals,
    measure_groups,
    of_ratios,
    only_when,
    scored,
    share,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Difference, Measure
    from whybench.suites.groups import Group
    from whybench.suites.measures import DeclaredMeasure, Rows

    Numbers = NDArray[np.float64]

CONDITION = ("protocol", "split")
"""The columns that make up a condition; measures are computed within one."""

WORDS = (
    "outcome", "reason", "challenge", "family", "variant", "twin", "hint", "label", "draw", "epoch",
    "rows", "fell_for", "false_alarm", "conclusion",
)  # fmt: skip
NUMBERS = ("value", "diagnosis", "runs", "failed_runs")


def analyze_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition, the primary measure first."""
    measures = []
    for group in analyze_groups(records):
        sampled = () if np.isin(group["rows"], ("", "0")).all() else ("sampled_rows",)
        found = measure_groups([group], MEASURES)
        measures += [replace(m, flags=(*m.flags, *sampled)) for m in found]
    return measures


def analyze_pairs(records: pa.Table) -> Iterator[Difference]:
    """Yield the differences between two sides, the primary measure first."""
    return compare_declared(records, analyze_groups, MEASURES)


def analyze_groups(records: pa.Table) -> list[Group]:
    """Return the groups of analyze records, in order of appearance."""
    return group_records(records, CONDITION, WORDS, NUMBERS, lambda _: ("draw", DRAW))


def mean_score(
    name: str,
    label: str,
    meaning: str,
    rows: Rows,
    scores: Callable[[Group], Numbers] = reply_scores,
    weights: Callable[[Group], Numbers] = lambda group: np.ones(group.units.size),
    method: str = "mean",
    **declared: object,
) -> DeclaredMeasure:
    """Declare a weighted mean of scores from 0 to 1."""

    def ratios(group: Group) -> list[Ratio]:
        return [Ratio(1.0, weights(group) * scores(group), weights(group))]

    declared = {"flags": flag_silence, **BETTER, **declared}
    return of_ratios(name, label, meaning, rows, ratios, method, bounded=True, **declared)


BETTER: dict[str, object] = {"direction": "higher", "exact": 1.0}
WORSE: dict[str, object] = {"direction": "lower", "exact": 0.0}

SCORES = (
    custom(
        "sound_pairs",
        "sound pairs",
        "The share of trap–control pairs in which both data sets are analyzed soundly.",
        pair_scores(sound_replies, "share of pairs"),
        is_reply,
        range=SHARE,
        levels=split_replies(has_controls),
        compared="all",
        flags=flag_silence,
        **BETTER,
    ),
    custom(
        "paired_score",
        "paired score",
        "The mean, over pairs of a trap and its matched control, of the lower of their two scores.",
        pair_scores(reply_scores),
        is_reply,
        range=SHARE,
        levels=split_replies(has_controls),
        compared="all",
        flags=flag_silence,
        **BETTER,
    ),
    mean_score(
        "reliability",
        "reliability",
        "The mean over challenges of the mean score in each.",
        is_reply,
        weights=challenge_weights,
        method="mean over challenges",
    ),
    mean_score(
        "score",
        "score",
        "The mean score of all replies; one without an answer scores 0.",
        is_reply,
        levels=split_replies(),
        compared="all",
    ),
    mean_score(
        "score_trap",
        "score with a trap",
        "The mean score of replies about data with a trap.",
        both(is_reply, is_trap),
        levels=split_replies(has_controls),
    ),
    mean_score(
        "score_control",
        "score on the matched control",
        "The mean score of replies about data without the trap.",
        both(is_reply, is_control),
        levels=split_replies(has_controls),
    ),
    mean_score(
        "score_answered", "score of answers", "The mean score of the answers alone.", scored
    ),
    *only_when(
        has_several("hint", is_reply),
        custom(
            "score_per_hint",
            "score per hint",
            "The slope of the score on the level of hints, of which higher ones help less.",
            slope_on_hints,
            is_reply,
            flags=flag_silence,
        ),
    ),
)

TRAPS = (
    share(
        "trap_rate",
        "trap rate",
        "The share of answers about data with a trap that are the one the trap suggests.",
        both(scored, is_trap),
        equals("fell_for", "True"),
        compared="scored",
        **WORSE,
    ),
    share(
        "false_alarm",
        "false alarms",
        "The share of diagnoses of controls that claim a trap which is not there.",
        both(is_diagnosed, is_control),
        equals("false_alarm", "True"),
        compared="scored",
        **WORSE,
    ),
    *only_when(
        lambda group: bool(is_diagnosed(group).any()),
        mean_score(
            "diagnosis",
            "score of diagnoses",
            "The mean score of the diagnoses that were asked for; an unreadable one scores 0.",
            is_diagnosed,
            lambda group: group["diagnosis"],
        ),
        custom(
            "paired_diagnosis",
            "paired score of diagnoses",
            "The mean, over pairs of a trap and its matched control, of the lower score of their "
            "diagnoses.",
            pair_scores(lambda group: group["diagnosis"]),
            is_diagnosed,
            range=SHARE,
            **BETTER,
        ),
    ),
)

LABELS = (
    custom(
        "label_flips",
        "contradictions between labels",
        "The share of pairs of answers about the same rows under two labels that contradict each "
        "other.",
        estimate_flips,
        scored,
        range=SHARE,
        when=has_several("label", scored),
        levels=(by_two_labels,),
        **WORSE,
    ),
    custom(
        "label_pull",
        "pull of the label",
        "The share of such pairs with the kinder recommendation under the kinder label, less the "
        "share with the harsher one.",
        estimate_pull,
        scored,
        range=(-1.0, 1.0),
        when=has_pulls,
        exact=0.0,
    ),
)

OUTCOMES = (
    custom(
        "failed_programs",
        "failed programs",
        "The share of the programs that the agent ran which failed.",
        estimate_failures,
        is_reply,
        range=SHARE,
        when=has_runs,
        levels=(ByReplies("family"), ByReplies("hint")),
        direction="lower",
    ),
    share(
        "answered",
        "answered",
        "The share of questions with an answer.",
        is_reply,
        scored,
        compared="all",
        **BETTER,
    ),
    *(
        share(
            f"mode_{mode}",
            f"no answer: {mode.replace('_', ' ')}",
            "The share of replies without an answer for this reason.",
            is_reply,
            equals("reason", mode),
            family="mode_…",
            **WORSE,
        )
        for mode in REASONS
    ),
)

MEASURES = (*SCORES, *TRAPS, *LABELS, *OUTCOMES)
"""The measures of analyze."""
