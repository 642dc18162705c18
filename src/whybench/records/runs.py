"""What the header of a log says of a run: who was asked what, by which versions, and how it ended.

Records hold answers; what they leave out, because it is the same for every answer of a run, is
here. It is what a methods section needs, and what tells runs apart that must not be mixed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.records.logs import agent_name, log_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.log import EvalLog

__all__ = ["Run", "read_runs"]


@dataclass(frozen=True)
class Run:
    """One log of ours, by its header.

    Attributes:
        log: The log file's name.
        agent: The agent as records name it.
        suite: The suite.
        version: The suite's comparability number.
        content_hash: A digest of what was asked and of how replies are read.
        design: The design's name.
        design_hash: A digest of everything that decides its items.
        epochs: How often each item was asked.
        samples: How many samples were to be asked.
        completed: How many of them were.
        status: How the run ended, as Inspect says it.
        seed: The seed that was given to the model, if any.
        whybench: The version of this package that ran it.
        inspect: The version of Inspect that ran it.
        grading: What the grader's agreement is, where answers were graded by a model.
    """

    log: str
    agent: str
    suite: str
    version: int
    content_hash: str
    design: str
    design_hash: str
    epochs: int
    samples: int
    completed: int
    status: str
    seed: str
    whybench: str
    inspect: str
    grading: str

    def row(self) -> dict[str, Any]:
        """Return the run as one flat row."""
        return asdict(self)


def read_runs(paths: Sequence[str | Path]) -> list[Run]:
    """Return our runs among the logs at these paths (files or folders), the oldest first."""
    from inspect_ai.log import read_eval_log  # noqa: PLC0415  (importing Inspect takes seconds)

    headers = [(path, read_eval_log(path, header_only=True)) for path in log_files(paths)]
    headers.sort(key=lambda entry: entry[1].eval.created)
    return [
        _run(path, header) for path, header in headers if "suite" in (header.eval.metadata or {})
    ]


def _run(path: str, header: EvalLog) -> Run:
    about = header.eval.metadata or {}
    results = header.results
    config = {
        **header.plan.config.model_dump(exclude_none=True),
        **header.eval.model_generate_config.model_dump(exclude_none=True),
    }
    seed = config.get("seed", header.eval.model_args.get("seed"))
    return Run(
        log=Path(path).name,
        agent=agent_name(header),
        suite=about["suite"],
        version=about["suite_version"],
        content_hash=str(header.eval.task_version).partition("-")[2],
        design=about["design"],
        design_hash=about["design_hash"],
        epochs=header.eval.config.epochs or 1,
        samples=results.total_samples if results else header.eval.dataset.samples or 0,
        completed=results.completed_samples if results else 0,
        status=header.status,
        seed="" if seed is None else str(seed),
        whybench=about.get("whybench", ""),
        inspect=header.eval.packages.get("inspect_ai", ""),
        grading=_grading(header),
    )


def _grading(header: EvalLog) -> str:
    """Say how far the grader's marks agree with labelled answers; empty where there is none."""
    for score in header.results.scores if header.results else ():
        found = {name: metric.value for name, metric in score.metrics.items()}
        if found.get("calibrated") == 0:
            return "the grader has not been set beside the labelled answers"
        if "kappa" in found:
            return f"weighted kappa of the grader with labelled answers: {found['kappa']:.2f}"
    return ""
