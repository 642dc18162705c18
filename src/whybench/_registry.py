"""What Inspect imports, through the entry point `inspect_ai`, to find our tasks and agents."""

from whybench.agents.person import person
from whybench.agents.programs import mcp
from whybench.agents.provider import reference
from whybench.agents.scaffold import react
from whybench.suites.intervene.task import answer, episodes, hold, move, open_world
from whybench.tasks import analyze, calculate, compose, derive, intervene, judge, trace

__all__ = [
    "analyze",
    "answer",
    "calculate",
    "compose",
    "derive",
    "episodes",
    "hold",
    "intervene",
    "judge",
    "mcp",
    "move",
    "open_world",
    "person",
    "react",
    "reference",
    "trace",
]
