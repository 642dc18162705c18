"""Attacks that learn the answer from the surface of prompts, with scikit-learn.

Each is trained on prompts and ground truths of the training stream. It sees n-grams of characters
or of words, or simple features: the numbers in the prompt in order of size, how many there are, and
the lengths of the parts. Truths of few values are classes, and others are numbers. Exceptional
values, such as "cannot be determined", are recognized by a classifier of their own.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.attacks import Attack

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from whybench.suites.attacks import Reply, Seen, TrainingExample

    Say = Callable[[float, Seen], str]

MOST_CLASSES = 12
"""The number of different ground truths up to which they are classes."""

NUMBERS = 16
"""How many of the smallest and of the largest numbers of a prompt are features."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def measure_surface(prompts: Sequence[str]) -> NDArray[np.float64]:
    """Return simple features of prompts: their numbers, sorted, and lengths."""
    return np.array([_measure_prompt(prompt) for prompt in prompts])


def _measure_prompt(prompt: str) -> list[float]:
    numbers = sorted(map(float, _NUMBER.findall(prompt)))
    shown = (numbers + [0.0] * NUMBERS)[:NUMBERS] + ([0.0] * NUMBERS + numbers)[-NUMBERS:]
    question = prompt.rpartition("Question:")[2]
    asked = list(map(float, _NUMBER.findall(question)))
    lengths = [len(prompt), prompt.count("\n"), len(question), len(numbers), len(asked)]
    return [*shown, float(np.mean(numbers or [0.0])), *map(float, lengths)]


def _linear_of_characters(*, classes: bool) -> Any:
    return _linear("char_wb", (3, 5), classes=classes)


def _linear_of_words(*, classes: bool) -> Any:
    return _linear("word", (1, 3), classes=classes)


def _linear(analyzer: str, length: tuple[int, int], *, classes: bool) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415  (extra)
    from sklearn.linear_model import Ridge, RidgeClassifier  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415

    text = TfidfVectorizer(
        analyzer=analyzer, ngram_range=length, max_features=20_000, sublinear_tf=True
    )
    return make_pipeline(text, RidgeClassifier() if classes else Ridge())


def _boosting_of_surface(*, classes: bool) -> Any:
    from sklearn.ensemble import (  # noqa: PLC0415  (extra)
        GradientBoostingClassifier,
        GradientBoostingRegressor,
    )
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import FunctionTransformer  # noqa: PLC0415

    model = GradientBoostingClassifier if classes else GradientBoostingRegressor
    return make_pipeline(FunctionTransformer(measure_surface), model(random_state=0))


LEARNERS = {
    "characters": ("learns from n-grams of characters, linear", _linear_of_characters),
    "words": ("learns from n-grams of words, linear", _linear_of_words),
    "surface": ("learns from numbers and lengths, gradient boosting", _boosting_of_surface),
}
"""The features of each learner, and its model."""


def learners(phrase: Say, exceptions: Collection[float] = ()) -> tuple[Attack, ...]:
    """Return the attacks that learn, for a suite that asks in one turn.

    Args:
        phrase: Returns the reply for a predicted value, given the view of an agent.
        exceptions: Values that are no numbers on the scale of the others.
    """
    return tuple(
        Attack(
            f"learns-{name}",
            summary,
            fit=partial(
                _fit, make_model=make_model, phrase=phrase, exceptions=frozenset(exceptions)
            ),
        )
        for name, (summary, make_model) in LEARNERS.items()
    )


def _fit(
    lessons: Sequence[TrainingExample],
    make_model: Callable[..., Any],
    phrase: Say,
    exceptions: Collection[float],
) -> Reply:
    prompts = [lesson.seen.prompt for lesson in lessons]
    truths = np.array([float(lesson.truth) for lesson in lessons])
    odd = np.isin(truths, list(exceptions))
    doubt = _train(make_model, prompts, np.where(odd, truths, 0.0)) if odd.any() else None
    model = _train(
        make_model, [p for p, out in zip(prompts, odd, strict=True) if not out], truths[~odd]
    )

    def reply(seen: Seen, _: np.random.Generator) -> str:
        exception = float(doubt.predict([seen.prompt])[0]) if doubt is not None else 0.0
        return phrase(exception or float(model.predict([seen.prompt])[0]), seen)

    return reply


def _train(make_model: Callable[..., Any], prompts: list[str], truths: NDArray[Any]) -> Any:
    return make_model(classes=np.unique(truths).size <= MOST_CLASSES).fit(prompts, truths)
