"""Items as CLadder puts them, judged as one would by hand."""

from __future__ import annotations

import re

import pytest

from whybench_papers.audits.cladder.audit import judge_item
from whybench_papers.audits.cladder.phrases import find_state, split_states
from whybench_papers.audits.cladder.prompt_parser import (
    parse_background,
    parse_methods,
    parse_question,
    parse_shares,
)
from whybench_papers.audits.cladder.rules import parse_rules, solve, solve_loosely

OPENING = "Imagine a world without any unmentioned factors or causal relationships: "
CHAIN = "Rixq has a direct effect on zuph. Zuph has a direct effect on xevu."
FORK = "Rixq has a direct effect on xevu. Zuph has a direct effect on xevu."
COLLIDER = "Rixq has a direct effect on zuph. Xevu has a direct effect on zuph."
CONFOUNDED = "Zuph has a direct effect on rixq and xevu. Rixq has a direct effect on xevu."
INSTRUMENT = (
    "Swoy has a direct effect on rixq and xevu. Zuph has a direct effect on rixq. "
    "Rixq has a direct effect on xevu. Swoy is unobserved."
)
WORK = (
    "CEO has a direct effect on director and manager. Manager has a direct effect on employee. "
    "Director has a direct effect on employee."
)
NOT = "don't "
LETTERS = "managers who {}sign termination letters"
PENGUIN = (
    "Liking spicy food has a direct effect on penguin mood and penguin survival. "
    "Penguin mood has a direct effect on penguin survival."
)


def conditions(*shares: int, of: str = "xevu", by: str = "rixq") -> str:
    first, second = shares
    return (
        f"For those who are not {by}, the probability of {of} is {first}%. "
        f"For those who are {by}, the probability of {of} is {second}%."
    )


def strata(*shares: int) -> str:
    cases = [("not zuph", "not rixq"), ("not zuph", "rixq"), ("zuph", "not rixq"), ("zuph", "rixq")]
    return " ".join(
        f"For those who are {z} and are {x}, the probability of xevu is {share}%."
        for (z, x), share in zip(cases, shares, strict=True)
    )


METHODS = (
    "Method 1: We look directly at how rixq correlates with xevu in general. "
    "Method 2: We look at this correlation case by case according to zuph."
)
BETTER = (
    "To understand how rixq affects xevu, is it more correct to use the Method 1 than Method 2?"
)
RAISES = "Will rixq increase the chance of xevu?"
TREATED = (
    "For those who are rixq, would it be more likely to see xevu if the individual was not rixq?"
)
OVERALL = "Is xevu more likely than not xevu overall?"
SCARCE = (
    "The overall probability of rixq is 2%. The probability of not rixq and xevu is 40%. "
    "The probability of rixq and xevu is 1%."
)
SEEN = "Is the chance of xevu larger when observing rixq?"


@pytest.mark.parametrize(
    ("world", "told", "question", "key", "verdict", "reason"),
    [
        (CHAIN, conditions(20, 50), RAISES, "yes", "trivial", "association read as effect"),
        (CHAIN, conditions(20, 50), RAISES, "no", "wrong", "association .* the other answer"),
        (CHAIN, conditions(20, 21), RAISES, "no", "wrong", "a small effect counts as none"),
        (CHAIN, conditions(20, 20), RAISES, "no", "undetermined", "tie"),
        (CHAIN, conditions(20, 21), RAISES, "yes", "trivial", "association read as effect"),
        (CHAIN, conditions(21, 20), RAISES, "no", "trivial", "association read as effect"),
        (CHAIN, SCARCE, SEEN, "yes", "undetermined", "rounding, .* agrees"),
        (CHAIN, SCARCE, SEEN, "no", "undetermined", "rounding, .* disagrees"),
        (CHAIN, conditions(20, 50), TREATED, "no", "trivial", "association read as effect"),
        (
            CONFOUNDED,
            f"{strata(10, 40, 60, 90)} The overall probability of zuph is 50%.",
            RAISES,
            "yes",
            "right",
            "the printed numbers give it",
        ),
        (
            CONFOUNDED,
            f"{strata(10, 40, 90, 60)} The overall probability of zuph is 50%.",
            TREATED,
            "no",
            "undetermined",
            "not identified",
        ),
        (
            INSTRUMENT,
            f"{conditions(45, 50, by='zuph')} {conditions(40, 60, of='rixq', by='zuph')}",
            RAISES,
            "yes",
            "undetermined",
            "not identified",
        ),
        (
            INSTRUMENT,
            f"{conditions(5, 95, by='zuph')} {conditions(2, 98, of='rixq', by='zuph')}",
            RAISES,
            "yes",
            "right",
            "the printed numbers give it",
        ),
        (
            CHAIN,
            f"The overall probability of rixq is 50%. {conditions(30, 60)}",
            OVERALL,
            "yes",
            "wrong",
            "the printed numbers give the other answer",
        ),
        (
            CHAIN,
            "The overall probability of rixq is 50%. The probability of not rixq and xevu is 10%. "
            "The probability of rixq and xevu is 30%.",
            SEEN,
            "yes",
            "right",
            "the printed numbers give it",
        ),
        (
            COLLIDER,
            "The overall probability of rixq is 50%. The probability of not rixq and xevu is 20%. "
            "The probability of rixq and xevu is 20%.",
            SEEN,
            "no",
            "right",
            "the graph gives it",
        ),
        (
            COLLIDER,
            "The overall probability of rixq is 50%. The probability of not rixq and xevu is 10%. "
            "The probability of rixq and xevu is 30%.",
            SEEN,
            "no",
            "undetermined",
            "the print contradicts itself",
        ),
        (CHAIN, METHODS, BETTER, "yes", "right", "the graph gives it"),
        (FORK, METHODS, BETTER, "yes", "undetermined", "both methods are correct"),
        (CONFOUNDED, METHODS, BETTER, "no", "right", "the graph gives it"),
        (
            COLLIDER,
            "For those who are zuph, the correlation between rixq and xevu is -0.20.",
            "If we look at those who are zuph, does it mean that rixq affects xevu?",
            "no",
            "right",
            "the graph gives it",
        ),
        (
            COLLIDER,
            "For those who are zuph, the correlation between rixq and xevu is -0.00.",
            "If we look at those who are zuph, does it mean that rixq affects xevu?",
            "no",
            "trivial",
            "association read as effect gives it",
        ),
        (
            WORK,
            f"For {LETTERS.format(NOT)}, the probability of employee being fired is 20%. "
            f"For {LETTERS.format('')}, the probability of employee being fired is 60%.",
            f"For {LETTERS.format('')}, would it be less likely to see employee being fired if the "
            "manager had signed the termination letter?",
            "yes",
            "wrong",
            "asks for the state that is there already",
        ),
        (
            WORK,
            "We know that CEO's decision to fire the employee causes manager not signing the "
            "termination letter and director signing the termination letter. manager signing the "
            "termination letter or director signing the termination letter causes employee being "
            "fired. We observed the CEO decides to retain the employee.",
            "Would the employee is fired if manager not signing the termination letter instead of "
            "manager signing the termination letter?",
            "yes",
            "wrong",
            "the rules give the other answer",
        ),
    ],
)
def test_an_item(world: str, told: str, question: str, key: str, verdict: str, reason: str) -> None:
    found = judge_item(OPENING + world, told, question, key)
    assert found.verdict == verdict
    assert re.match(reason, found.reason)


def test_survival_is_not_death() -> None:
    told = (
        "For people who do not like spicy food and penguins who are sad, the probability of "
        "penguin death is 20%."
    )
    names = parse_background(OPENING + PENGUIN).graph.nodes
    (share,) = parse_shares(told, names)
    assert share.event == (("penguin survival", 0),)
    assert share.given == (("liking spicy food", 0), ("penguin mood", 0))


def test_an_effect_of_less_than_half_a_point_is_one() -> None:
    world = (
        "Swoy has a direct effect on rixq and xevu. Rixq has a direct effect on zuph. "
        "Zuph has a direct effect on xevu. Swoy is unobserved."
    )
    cases = [("not rixq", "not zuph"), ("not rixq", "zuph"), ("rixq", "not zuph"), ("rixq", "zuph")]
    told = " ".join(
        f"For those who are {x} and are {z}, the probability of xevu is {share}%."
        for (x, z), share in zip(cases, (8, 21, 20, 17), strict=True)
    )
    told = f"{told} {conditions(8, 19, of='zuph')}"
    found = judge_item(OPENING + world, told, TREATED, "no")
    assert (found.verdict, found.reason) == ("wrong", "a small effect counts as none")


def test_rules_that_say_only_what_they_say_leave_more_open() -> None:
    graph = parse_background(OPENING + CHAIN).graph
    rules, evidence = parse_rules(
        "We know that rixq causes zuph, and we know that zuph causes not xevu.", graph.nodes
    )
    without = parse_question("Would xevu if not rixq instead of rixq?", graph.nodes)
    with_it = parse_question("Would xevu if rixq instead of not rixq?", graph.nodes)
    assert solve(graph, rules, evidence, without) == 1
    assert solve_loosely(graph, rules, evidence, without) == {0, 1}
    assert solve(graph, rules, evidence, with_it) == 0
    assert solve_loosely(graph, rules, evidence, with_it) == {0}


def test_phrases_that_hold_or_are_one_phrase() -> None:
    names = ["education level", "salary"]
    told = "college degree or higher or high salary"
    assert split_states(told, names) == ((("education level", 1), ("salary", 1)), "or")
    assert find_state("high school degree or lower", names) == ("education level", 0)
    with pytest.raises(ValueError, match="must speak of one state"):
        find_state("a ladder", names)


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_background, "Once upon a time."),
        (lambda text: parse_shares(text, ["rixq"]), "Rixq is 20%."),
        (parse_methods, "Method 1: We guess."),
        (lambda text: parse_question(text, ["rixq"]), "Why?"),
        (lambda text: parse_rules(text, ["rixq"]), "We know that rixq."),
    ],
)
def test_other_words_are_refused(parse, text: str) -> None:
    with pytest.raises(ValueError, match="must"):
        parse(text)
