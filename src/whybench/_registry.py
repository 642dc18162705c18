"""What Inspect imports, through the entry point `inspect_ai`, to find our tasks and agents."""

from whybench.agents.person import person
from whybench.agents.programs import mcp
from whybench.agents.provider import reference
from whybench.agents.scaffold import react
from whybench.sandbox.environment import WhybenchSandbox
from whybench.suites.analyze.grader.task import mark_by_rubric, reasons, require_grader
from whybench.suites.intervene.task import answer, episodes, hold, move, open_world
from whybench.tasks import analyze, calculate, compose, grader_calibration, intervene, judge

__all__ = [
    "WhybenchSandbox",
    "analyze",
    "answer",
    "calculate",
    "compose",
    "episodes",
    "grader_calibration",
    "hold",
    "intervene",
    "judge",
    "mark_by_rubric",
    "mcp",
    "move",
    "open_world",
    "person",
    "react",
    "reasons",
    "reference",
    "require_grader",
]
