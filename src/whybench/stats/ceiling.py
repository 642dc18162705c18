"""How well could anything agree with people? The split-half noise ceiling.

The mean judgment of a few people is a noisy target. Split the people in two halves, take each
half's means, and correlate: what one half says of the other is the reliability of half as many
people. Spearman and Brown's formula gives that of all of them, 2r/(1 + r). An agent that knew the
true means would correlate with the observed ones at the root of that: the ceiling.

People are split within their stratum (the story and polarity each was shown), since only people
of one stratum share cells. Halves of an odd number differ by one, at random which is larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from whybench.seeds import generator
from whybench.stats.correlation import spearman

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Ceiling", "spearman_brown", "split_half"]


@dataclass(frozen=True)
class Ceiling:
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
) -> Ceiling:
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
    cell, person, stratum = (_codes(labels) for labels in (cells, people, strata))
    home = np.zeros(int(person.max(initial=-1)) + 1, dtype=int)
    home[person] = stratum
    if np.any(home[person] != stratum):
        raise ValueError("strata must hold each person once, got a person in two strata")
    counted = np.bincount(home)
    alone = counted[home] < 2
    kept = ~alone[person]
    flags: tuple[str, ...] = ("strata_left_out",) if alone.any() else ()
    method = f"split-half over people within strata, {correlation}, Spearman–Brown"
    shape = (home.size, int(cell.max(initial=-1)) + 1)
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, (person[kept], cell[kept]), array[kept])
    np.add.at(counts, (person[kept], cell[kept]), 1.0)
    used = counts.sum(axis=0) > 0
    sums, counts = sums[:, used], counts[:, used]
    units = int(np.count_nonzero(~alone))
    if counts.shape[1] < 2:
        return Ceiling(None, None, None, None, None, counts.shape[1], units, splits, method, flags)
    first = _halves(home, splits, keys)
    one = _means(first @ sums, first @ counts)
    two = _means((1 - first) @ sums, (1 - first) @ counts)
    between = spearman(one, two) if correlation == "spearman" else _pearson(one, two)
    if np.isnan(between).any():
        flags += ("constant_means",)
        return Ceiling(None, None, None, None, None, counts.shape[1], units, splits, method, flags)
    reliability = spearman_brown(between)
    mean = float(spearman_brown(between.mean()))
    if mean < 0:
        flags += ("negative_reliability",)
    # Clipped first: quantiles between infinities are not defined.
    low, high = np.quantile(np.sqrt(np.clip(reliability, 0, None)), [0.025, 0.975])
    return Ceiling(
        half=float(between.mean()),
        reliability=mean,
        ceiling=float(np.sqrt(max(mean, 0.0))),
        low=float(low),
        high=float(high),
        n=counts.shape[1],
        units=units,
        splits=splits,
        method=method,
        flags=flags,
    )


def _halves(home: NDArray[np.int_], splits: int, keys: Sequence[object]) -> NDArray[np.float64]:
    """Draw halves: splits x people, 1 for the first half, in equal numbers within strata."""
    draw = generator("stats", "split half", *keys)
    order = np.argsort(home + draw.random((splits, home.size)), axis=1)
    # Places are counted within a stratum from a random start of 0 or 1; even ones are one half.
    place = np.arange(home.size) - np.searchsorted(np.sort(home), np.sort(home))
    start = draw.integers(0, 2, (splits, int(home.max()) + 1))[:, np.sort(home)]
    first = np.empty((splits, home.size))
    np.put_along_axis(first, order, ((place + start) % 2 == 0).astype(float), axis=1)
    return first


def _means(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.any(counts == 0):
        raise ValueError("every person of a stratum must have judged its cells, got an empty half")
    return sums / counts


def _pearson(one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.float64]:
    one = one - one.mean(axis=1, keepdims=True)
    two = two - two.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.sum(one**2, axis=1) * np.sum(two**2, axis=1))
    return np.where(spread > 0, np.sum(one * two, axis=1) / np.where(spread > 0, spread, 1), np.nan)


def _codes(labels: Sequence[object]) -> NDArray[np.intp]:
    _, codes = np.unique(np.array([str(label) for label in labels]), return_inverse=True)
    return codes
