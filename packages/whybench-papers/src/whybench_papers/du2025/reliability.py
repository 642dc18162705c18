"""Causal reliability as the source prints it, as it defines it, and of one's own agents.

The source defines it as the mean normalised score over challenges. What it prints as Average is the
mean over six families, which have two to four challenges each; and many of the family cells are not
the means of the challenges that it prints elsewhere. Both are recomputed here from the printed
cells (`printed.csv`), and answers that were marked by the source's rubrics stand beside them in the
same terms. All numbers are percentages, as printed.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges import CHALLENGES, CORE
from whybench.suites.analyze.stories import HINTS
from whybench.suites.contract import UserError
from whybench_papers.du2025.data_sets import FOLDERS
from whybench_papers.du2025.forms import NO_RUBRICS
from whybench_papers.du2025.measures import du2025_measures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Measure

ROUNDING = 0.0101
"""How far a printed mean of printed numbers may be off, since both have two digits."""

LEVELS = {"families": "family", "challenges": "challenge", "hints": "hint"}
"""The tables of scores at each level of a factor, and the factor."""

Rows = list[dict[str, Any]]

PRINTED_FAMILIES = tuple(dict.fromkeys(CHALLENGES[name].family for name in CORE))
"""The families of the source's challenges."""


@cache
def read_printed() -> tuple[dict[str, Any], ...]:
    """Return a row for each protocol and model, with the numbers that are printed of it."""
    text = files(__package__).joinpath("printed.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    named = ("protocol", "model")
    return tuple(
        {name: cell if name in named else float(cell) for name, cell in row.items() if cell}
        for row in csv.DictReader(lines)
    )


def printed_tables() -> dict[str, Rows]:
    """Return what is printed, beside what follows from the other printed numbers.

    `printed` is the printed number, `estimate` the mean over challenges, which is what it is said
    to be, and `over_families` the mean over families. Flag: `differs`, by more than rounding.
    Challenges and hints follow from nothing, and are as printed.
    """
    return {
        "reliability": [_reliability_row(row) for row in read_printed()],
        "families": [
            family for row in read_printed() if "simpson" in row for family in _family_rows(row)
        ],
        "challenges": [
            _printed_cell(row, "challenge", name, row[name])
            for row in read_printed()
            for name in FOLDERS.values()
            if name in row
        ],
        "hints": [
            _printed_cell(row, "hint", hint, row[f"hint_{hint}"])
            for row in read_printed()
            for hint in HINTS
            if f"hint_{hint}" in row
        ],
    }


def _printed_cell(
    row: Mapping[str, Any], factor: str, level: object, printed: float
) -> dict[str, Any]:
    told = {"protocol": row["protocol"], "agent": row["model"]}
    return {**told, factor: level, "printed": printed, "flags": ""}


def _reliability_row(row: Mapping[str, Any]) -> dict[str, Any]:
    found = {"protocol": row["protocol"], "agent": row["model"], "printed": row["average"]}
    if "simpson" not in row:
        return {**found, "flags": ""}
    defined = fmean(row[name] for name in FOLDERS.values())
    over_families = fmean(row[name] for name in PRINTED_FAMILIES)
    flags = "differs" if abs(defined - row["average"]) > ROUNDING else ""
    return {**found, "estimate": defined, "over_families": over_families, "flags": flags}


def _family_rows(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for family in PRINTED_FAMILIES:
        members = [name for name in FOLDERS.values() if CHALLENGES[name].family == family]
        mean = fmean(row[name] for name in members)
        yield {
            "protocol": row["protocol"],
            "agent": row["model"],
            "family": family,
            "printed": row[family],
            "estimate": mean,
            "flags": "differs" if abs(mean - row[family]) > ROUNDING else "",
        }


def agent_tables(records: pa.Table) -> dict[str, Rows]:
    """Return rows of the same tables for agents whose answers were marked by the rubrics.

    Raises:
        UserError: There are no such answers.
    """
    import pyarrow.compute as pc  # noqa: PLC0415  (not for `whybench list`)

    marked = records.filter(pc.not_equal(records["rubrics"], NO_RUBRICS))
    if not marked.num_rows:
        raise UserError(
            "logs must hold answers that were marked by the paper's rubrics, got none; ask for "
            "them with rubrics=printed"
        )
    measures = du2025_measures(marked)
    over_families = {
        _identity(measure): _percent(measure.estimate)
        for measure in measures
        if measure.name == "family_reliability"
    }
    return {
        "reliability": [
            {
                **_agent_row(measure),
                "over_families": over_families.get(_identity(measure)),
            }
            for measure in measures
            if measure.name == "reliability"
        ],
        **{
            table: [
                {**_agent_row(measure), factor: measure.at[factor]}
                for measure in measures
                if measure.name == "score" and factor in measure.at
            ]
            for table, factor in LEVELS.items()
        },
    }


def _identity(measure: Measure) -> tuple[str, ...]:
    return tuple(measure.labels.values())


def _agent_row(measure: Measure) -> dict[str, Any]:
    ends = {name: _percent(getattr(measure, name)) for name in ("estimate", "low", "high")}
    return {
        "protocol": measure.labels["protocol"],
        "agent": measure.labels["agent"],
        **ends,
        "n": measure.n,
        "flags": " ".join(measure.flags),
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
