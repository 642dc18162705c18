"""One scored sample of a log to one row for each answer in it.

A sample asks one item, or a group of items in independent conversations. What stands in the
sample's metadata and score is laid out here, in one place, for writing (`pack_*`) and reading
(`unpack_sample`): tasks write it, metrics and records read it. It keeps within what Inspect
stores in sample summaries, so that no full log need be read.

An answer's score is a number, or Inspect's "N" where there is no answer; NaN is never used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.aliases import current_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["NO_ANSWER", "pack_metadata", "pack_score", "unpack_sample"]

NO_ANSWER = "N"
ITEM = "item:"


def pack_metadata(
    suite: str, items: Sequence[tuple[str, Mapping[str, Any], Any]]
) -> dict[str, Any]:
    """Return the metadata of a sample that asks these items: (id, factors, truth) each.

    A single item's factors stand there flat. In a group, factors shared by all stand flat and
    the others, with the truth, under `item:<id>`.
    """
    if len(items) == 1:
        _, factors, truth = items[0]
        return {"suite": suite, **factors, "truth": truth}
    first = items[0][1]
    shared = {
        name: value
        for name, value in first.items()
        if all(factors[name] == value for _, factors, _ in items)
    }
    own = {
        ITEM + name: {**{k: v for k, v in factors.items() if k not in shared}, "truth": truth}
        for name, factors, truth in items
    }
    return {"suite": suite, **shared, **own}


def pack_score(
    answers: Sequence[tuple[str, float | None, str, Mapping[str, Any]]],
) -> dict[str, Any]:
    """Return `value`, `reason` and `metadata` of the score for (id, value, reason, parts) each."""
    if len(answers) == 1:
        _, value, reason, parts = answers[0]
        return {
            "value": NO_ANSWER if value is None else value,
            "reason": reason or None,
            "metadata": dict(parts) or None,
        }
    details: dict[str, Any] = {}
    for name, _, reason, parts in answers:
        if reason or parts:
            details[ITEM + name] = {**parts, **({"reason": reason} if reason else {})}
    return {
        "value": {name: NO_ANSWER if v is None else v for name, v, _, _ in answers},
        "reason": None,
        "metadata": details or None,
    }


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
    shared = {name: value for name, value in metadata.items() if not name.startswith(ITEM)}
    grouped = {
        name.removeprefix(ITEM): own for name, own in metadata.items() if name.startswith(ITEM)
    }
    rows = []
    for item, own in (grouped or {sample_id: {}}).items():
        row = {**current_row(str(metadata.get("suite")), {**shared, **own}), "item": item}
        if score is None:
            row |= {"outcome": "error", "reason": error or "no score", "value": None}
        else:
            details = score["metadata"] or {}
            details = dict(details.get(ITEM + item) or {}) if grouped else dict(details)
            reason = details.pop("reason", "") if grouped else score["reason"] or ""
            value = score["value"][item] if grouped else score["value"]
            scored = value != NO_ANSWER
            row |= {
                "outcome": "scored" if scored else "no_answer",
                "reason": reason,
                "value": float(value) if scored else None,
                **details,
            }
        rows.append(row)
    return rows
