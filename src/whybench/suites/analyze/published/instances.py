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
from whybench.suites.analyze.challenges.contract import Column, Instance, Measured, Settled
from whybench.suites.analyze.estimators import Coefficient
from whybench.suites.analyze.published.forms import FORMS, PUBLISHED, SETS
from whybench.suites.analyze.published.graphs import read_graph
from whybench.suites.analyze.published.questions import data_set
from whybench.suites.analyze.published.recomputed import recompute
from whybench.suites.analyze.published.ways import EXACT
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Array, Truth
    from whybench.suites.analyze.published.recomputed import Recomputed

__all__ = ["competent", "published_instance", "typed"]

NEAR = 0.75
"""How many standard errors from a value of these rows still count as the value."""


@lru_cache(maxsize=len(FORMS) * SETS)
def published_instance(challenge: str, number: int) -> Instance:
    """Return a published data set by our name of its challenge and its number, from 1.

    Raises:
        UserError: There is no such data set, or its rows settle nothing.
    """
    if challenge not in FORMS or not 1 <= number <= SETS:
        raise UserError(
            f"a published data set must be of {', '.join(FORMS)} and have a number from 1 to "
            f"{SETS}, got {challenge} {number}"
        )
    data = data_set(challenge, number)
    asked = FORMS[challenge].meanings
    pairs = zip(recompute(data), recompute(data, EXACT), strict=True)
    rows = {name: _shown(values) for name, values in data.rows.items()}
    return Instance(
        challenge=challenge,
        variant=PUBLISHED,
        parameters={},
        columns=tuple(Column(name, _kind(values), 0) for name, values in rows.items()),
        rows=rows,
        truths={
            first.name.lower(): _truth(first, second)
            for first, second in pairs
            if first.name in asked
        },
        keys=(number,),
    )


def competent(instance: Instance) -> dict[str, Any]:
    """Answer by another estimator where there is one, else in exact arithmetic."""
    return {
        name: _second(truth) if isinstance(truth, Measured) else truth.value
        for name, truth in instance.truths.items()
        if isinstance(truth, Measured | Settled)
    }


def typed(name: str, words: str) -> Any:
    """Return what a key field says in words as a value of the answer's field."""
    graphs = frozenset(read_graph(word) for word in words.split(";"))
    if name == "EQUIVALENT_GRAPHS":
        return graphs
    # One edge, or the word for none, which is a graph without edges.
    return next((edge for graph in graphs for edge in graph), ())


def _second(truth: Measured) -> float:
    _, *others = truth.references.values()
    return others[0] if others else float(truth.certificate.derivations[1][1])


def _truth(first: Recomputed, second: Recomputed) -> Truth:
    if isinstance(first.value, str):
        return Settled(typed(first.name, first.value))
    assert isinstance(second.value, Coefficient)
    return Measured(
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


def _shown(values: Array) -> Array:
    """Return whole numbers as such, so that cells read as they do in the file."""
    if np.issubdtype(values.dtype, np.floating) and np.all(values == np.floor(values)):
        return values.astype(np.int64)
    return values


def _kind(values: Array) -> Literal["binary", "category", "count", "real"]:
    if not np.issubdtype(values.dtype, np.number):
        return "category"
    if np.issubdtype(values.dtype, np.floating):
        return "real"
    return "binary" if set(values.tolist()) <= {0, 1} else "count"
