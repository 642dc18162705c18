"""What became of an answer: right, or wrong in which way.

An answer has one diagnosis:

- `right`;
- a mistake (`mistakes`), if it alone comes to the answer, or `several`, if more than one does;
- `unexplained`: wrong, and no typical mistake comes to it;
- `declined`: said to have no answer, though there is one;
- `baseless`: answered, though nothing follows from what is told;
- `no_answer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.calculate.items import is_right
from whybench.suites.calculate.mistakes import MISTAKES
from whybench.suites.calculate.quantities import NOT_COMPUTABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

RIGHT = "right"

WAYS: Mapping[str, str] = {
    "conditioning": "conditions instead of intervening",
    "intervening": "intervenes instead of conditioning",
    "no_abduction": "skips abduction (ignores the evidence about the case)",
    "base_rate": "gives the base rate",
    "total_effect": "gives the total effect for a part",
    "several": "errs as several mistakes would",
    "unexplained": "errs in no typical way",
    "declined": "says “cannot”, though it can",
    "baseless": "answers a question without an answer",
    "no_answer": "gives no answer",
}
"""The ways to be wrong, in words of which an agent is the subject."""

DIAGNOSES = (RIGHT, *WAYS)


def diagnose(value: float | None, truth: float, form: str, made: Mapping[str, float]) -> str:
    """Return the diagnosis of an answer.

    Args:
        value: The answer in the code of answers; None if there is none.
        truth: The true one.
        form: What was asked for: ``number``, or ``greater``.
        made: What each mistake comes to; `NOT_COMPUTABLE` where there is no room for it.

    >>> diagnose(60.2, 40.0, "number", {"conditioning": 60.0, "base_rate": 10.0})
    'conditioning'
    >>> diagnose(60.2, 1000.0, "number", {"conditioning": 60.0})
    'baseless'
    """
    if value is None:
        return "no_answer"
    if is_right(value, truth, form):
        return RIGHT
    if value == NOT_COMPUTABLE:
        return "declined"
    if truth == NOT_COMPUTABLE:
        return "baseless"
    fitting = [name for name in MISTAKES if is_right(value, made.get(name, NOT_COMPUTABLE), form)]
    if len(fitting) > 1:
        return "several"
    return fitting[0] if fitting else "unexplained"
