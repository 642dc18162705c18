"""Measures of du2025: those of analyze, and three that only published data have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.aggregates import challenge_weights, has_several, split_replies
from whybench.suites.analyze.measures import CONDITION, analyze_measures, mean_score
from whybench.suites.groups import group_records
from whybench.suites.measures import both, every, measure_groups, only_when, reached, share
from whybench_papers.du2025.forms import DATA_SETS
from whybench_papers.du2025.grader.verdicts import UNMARKED

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Measure
    from whybench.suites.groups import Group

WORDS = ("outcome", "reason", "challenge", "family", "variant", "hint", "label", "draw")


def select_marked(records: pa.Table) -> pa.Table:
    """Return the records without answers that the grader did not mark."""
    import pyarrow.compute as pc  # noqa: PLC0415  (not for `whybench list`)

    unmarked = pc.fill_null(pc.equal(records["reason"], UNMARKED), False)
    return records.filter(pc.invert(unmarked))


def du2025_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition that has any cases."""
    found = [measure for measure in analyze_measures(select_marked(records)) if measure.n]
    groups = group_records(
        records, CONDITION, WORDS, ("value", "key_score"), lambda _: ("draw", ("challenge", "draw"))
    )
    return [*found, *measure_groups(groups, MEASURES)]


def _is_unmarked(group: Group) -> NDArray[np.bool_]:
    return np.asarray(group["reason"] == UNMARKED)


def _is_marked_reply(group: Group) -> NDArray[np.bool_]:
    return np.asarray(reached(group) & ~_is_unmarked(group))


def _has_key(group: Group) -> NDArray[np.bool_]:
    return np.asarray(~np.isnan(group["key_score"]))


def _asks_data_sets(group: Group) -> bool:
    return bool((group["variant"][_is_marked_reply(group)] == DATA_SETS).all())


def _weigh_families(replies: Group) -> NDArray[np.float64]:
    """Return weights by which families count the same, and so do the challenges of each."""
    weights = challenge_weights(replies)
    families, code = np.unique(replies["family"], return_inverse=True)
    totals = np.bincount(code, weights)
    shared: NDArray[np.float64] = weights / (totals[code] * families.size)
    return shared


MEASURES = (
    *only_when(
        lambda group: bool(_is_unmarked(group).any()),
        share(
            "unmarked",
            "answers without marks",
            "The share of answers in free words that the grader gave no marks.",
            every,
            _is_unmarked,
            direction="lower",
            exact=0.0,
        ),
    ),
    *only_when(
        lambda group: _asks_data_sets(group) and has_several("family", _is_marked_reply)(group),
        mean_score(
            "family_reliability",
            "causal reliability as the paper prints it",
            "The mean over families of the mean over challenges of the mean score in each.",
            _is_marked_reply,
            weights=_weigh_families,
            method="mean over families",
        ),
    ),
    mean_score(
        "key_score",
        "agreement with printed keys",
        "The mean share of the printed keys with which answers agree.",
        both(_is_marked_reply, _has_key),
        lambda group: group["key_score"],
        when=lambda group: bool(both(_is_marked_reply, _has_key)(group).any()),
        levels=split_replies(lambda group: bool(both(_is_marked_reply, _has_key)(group).any())),
    ),
)
"""The measures that only published data have."""
