"""What Inspect imports, through the entry point `inspect_ai`, to find our tasks and agents."""

from whybench.agents.person import person
from whybench.agents.provider import reference
from whybench.agents.scaffold import react
from whybench.sandbox.environment import WhybenchSandbox
from whybench.suites.analyze import SUITE as ANALYZE
from whybench.suites.analyze.grader.task import grader_calibration, reasons, require_grader
from whybench.suites.compose import SUITE as COMPOSE
from whybench.suites.intervene import SUITE as INTERVENE
from whybench.suites.intervene.task import answer, episodes, hold, move, open_world
from whybench.suites.judge import SUITE as JUDGE
from whybench.suites.task import inspect_task

__all__ = [
    "WhybenchSandbox",
    "analyze",
    "answer",
    "compose",
    "episodes",
    "grader_calibration",
    "hold",
    "intervene",
    "judge",
    "move",
    "open_world",
    "person",
    "react",
    "reasons",
    "reference",
    "require_grader",
]

# Each is registered with the scorer and the metric of its suite.
analyze, compose, intervene, judge = map(inspect_task, (ANALYZE, COMPOSE, INTERVENE, JUDGE))
