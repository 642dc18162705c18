"""Records to measures: was it found out, was it guessed, and at what cost?

Of all episodes that no technical error ended, where one without an answer is not right:

- `justified_accuracy`, the headline: the share with an answer that is right and follows from what
  was seen. A guesser who is right has no part in it, nor has who says nothing.
- `skill`, where actions are limited: the headline from 0, what the best agent has that acts once
  and goes by appearances, to 1, what the controlled experiment has.
- `justified_within` at each number of `actions`: the share with such an answer after no more than
  so many. The headline is the end of this curve.
- `accuracy`; `accuracy_yes` and `accuracy_no`, where the truth is yes and where it is no (Acc(T)
  and Acc(F) of the source); `balanced_accuracy`, the mean of these two, which no leaning to either
  side can raise.
- `answered`; `mode_…`, by what ended the others; `reasks`, how often a reply was asked for again.

Of the answered episodes alone:

- `justified_accuracy_answered`, the share of answers that are right and follow from what was seen.
- `d_prime` and `criterion` of signal detection: how well causes are told from the rest, and the
  leaning, below 0 towards yes; `yes_share`.
- `steps`, interventions made; `steps_ratio`, all of these over those that the Bayes-optimal
  experimenter is to expect in the same cases, where it can be computed. Below 1 is possible for
  whoever answers before the question is settled, and by luck.
- `information_ratio`, where actions are limited: the bits that actions were to tell of the answer,
  over those that the best action in their place was to tell.
- `entailed_share`: how often what was seen settled the question, whatever was answered.
- `verdict_…`: the answers that are not justified, by verdict; `pattern_…`: the wrong answers, by
  how they are wrong.

Where a group has several sizes, structures, first states or relations, there are both accuracies at
each level (`accuracy` at `entities` 4), and with several sizes their slope: what one entity more
costs.

Where all pairs are asked there are other measures (`report_measures`), beside `answered`, `mode_…`
and `reasks`.

Intervals are clustered by the sampled unit. Of a random world that is the hidden graph: what is
asked of it, and how often, is not sampled anew. The core set is complete and has four graphs only;
there each case, a graph with a first state and a question, is a unit. A share of nothing has no
estimate.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import (
    Measure,
    balanced_accuracy,
    clustered_mean,
    clustered_ratio,
    clustered_share,
    clustered_slope,
    scale_skill,
    signal_detection,
)
from whybench.stats.left_out import Ratio, balanced_ratios, share_ratio
from whybench.suites.groups import Group, group_records
from whybench.suites.intervene.experimenters import Inquiry, expected_steps_at_first
from whybench.suites.intervene.information import count_bits, justified_by_one
from whybench.suites.intervene.posets import MAX_ENUMERATED
from whybench.suites.intervene.report_measures import REPORT_ESTIMATORS, measure_reports
from whybench.suites.intervene.verdicts import PATTERNS, VERDICTS
from whybench.suites.pairs import (
    Pair,
    RatioEstimator,
    answered_share,
    compare_groups,
    filter_reached_by_both,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Estimate

LIMITED_WORLDS = "limited"
"""The set of worlds of the headline."""

GRAPH_WORLDS = "graph"
"""The set of worlds of which all pairs are asked."""

CONDITION = ("worlds", "theme", "style", "interface", "stimuli", "split")
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

GRAPH = ("entities", "graph")
CASE = (*GRAPH, "moving", "asked")


MODES = ("invalid_format", "invalid_action", "invalid_answer", "out_of_steps", "cut_off")
"""The reasons for which an episode may end without an answer."""


SPLIT_BY = ("entities", "structure", "initial", "relation")
"""The factors at each level of which both accuracies are given."""


def intervene_groups(records: pa.Table) -> list[Group]:
    """Return the groups of intervene records, in order of appearance."""
    return group_records(records, CONDITION, WORDS, NUMBERS, _sampled_unit)


def _sampled_unit(labels: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    return ("case", CASE) if labels["worlds"] == "core" else ("hidden graph", GRAPH)


def intervene_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition, the headline first."""
    return [measure for group in intervene_groups(records) for measure in _measures(group)]


def _measures(group: Group) -> Iterator[Measure]:
    episodes = group.where(group["outcome"] != "error")
    if _is_of_reports(group):
        yield from measure_reports(group)
        yield from _endings(episodes)
        return
    answers = group.where(group["outcome"] == "scored")
    yield from _headline(episodes)
    yield from _rightness(episodes)
    justified = _accuracies(answers)["justified_accuracy"]
    yield _share(answers, "justified_accuracy_answered", justified)
    yield from _leaning(answers)
    yield from _cost(answers)
    yield from _reasons(answers)
    yield from _endings(episodes)
    yield from _by_level(group, episodes)


def _is_of_reports(group: Group) -> bool:
    return group.labels["worlds"] == GRAPH_WORLDS


def _headline(episodes: Group) -> Iterator[Measure]:
    """Yield the headline; where actions are not limited it is flagged, since any loop has it."""
    hits = _accuracies(episodes)["justified_accuracy"]
    found = clustered_share(hits, episodes.units)
    is_limited = episodes.labels["worlds"] == LIMITED_WORLDS
    yield episodes.measure("justified_accuracy", found, *(() if is_limited else ("ample_actions",)))
    if not is_limited:
        return
    yield episodes.measure("skill", scale_skill(found, _blind_share(episodes)))
    for most in range(int(np.nanmax(episodes["steps"], initial=0)) + 1):
        within = episodes.where(np.ones(hits.size, dtype=bool), actions=most)
        yield _share(within, "justified_within", hits & (episodes["steps"] <= most))


def _blind_share(episodes: Group) -> float:
    """Return the share of the best agent that does not reason: of those that act once."""
    columns = ("entities", "graph", "moving", "asked")
    cases = list(zip(*(episodes[name].tolist() for name in columns), strict=True))
    if not cases:
        return 0.0
    seen = [justified_by_one(int(n), *words) for n, *words in cases]
    return float(np.max(np.mean(seen, axis=0)))


def _rightness(episodes: Group) -> Iterator[Measure]:
    yield _share(episodes, "accuracy", _accuracies(episodes)["accuracy"])
    yield episodes.measure("balanced_accuracy", _balanced_accuracy(episodes))
    for name, truth in (("accuracy_yes", 1), ("accuracy_no", 0)):
        chosen = episodes.where(episodes["truth"] == truth)
        yield _share(chosen, name, _accuracies(chosen)["accuracy"])


def _leaning(answers: Group) -> Iterator[Measure]:
    yes, truth = answers["value"] == 1, answers["truth"] == 1
    sensitivity = signal_detection(yes, truth, answers.units)
    yield answers.measure("d_prime", sensitivity.d_prime)
    yield answers.measure("criterion", sensitivity.criterion)
    yield _share(answers, "yes_share", yes)


def _cost(answers: Group) -> Iterator[Measure]:
    yield _mean(answers, "steps")
    optimal = _optimal_steps(answers)
    both = ~np.isnan(optimal + answers["steps"])
    in_reach = answers.where(both)
    ratio = clustered_ratio(in_reach["steps"], optimal[both], in_reach.units)
    beyond = ("beyond_planner",) if answers.units.size and not in_reach.units.size else ()
    yield in_reach.measure("steps_ratio", ratio, *beyond)
    if answers.labels["worlds"] == LIMITED_WORLDS:
        yield answers.measure("information_ratio", _information(answers))


def _information(answers: Group) -> Estimate:
    """Estimate the bits to be had from what was done, over those from what was best to do."""
    columns = ("entities", "graph", "moving", "asked", "path")
    cases = zip(*(answers[name].tolist() for name in columns), strict=True)
    bits = np.array([count_bits(int(n), *words) for n, *words in cases]).reshape(-1, 2)
    return clustered_ratio(bits[:, 0], bits[:, 1], answers.units)


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


def _by_level(group: Group, episodes: Group) -> Iterator[Measure]:
    """Yield both accuracies at every level that the group has, reached there or not."""
    for factor in SPLIT_BY:
        levels = np.unique(group[factor]).tolist()
        if len(levels) < 2:
            continue
        for level in levels:
            named = {factor: int(level) if factor == "entities" else level}
            at_level = episodes.where(episodes[factor] == level, **named)
            for name, hits in _accuracies(at_level).items():
                yield _share(at_level, name, hits)
        if factor == "entities":
            for name, hits in _accuracies(episodes).items():
                slope = clustered_slope(hits, episodes["entities"], episodes.units)
                yield episodes.measure(f"{name.removesuffix('_accuracy')}_per_entity", slope)


def _accuracies(episodes: Group) -> dict[str, NDArray[np.bool_]]:
    """Return for each episode whether it has a justified answer, and a right one."""
    return {
        "justified_accuracy": episodes["verdict"] == "justified",
        "accuracy": episodes["value"] == episodes["truth"],
    }


def _share(group: Group, name: str, hits: NDArray[np.bool_]) -> Measure:
    return group.measure(name, clustered_share(hits, group.units))


def _mean(group: Group, name: str) -> Measure:
    known = group.where(~np.isnan(group[name]))
    return known.measure(name, clustered_mean(known[name], known.units))


def _optimal_steps(answers: Group) -> NDArray[np.float64]:
    """Return the steps to expect of the best experimenter, NaN for worlds beyond its reach."""
    cases = zip(*(answers[name].tolist() for name in ("entities", "moving", "asked")), strict=True)
    return np.array(
        [
            optimal_steps(int(n), moving, asked) if n <= MAX_ENUMERATED else np.nan
            for n, moving, asked in cases
        ],
        dtype=float,
    )


def optimal_steps(n: int, moving: str, asked: str) -> float:
    """Return how many interventions the Bayes-optimal experimenter is to expect.

    Args:
        n: How many entities there are, at most five.
        moving: Those that move at first, as in records: `0 2`.
        asked: Cause and effect in question, as in records: `0>2`.
    """
    x, y = map(int, asked.split(">"))
    return expected_steps_at_first(Inquiry(n, x, y, frozenset(map(int, moving.split()))))


def _balanced_accuracy(episodes: Group) -> Estimate:
    """Estimate it with what was not answered as answered wrongly."""
    truth = episodes["truth"] == 1
    return balanced_accuracy(_says_yes(episodes), truth, episodes.units)


def _balanced_ratios(episodes: Group) -> Iterator[Ratio]:
    truth = episodes["truth"] == 1
    return balanced_ratios(_says_yes(episodes) == truth, truth, np.ones(truth.size))


def _says_yes(episodes: Group) -> NDArray[np.bool_]:
    value = episodes["value"]
    says = np.where(np.isnan(value), episodes["truth"] != 1, value == 1)
    return np.asarray(says, dtype=bool)


def _accuracy(episodes: Group, name: str) -> Estimate:
    return clustered_share(_accuracies(episodes)[name], episodes.units)


def _accuracy_ratio(episodes: Group, name: str) -> list[Ratio]:
    return [share_ratio(_accuracies(episodes)[name], np.ones(episodes.units.size))]


ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    **{
        name: RatioEstimator(partial(_accuracy, name=name), partial(_accuracy_ratio, name=name))
        for name in ("justified_accuracy", "accuracy")
    },
    "balanced_accuracy": RatioEstimator(_balanced_accuracy, _balanced_ratios),
}


def intervene_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides, the headline first."""
    groups = intervene_groups(filter_reached_by_both(records))
    for estimators, of_reports in ((ESTIMATORS, False), (REPORT_ESTIMATORS, True)):
        chosen = (group for group in groups if _is_of_reports(group) == of_reports)
        yield from compare_groups(chosen, estimators)
    yield from compare_groups(intervene_groups(records), {"answered": answered_share})
