"""A real language model in calculate, asked as a user asks: what it says, and what limits it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evidence.figures import Parts

SHOWN = ("skill_score", "accuracy", "answerability", "slope", "answered")
CORE = ("--design", "core", "-T", "style=direct", "-T", "variables=3")
DESIGNS = {"trivial": ("--design", "trivial"), "core": CORE}


def real_model(small: bool) -> Iterator[Figure]:
    """Yield what a real model says to questions of two designs, without work shown."""
    from evidence.model_server import real_answers
    from whybench.records.table import record_table
    from whybench.suites.calculate import SUITE

    count, tokens = (3, 16) if small else (40, 48)
    for name, options in DESIGNS.items():
        if small and name == "core":
            return
        rows, calls = real_answers("calculate", list(options), count, tokens)
        measures = SUITE.measures(record_table(rows, SUITE.record_columns))
        told = [
            f"{m.name} {m.estimate:.2f} [{m.low:.2f}, {m.high:.2f}]"
            for m in measures
            if not m.at and m.name in SHOWN and None not in (m.estimate, m.low, m.high)
        ]
        outcomes = Counter(f"{row['outcome']} {row['reason']}".strip() for row in rows)
        yield Figure(
            f"{count} items of {name} are asked of a real model, and recorded without an error",
            f"{dict(outcomes)} in {calls} calls; {'; '.join(told)}",
            len(rows) == count and all(row["outcome"] != "error" for row in rows),
        )
        yield Figure(
            f"{name}: every answer of the model is read as a number in range, or said why not",
            f"such as {_such_as(rows)}; {limits_of(rows)}",
            all(_is_sound(row) for row in rows),
        )


def _is_sound(row: Mapping[str, Any]) -> bool:
    if row["value"] is None:
        return bool(row["reason"])
    return bool(row["value"] == 1000 or -100 <= row["value"] <= 100)


def _such_as(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the first answers beside the truths."""
    return ", ".join(f"{row['value']} for {row['truth']:.4g}" for row in rows[:5])


def limits_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return in words what became of answers, the most frequent first, and the values said most."""
    from whybench.suites.calculate.diagnoses import WAYS, diagnose

    found = Counter(diagnose(row["value"], row["truth"], row["form"], row) for row in rows)
    ways = ", ".join(f"{WAYS.get(name, name)} {times}" for name, times in found.most_common())
    said = Counter(row["value"] for row in rows if row["value"] is not None).most_common(3)
    values = ", ".join(f"{value:g} ({times} x)" for value, times in said)
    return f"of {len(rows)}: {ways}; said most: {values or 'nothing'}"


PARTS: Parts = {"real-model": real_model}
