"""What an audit finds out about one item of somebody else's benchmark."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from whybench.errors import atomic_write

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

Verdict = Literal["right", "wrong", "undetermined", "trivial"]

VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "undetermined", "trivial")


@dataclass(frozen=True)
class Finding:
    """The verdict on one item.

    Attributes:
        file: The file that holds the item, relative to the benchmark's folder.
        item: What the benchmark calls it.
        query: The kind of question.
        key: The answer that the benchmark holds to be right, as it prints it.
        recomputed: The answer that follows from what the item prints, or the range of it.
        verdict: right; wrong; undetermined, where what is printed allows several answers; trivial,
            where the key is right and can be had without the reasoning that the item asks for.
        reason: Why, in a few words that are the same for all items alike.
    """

    file: str
    item: str
    query: str
    key: str
    recomputed: str
    verdict: Verdict
    reason: str


def count_rows(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Return how many items there are by file, verdict and reason, most frequent reasons first."""
    counts = Counter((one.file, one.verdict, one.reason) for one in findings)
    files = list(dict.fromkeys(file for file, _, _ in counts))
    order = sorted(
        counts, key=lambda row: (files.index(row[0]), VERDICTS.index(row[1]), -counts[row], row[2])
    )
    wholes = Counter(file for file, _, _ in counts.elements())
    return [
        {
            "file": file,
            "verdict": verdict,
            "reason": reason,
            "items": counts[file, verdict, reason],
            "share": counts[file, verdict, reason] / wholes[file],
        }
        for file, verdict, reason in order
    ]


def write_findings(findings: Sequence[Finding], target: Path) -> None:
    """Write findings as CSV, one item a line; whole or not at all."""
    import csv  # noqa: PLC0415  (most commands do without)

    with atomic_write(target) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(asdict(findings[0])), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(finding) for finding in findings)
