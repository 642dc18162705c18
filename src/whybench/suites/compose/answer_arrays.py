"""Answers about the units of a world as arrays, with the truth about these units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.compose.estimators import (
    OUTVOTING,
    Quantity,
    Sample,
    share_of_yes,
    unit_effects,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.compose.chain import Pair

Path = tuple[int, ...]
"""The variables of a composition, from root to leaf."""


@dataclass(frozen=True, eq=False)
class AnswerArrays:
    """Answers about units, and the truth about them.

    Attributes:
        pairs: The (cause, effect) pairs, in the order of the last axis of all arrays.
        y1: Answers with the cause made true: epochs x units x pairs, NaN where missing.
        y0: Answers with the cause made false.
        true1: The true y1, units x pairs.
        true0: The true y0.
        sample: The units.
        asked: Which pairs were asked about and not lost to a technical error, epochs x units x
            pairs; None for all. A pair that was asked about and has no answer was not given.
    """

    pairs: tuple[Pair, ...]
    y1: NDArray[np.float64]
    y0: NDArray[np.float64]
    true1: NDArray[np.bool_]
    true0: NDArray[np.bool_]
    sample: Sample
    asked: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        shape = (self.sample.size, len(self.pairs))
        axes = {"y1": "epochs x ", "y0": "epochs x ", "true1": "", "true0": ""}
        for name, epochs in axes.items():
            actual = getattr(self, name).shape
            if len(actual) != (3 if epochs else 2) or actual[-2:] != shape:
                raise ValueError(f"{name} must be {epochs}{shape[0]} x {shape[1]}, got {actual}")

    def position(self, cause: int, effect: int) -> int:
        """Return where a pair stands on the last axis."""
        return self.pairs.index((cause, effect))

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which pairs were asked about and not lost, epochs x units x pairs."""
        return np.ones(self.y1.shape, dtype=bool) if self.asked is None else self.asked

    @property
    def outvoted(self) -> bool:
        """Whether epochs could outvote errors: three or more, which differ if any answer is wrong.

        Epochs that all repeat the same error, as without temperature, outvote nothing.
        """
        if self.y1.shape[0] < OUTVOTING:
            return False
        sides = ((self.y1, self.true1), (self.y0, self.true0))
        known = [~np.isnan(answers) for answers, _ in sides]
        wrong = any(
            bool(((answers != true) & there).any())
            for (answers, true), there in zip(sides, known, strict=True)
        )
        shares = [share_of_yes(answers) for answers, _ in sides]
        differs = any(bool(((share > 0) & (share < 1)).any()) for share in shares)
        return differs or not wrong

    def effects(self, quantity: Quantity) -> NDArray[np.float64]:
        """Return the answered effect on each unit, units x pairs."""
        return unit_effects(self.y1, self.y0, quantity)

    def true_effects(self) -> NDArray[np.float64]:
        """Return the true effect on each unit, units x pairs; both quantities have this one."""
        return unit_effects(self.true1[None], self.true0[None], "pns")
