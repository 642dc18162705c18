"""Natural effects where a third variable moves both mediator and effect, and is left out.

The arrowhead: cause x and companion k, independent of each other, both move the mediator m, and all
three the effect. Printed are P(k), P(m | x, k) and P(effect | x, m). Natural effects need
P(effect | x, k, m), of which the last is a mean over k. Each printed share so ties two unknown ones
together, and what is summed from them is extreme where the linear programme

    maximise  c₀ a + c₁ b   subject to   q₀ a + q₁ b = (q₀ + q₁) · share,   0 ≤ a, b ≤ 1

is. By duality its value is the least of price · (q₀ + q₁) · share + Σ max(0, c - price · q) over
all prices, and any price gives a bound. With the best price for the print as it stands, that bound
is the value itself if the shares are exact. If they are rounded it is convex in each share,
therefore largest at a corner of their box, and nothing lies beyond it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from whybench_papers.audits.cladder.ranges import AmountRange

if TYPE_CHECKING:
    from collections.abc import Sequence


class Arrowhead(NamedTuple):
    """What is printed of an arrowhead.

    Attributes:
        companion: P(k = 1).
        mediator: P(m = 1 | x, k), for x, k = 00, 01, 10, 11.
        effect: P(effect = 1 | x, m), in the same order.
    """

    companion: AmountRange
    mediator: tuple[AmountRange, ...]
    effect: tuple[AmountRange, ...]


@cache
def find_natural_range(kind: str, middle: Arrowhead, slack: Arrowhead) -> AmountRange:
    """Return the range of the natural direct ("nde") or indirect ("nie") effect.

    Args:
        kind: Which.
        middle: The shares as they are printed.
        slack: What they can be.
    """
    low, high = (_bound(kind, turn, middle, slack) for turn in (-1, 1))
    return AmountRange(-low, high)


def _bound(kind: str, turn: int, middle: Arrowhead, slack: Arrowhead) -> Fraction:
    """Return what `turn` times the effect cannot exceed."""
    printed = [box.low for box in (middle.companion, *middle.mediator)]
    prices = [
        _best_price(*_weights(kind, turn, printed, m), middle.effect[_held(kind) * 2 + m].low)
        for m in (0, 1)
    ]
    boxes = [slack.companion, *slack.mediator]
    return max(
        sum(
            (_term(kind, turn, corner, m, prices[m], slack.effect) for m in (0, 1)),
            Fraction(0),
        )
        for corner in product(*(sorted(set(box)) for box in boxes))
    )


def _held(kind: str) -> int:
    """Return the cause's value under which the effect is taken."""
    return int(kind == "nde")


def _weights(
    kind: str, turn: int, shares: Sequence[Fraction], m: int
) -> tuple[list[Fraction], list[Fraction]]:
    """Return c and q for a value of the mediator."""
    held = _held(kind)

    def frequency(x: int, k: int) -> Fraction:
        companion = shares[0] if k else 1 - shares[0]
        mediator = shares[1 + 2 * x + k]
        return companion * (mediator if m else 1 - mediator)

    return (
        [turn * frequency(1 - held, k) for k in (0, 1)],
        [frequency(held, k) for k in (0, 1)],
    )


def _best_price(gains: Sequence[Fraction], weights: Sequence[Fraction], mean: Fraction) -> Fraction:
    prices = [gain / weight for gain, weight in zip(gains, weights, strict=True) if weight]
    return min(
        [*prices, Fraction(0)],
        key=lambda price: price * sum(weights) * mean + _excess(gains, weights, price),
    )


def _excess(gains: Sequence[Fraction], weights: Sequence[Fraction], price: Fraction) -> Fraction:
    zero = Fraction(0)
    parts = (max(zero, c - price * q) for c, q in zip(gains, weights, strict=True))
    return sum(parts, zero)


def _term(
    kind: str,
    turn: int,
    shares: Sequence[Fraction],
    m: int,
    price: Fraction,
    effect: Sequence[AmountRange],
) -> Fraction:
    """Return the bound of one value of the mediator, less what is there without the cause."""
    gains, weights = _weights(kind, turn, shares, m)
    held, without = effect[2 * _held(kind) + m], effect[m]
    paid = price * sum(weights)
    if kind == "nie":
        return _most(paid - turn * sum(weights), held) + _excess(gains, weights, price)
    return (
        _most(paid, held)
        + _most(-sum(gains, Fraction(0)), without)
        + _excess(gains, weights, price)
    )


def _most(factor: Fraction, box: AmountRange) -> Fraction:
    return factor * (box.high if factor > 0 else box.low)
