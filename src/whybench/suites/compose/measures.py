"""Measures of compose: do answers about the parts make up the answer about the whole?

Unit by unit (`agreements`), with intervals clustered by world, there are the agreements. Of the
compositions of all worlds (`verdicts`), by the majority of epochs, there are the shares in each
class. Verdicts are tests already, so these shares have a band instead of an interval: from the
decided share to the share if all undecided compositions belonged to the class. The table
`compositions` has the intervals of each composition. There `…_same_from` is the margin beyond which
a verdict would be yes, and `…_differs_to` the margin below which it would be no, so that you can
choose another margin than delta.

Of the answers, with intervals clustered by unit, there are accuracies and errors. Where a group has
several shapes or gates, agreement and accuracies are given at each. Errors are given at each number
of blocks (`distance`) and of nodes (`mediators`) between cause and effect.

Answers in numbers have other measures (`number_measures`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.compose.aggregates import (
    RUNGS,
    AgreementMeasure,
    ByLength,
    count_blocks,
    count_mediators,
    flag_bias,
    flag_stale_votes,
    gap_ratios,
    has_votes,
    is_caused,
    is_right,
    is_true,
    is_wrong,
    says_yes,
    share_of_class,
    share_of_yes,
    share_passing,
    slope_on,
    sum_of_votes,
    sum_of_worlds,
)
from whybench.suites.compose.agreements import sum_agreements
from whybench.suites.compose.groups import compose_groups, group_by_world
from whybench.suites.compose.number_measures import NUMBER_MEASURES, number_groups
from whybench.suites.measures import (
    SHARE,
    By,
    balanced,
    both,
    compare_declared,
    custom,
    equals,
    measure_groups,
    of_ratios,
    reached,
    scored,
    share,
)
from whybench.suites.pairs import difference_of, filter_reached_by_both, match_groups
from whybench.suites.zeros import read_zeros

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Difference, Estimate, Measure
    from whybench.suites.compose.verdicts import Class
    from whybench.suites.groups import Group
    from whybench.suites.measures import DeclaredMeasure

SPLIT_BY = (By("gates"), By("kinds"))

ZEROS = read_zeros(__package__)
"""The value of the best attack on each design."""


def compose_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition, the primary measure first."""
    return [
        *measure_groups(compose_groups(records), MEASURES),
        *measure_groups(number_groups(records), NUMBER_MEASURES),
    ]


def compose_pairs(records: pa.Table) -> Iterator[Difference]:
    """Yield the differences between two sides, the primary measure first.

    Agreement is compared without each world, or each unit of a world that is alone of its kind.
    """
    for first, second in match_groups(compose_groups(filter_reached_by_both(records))):
        sides = (sum_agreements(group_by_world(group)).jackknife() for group in (first, second))
        yield difference_of("compositional_agreement", first.labels, *sides)
    yield from compare_declared(records, compose_groups, ANSWER_MEASURES)
    yield from compare_declared(records, number_groups, NUMBER_MEASURES)


BETTER: dict[str, Any] = {"direction": "higher", "exact": 1.0}
WORSE: dict[str, Any] = {"direction": "lower", "exact": 0.0}


def _agreement(
    name: str, label: str, meaning: str, compute: Callable[[Group], Estimate], **declared: Any
) -> AgreementMeasure:
    declared = {"range": SHARE, **BETTER, **declared}
    return AgreementMeasure(name=name, label=label, meaning=meaning, compute=compute, **declared)


AGREEMENTS = (
    _agreement(
        "compositional_agreement",
        "agreement of parts and whole",
        "The share of effects on which answers about parts and whole agree.",
        lambda group: group.once(sum_of_worlds).estimate().lesser,
        levels=SPLIT_BY,
        compared="reached",
    ),
    _agreement(
        "skill_score",
        "skill score (baseline: best attack)",
        "The compositional agreement, scaled so that 0 is the best attack and 1 is exact.",
        lambda group: ZEROS.scale(group.once(sum_of_worlds).estimate().lesser, group.labels),
        range=(-np.inf, 1.0),
        baseline=0.0,
    ),
    _agreement(
        "valid_agreement",
        "agreement of parts and true whole",
        "The share of the effects in the composed answers about the parts or in the true whole "
        "that are in both, with right factual answers.",
        lambda group: group.once(sum_of_worlds).estimate().valid,
    ),
    _agreement(
        "consistent_agreement",
        "agreement of parts and answered whole",
        "The share of the effects in the composed answers about the parts or in the answered whole "
        "that are in both, with right factual answers.",
        lambda group: group.once(sum_of_worlds).estimate().consistent,
    ),
    _agreement(
        "compositional_agreement_vote",
        "agreement of parts and whole by majority",
        "The compositional agreement if the majority of epochs decides each answer.",
        lambda group: group.once(sum_of_votes).estimate().lesser,
        when=has_votes,
        flags=flag_stale_votes,
    ),
)


def _result(
    name: str, label: str, meaning: str, compute: Callable[[Group], Estimate], **declared: Any
) -> DeclaredMeasure:
    declared = {"range": SHARE, "flags": flag_bias, **declared}
    return custom(name, label, meaning, compute, **declared)


CLASSES: Mapping[Class, tuple[str, str, str, Mapping[str, Any]]] = {
    "VC": (
        "valid_and_consistent",
        "valid and consistent",
        "are shown to equal the true and the answered whole",
        BETTER,
    ),
    "inconclusive": (
        "inconclusive",
        "inconclusive",
        "have too few units for a verdict",
        {"direction": "lower"},
    ),
    "undefined": ("undefined", "undefined", "have no answered effect at all", WORSE),
    "VI": (
        "valid_inconsistent",
        "valid, inconsistent",
        "equal the true whole and not the answered one",
        WORSE,
    ),
    "IC": (
        "invalid_consistent",
        "invalid, consistent",
        "equal the answered whole and not the true one",
        WORSE,
    ),
    "II": (
        "invalid_inconsistent",
        "invalid, inconsistent",
        "equal neither the true nor the answered whole",
        WORSE,
    ),
}
"""The measure of each class, its label, what its compositions do, and which values are better."""

COMPOSITIONS = (
    *(
        _result(
            name,
            label,
            f"The share of compositions that {meaning}.",
            partial(share_of_class, kind),
            **direction,
        )
        for kind, (name, label, meaning, direction) in CLASSES.items()
    ),
    *(
        _result(
            name,
            name,
            f"The share of compositions that are shown to equal the {whole} whole.",
            partial(share_of_yes, name),
            **BETTER,
        )
        for name, whole in (("valid", "true"), ("consistent", "answered"))
    ),
    _result(
        "source_valid_and_consistent",
        "valid and consistent by the paper's rule",
        "The share of compositions whose estimates pass the paper's rule against both wholes, "
        "without a test.",
        share_passing,
        **BETTER,
    ),
)


def _rates(rung: str) -> Iterator[DeclaredMeasure]:
    """Declare precision and recall of the answers to the questions of a rung."""
    asked = both(scored, equals("rung", rung))
    yield share(
        f"precision_{rung}",
        f"precision, {rung}",
        f"The share of answers yes to {rung} questions that are correct.",
        both(asked, says_yes),
        is_true,
        family="precision_…",
        **BETTER,
    )
    yield share(
        f"recall_{rung}",
        f"recall, {rung}",
        f"The share of {rung} questions with the true answer yes that are answered so.",
        both(asked, is_true),
        says_yes,
        family="recall_…",
        **BETTER,
    )


ANSWER_MEASURES = (
    *(
        balanced(
            f"balanced_accuracy_{rung}",
            f"balanced accuracy, {rung}",
            f"The mean share of correct answers to {rung} questions whose true answer is yes and "
            "of those where it is no.",
            both(scored, equals("rung", rung)),
            is_right,
            is_true,
            baseline=0.5,
            levels=SPLIT_BY,
            compared="scored",
            family="balanced_accuracy_…",
            **BETTER,
        )
        for rung in RUNGS
    ),
    of_ratios(
        "reasoning_gap",
        "reasoning gap",
        "The balanced accuracy on factual questions less that on interventional (do) ones.",
        scored,
        gap_ratios,
        "difference of balanced accuracies",
        range=(-1.0, 1.0),
        **WORSE,
    ),
    *(measure for rung in RUNGS for measure in _rates(rung)),
    share(
        "error",
        "errors",
        "The share of wrong answers to interventional (do) questions.",
        is_caused,
        is_wrong,
        levels=(ByLength("distance", count_blocks), ByLength("mediators", count_mediators)),
        **WORSE,
    ),
    *(
        custom(
            f"error_per_{step}",
            f"errors per {step}",
            f"The slope of errors on the number of {step}s between cause and effect.",
            partial(slope_on, count),
            is_caused,
            direction="lower",
            exact=0.0,
        )
        for step, count in (("block", count_blocks), ("mediator", count_mediators))
    ),
    share("yes_share", "share of yes", "The share of answers that are yes.", scored, says_yes),
    share(
        "answered",
        "answered",
        "The share of questions with an answer.",
        reached,
        scored,
        compared="all",
        **BETTER,
    ),
)

MEASURES = (*AGREEMENTS, *COMPOSITIONS, *ANSWER_MEASURES)
"""The measures of answers yes and no."""
