"""What the reference agents answer where numbers are asked, and what their measures really are.

| agent | number |
|---|---|
| `exact` | the truth |
| `local-only` | the truth of chains of few steps; of longer ones 0 |
| `wrong-world` | what is true where one gate is swapped |
| `coin` | any whole number from 0 to 100, evenly |
| `flip` | the truth, and now and then what is left of 100 |
| `copy` | the first number that is printed |
| `always-yes`, `always-no` | 100, 0 |

The expected measures are found from the worlds of a design, without an item or a word, by the
chances with which each number is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, get_args

from whybench.suites.compose.design import NumbersDesign
from whybench.suites.compose.number_prompts import render_number_reply
from whybench.suites.compose.number_questions import (
    ALL_CASES,
    TOLERANCE,
    ChainNumbers,
    Direction,
    far_pairs,
    make_numbers,
    part_numbers,
)
from whybench.suites.compose.planning import list_worlds
from whybench.suites.compose.wrong_worlds import assumed_world

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from whybench.suites.compose.design import ComposeDesign
    from whybench.suites.compose.number_items import NumberItem
    from whybench.suites.compose.world import ComposeWorld

Expected = Callable[[Mapping[str, Any], Any], Mapping[str, float]]
Chances = Mapping[float, float]
"""The numbers that may be given, with their chances."""

NUMBER_MEASURES = frozenset({"number_skill", "number_accuracy"})
"""Their intervals are for other worlds too, and seeds vary answers about the same ones."""


@dataclass(frozen=True)
class _Asked:
    """A question, as agents that know the world and the truth see it."""

    world: ComposeWorld
    cause: int
    effect: int
    numbers: ChainNumbers

    @property
    def truth(self) -> float:
        """The number that is asked for."""
        known = prod((part / ALL_CASES for part in self.numbers.parts.values()), start=Fraction(1))
        whole = self.numbers.whole
        return float(ALL_CASES * known if whole is None else whole / known)


def _exactly(value: float) -> Chances:
    return {value: 1.0}


def _answer_near(asked: _Asked, settings: Mapping[str, Any]) -> Chances:
    far = asked.numbers.steps > (settings["reach"] or len(asked.world.blocks) - 1)
    return _exactly(0.0 if far else asked.truth)


def _answer_wrong_world(asked: _Asked, _: Mapping[str, Any]) -> Chances:
    parts = part_numbers(assumed_world(asked.world), asked.cause, asked.effect)
    first, last = asked.numbers.asked
    share = prod((part / ALL_CASES for part in parts[first:last]), start=Fraction(1))
    return _exactly(float(ALL_CASES * share))


def _answer_coin(_: _Asked, __: Mapping[str, Any]) -> Chances:
    return dict.fromkeys(map(float, range(ALL_CASES + 1)), 1 / (ALL_CASES + 1))


def _answer_flip(asked: _Asked, settings: Mapping[str, Any]) -> Chances:
    error: float = settings["error"]
    if asked.truth == ALL_CASES / 2:
        return _exactly(asked.truth)
    return {asked.truth: 1 - error, ALL_CASES - asked.truth: error}


ANSWERS: Mapping[str, Callable[[_Asked, Mapping[str, Any]], Chances]] = {
    "exact": lambda asked, _: _exactly(asked.truth),
    "local-only": _answer_near,
    "wrong-world": _answer_wrong_world,
    "coin": _answer_coin,
    "flip": _answer_flip,
    "copy": lambda asked, _: _exactly(float(asked.numbers.printed[0])),
    "always-yes": lambda _, __: _exactly(float(ALL_CASES)),
    "always-no": lambda _, __: _exactly(0.0),
}
"""The reference agents by name."""


def reply_number(
    name: str, item: NumberItem, settings: Mapping[str, Any], rng: np.random.Generator
) -> str:
    """Return the reply of a reference agent to a question for a number."""
    question = item.question
    asked = _Asked(item.whole, item.cause, item.effect, question.numbers)
    chances = ANSWERS[name](asked, settings)
    values = list(chances)
    chosen = 0 if len(values) == 1 else int(rng.choice(len(values), p=list(chances.values())))
    return render_number_reply(values[chosen], question.style)


def expect_numbers(name: str, otherwise: Expected) -> Expected:
    """Return the expected measures of an agent, on numbers and on other designs."""

    def expected(settings: Mapping[str, Any], design: ComposeDesign) -> Mapping[str, float]:
        if not isinstance(design, NumbersDesign):
            return otherwise(settings, design)
        asked = list(_list_asked(design))
        chances = [ANSWERS[name](one, settings) for one in asked]
        errors = [
            sum(chance * abs(value - one.truth) for value, chance in given.items())
            for one, given in zip(asked, chances, strict=True)
        ]
        near = [
            sum(chance for value, chance in given.items() if abs(value - one.truth) <= TOLERANCE)
            for one, given in zip(asked, chances, strict=True)
        ]
        return {
            "number_skill": 1 - sum(errors) / _blind_error(asked),
            "number_accuracy": fmean(near),
        }

    return expected


def _list_asked(design: NumbersDesign) -> Iterator[_Asked]:
    for draw, world in list_worlds(design):
        for cause, effect in far_pairs(world):
            for direction in get_args(Direction):
                numbers = make_numbers(world, draw, cause, effect, direction)
                yield _Asked(world, cause, effect, numbers)


def _blind_error(asked: list[_Asked]) -> float:
    """Return the sum of the errors of the best agents that do not compose."""
    total = 0.0
    for direction in get_args(Direction):
        here = [one for one in asked if one.numbers.direction == direction]
        truths = [one.truth for one in here]
        printed = [list(map(float, one.numbers.printed)) for one in here]
        guesses = [[median(truths)] * len(here)]
        guesses += [[guess(numbers) for numbers in printed] for guess in (min, fmean)]
        guesses += [[numbers[place] for numbers in printed] for place in (0, -1)]
        total += min(
            sum(abs(guess - truth) for guess, truth in zip(given, truths, strict=True))
            for given in guesses
        )
    return total
