"""Worlds of derive: depth, ground truth, and how much an agent without one of the rules gets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from evidence.horizon_derive import WITHOUT, WITHOUT_FIRST, miss_first
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench.scm import elimination
from whybench.scm.queries import observe
from whybench.seeds import generator
from whybench.suites.depths import make_items
from whybench.suites.derive.agents import answer_with_wrong_weights
from whybench.suites.derive.design import DeriveDesign
from whybench.suites.derive.drawing import (
    DEEPEST,
    LARGEST,
    LINKS,
    SHARES,
    draw_question,
    draw_start,
    is_confounded,
    is_strong,
    size_for,
    split_of_structure,
)
from whybench.suites.derive.guesses import MISSED, find_best
from whybench.suites.derive.items import make_item
from whybench.suites.derive.world import (
    TOLERANCE,
    ChainGraph,
    DeriveQuestion,
    Start,
    Terms,
    associate,
    subtract,
)

SMALL = ChainGraph(((), (0,), (1, 0), (), (2,), (4, 3)), confounder=0, chain=(1, 2, 4))
"""Lamp 0 affects 1 and 2; the effect of 1 on 4 goes through 2. Lamps 3 and 5 are outside."""
RULES = ((40,), (20, 90), (10, 50, 80, 60), (30,), (95, 15), (10, 20, 30, 40))

questions = st.builds(
    lambda depth, draw: draw_question(depth, size_for(depth), "test", draw, "do"),
    st.integers(1, DEEPEST),
    st.integers(0, 30),
)


def test_a_hand_calculation() -> None:
    question = DeriveQuestion(SMALL, RULES, "do")
    # Where lamp 0 is off, lamp 1 makes 80% of 10%; where it is on, 60% of 50%.
    first = Fraction(6, 10) * Fraction(7, 10) + Fraction(4, 10) * Fraction(1, 10)
    assert question.terms.factors == (first, Fraction(-8, 10))
    assert question.certify().value == 100 * first * Fraction(-8, 10)
    # With lamp 1 on, lamp 0 is on in 36 of 48 cases; with lamp 1 off in 4 of 52.
    seen = (Fraction(36, 48) * 60 + Fraction(12, 48) * 80) - (
        Fraction(4, 52) * 50 + Fraction(48, 52) * 10
    )
    assert question.associate() == pytest.approx(float(seen) * -0.8)


@given(questions)
def test_a_question_has_the_depth_that_was_asked_for(question: DeriveQuestion) -> None:
    causes = question.structure.causes
    assert len(question.terms.factors) == question.depth
    assert question.structure.size == size_for(question.depth)
    assert causes[question.cause] == (question.structure.confounder,)
    assert causes[question.structure.confounder] == ()
    lamp = question.effect
    for _ in range(question.depth):
        lamp = causes[lamp][0]
    assert lamp == question.cause
    assert split_of_structure(question.structure) == "test"


@given(questions)
def test_the_association_is_that_of_exact_inference(question: DeriveQuestion) -> None:
    effect = {f"V{question.effect}": 1}
    on, off = (
        elimination.probability(question.model, observe(effect, {f"V{question.cause}": value}))
        for value in (1, 0)
    )
    assert question.associate() == pytest.approx(float(100 * (on - off)))


@given(questions)
def test_skipping_a_rule_or_confounding_is_never_right(question: DeriveQuestion) -> None:
    effect = float(question.terms.effect)
    assert abs(question.associate() - effect) >= 0.1 * abs(effect)
    assert all(abs(1 / abs(factor) - 1) >= 0.06 for factor in question.terms.factors)
    for share in (0, 50, 100):
        wrong = float(question.terms._replace(share=share).effect)
        assert abs(wrong - effect) > 0.06 * abs(effect)


def test_averages_over_the_confounder_where_the_cause_is_on_are_never_right() -> None:
    for item in make_items(DeriveDesign(depth=(1, 4), query=("do",), worlds=40), make_item):
        wrong = answer_with_wrong_weights(item)
        assert abs(wrong - item.truth) > 0.1 * abs(item.truth)


@given(questions.filter(lambda question: question.depth > 1), st.data())
@settings(max_examples=10)
def test_without_a_later_rule_every_link_is_equally_likely(question, data) -> None:
    missed = data.draw(st.integers(0, question.depth - 2))
    terms = question.terms
    values = [
        float(
            terms._replace(links=(*terms.links[:missed], link, *terms.links[missed + 1 :])).effect
        )
        for link in LINKS
    ]
    assert find_best(values).share == pytest.approx(0.0513, abs=0.0001)


def test_links_are_drawn_evenly_and_from_both_directions() -> None:
    differences = [subtract(pair) for pair in LINKS]
    assert sum(differences) == 0
    assert len(set(LINKS)) == len(LINKS) == 2 * (29 * 29 - 3)
    assert max(differences) == Fraction(LARGEST, 100)
    assert min(map(abs, differences)) == Fraction(40, 100)


def test_the_best_guess_is_right_for_the_share_that_it_states() -> None:
    values = [*(float(subtract(pair)) for pair in LINKS), -0.1, 0.2]
    guess, share = find_best(values)
    right = sum(abs(guess - value) <= TOLERANCE * abs(value) for value in values)
    assert share == right / len(values)
    assert find_best([]) == (0.0, 0.0)


STARTS = [Start(*draw_start(generator("tests", "derive", draw))) for draw in range(150)]


def test_starts_have_the_margins() -> None:
    for start in STARTS:
        assert start.share in SHARES
        first = Terms(start.share, start.strata, ()).first
        assert first == Fraction(int(start.first), 10_000)
        assert Fraction(10, 100) <= abs(first) <= Fraction(LARGEST, 100)
        assert is_strong(start)
        assert is_confounded(start)
    assert sum(off * on < 0 for off, on in (start.differences for start in STARTS)) > 40


@pytest.mark.parametrize("part", MISSED)
def test_without_a_part_of_the_first_rule_or_the_confounder_few_answers_are_right(part) -> None:
    shares = []
    for start in STARTS:
        values = MISSED[part][1](start)
        assert min(abs(values - start.first / 10_000)) < 1e-12
        shares.append(find_best(values).share)
    # Four standard errors of a mean of 150.
    slack = 4 * (sum((one - sum(shares) / 150) ** 2 for one in shares) / 150**2) ** 0.5
    assert sum(shares) / 150 < WITHOUT[part] + slack


def test_without_the_first_rule_few_answers_are_right() -> None:
    rng = generator("tests", "derive", "first")
    assert all(miss_first(rng, start, 20_000) < 2 * WITHOUT_FIRST for start in STARTS[:5])


def test_stating_the_association_breaks_the_argument() -> None:
    for draw in range(10):
        question = draw_question(6, size_for(6), "test", draw, "do")
        share, strata, _ = question.terms
        off, on = question.rules[question.cause]
        first = Terms(share, strata, ()).first
        ratio = 100 * float(first) / associate(Start(share, (on, off), strata))
        # Without any later rule, the association gives the effect.
        assert question.associate() * ratio == pytest.approx(float(question.terms.effect))


def test_an_absolute_tolerance_breaks_the_argument() -> None:
    effects = [
        float(draw_question(10, size_for(10), "test", draw, "do").terms.effect)
        for draw in range(60)
    ]
    assert sum(abs(effect) <= 2 for effect in effects) > 45
    assert sum(effect == 0 for effect in effects) == 0


@pytest.mark.parametrize(
    ("share", "strata", "strong"),
    [
        (30, ((90, 10), (40, 60)), True),  # 80, -20 and 50 points on average
        (40, ((10, 70), (80, 20)), True),  # -60, 60 and -12
        (45, ((10, 70), (80, 20)), False),  # -6 on average
        (30, ((90, 10), (60, 20)), False),  # only 40 points apart
        (55, ((90, 10), (40, 60)), True),  # 25; the mean is 30
        (48, ((95, 5), (40, 60)), False),  # 37.2, near the mean of 35
    ],
)
def test_strong_starts_depend_on_the_confounder(share, strata, strong) -> None:
    assert is_strong(Start(share, None, strata)) == strong


def test_both_queries_are_about_the_same_world() -> None:
    one, two = (draw_question(4, size_for(4), "test", 3, query) for query in ("do", "product"))
    assert replace(one, query="product") == two


def test_the_divide_does_not_depend_on_percentages() -> None:
    for depth, draw in product((1, 3), range(5)):
        test, train = (
            draw_question(depth, size_for(depth), split, draw, "do") for split in ("test", "train")
        )
        assert split_of_structure(test.structure) == "test"
        assert split_of_structure(train.structure) == "train"
