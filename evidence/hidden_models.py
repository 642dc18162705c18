"""CLadder's models, which its prompts do not show, answered by both exact engines."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import Event, Graph, Model, Query, Table, certify, counterfactual, do, observe

if TYPE_CHECKING:
    from collections.abc import Iterator

Values = dict[str, int]
"""The values of some variables, by CLadder's letters."""


def _parse_key(key: str) -> tuple[list[tuple[str, int | None]], list[str]]:
    """Return what a share is of, with values where they are told, and the variables given."""
    head, _, given = key[2:-1].partition(" | ")
    event: list[tuple[str, int | None]] = []
    for part in head.split(","):
        name, _, value = part.strip().partition("=")
        event.append((name, int(value) if value else None))
    return event, [part.strip() for part in given.split(",") if part]


def hidden_shares(given: dict[str, Any]) -> Iterator[tuple[Values, Values, float]]:
    """Yield what each share beside a prompt is of, what is given, and its unrounded number."""
    for key, numbers in given.items():
        event, names = _parse_key(key)
        of = {name: 1 if value is None else value for name, value in event}
        cases = product((0, 1), repeat=len(names))
        for values, number in zip(cases, np.ravel(numbers), strict=True):
            yield of, dict(zip(names, values, strict=True)), float(number)


def make_hidden_model(params: dict[str, Any]) -> Model:
    """Return the model with a file's parameters."""
    tables = {}
    edges = []
    for key, numbers in params.items():
        [(node, _)], causes = _parse_key(key)
        tables[node] = Table(tuple(float(number) for number in np.ravel(numbers)))
        edges += [(cause, node) for cause in causes]
    return Model(Graph(tuple(tables), tuple(edges)), tables)


def find_hidden_share(model: Model, of: Values, given: Values) -> float:
    """Return a share in a hidden model."""
    return _ask(model, observe(of, given=given))


def _ask(model: Model, query: Query) -> float:
    return float(np.asarray(certify(model, query).value).item())


def _natural(model: Model, direct: int, through: int) -> float:
    """Return P(Y) if X is `direct` and all mediators are as though X were `through`."""
    mediators = sorted((model.graph.descendants("X") & model.graph.ancestors("Y")) - {"X", "Y"})
    total = 0.0
    for values in product((0, 1), repeat=len(mediators)):
        held = tuple(zip(mediators, values, strict=True))
        as_though = tuple(Event(name, value, (("X", through),)) for name, value in held)
        total += _ask(model, Query((Event("Y", 1, (("X", direct), *held)), *as_though)))
    return total


def find_hidden_value(query: str, model: Model) -> float:
    """Return the quantity of a question in a hidden model; a marginal as its excess over 1/2."""
    y = {"Y": 1}
    if query == "marginal":
        return find_hidden_share(model, y, {}) - 0.5
    if query in ("correlation", "exp_away"):
        among = {"V3": 1} if query == "exp_away" else {}
        base = among if query == "exp_away" else {"X": 0}
        return find_hidden_share(model, y, {**among, "X": 1}) - find_hidden_share(model, y, base)
    if query == "ate":
        return _ask(model, do(y, {"X": 1})) - _ask(model, do(y, {"X": 0}))
    if query == "ett":
        without = _ask(model, counterfactual(y, {"X": 0}, given={"X": 1}))
        return find_hidden_share(model, y, {"X": 1}) - without
    moved = (1, 0) if query == "nde" else (0, 1)
    return _natural(model, *moved) - _natural(model, 0, 0)
