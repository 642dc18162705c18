"""What an answer is worth in training: 1 if it is right, and on average nothing if it is blind.

| the question | what is said | reward |
|---|---|---|
| has an answer | a number | 1 within half a point, else 1 - error / scale, and -1 at the least |
| has an answer | one of two | 1 if right, -1 if wrong |
| has an answer | that it cannot be computed | -1 |
| has none | that it cannot be computed | 1 |
| has none | anything else | 0 |

The scale of a query is so large that the constant that does best on it has 0 on average. So no
constant is paid, be it one for all questions or one for each query, and who reasons is paid for
every point. That takes rewards below 0: a third of the questions have no answer, and whoever says
so of all would have a third, if the others cost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.calculate.items import is_right
from whybench.suites.calculate.quantities import NOT_COMPUTABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.contract import Answer, Scalar

SCALES: Mapping[str, float] = {
    "observe": 21.0, "do": 17.0, "ate": 27.0, "ett": 26.0, "nde": 26.0, "nie": 8.5,
    "counterfactual": 20.5, "pn": 16.0, "ps": 18.5, "pns": 11.0,
}  # fmt: skip
"""Points of error at which a number is worth nothing. In 7,200 items to train on, the best constant
of each query has 0 on average at scales that are larger by a twentieth: so much is left to chance
in a series of thousands."""

LEAST = -1.0


def reward_answer(factors: Mapping[str, Scalar], truth: Scalar, answer: Answer) -> float:
    """Return the reward of an answer, given the factors and the truth of its item."""
    value, true, form = answer.value, float(truth), str(factors["form"])
    if is_right(value, true, form):
        return 1.0
    if value is None or true == NOT_COMPUTABLE:
        return 0.0
    if value == NOT_COMPUTABLE or form != "number":
        return LEAST
    return max(LEAST, 1 - abs(value - true) / SCALES[str(factors["query"])])
