"""The source's illustrations: ice cream and drowning, and a drink under two brands.

Beside its 75 data sets the source has six files on which it shows two ways to go wrong. In one
(`ice_cream`) heat lets both the sales of ice cream and drowning rise; in another (`pure_noise`)
nothing is related to anything, so it is a control. The other four (`branding`) are two data sets,
in which a drink does good or harm, each under a name that praises it and under one that blames it.

No key is printed. What rows settle is the coefficient of the cause beside the confounders that the
source states, borne out in exact arithmetic; the slope without these is what the trap suggests.
They are variants of the challenge `observational`, and asked in our words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from whybench.scm import agreed
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Instance,
    NumericTruth,
)
from whybench.suites.analyze.columns import DataColumn
from whybench.suites.analyze.estimators.regression import design_matrix, least_squares
from whybench.suites.analyze.fields import FlagField, IntervalField, NumberField
from whybench.suites.analyze.reports import (
    NO_CLEAR_EFFECT,
    RECOMMENDATION,
    complete_answer,
    recommend,
    report_on,
)
from whybench_papers.du2025.arithmetic import EXACT, FLOATING
from whybench_papers.du2025.data_sets import read_rows
from whybench_papers.du2025.forms import NEAR, NO_DICTIONARY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.estimators.regression import Coefficient
    from whybench.suites.analyze.fields import Field

ILLUSTRATED = "observational"
"""The challenge of which they are variants: nothing was done, and all was observed."""

EFFECT, HAS_EFFECT, INTERVAL = "effect", "has_effect", "interval"
NEUTRAL = "neutral"


@dataclass(frozen=True)
class Illustration:
    """Data sets that show one way to go wrong.

    Attributes:
        twin: Whether they are traps or controls.
        files: The file of each data set, by label.
        words: What is acted on, by label.
        confounders: The columns that bear on cause and outcome.
        cause: The column that is acted on.
        outcome: The column that is asked about.
        question: The question, with places.
        answer: What is to be said in each field, with places.
    """

    twin: str
    files: tuple[Mapping[str, str], ...]
    words: Mapping[str, str]
    confounders: tuple[str, ...]
    cause: str
    outcome: str
    question: str
    answer: Mapping[str, str]

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of an answer: what to recommend, or whether there is an effect; how large."""
        effect = NumberField(EFFECT)
        if RECOMMENDATION in self.answer:
            return report_on(effect)
        return FlagField(HAS_EFFECT), effect, IntervalField(INTERVAL, of=EFFECT)

    def name_columns(self, roles: Mapping[str, object], label: str) -> dict[str, str]:
        """Return the names of columns under a label, by role."""
        before = "" if label == NEUTRAL else f"{self.words[label]}_"
        return {role: f"{before}{role}" for role in roles}

    def fill_in(self, text: str, names: Mapping[str, str], label: str) -> str:
        """Return a text with the words of a label in its places."""
        return text.format(word=self.words[label], **names)


def _read_illustration(entry: Mapping[str, Any]) -> Illustration:
    lists = {name: tuple(entry[name]) for name in ("files", "confounders")}
    return Illustration(**{**entry, **lists})


ILLUSTRATIONS: Mapping[str, Illustration] = {
    name: _read_illustration(entry)
    for name, entry in yaml.safe_load(
        files(__package__).joinpath("illustrations.yaml").read_text(encoding="utf-8")
    ).items()
}
"""The illustrations, by the name of the variant."""


@dataclass(frozen=True)
class IllustrationScript:
    """Our question about an illustration.

    Attributes:
        variant: The name of the illustration.
        size: The number of rows.
        roles: The roles of the columns.
    """

    variant: str
    size: int
    roles: tuple[str, ...]

    @property
    def _shown(self) -> Illustration:
        return ILLUSTRATIONS[self.variant]

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the form."""
        return self._shown.fields

    def name_columns(self, label: str) -> dict[str, str]:
        """Return the names of the columns under a label."""
        return self._shown.name_columns(dict.fromkeys(self.roles), label)

    def paragraphs(self, label: str, hint: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the columns and the question."""
        names = self.name_columns(label)
        return (
            NO_DICTIONARY.format(size=self.size, columns=", ".join(names.values())),
            f"Question: {self._shown.fill_in(self._shown.question, names, label)}",
        )

    def field_meanings(self, label: str) -> dict[str, str]:
        """Return the description of each field."""
        names = self.name_columns(label)
        return {
            field: self._shown.fill_in(text, names, label)
            for field, text in self._shown.answer.items()
        }


@cache
def illustrated_instance(variant: str, number: int) -> Instance:
    """Return a data set of an illustration by its number, from 1."""
    shown = ILLUSTRATIONS[variant]
    label, file = next(iter(shown.files[number - 1].items()))
    read = read_rows(f"ablations/{file}.csv")
    words = "" if label == NEUTRAL else f"{shown.words[label]}_"
    rows = {name.removeprefix(words): values for name, values in read.items()}
    effect = _find_effect(shown, rows)
    return Instance(
        challenge=ILLUSTRATED,
        variant=variant,
        parameters={},
        columns=tuple(DataColumn(role, "real", 0) for role in rows),
        rows=rows,
        truths={EFFECT: effect, **_conclude(shown, effect)},
        keys=(number,),
        script=IllustrationScript(variant, len(next(iter(rows.values()))), tuple(rows)),
    )


def _find_effect(shown: Illustration, rows: Mapping[str, Array]) -> NumericTruth:
    outcome, cause = rows[shown.outcome], rows[shown.cause]
    held = [rows[name] for name in shown.confounders]
    matrix = design_matrix(cause, *held)
    bent = design_matrix(cause, *held, *(column**2 for column in held))
    first, second = (way.coefficients(outcome, matrix)[1] for way in (FLOATING, EXACT))
    return NumericTruth(
        certificate=agreed(
            f"effect of {shown.cause} on {shown.outcome}",
            ("least squares", first.value),
            ("least squares, worked out anew", second.value),
        ),
        references={
            "least squares": first,
            "with squares of the confounders": least_squares(outcome, bent)[1],
        },
        se=first.se,
        naive={"slope": _fit_slope(shown, rows).value} if shown.twin == TRAP else {},
        near=NEAR,
    )


def _fit_slope(shown: Illustration, rows: Mapping[str, Array]) -> Coefficient:
    return least_squares(rows[shown.outcome], design_matrix(rows[shown.cause]))[1]


def _conclude(shown: Illustration, effect: NumericTruth) -> dict[str, CategoricalTruth]:
    """Return what follows from the effect: what is clear of zero by any of the estimators."""
    first, *others = (recommend(*found.interval) for found in effect.panel.values())
    if RECOMMENDATION in shown.answer:
        also = tuple(sorted({*others} - {first}))
        return {RECOMMENDATION: CategoricalTruth(first, also=also)}
    there, wrong = first != NO_CLEAR_EFFECT, first == NO_CLEAR_EFFECT and shown.twin == TRAP
    return {HAS_EFFECT: CategoricalTruth(there, naive=(True,) if wrong else ())}


def answer_illustration(analyst: str, instance: Instance) -> dict[str, Any]:
    """Return the answers of a competent analyst, or of a naive one, who adjusts for nothing."""
    shown, rows = ILLUSTRATIONS[instance.variant], instance.rows
    found = _fit_slope(shown, rows) if analyst == "naive" else _fit_interacted(shown, rows)
    answers = complete_answer(shown.fields, {EFFECT: found})
    return {**answers, HAS_EFFECT: answers[RECOMMENDATION] != NO_CLEAR_EFFECT}


def _fit_interacted(shown: Illustration, rows: Mapping[str, Array]) -> Coefficient:
    """Fit the average effect where it may change with the confounders."""
    held = [rows[name] - rows[name].mean() for name in shown.confounders]
    cause = rows[shown.cause]
    products = [cause * column for column in held]
    return least_squares(rows[shown.outcome], design_matrix(cause, *held, *products))[1]
