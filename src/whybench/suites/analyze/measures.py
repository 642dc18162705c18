"""Records to measures: is the trap seen, and is it seen only where it is?

The score of an answer is from 0 to 1 (see `grading`). A reply without an answer is worth 0: who
declines every question has found out nothing, and who declines the hard ones must not gain by it;
measures in which that plays a part are flagged `no_answer_as_0`. Technical errors are left out.

- `twin_score`, the headline: the mean over pairs of a trap and a control of the same draw, under
  the same hint and label, of the lesser of the two scores.
- `reliability`: the mean over challenges of the mean score in each (the source's causal
  reliability); `score`, the mean over all items; `score_trap`, `score_control`.
- `family_reliability`, of published data: the mean over families of that in each, which is what the
  source prints under the name of causal reliability.
- `unmarked`, of answers in free words: the share that the grader gave no marks for, where there
  are such; they count in no score.
- `score_answered`: the mean score of the answers alone.
- `diagnosis`: the mean score of what reports are said to rest on, where that was asked; 0 where it
  could not be read. `twin_diagnosis`: the mean over twins of the lesser of these.
- `key_score`, of published data: the mean share of the source's own keys with which answers agree.
- `fell_for`: the share of answered traps in which the answer is the one the trap suggests;
  `false_alarm`: the share of controls with a diagnosis in which a trap is claimed that is not
  there.
- `label_flips`: of all pairs of answers to the same rows under two labels, the share that
  contradict each other (see `grading`); with several labels, also at each two `labels`.
- `label_pull`: of such pairs, the share in which the kinder label has the kinder recommendation
  (raise before either and cannot_tell, these before lower) less the share in which the harsher one
  has it. 0 is an agent that does not listen to labels, 1 one that listens to nothing else. Of
  challenges whose reports recommend something and whose outcomes are good ones.
- `failed_programs`: of the programs that were run, the share that failed; also at each family and
  hint, where there are several.
- `answered`, and `mode_…`, the replies without an answer by reason.

Where a group has several families, challenges, hints or labels, twin score, score, and scores of
traps and controls are given at each (`score` at `challenge` simpson); with several hints there is
`score_per_hint`, the slope: what one level less of help adds to the score, usually below 0.

The sampled unit is the draw: twins, and the same rows under other hints and labels, belong to one.
Scores and shares have Wilson's interval, which stays between 0 and 1.

Where samples of the rows were shown, every measure is flagged `sampled_rows`: in few rows a trap
may not show, and a control may look like one, so these scores do not compare with those of all.

Two agents, or two runs, that analysed the same data are compared by the same measures
(`analyze_pairs`): falls and false alarms on what both answered, the rest on all replies.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, Measure, clustered_share, clustered_slope, wilson_estimate
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.design import CONTROL
from whybench.suites.analyze.grading import contradicts
from whybench.suites.analyze.published.forms import NEITHER
from whybench.suites.analyze.replies import REASONS, UNMARKED
from whybench.suites.analyze.reports import LOWER, RAISE, RECOMMENDATION
from whybench.suites.groups import Group, combine_codes, group_records, group_rows
from whybench.suites.pairs import Pair, answered_share, compare_groups, filter_scored_by_both

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray

CONDITION = ("protocol", "split")
"""The columns that make up a condition; measures are computed within one."""

WORDS = (
    "outcome", "reason", "challenge", "family", "variant", "twin", "hint", "label", "draw", "epoch",
    "rows", "fell_for", "false_alarm", "conclusion",
)  # fmt: skip
NUMBERS = ("value", "diagnosis", "key_score", "runs", "failed_runs")

SPLIT_BY = ("family", "challenge", "hint", "label")
"""The columns at each level of which scores are given."""

DRAW = ("challenge", "draw")
SAME_QUESTION = (*DRAW, "hint", "label", "epoch")
SAME_ROWS = (*DRAW, "variant", "hint", "epoch")

KINDNESS = ("damning", "neutral", "flattering")
SIDES = {RAISE: 1, LOWER: -1}
"""Labels from the harshest to the kindest, and on which side of nothing recommendations are."""

GOOD_OR_BAD = frozenset({"necessity_sufficiency"})
"""Challenges whose outcomes are good in some settings and bad in others: there no recommendation
goes with a kind label."""


def analyze_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition, the headline first."""
    measures = []
    for group in analyze_groups(records):
        sampled = () if np.isin(group["rows"], ("", "0")).all() else ("sampled_rows",)
        measures += [replace(m, flags=(*m.flags, *sampled)) for m in _measures(group)]
    return measures


def analyze_groups(records: pa.Table) -> list[Group]:
    """Return the groups of analyze records, in order of appearance."""
    return group_records(records, CONDITION, WORDS, NUMBERS, lambda _: ("draw", DRAW))


def _measures(group: Group) -> Iterator[Measure]:
    marked = group["reason"] != UNMARKED
    replies = group.where((group["outcome"] != "error") & marked)
    answers = group.where(group["outcome"] == "scored")
    yield _twins(replies)
    yield _mean(replies, "reliability", reply_scores(replies), _challenge_weights(replies))
    if (group["twin"] == NEITHER).all() and len(_levels(replies["family"])) > 1:
        weights = _family_weights(replies)
        yield _mean(replies, "family_reliability", reply_scores(replies), weights, "families")
    if not marked.all():
        yield _share(group, "unmarked", ~marked)
    yield from _scores(replies)
    yield _mean(answers, "score_answered", answers["value"])
    yield from _key_scores(replies)
    for name, estimate in OF_ANSWERS.items():
        yield answers.measure(name, estimate(answers))
    diagnosed = _diagnosed(answers)
    if diagnosed.units.size:
        yield _mean(diagnosed, "diagnosis", diagnosed["diagnosis"])
        yield diagnosed.measure(
            "twin_diagnosis", mean_twin_score(diagnosed, diagnosed["diagnosis"])
        )
    yield from _flips(answers)
    yield from _failures(replies)
    yield _share(replies, "answered", replies["outcome"] == "scored")
    for mode in REASONS:
        yield _share(replies, f"mode_{mode}", replies["reason"] == mode)
    yield from _by_level(replies)


def _scores(replies: Group) -> Iterator[Measure]:
    yield _mean(replies, "score", reply_scores(replies))
    for twin in (TRAP, CONTROL):
        chosen = replies.where(replies["twin"] == twin)
        yield _mean(chosen, f"score_{twin}", reply_scores(chosen))


def _by_level(replies: Group) -> Iterator[Measure]:
    for factor in SPLIT_BY:
        groups = _split(replies, factor)
        for chosen in groups:
            if (chosen["twin"] == NEITHER).all():
                yield _mean(chosen, "score", reply_scores(chosen))
                yield from _key_scores(chosen)
                continue
            yield _twins(chosen)
            yield from _scores(chosen)
        if factor == "hint" and groups:
            hints = replies["hint"].astype(float)
            slope = clustered_slope(reply_scores(replies), hints, replies.units)
            yield replies.measure("score_per_hint", slope, *_silence_flag(replies))


def _split(replies: Group, factor: str) -> list[Group]:
    """Return the group at each level of a factor; nothing where there is one level alone."""
    levels = _levels(replies[factor])
    return [
        replies.where(
            replies[factor] == level, **{factor: int(level) if factor == "hint" else level}
        )
        for level in levels
        if len(levels) > 1
    ]


def _key_scores(replies: Group) -> Iterator[Measure]:
    """Measure agreement with printed keys, where replies could be held against one."""
    compared = replies.where(~np.isnan(replies["key_score"]))
    if compared.units.size:
        yield _mean(compared, "key_score", compared["key_score"])


def _twins(replies: Group) -> Measure:
    return replies.measure("twin_score", mean_twin_score(replies), *_silence_flag(replies))


def _diagnosed(answers: Group) -> Group:
    """Return the answers of which it was asked what they rest on."""
    return answers.where(~np.isnan(answers["diagnosis"]))


def mean_twin_score(replies: Group, given: NDArray[np.float64] | None = None) -> Estimate:
    """Estimate the mean over twins of the lesser of their scores, or of others that are given."""
    scores = reply_scores(replies) if given is None else given
    is_trap = replies["twin"] == TRAP
    pairs = [
        (trap, control)
        for rows in _group_by(replies, SAME_QUESTION)
        for trap in rows[is_trap[rows]]
        for control in rows[~is_trap[rows]]
    ]
    traps, controls = np.array(pairs, dtype=int).reshape(-1, 2).T
    # A pair belongs to the draw of its trap, which is the control's too.
    lesser = np.minimum(scores[traps], scores[controls])
    return bounded_mean(lesser, replies.units[traps], "mean of lesser of two")


def _flips(answers: Group) -> Iterator[Measure]:
    labels, conclusions = answers["label"], answers["conclusion"]
    if len(_levels(labels)) < 2:
        return
    pairs = [
        pair
        for rows in _group_by(answers, SAME_ROWS)
        for pair in combinations(rows[np.argsort(labels[rows])].tolist(), 2)
    ]
    flips: dict[str, list[tuple[int, bool]]] = {}
    for row, other in pairs:
        flip = contradicts(conclusions[row], conclusions[other])
        flips.setdefault(f"{labels[row]}/{labels[other]}", []).append((answers.units[row], flip))
    yield _flip_share(answers, [flip for named in flips.values() for flip in named])
    for name in sorted(flips):
        yield _flip_share(replace(answers, at={"labels": name}), flips[name])
    yield from _pulls(answers, pairs)


def _flip_share(answers: Group, flips: Sequence[tuple[int, bool]]) -> Measure:
    share = clustered_share([flip for _, flip in flips], [unit for unit, _ in flips])
    return answers.measure("label_flips", share)


def _pulls(answers: Group, pairs: Sequence[tuple[int, int]]) -> Iterator[Measure]:
    """Measure whether recommendations go the way of the label, where any are compared."""
    units, pulls = [], []
    for pair in pairs:
        harsher, kinder = sorted(pair, key=lambda row: KINDNESS.index(answers["label"][row]))
        first, second = (_side(answers["conclusion"][row]) for row in (harsher, kinder))
        if answers["challenge"][kinder] in GOOD_OR_BAD or first is None or second is None:
            continue
        units.append(answers.units[kinder])
        pulls.append(np.sign(second - first))
    if pulls:
        half = bounded_mean((1 + np.array(pulls)) / 2, units, "share towards less share away")
        low, high = (None if end is None else 2 * end - 1 for end in (half.low, half.high))
        pull = replace(half, estimate=float(np.mean(pulls)), low=low, high=high)
        yield answers.measure("label_pull", pull)


def _side(conclusion: str) -> int | None:
    """Return on which side a conclusion recommends something; None where it does not."""
    advice = json.loads(conclusion).get(RECOMMENDATION) if conclusion else None
    return None if advice is None else SIDES.get(advice, 0)


def _failures(replies: Group) -> Iterator[Measure]:
    """Measure how many programs failed, where any were run."""
    if not np.nansum(replies["runs"]):
        return
    for group in (replies, *_split(replies, "family"), *_split(replies, "hint")):
        runs, failed = (np.nan_to_num(group[name]).astype(int) for name in ("runs", "failed_runs"))
        # One entry for each program, those of an answer that failed first.
        place = np.arange(runs.sum()) - np.repeat(np.cumsum(runs) - runs, runs)
        share = clustered_share(place < np.repeat(failed, runs), np.repeat(group.units, runs))
        yield group.measure("failed_programs", share)


def _share(group: Group, name: str, hits: NDArray[np.bool_]) -> Measure:
    return group.measure(name, clustered_share(hits, group.units))


def _mean(
    group: Group,
    name: str,
    scores: ArrayLike,
    weights: NDArray[np.float64] | None = None,
    over: str = "challenges",
) -> Measure:
    method = "mean" if weights is None else f"mean over {over}"
    mean = bounded_mean(scores, group.units, method, weights)
    return group.measure(name, mean, *_silence_flag(group))


def bounded_mean(
    scores: ArrayLike,
    units: ArrayLike,
    method: str,
    weights: NDArray[np.float64] | None = None,
) -> Estimate:
    """Estimate a mean of what lies between 0 and 1; weights sum to 1 and are equal unless given."""
    values, method = np.asarray(scores, dtype=float), f"{method}; Wilson, clustered"
    if not values.size:
        return Estimate(None, None, None, 0, 0, method, ("undefined",))
    parts = np.full(values.size, 1 / values.size) if weights is None else weights
    mean = min(1.0, float(parts @ values))  # all ones sum to a little more at times
    return wilson_estimate(mean, parts * (values - mean), units, method)


def _challenge_weights(replies: Group) -> NDArray[np.float64]:
    """Return weights by which each challenge counts the same, however often it was asked."""
    _, code, counts = np.unique(replies["challenge"], return_inverse=True, return_counts=True)
    weights: NDArray[np.float64] = 1 / (max(counts.size, 1) * counts[code])
    return weights


def _family_weights(replies: Group) -> NDArray[np.float64]:
    """Return weights by which families count the same, and in each its challenges do."""
    weights = _challenge_weights(replies)
    families, code = np.unique(replies["family"], return_inverse=True)
    totals = np.bincount(code, weights)
    shared: NDArray[np.float64] = weights / (totals[code] * families.size)
    return shared


def reply_scores(replies: Group) -> NDArray[np.float64]:
    """Return the score of each reply; one without an answer is worth 0."""
    scores: NDArray[np.float64] = np.where(replies["outcome"] == "scored", replies["value"], 0.0)
    return scores


def _silence_flag(replies: Group) -> tuple[str, ...]:
    return ("no_answer_as_0",) if (replies["outcome"] == "no_answer").any() else ()


def _group_by(group: Group, names: Sequence[str]) -> list[NDArray[np.intp]]:
    """Return the rows that agree in these columns."""
    if not group.units.size:
        return []
    return group_rows(
        combine_codes([np.unique(group[name], return_inverse=True)[1] for name in names])
    )


def _levels(column: NDArray[np.str_]) -> list[str]:
    """Return the levels of a column in order of appearance."""
    return list(dict.fromkeys(column.tolist()))


def _falls(answers: Group) -> Estimate:
    traps = answers.where(answers["twin"] == TRAP)
    return clustered_share(traps["fell_for"] == "True", traps.units)


def _false_alarms(answers: Group) -> Estimate:
    diagnosed = _diagnosed(answers)
    controls = diagnosed.where(diagnosed["twin"] == CONTROL)
    return clustered_share(controls["false_alarm"] == "True", controls.units)


OF_REPLIES: Mapping[str, Callable[[Group], Estimate]] = {
    "twin_score": mean_twin_score,
    "score": lambda group: bounded_mean(reply_scores(group), group.units, "mean"),
    "answered": answered_share,
}
OF_ANSWERS: Mapping[str, Callable[[Group], Estimate]] = {
    "fell_for": _falls,
    "false_alarm": _false_alarms,
}


def analyze_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides, the headline first."""
    yield from compare_groups(analyze_groups(records), OF_REPLIES)
    yield from compare_groups(analyze_groups(filter_scored_by_both(records)), OF_ANSWERS)
