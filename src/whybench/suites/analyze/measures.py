"""Records to measures: is the trap seen, and is it seen only where it is?

The score of an answer is from 0 to 1 (see `grading`). A reply without an answer is worth 0: who
declines every question has found out nothing, and who declines the hard ones must not gain by it;
measures in which that plays a part are flagged `no_answer_as_0`. Technical errors are left out.

- `twin_score`, the headline: the mean over pairs of a trap and a control of the same draw, under
  the same hint and label, of the lesser of the two scores.
- `reliability`: the mean over challenges of the mean score in each (the source's causal
  reliability); `score`, the mean over all items; `score_trap`, `score_control`.
- `score_answered`: the mean score of the answers alone.
- `key_score`, of published data: the mean share of the source's own keys with which answers agree.
- `fell_for`: the share of answered traps in which the answer is the one the trap suggests;
  `false_alarm`: the share of answered controls in which it claims a trap that is not there.
- `label_flips`: of all pairs of answers to the same rows under two labels, the share that
  contradict each other (see `conclusions`); with several labels, also at each two `labels`.
- `answered`, and `mode_…`, the replies without an answer by reason.

Where a group has several families, challenges, hints or labels, twin score, score, and scores of
traps and controls are given at each (`score` at `challenge` simpson); with several hints there is
`score_per_hint`, the slope: what one level less of help adds to the score, usually below 0.

The sampled unit is the draw: twins, and the same rows under other hints and labels, belong to one.
Scores and shares have Wilson's interval, which stays between 0 and 1.

Where samples of the rows were shown, every measure is flagged `sampled_rows`: in few rows a trap
may not show, and a control may look like one, so these scores do not compare with those of all.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, Measure, clustered_share, clustered_slope, wilson_estimate
from whybench.suites.analyze.answers import REASONS
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.conclusions import flipped
from whybench.suites.analyze.design import CONTROL
from whybench.suites.analyze.published.forms import NEITHER
from whybench.suites.groups import Group, alike, combined, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "CONDITION",
    "SPLIT_BY",
    "analyze_measures",
    "bounded_mean",
    "groups_of",
    "scores_of",
    "twin_scores",
]

CONDITION = ("protocol", "split")
"""The columns that make up a condition; measures are computed within one."""

WORDS = (
    "outcome", "reason", "challenge", "family", "variant", "twin", "hint", "label", "draw", "epoch",
    "rows", "fell_for", "false_alarm", "conclusion",
)  # fmt: skip
NUMBERS = ("value", "key_score")

SPLIT_BY = ("family", "challenge", "hint", "label")
"""The columns at each level of which scores are given."""

DRAW = ("challenge", "draw")
SAME_QUESTION = (*DRAW, "hint", "label", "epoch")
SAME_ROWS = (*DRAW, "variant", "hint", "epoch")


def analyze_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition, the headline first."""
    return [
        _flagged(measure, group) for group in groups_of(records) for measure in _measures(group)
    ]


def groups_of(records: pa.Table) -> list[Group]:
    """Return the groups of analyze records, in order of appearance."""
    return grouped(records, CONDITION, WORDS, NUMBERS, lambda _: ("draw", DRAW))


def _flagged(measure: Measure, group: Group) -> Measure:
    if np.isin(group["rows"], ("", "0")).all():
        return measure
    return replace(measure, flags=(*measure.flags, "sampled_rows"))


def _measures(group: Group) -> Iterator[Measure]:
    replies = group.where(group["outcome"] != "error")
    answers = group.where(group["outcome"] == "scored")
    yield _twins(replies)
    yield _mean(replies, "reliability", scores_of(replies), _challenge_weights(replies))
    yield from _plain(replies)
    yield _mean(answers, "score_answered", answers["value"])
    yield from _by_key(replies)
    for name, twin in (("fell_for", TRAP), ("false_alarm", CONTROL)):
        chosen = answers.where(answers["twin"] == twin)
        yield _share(chosen, name, chosen[name] == "True")
    yield from _flips(answers)
    yield _share(replies, "answered", replies["outcome"] == "scored")
    for mode in REASONS:
        yield _share(replies, f"mode_{mode}", replies["reason"] == mode)
    yield from _by_level(replies)


def _plain(replies: Group) -> Iterator[Measure]:
    yield _mean(replies, "score", scores_of(replies))
    for twin in (TRAP, CONTROL):
        chosen = replies.where(replies["twin"] == twin)
        yield _mean(chosen, f"score_{twin}", scores_of(chosen))


def _by_level(replies: Group) -> Iterator[Measure]:
    for factor in SPLIT_BY:
        levels = _in_order(replies[factor])
        if len(levels) < 2:
            continue
        for level in levels:
            named = {factor: int(level) if factor == "hint" else level}
            chosen = replies.where(replies[factor] == level, **named)
            if (chosen["twin"] == NEITHER).all():
                yield _mean(chosen, "score", scores_of(chosen))
                yield from _by_key(chosen)
                continue
            yield _twins(chosen)
            yield from _plain(chosen)
        if factor == "hint":
            hints = replies["hint"].astype(float)
            slope = clustered_slope(scores_of(replies), hints, replies.units)
            yield replies.measure("score_per_hint", slope, *_silences(replies))


def _by_key(replies: Group) -> Iterator[Measure]:
    """Measure agreement with printed keys, where replies could be held against one."""
    held = replies.where(~np.isnan(replies["key_score"]))
    if held.units.size:
        yield _mean(held, "key_score", held["key_score"])


def _twins(replies: Group) -> Measure:
    return replies.measure("twin_score", twin_scores(replies), *_silences(replies))


def twin_scores(replies: Group) -> Estimate:
    """Estimate the mean over twins of the lesser of their scores."""
    scores, trap = scores_of(replies), replies["twin"] == TRAP
    pairs = [
        (one, other)
        for rows in _alike(replies, SAME_QUESTION)
        for one in rows[trap[rows]]
        for other in rows[~trap[rows]]
    ]
    first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
    # A pair belongs to the draw of its trap, which is the control's too.
    lesser = np.minimum(scores[first], scores[second])
    return bounded_mean(lesser, replies.units[first], "mean of lesser of two")


def _flips(answers: Group) -> Iterator[Measure]:
    labels = _in_order(answers["label"])
    if len(labels) < 2:
        return
    said: dict[tuple[str, str], list[tuple[int, bool]]] = {}
    for rows in _alike(answers, SAME_ROWS):
        for one, other in combinations(rows[np.argsort(answers["label"][rows])].tolist(), 2):
            key = str(answers["label"][one]), str(answers["label"][other])
            contradicts = flipped(answers["conclusion"][one], answers["conclusion"][other])
            said.setdefault(key, []).append((answers.units[one], contradicts))
    yield _flip_share(answers, [pair for pairs in said.values() for pair in pairs])
    for (one, other), pairs in sorted(said.items()):
        yield _flip_share(replace(answers, at={"labels": f"{one}/{other}"}), pairs)


def _flip_share(answers: Group, pairs: Sequence[tuple[int, bool]]) -> Measure:
    units, flips = ([pair[place] for pair in pairs] for place in (0, 1))
    return answers.measure("label_flips", clustered_share(flips, units))


def _share(group: Group, name: str, hits: NDArray[np.bool_]) -> Measure:
    return group.measure(name, clustered_share(hits, group.units))


def _mean(
    group: Group, name: str, scores: ArrayLike, weights: NDArray[np.float64] | None = None
) -> Measure:
    method = "mean" if weights is None else "mean over challenges"
    return group.measure(
        name, bounded_mean(scores, group.units, method, weights), *_silences(group)
    )


def bounded_mean(
    scores: ArrayLike,
    units: ArrayLike,
    method: str,
    weights: NDArray[np.float64] | None = None,
) -> Estimate:
    """Estimate a mean of what lies between 0 and 1; weights sum to 1 and are equal unless given."""
    given, method = np.asarray(scores, dtype=float), f"{method}; Wilson, clustered"
    if not given.size:
        return Estimate(None, None, None, 0, 0, method, ("undefined",))
    parts = np.full(given.size, 1 / given.size) if weights is None else weights
    mean = min(1.0, float(parts @ given))  # all ones sum to a little more at times
    return wilson_estimate(mean, parts * (given - mean), units, method)


def _challenge_weights(replies: Group) -> NDArray[np.float64]:
    """Return weights by which each challenge counts the same, however often it was asked."""
    _, place, counts = np.unique(replies["challenge"], return_inverse=True, return_counts=True)
    weights: NDArray[np.float64] = 1 / (max(counts.size, 1) * counts[place])
    return weights


def scores_of(replies: Group) -> NDArray[np.float64]:
    """Return the score of each reply; one without an answer is worth 0."""
    scores: NDArray[np.float64] = np.where(replies["outcome"] == "scored", replies["value"], 0.0)
    return scores


def _silences(replies: Group) -> tuple[str, ...]:
    return ("no_answer_as_0",) if (replies["outcome"] == "no_answer").any() else ()


def _alike(group: Group, names: Sequence[str]) -> list[NDArray[np.intp]]:
    """Return the rows that agree in these columns."""
    if not group.units.size:
        return []
    return alike(combined([np.unique(group[name], return_inverse=True)[1] for name in names]))


def _in_order(column: NDArray[np.str_]) -> list[str]:
    """Return the levels of a column in order of appearance."""
    levels: Mapping[str, None] = dict.fromkeys(column.tolist())
    return list(levels)
