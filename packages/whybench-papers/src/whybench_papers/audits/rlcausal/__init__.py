"""RLCausal: distributions asked of stated worlds, on three rungs, with keys of two digits.

Its test files hold 8,000 items each. Every item is read from its prompt, answered by both exact
engines in fractions, and held against its key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.errors import DataError
from whybench_papers.audits.rlcausal.prompts import parse_prompt
from whybench_papers.audits.rlcausal.verdicts import Examiner, KeyFinding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from whybench_papers.audits.findings import Finding

__all__ = ["FILES", "ITEMS", "audit_rlcausal", "readers"]

FILES = (
    "data/rl/observational_distribution/test_n10v2.parquet",
    "data/rl/observational_distribution/test_n10v3.parquet",
    "data/rl/interventional_distribution/test_n10v2.parquet",
    "data/rl/interventional_distribution/test_n10v3.parquet",
    "data/rl/counterfactual_distribution/test_n10v2.parquet",
)
"""The test files; v2 and v3 have variables of two and of three values."""

ITEMS = 8000
"""How many items each of them holds."""


def audit_rlcausal(
    folder: Path, files: Sequence[str] = FILES, limit: int | None = None
) -> Iterator[KeyFinding]:
    """Yield what is found about each item of RLCausal's test files.

    Args:
        folder: A copy of the repository, or of these files of it.
        files: Which of them.
        limit: At most so many items of each file.

    Raises:
        DataError: A file is missing or damaged, or an item is not of the known form.
    """
    for file in files:
        yield from _audit_file(folder, file, limit)


def _audit_file(folder: Path, file: str, limit: int | None) -> Iterator[KeyFinding]:
    answers = None
    for item, prompt, reference in _read_items(folder, file, limit):
        try:
            world, question = parse_prompt(prompt)
            if answers is None or answers.world is not world:
                answers = Examiner(world)
            found = answers.judge((file, item), question, reference)
        except DataError as error:
            raise DataError(
                f"{file}, item {item}: {error}; get the file anew, or report it if it stays so"
            ) from error
        yield found


def _read_items(folder: Path, file: str, limit: int | None) -> Iterator[tuple[str, str, str]]:
    """Yield name, prompt and key of each item; nothing else of it is looked at."""
    import pyarrow as pa  # noqa: PLC0415  (light commands do without)
    import pyarrow.parquet as pq  # noqa: PLC0415

    path = folder / file
    if not path.is_file():
        raise DataError(
            f"{folder} must hold {file}, got no such file; "
            "without a folder of your own, the file is downloaded"
        )
    try:
        table = pq.read_table(path, columns=["example", "dag_id", "sample_id"])
        rows = table.slice(0, limit).to_pylist()
        found = [
            (f"{row['dag_id']}/{row['sample_id']}", one["user"], one["reference"])
            for row in rows
            for one in (row["example"],)
        ]
    except (pa.ArrowException, OSError, KeyError, TypeError) as error:
        raise DataError(
            f"{path} must be a Parquet file with example.user, example.reference, dag_id and "
            f"sample_id, got {type(error).__name__}: {error}; get the file anew"
        ) from error
    yield from found


def readers(findings: Sequence[Finding]) -> list[dict[str, str]]:
    """Return how many items two perfect readers pass by RLCausal's own rule, file by file."""
    rows = []
    for file in dict.fromkeys(finding.file for finding in findings):
        here = [one for one in findings if one.file == file and isinstance(one, KeyFinding)]
        passed = {
            "two digits": sum(one.rounded_passes for one in here),
            "two digits, rule without rounding errors": sum(one.exact_rule for one in here),
            "all digits": sum(one.exact_passes for one in here),
        }
        for answers, count in passed.items():
            share = f"{count / len(here):.1%}"
            rows.append(
                {
                    "file": file,
                    "answers with": answers,
                    "pass": str(count),
                    "fail": str(len(here) - count),
                    "share": share,
                }
            )
    return rows
