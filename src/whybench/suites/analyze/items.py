"""The analyze item, a data set under some labels with a question, and which items a design has.

The value of an answer is its score, so the truth of every item is 1, full marks; what is true of
each field is the instance's. The certificate says that both derivations of the fields earn them: an
answer made of the values of the first derivation, and one of the values of the second.

A prompt need not hold the rows, which code reads from a file, and truths are of the world and not
of the rows. So a digest follows from prompt, rows and truths (`describe_item`): two items have the
same digest exactly when they ask the same of the same data and the same is true.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

from whybench.scm import agreed
from whybench.seeds import Split, canonical, item_digest, settle, split_of
from whybench.suites.analyze.analysts import diagnosis_fields, fields_for, true_answer
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import TRAP, CategoricalTruth, Instance
from whybench.suites.analyze.design import CONTROL, MANIPULATED
from whybench.suites.analyze.grading import grade_values, write_conclusion
from whybench.suites.analyze.prompts import (
    column_names,
    render_diagnosis,
    render_prompt,
    rows_csv,
)
from whybench.suites.analyze.samples import check_row_count, sample_rows
from whybench.suites.contract import UserError
from whybench.suites.designs import name_item
from whybench.suites.files import is_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.design import AnalyzeDesign
    from whybench.suites.contract import Scalar

RANDOM_COLUMNS: Mapping[str, type] = {
    "variant": str,
    "draw": int,
    "setting": str,
    "size": int,
    "data": str,
}
"""The columns that say which data set it is: the variant by name and the number of the draw, from
which, with the challenge and the setting, the instance can be made again; its number of rows, and a
digest of them, which is the same under all labels."""

COLUMNS: Mapping[str, type] = {
    "challenge": str,
    "family": str,
    "twin": str,
    "hint": int,
    "label": str,
    "protocol": str,
    "rows": int,
    "split": str,
    **RANDOM_COLUMNS,
}
"""The factor columns of analyze records. `twin` is trap or control; `rows` is how many rows are
to be shown, as a sample, or 0 for all."""

CACHED = 256
"""Data sets that are kept: making one takes some hundredths of a second, and answers to it, under
several hints and labels and by several agents, come close together."""

KEYS = 8192
"""Data sets whose truths are kept, without the rows: all that grading needs, and small."""

DIGITS = 9
"""Significant digits of truths that count in an id; the last ones may differ between processors."""

TRIED = 240
"""Items of a design whose samples are tried before any is asked: as many as data sets are kept."""


@dataclass(frozen=True)
class DataSetItem:
    """A question about a data set, whoever made the data.

    Attributes:
        challenge: The challenge.
        variant: The variant of the challenge, or the kind of data set.
        draw: The number of the data set.
        hint: The hint level.
        label: Whether names are neutral, flattering or damning.
        protocol: How the agent works.
    """

    challenge: str
    variant: str
    draw: int
    hint: int
    label: str
    protocol: str

    @property
    def instance(self) -> Instance:
        """The data set, with the truth of each field."""
        raise NotImplementedError

    @property
    def prompt(self) -> str:
        """The prompt; made again each time, since it may hold all rows."""
        return render_prompt(self.instance, self.label, self.hint, self.protocol)

    @property
    def case(self) -> str:
        """The challenge, the variant and the number of the data set."""
        return f"{self.challenge}-{self.variant}-{self.draw}"

    @property
    def truth(self) -> float:
        """Full marks."""
        return 1.0

    @property
    def world(self) -> Instance:
        """The data set; prompts are not read back to it."""
        return self.instance

    @property
    def names(self) -> dict[str, str]:
        """The names of the columns, by role."""
        return column_names(self.instance, self.label)


@dataclass(frozen=True)
class AnalyzeItem(DataSetItem):
    """One question about one data set, which is made when it is needed.

    Attributes:
        variant: `trap` or the name of a control.
        draw: The number of the draw from which the data set is made.
        rows: How many rows are shown, as a sample; 0 for all.
        own: The path of a setting of one's own in which it is told.
    """

    rows: int = 0
    own: str = ""

    @property
    def instance(self) -> Instance:
        """The data set, with what is true of it; not held, since a design may have thousands."""
        return shown_instance(*self._key)

    @property
    def _key(self) -> tuple[str, str, int, int, str]:
        return self.challenge, self.variant, self.draw, self.rows, self.own

    @cached_property
    def digest(self) -> str:
        """Equal exactly when prompt, rows and truths are equal."""
        return item_digest("analyze", describe_item(self), self.truth)

    @cached_property
    def id(self) -> str:
        """Case, condition and digits; equal exactly when prompt, rows and truths are."""
        return name_item(self.digest, self.case, asdict(self), MANIPULATED, generated=True)

    @cached_property
    def certificate(self) -> Certificate:
        """The scores of answers made of the first and of the second derivations."""
        return certify_score(self.instance)

    @cached_property
    def factors(self) -> dict[str, Scalar]:
        """The position in the design, and which data set it is."""
        instance = self.instance
        # While the rows are cached: grading will need the key.
        _cached_key(*self._key)
        values = asdict(self) | {
            "family": CHALLENGES[self.challenge].family,
            "twin": TRAP if self.variant == TRAP else CONTROL,
            "split": split_of_draw(self.draw),
            "setting": instance.telling.setting,
            "size": instance.size,
            "data": rows_digest(instance),
        }
        return {name: values[name] for name in COLUMNS}


def split_of_draw(draw: int) -> Split:
    """Return the split of a draw: twins and all challenges go together."""
    return split_of(("analyze", draw))


def world_key(item: AnalyzeItem) -> str:
    """Return what decides the split of an item: its draw."""
    return f"draw {item.draw}"


@lru_cache(maxsize=CACHED)
def full_instance(challenge: str, variant: str, draw: int, own: str = "") -> Instance:
    """Return the data set of a draw."""
    return _twins(challenge, draw, own)[variant]


@lru_cache(maxsize=CACHED)
def _twins(challenge: str, draw: int, own: str) -> dict[str, Instance]:
    """Return the data sets of a draw by variant, told in a setting of one's own if there is one."""
    entry = CHALLENGES[challenge]
    setting = entry.find_setting(own) if own else None
    return entry.generate_twins("items", draw, split=split_of_draw(draw), setting=setting)


@lru_cache(maxsize=CACHED)
def shown_instance(challenge: str, variant: str, draw: int, rows: int, own: str = "") -> Instance:
    """Return what is shown of the data set of a draw: a sample of n rows, or all where n is 0."""
    instance = full_instance(challenge, variant, draw, own)
    return sample_rows(instance, rows) if rows else instance


def instance_from_factors(factors: Mapping[str, Any]) -> Instance:
    """Return the data set of an item, given its factors.

    Raises:
        UserError: The rows that were asked about cannot be made again.
    """
    grading_key(factors)
    return shown_instance(*_instance_key(factors))


def grading_key(factors: Mapping[str, Any]) -> Instance:
    """Return what grading needs of the data set of an item: all but the rows.

    Raises:
        UserError: The rows that were asked about cannot be made again.
    """
    challenge, variant, draw, *_ = _instance_key(factors)
    key, digest = _cached_key(*_instance_key(factors))
    check_digest(digest, factors, f"{challenge}, {variant}, draw {draw}")
    return key


def check_digest(digest: str, factors: Mapping[str, Any], data: str) -> None:
    """Refuse rows that aren't those of the item with these factors.

    Raises:
        UserError: The digest of the rows is another.
    """
    if digest != factors["data"]:
        raise UserError(
            f"rows of {data} must have the digest {factors['data']} of the item that was asked, "
            f"got {digest}; read these answers with the versions of WhyBench and NumPy that asked "
            "for them"
        )


def _instance_key(factors: Mapping[str, Any]) -> tuple[str, str, int, int, str]:
    rows, setting = int(factors["rows"]), str(factors["setting"])
    own = setting if is_path(setting) else ""
    challenge, variant, draw = (factors[name] for name in ("challenge", "variant", "draw"))
    return str(challenge), str(variant), int(draw), rows, own


@lru_cache(maxsize=KEYS)
def _cached_key(
    challenge: str, variant: str, draw: int, rows: int, own: str
) -> tuple[Instance, str]:
    """Return what is shown of a draw without its rows, and the digest of these.

    Called for every item that is made, so that grading makes no data set again.
    """
    instance = shown_instance(challenge, variant, draw, rows, own)
    return drop_rows(instance), rows_digest(instance)


def drop_rows(instance: Instance) -> Instance:
    """Return an instance without its rows."""
    # A copy, since an empty view would keep the whole column.
    return replace(
        instance, rows={role: values[:0].copy() for role, values in instance.rows.items()}
    )


@lru_cache(maxsize=CACHED)
def rows_digest(instance: Instance) -> str:
    """Return a digest of the rows as they are shown, without the names of the columns."""
    _, _, rows = rows_csv(instance, "neutral").partition("\n")
    return hashlib.sha256(rows.encode()).hexdigest()[:16]


def describe_item(item: AnalyzeItem) -> str:
    """Return the canonical description that, with the truth, decides an item's digest."""
    return describe_question(item.instance, item.prompt, item.label)


def describe_question(instance: Instance, prompt: str, label: str, **more: Any) -> str:
    """Return the canonical description of a question about a data set."""
    numbers = instance.numbers().items()
    conclusion = write_conclusion(fields_for(instance), instance, true_answer(instance))
    asked = diagnosis_fields(instance)
    return canonical(
        {
            "prompt": prompt,
            "diagnosis": render_diagnosis(instance, label) if asked else "",
            "rows": rows_digest(instance),
            "numbers": {name: settle(truth.value, DIGITS) for name, truth in numbers},
            "conclusion": conclusion,
            **more,
        }
    )


def describe_truth(instance: Instance, names: Mapping[str, str]) -> Iterator[str]:
    """Yield lines with the truth of each field; `names` are those of the columns by role."""
    for field in fields_for(instance):
        truth = instance.truths.get(field.name)
        if isinstance(truth, CategoricalTruth):
            yield f"{field.name:16} {field.write(truth.value, names)}"
    for name, number in instance.numbers().items():
        estimates = [f"{x.value:.4g} by {method}" for method, x in number.panel.items()]
        estimates += [f"{x:.4g} naively by {method}" for method, x in number.naive.items()]
        yield f"{name:16} {number.value:.6g}, SE {number.se:.4g}; {'; '.join(estimates)}"
        for method, value in number.certificate.derivations:
            yield f"{'':16} {float(value):.15g}  by {method}"


def certify_score(instance: Instance) -> Certificate:
    """Certify the score of the true answer by both derivations of its numbers."""
    return agreed(
        f"score of the true answer to {instance.challenge}, {instance.variant}",
        *(_score_derivation(instance, order) for order in (0, 1)),
    )


def _score_derivation(instance: Instance, order: int) -> tuple[str, float]:
    """Return the methods of the first (0) or second (1) derivations, and the score they earn."""
    answer, methods = true_answer(instance), []
    for name, truth in instance.numbers().items():
        method, value = truth.certificate.derivations[order]
        methods.append(method)
        field, _, row = name.partition(".")
        answer[field] = {**answer[field], row: float(value)} if row else float(value)
    derivations = ", ".join(dict.fromkeys(methods)) or "graph"
    score = grade_values(fields_for(instance), instance, answer).score
    return f"{('first', 'second')[order]} derivations ({derivations})", score


def analyze_items(design: AnalyzeDesign) -> Iterator[AnalyzeItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced.

    Raises:
        UserError: The design shows samples of too few rows.
    """
    check_rows(design)
    for index in range(design.size):
        yield item_at(design, index)


def check_rows(design: AnalyzeDesign) -> None:
    """See that the samples of rows that a design shows are large enough.

    Raises:
        UserError: They are too small, as the first draws tell.
    """
    if design.rows:
        first = [item_at(design, index) for index in range(min(design.size, TRIED))]
        keys = {(item.challenge, item.variant, item.draw, item.own) for item in first}
        check_row_count((full_instance(*key) for key in sorted(keys)), design.rows)


def item_at(design: AnalyzeDesign, index: int) -> AnalyzeItem:
    """Return the item at a position in a design, without making those before it."""
    if not 0 <= index < design.size:
        raise IndexError(f"index must be from 0 to {design.size - 1}, got {index}")
    turn, position = divmod(index, design.block)
    cell = design.cells[position]
    return AnalyzeItem(
        challenge=cell.challenge,
        variant=cell.variant_at(turn),
        draw=nth_draw(design.split, cell.draw_at(turn)),
        hint=cell.hint,
        label=cell.label,
        protocol=cell.protocol,
        rows=design.rows,
        own=design.setting,
    )


def nth_draw(split: Split, turn: int) -> int:
    """Return the number of the n-th draw of a split."""
    draws, more = _draws(split)
    while len(draws) <= turn:
        draws.append(next(more))
    return draws[turn]


@cache
def _draws(split: Split) -> tuple[list[int], Iterator[int]]:
    """Return the draws of a split that were looked up so far, and where to find more."""
    return [], (draw for draw in count() if split_of_draw(draw) == split)
