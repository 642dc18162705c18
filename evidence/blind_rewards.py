"""What answers are paid in training that nobody reasoned for: nothing, on average.

Each blind way to answer is tried on the same items to train on. None may have more than .02 on
average; what is right has 1 each time, and rewards fall as errors grow.
"""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import fmean, stdev
from typing import TYPE_CHECKING, cast

from evidence.figures import Figure
from whybench.seeds import generator
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.measures import CONSTANTS
from whybench.suites.calculate.quantities import NOT_COMPUTABLE, QUERIES
from whybench.suites.contract import Answer
from whybench.training.items import answer_reward, training_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from whybench.suites.calculate.items import CalculateItem

    Say = Callable[[CalculateItem], float]

MOST = 0.02
"""The most that a blind way to answer may be paid on average."""

COUNT, SMALL_COUNT = 6_000, 120

STEPS = (0.0, 0.4, 1, 3, 10, 30, 90)
"""Points by which answers are off, in order."""


def pay(item: CalculateItem, value: float) -> float:
    """Return the reward of an answer."""
    return answer_reward(SUITE, item.factors, item.truth, Answer(value))


def _printed(item: CalculateItem) -> list[float]:
    """Return the numbers of the world as they are printed."""
    told = item.prompt.partition("Question:")[0]
    return [float(number) for number in re.findall(r"-?\d+(?=%| point)|(?<=\| )\d+", told)] or [
        50.0
    ]


def _random(item: CalculateItem, what: str) -> float:
    return float(generator("evidence", "blind", what, item.id).random())


def blind_ways(items: Sequence[CalculateItem]) -> Mapping[str, Say]:
    """Return ways to answer without reasoning, the best for each query in hindsight among them."""
    numbers = {query: _best(items, query, range(-100, 101)) for query in QUERIES}
    either = {query: _best(items, query, [NOT_COMPUTABLE, *range(-100, 101)]) for query in QUERIES}
    constants: dict[str, Say] = {
        f"always {number}": lambda _, number=number: float(number)  # type: ignore[misc]
        for number in range(0, 101, 5)
    }
    return {
        **constants,
        "the blind agent's constant of the query": lambda item: CONSTANTS[item.cell.query],
        "the best constant of the query, in hindsight": lambda item: numbers[item.cell.query],
        "that or 'cannot be computed', in hindsight": lambda item: either[item.cell.query],
        "always 'cannot be computed'": lambda _: NOT_COMPUTABLE,
        "any number from 0 to 100": lambda item: round(100 * _random(item, "number")),
        "the first number printed": lambda item: _printed(item)[0],
        "the last number printed": lambda item: _printed(item)[-1],
        "any number printed": lambda item: _printed(item)[
            int(_random(item, "copy") * len(_printed(item)))
        ],
        "the mean of the numbers printed": lambda item: fmean(_printed(item)),
    }


def _best(items: Sequence[CalculateItem], query: str, values: Sequence[float]) -> float:
    own = [item for item in items if item.cell.query == query]
    return max(values, key=lambda value: sum(pay(item, value) for item in own))


def mean_rewards(items: Sequence[CalculateItem]) -> dict[str, tuple[float, float]]:
    """Return the mean reward of each blind way, and the standard error of it."""
    found = {}
    for name, say in blind_ways(items).items():
        paid = [pay(item, say(item)) for item in items]
        found[name] = fmean(paid), stdev(paid) / len(paid) ** 0.5
    return found


def rewards(small: bool) -> Iterator[Figure]:
    """Yield what blind ways to answer are paid, and that rewards fall with errors."""
    count = SMALL_COUNT if small else COUNT
    items = cast("list[CalculateItem]", list(training_items(SUITE, {}).take(count)))
    found = mean_rewards(items)
    for name, (mean, error) in found.items():
        most = MOST + (3 * error if small else 0)
        words = f"{name}: a mean reward of at most {most:.2f} over {count:,} items to train on"
        yield Figure(words, f"{mean:.3f} (standard error {error:.3f})", mean <= most)
    right = [pay(item, item.truth) for item in items]
    yield Figure(
        "what is true has 1 each time", f"{min(right):g} to {max(right):g}", {*right} == {1.0}
    )
    asked = [item for item in items if item.truth != NOT_COMPUTABLE]
    rises = sum(
        pay(item, item.truth + way * near) < pay(item, item.truth + way * far)
        for item in asked
        for way in (1, -1)
        for near, far in pairwise(STEPS)
    )
    means = [fmean(pay(item, item.truth + off) for item in asked) for off in STEPS]
    yield Figure(
        "no answer that is further off has more",
        f"{rises} of {2 * (len(STEPS) - 1) * len(asked):,} have; means at "
        + ", ".join(f"{off:g} points {mean:.2f}" for off, mean in zip(STEPS, means, strict=True)),
        not rises,
    )
