"""analyze with reasons graded: a second scorer marks the reasons and limitations of each report.

`inspect eval whybench_papers/analyze_reasons --model M --model-role grader=G` asks the items of
analyze. Records hold the score of the report, as in any other run. The marks of the grader are in
the log, with its agreement with the labeled answers if you name the log of its calibration.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task, task_with

from whybench.suites.analyze import SUITE as ANALYZE
from whybench.suites.analyze import Analyze
from whybench.suites.contract import UserError
from whybench.suites.task import build_suite_task, inspect_scorer, takes_arguments_of
from whybench_papers.du2025.grader.task import build_grader_calibration, reasons, require_grader
from whybench_papers.du2025.grader.verdicts import challenges_with_criteria

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from whybench.suites.analyze.design import AnalyzeDesign


class AnalyzeReasons(Analyze):
    """The suite analyze, whose task has a grader of reasons."""

    inspection = replace(
        Analyze.inspection,
        task="",
        options={
            "calibration": (
                None,
                "The log of `whybench_papers/grader_calibration` by the same grader, whose "
                "agreement with the labeled answers is then shown with its marks.",
            )
        },
    )

    def make_task(
        self, design: AnalyzeDesign, options: Mapping[str, Any], ask: Callable[..., Any]
    ) -> Any:
        """Return the task of analyze with a second scorer."""
        if options["group"] != 1:
            raise UserError(f"group must be 1 where reasons are graded, got {options['group']}")
        known = challenges_with_criteria()
        if bare := [name for name in design.challenge if name not in known]:
            raise UserError(
                f"challenge must be one of {', '.join(known)}, which have criteria, got {bare[0]!r}"
            )
        asked = super().make_task(design, options, ask)
        setup = asked.setup if isinstance(asked.setup, list) else [asked.setup]
        # The score of the answer comes first: that is the one that records hold.
        return task_with(
            asked,
            scorer=[inspect_scorer(ANALYZE)(), reasons(options["calibration"])],
            setup=[*filter(None, setup), require_grader()],
        )


GRADED = AnalyzeReasons()


@task
@takes_arguments_of(GRADED)
def analyze_reasons(**arguments: Any) -> Task:
    """Let the agent analyze data that may have a trap in them, and grade its reasons."""
    return build_suite_task(GRADED, arguments)


@task
def grader_calibration(answers: str | None = None) -> Task:
    """Have a model grade labeled answers, to measure its agreement with the labels.

    Args:
        answers: A YAML or JSON file of labeled answers of your own; the bundled ones if none.
    """
    return build_grader_calibration(answers)
