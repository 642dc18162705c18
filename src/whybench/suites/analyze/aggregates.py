"""Rows, splits of a group, and estimators of pairs for the measures of analyze.

A pair is a trap and its matched control from one draw, or answers about the same rows under two
labels. Both are rows of the group, found by their columns.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, clustered_share, clustered_slope, wilson_estimate
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.design import CONTROL
from whybench.suites.analyze.grading import contradicts
from whybench.suites.analyze.reports import DECREASE, INCREASE, RECOMMENDATION
from whybench.suites.groups import Group, combine_codes, group_rows
from whybench.suites.measures import equals, reached, scored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from whybench.stats import Level
    from whybench.suites.measures import Rows

    Numbers = NDArray[np.float64]

DRAW = ("challenge", "draw")
SAME_QUESTION = (*DRAW, "hint", "label", "epoch")
SAME_ROWS = (*DRAW, "variant", "hint", "epoch")

KINDNESS = ("damning", "neutral", "flattering")
SIDES = {INCREASE: 1, DECREASE: -1}
"""Labels from the harshest to the kindest, and the signs of recommendations."""

GOOD_OR_BAD = frozenset({"necessity_sufficiency"})
"""Challenges whose outcomes are good in some settings and bad in others: there no recommendation
goes with a kind label."""


def is_diagnosed(group: Group) -> NDArray[np.bool_]:
    """Choose the answers with a score for the diagnosis that was asked for."""
    return np.asarray(scored(group) & ~np.isnan(group["diagnosis"]))


is_reply = reached
is_trap = equals("twin", TRAP)
is_control = equals("twin", CONTROL)


@dataclass(frozen=True)
class ByReplies:
    """Split a group by the levels of a factor among its replies, if there are several.

    Attributes:
        factor: The column.
        having: Whether a level has the measure.
    """

    factor: str
    having: Callable[[Group], bool] = lambda _: True

    def __call__(self, group: Group) -> Iterator[Group]:
        """Yield the replies at each level, in order of appearance."""
        replies = group.where(is_reply(group))
        levels = _levels(replies[self.factor])
        for level in levels if len(levels) > 1 else ():
            named: Level = int(level) if self.factor == "hint" else level
            part = replies.where(replies[self.factor] == level, **{self.factor: named})
            if self.having(part):
                yield part


def has_controls(group: Group) -> bool:
    """Return whether any row is of a trap or its matched control."""
    return bool((is_trap(group) | is_control(group)).any())


def split_replies(having: Callable[[Group], bool] = lambda _: True) -> tuple[ByReplies, ...]:
    """Return the splits by family, challenge, hint and label, of levels that have the measure."""
    return tuple(ByReplies(name, having) for name in ("family", "challenge", "hint", "label"))


def has_several(column: str, rows: Rows) -> Callable[[Group], bool]:
    """Return a function that finds several levels of a column among some rows."""
    return lambda group: np.unique(group[column][rows(group)]).size > 1


def reply_scores(replies: Group) -> Numbers:
    """Return the score of each reply; one without an answer has 0."""
    scores: Numbers = np.where(replies["outcome"] == "scored", replies["value"], 0.0)
    return scores


def sound_replies(replies: Group) -> Numbers:
    """Return 1 for each reply that is sound throughout, and 0 for the others.

    Each field of the report passes, and no trap is claimed that isn't there, also in the diagnosis.
    """
    sound = (reply_scores(replies) >= 1) & (replies["false_alarm"] != "True")
    return np.asarray(sound, dtype=float)


def flag_silence(replies: Group) -> tuple[str, ...]:
    """Return the flag of replies of which some have no answer."""
    return ("no_answer_as_0",) if (replies["outcome"] == "no_answer").any() else ()


def challenge_weights(replies: Group) -> Numbers:
    """Return weights by which each challenge counts the same, however often it was asked."""
    _, code, counts = np.unique(replies["challenge"], return_inverse=True, return_counts=True)
    weights: Numbers = 1 / (max(counts.size, 1) * counts[code])
    return weights


def pair_scores(
    scores: Callable[[Group], Numbers], method: str = "mean of lesser of two"
) -> Callable[[Group], Estimate]:
    """Return an estimator of the mean, over pairs, of the lower score of trap and control."""

    def estimate(replies: Group) -> Estimate:
        trap, given = is_trap(replies), scores(replies)
        pairs = [
            (one, other)
            for rows in _group_by(replies, SAME_QUESTION)
            for one in rows[trap[rows]]
            for other in rows[~trap[rows]]
        ]
        traps, controls = np.array(pairs, dtype=int).reshape(-1, 2).T
        # A pair belongs to the draw of its trap, which is the control's too.
        lower = np.minimum(given[traps], given[controls])
        return _bounded_mean(lower, replies.units[traps], method)

    return estimate


def _bounded_mean(scores: ArrayLike, units: ArrayLike, method: str) -> Estimate:
    values, method = np.asarray(scores, dtype=float), f"{method}; Wilson, clustered"
    if not values.size:
        return Estimate(None, None, None, 0, 0, method, ("undefined",))
    mean = float(values.mean())
    return wilson_estimate(mean, (values - mean) / values.size, units, method)


def slope_on_hints(replies: Group) -> Estimate:
    """Estimate the slope of the scores of replies on the level of hints."""
    return clustered_slope(reply_scores(replies), replies["hint"].astype(float), replies.units)


def _pair_labels(answers: Group) -> list[tuple[int, int]]:
    """Return the pairs of answers about the same rows under two labels."""
    labels = answers["label"]
    return [
        pair
        for rows in _group_by(answers, SAME_ROWS)
        for pair in combinations(rows[np.argsort(labels[rows])].tolist(), 2)
    ]


def by_two_labels(group: Group) -> Iterator[Group]:
    """Yield the answers for each two labels that pairs of answers have."""
    answers = group.where(scored(group))
    names = {_name_labels(answers, pair) for pair in _pair_labels(answers)}
    for name in sorted(names):
        yield replace(answers, at={**answers.at, "labels": name})


def _name_labels(answers: Group, pair: tuple[int, int]) -> str:
    return "/".join(str(answers["label"][row]) for row in pair)


def estimate_flips(answers: Group) -> Estimate:
    """Estimate the share of pairs that contradict each other, perhaps of two labels alone."""
    chosen = answers.at.get("labels")
    pairs = [
        pair
        for pair in _pair_labels(answers)
        if chosen is None or _name_labels(answers, pair) == chosen
    ]
    said = answers["conclusion"]
    flips = [contradicts(said[one], said[other]) for one, other in pairs]
    return clustered_share(flips, [answers.units[row] for row, _ in pairs])


def _list_pulls(answers: Group) -> list[tuple[int, float]]:
    """Return, for each pair, its draw and whether recommendations go the way of the label."""
    pulls = []
    for pair in _pair_labels(answers) if np.unique(answers["label"]).size > 1 else ():
        harsher, kinder = sorted(pair, key=lambda row: KINDNESS.index(answers["label"][row]))
        first, second = (_side(answers["conclusion"][row]) for row in (harsher, kinder))
        if answers["challenge"][kinder] in GOOD_OR_BAD or first is None or second is None:
            continue
        pulls.append((answers.units[kinder], float(np.sign(second - first))))
    return pulls


def _side(conclusion: str) -> int | None:
    """Return the sign of a conclusion's recommendation; None if it makes none."""
    advice = json.loads(conclusion).get(RECOMMENDATION) if conclusion else None
    return None if advice is None else SIDES.get(advice, 0)


def has_pulls(group: Group) -> bool:
    """Return whether any recommendations under two labels can be compared."""
    return bool(_list_pulls(group.where(scored(group))))


def estimate_pull(answers: Group) -> Estimate:
    """Estimate how much more often recommendations follow the label than oppose it."""
    units, pulls = (np.array(column) for column in zip(*_list_pulls(answers), strict=True))
    half = _bounded_mean((1 + pulls) / 2, units, "share toward less share away")
    low, high = (None if end is None else 2 * end - 1 for end in (half.low, half.high))
    return replace(half, estimate=float(np.mean(pulls)), low=low, high=high)


def has_runs(group: Group) -> bool:
    """Return whether the agent ran any programs."""
    return bool(np.nansum(group["runs"][is_reply(group)]))


def estimate_failures(replies: Group) -> Estimate:
    """Estimate the share of programs that failed."""
    runs, failed = (np.nan_to_num(replies[name]).astype(int) for name in ("runs", "failed_runs"))
    # One entry for each program, those of an answer that failed first.
    place = np.arange(runs.sum()) - np.repeat(np.cumsum(runs) - runs, runs)
    return clustered_share(place < np.repeat(failed, runs), np.repeat(replies.units, runs))


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
