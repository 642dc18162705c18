"""Attacks on derive: agents that miss some of the numbers from which the effect follows.

Each puts a typical difference, or the best guess (`guesses`), in the place of one that it doesn't
read. `rounds` reads all numbers. Partial readers answer with all digits: rounding would cost them
some of the tolerance.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from math import copysign, prod
from typing import TYPE_CHECKING

from whybench.suites.attacks import SILENT, Attack, of_agents
from whybench.suites.derive.agents import AGENTS
from whybench.suites.derive.drawing import LINKS
from whybench.suites.derive.guesses import MISSED, find_best
from whybench.suites.derive.prompts import PRODUCT, StatedDerivation, parse_prompt, render_answer
from whybench.suites.derive.world import Start, average, subtract
from whybench.suites.learners import learners

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from whybench.suites.attacks import Seen
    from whybench.suites.derive.guesses import Guess
    from whybench.suites.derive.world import Pair, Terms

    Answerer = Callable[[Terms], float]
    StartAnswerer = Callable[[Start, Terms], float]

STYLE, DIGITS = "cot", 12

FIRST, LINK = 0.36, 0.75
"""The size of a typical first factor and of a typical further one, to which most are near."""

SMALLER = Fraction(27, 100)
"""The smaller difference of c1 as a share of the larger one, in the attack that assumes it."""


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


@cache
def guess_half(on: int) -> Guess:
    """Guess the difference of a later rule from its percentage where its cause is on."""
    return find_best(float(subtract(pair)) for pair in LINKS if pair[0] == on)


def _guess_part(start: Start, terms: Terms, part: str) -> float:
    """Take the first factor that is right for most values of the part that is missed."""
    return find_best(MISSED[part][1](start)).answer * prod(_read(terms)[1:])


def _read_half(start: Start, terms: Terms) -> float:
    """Read the last rule only where its cause is on."""
    if not terms.links:
        return _guess_part(start, terms, "cause-off")
    return prod(_read(terms)[:-1]) * guess_half(terms.links[-1][0]).answer


LUCKY = ("confounder", "rarer-state")
"""The parts of the first factor among which `guesses-luckiest` chooses."""


def guess_luckiest(
    start: Start, links: tuple[Pair, ...], parts: tuple[str, ...] = LUCKY
) -> tuple[int, Guess]:
    """Return the place of the factor with the best guess from a part of it, and that guess.

    The guess is about one of these parts of the first factor, or half of another one.
    """
    guesses = [(0, find_best(MISSED[part][1](start))) for part in parts]
    guesses += [(place, guess_half(on)) for place, (on, _) in enumerate(links, 1)]
    return max(guesses, key=lambda one: one[1].share)


def _miss_luckiest(start: Start, terms: Terms) -> float:
    factors = _read(terms)
    place, guess = guess_luckiest(start, terms.links)
    factors[place] = guess.answer
    return prod(factors)


def _adjust(terms: Terms, share: int) -> float:
    """Average over the confounder as if it had this percentage."""
    off, on = map(subtract, terms.strata)
    return float(average(share, off, on)) * prod(map(float, terms.factors[1:]))


def _read_larger(terms: Terms) -> float:
    """Take the smaller one of D0 and D1 to be `SMALLER` times the larger one."""
    off, on = map(subtract, terms.strata)
    off, on = (off, SMALLER * off) if abs(off) > abs(on) else (SMALLER * on, on)
    return float(average(terms.share, off, on)) * prod(_read(terms)[1:])


def _find_terms(told: StatedDerivation | Terms) -> Terms:
    return told.find_terms() if isinstance(told, StatedDerivation) else told


def _reply(seen: Seen, _: np.random.Generator, answer: Answerer) -> str:
    return _say(100 * answer(_find_terms(parse_prompt(seen.prompt))), seen)


def _guess(seen: Seen, _: np.random.Generator, answer: StartAnswerer) -> str:
    told = parse_prompt(seen.prompt)
    terms = _find_terms(told)
    selection = told.selection if isinstance(told, StatedDerivation) else None
    return _say(100 * answer(Start(terms.share, selection, terms.strata), terms), seen)


def _say(value: float, seen: Seen) -> str:
    query = "do" if isinstance(parse_prompt(seen.prompt), StatedDerivation) else PRODUCT
    return render_answer(value, query, STYLE, DIGITS)


def _attack(name: str, summary: str, answer: Answerer) -> Attack:
    return Attack(name, summary, partial(_reply, answer=answer))


def _guessing_attack(name: str, summary: str, answer: StartAnswerer) -> Attack:
    return Attack(name, summary, partial(_guess, answer=answer))


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
    _guessing_attack("half-of-last", "reads one half of the last rule", _read_half),
    *(
        _guessing_attack(
            f"guesses-{part}", f"reads all rules but {told}", partial(_guess_part, part=part)
        )
        for part, (told, _) in MISSED.items()
    ),
    _guessing_attack(
        "guesses-luckiest",
        "reads all rules, and guesses from a part of the one where that succeeds most often",
        _miss_luckiest,
    ),
    _attack(
        "larger-difference",
        "takes a fixed part of the larger difference of c1 for the smaller one",
        _read_larger,
    ),
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
