"""The attacks on analyze: one recipe for all data sets, whatever the challenge.

A recipe regresses the outcome on the cause and a fixed choice of the other columns. It reads names
and the order of measurement from the prompt, and nothing of the cover story except, for
`words-decide` and `sentence-decides`, whether anything is random. In place of a diagnosis it
replies with an empty form, which claims no trap. A recipe for each challenge would be competence,
and isn't an attack.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.agents import AGENTS
from whybench.suites.analyze.estimators.regression import (
    design_matrix,
    interacted_difference,
    least_squares,
)
from whybench.suites.analyze.protocols.prompts import ROWS_FILE
from whybench.suites.analyze.reports import (
    AVERAGE,
    ESTIMAND,
    ESTIMATE,
    INTERVAL,
    RECOMMENDATION,
    recommend,
)
from whybench.suites.attacks import SILENT, Attack, of_agents

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whybench.suites.analyze.estimators.regression import Array, Coefficient
    from whybench.suites.attacks import Seen

COLUMN = re.compile(r"^- (\S+) \(.*?; step (\d+)\):", re.MULTILINE)
SCHEMA = re.compile(r'^\{"type": "object".*$', re.MULTILINE)
RANDOM = re.compile(
    r"\b(random\w*|chance|lottery|lots?|coins?|dice|draws?|drew|drawn)\b", re.IGNORECASE
)
UNRECORDED = re.compile(
    r"\b(not|never|nobody|no)\b[^.]*\brecord|\bnot in the table\b", re.IGNORECASE
)
DECISION = re.compile(
    r"\b(decid|decision|chose|choice|depend|based on|sorted|assigned)", re.IGNORECASE
)
SENTENCE = re.compile(r"(?<=[.;:])\s+")

CLEAR = 3.0
"""How many standard errors a coefficient must be from 0 to be taken for an arrow."""


@dataclass(frozen=True, eq=False)
class RecipeInput:
    """The part of an item that a recipe reads.

    Attributes:
        prompt: The prompt.
        form: The schema of each field of the report.
        steps: The step of measurement of each column with numbers.
        columns: The numbers.
    """

    prompt: str
    form: Mapping[str, Any]
    steps: Mapping[str, int]
    columns: Mapping[str, Array]

    @property
    def others(self) -> list[str]:
        """The columns with several values, without cause and outcome."""
        return [
            name
            for name, values in self.columns.items()
            if name not in (self.cause, self.outcome) and np.ptp(values) > 0
        ]

    @property
    def cause(self) -> str:
        """The column that may be acted on; empty in a form without a recommendation."""
        return self._find(r"use \(more of\) (\S+);")

    @property
    def outcome(self) -> str:
        """The column whose values should be higher."""
        return self._find(r"wants (\S+) to be higher")

    def earlier(self, *, same: bool = False) -> list[str]:
        """Return the columns measured before the cause, or also those measured with it."""
        step = self.steps[self.cause] + same
        return [name for name in self.others if self.steps[name] < step]

    def _find(self, pattern: str) -> str:
        text = self.form.get(RECOMMENDATION, {}).get("description", "")
        found = re.search(pattern, text)
        return found[1] if found else ""


@lru_cache(maxsize=4)
def _read_table(prompt: str, rows: str) -> RecipeInput:
    """Return the table of a prompt; rows with an empty cell are left out, and words too."""
    found = SCHEMA.search(prompt)
    form = json.loads(found[0])["properties"] if found else {}
    steps = {name: int(step) for name, step in COLUMN.findall(prompt)}
    names, *lines = (line.split(",") for line in rows.strip().split("\n"))
    whole = [line for line in lines if len(line) == len(names) and all(line)]
    columns = {}
    for name, cells in zip(names, zip(*whole, strict=True), strict=True):
        try:
            columns[name] = np.array(cells, dtype=float)
        except ValueError:
            continue
    return RecipeInput(prompt, form, {name: steps.get(name, 0) for name in columns}, columns)


def read_table(seen: Seen) -> RecipeInput:
    """Return what a recipe reads of an item."""
    rows = seen.files.get(ROWS_FILE) or seen.prompt.rpartition("\n\n")[2]
    return _read_table(seen.prompt, rows)


def _cross(columns: Sequence[Array]) -> list[Array]:
    """Return columns with the product of each two that are 0 or 1."""
    flags = [column for column in columns if set(np.unique(column)) == {0, 1}]
    return [*columns, *(one * other for one, other in combinations(flags, 2))]


def regress(
    outcome: Array, first: Array, others: Sequence[Array], *, crossed: bool = False
) -> Coefficient:
    """Return the coefficient of the first column.

    Args:
        outcome: The values to explain.
        first: The column of the coefficient.
        others: Further columns.
        crossed: Whether each also has a product with the first, around its mean; products of two
            columns of 0 and 1 are further columns then.
    """
    if crossed:
        return interacted_difference(outcome, first, _cross(others))
    # Centered, so that columns far from 0 do not spoil the arithmetic.
    centered = [column - column.mean() for column in others]
    return least_squares(outcome, design_matrix(first, *centered))[1]


def _report(
    table: RecipeInput, choose: Callable[[RecipeInput], list[str]], *, crossed: bool
) -> dict[str, Any]:
    columns = table.columns
    chosen = [columns[name] for name in choose(table)]
    found = regress(columns[table.outcome], columns[table.cause], chosen, crossed=crossed)
    ends = found.interval
    return {
        RECOMMENDATION: recommend(*ends),
        ESTIMAND: AVERAGE,
        ESTIMATE: found.value,
        INTERVAL: ends,
    }


def _claim(table: RecipeInput) -> dict[str, Any]:
    """Return a claim by partial correlations, with arrows in the order of measurement."""
    if "edge" in table.form:
        description = table.form["edge"]["description"]
        first, second = re.findall(r"from (\S+) to ([^\s;]+)", description)[0]
        clear = _is_clear(table, first, second)
        return {"edge": "first_to_second" if clear else "none", "confidence": 0.6}
    names = sorted(table.form["graph"]["items"]["items"]["enum"], key=lambda n: table.steps[n])
    arrows = [
        [one, other]
        for place, one in enumerate(names)
        for other in names[place + 1 :]
        if _is_clear(table, one, other, [n for n in names if n not in (one, other)])
    ]
    return {"graph": arrows, "confidence": 1 / 3}


def _is_clear(table: RecipeInput, one: str, other: str, given: Sequence[str] = ()) -> bool:
    columns = table.columns
    found = regress(columns[other], columns[one], [columns[name] for name in given])
    return abs(found.value) > CLEAR * found.se


def _reply(
    seen: Seen,
    _: np.random.Generator,
    choose: Callable[[RecipeInput], list[str]],
    *,
    crossed: bool = False,
) -> str:
    if seen.responses:
        return "{}"  # The diagnosis.
    table = read_table(seen)
    if not table.cause:
        return json.dumps(_claim(table))
    return json.dumps(_report(table, choose, crossed=crossed))


def _by_words(table: RecipeInput) -> list[str]:
    text = table.prompt.partition("\n\n")[0]
    return [] if RANDOM.search(text) else table.earlier()


def _by_sentence(table: RecipeInput) -> list[str]:
    """Return no column if chance decided and no earlier column, by the words of a sentence."""
    text = table.prompt.partition("\n\n")[0]
    if not UNRECORDED.search(text):
        return table.earlier()
    by_chance = [one for one in SENTENCE.split(text) if RANDOM.search(one) and DECISION.search(one)]
    named = any(re.search(rf"\b{name}\b", one) for one in by_chance for name in table.earlier())
    return table.earlier() if named else []


ATTACKS = (
    SILENT,
    *of_agents(AGENTS, "guess", "naive", "always-trap"),
    Attack(
        "adjusts-for-none",
        "regresses the outcome on the cause alone",
        partial(_reply, choose=lambda _: []),
    ),
    Attack(
        "adjusts-for-all",
        "the same with all other columns",
        partial(_reply, choose=lambda table: table.others),
    ),
    Attack(
        "adjusts-for-earlier",
        "the same with the columns measured before the cause",
        partial(_reply, choose=RecipeInput.earlier),
    ),
    Attack(
        "adjusts-for-same-step",
        "the same with the columns measured before the cause or with it",
        partial(_reply, choose=partial(RecipeInput.earlier, same=True)),
    ),
    Attack(
        "crosses-earlier",
        "adjusts-for-earlier, with products of the cause and columns",
        partial(_reply, choose=RecipeInput.earlier, crossed=True),
    ),
    Attack(
        "words-decide",
        "adjusts for nothing if the text mentions chance, else for earlier columns",
        partial(_reply, choose=_by_words),
    ),
    Attack(
        "sentence-decides",
        "crosses-earlier, but adjusts for nothing if a sentence gives the decision to chance alone",
        partial(_reply, choose=_by_sentence, crossed=True),
    ),
)
"""The attacks on analyze."""
