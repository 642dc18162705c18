"""What an answer concludes, in short: so much of it as two people could disagree about in words.

A number concludes that there is something above zero, something below, or nothing that the rows
could tell from zero (within 1.96 SE_eff of it). Everything else concludes what it says. Intervals
conclude nothing of their own. Columns go by their roles, so that conclusions from the same rows
under other names can be set side by side.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges.contract import Measured, Tabled
from whybench.suites.analyze.estimators import NORMAL_95
from whybench.suites.analyze.fields import Interval
from whybench.suites.analyze.p_tables import PValues

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.fields import Asking

__all__ = ["concluded", "flipped"]


def concluded(challenge: Asking, instance: Instance, answers: Mapping[str, Any]) -> str:
    """Return what typed answers conclude, as a JSON object of field to words."""
    found = {
        entry.name: _words(answers[entry.name], instance.truths.get(entry.name))
        for entry in challenge.fields
        if entry.name in answers and not isinstance(entry, Interval)
    }
    return json.dumps(found, separators=(",", ":"))


def flipped(one: str, other: str) -> bool:
    """Whether two conclusions contradict each other in a field that both have."""
    if one == other:
        return False
    first, second = json.loads(one), json.loads(other)
    return any(second.get(field, words) != words for field, words in first.items())


def _words(value: Any, truth: object) -> str:
    if value is None or isinstance(value, str | bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return _side(value, truth.se if isinstance(truth, Measured) else 0.0)
    if isinstance(value, PValues):
        return ", ".join(sorted(row for row, seen in value.verdicts if seen)) or "nothing"
    if isinstance(value, dict):
        rows = truth.rows if isinstance(truth, Tabled) else {}
        return ", ".join(f"{row} {_words(x, rows.get(row))}" for row, x in sorted(value.items()))
    if isinstance(value, tuple):
        return ">".join(map(str, value))
    return f"{{{', '.join(sorted(_words(entry, None) for entry in value))}}}"


def _side(value: float, se: float) -> str:
    if abs(value) <= NORMAL_95 * se:
        return "nothing"
    return "above" if value > 0 else "below"
