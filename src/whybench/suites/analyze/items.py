"""The analyze item: a data set under some labels, with a question at some hint level.

The value of an answer is its score, so the truth of every item is 1, full marks; what is true of
each field is the instance's. The certificate says that both derivations of the fields earn them: an
answer made of the values found the first way, and one of the values found the second way.

A prompt need not hold the rows, which code reads from a file, and truths are of the world and not
of the rows. So an id follows from a description that has prompt, rows and truths (`described`): two
items have the same id exactly when they ask the same of the same data and the same is true.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from whybench.scm import agreed
from whybench.seeds import Split, canonical, item_id, split_of
from whybench.suites.analyze.analysts import gold
from whybench.suites.analyze.asked import asked_of
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import TRAP, Instance, Measured, Tabled
from whybench.suites.analyze.conclusions import concluded
from whybench.suites.analyze.design import CONTROL
from whybench.suites.analyze.fields import Interval, Said
from whybench.suites.analyze.grading import grade
from whybench.suites.analyze.published.forms import NEITHER, PUBLISHED
from whybench.suites.analyze.published.instances import published_instance
from whybench.suites.analyze.samples import sampled
from whybench.suites.analyze.wording import ask, column_names, table
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.scm import Certificate
    from whybench.suites.contract import Scalar

__all__ = [
    "COLUMNS",
    "DRAWN",
    "AnalyzeItem",
    "described",
    "draw",
    "instance_at",
    "instance_of",
    "key_of",
    "rows_digest",
    "shown_at",
    "world_of",
]

DRAWN: Mapping[str, type] = {"variant": str, "draw": int, "size": int, "data": str}
"""The columns that say which data set it is: the variant by name and the number of the draw, from
which, with the challenge, the instance can be made again; its number of rows, and a digest of them,
which is the same under all labels."""

COLUMNS: Mapping[str, type] = {
    "challenge": str,
    "family": str,
    "twin": str,
    "hint": int,
    "label": str,
    "protocol": str,
    "rows": int,
    "split": str,
    **DRAWN,
}
"""The factor columns of analyze records. `twin` is trap, control or, of published data, none;
`rows` is how many rows are to be shown, as a sample, or 0 for all."""

CACHED = 256
"""Data sets that are kept: making one takes some hundredths of a second, and answers to it, under
several hints and labels and by several agents, come close together."""

KEYS = 8192
"""Data sets whose truths are kept, without the rows: all that grading needs, and small."""

DIGITS = 9
"""Significant digits of truths that count in an id; the last ones may differ between processors."""


@dataclass(frozen=True)
class AnalyzeItem:
    """One question about one data set, which is made when it is needed.

    Attributes:
        challenge: The challenge.
        variant: `trap`, the name of a control, or `published`.
        draw: The number of the draw from which the data set is made, or of the published data set.
        hint: The hint level.
        label: Whether names are neutral, flattering or damning.
        protocol: How the agent works.
        rows: How many rows are shown, as a sample; 0 for all.
    """

    challenge: str
    variant: str
    draw: int
    hint: int
    label: str
    protocol: str
    rows: int = 0

    @property
    def instance(self) -> Instance:
        """The data set, with what is true of it; not held, since a design may have thousands."""
        return shown_at(self.challenge, self.variant, self.draw, self.rows)

    @property
    def prompt(self) -> str:
        """The words in which it is asked; made anew each time, since they may hold all rows."""
        return ask(self.instance, self.label, self.hint, self.protocol)

    @cached_property
    def id(self) -> str:
        """Equal exactly when prompt, rows and truths are equal."""
        return item_id("analyze", described(self), self.truth)

    @property
    def truth(self) -> float:
        """Full marks."""
        return 1.0

    @property
    def world(self) -> Instance:
        """The data set; prompts are not read back to it."""
        return self.instance

    @cached_property
    def certificate(self) -> Certificate:
        """What answers made of the first and of the second derivations are worth."""
        return agreed(
            f"score of the true answer to {self.challenge}, {self.variant}",
            (_methods(self.instance, 0), _worth(self.instance, 0)),
            (_methods(self.instance, 1), _worth(self.instance, 1)),
        )

    @property
    def names(self) -> dict[str, str]:
        """The names of the columns, by role."""
        return column_names(self.instance, self.label)

    @cached_property
    def factors(self) -> dict[str, Scalar]:
        """The place in the design."""
        found = self.instance
        # While the rows are at hand: grading will ask for the key.
        _key_at(self.challenge, self.variant, self.draw, self.rows)
        return {
            "challenge": self.challenge,
            "family": CHALLENGES[self.challenge].family,
            "twin": {TRAP: TRAP, PUBLISHED: NEITHER}.get(self.variant, CONTROL),
            "hint": self.hint,
            "label": self.label,
            "protocol": self.protocol,
            "rows": self.rows,
            # What is published may be in anybody's training: it is for tests alone.
            "split": "test" if self.variant == PUBLISHED else split_at(self.draw),
            "variant": self.variant,
            "draw": self.draw,
            "size": found.size,
            "data": rows_digest(found),
        }


def split_at(draw: int) -> Split:
    """Return the side of the train/test divide of a draw: twins and all challenges go together."""
    return split_of(("analyze", draw))


def world_of(item: AnalyzeItem) -> str:
    """Return what decides the side of an item: its draw, or the published data set."""
    published = f"published {item.challenge} " if item.variant == PUBLISHED else ""
    return f"{published}draw {item.draw}"


@lru_cache(maxsize=CACHED)
def instance_at(challenge: str, variant: str, draw: int) -> Instance:
    """Return the data set of a draw, or the published one of this number."""
    if variant == PUBLISHED:
        return published_instance(challenge, draw)
    return CHALLENGES[challenge].generate(variant, "items", draw)


@lru_cache(maxsize=CACHED)
def shown_at(challenge: str, variant: str, draw: int, rows: int) -> Instance:
    """Return what is shown of the data set of a draw: so many rows, or with 0 all."""
    whole = instance_at(challenge, variant, draw)
    return sampled(whole, rows) if rows else whole


def instance_of(factors: Mapping[str, Any]) -> Instance:
    """Return the data set of an item, given its factors.

    Raises:
        UserError: The rows that were asked about cannot be made again.
    """
    key_of(factors)
    return shown_at(*_place(factors))


def key_of(factors: Mapping[str, Any]) -> Instance:
    """Return what grading needs of the data set of an item: all but the rows.

    Raises:
        UserError: The rows that were asked about cannot be made again.
    """
    place = _place(factors)
    key, digest = _key_at(*place)
    if digest != factors["data"]:
        challenge, variant, draw, _ = place
        raise UserError(
            f"rows of {challenge}, {variant}, draw {draw} must have the digest {factors['data']} "
            f"of the item that was asked, got {digest}; read these answers with the "
            "versions of WhyBench and NumPy that asked for them"
        )
    return key


def _place(factors: Mapping[str, Any]) -> tuple[str, str, int, int]:
    # Logs of the time before samples say nothing of them.
    rows = int(factors.get("rows") or 0)
    return str(factors["challenge"]), str(factors["variant"]), int(factors["draw"]), rows


@lru_cache(maxsize=KEYS)
def _key_at(challenge: str, variant: str, draw: int, rows: int) -> tuple[Instance, str]:
    """Return what is shown of a draw without its rows, and the digest of these.

    Items come by here when they are made, so that grading makes no data set again.
    """
    found = shown_at(challenge, variant, draw, rows)
    # A copy, since an empty view would keep the whole column.
    none = {role: values[:0].copy() for role, values in found.rows.items()}
    return replace(found, rows=none), rows_digest(found)


@lru_cache(maxsize=CACHED)
def rows_digest(instance: Instance) -> str:
    """Return a digest of the rows as they are shown, without the names of the columns."""
    _, _, rows = table(instance, "neutral").partition("\n")
    return hashlib.sha256(rows.encode()).hexdigest()[:16]


def described(item: AnalyzeItem) -> str:
    """Return the canonical description that decides an item's id."""
    found = item.instance
    return canonical(
        {
            "prompt": item.prompt,
            "rows": rows_digest(found),
            "numbers": {
                name: f"{truth.value:.{DIGITS}g}" for name, truth in found.numbers().items()
            },
            "conclusion": concluded(asked_of(found), found, gold(found)),
        }
    )


def draw(item: AnalyzeItem) -> Iterator[str]:
    """Yield what is true of each field, for who may see it."""
    found, names = item.instance, item.names
    true = gold(found)
    for entry in asked_of(found).fields:
        if not isinstance(entry, Interval) and _settled(found, entry.name):
            yield f"{entry.name:16} {entry.write(true[entry.name], names)}"
    for name, truth in found.numbers().items():
        estimates = [f"{x:.4g} by {method}" for method, x in truth.references.items()]
        estimates += [f"{x:.4g} naively by {method}" for method, x in truth.naive.items()]
        yield f"{name:16} {truth.value:.6g}, SE {truth.se:.4g}; {'; '.join(estimates)}"
        for method, value in truth.certificate.derivations:
            yield f"{'':16} {float(value):.15g}  by {method}"


def _settled(instance: Instance, field: str) -> bool:
    truth = instance.truths.get(field)
    return truth is not None and not isinstance(truth, Measured | Tabled)


def _derived(instance: Instance, way: int) -> dict[str, Any]:
    """Return the true answer with numbers as one of the two derivations has them."""
    answer = gold(instance)
    for name, truth in instance.truths.items():
        if isinstance(truth, Measured):
            answer[name] = _value(truth, way)
        elif isinstance(truth, Tabled):
            answer[name] = {row: _value(entry, way) for row, entry in truth.rows.items()}
    return answer


def _value(truth: Measured, way: int) -> float:
    return float(truth.certificate.derivations[way][1])


def _worth(instance: Instance, way: int) -> float:
    said = {name: Said(value) for name, value in _derived(instance, way).items()}
    return grade(asked_of(instance), instance, said).score


def _methods(instance: Instance, way: int) -> str:
    """Name the ways in which one derivation of each number was made."""
    ways = [truth.certificate.derivations[way][0] for truth in instance.numbers().values()]
    return f"{('first', 'second')[way]} derivations ({', '.join(dict.fromkeys(ways)) or 'graph'})"
