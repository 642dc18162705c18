"""What is stated of an experiment before answers are seen, and whether the answers keep to it.

An analysis plan says which factors are compared, by which measures, from which change on, and whose
answers are left out. It may be frozen together with all that decides what is asked: a file with the
date, the statement, and a hash of the statement, which can be made public. A page about the answers
then says, point by point, whether they are what was frozen.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, atomic_write
from whybench.results.conditions import compare_conditions
from whybench.results.levels import list_levels_met
from whybench.seeds import canonical
from whybench.stats import correct_family
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from whybench.records.runs import Run
    from whybench.results.comparison import Comparison
    from whybench.results.looks import Looks
    from whybench.stats import Difference


@dataclass(frozen=True)
class AnalysisPlan:
    """What is compared of an experiment.

    Attributes:
        factors: Factors and settings of the model whose levels are compared; all if none is named.
        measures: The measures that are compared; those of the headlines if none is named.
        smallest: Measure to the smallest change of interest.
        answered_below: An agent that answers a smaller share of a suite is left out of it.
    """

    factors: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    smallest: Mapping[str, float] = field(default_factory=dict)
    answered_below: float = 0.0

    def compare(
        self, tables: Mapping[str, pa.Table], looks: Looks | None = None
    ) -> tuple[list[Comparison], list[str]]:
        """Return a comparison of conditions for each factor, and notes.

        The differences of all factors, measures, suites and agents are one family. If the run was
        asked until decided, they are those of its looks.
        """
        kept, notes = self._leave_out(tables)
        found = []
        for by in self.factors or _list_factors(kept):
            try:
                comparison = compare_conditions(kept, by, smallest=self.smallest)
            except UserError as error:  # levels that no two items share, as of themes in turn
                notes += [str(error)] if self.factors else []
                continue
            names = {one.measure for one in comparison if self._is_chosen(one)}
            found += [comparison.choose(*names)] if names else []
            notes += comparison.notes if self.factors else ()
        absent = {*self.measures} - {one.measure for each in found for one in each}
        notes += [f"no difference of {name} can be computed from these answers" for name in absent]
        every = [one for each in found for one in each]
        family = iter(correct_family(looks.apply(every) if looks else every))
        together = [replace(each, differences=tuple(next(family) for _ in each)) for each in found]
        return together, notes

    def _is_chosen(self, one: Difference) -> bool:
        return one.measure in (self.measures or get_suite(one.suite).headline)

    def _leave_out(self, tables: Mapping[str, pa.Table]) -> tuple[dict[str, pa.Table], list[str]]:
        """Return records without agents that answered too little, and who they are."""
        if not self.answered_below:
            return dict(tables), []
        kept, notes = {}, []
        for name, table in tables.items():
            agents, outcomes = table["agent"].to_pylist(), table["outcome"].to_pylist()
            answered: dict[str, list[bool]] = {}
            for agent, outcome in zip(agents, outcomes, strict=True):
                answered.setdefault(agent, []).append(outcome == "scored")
            shares = {agent: sum(mine) / len(mine) for agent, mine in answered.items()}
            out = {agent for agent, share in shares.items() if share < self.answered_below}
            notes += [
                f"{name}: {agent} is left out, since it answered {shares[agent]:.0%}, less than "
                f"{self.answered_below:.0%}"
                for agent in shares
                if agent in out
            ]
            kept[name] = table.filter([agent not in out for agent in agents]) if out else table
        return kept, notes


def _list_factors(tables: Mapping[str, pa.Table]) -> list[str]:
    """Return all that can be compared."""
    return list(
        dict.fromkeys(
            by
            for name, table in tables.items()
            if get_suite(name).comparison is not None
            for by in list_levels_met(get_suite(name), table)
        )
    )


@dataclass(frozen=True)
class Frozen:
    """A statement as it was when it was frozen.

    Attributes:
        hash: The hash that was made then.
        date: When, in ISO form with its zone.
        content: What was stated.
    """

    hash: str
    date: str
    content: Mapping[str, Any]

    @classmethod
    def now(cls, content: Mapping[str, Any]) -> Frozen:
        """Freeze a statement."""
        moment = datetime.now(UTC).replace(microsecond=0)
        return cls(_hash(content), moment.isoformat(), content)

    @classmethod
    def read(cls, path: Path) -> Frozen | None:
        """Return what was frozen into a file; None if there is no such file."""
        if not path.exists():
            return None
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
            datetime.fromisoformat(given["date"])
            return cls(str(given["hash"]), str(given["date"]), dict(given["content"]))
        except (OSError, ValueError, KeyError, TypeError):
            raise UserError(
                f"{path} must be as it was written, with hash, date and content, got something "
                "else; restore it, or use another folder"
            ) from None

    def write(self, path: Path) -> None:
        """Write it into a file."""
        with atomic_write(path) as part:
            shown = {"hash": self.hash, "date": self.date, "content": self.content}
            part.write_text(json.dumps(shown, indent=2) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class FrozenPoint:
    """A point in which answers keep to what was frozen, or do not."""

    words: str
    holds: bool


@dataclass(frozen=True)
class Statement:
    """All that is stated of an experiment.

    Attributes:
        analysis: What is compared.
        content: The whole of it, as it is frozen: models, suites, settings, analysis.
        frozen: What was frozen, if something was.
    """

    analysis: AnalysisPlan
    content: Mapping[str, Any]
    frozen: Frozen | None = None

    def differences(self) -> list[str]:
        """Return in what the statement differs from what was frozen."""
        return [] if self.frozen is None else [*_differences(self.frozen.content, self.content)]

    def check(self, tables: Mapping[str, pa.Table], runs: Sequence[Run]) -> list[FrozenPoint]:
        """Return point by point whether answers are those that were frozen."""
        frozen = self.frozen
        if frozen is None:
            return []
        whole = _hash(frozen.content) == frozen.hash
        others = self.differences()
        checks = [
            FrozenPoint(
                f"what was frozen has the hash {frozen.hash}"
                if whole
                else "the frozen file was changed: its content has not the hash that it names",
                whole,
            ),
            FrozenPoint(
                "the experiment is stated as it was frozen"
                if not others
                else "the experiment is not stated as it was frozen: " + "; ".join(others),
                not others,
            ),
        ]
        return [*checks, *_check_time(frozen, runs), *_check_answers(frozen, tables)]


def _check_time(frozen: Frozen, runs: Sequence[Run]) -> Iterator[FrozenPoint]:
    started = [datetime.fromisoformat(run.started) for run in runs if run.started]
    if started:
        before = datetime.fromisoformat(frozen.date) <= min(started)
        words = "before the first run" if before else "after the first run had started"
        yield FrozenPoint(f"frozen on {frozen.date[:10]}, {words}", before)


def _check_answers(frozen: Frozen, tables: Mapping[str, pa.Table]) -> Iterator[FrozenPoint]:
    """FrozenPoint designs, versions and numbers of answers against what was frozen."""
    planned: Counter[tuple[str, str, int]] = Counter()
    in_rounds = set()
    for ask in frozen.content["suites"]:
        key = ask["suite"], ask["design_hash"], ask["version"]
        planned[key] += ask["answers"]
        if ask["in_rounds"]:
            in_rounds.add(key)
    until_decided = set(frozen.content.get("until", {}).get("suites", ()))
    met = Counter(
        (name, *key)
        for name, table in tables.items()
        for key in zip(*(table[n].to_pylist() for n in ("design_hash", "version")), strict=True)
    )
    for key, count in planned.items():
        there = met.pop(key, 0)
        bounded = key in in_rounds or key[0] in until_decided
        at_most = "at most " if bounded else ""
        words = f"{key[0]}: {there:,} of {at_most}{count:,} answers that were planned"
        yield FrozenPoint(words, there == count or (there < count and bounded))
    for (name, _, version), count in met.items():
        yield FrozenPoint(f"{name}, version {version}: {count:,} answers were not planned", False)


def _hash(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a statement as JSON with sorted keys and no spaces."""
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def _differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Yield where two statements differ, by the names that lead there."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            inner = f"{place}.{name}" if place else str(name)
            yield from _differences(before.get(name), after.get(name), inner)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, two) in enumerate(zip(before, after, strict=True), start=1):
            yield from _differences(one, two, f"{place} {number}")
    elif before != after:
        yield f"{place} was {_word(before)} and is {_word(after)}"


def _word(value: object) -> str:
    return "nothing" if value in (None, [], {}) else json.dumps(value)
