"""The audit of RLCausal: prompts are read whole or refused, and verdicts are just."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from audits.made_prompts import SELECTORS, make_prompt
from evidence.field_worlds import answer_prompt
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench.errors import DataError
from whybench.scm import ImpossibleEvidence
from whybench_papers.audits.rlcausal.prompts import parse_prompt, read_distribution
from whybench_papers.audits.rlcausal.slack import farthest, find_world, nearest, rounds_to
from whybench_papers.audits.rlcausal.verdicts import (
    ASKS_OF_SEEN,
    ASKS_OF_SET,
    FOLLOWS,
    IMPOSSIBLE,
    NOT_REACHED,
    OTHER_DIGITS,
    SEVERAL_ANSWERS,
    UNSEEABLE,
    WITHOUT_BOTH,
    WITHOUT_SEEING,
    WITHOUT_SETTING,
    Examiner,
    passes,
)

if TYPE_CHECKING:
    from whybench_papers.audits.rlcausal.verdicts import KeyFinding

CHAIN = {
    "v0": ((), [[0.68, 0.32]]),
    "v1": (("v0",), [[0.85, 0.15], [0.35, 0.65]]),
    "v2": ((), [[0.5, 0.5]]),
}
LOOSE = {
    "v0": ((), [[0.34, 0.36, 0.31]]),
    "v1": (("v0",), [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]),
    "v2": ((), [[0.5, 0.5]]),
}
"""The first row adds up to 1.01."""

SEEING = "v0 given it is observed that v1=1"


def judge(tables: dict, question: str, key: str) -> KeyFinding:
    world, asked = parse_prompt(make_prompt(tables, question))
    return Examiner(world).judge(("made", "0"), asked, key)


def answer(text: str) -> tuple[Fraction, ...]:
    world, asked = parse_prompt(text)
    return Examiner(world).answer(asked)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        # .68 x .15 = .102 of .102 + .32 x .65 = .310
        (SEEING, Fraction(102, 310)),
        ("v1 given it is observed that v0=1", Fraction(35, 100)),
        ("v1 given we intervented to set v0 to 0", Fraction(85, 100)),
        ("v0 given we intervented to set v1 to 0", Fraction(68, 100)),
        ("v1 given we intervented to set v1 to 1", Fraction(0)),
        # v1 was 1. If v0 was 1 (.208 of .310), nothing changes; else another selector answers.
        (
            "v1 given we first observed v1 = 1 and then intervened to set v0 to 1",
            Fraction(102, 310) * Fraction(35, 100),
        ),
        (
            "v0 given we first observed v1 = 1 and then intervened to set v1 to 0",
            Fraction(102, 310),
        ),
        ("v2 given we first observed v1 = 1 and then intervened to set v0 to 0", Fraction(1, 2)),
    ],
)
def test_answers_are_those_of_the_hand(question: str, first: Fraction) -> None:
    text = make_prompt(CHAIN, question)
    assert answer(text) == (first, 1 - first)
    assert answer_prompt(text) == (first, 1 - first)


@st.composite
def prompts(draw: st.DrawFn) -> str:
    """Draw a world of four variables with two or three values, and a question of any kind."""
    names = ["v0", "v1", "v2", "v3"]
    counts = {name: draw(st.integers(2, 3)) for name in names}
    tables = {}
    for place, name in enumerate(names):
        parents = draw(st.permutations(names[:place]))[: draw(st.integers(0, min(place, 2)))]
        size = 1
        for parent in parents:
            size *= counts[parent]
        rows = []
        for _ in range(size):
            cuts = sorted(draw(st.integers(1, 99)) for _ in range(counts[name] - 1))
            cents = [b - a for a, b in zip([0, *cuts], [*cuts, 100], strict=True)]
            cents[0] += draw(st.sampled_from([0, 0, 0, 1])) if counts[name] == 3 else 0
            rows.append([cent / 100 for cent in cents])
        tables[name] = (tuple(parents), rows)
    one, other, target = (draw(st.sampled_from(names)) for _ in range(3))
    seen, to = draw(st.integers(0, counts[one] - 1)), draw(st.integers(0, counts[other] - 1))
    told = draw(
        st.sampled_from(
            [
                f"it is observed that {one}={seen}",
                f"we intervented to set {other} to {to}",
                f"we first observed {one} = {seen} and then intervened to set {other} to {to}",
            ]
        )
    )
    return make_prompt(tables, f"{target} given {told}")


@given(prompts())
@settings(max_examples=60)
def test_both_engines_agree_with_a_third_calculation(text: str) -> None:
    try:
        third = answer_prompt(text)
    except ZeroDivisionError:
        return  # what is seen cannot be
    assert answer(text) == third


ALTERED = {
    "a row is missing": ("P(v1 | v0=1) = [0.35, 0.65]\n", ""),
    "a row is there twice": ("P(v1 | v0=1)", "P(v1 | v0=0)"),
    "a row is of another parent": ("P(v1 | v0=1)", "P(v1 | v2=1)"),
    "an arrow is missing": ("v0 -> v1;\n", ""),
    "an arrow goes back": ("v0 -> v1;\n", "v0 -> v1;\nv1 -> v0;\n"),
    "an arrow is too many": ("v0 -> v1;\n", "v0 -> v1;\nv0 -> v2;\n"),
    "three digits": ("[0.68, 0.32]", "[0.681, 0.319]"),
    "a row that is no distribution": ("[0.68, 0.32]", "[0.68, 0.22]"),
    "three values in a row of two": ("[0.68, 0.32]", "[0.68, 0.32, 0.0]"),
    "values that do not count up": ("v2 can take values in [0, 1]", "v2 can take values in [1, 2]"),
    "a variable without values": ("v2 can take values in [0, 1]\n", ""),
    "a table of another variable": ("CPTs for v2:", "CPTs for v7:"),
    "a question about another variable": ("distribution of v0", "distribution of v7"),
    "a value that there is not": ("observed that v1=1", "observed that v1=2"),
    "another kind of question": ("it is observed that v1=1", "we heard that v1=1"),
    "selectors in a question about seeing": ("Here's your", SELECTORS + "Here's your"),
    "more at the end": ("Be precise.", "Be precise. Assume v2=1."),
}


@pytest.mark.parametrize("how", ALTERED)
def test_an_altered_prompt_is_refused(how: str) -> None:
    text = make_prompt(CHAIN, SEEING)
    old, new = ALTERED[how]
    assert text.count(old) == 1
    with pytest.raises(DataError, match="must"):
        parse_prompt(text.replace(old, new))


def test_selectors_must_be_told_of() -> None:
    text = make_prompt(
        CHAIN, "v1 given we first observed v1 = 1 and then intervened to set v0 to 1"
    )
    with pytest.raises(DataError, match="selectors must be told of"):
        parse_prompt(text.replace(SELECTORS, ""))


@pytest.mark.parametrize("text", ["0.5, 0.5", "[0.5, 0.5, 0.0]", "[0.4, 0.4]", "[nan, 1.0]", "[]"])
def test_a_key_that_is_no_distribution_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="must be 2 probabilities"):
        read_distribution(text, 2)


COUNTERFACTUAL = "{} given we first observed {} = 1 and then intervened to set {} to 1"


@pytest.mark.parametrize(
    ("question", "key", "verdict", "reason"),
    [
        (SEEING, "[0.33, 0.67]", "right", FOLLOWS),  # 0.329
        (SEEING, "[0.32, 0.68]", "wrong", OTHER_DIGITS),
        (SEEING, "[0.39, 0.61]", "wrong", IMPOSSIBLE),
        ("v2 given it is observed that v1=1", "[0.5, 0.5]", "trivial", WITHOUT_SEEING),
        ("v1 given it is observed that v1=1", "[0.0, 1.0]", "trivial", ASKS_OF_SEEN),
        ("v0 given we intervented to set v1 to 1", "[0.68, 0.32]", "trivial", WITHOUT_SETTING),
        ("v1 given we intervented to set v1 to 1", "[0.0, 1.0]", "trivial", ASKS_OF_SET),
        ("v1 given we intervented to set v1 to 1", "[0.1, 0.9]", "wrong", IMPOSSIBLE),
        (COUNTERFACTUAL.format("v1", "v1", "v0"), "[0.12, 0.88]", "right", FOLLOWS),
        (COUNTERFACTUAL.format("v0", "v1", "v1"), "[0.33, 0.67]", "trivial", WITHOUT_SETTING),
        (COUNTERFACTUAL.format("v2", "v1", "v0"), "[0.5, 0.5]", "trivial", WITHOUT_BOTH),
        (COUNTERFACTUAL.format("v1", "v0", "v0"), "[0.35, 0.65]", "trivial", WITHOUT_SETTING),
        (COUNTERFACTUAL.format("v0", "v1", "v0"), "[0.0, 1.0]", "trivial", ASKS_OF_SET),
    ],
)
def test_verdicts(question: str, key: str, verdict: str, reason: str) -> None:
    found = judge(CHAIN, question, key)
    assert (found.verdict, found.reason) == (verdict, reason)
    assert found.key == key


def test_a_setting_that_undoes_what_was_seen_leaves_doing() -> None:
    found = judge(
        CHAIN,
        "v1 given we first observed v0 = 0 and then intervened to set v0 to 1",
        "[0.35, 0.65]",
    )
    assert (found.verdict, found.reason) == ("trivial", WITHOUT_SEEING)


@pytest.mark.parametrize("key", ["[0.12, 0.88]", "[0.13, 0.87]", "[0.12, 0.87]"])
def test_a_tie_may_be_rounded_either_way(key: str) -> None:
    tables = {
        "v0": ((), [[0.5, 0.5]]),
        "v1": (("v0",), [[0.2, 0.8], [0.05, 0.95]]),  # 0.125 on the whole
        "v2": (("v1",), [[0.1, 0.9], [0.9, 0.1]]),
    }
    assert judge(tables, "v1 given we intervented to set v2 to 0", key).verdict == "trivial"


def test_what_is_seen_must_be_possible() -> None:
    tables = {"v0": ((), [[1.0, 0.0]]), "v1": ((), [[0.5, 0.5]]), "v2": (("v0",), [[1, 0], [0, 1]])}
    found = judge(tables, "v0 given it is observed that v2=1", "[0.5, 0.5]")
    assert (found.verdict, found.reason) == ("undetermined", UNSEEABLE)


def test_a_row_that_does_not_add_up_stands_for_all_that_round_to_it() -> None:
    # All of them print as they are printed, so that the row is its own answer,
    found = judge(LOOSE, "v0 given we intervented to set v1 to 1", "[0.34, 0.36, 0.31]")
    assert (found.verdict, found.reason) == ("trivial", WITHOUT_SETTING)
    # while .34 + .36 / 2 = .52, less .005 to .0075 by which of the three are too great.
    for key in ("[0.51, 0.49]", "[0.52, 0.48]"):
        found = judge(LOOSE, "v1 given it is observed that v2=0", key)
        assert (found.verdict, found.reason) == ("undetermined", SEVERAL_ANSWERS)
        assert " or " in found.recomputed
    assert judge(LOOSE, "v1 given it is observed that v2=0", "[0.5, 0.5]").reason == NOT_REACHED
    assert judge(LOOSE, "v1 given it is observed that v2=0", "[0.6, 0.4]").reason == IMPOSSIBLE


@given(st.lists(st.integers(0, 100), min_size=2, max_size=4), st.integers(-1, 1))
def test_the_nearest_distribution_is_one_and_prints_alike(cents: list[int], off: int) -> None:
    total = sum(cents) or 1
    row = [Fraction(round(100 * cent / total), 100) for cent in cents]
    row[0] += 1 + Fraction(off, 100) - sum(row)
    if min(row) < 0 or max(row) > 1 or sum(entry > 0 for entry in row) < 2:
        return
    found = nearest(tuple(row))
    assert sum(found) == 1
    assert min(found) >= 0
    assert rounds_to(found, row)


@given(prompts(), st.data())
@settings(max_examples=25)
def test_a_world_that_is_found_prints_so_and_has_the_key(text: str, data: st.DataObject) -> None:
    world, asked = parse_prompt(text)
    examiner = Examiner(world)
    try:
        true = examiner.answer(asked)
    except ImpossibleEvidence:
        return
    key = [round(number, 2) for number in true]
    key[0] += Fraction(data.draw(st.integers(-2, 2)), 100)
    key[-1] += 1 - sum(key)
    if min(key) < 0:
        return
    bits = examiner.ask(asked)
    printed = examiner.printed(bits)
    rows = find_world(bits, printed, bits.places, tuple(key))
    if rows is None:
        return
    assert all(sum(row) == 1 and rounds_to(row, printed[place]) for place, row in rows.items())
    off = max(abs(a - b) for a, b in zip(true, key, strict=True))
    assert off <= farthest(bits, printed) + Fraction(1, 200)


def test_the_rule_is_that_of_the_source() -> None:
    """A hundredth more or less passes or fails by how its digits are stored."""

    def told(first: int) -> tuple[Fraction, Fraction]:
        return Fraction(first, 100), Fraction(100 - first, 100)

    fates = {passes(told(first), told(first + 1)) for first in range(99)}
    assert fates == {True, False}
    assert all(passes(told(first), told(first)) for first in range(101))
    assert not any(passes(told(first), told(first + 2)) for first in range(99))
    assert not passes(told(50), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)))
