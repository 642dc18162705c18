"""People's answers to records, like any agent's.

The items are made anew from the settings in the study's `study.json`; what people replied goes
through the suite's own reading, as if a model had replied it, and becomes records of the schema
that all agents share. So whatever takes records, measures, reports, comparisons, takes people.

What cannot be read stops nobody else's data: a row is left out, a participation that contradicts
itself is left out whole, and both are counted and named.

A person is an agent, `person/ID`; whoever took part twice has two epochs. Or all are one agent,
`human/NAME`, as the people of published studies are: then each person who answered an item is an
epoch of it, and `person` keeps them apart, so that intervals rest on people and not on answers.

Ids by which somebody could be found again, such as Prolific's, do not get into records, nor do the
names of files, which may hold them: a digest of study and id stands there. It is the same whenever
data are imported. It hides who somebody is from readers, but not from who has the ids and tries
them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whybench.errors import UserError
from whybench.seeds import digest
from whybench.study.exclusions import Exclusion, Rule, exclude
from whybench.study.rows import Participation, group_participations
from whybench.study.saved import SavedData, read_saved, reopen_study

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.study.plan import StudyPlan
    from whybench.study.rows import StudyRow
    from whybench.suites.contract import Answer, Item

By = Literal["person", "group"]

NAMED = 5
"""The number of locations that could not be read that notes name."""

COLUMNS: dict[str, type] = {"person": str, "place": int, "slider_start": float}
"""The columns that records of people have beside those of the suite: who answered, where all are
one agent; which item of the participation it was, from 1; where the slider stood at first."""


@dataclass(frozen=True)
class ImportedStudy:
    """People's data as records, and what became of them on the way.

    Attributes:
        suite: The suite's name.
        table: The records.
        saved: What was found in the files.
        others: How many rows are of which other study; they are left out.
        flaws: What is wrong with participations that are left out whole, a sentence for each.
        doubles: How many rows were there more than once.
        participations: How many participations there were before any was excluded.
        repeated: How many of them were not their person's first.
        kept: How many are in the records.
        exclusions: What each rule came to.
    """

    suite: str
    table: pa.Table
    saved: SavedData
    others: Mapping[str, int]
    flaws: tuple[str, ...]
    doubles: int
    participations: int
    repeated: int
    kept: int
    exclusions: tuple[Exclusion, ...]

    def summary(self) -> dict[str, object]:
        """Return what became of the data, as JSON has it."""
        return {
            "suite": self.suite,
            "rows": self.table.num_rows,
            "participations": self.participations,
            "repeated": self.repeated,
            "kept": self.kept,
            "exclusions": [asdict(exclusion) for exclusion in self.exclusions],
            "flaws": list(self.flaws),
            "others": dict(self.others),
            "doubles": self.doubles,
            "broken": self.saved.broken,
            "more_broken": self.saved.more_broken,
            "foreign": self.saved.foreign,
            "empty": self.saved.empty,
        }

    def notes(self) -> Iterator[str]:
        """Yield what a reader should know of the data, in words."""
        if self.repeated:
            yield (
                f"{self.repeated} participations are not their person's first; the rule "
                "`repeated` leaves them out"
            )
        if self.doubles:
            yield f"{self.doubles} rows were there more than once, and count once"
        if self.saved.foreign:
            yield f"{self.saved.foreign} entries are not rows of a study, and are left alone"
        for file in self.saved.empty:
            yield f"{file} holds no row of a study"
        if self.others:
            first = next(row for row in self.saved.rows if row.study in self.others)
            yield (
                f"{sum(self.others.values())} rows are of another study ({_list(self.others)}), "
                f"the first at {first.where}, and are left out"
            )
        yield from _first("left out whole", self.flaws)
        yield from _first("not read", self.saved.broken, self.saved.more_broken)


def _list(names: Iterable[str]) -> str:
    """Return some names, each of no more signs than an id has."""
    shown = [name[:16] for name in names]
    return ", ".join(shown[:NAMED]) + (", ..." if len(shown) > NAMED else "")


def _first(what: str, messages: Sequence[str], more: int = 0) -> Iterator[str]:
    """Yield the first messages, and how many more there are."""
    for message in messages[:NAMED]:
        yield f"{what}: {message}"
    if (rest := len(messages) + more - NAMED) > 0:
        yield f"{what}: {rest} more; the summary names them"


def import_study(
    folder: str | Path,
    sources: Sequence[str | Path],
    rules: Sequence[str] = (),
    by: By = "person",
    name: str = "",
    keep_ids: bool = False,
) -> ImportedStudy:
    """Turn what a study saved into records.

    Args:
        folder: The study, as it was exported.
        sources: Files and folders with what it saved.
        rules: Who is excluded; nobody, unless a rule says so.
        by: Whether each person is an agent, or all are one.
        name: What the group is called, where all are one; the folder's name, unless it is given.
        keep_ids: Whether ids get into the records as they are.

    Raises:
        UserError: The data are not this study's, or leave nothing.
    """
    plan = reopen_study(Path(folder))
    named = name or Path(folder).resolve().name
    return import_saved(plan, read_saved(sources), rules, by, named, keep_ids)


def import_saved(
    plan: StudyPlan,
    saved: SavedData,
    rules: Sequence[str] = (),
    by: By = "person",
    name: str = "",
    keep_ids: bool = False,
) -> ImportedStudy:
    """Turn rows of a study into records; see `import_study`."""
    from whybench.records.table import record_table  # noqa: PLC0415  (imports pyarrow)

    read_rules = [Rule.read(text) for text in rules]
    group = _group(plan, name) if by == "group" else ""
    items = {item.digest: item for entry in plan.lists for item in entry}
    others = _count_others(plan, saved)
    own = [row for row in saved.rows if row.study == plan.id]
    lengths = [len(entry) for entry in plan.lists]
    grouped, doubles = group_participations(own, lengths, items)
    answers: dict[tuple[str, int], list[Answer]] = {}
    participations = [_answered(plan, items, each, answers) for each in grouped]
    kept, exclusions = exclude(participations, read_rules)
    if not any(participation.answers for participation in kept):
        raise UserError(
            f"data must leave an answer, got {len(saved.rows)} rows of {len(participations)} "
            f"participations in {saved.files} files, {len(participations) - len(kept)} excluded "
            f"and {len(saved.broken) + saved.more_broken} places that cannot be read"
        )
    rows = _records(plan, items, kept, answers, group, keep_ids)
    return ImportedStudy(
        suite=plan.suite.name,
        table=record_table(rows, {**plan.suite.record_columns, **COLUMNS}),
        saved=saved,
        others=others,
        flaws=tuple(each.flaw_message for each in participations if each.flaw),
        doubles=doubles,
        participations=len(participations),
        repeated=sum(participation.occasion > 1 for participation in participations),
        kept=len(kept),
        exclusions=tuple(exclusions),
    )


def _group(plan: StudyPlan, name: str) -> str:
    """Return what people are called who are one agent."""
    if "person" not in plan.suite.parts:
        raise UserError(
            "`by` may be group for a suite whose intervals rest on people, got "
            f"{plan.suite.name}: answers of one person would count as independent; "
            "import with `by` person"
        )
    if not re.fullmatch(r"[\w.-]+", name):
        raise UserError(f"`name` must be letters, digits, '.', '-' or '_', got {name!r}")
    return f"human/{name}"


def _count_others(plan: StudyPlan, saved: SavedData) -> Counter[str]:
    """Return how many rows are of which other study; refuse data that are all of others."""
    others = Counter(row.study for row in saved.rows if row.study != plan.id)
    if others and others.total() == len(saved.rows):
        raise UserError(
            f"rows must be of the study {plan.id}, got {others.total()} of {_list(others)}, "
            f"the first at {saved.rows[0].where}; import these with their own study"
        )
    return others


def _answered(
    plan: StudyPlan,
    items: Mapping[str, Item],
    each: Participation,
    answers: dict[tuple[str, int], list[Answer]],
) -> Participation:
    """Put down the answers of a participation; return it, with its flaw if they cannot be read."""
    if each.flaw:
        return each
    try:
        found = [_answer(plan, items[row.item], row) for row in each.answers]
    except UserError as error:
        return replace(each, flaw="too many replies", flaw_message=str(error))
    answers[each.participant, each.occasion] = found
    return each


def _records(
    plan: StudyPlan,
    items: Mapping[str, Item],
    kept: Sequence[Participation],
    answers: Mapping[tuple[str, int], Sequence[Answer]],
    group: str,
    keep_ids: bool,
) -> Iterator[dict[str, Any]]:
    """Yield a record for each answer; `group` names the one agent, where all are one."""
    common = {
        "suite": plan.suite.name,
        "version": plan.suite.version,
        "design": plan.suite.make_design(plan.settings).name,
        "design_hash": plan.design_hash,
    }
    epochs: Counter[tuple[str, str]] = Counter()
    for participation in kept:
        person = participation.participant
        if not keep_ids:
            person = digest("person", plan.id, person).hex()[:12]
        agent = group or f"person/{person}"
        found = answers[participation.participant, participation.occasion]
        for position, (row, answer) in enumerate(
            zip(participation.answers, found, strict=True), start=1
        ):
            item = items[row.item]
            epochs[agent, item.id] += 1
            yield {
                **common,
                "agent": agent,
                "item": item.id,
                "case": item.case,
                "epoch": epochs[agent, item.id],
                "outcome": answer.outcome,
                "reason": answer.reason,
                "value": answer.value,
                "truth": item.truth,
                "seconds": row.seconds,
                "log": row.file if keep_ids else plan.id,
                **item.factors,
                **answer.parts,
                "person": person if group else "",
                "place": position,
                "slider_start": row.slider_start,
            }


def _answer(plan: StudyPlan, item: Item, row: StudyRow) -> Answer:
    """Return the suite's answer of a row's replies; an episode without an end says so."""
    episode = plan.suite.open_episode(item.factors)
    for turn, reply in enumerate(row.replies):
        if episode.over:
            raise UserError(
                f"replies to {item.id} must end with the episode, after {turn}, "
                f"got {len(row.replies)} at {row.where}"
            )
        episode.hear(reply, truncated=False)
    return episode.answer
