"""How many epochs does it take to see a difference of a given size?

Two agents answer the same items, each E times. On an item their means differ by the true
difference, by how differently the two take to that item (spread `between`), and by what is left of
the noise of single answers (spread `within`) after E epochs. So the mean difference over I items
has the variance

    (between² + 2·within²/E) / I,

and is tested with a paired t over items. Epochs shrink only the second term. If the first alone
is too large, no number of epochs is enough, and the answer is more items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "EpochsNeeded",
    "VarianceComponents",
    "epochs_needed",
    "paired_power",
    "variance_components",
]

MAX_EPOCHS = 1_000_000


@dataclass(frozen=True)
class EpochsNeeded:
    """The number of epochs that shows a difference.

    Attributes:
        epochs: The smallest number that reaches the wanted power; None if none does.
        power: Power at that number, or the limit that epochs cannot pass.
        n: Items.
        method: The test whose power it is.
        flags: `more_items_needed` if no number of epochs is enough.
    """

    epochs: int | None
    power: float
    n: int
    method: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class VarianceComponents:
    """Standard deviations found in a pilot run of two agents on the same items.

    Attributes:
        within: Of single answers of one agent to one item.
        between: Of the agents' true differences from item to item.
        n: Answers.
        units: Items.
        method: How they were estimated.
        flags: `one_epoch` if the two cannot be told apart.
    """

    within: float | None
    between: float | None
    n: int
    units: int
    method: str
    flags: tuple[str, ...] = ()


def paired_power(
    difference: float,
    within: float,
    items: int,
    epochs: float = 1,
    between: float = 0.0,
    alpha: float = 0.05,
) -> float:
    """Return the power of a two-sided paired t test over items.

    Args:
        difference: The true mean difference.
        within: Standard deviation of single answers to one item.
        items: Number of items, at least 2.
        epochs: Answers of each agent to each item; infinity for the limit.
        between: Standard deviation of the true difference from item to item.
        alpha: Level of the test.
    """
    from scipy.special import nctdtr, stdtrit  # noqa: PLC0415  (kept out of the start-up path)

    if items < 2:
        raise ValueError(f"items must be at least 2, got {items}")
    if not epochs > 0:
        raise ValueError(f"epochs must be above 0, got {epochs}")
    if within < 0 or between < 0:
        raise ValueError(f"within and between must not be negative, got {within} and {between}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    error = np.sqrt((between**2 + 2 * within**2 / epochs) / items)
    if error == 0:
        return 1.0 if difference else alpha
    shift = abs(difference) / error
    limit = float(stdtrit(items - 1, 1 - alpha / 2))
    # SciPy returns NaN for some probabilities below 1e-8; zero is right there.
    short_of, opposite = np.nan_to_num(nctdtr(items - 1, shift, np.array([limit, -limit])))
    return float(1 - short_of + opposite)


def epochs_needed(
    difference: float,
    within: float,
    items: int,
    between: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
) -> EpochsNeeded:
    """Return the smallest number of epochs at which a difference is seen with the wanted power."""
    if not alpha < power < 1:
        raise ValueError(f"power must lie between alpha ({alpha}) and 1, got {power}")
    method = f"paired t over items, two-sided, α = {alpha:g}"

    def power_at(epochs: float) -> float:
        return paired_power(difference, within, items, epochs, between, alpha)

    if power_at(float("inf")) < power or power_at(MAX_EPOCHS) < power:
        flags = ("more_items_needed",)
        return EpochsNeeded(None, power_at(float("inf")), items, method, flags)
    low, high = 0, 1
    while power_at(high) < power:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return EpochsNeeded(high, power_at(high), items, method)


def variance_components(first: ArrayLike, second: ArrayLike) -> VarianceComponents:
    """Estimate both standard deviations from a pilot.

    Args:
        first: Answers of one agent, items x epochs.
        second: Answers of the other to the same items, items x epochs.
    """
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if x.ndim != 2 or y.ndim != 2 or len(x) != len(y):
        raise ValueError(f"first and second must be items x epochs, got {x.shape}, {y.shape}")
    method = "variance components: within items, and of item differences less what is within"
    n, units = x.size + y.size, len(x)
    if min(x.shape[1], y.shape[1]) < 2 or units < 2:
        return VarianceComponents(None, None, n, units, method, ("one_epoch",))
    variance_x, variance_y = x.var(axis=1, ddof=1).mean(), y.var(axis=1, ddof=1).mean()
    across = float(np.var(x.mean(axis=1) - y.mean(axis=1), ddof=1))
    between = across - variance_x / x.shape[1] - variance_y / y.shape[1]
    within = float(np.sqrt((variance_x + variance_y) / 2))
    return VarianceComponents(within, float(np.sqrt(max(between, 0.0))), n, units, method)
