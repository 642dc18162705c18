"""Records to measures: do an agent's answers about the parts make up what it says of the whole?

Unit by unit and answer by answer (see `agreements`), with intervals clustered by world:

- `agreement`, the headline: the lesser of the next two;
- `valid_agreement`: of the steps taken together with the true whole;
- `consistent_agreement`: of the steps taken together with the agent's own whole;
- `skill`: the headline from 0, what the best agent has that does not reason, to 1, what the exact
  one has. It is below 0 for an agent that composes worse than one that does not read the rules:
  that says the effect is whatever the cause is made, and so has the true share of the whole;
- `agreement_vote`: the headline if the majority of epochs decided, from three epochs on.

Of the compositions of all worlds (see `verdicts`), by the majority of epochs:

- `valid_and_consistent`: the share that are shown to be both;
- `inconclusive`: the share on which the units do not decide; `undefined`: the share on which the
  agent answered no effect at all;
- `valid_inconsistent`, `invalid_consistent`, `invalid_inconsistent`: the other classes;
- `valid`, `consistent`: the share with a yes in either verdict;
- `source_valid_and_consistent`: the share that are both by the source's rule, which decides by the
  estimates alone.

Verdicts are tests already. What stands beside these shares is no interval but a band: from what is
decided to what it would be if all that is undecided fell to it. What each composition came to, with
intervals, is in the table `compositions`; there `…_same_from` is the margin beyond which a verdict
would be yes, and `…_differs_to` the one below which it would be no, so that any other margin than
delta can be held against them.

Of the scored answers, with intervals clustered by unit:

- `balanced_accuracy_factual`, `balanced_accuracy_interventional`: a constant answer has one half;
- `reasoning_gap`: the first less the second, what is lost where a cause is made otherwise than it
  is;
- `precision_factual`, `recall_factual`, and so on: of answers yes, the share that are right; of
  questions whose truth is yes, the share so answered;
- `error`: the share of answers about made causes that are wrong, also at each `distance` and at
  each number of `mediators`: the blocks and the nodes between cause and effect; and
  `error_per_block`, `error_per_mediator`, the slopes;
- `yes_share`.

And of all answers that no technical error prevented, `answered`. Where a group has several shapes
or gates, agreement and accuracies are given at each.

Three tables go into detail: a row for each composition, by the probability of necessity and
sufficiency and by the average effect, and a row for each pair of anchors.

Answers in numbers have measures of their own (`number_measures`) and none of these.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats import (
    Estimate,
    Measure,
    balanced_accuracy,
    clustered_estimate,
    clustered_share,
    clustered_slope,
    scale_skill,
)
from whybench.stats.left_out import balanced_ratios
from whybench.stats.resampling import stratified_bootstrap
from whybench.suites.compose.agreements import sum_agreements
from whybench.suites.compose.comparisons import Composition, compare_compositions
from whybench.suites.compose.estimators import OUTVOTING, Quantity, weighted_means
from whybench.suites.compose.groups import WorldAnswers, compose_groups, group_by_world
from whybench.suites.compose.number_measures import measure_numbers, number_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.stats.left_out import Ratio
    from whybench.suites.compose.verdicts import Class
    from whybench.suites.groups import Group

WorldComposition = tuple[WorldAnswers, Composition]

CLASS_MEASURES: Mapping[Class, str] = {
    "VC": "valid_and_consistent",
    "inconclusive": "inconclusive",
    "undefined": "undefined",
    "VI": "valid_inconsistent",
    "IC": "invalid_consistent",
    "II": "invalid_inconsistent",
}
"""The measure of each class of compositions."""

DECIDED: frozenset[Class] = frozenset({"VC", "VI", "IC", "II"})
"""The classes to which an undecided composition may belong."""

SPLIT_BY = ("gates", "kinds")
RUNGS = ("factual", "interventional")
RESAMPLES = 2000


QUANTITIES: tuple[Quantity, ...] = ("pns", "ate")


def compose_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure of every agent under every condition, the headline first."""
    return [
        *(measure for group in compose_groups(records) for measure in _measures(group)),
        *(measure for group in number_groups(records) for measure in measure_numbers(group)),
    ]


def list_compositions(
    worlds: Sequence[WorldAnswers], resamples: int = RESAMPLES, quantity: Quantity = "pns"
) -> list[WorldComposition]:
    """Return every composition of worlds, held against truth and whole by a quantity.

    The draw belongs to the world and not to the agent, so that agents are compared on the same
    resamples.
    """
    return [
        (world, composition)
        for world in worlds
        for composition in compare_compositions(
            world.answered, world.chain.compositions, world.keys, quantity, resamples=resamples
        )
    ]


def path_label(composition: Composition) -> str:
    """Return the anchors on the way, as in `0-2-6`."""
    return "-".join(map(str, composition.path))


def _measures(group: Group) -> Iterator[Measure]:
    worlds = group_by_world(group)
    results = list_compositions(worlds)
    answers = group.where(group["outcome"] == "scored")
    yield from _agreements(group, worlds)
    yield from _classes(group, results)
    yield from _verdicts(group, results)
    yield from _accuracies(answers)
    yield answers.measure("reasoning_gap", _reasoning_gap(answers))
    yield from _precisions(answers)
    yield from _errors(answers)
    yield _share(answers, "yes_share", answers["value"] == 1)
    reached = group.where(group["outcome"] != "error")
    yield _share(reached, "answered", reached["outcome"] == "scored")
    yield from _by_level(group, answers)


def _agreements(group: Group, worlds: Sequence[WorldAnswers]) -> Iterator[Measure]:
    sums = sum_agreements(worlds)
    found = sums.estimate()

    def measure(name: str, estimate: Estimate, *flags: str) -> Measure:
        return group.measure(name, estimate, *flags, method=f"{estimate.method} by {sums.unit}")

    yield measure("agreement", found.lesser)
    if group.at:  # at a level of a factor, the headline alone
        return
    yield measure("skill", scale_skill(found.lesser, blind_agreement(worlds)))
    yield measure("valid_agreement", found.valid)
    yield measure("consistent_agreement", found.consistent)
    if max((world.answered.y1.shape[0] for world in worlds), default=0) >= OUTVOTING:
        voted = sum_agreements(worlds, by_vote=True).estimate().lesser
        stale = () if all(world.answered.outvoted for world in worlds) else ("noise_biased",)
        yield measure("agreement_vote", voted, *stale)


def blind_agreement(worlds: Sequence[WorldAnswers]) -> float:
    """Return the agreement of the best agent that does not reason, on the same units.

    It says that the effect is whatever the cause is made. Then every effect follows every cause,
    which agrees with itself, and with the truth where the whole follows. A constant answer has 0,
    and a coin less than this as long as one whole in twenty follows.
    """
    shares = []
    for world in worlds:
        answered, chain = world.answered, world.chain
        whole = answered.true_effects()[:, answered.position(chain.root, chain.leaf)]
        shares.append(np.average(whole, weights=answered.sample.weights))
    return float(np.mean(shares)) if shares else 0.0


def _classes(group: Group, results: Sequence[WorldComposition]) -> Iterator[Measure]:
    counts = Counter(composition.kind for _, composition in results)
    for kind, name in CLASS_MEASURES.items():
        undecided = counts["inconclusive"] if kind in DECIDED else 0
        yield _over_compositions(group, name, counts[kind], undecided, results)


def _verdicts(group: Group, results: Sequence[WorldComposition]) -> Iterator[Measure]:
    for name in ("valid", "consistent"):
        counts = Counter(found.comparisons[name].verdict for _, found in results)
        yield _over_compositions(group, name, counts["yes"], counts["inconclusive"], results)
    passed = sum(found.passes_source for _, found in results)
    yield _over_compositions(group, "source_valid_and_consistent", passed, 0, results)


def _over_compositions(
    group: Group, name: str, count: int, undecided: int, results: Sequence[WorldComposition]
) -> Measure:
    """Return the share of compositions that something holds of, with the band of what may."""
    share, most = (
        number / len(results) if results else None for number in (count, count + undecided)
    )
    samples = {id(world): world.answered for world, _ in results}.values()
    answers = sum(int((~np.isnan(y)).sum()) for arrays in samples for y in (arrays.y1, arrays.y0))
    units = sum(arrays.sample.size for arrays in samples)
    biased = sorted({flag for _, composition in results for flag in composition.flags})
    flags = () if share is not None else ("undefined",)
    plural = "" if len(results) == 1 else "s"
    band = ", undecided ones either way" if undecided else ""
    method = f"over {len(results)} composition{plural}{band}, verdicts by resampling"
    ends = (share, most) if undecided else (None, None)
    return group.measure(name, Estimate(share, *ends, answers, units, method, flags), *biased)


def _accuracies(answers: Group) -> Iterator[Measure]:
    for rung in RUNGS:
        yield answers.measure(f"balanced_accuracy_{rung}", rung_accuracy(answers, rung))


def _reasoning_gap(answers: Group) -> Estimate:
    """Return the balanced accuracy on factual questions less that on made causes."""
    method = "difference of balanced accuracies; t, clustered"
    gap, influence = 0.0, np.zeros(answers.units.size)
    for rung, sign in zip(RUNGS, (1, -1), strict=True):
        for weight, above, below in rung_ratios(answers, rung):
            total = below.sum()
            if not total:
                units = np.unique(answers.units).size
                return Estimate(None, None, None, influence.size, units, method, ("undefined",))
            rate = above.sum() / total
            gap += sign * weight * rate
            influence += sign * weight * (above - rate * below) / total
    return clustered_estimate(float(gap), influence, answers.units, method)


def _precisions(answers: Group) -> Iterator[Measure]:
    for rung in RUNGS:
        chosen = answers.where(answers["rung"] == rung)
        yes, true = chosen["value"] == 1, chosen["truth"] == 1
        yield _share(chosen.where(yes), f"precision_{rung}", true[yes])
        yield _share(chosen.where(true), f"recall_{rung}", yes[true])


def rung_accuracy(answers: Group, rung: str) -> Estimate:
    """Return the balanced accuracy on the questions of a rung."""
    chosen = answers.where(answers["rung"] == rung)
    return balanced_accuracy(chosen["value"] == 1, chosen["truth"] == 1, chosen.units)


def rung_ratios(answers: Group, rung: str) -> Iterator[Ratio]:
    """Return the ratios of which that is made."""
    truth = answers["truth"] == 1
    return balanced_ratios((answers["value"] == 1) == truth, truth, answers["rung"] == rung)


def _errors(answers: Group) -> Iterator[Measure]:
    answers = answers.where(answers["rung"] == "interventional")
    wrong = answers["value"] != answers["truth"]
    yield _share(answers, "error", wrong)
    scales = {
        ("distance", "block"): answers["distance"],
        ("mediators", "mediator"): answers["effect"] - answers["cause"] - 1,
    }
    for (factor, step), scale in scales.items():
        yield answers.measure(f"error_per_{step}", clustered_slope(wrong, scale, answers.units))
        for level in np.unique(scale).tolist():
            chosen = scale == level
            yield _share(answers.where(chosen, **{factor: int(level)}), "error", wrong[chosen])


def _by_level(group: Group, answers: Group) -> Iterator[Measure]:
    for factor in SPLIT_BY:
        levels = np.unique(group[factor]).tolist()
        for level in levels if len(levels) > 1 else ():
            at_level = group.where(group[factor] == level, **{factor: level})
            yield from _agreements(at_level, group_by_world(at_level))
            yield from _accuracies(answers.where(answers[factor] == level, **{factor: level}))


def _share(group: Group, name: str, hits: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Measure:
    return group.measure(name, clustered_share(hits, group.units))


def compositions_table(records: pa.Table, quantity: Quantity = "pns") -> pa.Table:
    """Return a row for each composition of each world: product, targets, verdicts and class.

    `valid_…` is against the true whole, `consistent_…` against the answered one. By `ate` effects
    count that are the other way round; in truth there are none, so that both have the same truths.
    """
    return _make_table(
        row for group in compose_groups(records) for row in _composition_rows(group, quantity)
    )


def pairs_table(records: pa.Table) -> pa.Table:
    """Return a row for each pair of anchors of each world: the true effect and the answered one.

    `true` is the effect on the same units; `pns` and `ate` are as in `estimators`, and `…_error` is
    how far they are off, as a share of the true effect.
    """
    return _make_table(
        row
        for group in compose_groups(records)
        for world in group_by_world(group)
        for row in _pair_rows(world, group)
    )


def _make_table(rows: Iterator[dict[str, Any]]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)

    return pa.Table.from_pylist(list(rows))


def _composition_rows(group: Group, quantity: Quantity) -> Iterator[dict[str, Any]]:
    for world, composition in list_compositions(group_by_world(group), quantity=quantity):
        row = _world_columns(group, world)
        row |= {"path": path_label(composition), "steps": len(composition.path) - 1}
        row |= _interval_columns("product", composition.product)
        for name, compared in composition.comparisons.items():
            row[f"{name}_target"] = compared.target
            row |= _interval_columns(f"{name}_difference", compared.difference)
            row |= _interval_columns(f"{name}_ratio", compared.ratio)
            row |= _interval_columns(f"{name}_agreement", compared.agreement)
            row |= {
                f"{name}_resolution": compared.resolution,
                f"{name}_verdict": compared.verdict,
                f"{name}_same_from": compared.same_from,
                f"{name}_differs_to": compared.differs_to,
                f"{name}_source": compared.passes_source,
            }
        yield {**row, "class": composition.kind, "flags": " ".join(composition.flags)}


def _pair_rows(world: WorldAnswers, group: Group) -> Iterator[dict[str, Any]]:
    answered = world.answered
    effects = [answered.true_effects(), *(answered.effects(quantity) for quantity in QUANTITIES)]
    means = weighted_means(np.concatenate(effects, axis=1), answered.sample)
    keys = ("compose", "pairs", world.label)
    estimates = stratified_bootstrap(means, answered.sample.strata, keys)
    count = len(answered.pairs)
    for position, (cause, effect) in enumerate(answered.pairs):
        true, *rest = estimates[position::count]
        row = {
            **_world_columns(group, world),
            "cause": cause,
            "effect": effect,
            "distance": len(world.chain.blocks_between(cause, effect)),
            "mediators": len(world.chain.mediators(cause, effect)),
            "true": true.estimate,
        }
        for name, estimate in zip(QUANTITIES, rest, strict=True):
            row |= _interval_columns(name, estimate)
            off = None
            if estimate.estimate is not None and true.estimate:
                off = (estimate.estimate - true.estimate) / true.estimate
            row[f"{name}_error"] = off
        yield row


def _world_columns(group: Group, world: WorldAnswers) -> dict[str, Any]:
    sampled = world.answered.sample.size
    named = {"kinds": world.kinds, "gates": world.gates, "draw": world.draw}
    return {**group.labels, **named, "units": sampled, "epochs": world.answered.y1.shape[0]}


def _interval_columns(name: str, estimate: Estimate) -> dict[str, float | None]:
    return {name: estimate.estimate, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
