"""A published data set as an instance: its rows, and what they settle.

Of generated data the truth is that of the world. Of published data nobody has the world, and what
rows settle is the value that we recomputed (`recomputed`), borne out by a second derivation. So a
number passes as one that comes near a consistent estimate from the same rows, and no easier.
Where other estimators deserve the same trust they are references too, and the standard error is
that of the least certain of them: without the formula of a response nobody can do better.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from whybench.scm import agreed
from whybench.suites.analyze.challenges.contract import (
    CategoricalTruth,
    Instance,
    NumericTruth,
)
from whybench.suites.analyze.columns import DataColumn
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.contract import UserError
from whybench_papers.du2025.arithmetic import EXACT
from whybench_papers.du2025.data_sets import FOLDERS
from whybench_papers.du2025.forms import (
    DATA_SETS,
    FORMS,
    NEAR,
    NO_RUBRICS,
    SETS,
    DataSetScript,
    read_data_set,
)
from whybench_papers.du2025.recomputed import parse_graphs, recompute

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Truth
    from whybench.suites.analyze.columns import Array
    from whybench_papers.du2025.data_sets import DataSet
    from whybench_papers.du2025.recomputed import RecomputedField


@lru_cache(maxsize=len(FOLDERS) * SETS)
def published_instance(challenge: str, number: int, rubrics: str = NO_RUBRICS) -> Instance:
    """Return a published data set by our name of its challenge and its number, from 1.

    Args:
        challenge: The challenge.
        number: The number.
        rubrics: By which rubrics answers are marked: then nothing is recomputed, and no truth of a
            field is stated.

    Raises:
        UserError: There is no such data set, or its rows settle nothing.
    """
    there = FORMS if rubrics == NO_RUBRICS else FOLDERS.values()
    if challenge not in there or not 1 <= number <= SETS:
        raise UserError(
            f"a published data set must be of {', '.join(there)} and have a number from 1 to "
            f"{SETS}, got {challenge} {number}"
        )
    data = read_data_set(challenge, number)
    rows = {name: _to_integers(values) for name, values in data.rows.items()}
    return Instance(
        challenge=challenge,
        variant=DATA_SETS,
        parameters={},
        columns=tuple(DataColumn(name, _column_kind(values), 0) for name, values in rows.items()),
        rows=rows,
        truths=_recompute_truths(data, challenge) if rubrics == NO_RUBRICS else {},
        keys=(number,),
        script=DataSetScript(
            challenge, number, rubrics, len(next(iter(rows.values()))), tuple(rows)
        ),
    )


def _recompute_truths(data: DataSet, challenge: str) -> dict[str, Truth]:
    pairs = zip(recompute(data), recompute(data, EXACT), strict=True)
    return {
        first.name.lower(): _make_truth(first, second)
        for first, second in pairs
        if first.name in FORMS[challenge]
    }


def competent_answer(instance: Instance) -> dict[str, Any]:
    """Answer by another estimator where there is one, else in exact arithmetic."""
    return {
        name: _second_value(truth) if isinstance(truth, NumericTruth) else truth.value
        for name, truth in instance.truths.items()
        if isinstance(truth, NumericTruth | CategoricalTruth)
    }


def parse_key_field(name: str, text: str) -> Any:
    """Return the text of a key field as a value of the answer's field."""
    graphs = parse_graphs(text)
    if name == "EQUIVALENT_GRAPHS":
        return graphs
    # One edge, or the word for none, which is a graph without edges.
    return next((edge for graph in graphs for edge in graph), ())


def _second_value(truth: NumericTruth) -> float:
    _, *others = truth.panel.values()
    return others[0].value if others else float(truth.certificate.derivations[1][1])


def _make_truth(first: RecomputedField, second: RecomputedField) -> Truth:
    if isinstance(first.value, str):
        return CategoricalTruth(parse_key_field(first.name, first.value))
    assert isinstance(second.value, Coefficient)
    return NumericTruth(
        certificate=agreed(
            first.name,
            (first.method, first.value.value),
            (f"{second.method}, worked out anew", second.value.value),
        ),
        references={
            first.method: first.value.value,
            **{method: estimate.value for method, estimate in first.also.items()},
        },
        se=max(first.value.se, *(estimate.se for estimate in first.also.values()), 0.0),
        near=NEAR,
    )


def _to_integers(values: Array) -> Array:
    """Return whole numbers as such, so that cells read as they do in the file."""
    if np.issubdtype(values.dtype, np.floating) and np.all(values == np.floor(values)):
        return values.astype(np.int64)
    return values


def _column_kind(values: Array) -> Literal["binary", "category", "count", "real"]:
    if not np.issubdtype(values.dtype, np.number):
        return "category"
    if np.issubdtype(values.dtype, np.floating):
        return "real"
    return "binary" if set(values.tolist()) <= {0, 1} else "count"
