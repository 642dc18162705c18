"""Findings: sentences about an agent, shown only if the intervals of its measures support them.

A suite lists its findings in `sentences.yaml`, the most informative first. Each is a template with
a condition: the whole interval of a measure lies above or below a value (`Says`), one level of a
factor has its interval above that of another (`Contrast`), or the agent differs significantly from
people (`AgainstPeople`). `find` returns the findings that hold for an agent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from math import inf
from string import Formatter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import yaml

from whybench.numerals import BOUNDS_IN_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from whybench.stats import Level, Measure
    from whybench.suites.items import Scalar

NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class PeoplesValue:
    """People's value of a measure, and how the agent compares with it.

    Attributes:
        value: The value of people's mean judgments.
        verdict: The verdict of the comparison; empty if there was none.
        low: First quartile of the values of single people; None if it is not known.
        high: Third quartile.
    """

    value: float
    verdict: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Remark:
    """A finding that holds for an agent.

    Attributes:
        text: The sentence.
        measures: The measures whose intervals support it.
        answer: Columns and values of a typical answer; empty if none is typical.
    """

    text: str
    measures: tuple[Measure, ...]
    answer: Mapping[str, Scalar] = field(default_factory=dict)


class AgentMeasures:
    """The measures of one agent under one condition, by name and level."""

    def __init__(
        self, measures: Iterable[Measure], people: Mapping[str, PeoplesValue] = NONE
    ) -> None:
        """Take the measures, and people's values by the measure's name, where they are known."""
        self._found = {(one.name, tuple(one.at.items())): one for one in measures}
        self.people = people

    def get(self, name: str, factor: str = "", level: Level = "") -> Measure | None:
        """Return a measure that has an estimate and an interval; None if there is none."""
        found = self._found.get((name, ((factor, level),) if factor else ()))
        return found if found is not None and _has_interval(found) else None

    def at_levels(self, name: str, factor: str) -> dict[Level, Measure]:
        """Return a measure at each level of a factor at which it has an interval."""
        return {
            at[0][1]: one
            for (named, at), one in self._found.items()
            if named == name and len(at) == 1 and at[0][0] == factor and _has_interval(one)
        }


def _has_interval(measure: Measure) -> bool:
    return None not in (measure.estimate, measure.low, measure.high)


class _Bounded(float):
    """The estimate of a measure that is shown as a bound if it lies beyond the depths asked."""

    flags: tuple[str, ...]

    def __new__(cls, measure: Measure) -> _Bounded:
        shown = super().__new__(cls, measure.estimate or 0.0)
        shown.flags = measure.flags
        return shown

    def __format__(self, spec: str) -> str:
        bounds = [words for flag, words in BOUNDS_IN_WORDS.items() if flag in self.flags]
        return " ".join([*bounds, super().__format__(spec)])


class SentenceRule(Protocol):
    """A finding with its condition."""

    def find(self, measures: AgentMeasures) -> Iterator[Remark]:
        """Yield the finding if the measures support it."""


@dataclass(frozen=True)
class Says:
    """A finding whose intervals lie above or below values.

    Attributes:
        text: The sentence; a measure in braces becomes its estimate, as in `{skill_score:.2f}`.
        above: Measures whose intervals must lie above a value.
        below: Measures whose intervals must lie below a value.
        answer: Columns and values of a typical answer.
        flagged: Measures that must have a flag.
    """

    text: str
    above: Mapping[str, float] = field(default_factory=dict)
    below: Mapping[str, float] = field(default_factory=dict)
    answer: Mapping[str, Scalar] = field(default_factory=dict)
    flagged: Mapping[str, str] = field(default_factory=dict)

    def find(self, measures: AgentMeasures) -> Iterator[Remark]:
        """Yield the sentence if all its intervals lie where they must."""
        names = dict.fromkeys([*self.flagged, *self.above, *self.below, *_named(self.text)])
        found = {name: measures.get(name) for name in names}
        known = {name: one for name, one in found.items() if one is not None}
        if len(known) == len(found) and all(
            self.above.get(name, -inf) < _low(one)
            and _high(one) < self.below.get(name, inf)
            and self.flagged.get(name, "") in ("", *one.flags)
            for name, one in known.items()
        ):
            numbers = {name: _Bounded(one) for name, one in known.items()}
            yield Remark(self.text.format(**numbers), tuple(known.values()), self.answer)


@dataclass(frozen=True)
class Contrast:
    """The best and the worst level of a factor, where their intervals are apart.

    Attributes:
        text: The sentence, with `{best}`, `{worst}` and their estimates `{most}`, `{least}`.
        measure: The measure, at levels.
        factor: The factor; a typical answer is at its worst level.
        words: What levels are called; their own names by default.
    """

    text: str
    measure: str
    factor: str
    words: Mapping[Any, str] = field(default_factory=dict)

    def find(self, measures: AgentMeasures) -> Iterator[Remark]:
        """Yield the sentence if the best level's interval lies above the worst's."""
        levels = measures.at_levels(self.measure, self.factor)
        if len(levels) < 2:
            return
        best = max(levels, key=lambda level: _low(levels[level]))
        worst = min(levels, key=lambda level: _high(levels[level]))
        if _low(levels[best]) > _high(levels[worst]):
            text = self.text.format(
                best=self._name(best),
                worst=self._name(worst),
                most=levels[best].estimate,
                least=levels[worst].estimate,
            )
            yield Remark(text, (levels[best], levels[worst]), {self.factor: worst})

    def _name(self, level: Level) -> str:
        return self.words.get(level, str(level).replace("_", " "))


@dataclass(frozen=True)
class AgainstPeople:
    """How an agent compares with people, if the difference is significant.

    Attributes:
        measure: The measure.
        above: The sentence if the agent is above people, with `{own}` and `{people}`.
        below: The sentence if it is below them.
    """

    measure: str
    above: str
    below: str

    def find(self, measures: AgentMeasures) -> Iterator[Remark]:
        """Yield the sentence if the difference from people is significant."""
        own, people = measures.get(self.measure), measures.people.get(self.measure)
        text = {"higher": self.above, "lower": self.below}.get(people.verdict if people else "")
        if own is not None and people is not None and text:
            yield Remark(text.format(own=own.estimate, people=people.value), (own,))


COMMON: tuple[SentenceRule, ...] = (
    Says(
        "Close to the exact agent (skill score {skill_score:.2f}; exact is 1).",
        above={"skill_score": 0.9},
    ),
    Says(
        "Between the baseline (0) and the exact agent (1): skill score {skill_score:.2f}.",
        above={"skill_score": 0.0},
        below={"skill_score": 0.97},
    ),
    Says(
        "Not clearly above the baseline (skill score {skill_score:.2f}; exact is 1).",
        below={"skill_score": 0.1},
    ),
)
"""Findings of every suite whose `skill_score` is 0 for the baseline and 1 for the exact agent."""

UNSURE = Remark("The intervals are too wide for a finding.", ())
"""What is shown if no finding holds."""


@cache
def read_sentences(package: str) -> tuple[SentenceRule, ...]:
    """Return the findings that `sentences.yaml` of a package lists.

    An entry has `text` with `above`, `below`, `flagged` and `answer` (`Says`); or `text` with
    `contrast` (the measure), `factor` and `words` (`Contrast`); or `people` (the measure) with the
    sentences `above` and `below` (`AgainstPeople`).
    """
    text = files(package).joinpath("sentences.yaml").read_text(encoding="utf-8")
    return tuple(_read_rule(dict(entry)) for entry in yaml.safe_load(text))


def _read_rule(entry: dict[str, Any]) -> SentenceRule:
    if "people" in entry:
        return AgainstPeople(entry.pop("people"), **entry)
    text = entry.pop("text")
    if "contrast" in entry:
        return Contrast(text, entry.pop("contrast"), **entry)
    return Says(text, **entry)


def find(sentences: Iterable[SentenceRule], measures: AgentMeasures) -> list[Remark]:
    """Return the findings about an agent, the most informative first; at least one remark.

    A finding whose measures all occur in earlier findings is left out.
    """
    found: list[Remark] = []
    said: set[str] = set()
    for sentence in (*sentences, *COMMON):
        for one in sentence.find(measures):
            names = {measure.title for measure in one.measures}
            if not names <= said:
                found.append(one)
                said |= names
    return found or [UNSURE]


def _named(text: str) -> list[str]:
    """Return the measures that a template shows."""
    return [name for _, name, _, _ in Formatter().parse(text) if name]


def _low(measure: Measure) -> float:
    return -inf if measure.low is None else measure.low


def _high(measure: Measure) -> float:
    return inf if measure.high is None else measure.high
