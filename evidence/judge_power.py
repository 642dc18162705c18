"""How large a difference do the budgets of judge show? From how much published runs vary.

Two runs that differ by some amount in `explaining_away` differ by more about one vignette and by
less about another. The spread of these differences within stories, over all pairs of published
runs, says how many vignettes it takes. What the formula says is then tried on simulated runs, by
the comparison that users make.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import t

from evidence.figures import Figure, Parts
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.calibration import simulate_rows
from whybench.suites.groups import group_records
from whybench.suites.judge import SUITE
from whybench.suites.judge.groups import CONDITION
from whybench.suites.judge.measures import task_contrast
from whybench.suites.pairs import compare_groups, stack_sides
from whybench_papers.dettki2025.replies import published_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from whybench.stats import Estimate
    from whybench.suites.groups import Group

COLUMNS = {**SUITE.columns, **SUITE.parts}

ABOVE, BELOW = "VIII", "VI"
POWER = 0.80
POLARITIES = 4
DESIGNS = {"small": ("core", 3), "standard": ("stories", 10)}
"""Budget to its design, and its stories with content."""
MOST = {("direct", 3): 0.16, ("direct", 10): 0.08, ("cot", 3): 0.11, ("cot", 10): 0.055}
"""The difference in explaining_away that a budget must show, by style and stories."""


def power(small: bool) -> Iterator[Figure]:
    """Yield the smallest difference in explaining away that each budget shows, and if it is."""
    for style in ("direct", "cot"):
        spread = _spread(style)
        for budget, (design, stories) in DESIGNS.items():
            least = smallest_difference(spread, stories)
            most = MOST[style, stories]
            yield Figure(
                f"{budget}, {style}: a difference of {most} in explaining away, or less, shows in "
                f"{POWER:.0%} of comparisons",
                f"{least:.3f} with {stories} stories; differences of published runs have a "
                f"spread of {spread:.3f} over vignettes",
                least <= most,
            )
            shown, seeds = _try_differences(design, least, spread, 20 if small else 200)
            slack = 3 * (POWER * (1 - POWER) / seeds) ** 0.5
            yield Figure(
                f"{budget}, {style}: such a difference is shown in {POWER:.0%} of simulated runs, "
                "within three standard errors",
                f"{shown:.1%} of {seeds}",
                abs(shown - POWER) <= slack,
            )


def smallest_difference(spread: float, stories: int) -> float:
    """Return the difference that a paired t within stories shows in `POWER` of comparisons.

    The t quantiles stand in for the noncentral t, from which they are not a hundredth away here.
    """
    vignettes = POLARITIES * stories
    degrees = vignettes - stories
    quantiles = float(t.ppf(0.975, degrees) + t.ppf(POWER, degrees))
    return quantiles * spread / float(np.sqrt(vignettes))


def _spread(style: str) -> float:
    """Return the median spread of differences in explaining away, over pairs of published runs."""
    runs = list(_explaining_away(style).values())
    variances = [
        float((first - second).var(axis=1, ddof=1).mean())
        for first, second in combinations(runs, 2)
    ]
    return float(np.sqrt(median(variances)))


def _explaining_away(style: str) -> dict[str, NDArray[np.float64]]:
    """Return each published run's explaining_away by story and polarity."""
    answers: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in published_records("core", (style,)).to_pylist():
        if row["value"] is not None:
            key = (row["agent"], row["story"], row["polarity"], row["task"])
            answers[key].append(row["value"] / 100)
    agents, stories, polarities = (sorted({key[place] for key in answers}) for place in range(3))

    def contrast(agent: str, story: str, polarity: str) -> float:
        above, below = (answers.get((agent, story, polarity, x), []) for x in (ABOVE, BELOW))
        return fmean(above) - fmean(below) if above and below else float("nan")

    found = {
        agent: np.array([[contrast(agent, s, p) for p in polarities] for s in stories])
        for agent in agents
    }
    return {agent: values for agent, values in found.items() if not np.isnan(values).any()}


def _try_differences(design: str, least: float, spread: float, seeds: int) -> tuple[float, int]:
    """Return the share of simulated comparisons that show a difference, and how many there are."""
    asked = SUITE.make_design({"design": design, "task": [ABOVE, BELOW]})
    items = list(SUITE.items(asked))
    agent = SUITE.agent("noisy-or")
    simulated = simulate_rows(SUITE, asked, items, agent, {}, "first", {})
    rows = [{**row, "value": 50.0} for row in simulated]  # so that nothing moved leaves the scale
    first = record_table(rows, COLUMNS)
    shown = []
    for seed in range(seeds):
        moved = _move(rows, least, spread, seed)
        groups = group_records(
            stack_sides(first, record_table(moved, COLUMNS)),
            CONDITION,
            ("outcome", "story", "task"),
            ("value",),
            lambda _: ("vignette", ("story", "polarity")),
        )
        (pair,) = compare_groups(groups, {"explaining_away": _contrast}, strata="story")
        p = pair.p
        shown.append(p is not None and p < 0.05)
    return fmean(shown), seeds


def _contrast(group: Group) -> Estimate:
    return task_contrast(
        "explaining_away", group["value"], group["task"], group.units, stories=group["story"]
    )


def _move(rows: Sequence[dict[str, Any]], by: float, spread: float, seed: int) -> list[Any]:
    """Return answers with less explaining away, unequally so between vignettes."""
    rng = generator("judge", "power", seed)
    vignettes = sorted({(row["story"], row["polarity"]) for row in rows})
    lower = dict(zip(vignettes, rng.normal(by, spread, len(vignettes)), strict=True))
    return [
        {
            **row,
            "value": row["value"]
            - (1 if row["task"] == ABOVE else -1) * 50 * lower[row["story"], row["polarity"]],
        }
        for row in rows
    ]


POWER_PARTS: Parts = {"power": power}
