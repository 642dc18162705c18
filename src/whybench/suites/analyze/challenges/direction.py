"""Which of two columns moves the other, if any: what chance pushed on each can tell.

Two columns go together. That may be because the first moves the second, because the second moves
the first, or because something unseen moves both; no look at the two alone parts these cases, and
the order in which the columns are named least of all. But each column has a push of its own: drawn
by lot, and touching that column and nothing else. A push on a cause shows in its effect, a push on
an effect does not show in its cause.

first = push·push_first + back·second + noise, second = push·push_second + forth·first + noise, with
one of `forth` and `back` at 0 or both, and noises that go together in every variant. In the trap
the second column moves the first, against the order of the names; in `name_order` the first moves
the second; in `no_edge` the noises are all there is: three variants, each a third of a design that
takes them alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import Disagreement, Graph, Linear, LinearEffect, Model, certify, sample
from whybench.stats.rank_tests import midranks
from whybench.suites.analyze.challenges.contract import (
    Array,
    CategoricalTruth,
    Challenge,
    DataColumn,
    Instance,
    Simulation,
    round_values,
    to_integers,
)
from whybench.suites.analyze.column_fields import LEVEL, PValues, PValueTableField
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    design_matrix,
    least_squares,
    mean_difference,
)
from whybench.suites.analyze.fields import ChoiceField

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["CHALLENGE"]

CLEAR, UNCLEAR = 0.001, 0.2
STRONG = 50.0
"""The F value of each push on its own column, at least."""

FORTH, BACK, NONE = "first_to_second", "second_to_first", "none"
ENDS = {FORTH: ("first", "second"), BACK: ("second", "first")}
"""The two edges there may be, as (cause, effect)."""

EDGES = {"trap": BACK, "name_order": FORTH, "no_edge": NONE}


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    if not _accept(variant, rows):
        return None
    return _ground_truth(variant, at, rows)


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    edge = _certified(at)
    return Instance(
        challenge="direction",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("push_first", "binary", 0),
            DataColumn("push_second", "binary", 0),
            DataColumn("first", "real", 1),
            DataColumn("second", "real", 1),
        ),
        rows=rows,
        truths={
            "edge": CategoricalTruth(
                edge, naive=(FORTH,) if variant == "trap" else (), alarm=(BACK,)
            ),
            "p_values": CategoricalTruth(_p_values(rows, _mean_test)),
        },
        derived={
            edge: float(certify(_model(at), LinearEffect(*ends)).value)
            for edge, ends in ENDS.items()
        },
    )


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    sign = rng.choice((-1.0, 1.0), 4)
    push_first, push_second, arrow, unseen = (
        sign * rng.uniform((0.7, 0.7, 0.45, 0.6), (1.1, 1.1, 0.8, 0.9))
    ).tolist()
    return {
        "push_first": push_first,
        "push_second": push_second,
        "forth": arrow if EDGES[variant] == FORTH else 0.0,
        "back": arrow if EDGES[variant] == BACK else 0.0,
        "unseen_first": float(rng.uniform(0.6, 0.9)),
        "unseen_second": unseen,
    }


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    size = int(rng.integers(1500, 3001))
    pushed = [to_integers(rng.permutation(size) % 2) for _ in ("first", "second")]
    unseen, own_first, own_second = rng.standard_normal((3, size))
    # What each column would be if the other did nothing; one of the two then moves the other.
    first = at["push_first"] * pushed[0] + at["unseen_first"] * unseen + own_first
    second = at["push_second"] * pushed[1] + at["unseen_second"] * unseen + own_second
    first, second = first + at["back"] * second, second + at["forth"] * first
    return {
        "push_first": pushed[0],
        "push_second": pushed[1],
        "first": round_values(first),
        "second": round_values(second),
    }


def _mean_test(effect: Array, push: Array) -> float:
    """Compare the means of the pushed and the others."""
    return mean_difference(effect, push).p


def _rank_test(effect: Array, push: Array) -> float:
    """Compare their mean ranks."""
    return mean_difference(midranks(effect), push).p


def _p_values(rows: Mapping[str, Array], test: Callable[[Array, Array], float]) -> PValues:
    """Test, for each edge, whether a push on the cause shows in the effect."""
    return PValues(
        {edge: test(rows[effect], rows[f"push_{cause}"]) for edge, (cause, effect) in ENDS.items()}
    )


def _together(rows: Mapping[str, Array]) -> Coefficient:
    return least_squares(rows["second"], design_matrix(rows["first"]))[1]


def _pushes_are_strong(rows: Mapping[str, Array]) -> bool:
    return all(
        mean_difference(rows[role], rows[f"push_{role}"]).z ** 2 >= STRONG
        for role in ("first", "second")
    )


def _accept(variant: str, rows: Mapping[str, Array]) -> bool:
    """Whether the columns go together, the pushes are strong, and their traces beyond doubt.

    No doubt: with the other push held fixed too, since both are ways to test.
    """
    p_values = [*_p_values(rows, _mean_test).rows.items(), *_with_both_pushes(rows).items()]
    beyond_doubt = all(p < CLEAR if edge == EDGES[variant] else p > UNCLEAR for edge, p in p_values)
    return _pushes_are_strong(rows) and _together(rows).p < CLEAR and beyond_doubt


def _with_both_pushes(rows: Mapping[str, Array]) -> dict[str, float]:
    return {
        edge: least_squares(
            rows[effect], design_matrix(rows[f"push_{cause}"], rows[f"push_{effect}"])
        )[1].p
        for edge, (cause, effect) in ENDS.items()
    }


def _certified(at: Mapping[str, float]) -> str:
    """Find the edge by following arrows, and by the effects of the columns on each other.

    Raises:
        Disagreement: The two are not the same.
    """
    model = _model(at)
    arrows = [edge for edge, (one, other) in ENDS.items() if one in model.graph.ancestors(other)]
    effects = [edge for edge, ends in ENDS.items() if certify(model, LinearEffect(*ends)).value]
    if arrows != effects or len(arrows) > 1:
        raise Disagreement(
            f"derivations of the edge must agree, got arrows = {arrows} and effects = {effects}"
        )
    return arrows[0] if arrows else NONE


def _model(at: Mapping[str, float]) -> Model:
    """Return the world with what is unseen in it; pushes are taken as numbers of any size."""
    arrows = {
        ("push_first", "first"): at["push_first"],
        ("push_second", "second"): at["push_second"],
        ("unseen", "first"): at["unseen_first"],
        ("unseen", "second"): at["unseen_second"],
        ("first", "second"): at["forth"],
        ("second", "first"): at["back"],
    }
    arrows = {edge: weight for edge, weight in arrows.items() if weight}
    graph = Graph(("push_first", "push_second", "unseen", "first", "second"), tuple(arrows))
    weights = {
        node: tuple(arrows[parent, node] for parent in graph.parents(node)) for node in graph.nodes
    }
    return Model(graph, {node: Linear(0, weights[node]) for node in graph.nodes})


def _has_trap(instance: Instance) -> bool:
    """Whether the columns go together, and only a push on the second shows in the other."""
    p_values = _p_values(instance.rows, _mean_test).rows
    return (
        _together(instance.rows).p < CLEAR and p_values[BACK] < CLEAR and p_values[FORTH] > UNCLEAR
    )


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    """Set each column to 1 and to 0 in groups of their own, and look at the other; by edge."""
    model = _model(instance.parameters)
    found = {}
    for edge, (cause, effect) in ENDS.items():
        had, had_not = (sample(model, n, rng, {cause: level})[effect] for level in (1, 0))
        se = np.sqrt((had.var() + had_not.var()) / n)
        found[edge] = (float(had.mean() - had_not.mean()), float(se))
    return found


def _competent(instance: Instance) -> Mapping[str, Any]:
    """See in which ranks the pushes show."""
    p_values = _p_values(instance.rows, _rank_test)
    found = [edge for edge, p in p_values.rows.items() if p <= LEVEL]
    return {"edge": found[0] if len(found) == 1 else NONE, "p_values": p_values}


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Take what goes together for an arrow in the order of the names."""
    p = _together(instance.rows).p
    return {"edge": FORTH if p <= LEVEL else NONE, "p_values": PValues({FORTH: p, BACK: p})}


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take what goes together for an arrow against the order of the names."""
    return {
        "edge": BACK,
        "p_values": PValues({FORTH: 1.0, BACK: _together(instance.rows).p}),
    }


CHALLENGE = Challenge(
    name="direction",
    family="discovery",
    summary="two columns go together, and the arrow runs against their order or not at all",
    variants=tuple(EDGES),
    fields=(ChoiceField("edge", (FORTH, BACK, NONE)), PValueTableField("p_values", tuple(ENDS))),
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
