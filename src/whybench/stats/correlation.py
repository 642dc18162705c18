"""Spearman's rank correlation, resampled without sorting, and the noise ceiling of agreement.

The correlation of a resample follows from how often each row was drawn. The rank of a value is the
number of draws below it, plus half of the draws equal to it, plus one half (`ranks_from_counts`): a
matrix product of the counts with which row lies below which value. The squared deviations of n
ranks with ties of t draws each sum to (n³ - Σt³)/12. The sum of products over rows is a sum over
the distinct values of one variable, and so a matrix product too. All agents that answered the
same rows share the other variable, its ranks and the resamples. Ranks are multiples of one half,
so these sums are exact; only the last division rounds.

How well could anything agree with people? The mean judgment of a few people is a noisy target.
Split the people in two halves, take each half's means, and correlate (`split_half`): what one half
says of the other is the reliability of half as many people. Spearman and Brown's formula gives that
of all of them, 2r/(1 + r). An agent that knew the true means would correlate with the observed ones
at the root of that: the ceiling. People are split within their stratum (the story and polarity each
was shown), since only people of one stratum share cells. Halves of an odd number differ by one, at
random which is larger.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from whybench.seeds import generator
from whybench.stats.rank_tests import indicator_matrix, midranks, ranks_from_counts
from whybench.stats.resampling import CHUNK, encode_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class NoiseCeiling:
    """The reliability of a mean over people, and what it bounds.

    Attributes:
        half: Mean correlation between halves.
        reliability: That of the full number of people, by Spearman–Brown.
        ceiling: Root of the reliability: what an agent without noise would reach.
        low: 2.5% quantile of the ceiling over splits; how far one split may mislead, not a
            confidence interval.
        high: 97.5% quantile over splits.
        n: Cells correlated.
        units: People.
        splits: Random splits.
        method: The correlation used.
        flags: `strata_left_out` if a stratum had one person only; `negative_reliability`;
            `constant_means` if a half made no difference between cells, so nothing is estimated.
    """

    half: float | None
    reliability: float | None
    ceiling: float | None
    low: float | None
    high: float | None
    n: int
    units: int
    splits: int
    method: str
    flags: tuple[str, ...] = ()


def spearman(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Correlate ranks along the last axis; NaN where a variable is constant.

    Args:
        first: Values, with any leading axes.
        second: Values of the same length; leading axes are broadcast.
    """
    return _pearson(midranks(first), midranks(second))


def resampled_spearman(
    many: ArrayLike, shared: ArrayLike, counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Correlate each of many variables with a shared one in every resample.

    Args:
        many: The variables, one in each line, or a single one.
        shared: The variable they are all correlated with.
        counts: How often each row was drawn, resamples x rows (see `draw_counts`).

    Returns:
        Correlations, variables x resamples; NaN where a resample leaves a variable constant.
    """
    variables = np.atleast_2d(np.asarray(many, dtype=float))
    if not variables.size:
        return np.full((len(variables), counts.shape[0]), np.nan)
    which = indicator_matrix(shared)
    # The distinct values of all variables side by side: three products serve every variable.
    columns = [indicator_matrix(variable) for variable in variables]
    starts = np.cumsum([0, *(column.shape[1] for column in columns[:-1])])
    equal = np.concatenate(columns, axis=1)
    below = np.concatenate([np.cumsum(column, axis=1) - column / 2 for column in columns], axis=1)
    correlations = np.empty((len(variables), counts.shape[0]))
    step = max(1, CHUNK // equal.shape[1])
    for start in range(0, counts.shape[0], step):
        part = counts[start : start + step]
        total = part.sum(axis=1, keepdims=True)
        drawn = part @ which
        centred = ranks_from_counts(drawn) - (total + 1) / 2
        # Centred ranks, weighted by their counts, sum to zero; the others need no centring.
        weighted = part * (centred @ which.T)
        products = np.add.reduceat((part @ below) * (weighted @ equal), starts, axis=1)
        spread = _cube(total) - np.add.reduceat(_cube(part @ equal), starts, axis=1)
        shared_spread = _cube(total) - np.sum(_cube(drawn), axis=1, keepdims=True)
        correlations[:, start : start + step] = _divide(12 * products, spread * shared_spread).T
    return correlations


def spearman_brown(half: ArrayLike) -> NDArray[np.float64]:
    """Return the reliability of twice as many judges, 2r/(1 + r); minus infinity at r = -1."""
    r = np.asarray(half, dtype=float)
    opposed = r <= -1
    return np.where(opposed, -np.inf, 2 * r / np.where(opposed, 1.0, 1 + r))


def split_half(
    values: ArrayLike,
    cells: Sequence[object],
    people: Sequence[object],
    strata: Sequence[object],
    keys: Sequence[object],
    splits: int = 1000,
    correlation: Literal["spearman", "pearson"] = "spearman",
) -> NoiseCeiling:
    """Compute the noise ceiling of cell means by splitting people in halves.

    Args:
        values: The judgments.
        cells: The cell of each judgment; means are taken within cells.
        people: Who made it.
        strata: Whom the person is split with; a person is in one stratum.
        keys: Names the random draw; equal keys give equal splits.
        splits: Number of random splits.
        correlation: Of the cell means: of their ranks (spearman) or values (pearson).
    """
    array = np.asarray(values, dtype=float)
    cell, person, stratum = (encode_labels(labels) for labels in (cells, people, strata))
    stratum_of = np.zeros(int(person.max(initial=-1)) + 1, dtype=int)
    stratum_of[person] = stratum
    if np.any(stratum_of[person] != stratum):
        raise ValueError("strata must hold each person once, got a person in two strata")
    alone = np.bincount(stratum_of)[stratum_of] < 2
    kept = ~alone[person]
    flags: tuple[str, ...] = ("strata_left_out",) if alone.any() else ()
    method = f"split-half over people within strata, {correlation}, Spearman–Brown"
    shape = (stratum_of.size, int(cell.max(initial=-1)) + 1)
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, (person[kept], cell[kept]), array[kept])
    np.add.at(counts, (person[kept], cell[kept]), 1.0)
    used = counts.sum(axis=0) > 0
    sums, counts = sums[:, used], counts[:, used]
    n, units = counts.shape[1], int(np.count_nonzero(~alone))
    undefined = NoiseCeiling(None, None, None, None, None, n, units, splits, method, flags)
    if n < 2:
        return undefined
    first = _draw_halves(stratum_of, splits, keys)
    halves = [_cell_means(half @ sums, half @ counts) for half in (first, 1 - first)]
    between = spearman(*halves) if correlation == "spearman" else _pearson(*halves)
    if np.isnan(between).any():
        return replace(undefined, flags=(*flags, "constant_means"))
    # Clipped before quantiles are taken: between infinities these are not defined.
    ceilings = np.sqrt(np.clip(spearman_brown(between), 0, None))
    low, high = np.quantile(ceilings, [0.025, 0.975])
    reliability = float(spearman_brown(between.mean()))
    return replace(
        undefined,
        half=float(between.mean()),
        reliability=reliability,
        ceiling=float(np.sqrt(max(reliability, 0.0))),
        low=float(low),
        high=float(high),
        flags=(*flags, "negative_reliability") if reliability < 0 else flags,
    )


def _draw_halves(
    strata: NDArray[np.int_], splits: int, keys: Sequence[object]
) -> NDArray[np.float64]:
    """Draw halves: splits x people, 1 for the first half, in equal numbers within strata."""
    rng = generator("stats", "split half", *keys)
    order = np.argsort(strata + rng.random((splits, strata.size)), axis=1)
    # Positions are counted within a stratum from a random start of 0 or 1; even ones are one half.
    position = np.arange(strata.size) - np.searchsorted(np.sort(strata), np.sort(strata))
    start = rng.integers(0, 2, (splits, int(strata.max()) + 1))[:, np.sort(strata)]
    first = np.empty((splits, strata.size))
    np.put_along_axis(first, order, ((position + start) % 2 == 0).astype(float), axis=1)
    return first


def _cell_means(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.any(counts == 0):
        raise ValueError("every person of a stratum must have judged its cells, got an empty half")
    return sums / counts


def _pearson(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate along the last axis; NaN where a variable is constant."""
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"second must have {x.shape[-1]} values, got {y.shape[-1]}")
    if x.shape[-1]:
        x, y = (values - values.mean(axis=-1, keepdims=True) for values in (x, y))
    squares = np.sum(x**2, axis=-1) * np.sum(y**2, axis=-1)
    return _divide(np.asarray(np.sum(x * y, axis=-1)), np.asarray(squares))


def _cube(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # NumPy's ** 3 goes through pow, which is many times slower.
    return values * values * values


def _divide(product: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide by the root of the squares; NaN where they are zero, and never beyond -1 and 1."""
    safe = np.where(squares > 0, squares, 1.0)
    return np.where(squares > 0, np.clip(product / np.sqrt(safe), -1, 1), np.nan)
