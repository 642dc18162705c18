"""The reference agents of analyze: analysts who are known to see, to fall, or to say nothing.

The analysts of `analysts` answer every item by their strategy. Beside them `gold` knows the truth,
and declines as often as it is told to: its twin score follows by arithmetic, and shows whether
intervals cover.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.analysts import ANALYSTS, DECLINES, reply
from whybench.suites.analyze.analysts import gold as true_answer
from whybench.suites.analyze.answers import worded
from whybench.suites.analyze.asked import asked_of
from whybench.suites.analyze.known import declining, examined, silent
from whybench.suites.contract import Agent, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.suites.analyze.items import AnalyzeItem

__all__ = ["AGENTS", "gold"]


def gold(item: AnalyzeItem) -> str:
    """Word the true answer."""
    instance = item.instance
    return worded(true_answer(instance), asked_of(instance).fields, item.names)


def _analyst(name: str) -> Callable[[AnalyzeItem, Mapping[str, Any], np.random.Generator], str]:
    return lambda item, _settings, _rng: reply(name, item.instance, item.names)


def _gold(item: AnalyzeItem, settings: Mapping[str, Any], rng: np.random.Generator) -> str:
    declines = settings["silence"] and rng.random() < settings["silence"]
    return DECLINES if declines else gold(item)


SILENT = ("null", "schema-breaker")

AGENTS: Mapping[str, Agent[AnalyzeItem]] = {
    agent.name: agent
    for agent in (
        Agent(
            name="gold",
            summary="gives the true answer",
            reply=_gold,
            parameters={"silence": Parameter(0.0, "how often it declines to answer", 0.0, 1.0)},
            known=declining,
            noisy=lambda settings: 0 < settings["silence"] < 1,
            calibrate_at=({}, {"silence": 0.25}),
        ),
        *(
            Agent(
                name=name,
                summary=summary,
                reply=_analyst(name),
                known=silent if name in SILENT else examined(name),
                answers=name not in SILENT,
            )
            for name, summary in ANALYSTS.items()
        ),
    )
}
"""The reference agents by name."""
