"""WhyBench measures how a mind, a language model or a person, reasons about cause and effect.

This is the front door: everything that a script or a notebook needs.

    import whybench as wb

    answers = wb.run("judge", model="reference/judge.noisy-or", limit=60)
    answers.measures().to_pandas()

What there is: `list_suites`, `get_suite`, `items`. Asking: `plan`, `run`, `profile`, `experiment`.
What came of it: `load`, `compare`, `report`. The suites as tasks for Inspect: `judge`, `intervene`,
`compose`, `trace`, `derive`, `calculate` and `analyze`.
Names are imported when they are first used, so that `import whybench` costs next to nothing.

What is public is what this module names in `__all__`, and what the faces
`whybench.suites.contract`, `whybench.scm`, `whybench.stats`, `whybench.records`,
`whybench.training` and `whybench.seeds` name in theirs. A module inside of a room is private,
whatever its name, and may change without notice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from whybench.version import __version__

if TYPE_CHECKING:
    from whybench.drawing.figure import Figure
    from whybench.errors import DataError, Interrupted, StoppedError, UserError
    from whybench.evaluation.experiments import experiment
    from whybench.evaluation.profiles import profile
    from whybench.evaluation.runs import run
    from whybench.page.writing import report
    from whybench.planning.plans import Plan, plan
    from whybench.results.comparison import Comparison
    from whybench.results.measures import Measures
    from whybench.results.records import Records
    from whybench.results.sources import compare, load
    from whybench.stats.differences import Difference
    from whybench.stats.results import Measure
    from whybench.suites.catalog import Items, items
    from whybench.suites.contract import Agent, Answer, Design, Item, Suite
    from whybench.suites.registry import get_suite, list_suites
    from whybench.tasks import analyze, calculate, compose, derive, intervene, judge, trace


_HOMES = {
    "Agent": "suites.contract",
    "Answer": "suites.contract",
    "Comparison": "results.comparison",
    "DataError": "errors",
    "Design": "suites.contract",
    "Difference": "stats.differences",
    "Figure": "drawing.figure",
    "Interrupted": "errors",
    "Item": "suites.contract",
    "Items": "suites.catalog",
    "Measure": "stats.results",
    "Measures": "results.measures",
    "Plan": "planning.plans",
    "Records": "results.records",
    "StoppedError": "errors",
    "Suite": "suites.contract",
    "UserError": "errors",
    "analyze": "tasks",
    "calculate": "tasks",
    "compare": "results.sources",
    "compose": "tasks",
    "derive": "tasks",
    "experiment": "evaluation.experiments",
    "get_suite": "suites.registry",
    "intervene": "tasks",
    "items": "suites.catalog",
    "judge": "tasks",
    "list_suites": "suites.registry",
    "load": "results.sources",
    "plan": "planning.plans",
    "profile": "evaluation.profiles",
    "report": "page.writing",
    "run": "evaluation.runs",
    "trace": "tasks",
}
"""Public name to the module that holds it."""

__all__ = [
    "Agent",
    "Answer",
    "Comparison",
    "DataError",
    "Design",
    "Difference",
    "Figure",
    "Interrupted",
    "Item",
    "Items",
    "Measure",
    "Measures",
    "Plan",
    "Records",
    "StoppedError",
    "Suite",
    "UserError",
    "__version__",
    "analyze",
    "calculate",
    "compare",
    "compose",
    "derive",
    "experiment",
    "get_suite",
    "intervene",
    "items",
    "judge",
    "list_suites",
    "load",
    "plan",
    "profile",
    "report",
    "run",
    "trace",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'whybench' has no attribute {name!r}")
    found = getattr(import_module(f"whybench.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
