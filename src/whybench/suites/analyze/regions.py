"""Where parameters are drawn from: train and test share no region of any range.

Every range of a real parameter is cut into bands, which belong to train and to test in turn. Both
sides reach over the whole range, and no parameter of the one is nearer to one of the other than the
edge of a band: worlds of training are like those of the test, and none of them is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.seeds import digest

if TYPE_CHECKING:
    from whybench.seeds import Split

BANDS = 8
"""Into how many bands a range is cut, half of them for each side."""


class RegionGenerator(np.random.Generator):
    """A generator whose uniform numbers are in the bands of one side of the divide."""

    def __init__(self, seed: np.random.SeedSequence, split: Split) -> None:
        super().__init__(np.random.PCG64(seed))
        self._first = 0 if split == "train" else 1

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw from the bands of this side, each as often."""
        low, high = np.asarray(low), np.asarray(high)
        shape = np.broadcast_shapes(low.shape, high.shape) or None if size is None else size
        place = self.random(shape) * (BANDS // 2)
        band = np.floor(place)
        return low + (high - low) * (2 * band + self._first + place - band) / BANDS


def region_generator(split: Split, *keys: object) -> RegionGenerator:
    """Return the generator of a side that belongs to these keys, and to no others."""
    return RegionGenerator(np.random.SeedSequence(int.from_bytes(digest(*keys), "big")), split)
