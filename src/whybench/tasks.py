"""The Inspect tasks of the suites, as `inspect eval whybench/judge` finds them.

Each has the arguments of its suite: the factors of its designs, `design`, `shard`, `group` and
further options. They are written out here, and not made as `inspect_task` makes those of any suite,
because readers and listings look for functions that are marked as tasks.
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task

from whybench.suites.analyze import SUITE as ANALYZE
from whybench.suites.calculate import SUITE as CALCULATE
from whybench.suites.compose import SUITE as COMPOSE
from whybench.suites.derive import SUITE as DERIVE
from whybench.suites.intervene import SUITE as INTERVENE
from whybench.suites.judge import SUITE as JUDGE
from whybench.suites.task import build_suite_task, takes_arguments_of
from whybench.suites.trace import SUITE as TRACE

__all__ = ["analyze", "calculate", "compose", "derive", "intervene", "judge", "trace"]


@task
@takes_arguments_of(JUDGE)
def judge(**arguments: Any) -> Task:
    """Ask how likely an event is, 0 to 100, given a small causal story."""
    return build_suite_task(JUDGE, arguments)


@task
@takes_arguments_of(INTERVENE)
def intervene(**arguments: Any) -> Task:
    """Let the agent find out by acting whether one thing causes another."""
    return build_suite_task(INTERVENE, arguments)


@task
@takes_arguments_of(COMPOSE)
def compose(**arguments: Any) -> Task:
    """Ask what would hold if something were made so, about parts of a world and the whole."""
    return build_suite_task(COMPOSE, arguments)


@task
@takes_arguments_of(TRACE)
def trace(**arguments: Any) -> Task:
    """Ask for the effect of an intervention through a chain of rules, up to 48 of them."""
    return build_suite_task(TRACE, arguments)


@task
@takes_arguments_of(DERIVE)
def derive(**arguments: Any) -> Task:
    """Ask for an average causal effect through a chain of rules, given their probabilities."""
    return build_suite_task(DERIVE, arguments)


@task
@takes_arguments_of(CALCULATE)
def calculate(**arguments: Any) -> Task:
    """Ask how likely something is, seen, made or imagined, in a world told in numbers."""
    return build_suite_task(CALCULATE, arguments)


@task
@takes_arguments_of(ANALYZE)
def analyze(**arguments: Any) -> Task:
    """Let the agent analyse data that may have a trap in them."""
    return build_suite_task(ANALYZE, arguments)
