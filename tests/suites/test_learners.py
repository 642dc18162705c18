"""Attacks that learn from the surface of prompts."""

from __future__ import annotations

import pytest

from whybench.seeds import generator
from whybench.suites.attacks import Seen, TrainingExample
from whybench.suites.learners import LEARNERS, learners, measure_surface

CANNOT = 1000.0


def lessons(pairs):
    return [TrainingExample(Seen((prompt,)), truth, lambda _: 0.0) for prompt, truth in pairs]


def fitted(name: str, pairs, exceptions=()):
    """Return the reply of an attack to a prompt after it has learned from these pairs."""
    attacks = learners(lambda value, _: f"{value:.3f}", exceptions)
    (attack,) = (one for one in attacks if one.name == f"learns-{name}")
    reply = attack.fit(lessons(pairs))
    return lambda prompt: float(reply(Seen((prompt,)), generator("test")))


@pytest.mark.parametrize("name", ["characters", "words"])
def test_words_that_decide_are_learned(name: str) -> None:
    pairs = [(f"Lamp {i} is {'lit' if i % 2 else 'dark'}.", float(i % 2)) for i in range(60)]
    say = fitted(name, pairs)
    assert say("Lamp 77 is lit.") == 1.0
    assert say("Lamp 78 is dark.") == 0.0


def test_numbers_are_learned_from_numbers() -> None:
    pairs = [(f"The lamp is lit in {i}% of cases.", float(i)) for i in range(0, 100, 2)]
    assert fitted("surface", pairs)("The lamp is lit in 41% of cases.") == pytest.approx(41, abs=3)


@pytest.mark.parametrize("name", LEARNERS)
def test_exceptions_are_recognized_and_left_out_of_the_numbers(name: str) -> None:
    pairs = [
        (
            f"In {i} of 100 cases." if i % 3 else f"In ??? cases of {i}, which? which?",
            i if i % 3 else CANNOT,
        )
        for i in range(1, 90)
    ]
    say = fitted(name, pairs, (CANNOT,))
    assert say("In ??? cases of 12, which? which?") == CANNOT
    assert 0 <= say("In 40 of 100 cases.") <= 100


def test_the_surface_of_a_prompt_is_its_sorted_numbers_and_lengths() -> None:
    (row,) = measure_surface(["3 of 12.\nQuestion: 7?"])
    assert row[:4].tolist() == [3.0, 7.0, 12.0, 0.0]
    assert row[-5:].tolist() == [21.0, 1.0, 3.0, 3.0, 1.0]
