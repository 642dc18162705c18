"""The figures of compose: worlds and units, classes, prompts, soundness, calibration."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evidence import compose_classes, compositions, prompts
from evidence.calibration import calibrated, checked
from evidence.figures import figures_of
from whybench.suites.compose import SUITE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evidence.figures import Figure, Parts


def soundness(small: bool) -> Iterator[Figure]:
    """Yield the checks of every design."""
    if small:
        designs = [SUITE.make_design({"design": "core", "units": 4})]
    else:
        designs = list(SUITE.designs.values())
    yield from checked(SUITE, designs)


def calibration(small: bool) -> Iterator[Figure]:
    """Yield the calibration of every measure with an agent of known value."""
    if small:
        yield from calibrated(SUITE, SUITE.make_design({"design": "core", "units": 8}), 10, small)
        return
    yield from calibrated(SUITE, SUITE.designs["core"], 200, small)


PARTS: Parts = {
    **compositions.PARTS,
    **compose_classes.PARTS,
    **prompts.PARTS,
    "soundness": soundness,
    "calibration": calibration,
}

figures = partial(figures_of, PARTS)
