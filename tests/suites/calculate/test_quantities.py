"""Truths of calculate: by hand on tiny worlds, and by brute force over noises on random ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whybench.scm import ImpossibleEvidence, elimination, enumeration
from whybench.seeds import generator
from whybench.suites.calculate.difficulty import count_operations, find_relevant
from whybench.suites.calculate.drawing import draw_graph, draw_question, draw_rules
from whybench.suites.calculate.mistakes import make_mistakes
from whybench.suites.calculate.quantities import (
    EFFECTS,
    NOT_COMPUTABLE,
    POINTWISE,
    QUERIES,
    Quantity,
    certify_quantities,
    sum_terms,
)
from whybench.suites.calculate.world import StatedRule, StatedWorld

STATES = ("on", "off")


def make_world(**rules: StatedRule) -> StatedWorld:
    return StatedWorld(STATES, tuple(rules.items()))


CONFOUNDED = make_world(
    Z=StatedRule("table", (), (40,)),
    X=StatedRule("table", ("Z",), (20, 70)),
    Y=StatedRule("table", ("X", "Z"), (10, 50, 30, 90)),
)
"""P(Y) is 10, 50, 30, 90 percent at X, Z = 00, 01, 10, 11."""

GATE = make_world(X=StatedRule("table", (), (50,)), Y=StatedRule("or", ("X",), (60, 20), (1,)))
"""P(Y given X) = 1 - .8 x .4 = .68, and .2 without X."""

MEDIATED = make_world(
    X=StatedRule("table", (), (50,)),
    M=StatedRule("table", ("X",), (20, 60)),
    Y=StatedRule("table", ("X", "M"), (10, 40, 30, 80)),
)


def truth(world: StatedWorld, quantity: Quantity) -> float:
    return float(certify_quantities(world, (quantity,)).value)


@pytest.mark.parametrize(
    ("world", "quantity", "expected"),
    [
        # P(X) = .6 x .2 + .4 x .7 = .4; P(Y, X) = .12 x .3 + .28 x .9 = .288.
        (CONFOUNDED, Quantity("observe", "X", "Y"), 72.0),
        (CONFOUNDED, Quantity("do", "X", "Y"), 100 * (0.6 * 0.3 + 0.4 * 0.9)),
        (CONFOUNDED, Quantity("do", "X", "Y", value=0), 100 * (1 - 0.54)),
        (CONFOUNDED, Quantity("ate", "X", "Y"), 100 * (0.54 - (0.6 * 0.1 + 0.4 * 0.5))),
        # Among X = 1, Z holds in .28 of .4 = .7: .72 - (.3 x .1 + .7 x .5).
        (CONFOUNDED, Quantity("ett", "X", "Y"), 100 * (0.72 - 0.38)),
        # Through the direct link: M as without X (.2): (.8 x .3 + .2 x .8) - (.8 x .1 + .2 x .4).
        (MEDIATED, Quantity("nde", "X", "Y"), 100 * (0.40 - 0.16)),
        # Through M: X absent for Y, M as with X (.6): (.4 x .1 + .6 x .4) - .16.
        (MEDIATED, Quantity("nie", "X", "Y"), 100 * (0.28 - 0.16)),
        # Y falls without X if the cause's coin alone made it: .8 x .6 of .68.
        (GATE, Quantity("pn", "X", "Y"), 100 * 0.48 / 0.68),
        # Y is absent without X if the last coin is (.8), and X makes it with .6.
        (GATE, Quantity("ps", "X", "Y"), 60.0),
        (GATE, Quantity("pns", "X", "Y"), 48.0),
        (GATE, Quantity("counterfactual", "X", "Y", 0, 1, (("X", 1), ("Y", 1))), 100 * 0.2 / 0.68),
    ],
)
def test_truths_by_hand(world: StatedWorld, quantity: Quantity, expected: float) -> None:
    assert truth(world, quantity) == pytest.approx(expected, abs=1e-12)


def test_gates_and_thresholds_by_hand() -> None:
    blocked = make_world(
        A=StatedRule("table", (), (50,)),
        B=StatedRule("table", (), (50,)),
        Y=StatedRule("and", ("A", "B"), (40, 30, 10), (0, 1)),
    )
    # Y holds unless an absent A (40), a present B (30) or the last coin (10) blocks it.
    asked = Quantity("observe", "A", "Y", 0, 1, (("B", 1),))
    assert truth(blocked, asked) == pytest.approx(100 * 0.6 * 0.7 * 0.9)
    scored = make_world(
        X=StatedRule("table", (), (50,)), Y=StatedRule("threshold", ("X",), (-30, 50))
    )
    assert truth(scored, Quantity("do", "X", "Y")) == 20
    # Where X is absent and Y present the draw is 1 to 50; with X it must be within 20.
    asked = Quantity("counterfactual", "X", "Y", 1, 1, (("X", 0), ("Y", 1)))
    assert truth(scored, asked) == 40


@pytest.mark.parametrize("query", sorted(POINTWISE - {"counterfactual"}))
def test_tables_leave_open_what_would_have_been(query: str) -> None:
    assert truth(CONFOUNDED, Quantity(query, "X", "Y")) == NOT_COMPUTABLE  # type: ignore[arg-type]


def test_what_is_known_upstream_of_the_cause_leaves_nothing_open() -> None:
    asked = Quantity("counterfactual", "X", "Y", 1, 1, (("X", 0),))
    # Among X = 0, Z holds in .12 of .6 = .2: .8 x .3 + .2 x .9.
    assert truth(CONFOUNDED, asked) == pytest.approx(42)


def test_an_unstated_number_matters_or_not() -> None:
    rules = dict(CONFOUNDED.rules)
    without_own = make_world(**{**rules, "X": StatedRule("table", ("Z",), (None, 70))})
    assert truth(without_own, Quantity("do", "X", "Y")) == pytest.approx(54)
    assert truth(without_own, Quantity("observe", "X", "Y")) == NOT_COMPUTABLE


def test_mistakes_by_hand() -> None:
    found = make_mistakes(CONFOUNDED, (Quantity("do", "X", "Y"),))
    assert found["conditioning"] == 72
    assert float(found["base_rate"]) == pytest.approx(28.8 + 100 * (0.48 * 0.1 + 0.12 * 0.5))
    assert found["intervening"] == found["no_abduction"] == found["total_effect"] == NOT_COMPUTABLE
    found = make_mistakes(GATE, (Quantity("pn", "X", "Y"),))
    assert float(found["conditioning"]) == pytest.approx(
        100 * 0.48 / 0.68
    )  # the truth: nothing confounds


def test_the_greater_of_two() -> None:
    asked = (Quantity("do", "X", "Y"), Quantity("do", "Z", "Y"))
    # Making X: 54. Making Z: .3 x .5 + .7 x .9 = 78.
    assert certify_quantities(CONFOUNDED, asked).value == 2
    assert certify_quantities(CONFOUNDED, asked[::-1]).value == 1


def test_the_part_that_matters() -> None:
    longer = make_world(**dict(CONFOUNDED.rules), W=StatedRule("table", ("Y",), (10, 90)))
    assert find_relevant(longer, (Quantity("observe", "X", "Y"),)) == {"Z", "X", "Y"}
    assert find_relevant(longer, (Quantity("do", "X", "Y"),)) == {"Z", "Y"}
    assert find_relevant(longer, (Quantity("do", "Y", "W"),)) == {"W"}
    blocked = Quantity("observe", "Y", "W", given=(("X", 1),))
    assert find_relevant(longer, (blocked,)) == {"W"}
    assert count_operations(longer, (blocked,)) < count_operations(
        longer, (Quantity("observe", "X", "W"),)
    )


def brute_force(world: StatedWorld, quantity: Quantity) -> Fraction | None:
    """Sum over all noises of all variables at once, each settled by its rule in plain code."""
    ways = [list(rule.respond().items()) for _, rule in world.rules]

    def settle(noise: tuple[tuple[int, ...], ...], forced: dict[str, int]) -> dict[str, int]:
        values: dict[str, int] = {}
        for (name, rule), response in zip(world.rules, noise, strict=True):
            row = 0
            for cause in rule.causes:
                row = 2 * row + values[cause]
            values[name] = forced.get(name, response[row])
        return values

    joint = known = Fraction(0)
    x, y, v = quantity.cause, quantity.effect, quantity.value
    for choice in product(*ways):
        noise, weight = tuple(way for way, _ in choice), Fraction(1)
        for _, chance in choice:
            weight *= chance
        plain, with_, without = (settle(noise, forced) for forced in ({}, {x: 1}, {x: 0}))
        holds, counts = {
            "observe": (plain[y] == v, {x: quantity.set_to, **dict(quantity.given)}),
            "do": ((with_ if quantity.set_to else without)[y] == v, {}),
            "ate": ((with_[y] == v) - (without[y] == v), {}),
            "ett": ((plain[y] == v) - (without[y] == v), {x: 1}),
            "counterfactual": (
                (with_ if quantity.set_to else without)[y] == v,
                dict(quantity.given),
            ),
            "pn": (without[y] == 0, {x: 1, y: 1}),
            "ps": (with_[y] == 1, {x: 0, y: 0}),
            "pns": (with_[y] == 1 and without[y] == 0, {}),
        }.get(quantity.query, (0, {}))
        if quantity.query in {"nde", "nie"}:
            own, others = (1, without) if quantity.query == "nde" else (0, with_)
            kept = {name: others[name] for name in world.rule[y].causes} | {x: own}
            holds = (settle(noise, kept)[y] == v) - (without[y] == v)
        if all(plain[name] == value for name, value in counts.items()):
            known += weight
            joint += weight * int(holds)
    return joint / known if known else None


@given(
    seed=st.integers(0, 10**6),
    size=st.integers(2, 4),
    mechanism=st.sampled_from(["tables", "gates", "thresholds"]),
    query=st.sampled_from(QUERIES),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_engines_agree_with_brute_force(seed: int, size: int, mechanism: str, query: str) -> None:
    rng = generator("test", "calculate", seed)
    world = draw_rules(rng, draw_graph(rng, size, 2), mechanism)  # type: ignore[arg-type]
    asked = draw_question(rng, world.graph, query, "missing", two=False)  # type: ignore[arg-type]
    if asked is None:
        return
    terms = asked[0].terms(world.graph)
    expected = brute_force(world, asked[0])
    for engine in (enumeration.probability, elimination.probability):
        if expected is None:
            with pytest.raises(ImpossibleEvidence):
                sum_terms(engine, world.model, terms, Fraction)
        else:
            assert sum_terms(engine, world.model, terms, Fraction) == [expected]


@given(
    seed=st.integers(0, 10**6),
    mechanism=st.sampled_from(["tables", "gates", "thresholds"]),
    query=st.sampled_from(["observe", "do", "counterfactual", "ate", "ett", "nde", "nie"]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_asking_for_the_opposite_mirrors_truth_and_mistakes(
    seed: int, mechanism: str, query: str
) -> None:
    """So 50 and 0 are medians: what is asked and its opposite are drawn and taken as often."""
    rng = generator("test", "mirror", seed)
    world = draw_rules(rng, draw_graph(rng, 4, 2), mechanism)  # type: ignore[arg-type]
    asked = draw_question(rng, world.graph, query, "missing", two=False)  # type: ignore[arg-type]
    if asked is None:
        return
    opposite = (replace(asked[0], value=1 - asked[0].value),)
    engine = elimination.probability
    try:
        values = [
            {
                "truth": 100
                * float(sum_terms(engine, world.model, one[0].terms(world.graph), Fraction)[0])
            }
            | make_mistakes(world, one)
            for one in (asked, opposite)
        ]
    except ImpossibleEvidence:
        return
    centre = 0 if query in EFFECTS else 100
    for name, value in values[0].items():
        both = value + values[1][name]
        assert value == NOT_COMPUTABLE == values[1][name] or both == pytest.approx(centre, abs=1e-9)


@given(seed=st.integers(0, 10**6), size=st.integers(2, 5), query=st.sampled_from(QUERIES))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_rules_that_do_not_matter_may_be_anything(seed: int, size: int, query: str) -> None:
    rng = generator("test", "relevance", seed)
    world = draw_rules(rng, draw_graph(rng, size, 3), "gates")
    asked = draw_question(rng, world.graph, query, "missing", two=False)  # type: ignore[arg-type]
    if asked is None:
        return
    matters = find_relevant(world, asked)
    changed = {
        name: rule
        if name in matters
        else StatedRule("table", rule.causes, (7,) * 2 ** len(rule.causes))
        for name, rule in world.rules
    }
    terms = asked[0].terms(world.graph)
    values = []
    for one in (world, StatedWorld(STATES, tuple(changed.items()))):
        try:
            values.append(sum_terms(elimination.probability, one.model, terms, Fraction))
        except ImpossibleEvidence:
            return
    assert values[0] == values[1]
