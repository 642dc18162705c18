"""How often the intervals of judge's measures cover what is known of its reference agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence.figures import Figure
from whybench.suites.calibration import calibrate, coverage_bounds
from whybench.suites.judge import SUITE

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["calibrated"]

CLAIMED = (0.92, 0.98)
"""The shares of covering intervals that we claim at full size, whatever the number of seeds."""


def calibrated(design: str, seeds: int, small: bool) -> Iterator[Figure]:
    """Yield the coverage of noisy agents' measures on a design, and the errors of the others."""
    low, high = coverage_bounds(seeds) if small else CLAIMED
    rows = list(calibrate(SUITE, SUITE.designs[design], seeds))
    noisy = [(row, row.coverage) for row in rows if row.coverage is not None]
    yield Figure(
        f"{design}: over {seeds} seeds intervals of noisy agents cover in {low:.1%} to {high:.1%}",
        "; ".join(f"{row.agent} {row.measure} {covered:.1%}" for row, covered in noisy),
        all(low <= covered <= high for _, covered in noisy),
    )
    exact = [row for row in rows if row.coverage is None]
    yield Figure(
        f"{design}: agents without noise are exact after rounding",
        f"{len(exact)} measures, largest error "
        f"{max(abs(row.estimate - row.known) for row in exact):.0e}",
        all(row.passed for row in exact),
    )
