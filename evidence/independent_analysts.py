"""Whether sound work of independent analysts passes.

Language models analyzed the trap and a control of each challenge. They saw prompts and rows, and
neither the ground truths nor the code. Each used methods of another kind: regression; strata,
matching and weights; or doubly robust estimators, outcome models and simulation. A fourth analyst
did one challenge. Their reports are in `readings/analysts.jsonl`, with a digest of the rows.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.grading import grade
from whybench.suites.analyze.items import full_instance, rows_digest
from whybench.suites.analyze.prompts import column_names
from whybench.suites.analyze.replies import parse_reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evidence.figures import Parts

ANSWERS = Path(__file__).parent / "readings" / "analysts.jsonl"
METHODS = 3
"""Sound methods that must be accepted in each challenge."""


def load_answers() -> list[dict[str, Any]]:
    """Return the reports of all analysts."""
    return [json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines()]


def is_sound(row: Mapping[str, Any]) -> bool:
    """Return whether every field of a report passes.

    Raises:
        ValueError: The rows aren't those that the analyst saw.
    """
    instance = full_instance(row["challenge"], row["variant"], row["draw"])
    if rows_digest(instance) != row["data"]:
        raise ValueError(f"rows of {row['challenge']}, {row['variant']} must be those analyzed")
    report = CHALLENGES[row["challenge"]].report
    said = parse_reply(json.dumps(row["answer"]), report, column_names(instance, "neutral"))
    return all(verdict.passed for verdict in grade(report, instance, said.fields).verdicts)


def count_sound(rows: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, int]]:
    """Return how many analysts have sound reports on both data sets, and how many there are."""
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        found[row["challenge"]][row["analyst"]].append(is_sound(row))
    return {
        challenge: (sum(map(all, by.values())), len(by)) for challenge, by in sorted(found.items())
    }


def independent(small: bool) -> Iterator[Figure]:  # noqa: ARG001
    """Yield in how many challenges enough independent analysts are sound."""
    counts = count_sound(load_answers())
    least = min(sound for sound, _ in counts.values())
    yield Figure(
        f"independent analysts: {METHODS} or more methods are accepted on trap and control of each "
        "challenge",
        f"{sum(sound for sound, _ in counts.values())} of {sum(n for _, n in counts.values())} "
        f"pairs sound; fewest in a challenge: {least}",
        least >= METHODS and set(counts) == set(CHALLENGES),
    )


PARTS: Parts = {"independent": independent}
