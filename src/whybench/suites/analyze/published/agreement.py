"""An answer held against the key that the source printed.

Each field of an answer is graded by what the rows settle. Beside that it is recorded how far the
answer agrees with the printed key, by the key's own tolerance, or by 2.5 standard errors where it
states none. Where both scores of an agent differ the keys do, and the errata say which is right.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges.contract import NEAR_TRUTH
from whybench.suites.analyze.published.forms import FORMS
from whybench.suites.analyze.published.instances import typed
from whybench.suites.analyze.published.questions import data_set

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Instance

__all__ = ["key_score"]


def key_score(instance: Instance, answers: Mapping[str, Any]) -> float | None:
    """Return the share of the printed fields with which typed answers agree.

    Fields that the key does not print do not count, those not answered do not agree. None where
    the key prints none of the fields that are asked for.
    """
    (number,) = instance.keys
    key = data_set(instance.challenge, int(str(number))).key or {}
    printed = {name: key[name] for name in FORMS[instance.challenge].meanings if name in key}
    if not printed:
        return None
    return fmean(
        name.lower() in answers and _agrees(name, answers[name.lower()], value, key, instance)
        for name, value in printed.items()
    )


def _agrees(name: str, said: Any, printed: Any, key: Mapping[str, Any], instance: Instance) -> bool:
    if isinstance(printed, list):
        return bool(said == typed(name, ";".join(printed)))
    error = instance.measured(name.lower()).se
    tolerance = float(key["TOLERANCE"]) if "TOLERANCE" in key else NEAR_TRUTH * error
    return bool(abs(said - float(printed)) <= tolerance)
