"""What Inspect imports, through the entry point `inspect_ai`, to find our tasks and agents."""

from whybench.agents.person import person
from whybench.agents.provider import reference
from whybench.sandbox.environment import WhybenchSandbox
from whybench.suites.analyze.grader.task import grader_calibration, reasons, require_grader
from whybench.suites.analyze.task import analysis, analyze, twin_measures
from whybench.suites.compose.task import compose, composition_measures, verdict
from whybench.suites.intervene.task import episodes, intervene, justification, justified_measures
from whybench.suites.judge.task import judge, judgment, likelihood_measures

__all__ = [
    "WhybenchSandbox",
    "analysis",
    "analyze",
    "compose",
    "composition_measures",
    "episodes",
    "grader_calibration",
    "intervene",
    "judge",
    "judgment",
    "justification",
    "justified_measures",
    "likelihood_measures",
    "person",
    "reasons",
    "reference",
    "require_grader",
    "twin_measures",
    "verdict",
]
