"""The Inspect task of analyze: protocols under which programs are run, and a grader of reasons.

Under the protocol `direct` an agent is given the rows and asked. The other protocols run code; how
they hold the conversation is in `protocols`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task_with
from inspect_ai.solver import chain

from whybench.sandbox.allowlist import PACKAGES
from whybench.suites.analyze.design import DIRECT
from whybench.suites.analyze.grader.task import mark_by_rubric, reasons, require_grader
from whybench.suites.analyze.grader.verdicts import challenges_with_criteria
from whybench.suites.analyze.protocols.task import follow_protocol, offer_tools
from whybench.suites.analyze.published.forms import NO_RUBRICS, PRINTED
from whybench.suites.contract import UserError
from whybench.suites.conversations import ask_each
from whybench.suites.task import inspect_scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inspect_ai.solver import Solver

    from whybench.suites.analyze.design import AnalyzeDesign
    from whybench.suites.registry import AnySuite

SANDBOX = "whybench"
"""Where programs are run unless a run says otherwise, as `--sandbox docker:…` does."""


def analysis_task(
    suite: AnySuite, design: AnalyzeDesign, options: Mapping[str, Any], ask: Callable[..., Task]
) -> Task:
    """Return the task of a design; arguments are those of `Suite.make_task`."""
    graded, group = options["graded"], options["group"]
    code, marked = set(design.protocol) - {DIRECT}, design.rubrics != NO_RUBRICS
    if (graded or code or marked) and group != 1:
        raise UserError(f"group must be 1 where programs are run or reasons graded, got {group}")
    if graded and design.is_published:
        raise UserError(
            "graded must be left out with published data: criteria are of our own data sets; "
            f"rubrics={PRINTED} has the source's applied"
        )
    if graded and (bare := [x for x in design.challenge if x not in challenges_with_criteria()]):
        raise UserError(
            f"graded must be of challenges that have criteria, got {bare[0]!r}; leave it out"
        )
    setup: list[Solver] = []
    solver = follow_protocol() if code else ask_each()
    task = ask(solver=chain(solver, mark_by_rubric()) if marked else solver)
    if code:
        setup.append(offer_tools())
        metadata = {**(task.metadata or {}), "packages": list(PACKAGES)}
        task = task_with(task, sandbox=SANDBOX, metadata=metadata, setup=setup)
    if marked:
        task = task_with(task, setup=[*setup, require_grader()])
    if graded:
        # The score of the answer comes first: that is the one that records hold.
        both = [inspect_scorer(suite)(), reasons(options["calibration"])]
        task = task_with(task, scorer=both, setup=[*setup, require_grader()])
    return task
