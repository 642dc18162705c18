"""Measures, headlines and outcomes, as a command prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.numerals import measure_text
from whybench.terminal import print_groups, print_line, print_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.results import Measures, Records
    from whybench.stats import Measure

SHOWN = 5
"""The number of reasons for missing answers that are listed."""

SHARED = ("scored", "no answer", "error", "flags")
"""Columns of measures that are printed above a table if all rows have the same value."""

SAME_IN_PROFILE = ("agent", "suite", "design", "design_hash")
"""Labels that are the same in all rows of one headline within a profile."""


def print_measures(measures: Measures) -> None:
    """Print measures as tables, one for each suite, with shared values above the table."""
    print_groups(measures, _measure_suite, _print_measures)


def _measure_suite(measure: Measure) -> str:
    return measure.labels["suite"]


def _print_measures(suite: str, measures: Sequence[Measure]) -> None:
    labels = list(dict.fromkeys(name for measure in measures for name in measure.labels))
    labels.remove("suite")
    apart = [name for name in labels if name != "design_hash"]
    if _distinct(measures, apart) == _distinct(measures, labels):
        labels = apart  # a hash is printed only where names do not distinguish runs
    common = {
        name: measures[0].labels.get(name, "")
        for name in labels
        if len({measure.labels.get(name, "") for measure in measures}) == 1
    }
    others = [name for name in labels if name not in {"agent", *common}]
    rows = [
        {
            "agent": "" if "agent" in common else measure.labels["agent"],
            "measure": measure.title,
            "where": ", ".join(f"{n}={measure.labels[n]}" for n in others if n in measure.labels),
            **_measure_texts(measure),
        }
        for measure in measures
    ]
    shared = (f"{name} {value}" for name, value in common.items() if value not in {"", "none"})
    print_rows(rows, suite, ", ".join(shared), share=SHARED)


def print_headlines(measures: Measures) -> None:
    """Print headlines as tables, one for each suite, with the labels that differ."""
    print_groups(measures, _measure_suite, _print_headlines)


def _print_headlines(suite: str, measures: Sequence[Measure]) -> None:
    rows = []
    for measure in measures:
        agent = measure.labels["agent"]
        others = [
            other.labels
            for other in measures
            if (other.name, other.labels["agent"]) == (measure.name, agent)
        ]
        name = label_measure(measure.name, measure.labels, others, SAME_IN_PROFILE)
        rows.append({"agent": agent, "measure": name, **_measure_texts(measure)})
    print_rows(sorted(rows, key=lambda row: row["agent"]), suite, share=("agent", *SHARED))


def print_plans(
    tables: Iterable[tuple[str, list[dict[str, str]]]], suffix: str = "", *, err: bool = False
) -> None:
    """Print the plans of models, one table for all models with the same plan."""
    listed = list(tables)
    for rows in {str(rows): rows for _, rows in listed}.values():
        alike = ", ".join(model for model, others in listed if others == rows)
        print_rows(rows, alike, suffix, err=err)
        print_line("", err=err)


def print_outcomes(answers: Records) -> int:
    """Print why answers are missing; return the exit status, 1 for an incomplete run."""
    for reason, count in answers.reasons("no_answer").most_common(SHOWN):
        print_line(f"{count} x no answer: {reason}", err=True)
    for reason in answers.incomplete:
        print_line(f"Incomplete: {reason}. Run the same command again to resume.", err=True)
    errors = answers.reasons("error")
    if errors and not answers.incomplete:
        print_line(f"{errors.total()} x error, such as: {next(iter(errors))}", err=True)
    return int(bool(answers.incomplete))


def label_measure(
    name: str,
    labels: Mapping[str, str],
    others: Iterable[Mapping[str, str]],
    but: Sequence[str] = (),
) -> str:
    """Return the name of a measure, with those of its labels that differ among its like.

    Args:
        name: The measure.
        labels: Its labels.
        others: The labels of all rows of the same measure.
        but: Labels that are shown elsewhere.
    """
    every = list(others)
    differing = [
        f"{label}={value}"
        for label, value in labels.items()
        if label not in but and len({other[label] for other in every}) > 1
    ]
    return " ".join([name, *differing])


def _measure_texts(measure: Measure) -> dict[str, str]:
    """Return the estimate and sample sizes of a measure as text; empty for a count of 0."""
    return {
        "estimate": measure_text(measure),
        "n": str(measure.n),
        "scored": str(measure.scored),
        "no answer": str(measure.no_answer or ""),
        "error": str(measure.error or ""),
        "flags": " ".join(measure.flags),
    }


def _distinct(measures: Iterable[Measure], labels: Sequence[str]) -> int:
    return len({tuple(measure.labels.get(name, "") for name in labels) for measure in measures})
