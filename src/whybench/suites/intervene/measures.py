"""Records to measures: was it found out, was it guessed, and at what cost?

Of the answered episodes:

- `justified_accuracy`, the headline: the share of answers that are right and follow from what was
  seen. A guesser who is right has no part in it.
- `accuracy`; `balanced_accuracy`, the mean of the rates of right answers where the truth is yes and
  where it is no, which no leaning to either side can raise.
- `d_prime` and `criterion` of signal detection: how well causes are told from the rest, and the
  leaning, below 0 towards yes; `yes_share`.
- `steps`, interventions made; `steps_ratio`, all of these over those that the Bayes-optimal
  experimenter is to expect in the same cases, where it can be computed. Below 1 is possible for
  whoever answers before the question is settled, and by luck.
- `entailed_share`: how often what was seen settled the question, whatever was answered.
- `verdict_…`: the answers that are not justified, by verdict; `pattern_…`: the wrong answers, by
  how they are wrong.

Of all episodes that no technical error ended: `answered`; `mode_…`, by what ended the others;
`reasks`, how often an unreadable reply was asked for again.

Where a group has several sizes, structures, first states or relations, there are both accuracies at
each level (`accuracy` at `entities` 4), and with several sizes their slope: what one entity more
costs.

Intervals are clustered by the sampled unit (`groups`). A share of nothing has no estimate.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import (
    Measure,
    balanced_accuracy,
    clustered_mean,
    clustered_ratio,
    clustered_share,
    clustered_slope,
    detection,
)
from whybench.suites.intervene.experimenters import Inquiry, expected_steps
from whybench.suites.intervene.groups import groups_of
from whybench.suites.intervene.patterns import PATTERNS
from whybench.suites.intervene.posets import MAX_ENUMERATED
from whybench.suites.intervene.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.suites.groups import Group

__all__ = ["MODES", "SPLIT_BY", "intervene_measures", "optimal_steps"]

MODES = ("invalid_format", "invalid_action", "invalid_answer", "out_of_steps", "cut_off")
"""The reasons for which an episode may end without an answer."""

SPLIT_BY = {"n": "entities", "structure": "structure", "initial": "initial", "relation": "relation"}
"""The columns at each level of which both accuracies are given, and what their levels are called:
the number of entities is `n` in records, and in measures `n` is the number of answers."""


def intervene_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition, the headline first."""
    return [measure for group in groups_of(records) for measure in _measures(group)]


def _measures(group: Group) -> Iterator[Measure]:
    answers = group.where(group["outcome"] == "scored")
    yield from _rightness(answers)
    yield from _cost(answers)
    yield from _reasons(answers)
    yield from _endings(group.where(group["outcome"] != "error"))
    yield from _by_level(group, answers)


def _rightness(answers: Group) -> Iterator[Measure]:
    yes, truth = answers["value"] == 1, answers["truth"] == 1
    for name, hits in _accuracies(answers).items():
        yield _share(answers, name, hits)
    yield answers.measure("balanced_accuracy", balanced_accuracy(yes, truth, answers.units))
    found = detection(yes, truth, answers.units)
    yield answers.measure("d_prime", found.d_prime)
    yield answers.measure("criterion", found.criterion)
    yield _share(answers, "yes_share", yes)


def _cost(answers: Group) -> Iterator[Measure]:
    yield _mean(answers, "steps")
    optimal = _optimal(answers)
    both = ~np.isnan(optimal + answers["steps"])
    known = answers.where(both)
    found = clustered_ratio(known["steps"], optimal[both], known.units)
    beyond = ("beyond_planner",) if answers.units.size and not known.units.size else ()
    yield known.measure("steps_ratio", found, *beyond)


def _reasons(answers: Group) -> Iterator[Measure]:
    yield _share(answers, "entailed_share", answers["evidence"] != "open")
    for verdict in VERDICTS:
        if verdict not in {"justified", "no_answer"}:
            yield _share(answers, f"verdict_{verdict}", answers["verdict"] == verdict)
    wrong = answers.where(answers["value"] != answers["truth"])
    for pattern in PATTERNS:
        yield _share(wrong, f"pattern_{pattern}", wrong["pattern"] == pattern)


def _endings(episodes: Group) -> Iterator[Measure]:
    yield _share(episodes, "answered", episodes["outcome"] == "scored")
    for mode in MODES:
        yield _share(episodes, f"mode_{mode}", episodes["reason"] == mode)
    yield _mean(episodes, "reasks")


def _by_level(group: Group, answers: Group) -> Iterator[Measure]:
    """Yield both accuracies at every level that the group has, answered there or not."""
    for column, factor in SPLIT_BY.items():
        levels = np.unique(group[column]).tolist()
        if len(levels) < 2:
            continue
        for level in levels:
            named = {factor: int(level) if column == "n" else level}
            chosen = answers.where(answers[column] == level, **named)
            for name, hits in _accuracies(chosen).items():
                yield _share(chosen, name, hits)
        if column == "n":
            for name, hits in _accuracies(answers).items():
                slope = clustered_slope(hits, answers["n"], answers.units)
                yield answers.measure(f"{name.removesuffix('_accuracy')}_per_entity", slope)


def _accuracies(answers: Group) -> dict[str, NDArray[np.bool_]]:
    return {
        "justified_accuracy": answers["verdict"] == "justified",
        "accuracy": answers["value"] == answers["truth"],
    }


def _share(group: Group, name: str, hits: NDArray[np.bool_]) -> Measure:
    return group.measure(name, clustered_share(hits, group.units))


def _mean(group: Group, name: str) -> Measure:
    known = group.where(~np.isnan(group[name]))
    return known.measure(name, clustered_mean(known[name], known.units))


def _optimal(answers: Group) -> NDArray[np.float64]:
    """Return the steps to expect of the best experimenter, NaN for worlds beyond its reach."""
    cases = zip(*(answers[name].tolist() for name in ("n", "moving", "asked")), strict=True)
    return np.array(
        [
            optimal_steps(int(n), moving, asked) if n <= MAX_ENUMERATED else np.nan
            for n, moving, asked in cases
        ],
        dtype=float,
    )


@cache
def optimal_steps(n: int, moving: str, asked: str) -> float:
    """Return how many interventions the Bayes-optimal experimenter is to expect.

    Args:
        n: How many entities there are, at most five.
        moving: Those that move at first, as in records: `0 2`.
        asked: Cause and effect in question, as in records: `0>2`.
    """
    x, y = asked.split(">")
    state = set(moving.split())
    return _expected(n, x in state, y in state, len(state - {x, y}))


@cache
def _expected(n: int, cause: bool, effect: bool, others: int) -> float:
    """Return the same from all that it depends on: what moves, by its part in the question."""
    first = [*([0] if cause else []), *([1] if effect else []), *range(2, 2 + others)]
    return expected_steps(Inquiry(n, 0, 1, frozenset(first)))
