"""The Inspect tasks of this package, found through the entry point `inspect_ai`."""

from whybench.suites.task import inspect_task
from whybench_papers.dettki2025 import SUITE as DETTKI2025
from whybench_papers.du2025 import SUITE as DU2025
from whybench_papers.du2025.grader.task import mark_by_rubric, reasons, require_grader
from whybench_papers.du2025.reasons import analyze_reasons, grader_calibration
from whybench_papers.feng2025 import SUITE as FENG2025

dettki2025 = inspect_task(DETTKI2025)
du2025 = inspect_task(DU2025)
feng2025 = inspect_task(FENG2025)

__all__ = [
    "analyze_reasons",
    "dettki2025",
    "du2025",
    "feng2025",
    "grader_calibration",
    "mark_by_rubric",
    "reasons",
    "require_grader",
]
