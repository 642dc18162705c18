"""How often the intervals of calculate's headline cover, for agents that lapse now and then.

In each run the worlds of every cell are drawn anew, with replacement, from those of the design, and
so are lapses: what an interval must cover is the value over all these worlds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from evidence.figures import LEAST_COVERED, Figure, covers_enough
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.expected import expect_chances, random_answers
from whybench.suites.calculate.measures import MEASURES, calculate_groups
from whybench.suites.calibration import simulate_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.calculate.items import CalculateItem

RATES = (0.01, 0.05, 0.1, 0.2, 0.35)


def _expect(rate: float, name: str) -> dict[str, float]:
    def answer(item: CalculateItem, _: object) -> dict[float, float]:
        chances = {value: rate * chance for value, chance in random_answers(item).items()}
        chances[item.truth] = chances.get(item.truth, 0.0) + 1 - rate
        return chances

    return expect_chances(answer)({}, SUITE.designs[name])


def coverage(small: bool) -> Iterator[Figure]:
    """Yield how often intervals cover at several rates of lapses."""
    name, runs = ("core", 100) if small else ("standard", 2000)
    design = SUITE.designs[name]
    items = list(SUITE.items(design))
    rows = simulate_rows(SUITE, design, items, SUITE.agent("exact"), {}, "lapsing", {})
    table = record_table(rows, SUITE.record_columns)
    cells = _cells(items)
    answers = [np.array(list(random_answers(item))) for item in items]
    for rate in RATES[1:3] if small else RATES:
        rng = generator("evidence", "coverage", name, rate)
        expected = _expect(rate, name)
        covered: dict[str, list[bool]] = {}
        for _ in range(runs):
            chosen = np.concatenate([rng.choice(cell, cell.size) for cell in cells])
            drawn = table.take(pa.array(chosen))
            value = drawn["truth"].to_numpy().copy()
            for place in np.flatnonzero(rng.random(value.size) < rate):
                value[place] = rng.choice(answers[chosen[place]])
            drawn = drawn.set_column(drawn.column_names.index("value"), "value", pa.array(value))
            keys = pa.array([f"world {place}" for place in range(value.size)])
            drawn = drawn.set_column(drawn.column_names.index("case"), "case", keys)
            (group,) = calculate_groups(drawn)
            for one in MEASURES:
                if one.name in expected:
                    found = one.estimate(group)
                    low, high = found.low, found.high
                    assert low is not None
                    assert high is not None
                    covered.setdefault(one.name, []).append(low <= expected[one.name] <= high)
        counts = {
            each: sum(covered[each])
            for each in ("skill_score", "number_skill", "answerability_skill")
        }
        yield Figure(
            f"{name}, {rate:.0%} lapses: 95% intervals cover in {LEAST_COVERED:.1%} or more of "
            f"{runs} runs",
            ", ".join(f"{each} {count / runs:.1%}" for each, count in counts.items()),
            all(covers_enough(count, runs) for count in counts.values()),
        )


def _cells(items: list[CalculateItem]) -> list[np.ndarray]:
    """Return the places of the items of each cell; of all, where each cell has one."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place, item in enumerate(items):
        cell = item.cell
        places.setdefault((cell.query, cell.mechanism, cell.variant), []).append(place)
    return [np.array(found) for found in places.values()]
