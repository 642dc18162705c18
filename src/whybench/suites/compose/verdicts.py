"""Valid, consistent, both or neither: when answers may be called so.

A composition is a way from root to leaf through anchors. Its steps, multiplied, should give the
whole. Two questions are asked of an agent's answers:

- *valid*: is the product of its answered steps the true whole?
- *consistent*: is that product the whole it answers itself?

Both compare two numbers, and neither is settled by a single estimate: at few units even a perfect
reasoner misses the truth. So each is a test of equivalence. The difference is taken as a share of
the larger number, `(a - b) / max(abs(a), abs(b))`, so that it means the same in worlds with strong
and with faint effects, for an agent that answers ten times too much and for one that answers too
little; and its interval is held against ±delta.

| interval of the ratio | verdict |
|---|---|
| within ±delta | yes |
| wholly beyond delta, or wholly below -delta | no |
| delta or -delta in it | inconclusive |
| there is none: both numbers are 0 | undefined |

Both verdicts say something about size: a yes that the difference is too small to matter, a no that
it is too large not to. So with more units a verdict can only become conclusive: an agent whose true
difference lies on one side of delta gets the other side's verdict no oftener than an interval
misses what it should hold, at any number of units. Whether 0 is in the interval plays no part. Were
that enough for a no, then an agent that is off by half of delta would get a no from a middling
number of units and a yes from a large one, and every agent that errs now and then could be called
invalid. An agent that is off by delta itself stays inconclusive, as it should.

A yes needs more than a narrow interval. Where an agent makes no error that shows, the interval has
no width at all, and yet an error rate of up to 3/n goes unseen in n units in one run of twenty (the
rule of three). `Sample`s in which errors that rare could still move a number by more than delta are
too coarse for a yes, and get `inconclusive`; `comparisons.resolution` computes that shift.

"Undefined" is the fate of an agent that never lets an effect follow its cause, such as one that
always says yes: nothing equals nothing, but that is not the merit of having composed anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from whybench.stats import Estimate

DELTA = 0.25
"""Two numbers that differ by less than this share of the larger count as the same."""

SOURCE_BOUND = 0.1
"""The source calls two numbers the same whose estimates differ by at most this share of the second,
whatever the estimates rest on (`docs/errata/compose.md`)."""

Verdict = Literal["yes", "no", "inconclusive", "undefined"]
Class = Literal["VC", "VI", "IC", "II", "inconclusive", "undefined"]

CLASSES: tuple[Class, ...] = get_args(Class)

UNTRUSTED = {"few_units", "lone_units"}
"""Flags of an interval that is too narrow for what it rests on."""


def relative_difference(first: float, second: float) -> float | None:
    """Return `(first - second) / max(abs(first), abs(second))`; None where both are 0."""
    larger = max(abs(first), abs(second))
    return (first - second) / larger if larger else None


def decide_verdict(ratio: Estimate, delta: float = DELTA, resolution: float = 0.0) -> Verdict:
    """Return whether two numbers are the same, given their ratio with its interval.

    Args:
        ratio: Their difference as a share of the larger one.
        delta: The share that is too small to matter.
        resolution: The share by which errors too rare to show could move either number.
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie between 0 and 1, got {delta}")
    if ratio.estimate is None:
        return "undefined"
    if ratio.low is None or ratio.high is None or UNTRUSTED & set(ratio.flags):
        return "inconclusive"
    if -delta < ratio.low and ratio.high < delta:
        return "yes" if resolution <= delta else "inconclusive"
    return "no" if ratio.low > delta or ratio.high < -delta else "inconclusive"


def classify(valid: Verdict, consistent: Verdict) -> Class:
    """Return the class of a composition: one of four only where both verdicts are conclusive."""
    both: tuple[Verdict, Verdict] = (valid, consistent)
    if "undefined" in both:
        return "undefined"
    classes: dict[tuple[Verdict, Verdict], Class] = {
        ("yes", "yes"): "VC",
        ("yes", "no"): "VI",
        ("no", "yes"): "IC",
        ("no", "no"): "II",
    }
    return classes.get(both, "inconclusive")
