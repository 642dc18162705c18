"""Bootstrap intervals of parameters and of what derives from them, such as LAD.

Every resample is fitted anew, starting from the fit to all answers, which makes a refit cheap; a
resample whose best fit lies in another valley is followed only as far as that start leads.

The bootstrap is *expanded*: of g units g - 1 are drawn, and quantiles are read at the normal
probabilities of Student's t quantiles. It was chosen by measuring: of 95% intervals for noisy-OR
agents with 240 answers, plain percentile intervals are too short where whole vignettes are
resampled, there being but twelve of them, and correcting bias and skewness (BCa) does not mend
that; drawing g - 1 and widening the quantiles as t widens the normal does
(`evidence.fits.recovery`).
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from whybench.fits.fitting import derived_values, fit
from whybench.fits.nets import Predictor
from whybench.fits.resamples import Sampled, sampled
from whybench.fits.search import search
from whybench.seeds import generator
from whybench.stats import FEW_UNITS, Estimate, t_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.fits.fitting import Fits
    from whybench.fits.judgments import Floats, Judgments
    from whybench.fits.schemes import Scheme
    from whybench.fits.tasks import TaskTable

__all__ = ["intervals"]

REFIT_TOLERANCE = 1e-10
REFITS_AT_ONCE = 16_384


def intervals(
    table: TaskTable,
    scheme: Scheme,
    data: Judgments,
    fits: Fits | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    keys: Sequence[object] = (),
) -> tuple[dict[str, Estimate], ...]:
    """Estimate parameters and derived quantities with bootstrap intervals.

    Args:
        table: The questions, in the order of the data's columns.
        scheme: The model.
        data: Answers, with rows. Whole sampled units are drawn if the rows have clusters, else
            rows within their question.
        fits: The fits of this scheme to these data, if they are known already.
        resamples: How many refits for each problem.
        level: Confidence level.
        keys: Names the random draw. It is the same for every problem, so that an interval does not
            depend on who else is fitted, nor on what an agent is called.

    Returns:
        For each problem, name to estimate. The flags are those of the fit, `few_units` if fewer
        than ten units were sampled (with fewer than two there is no interval), and `lone_answers`
        if a question has but one answer where rows are drawn within questions.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    whole = fit(table, scheme, data) if fits is None else fits
    if whole.labels != data.labels or whole.scheme != scheme:
        raise ValueError("fits must be of this scheme to these data, got others")
    predictor = Predictor(table, scheme)
    samples = sampled(data)
    found = [
        _estimates(whole, problem, sample, None, level) for problem, sample in enumerate(samples)
    ]
    able = [problem for problem, sample in enumerate(samples) if sample.degrees > 0]
    step = max(1, REFITS_AT_ONCE // resamples)
    for first in range(0, len(able), step):
        group = able[first : first + step]
        draws = [
            samples[problem].draw(generator("fits", "intervals", *keys), resamples)
            for problem in group
        ]
        refits = search(
            predictor,
            np.concatenate([counts for counts, _ in draws]),
            np.concatenate([means for _, means in draws]),
            warm=np.repeat(whole.parameters[group], resamples, axis=0).T,
            tolerance=REFIT_TOLERANCE,
        )
        spreads = np.split(refits.theta.T, len(group))
        for problem, spread in zip(group, spreads, strict=True):
            found[problem] = _estimates(whole, problem, samples[problem], spread, level)
    return tuple(found)


def _estimates(
    whole: Fits, problem: int, sample: Sampled, spread: Floats | None, level: float
) -> dict[str, Estimate]:
    """Turn the refits (resamples, parameters) of one problem into estimates, by name."""
    n, unit = int(whole.n[problem]), "units" if sample.clustered else "rows within questions"
    flags = whole.flags[problem]
    if sample.units < FEW_UNITS:
        flags += ("few_units",)
    if sample.lone:
        flags += ("lone_answers",)
    label = f"expanded bootstrap of {sample.units} {unit}, {whole.method}"
    estimates = {}
    for name in (*whole.scheme.parameters, *whole.scheme.derived):
        estimate = float(whole.estimate(name)[problem]) if n else None
        low = high = None
        if spread is not None:
            tail = NormalDist().cdf(t_quantile((1 - level) / 2, sample.degrees))
            values = _quantity(whole.scheme, name, spread)
            low, high = (float(end) for end in np.quantile(values, (tail, 1 - tail)))
        estimates[name] = Estimate(estimate, low, high, n, sample.units, label, flags)
    return estimates


def _quantity(scheme: Scheme, name: str, parameters: Floats) -> Floats:
    if name in scheme.parameters:
        return np.asarray(parameters[:, scheme.parameters.index(name)])
    return derived_values(scheme, parameters)[name]
