"""Are suites sound, and do their intervals cover what is known of the reference agents?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence.figures import Figure
from whybench.suites.calibration import calibrate, coverage_bounds
from whybench.suites.checks import check_design

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

CLAIMED = (0.92, 0.98)
"""The shares of covering intervals that we claim at full size, whatever the number of seeds."""


def checked(suite: AnySuite, designs: Iterable[Design]) -> Iterator[Figure]:
    """Yield what `whybench validate` finds on designs."""
    names, looked_at, failed, lengths = set(), 0, [], []
    for design in designs:
        for result in check_design(suite, design):
            names.add(result.name)
            looked_at += result.looked_at
            failed += [f"{design.name}: {result.name}"] if not result.passed else []
            lengths += [f"{design.name} {result.note}"] if result.note and result.applies else []
    yield Figure(
        f"{len(names)} checks pass on every design of {suite.name} in its own words",
        f"{len(lengths)} designs, {looked_at} looks at items, "
        f"failed: {', '.join(failed) or 'none'}; prompt lengths: {'; '.join(lengths)}",
        not failed and looked_at > 0,
    )


def calibrated(suite: AnySuite, design: Design, seeds: int, small: bool) -> Iterator[Figure]:
    """Yield the coverage of noisy agents' measures on a design, and the errors of the others."""
    low, high = coverage_bounds(seeds) if small else CLAIMED
    rows = list(calibrate(suite, design, seeds))
    noisy = [(row, row.coverage) for row in rows if row.coverage is not None]
    yield Figure(
        f"{suite.name} {design.name}: over {seeds} seeds intervals of noisy agents cover in "
        f"{low:.1%} to {high:.1%}",
        "; ".join(
            f"{row.agent} {row.measure} {covered:.1%}"
            + (" (conservative)" if row.conservative else "")
            for row, covered in noisy
        ),
        all(low <= covered <= (1.0 if row.conservative else high) for row, covered in noisy),
    )
    exact = [row for row in rows if row.coverage is None]
    yield Figure(
        f"{suite.name} {design.name}: agents without noise are exact after rounding",
        f"{len(exact)} measures, largest error "
        f"{max(abs(row.estimate - row.expected) for row in exact):.0e}",
        all(row.passed for row in exact),
    )
