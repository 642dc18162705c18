"""What outside analysts' reports score: whose work is defensible passes, and no one else.

The analysts (`outside_analysts`) were written by somebody who knew neither how data sets are made
nor how answers are graded. What they are told of a data set is what its reader knows: the columns
by role, when each was measured, the figures of the question, and whether a lot decided on the
treatment.
"""

from __future__ import annotations

import warnings
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evidence.figures import Figure
from evidence.outside_analysts import ANALYSTS
from whybench.suites.analyze.challenges import CHALLENGES, CORE
from whybench.suites.analyze.grading import grade_values
from whybench.suites.analyze.reports import ESTIMATE, recommend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evidence.figures import Parts
    from evidence.outside_analysts import Analyst
    from whybench.suites.analyze.challenges.contract import Challenge, Instance

SEEDS, FEW_SEEDS = 40, 2
BOUNDS, WIDE_BOUNDS = (0.95, 0.5), (0.6, 0.6)
"""The mean score of a defensible analyst on every variant, at least, and that of another on the
variant that shows what is wrong with the work, at most; of few draws, one may be bad luck."""

BY_LOT: Mapping[str, frozenset[str]] = {
    **{
        name: frozenset(CHALLENGES[name].variants)
        for name in ("selection", "mediator_confounding", "sequential", "interaction")
    },
    "simpson": frozenset({"randomised", "post_treatment"}),
    "observational": frozenset({"randomised"}),
    "outcome": frozenset({"randomised"}),
    "necessity_sufficiency": frozenset({"after_cause"}),
}
"""The variants whose text says that a lot decided on the treatment, by challenge."""

UNEXPOSED = {"adjust_observational_for_all", "distrust_lots"}
"""Whose fault no report shows: every column of `observational` came before the treatment, but for a
decoy now and then; and who adjusts where a lot decided has the right number for a wrong reason,
which the diagnosis shows."""


def outside(small: bool) -> Iterator[Figure]:
    """Yield what outside analysts score, challenge by challenge."""
    count, bounds = (FEW_SEEDS, WIDE_BOUNDS) if small else (SEEDS, BOUNDS)
    for challenge in map(CHALLENGES.__getitem__, CORE):
        twins = [challenge.generate_twins("outside", seed) for seed in range(count)]
        scores = {
            who: _score(challenge, analyst, twins)
            for who, analyst in ANALYSTS[challenge.name].items()
        }
        yield Figure(
            f"{challenge.name}: outside analysts whose work is defensible have a mean score of "
            f"{bounds[0]} or more on every variant, the others {bounds[1]} or less on "
            f"one of them ({count} draws)",
            "; ".join(_describe(challenge, who, scores[who]) for who in scores),
            all(_holds(challenge, who, scores[who], bounds) for who in scores),
        )


def _score(
    challenge: Challenge, analyst: Analyst, twins: Iterable[Mapping[str, Instance]]
) -> dict[str, float]:
    """Return the mean score of an analyst, by variant."""
    return {
        variant: fmean(_grade(challenge, analyst, drawn[variant]) for drawn in twins)
        for variant in challenge.variants
    }


def _grade(challenge: Challenge, analyst: Analyst, instance: Instance) -> float:
    data = pd.DataFrame({role: np.asarray(values) for role, values in instance.rows.items()})
    by_lot = instance.variant in BY_LOT.get(challenge.name, ())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits that are wrong, as some analysts' are
        answer: dict[str, Any] = analyst(data, instance.when, instance.facts, by_lot)
    report = _report(answer)
    asked = [field for field in challenge.report if field.name in report]
    return grade_values(asked, instance, report).score


def _report(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an analyst reports, by what it found; intervals only if it gave one."""
    if "graphs" in answer:
        claimed = min(answer["graphs"], key=sorted)
        return {"graph": claimed, "confidence": 1 / len(answer["graphs"])}
    if ESTIMATE not in answer:
        return {"edge": answer["edge"]}
    found: dict[str, Any] = {ESTIMATE: answer[ESTIMATE]}
    interval = answer.get("estimate_ci")
    if interval is not None:
        found |= {"interval": interval, "recommendation": recommend(*interval)}
    return found


def _holds(
    challenge: Challenge, who: str, scores: Mapping[str, float], bounds: tuple[float, float]
) -> bool:
    lowest, (least, most) = min(scores.values()), bounds
    if ANALYSTS[challenge.name][who].defensible:
        return lowest >= least
    return lowest <= most or who in UNEXPOSED


def _describe(challenge: Challenge, who: str, scores: Mapping[str, float]) -> str:
    kind = "defensible" if ANALYSTS[challenge.name][who].defensible else "not defensible"
    if who in UNEXPOSED:
        kind += ", no fault in most reports"
    found = ", ".join(f"{variant} {score:.2f}" for variant, score in scores.items())
    return f"{who} ({kind}): {found}"


PARTS: Parts = {"outside": outside}
