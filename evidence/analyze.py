"""The figures of analyze: challenges and their truths, confinement, soundness, real runs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evidence import challenges, confinement
from evidence.calibration import calibrated, checked
from evidence.figures import Figure
from whybench.suites.analyze import SUITE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["PARTS", "figures"]


def soundness(small: bool) -> Iterator[Figure]:
    """Yield the checks of every design."""
    if small:
        designs = [SUITE.design({"base": "core", "seeds": 1})]
    else:
        designs = list(SUITE.designs.values())
    yield from checked(SUITE, designs)


def calibration(small: bool) -> Iterator[Figure]:
    """Yield the calibration of every measure with an agent of known value."""
    design = SUITE.design({"base": "core", "seeds": 1}) if small else SUITE.designs["core"]
    yield from calibrated(SUITE, design, 10 if small else 200, small)


def real(small: bool) -> Iterator[Figure]:
    """Yield the answers of a real model, without and with code."""
    from evidence.model_server import LEARNED, real_answers

    count = 1 if small else 5
    told = []
    good = True
    for protocol in ("direct", "code"):
        rows, calls = real_answers("analyze", ["-T", f"protocol={protocol}"], count, 64)
        outcomes = Counter(row["outcome"] for row in rows)
        told.append(f"{protocol} {dict(outcomes)} in {calls} calls")
        good &= len(rows) == count
        good &= protocol == "direct" or not outcomes["error"]
    yield Figure(
        f"{count} items without and {count} with code are asked of a real model, and recorded",
        "; ".join(told) + " (with all rows in the prompt they are longer than the context of "
        f"{LEARNED} tokens that it learned with, and the server says so)",
        good,
    )


PARTS: dict[str, Callable[[bool], Iterator[Figure]]] = {
    **challenges.PARTS,
    **confinement.PARTS,
    "soundness": soundness,
    "calibration": calibration,
    "real": real,
}


def figures(small: bool = False, only: str = "") -> Iterator[Figure]:
    """Yield the figures of the parts whose name contains `only`."""
    for name, part in PARTS.items():
        if only in name:
            yield from part(small)
