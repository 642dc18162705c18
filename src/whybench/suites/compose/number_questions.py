"""Questions in which numbers are composed: parts to the whole, and the whole to a missing part.

An effect follows a cause on a share of cases, its PNS. Of a chain of blocks the share of each block
is told as a whole number of 100 cases, and the whole is asked (*forward*); or the whole and all
parts but one are told, and that one is asked (*reverse*). The truth follows from the numbers as
they are printed, and not from those that were rounded; so what is asked can be known exactly.

It is found in two ways, in fractions: by multiplying or dividing; and by going through all cases of
which blocks transmit, as if each were a case of its own, with the first node made true and made
false. The whole is linear in every part, so that two of them, 0 and 1, tell a missing one.

A world gives two questions for each pair of anchors with more than one block between them. World,
its number in its series, pair and kind decide the rest, so that records need not hold the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count, product
from math import prod
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from whybench.scm import agreed
from whybench.seeds import generator
from whybench.suites.compose.world import make_block_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.scm import Certificate
    from whybench.suites.compose.chain import Chain
    from whybench.suites.compose.world import ComposeWorld

Direction = Literal["forward", "reverse"]
"""What is asked: the whole, or a part. It is the `setting` of records."""

NUMBER = "number"
"""The `rung` of these questions in records."""

ALL_CASES = 100
"""All numbers are of so many cases."""

TOLERANCE = 0.5
"""An answer so near the truth is right: parts are printed as whole numbers."""

NEAR = Fraction(1, 20)
"""A whole has the digits that settle the missing part up to this."""


class Given(NamedTuple):
    """That a place in the chain follows an earlier one in so many of 100 cases."""

    cause: int
    effect: int
    number: Fraction


@dataclass(frozen=True)
class ChainNumbers:
    """What is known of a chain, and what is asked.

    Attributes:
        steps: The number of its steps; its places are 0 to `steps`.
        given: What is known, in the order of printing.
        asked: The cause and the effect that are asked about.
    """

    steps: int
    given: tuple[Given, ...]
    asked: tuple[int, int]

    @property
    def direction(self) -> Direction:
        """Whether the whole is asked, or a part."""
        return "forward" if self.asked == (0, self.steps) else "reverse"

    @property
    def printed(self) -> tuple[Fraction, ...]:
        """The numbers, in the order of printing."""
        return tuple(known.number for known in self.given)

    @property
    def whole(self) -> Fraction | None:
        """The number of the whole chain; None where it is asked."""
        return next((x for cause, effect, x in self.given if effect - cause == self.steps), None)

    @property
    def parts(self) -> dict[int, Fraction]:
        """The numbers of the parts that are known, by the place of the cause."""
        return {cause: x for cause, effect, x in self.given if effect - cause < self.steps}


def far_pairs(chain: Chain) -> list[tuple[int, int]]:
    """Return the pairs of anchors with more than one block between them."""
    return [pair for pair in chain.pairs if len(chain.blocks_between(*pair)) > 1]


def part_numbers(world: ComposeWorld, cause: int, effect: int) -> tuple[Fraction, ...]:
    """Return in how many of 100 cases each block transmits, as whole numbers from 1 to 99."""
    shares = (
        make_block_table(world, number).transmission
        for number in world.blocks_between(cause, effect)
    )
    return tuple(Fraction(min(max(round(share * ALL_CASES), 1), ALL_CASES - 1)) for share in shares)


@lru_cache(maxsize=4096)
def make_numbers(
    world: ComposeWorld, draw: int, cause: int, effect: int, direction: str
) -> ChainNumbers:
    """Return the question about a pair of anchors of a world.

    Args:
        world: The world.
        draw: Its number in its series: small worlds come again, and are told otherwise then.
        cause: The anchor at which the chain begins.
        effect: The anchor at which it ends.
        direction: Whether the whole is asked, or a part that is drawn.
    """
    if direction not in get_args(Direction):
        raise ValueError(
            f"direction must be one of {', '.join(get_args(Direction))}, got {direction!r}"
        )
    rng = generator("compose", "numbers", world.text, draw, cause, effect, direction)
    parts = part_numbers(world, cause, effect)
    given = [Given(place, place + 1, number) for place, number in enumerate(parts)]
    asked = (0, len(parts))
    if direction == "reverse":
        missing = given.pop(int(rng.integers(len(parts))))
        others = [known.number for known in given]
        given.append(Given(0, len(parts), _round_whole(_compose(parts), _compose(others))))
        asked = missing.cause, missing.effect
    order = rng.permutation(len(given)).tolist()
    return ChainNumbers(len(parts), tuple(given[place] for place in order), asked)


def _compose(parts: Sequence[Fraction]) -> Fraction:
    """Return the number of a whole whose parts have these."""
    return ALL_CASES * prod((part / ALL_CASES for part in parts), start=Fraction(1))


def _round_whole(whole: Fraction, others: Fraction) -> Fraction:
    """Return a whole with as few digits as settle the missing part."""
    for digits in count(1):
        rounded = round(whole, digits)
        if Fraction(1, 2 * 10**digits) * ALL_CASES / others <= NEAR:
            return rounded
    raise AssertionError("some number of digits is enough")


def certify_numbers(numbers: ChainNumbers) -> Certificate:
    """Return the number that is asked for, found in two ways."""
    known = list(numbers.parts.values())
    whole = _compose(known) if numbers.whole is None else numbers.whole / _compose(known)
    first = whole if numbers.whole is None else whole * ALL_CASES
    said = ", ".join(f"{cause}-{effect} {number}" for cause, effect, number in numbers.given)
    query = "{}-{}".format(*numbers.asked)
    return agreed(
        f"{query} of {ALL_CASES} | {said}",
        ("product of parts", first),
        ("cases of all steps", _solve_by_cases(numbers)),
    )


def _solve_by_cases(numbers: ChainNumbers) -> Fraction:
    """Return the number that is asked for, by going through all cases."""
    shares = {place: number / ALL_CASES for place, number in numbers.parts.items()}
    if numbers.whole is None:
        return ALL_CASES * _follows_in_cases([shares[place] for place in range(numbers.steps)])
    ends = [
        _follows_in_cases(
            [
                Fraction(end) if place not in shares else shares[place]
                for place in range(numbers.steps)
            ]
        )
        for end in (0, 1)
    ]
    return ALL_CASES * (numbers.whole / ALL_CASES - ends[0]) / (ends[1] - ends[0])


def _follows_in_cases(shares: Sequence[Fraction]) -> Fraction:
    """Return the share of cases in which the last of a chain follows the first.

    A step that does not transmit has an effect that is there whatever its cause is, or is not; as
    it makes no difference to what follows which of them, both are gone through as halves.
    """
    total = Fraction(0)
    for steps in product(("copies", "always", "never"), repeat=len(shares)):
        ends = []
        for made in (True, False):
            value = made
            for step in steps:
                value = value if step == "copies" else step == "always"
            ends.append(value)
        if ends == [True, False]:
            total += prod(
                (share if step == "copies" else (1 - share) / 2)
                for share, step in zip(shares, steps, strict=True)
            )
    return total
