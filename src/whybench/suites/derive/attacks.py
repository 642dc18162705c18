"""Attacks on derive: agents that miss some of the numbers from which the effect follows.

Each puts a typical difference in the place of one that it doesn't read. `rounds` reads all numbers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import copysign, prod
from typing import TYPE_CHECKING

from whybench.suites.attacks import SILENT, Attack, of_agents
from whybench.suites.derive.agents import AGENTS
from whybench.suites.derive.drawing import LINKS, SHARES
from whybench.suites.derive.prompts import PRODUCT, StatedDerivation, parse_prompt, render_answer
from whybench.suites.derive.world import TOLERANCE, average, subtract
from whybench.suites.learners import learners

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np

    from whybench.suites.attacks import Seen
    from whybench.suites.derive.world import Pair, Terms

    Answerer = Callable[[Terms], float]

STYLE = "cot"

FIRST, LINK = 0.45, 0.75
"""The size of a typical first factor and of a typical further one, to which most are near."""


def _read(terms: Terms) -> list[float]:
    return list(map(float, terms.factors))


def _typical(factors: list[float], *, signs: bool) -> list[float]:
    """Return factors of typical size, with the signs of these or positive."""
    sizes = [FIRST, *[LINK] * (len(factors) - 1)]
    if not signs:
        return sizes
    return [copysign(size, factor) for size, factor in zip(sizes, factors, strict=True)]


def _read_some(terms: Terms, places: slice, *, signs: bool) -> float:
    """Read the rules at these places, and of the others at most the signs."""
    factors = _read(terms)
    shown = _typical(factors, signs=signs)
    shown[places] = factors[places]
    return prod(shown)


def _miss_one(terms: Terms, place: float, *, signs: bool) -> float:
    """Miss the rule at this share of the way from the cause to the effect."""
    factors = _read(terms)
    missed = int(place * (len(factors) - 1))
    factors[missed] = _typical(factors, signs=signs)[missed]
    return prod(factors)


def _leave_out(terms: Terms, place: float) -> float:
    """Leave out the factor at this share of the way."""
    factors = _read(terms)
    del factors[int(place * (len(factors) - 1))]
    return prod(factors)


def _read_half(terms: Terms) -> float:
    """Read the last rule only where its cause is on."""
    factors = _read(terms)
    if terms.links:
        factors[-1] = find_best(
            float(subtract(pair)) for pair in LINKS if pair[0] == terms.links[-1][0]
        )
    else:
        # If x is off, the probability is taken to be the opposite.
        factors[-1] = 2 * float(average(terms.share, *(_on(pair) for pair in terms.strata))) - 1
    return prod(factors)


def _on(pair: Pair) -> Fraction:
    return Fraction(pair[0], 100)


def _guess_confounder(terms: Terms) -> float:
    """Take the first factor that is right for most percentages of the confounder."""
    off, on = map(subtract, terms.strata)
    first = find_best(float(average(share, off, on)) for share in SHARES)
    return first * prod(map(float, terms.factors[1:]))


def find_best(values: Iterable[float]) -> float:
    """Return the answer that is right for most of the values."""
    known = list(values)
    answers = [value * (1 + 0.99 * TOLERANCE) for value in known]
    return max(
        answers, key=lambda one: sum(abs(one - value) <= TOLERANCE * abs(value) for value in known)
    )


def _adjust(terms: Terms, share: int) -> float:
    """Average over the confounder as if it had this percentage."""
    off, on = map(subtract, terms.strata)
    return float(average(share, off, on)) * prod(map(float, terms.factors[1:]))


def _find_terms(told: StatedDerivation | Terms) -> Terms:
    return told.find_terms() if isinstance(told, StatedDerivation) else told


def _reply(seen: Seen, _: np.random.Generator, answer: Answerer) -> str:
    return _say(100 * answer(_find_terms(parse_prompt(seen.prompt))), seen)


def _say(value: float, seen: Seen) -> str:
    query = "do" if isinstance(parse_prompt(seen.prompt), StatedDerivation) else PRODUCT
    return render_answer(value, query, STYLE)


def _attack(name: str, summary: str, answer: Answerer) -> Attack:
    return Attack(name, summary, partial(_reply, answer=answer))


PLACES = (("first", 0.0), ("middle", 0.5), ("last", 1.0))

ATTACKS = (
    SILENT,
    *of_agents(AGENTS, "constant", "guesser", "sees-only", "wrong-weights", "rounds"),
    _attack(
        "typical",
        "answers a typical product",
        lambda terms: _read_some(terms, slice(0), signs=False),
    ),
    _attack(
        "signs",
        "reads the signs of all differences only",
        lambda terms: _read_some(terms, slice(0), signs=True),
    ),
    *(
        _attack(
            f"{name}-from-{end}",
            f"reads {told} next to the {end}, and the signs of the others",
            partial(_read_some, places=places, signs=True),
        )
        for name, told, end, places in (
            ("one", "one rule", "cause", slice(0, 1)),
            ("one", "one rule", "effect", slice(-1, None)),
            ("three", "three rules", "cause", slice(0, 3)),
            ("three", "three rules", "effect", slice(-3, None)),
        )
    ),
    *(
        _attack(
            f"misses-{name}",
            f"reads all rules but the {name}",
            partial(_miss_one, place=place, signs=False),
        )
        for name, place in PLACES
    ),
    *(
        _attack(
            f"sign-of-{name}",
            f"reads all rules, and of the {name} the sign only",
            partial(_miss_one, place=place, signs=True),
        )
        for name, place in PLACES
    ),
    *(
        _attack(f"skips-{name}", f"leaves the {name} rule out", partial(_leave_out, place=place))
        for name, place in PLACES
    ),
    _attack("half-of-last", "reads one half of the last rule", _read_half),
    _attack("any-confounder", "guesses the probability of the confounder", _guess_confounder),
    *(
        _attack(name, summary, partial(_adjust, share=share))
        for name, summary, share in (
            ("confounder-off", "takes the difference where the confounder is off", 0),
            ("confounder-even", "takes the plain mean over the confounder", 50),
            ("confounder-on", "takes the difference where the confounder is on", 100),
        )
    ),
    *learners(_say),
)
"""The attacks on derive."""
