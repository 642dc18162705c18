"""The power to see a difference of a given size.

Two agents answer the same items, each E times. On an item their means differ by the true
difference, by how differently the two take to that item (spread `between`), and by what is left of
the noise of single answers (spread `within`) after E epochs. So the mean difference over I items
has the variance

    (between² + 2·within²/E) / I,

and is tested with a paired t over items. Epochs shrink only the second term. If the first alone
is too large, no number of epochs is enough: more items are needed.
"""

from __future__ import annotations

import numpy as np


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
