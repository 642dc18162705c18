"""One scored sample of a log to one row for each answer in it.

A sample asks one item, or a group of items in independent conversations. What stands in the
sample's metadata and score is laid out here, in one place, for writing (`pack_*`) and reading
(`unpack_sample`): tasks write it, metrics and records read it.

The keys are the same for every sample of a suite, however many items it asks. What the items of a
group share stands there once; where they differ, a key holds a list with an entry for each. Inspect
keeps of a key what is shorter than a thousand characters in the summary of a sample. So a default
group is told by its summary, and no full log need be read; of a larger one the sample itself is
(`is_thinned`).

An answer is a number, or Inspect's "N" where there is none; NaN is never used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from whybench.seeds import item_id_start

NO_ANSWER = "N"

ENDINGS = "id_endings"
"""The key that only groups have: how the ids of their items end, behind the cases."""

THINNED = "Key removed from summary (> 1k)"
"""What a summary says in place of a long value."""

CUT = "..."
"""How a summary ends a long text."""


def pack_metadata(
    suite: str, items: Sequence[tuple[str, str, Mapping[str, Any], Any]]
) -> dict[str, Any]:
    """Return the metadata of a sample, given (id, case, factors, truth) of its items.

    Cases and ids of a group are one text each, `what-they-share-{these,differ}`.
    """
    rows = [{"case": key, **factors, "truth": truth} for _, key, factors, truth in items]
    packed = {"suite": suite, **_pack_columns(rows)}
    if len(items) > 1:
        packed["case"] = _join([key for _, key, _, _ in items])
        packed[ENDINGS] = _join(
            [name.removeprefix(item_id_start(suite, key)) for name, key, _, _ in items]
        )
    return packed


def pack_score(
    answers: Sequence[tuple[float | None, str, Mapping[str, Any]]],
    shown: Mapping[str, float | str | None],
) -> dict[str, Any]:
    """Return `value`, `reason` and `metadata` of the score for (value, reason, parts) of each item.

    Args:
        answers: The answers to the items of the sample, in their order.
        shown: What Inspect shows of the sample, by name.
    """
    names = dict.fromkeys(name for *_, parts in answers for name in parts)
    rows = [
        {"answer": NO_ANSWER if value is None else value, "reason": reason}
        | {name: parts.get(name) for name in names}
        for value, reason, parts in answers
    ]
    packed = _pack_columns(rows)
    reason = packed.pop("reason") if len(rows) == 1 else None
    return {"value": dict(shown), "reason": reason or None, "metadata": packed}


def _pack_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what all rows share under each name, or else a list."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return {
        name: values[0] if all(value == values[0] for value in values) else values
        for name, values in columns.items()
    }


def _join(words: Sequence[str]) -> str | list[str]:
    """Return words as one text, what they share first; as they are if they hold its marks."""
    if any(mark in word for word in words for mark in "{,}"):
        return list(words)
    shared = os.path.commonprefix(words)  # noqa: RUF071  (words, not paths)
    return f"{shared}{{{','.join(word[len(shared) :] for word in words)}}}"


def _split(joined: str | Sequence[str]) -> list[str]:
    if not isinstance(joined, str):
        return list(joined)
    shared, _, rest = joined.removesuffix("}").partition("{")
    return [shared + end for end in rest.split(",")]


def is_thinned(metadata: Mapping[str, Any], score: Mapping[str, Any] | None) -> bool:
    """Whether a summary has lost something of a group."""
    if ENDINGS not in metadata:
        return False
    kept = [*metadata.values(), *((score or {}).get("metadata") or {}).values()]
    return THINNED in kept or any(str(metadata[name]).endswith(CUT) for name in ("case", ENDINGS))


def unpack_sample(
    sample_id: str,
    metadata: Mapping[str, Any],
    score: Mapping[str, Any] | None,
    error: str = "",
) -> list[dict[str, Any]]:
    """Return a row of factors, truth, outcome, reason, value and parts for each item.

    Args:
        sample_id: The sample's id; the item's, unless the sample is a group.
        metadata: The sample's metadata.
        score: The score's `value`, `reason` and `metadata`; None if there is no score.
        error: Why the sample failed; empty if it did not.
    """
    suite, shared, names = str(metadata["suite"]), dict(metadata), [sample_id]
    if ENDINGS in shared:
        keys, ends = _split(shared["case"]), _split(shared.pop(ENDINGS))
        shared["case"] = keys
        names = [item_id_start(suite, key) + end for key, end in zip(keys, ends, strict=True)]
    rows = _unpack_columns(shared, len(names))
    answers = _unpack_score(names, score, error)
    return [
        {**row, "item": name, **answer}
        for row, name, answer in zip(rows, names, answers, strict=True)
    ]


def _unpack_score(
    names: Sequence[str], score: Mapping[str, Any] | None, error: str
) -> list[dict[str, Any]]:
    """Return outcome, reason, value and parts for each item."""
    if score is None:
        return [{"outcome": "error", "reason": error or "no score", "value": None}] * len(names)
    details, alone = score["metadata"] or {}, len(names) == 1
    reason = {"reason": score["reason"] or ""} if alone else {}
    columns = _unpack_columns({**reason, **details}, len(names))
    answers = []
    for column in columns:
        parts = {name: part for name, part in column.items() if part is not None}
        value, reason = parts.pop("answer"), parts.pop("reason", "")
        scored = value != NO_ANSWER
        answers.append(
            {
                "outcome": "scored" if scored else "no_answer",
                "reason": reason,
                "value": float(value) if scored else None,
                **parts,
            }
        )
    return answers


def _unpack_columns(columns: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Return the columns as rows; a single item is what the columns hold, lists as they are."""
    if count == 1:
        return [dict(columns)]

    def at(value: Any, place: int) -> Any:
        listed = isinstance(value, Sequence) and not isinstance(value, str)
        return value[place] if listed else value

    return [{name: at(value, place) for name, value in columns.items()} for place in range(count)]
