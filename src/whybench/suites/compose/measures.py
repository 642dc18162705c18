"""Records to measures: do an agent's answers about the parts make up what it says of the whole?

Of the compositions of all worlds (see `verdicts`), by the majority of epochs:

- `valid_and_consistent`, the headline: the share that are shown to be both;
- `inconclusive`: the share on which the units do not decide; `undefined`: the share on which the
  agent answered no effect at all;
- `valid_inconsistent`, `invalid_consistent`, `invalid_inconsistent`: the other classes;
- `valid`, `consistent`: the share with a yes in either verdict;
- `valid_agreement`, `consistent_agreement`: unit by unit, the mean over compositions.

Verdicts are tests already, so these have no interval of their own. What each composition came to
does: `valid_ratio` and `consistent_ratio`, the difference of product and target as a share of the
larger, flagged with the verdict, and the agreement on units, at each `composition`: world and path.

Of the scored answers, with intervals clustered by unit:

- `balanced_accuracy_factual`, `balanced_accuracy_interventional`: a constant answer has one half;
- `error`: the share of answers about made causes that are wrong, also at each `distance` and at
  each number of `mediators`: the blocks and the nodes between cause and effect; and
  `error_per_block`, `error_per_mediator`, the slopes;
- `yes_share`.

And of all answers that no technical error prevented, `answered`. Where a group has several shapes
or gates, headline and accuracies are given at each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import (
    Estimate,
    Measure,
    balanced_accuracy,
    clustered_share,
    clustered_slope,
)
from whybench.suites.compose.comparisons import Composition, compositions
from whybench.suites.compose.groups import WorldAnswers, groups_of, worlds_of
from whybench.suites.compose.verdicts import Class, headline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.suites.groups import Group

__all__ = [
    "CLASS_MEASURES",
    "RESAMPLES",
    "RUNGS",
    "Composed",
    "compose_measures",
    "composed",
    "path_label",
]

Composed = tuple[WorldAnswers, Composition]

CLASS_MEASURES: Mapping[Class, str] = {
    "VC": "valid_and_consistent",
    "inconclusive": "inconclusive",
    "undefined": "undefined",
    "VI": "valid_inconsistent",
    "IC": "invalid_consistent",
    "II": "invalid_inconsistent",
}
"""The measure of each class of compositions, the headline first."""

SPLIT_BY = ("gates", "kinds")
RUNGS = ("factual", "interventional")
RESAMPLES = 2000


def compose_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition, the headline first."""
    return [measure for group in groups_of(records) for measure in _measures(group)]


def composed(group: Group, resamples: int = RESAMPLES) -> list[Composed]:
    """Return every composition of every world of a group, held against truth and whole.

    The draw belongs to the world and not to the agent, so that agents are compared on the same
    resamples.
    """
    return [
        (world, found)
        for world in worlds_of(group)
        for found in compositions(
            world.answered,
            world.chain.compositions,
            ("compose", world.label),
            resamples=resamples,
        )
    ]


def path_label(found: Composition) -> str:
    """Return the anchors on the way, as in `0-2-6`."""
    return "-".join(map(str, found.path))


def _measures(group: Group) -> Iterator[Measure]:
    results = composed(group)
    answers = group.where(group["outcome"] == "scored")
    yield from _classes(group, results)
    yield from _verdicts(group, results)
    yield from _accuracies(answers)
    yield from _errors(answers)
    yield _share(answers, "yes_share", answers["value"] == 1)
    reached = group.where(group["outcome"] != "error")
    yield _share(reached, "answered", reached["outcome"] == "scored")
    yield from _by_level(group, answers, results)
    for result in results:
        yield from _by_composition(group, *result)


def _classes(group: Group, results: Sequence[Composed]) -> Iterator[Measure]:
    found = headline([composition.kind for _, composition in results])
    for kind, name in CLASS_MEASURES.items():
        share = found.counts[kind] / found.n if found.n else None
        yield _over_compositions(group, name, share, results)
        if group.at:  # at a level of a factor, the headline alone
            return


def _verdicts(group: Group, results: Sequence[Composed]) -> Iterator[Measure]:
    pairs = [(found.valid, found.consistent) for _, found in results]
    for place, name in enumerate(("valid", "consistent")):
        compared = [pair[place] for pair in pairs]
        yes = [comparison.verdict == "yes" for comparison in compared]
        share = sum(yes) / len(yes) if yes else None
        yield _over_compositions(group, name, share, results)
        agreed = [found.agreement.estimate for found in compared]
        known = [value for value in agreed if value is not None]
        mean = sum(known) / len(known) if known else None
        yield _over_compositions(group, f"{name}_agreement", mean, results)


def _over_compositions(
    group: Group, name: str, value: float | None, results: Sequence[Composed]
) -> Measure:
    """Return a measure over compositions, which has no interval."""
    samples = {id(world): world.answered for world, _ in results}.values()
    said = sum(
        int((~np.isnan(y)).sum()) for answered in samples for y in (answered.y1, answered.y0)
    )
    units = sum(answered.sample.size for answered in samples)
    biased = sorted({flag for _, found in results for flag in found.flags})
    flags = () if value is not None else ("undefined",)
    plural = "" if len(results) == 1 else "s"
    method = f"over {len(results)} composition{plural}, verdicts by resampling"
    found = Estimate(value, None, None, said, units, method, flags)
    return group.measure(name, found, *biased)


def _accuracies(answers: Group) -> Iterator[Measure]:
    for rung in RUNGS:
        chosen = answers.where(answers["rung"] == rung)
        found = balanced_accuracy(chosen["value"] == 1, chosen["truth"] == 1, chosen.units)
        yield chosen.measure(f"balanced_accuracy_{rung}", found)


def _errors(answers: Group) -> Iterator[Measure]:
    made = answers.where(answers["rung"] == "interventional")
    wrong = made["value"] != made["truth"]
    yield _share(made, "error", wrong)
    scales = {
        ("distance", "block"): made["distance"],
        ("mediators", "mediator"): made["effect"] - made["cause"] - 1,
    }
    for (factor, one), scale in scales.items():
        yield made.measure(f"error_per_{one}", clustered_slope(wrong, scale, made.units))
        for level in np.unique(scale).tolist():
            there = scale == level
            yield _share(made.where(there, **{factor: int(level)}), "error", wrong[there])


def _by_level(group: Group, answers: Group, results: Sequence[Composed]) -> Iterator[Measure]:
    for factor in SPLIT_BY:
        levels = np.unique(group[factor]).tolist()
        for level in levels if len(levels) > 1 else ():
            there = [result for result in results if getattr(result[0], factor) == level]
            yield from _classes(group.where(group[factor] == level, **{factor: level}), there)
            yield from _accuracies(answers.where(answers[factor] == level, **{factor: level}))


def _by_composition(group: Group, world: WorldAnswers, found: Composition) -> Iterator[Measure]:
    there = replace(group, at={"composition": f"{world.label}/{path_label(found)}"})
    for name, compared in (("valid", found.valid), ("consistent", found.consistent)):
        flags = (compared.verdict, *found.flags)
        yield there.measure(f"{name}_ratio", compared.ratio, *flags)
        yield there.measure(f"{name}_agreement", compared.agreement)


def _share(group: Group, name: str, hits: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Measure:
    return group.measure(name, clustered_share(hits, group.units))
