"""The source's rubrics: what it looks for in an answer, as printed or repaired.

A rubric is a list of criteria, each met or not, and a score is the share of them that is met. Their
places are filled in from the key. **Printed** they are as the source's program makes them: a data
set without a key has the first key of its challenge, and a place that no key fills stays open.
**Repaired** is what docs/errata finds wrong: numbers and graphs of a key that the rows contradict,
and fields that it lacks, are those that we recompute; references that a criterion speaks of are
told; names of one data set that the rubric has for all give way to each one's own; and what no
right answer can meet is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from whybench_papers.du2025.data_sets import PLACEHOLDER, read_data_sets, read_json
from whybench_papers.du2025.forms import REPAIRED, read_data_set
from whybench_papers.du2025.recomputed import RECOMPUTED, recompute
from whybench_papers.du2025.replication import key_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench_papers.du2025.data_sets import DataSet

WRONG = frozenset({"beyond_chance", "differs"})
"""Flags of a key field that the rows contradict."""

OWN_NAMES: Mapping[str, Mapping[str, str]] = {
    "berkson_paradox": {
        "diseases A and B": "{VARIABLE_X} and {VARIABLE_Y}",
        "diseases": "{VARIABLE_X} and {VARIABLE_Y}",
        "hospitalization": "{COLLIDER_VARIABLE}",
    },
    "domain_shift": {
        "blood_pressure_reduction": "{VARIABLE_Y}",
        "drug_dose": "{VARIABLE_T}",
        "frailty": "{VARIABLE_X2}",
    },
}
"""Names of the first data set that a rubric has for all five, and the places that are meant."""

REFERENCES = {"CONDITIONAL_DIFFERENCE": "CONDITIONAL_DIFFERENCE", "ACCURATE_ATE": "ATE"}
"""Criteria that speak of a reference without telling it, and the field of the key that it is."""

EXAMPLE = re.compile(r"\s*For example, .*", re.DOTALL)
CONTRADICTED = "NO_EXTRA_STRUCTURES"
"""A criterion whose example forbids what two others demand."""

PARADOX = "PARADOX_RECOGNITION"
DIRECTIONS = ("OVERALL_DIRECTION", "DIRECTION_LEVEL1", "DIRECTION_LEVEL2")
"""A criterion that asks for a reversal, and where a key says that there is none."""

TOLD_APART = frozenset({"id", "type", "desc"})


def read_rubric(challenge: str, number: int, rubrics: str) -> dict[str, str]:
    """Return the criteria for answers about a data set, by id.

    Args:
        challenge: Our name of the challenge.
        number: The number of the data set, from 1.
        rubrics: `printed` or `repaired`.
    """
    data = read_data_set(challenge, number)
    criteria = read_json(data.challenge, "rubric")["criteria"]
    if rubrics == REPAIRED:
        key = _repair_key(data)
        criteria = [_repair(entry, data, key) for entry in criteria if _can_be_met(entry, key)]
    else:
        key = dict(data.key or read_data_sets(data.challenge)[0].key or {})
    return {entry["id"]: _render(entry, key) for entry in criteria}


def _render(criterion: Mapping[str, Any], key: Mapping[str, Any]) -> str:
    """Return a criterion in one line, with what the rubric says beside its description."""
    beside = [
        f"{name}: {_write(value)}"
        for name, value in criterion.items()
        if name not in TOLD_APART and value
    ]
    text = criterion["desc"] + (f" ({'; '.join(beside)})" if beside else "")
    return PLACEHOLDER.sub(lambda place: _fill(place, key), text)


def _fill(place: re.Match[str], key: Mapping[str, Any]) -> str:
    name = place[1] or place[2]
    return _write(key[name]) if name in key else place[0]


def _write(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _repair_key(data: DataSet) -> dict[str, Any]:
    """Return a key with what it lacks, and with our values where the rows contradict it."""
    if data.key is None:
        # Its columns stand in the order of their numbers.
        key: dict[str, Any] = {f"VARIABLE_X{n}": name for n, name in enumerate(data.rows, start=1)}
    else:
        key = dict(data.key)
    if data.challenge in RECOMPUTED:
        key |= dict(_recomputed_fields(data, key))
    if "period" in data.rows:
        key.setdefault("VARIABLE_T", "period")
    if "EQUIVALENT_GRAPHS" in key:
        key.setdefault("TRUE_GRAPH", key["EQUIVALENT_GRAPHS"])
    return key


def _recomputed_fields(data: DataSet, key: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for entry in recompute(data):
        value, wrong = entry.value, bool(WRONG & set(key_row(data, entry)["flags"].split()))
        if entry.name not in key or wrong:
            words = value.split("; ") if isinstance(value, str) else f"{value.value:.4g}"
            yield entry.name, words
        if entry.name == "ADJUSTED_P_DIFF" and not isinstance(value, str):
            low, high = value.interval
            words = "beneficial" if low > 0 else "harmful" if high < 0 else "no_effect"
            yield "ADJUSTED_DIRECTION", key.get("ADJUSTED_DIRECTION", words)


def _can_be_met(criterion: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    return criterion["id"] != PARADOX or len({key[name] for name in DIRECTIONS}) > 1


def _repair(criterion: Mapping[str, Any], data: DataSet, key: Mapping[str, Any]) -> dict[str, Any]:
    repaired: dict[str, Any] = {
        name: [_repair_words(word, data, key) for word in value]
        if isinstance(value, list)
        else _repair_words(str(value), data, key)
        for name, value in criterion.items()
    }
    repaired["id"] = criterion["id"]
    if criterion["id"] in REFERENCES:
        repaired["target"] = key[REFERENCES[criterion["id"]]]
    if criterion["id"] == CONTRADICTED:
        repaired["desc"] = EXAMPLE.sub("", repaired["desc"])
    return repaired


def _repair_words(text: str, data: DataSet, key: Mapping[str, Any]) -> str:
    """Return a text with each data set's own names, and values for names of fields."""
    for name, place in OWN_NAMES.get(data.challenge, {}).items():
        text = text.replace(name, place)
    return _write(key[text]) if text in key else text
