"""Worlds of derive: depth, ground truth, and how much an agent without one of the rules gets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from evidence.horizon_derive import best_share
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
from whybench.suites.derive.items import make_item
from whybench.suites.derive.world import (
    TOLERANCE,
    ChainGraph,
    DeriveQuestion,
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
        assert abs(wrong - item.truth) > TOLERANCE * abs(item.truth)


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
    assert best_share(values) == pytest.approx(0.0513, abs=0.0001)


def test_links_are_drawn_evenly_and_from_both_directions() -> None:
    differences = [subtract(pair) for pair in LINKS]
    assert sum(differences) == 0
    assert len(set(LINKS)) == len(LINKS) == 2 * (29 * 29 - 3)
    assert max(differences) == Fraction(LARGEST, 100)
    assert min(map(abs, differences)) == Fraction(40, 100)


@pytest.mark.slow
def test_without_the_first_rule_or_the_confounder_few_answers_are_right() -> None:
    starts = [draw_start(generator("tests", "derive", draw)) for draw in range(400)]
    strata = [one[2] for one in starts]
    for share, selection, _ in starts[:5]:
        kept = [one for one in strata if is_confounded(share, selection, one)]
        assert best_share(float(Terms(share, one, ()).first) for one in kept) < 0.09
    shares = [
        best_share(
            float(Terms(share, pairs, ()).first)
            for share in SHARES
            if is_confounded(share, selection, pairs)
        )
        for _, selection, pairs in starts[:100]
    ]
    assert sum(shares) / len(shares) < 0.12


def test_stating_the_association_breaks_the_argument() -> None:
    for draw in range(10):
        question = draw_question(6, size_for(6), "test", draw, "do")
        share, strata, _ = question.terms
        off, on = question.rules[question.cause]
        first = Terms(share, strata, ()).first
        ratio = float(first / associate(share, (on, off), strata))
        # Without any later rule, the association gives the effect.
        assert question.associate() * ratio == pytest.approx(float(question.terms.effect))


def test_an_absolute_tolerance_breaks_the_argument() -> None:
    effects = [
        float(draw_question(10, size_for(10), "test", draw, "do").terms.effect)
        for draw in range(60)
    ]
    assert sum(abs(effect) <= 2 for effect in effects) > 45
    assert sum(effect == 0 for effect in effects) == 0


def test_strong_strata_depend_on_the_confounder() -> None:
    assert is_strong(((80, 10), (60, 50))) is False  # the average is 16 points if it is likely
    assert is_strong(((90, 10), (60, 40))) is True
    assert is_strong(((90, 10), (85, 15))) is False
    assert is_strong(((90, 10), (10, 90))) is False


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
