"""Parts of the reference agents of suites whose questions have a depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.agents import Parameter
from whybench.suites.horizon import DO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def expect_accuracy(
    control: str, intervened: float, controlled: float | None = None
) -> Callable[[Mapping[str, Any], Any], dict[str, float]]:
    """Return the expected accuracies of an agent, of the queries that a design asks.

    Args:
        control: The query of the control.
        intervened: The accuracy where the cause is set.
        controlled: The accuracy in the control; the same if left out.
    """
    values = {
        "accuracy": (DO, intervened),
        "control_accuracy": (control, intervened if controlled is None else controlled),
    }

    def expected(_: Mapping[str, Any], design: Any) -> dict[str, float]:
        return {name: value for name, (query, value) in values.items() if query in design.query}

    return expected


def error_rate(default: float, meaning: str) -> dict[str, Parameter]:
    """Return the setting of an agent that errs at random."""
    return {"error": Parameter(default, meaning, 0.0, 1.0)}


def errs(settings: Mapping[str, Any]) -> bool:
    """Return whether an agent that errs at random does so at all."""
    return bool(settings["error"])
