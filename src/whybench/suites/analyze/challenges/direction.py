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

from whybench.scm import Disagreement
from whybench.stats.rank_tests import midranks
from whybench.suites.analyze.challenges.contract import CategoricalTruth, Challenge, ConfidenceTruth
from whybench.suites.analyze.column_fields import LEVEL, PValues, PValueTableField
from whybench.suites.analyze.columns import NORMAL, Column, assigned, real
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    design_matrix,
    least_squares,
    mean_difference,
)
from whybench.suites.analyze.fields import ChoiceField, ConfidenceField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.effects import Effect
    from whybench.suites.analyze.estimators.regression import Coefficient

CLEAR, UNCLEAR = 0.001, 0.2
STRONG = 50.0
"""The F value of each push on its own column, at least."""

FORTH, BACK, NONE = "first_to_second", "second_to_first", "none"
ENDS = {FORTH: ("first", "second"), BACK: ("second", "first")}
"""The two edges there may be, as (cause, effect)."""

EDGES = {"trap": BACK, "name_order": FORTH, "no_edge": NONE}


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    edge = _find_edge(_world(variant, at), certified)
    return {
        "edge": CategoricalTruth(edge, naive=(FORTH,) if variant == "trap" else (), alarm=(BACK,)),
        "confidence": ConfidenceTruth(1.0),
        "p_values": CategoricalTruth(_p_values(rows, _mean_test)),
    }


def _find_edge(world: World, certified: Mapping[str, Certificate]) -> str:
    """Find the edge by following arrows, and by the effects of the columns on each other.

    Raises:
        Disagreement: The two are not the same.
    """
    arrows = [edge for edge, (one, other) in ENDS.items() if one in world.by_role[other].causes]
    effects = [edge for edge, certificate in certified.items() if certificate.value]
    if arrows != effects or len(arrows) > 1:
        raise Disagreement(
            f"derivations of the edge must agree, got arrows = {arrows} and effects = {effects}"
        )
    return arrows[0] if arrows else NONE


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


def _world(variant: str, at: Parameters) -> World:
    def first(own: Array, push_first: Any, unseen: Any, second: Any = 0.0) -> Any:
        alone = at["push_first"] * push_first + at["unseen_first"] * unseen + own
        return alone + at["back"] * second

    def second(own: Array, push_second: Any, unseen: Any, first: Any = 0.0) -> Any:
        alone = at["push_second"] * push_second + at["unseen_second"] * unseen + own
        return alone + at["forth"] * first

    edge = EDGES[variant]
    causes = {FORTH: ("first",), BACK: ("second",), NONE: ()}[edge]
    one, other = (
        Column(
            role,
            mechanism,
            (f"push_{role}", "unseen", *(cause for cause in causes if cause != role)),
            NORMAL,
            time=1,
        )
        for role, mechanism in (("first", first), ("second", second))
    )
    pushes = assigned("push_first", time=0), assigned("push_second", time=0)
    return World(
        (*pushes, real("unseen"), *((other, one) if edge == BACK else (one, other))),
    )


def _effects(_variant: str, _at: Parameters) -> dict[str, Effect]:
    return {edge: increase(cause, on=effect) for edge, (cause, effect) in ENDS.items()}


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    return {FORTH: at["forth"], BACK: at["back"]}


def _mean_test(effect: Array, push: Array) -> float:
    """Compare the means of the pushed and the others."""
    return mean_difference(effect, push).p


def _rank_test(effect: Array, push: Array) -> float:
    """Compare their mean ranks."""
    return mean_difference(midranks(effect), push).p


def _p_values(rows: Rows, test: Callable[[Array, Array], float]) -> PValues:
    """Test, for each edge, whether a push on the cause shows in the effect."""
    return PValues(
        {edge: test(rows[effect], rows[f"push_{cause}"]) for edge, (cause, effect) in ENDS.items()}
    )


def _together(rows: Rows) -> Coefficient:
    return least_squares(rows["second"], design_matrix(rows["first"]))[1]


def _pushes_are_strong(rows: Rows) -> bool:
    return all(
        mean_difference(rows[role], rows[f"push_{role}"]).z ** 2 >= STRONG
        for role in ("first", "second")
    )


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    """Whether the columns go together, the pushes are strong, and their traces beyond doubt.

    No doubt: with the other push held fixed too, since both are ways to test.
    """
    p_values = [*_p_values(rows, _mean_test).rows.items(), *_with_both_pushes(rows).items()]
    beyond_doubt = all(p < CLEAR if edge == EDGES[variant] else p > UNCLEAR for edge, p in p_values)
    return _pushes_are_strong(rows) and _together(rows).p < CLEAR and beyond_doubt


def _with_both_pushes(rows: Rows) -> dict[str, float]:
    return {
        edge: least_squares(
            rows[effect], design_matrix(rows[f"push_{cause}"], rows[f"push_{effect}"])
        )[1].p
        for edge, (cause, effect) in ENDS.items()
    }


def _has_trap(instance: Instance) -> bool:
    """Whether the columns go together, and only a push on the second shows in the other."""
    p_values = _p_values(instance.rows, _mean_test).rows
    return (
        _together(instance.rows).p < CLEAR and p_values[BACK] < CLEAR and p_values[FORTH] > UNCLEAR
    )


def _competent(instance: Instance) -> Mapping[str, Any]:
    """See in which ranks the pushes show."""
    p_values = _p_values(instance.rows, _rank_test)
    found = [edge for edge, p in p_values.rows.items() if p <= LEVEL]
    return _said(found[0] if len(found) == 1 else NONE, p_values)


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Take what goes together for an arrow in the order of the names."""
    p = _together(instance.rows).p
    return _said(FORTH if p <= LEVEL else NONE, PValues({FORTH: p, BACK: p}))


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take what goes together for an arrow against the order of the names."""
    return _said(BACK, PValues({FORTH: 1.0, BACK: _together(instance.rows).p}))


def _said(edge: str, p_values: PValues) -> dict[str, Any]:
    return {"edge": edge, "confidence": 1 - LEVEL, "p_values": p_values}


CHALLENGE = Challenge(
    name="direction",
    family="discovery",
    summary="two columns go together, and the arrow runs against their order or not at all",
    variants=tuple(EDGES),
    report=(ChoiceField("edge", (FORTH, BACK, NONE), key=True), ConfidenceField("confidence")),
    diagnosis=(PValueTableField("p_values", tuple(ENDS)),),
    shown=("push_first", "push_second", "first", "second"),
    size=(1500, 3000),
    parameters=_parameters,
    world=_world,
    effects=_effects,
    closed_form=_closed_form,
    method="arrow",
    truths=_truths,
    accept=_accept,
    opposite=("push_first", "push_second"),
    units=("first", "second"),
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    not_shallow=("signs",),
)
