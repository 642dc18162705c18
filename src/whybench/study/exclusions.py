"""Exclusion rules: whose answers do not count, said beforehand and counted.

Leaving people out after looking at their answers is how results are bent. So no rule is applied
unless it is named, a rule looks at how somebody took part and never at how right their answers are,
and every rule says how many participations meet it, how many of them no rule before it had
excluded, and how many answers go with those. Without a rule only those are left out whose rows
cannot be read as one participation, and whom the study itself sent home since they failed the
comprehension check too often; they are counted in the same table, before the rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from whybench.errors import UserError
from whybench.study.rows import CHECK_FAILED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whybench.study.rows import Participation

FLAWS = ("contradictory", "unknown item", "too many replies")
"""What a participation is left out for without a rule: rows that say different things of the same
event, an answer to an item that the study does not have, replies after the end of an episode."""

PLAIN: Mapping[str, tuple[str, Callable[[Participation], bool]]] = {
    "incomplete": ("items are missing", attrgetter("incomplete")),
    "constant": ("all answers are the same, though not all truths are", attrgetter("constant")),
    "repeated": ("took part before; the first time is kept", lambda each: each.occasion > 1),
}
"""Rules without a bound, by name: what they mean, and who meets them."""

BOUNDED: Mapping[str, tuple[str, Callable[[Participation], float | None]]] = {
    "comprehension": ("attempts at the comprehension check", attrgetter("attempts")),
    "attention": ("share of attention checks that are right", attrgetter("attention")),
    "seconds": ("median seconds of an answer", attrgetter("seconds")),
}
"""Quantities that a rule bounds, by name: what they are, and how they are found."""


@dataclass(frozen=True)
class Rule:
    """One rule: a plain one, or a quantity below or above a bound."""

    name: str
    below: bool = False
    bound: float | None = None

    @classmethod
    def read(cls, text: str) -> Rule:
        """Read `incomplete`, `attention<1`, `comprehension>2` and the like."""
        rule = text.strip()
        if rule in PLAIN:
            return cls(rule)
        match = re.fullmatch(r"([a-z]+)\s*([<>])\s*(\d+\.?\d*|\.\d+)", rule)
        if match is None or match[1] not in BOUNDED:
            raise UserError(
                f"`rules` must be one of {', '.join(PLAIN)}, or a bound on one of "
                f"{', '.join(BOUNDED)}, such as attention<1 or comprehension>2, got {text!r}"
            )
        return cls(match[1], match[2] == "<", float(match[3]))

    def applies_to(self, participation: Participation) -> bool | None:
        """Return whether a participation meets the rule; None where that is not known."""
        if self.bound is None:
            return PLAIN[self.name][1](participation)
        value = BOUNDED[self.name][1](participation)
        if value is None:
            return None
        return value < self.bound if self.below else value > self.bound

    def __str__(self) -> str:
        """Return the rule as it is written."""
        if self.bound is None:
            return self.name
        return f"{self.name}{'<' if self.below else '>'}{self.bound:g}"


@dataclass(frozen=True)
class Exclusion:
    """What a rule came to.

    Attributes:
        rule: The rule, as it is written; or the reason, for what is left out without one.
        met: How many participations meet it.
        unknown: For how many that is not known, since they did not come so far.
        excluded: How many it excludes that no rule before it had excluded.
        answers: How many answers are lost with these.
    """

    rule: str
    met: int
    unknown: int
    excluded: int
    answers: int


def exclude(
    participations: Sequence[Participation], rules: Sequence[Rule]
) -> tuple[list[Participation], list[Exclusion]]:
    """Return the participations that nothing excludes, and what each rule or reason came to.

    Raises:
        UserError: A rule is about something that was not recorded of anybody.
    """
    exclusions = []
    reasons = [each.flaw or (CHECK_FAILED if each.check_failed else "") for each in participations]
    for reason in (*FLAWS, CHECK_FAILED):
        chosen = zip(participations, reasons, strict=True)
        if left_out := [each for each, found in chosen if found == reason]:
            answers = sum(len(each.answers) for each in left_out)
            exclusions.append(Exclusion(reason, len(left_out), 0, len(left_out), answers))
    sound = [each for each, found in zip(participations, reasons, strict=True) if not found]
    kept = sound
    for rule in rules:
        verdicts = [rule.applies_to(each) for each in sound]
        if sound and all(verdict is None for verdict in verdicts):
            raise UserError(
                f"`rules` must be about what the study recorded, got {rule}: nobody has "
                f"{BOUNDED[rule.name][0]}; leave the rule out"
            )
        excluded = [each for each in kept if rule.applies_to(each)]
        kept = [each for each in kept if not rule.applies_to(each)]
        exclusions.append(
            Exclusion(
                rule=str(rule),
                met=sum(verdict is True for verdict in verdicts),
                unknown=sum(verdict is None for verdict in verdicts),
                excluded=len(excluded),
                answers=sum(len(each.answers) for each in excluded),
            )
        )
    return kept, exclusions
