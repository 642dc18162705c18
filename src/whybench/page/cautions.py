"""Cautions: limits of the numbers that a reader should know.

They are derived from measures, records and the headers of logs. A badge next to a number
(`panels`) is the short form; this list has them in full.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from whybench.page.conditions import is_headline
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from whybench.page.material import Material, Measured

MANY_UNANSWERED = 0.05
"""Missing answers above this share cause a caution."""


def cautions(
    material: Material, measured: Sequence[Measured], notes: Sequence[str] = ()
) -> list[str]:
    """Return the cautions, the most serious first.

    Args:
        material: What the page is made of.
        measured: Every measure of it.
        notes: What could not be put on the page, and why.
    """
    return [
        *(f"Not on this page: {note}" for note in notes),
        *_missing(material),
        *_unfinished(material),
        *_mixed(material),
        *_headline_flags(material, measured),
        *_lost(material, measured),
        *_grading(material),
    ]


def _missing(material: Material) -> Iterator[str]:
    for outcome, words in (("no_answer", "have no answer"), ("error", "were lost to errors")):
        found = [
            f"{agent}, {name} ({counts[outcome]:,} of {counts.total():,})"
            for (agent, name), counts in material.outcomes().items()
            if agent not in material.beside and counts[outcome] > MANY_UNANSWERED * counts.total()
        ]
        if found:
            yield (
                f"More than {MANY_UNANSWERED:.0%} of the replies {words}. Measures use the others, "
                f"unless their definition counts all: {'; '.join(found)}."
            )


def _unfinished(material: Material) -> Iterator[str]:
    for run in material.runs:
        if run.status != "success":
            yield (
                f"{run.agent}, {run.suite}: the run in {run.log} is unfinished ({run.status}). Its "
                "answers so far are included."
            )


def _mixed(material: Material) -> Iterator[str]:
    """Yield what must not be compared: versions of a suite, and readings of the same design."""
    versions: dict[str, set[int]] = defaultdict(set)
    for name, table in material.tables:
        versions[name] |= set(table["version"].unique().to_pylist())
    for name, found in sorted(versions.items()):
        if len(found) > 1:
            told = ", ".join(map(str, sorted(found)))
            yield f"{name}: do not compare answers of versions {told} with each other."
        elif found and get_suite(name).version not in found:
            yield (
                f"{name}: answers of version {min(found)} are measured by version "
                f"{get_suite(name).version}."
            )
    readings: dict[tuple[str, str], set[str]] = defaultdict(set)
    for run in material.runs:
        readings[run.suite, run.design_hash].add(run.content_hash)
    for (name, _), hashes in sorted(readings.items()):
        if len(hashes) > 1:
            yield (
                f"{name}: runs of one design differ in their items or in how replies were read. "
                "Runs of different parts of a design differ too. `--reread` reads all the same way."
            )
    tools = {(run.whybench, run.inspect) for run in material.runs}
    if len(tools) > 1:
        told = "; ".join(f"whybench {w}, inspect {i}" for w, i in sorted(tools))
        yield f"The runs come from several versions: {told}."


def _headline_flags(material: Material, measured: Sequence[Measured]) -> Iterator[str]:
    """Yield which agents' headline measures rest on little, or on other stimuli than people's."""
    told = {
        "small_n": "main measures are based on few answers: {}. Do not rank agents by them.",
        "default_cap": (
            "the default token limit of this package, not the model, cut off more than 1% of the "
            "replies: {}. Run again with a larger `--max-tokens`."
        ),
        "other_stimuli": "the comparison is with people who saw different stimuli: {}.",
        "no_answer_as_0": "replies without an answer count as 0 in the main measure: {}.",
    }
    for flag, words in told.items():
        found = dict.fromkeys(
            (one.suite, one.measure.labels.get("agent", ""))
            for one in measured
            if flag in one.measure.flags
            and is_headline(one)
            and one.measure.labels.get("agent") not in material.beside
        )
        if found:
            line = words.format(_tell_agents(found, len(material.agents())))
            yield line[0].upper() + line[1:]


def _tell_agents(found: Iterable[tuple[str, str]], asked: int) -> str:
    """Return suites and agents in words, agents of the same suites together.

    >>> _tell_agents([("judge", "a"), ("compose", "a"), ("judge", "b"), ("compose", "b")], 3)
    'a, b (judge, compose)'
    >>> _tell_agents([("judge", "a"), ("compose", "a"), ("compose", "b")], 2)
    'a (judge, compose); b (compose)'
    >>> _tell_agents([("judge", "a"), ("judge", "b"), ("judge", "c")], 3)
    'all agents (judge)'
    """
    suites: dict[str, list[str]] = {}
    for suite, agent in found:
        suites.setdefault(agent, []).append(suite)
    alike: dict[str, list[str]] = {}
    for agent, names in suites.items():
        alike.setdefault(", ".join(names), []).append(agent)
    return "; ".join(
        f"{'all agents' if 2 < asked == len(agents) else ', '.join(agents)} ({names})"
        for names, agents in alike.items()
    )


def _lost(material: Material, measured: Sequence[Measured]) -> Iterator[str]:
    """Yield between what headlines would lie, had everything that was lost been wrong, or right."""
    for one in measured:
        found = one.measure
        agent = found.labels.get("agent")
        if (
            "many_lost" in found.flags
            and is_headline(one)
            and agent not in material.beside
            and found.estimate is not None
            and 0 <= found.estimate <= 1
        ):
            share = found.error / (found.scored + found.no_answer + found.error)
            least = found.estimate * (1 - share)
            yield (
                f"{agent}, {one.suite}: {share:.1%} of the answers were lost to errors. "
                f"{found.name} would be {least:.2f} if all of them were wrong, and "
                f"{least + share:.2f} if all were right. Run again before you compare."
            )


def _grading(material: Material) -> Iterator[str]:
    for run in material.runs:
        if run.grading:
            yield f"{run.agent}, {run.suite}: {run.grading}."
