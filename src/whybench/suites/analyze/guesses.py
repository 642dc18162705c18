"""Answers by lot: the form that is asked for, filled in without a look at the data.

What may be said in a field is its JSON schema, and a guess is drawn from that alone, so a field of
a challenge of your own is guessed like ours. Numbers are between -1 and 1 unless the schema says
otherwise, and in a list they ascend: an interval has its lower end first.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from whybench.suites.analyze.fields import Field

MOST_ENTRIES = 3
"""The most entries of a list whose length is free."""

NULL = 0.25
"""How often null is said where it may be."""


def guess_reply(fields: Sequence[Field], names: Mapping[str, str], rng: np.random.Generator) -> str:
    """Return a reply that answers every field by lot, with the column names by role."""
    return json.dumps({field.name: guess_value(field.schema(names), rng) for field in fields})


def guess_value(schema: Mapping[str, Any], rng: np.random.Generator) -> Any:
    """Return a value that fits a JSON schema of the kinds that fields have.

    Raises:
        ValueError: The schema is of another kind.
    """
    if "enum" in schema:
        return schema["enum"][rng.integers(len(schema["enum"]))]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if "null" in kinds and rng.random() < NULL:
        return None
    match next(kind for kind in kinds if kind != "null"):
        case "number":
            return round(float(rng.uniform(schema.get("minimum", -1), schema.get("maximum", 1))), 2)
        case "boolean":
            return bool(rng.random() < 0.5)
        case "object":
            return {name: guess_value(part, rng) for name, part in schema["properties"].items()}
        case "array":
            return _guess_list(schema, rng)
        case other:
            raise ValueError(f"a schema must be of a kind that fields have, got {other!r}")


def _guess_list(schema: Mapping[str, Any], rng: np.random.Generator) -> list[Any]:
    """Return a list of guesses; no entry comes twice, since no list of a field has any twice."""
    part = schema["items"]
    few = schema.get("minItems", 0)
    most = schema.get("maxItems", min(MOST_ENTRIES, len(part.get("enum", range(MOST_ENTRIES)))))
    length = int(rng.integers(few, most + 1))
    if "enum" in part:
        return [part["enum"][place] for place in rng.permutation(len(part["enum"]))[:length]]
    entries: list[Any] = []
    while len(entries) < length:
        entry = guess_value(part, rng)
        if entry not in entries:
            entries.append(entry)
    return sorted(entries) if part.get("type") == "number" else entries
