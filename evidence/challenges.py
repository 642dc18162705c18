"""The figures of the challenges of analyze: what they do to known analysts, and their truths.

`python -m evidence.challenges NAME [SEEDS]` prints the table of one challenge.
"""

from __future__ import annotations

import math
import sys
from statistics import fmean
from typing import TYPE_CHECKING

from evidence.figures import Figure, Parts, print_figures
from whybench.seeds import generator
from whybench.suites.analyze.analysts import ANALYSTS
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.checks import (
    BOUNDS,
    Bounds,
    find_failures,
    mean_twin_scores,
    run_analysts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.analyze.challenges.contract import Challenge, Instance, Simulation
    from whybench.suites.analyze.checks import VariantResults

SEEDS, FEW_SEEDS = 200, 20
FEW_BOUNDS = Bounds(each_number=0.9, all_numbers=0.8, fell_for=0.9)
"""With few seeds, one item in ten may go wrong by the luck of the draw."""

DRAWS, FEW_DRAWS = 10_000_000, 1_000_000
CHUNK = 500_000
SURE = 4.0
"""How many standard errors a simulated truth may be from the derived one."""


HEAD = (
    "challenge             variant             trap  each≥   all  naive  fell  "
    "score: comp naive alwys null schm  twin: alwys  comp"
)


def format_results(results: Mapping[str, VariantResults]) -> Iterator[str]:
    """Yield one line for each variant, in the columns of `HEAD`; `all` is the mean of the twins."""
    always = mean_twin_scores(results, "always-trap")
    competent = mean_twin_scores(results, "competent")
    for variant, result in results.items():
        marks = " ".join(f"{result.score(analyst):5.2f}" for analyst in ANALYSTS)
        control = "all" if variant == TRAP else variant
        yield (
            f"{result.challenge:21} {variant:18} "
            f"{sum(result.has_trap):3}/{len(result.has_trap):<3} "
            f"{min(result.each_number.values(), default=1.0):5.3f} {result.all_numbers:5.3f} "
            f"{fmean(result.naive_passed):5.2f} {result.fell_for:5.2f}       {marks}"
            f"        {always[control]:5.2f} {competent[control]:5.2f}"
        )


def analysts_of(challenge: Challenge, seeds: int) -> Figure:
    """Let the analysts answer one challenge, and hold what comes out against the bounds."""
    results = run_analysts(challenge, range(seeds))
    missed = list(find_failures(results, BOUNDS if seeds >= SEEDS else FEW_BOUNDS))
    lines = [HEAD, *format_results(results), *(f"MISS {miss}" for miss in missed)]
    return Figure(
        f"{challenge.name}: trap in every trap and no control, competent passes, naive falls, "
        f"crying trap and silence do not pay ({seeds} seeds a variant)",
        "\n       ".join(lines),
        not missed,
    )


def pooled(challenge: Challenge, instance: Instance, draws: int) -> Simulation:
    """Simulate an instance's numbers in chunks, and pool them."""
    chunks = max(draws // CHUNK, 1)
    sums: dict[str, list[float]] = {}
    for chunk in range(chunks):
        rng = generator("evidence", challenge.name, instance.variant, *instance.keys, chunk)
        for name, (mean, se) in challenge.simulate(instance, CHUNK, rng).items():
            total = sums.setdefault(name, [0.0, 0.0])
            total[0] += mean
            total[1] += se**2
    return {name: (m / chunks, math.sqrt(v) / chunks) for name, (m, v) in sums.items()}


def truths_of(challenge: Challenge, draws: int) -> Figure:
    """Simulate the numbers of each variant, and compare them with what was derived."""
    worst, compared, missing = 0.0, 0, []
    for variant, instance in challenge.generate_twins("evidence", "truths").items():
        simulated = pooled(challenge, instance, draws)
        numbers = {name: truth.value for name, truth in instance.numbers().items()}
        for name, value in {**numbers, **instance.derived}.items():
            if name not in simulated:
                missing.append(f"{variant} {name}")
                continue
            mean, se = simulated[name]
            # What does not vary from draw to draw must be right but for rounding.
            off = abs(mean - value)
            worst = max(worst, 0.0 if off <= 1e-9 else off / max(se, 1e-12))
            compared += 1
    return Figure(
        f"{challenge.name}: {draws:.0e} draws a variant lie within {SURE:.0f} standard errors of "
        "every derived number",
        f"{compared} numbers, the farthest {worst:.2f} standard errors off"
        + (f"; not simulated: {', '.join(missing)}" if missing else ""),
        compared > 0 and worst <= SURE and not missing,
    )


def analysts(small: bool) -> Iterator[Figure]:
    """Examine the challenges by known analysts."""
    for challenge in CHALLENGES.values():
        yield analysts_of(challenge, FEW_SEEDS if small else SEEDS)


def truths(small: bool) -> Iterator[Figure]:
    """Examine the truths by simulation."""
    for challenge in CHALLENGES.values():
        yield truths_of(challenge, FEW_DRAWS if small else DRAWS)


PARTS: Parts = {"analysts": analysts, "truths": truths}


def main(name: str, seeds: int = SEEDS) -> int:
    """Print the table of one challenge, and its truths by simulation."""
    challenge = CHALLENGES[name]
    found = (analysts_of(challenge, seeds), truths_of(challenge, FEW_DRAWS))
    return 0 if print_figures(found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:3])))
