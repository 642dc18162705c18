"""What an effect is: means of a column in worlds in which others are set, with weights.

An effect is a sum of means, each under a *setting* of some columns, with weights that sum to 0: one
more hour of practice is the mean outcome at 1 hour less the mean at 0, an interaction takes four
such means. Said in this way an effect can be found in any world (see `world`), with no thought of
which coefficient it is.

>>> print(increase("dose", age=1) - increase("dose", age=0))
E[outcome | do(age=1, dose=1)] - E[outcome | do(age=1, dose=0)] - E[outcome | do(age=0, dose=1)] \
+ E[outcome | do(age=0, dose=0)]

A setting names a number, or another setting: the column is then as it would be for the same unit
under that one. So the effect through a mediator is

>>> through = contrast({"dose": 0, "mediator": {"dose": 1}}, {"dose": 0})
>>> print(through)
E[outcome | do(dose=0, mediator=[dose=1])] - E[outcome | do(dose=0)]

An effect on those of whom something was seen is `given` that. How often a cause was necessary is
`contrast({}, {"cause": 0}, given={"cause": 1, "outcome": 1})`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["Effect", "Setting", "contrast", "increase"]

Setting = Mapping[str, Any]
"""By role: a number, an array of one for each unit, or the setting under which it comes about."""


@dataclass(frozen=True)
class Effect:
    """A weighted sum of means.

    Attributes:
        arms: Weights and settings.
        on: The column whose means they are.
        given: What was seen, with nothing set, of the units that count; of all where it is empty.
    """

    arms: tuple[tuple[float, Setting], ...]
    on: str = "outcome"
    given: Mapping[str, int] = field(default_factory=dict)

    def __sub__(self, other: Effect) -> Effect:
        return replace(self, arms=(*self.arms, *(-1 * other).arms))

    def __rmul__(self, factor: float) -> Effect:
        return replace(self, arms=tuple((factor * weight, do) for weight, do in self.arms))

    def __str__(self) -> str:
        seen = "".join(f", {role}={value}" for role, value in self.given.items())
        terms = "".join(
            f" {'-' if weight < 0 else '+'} {'' if abs(weight) == 1 else f'{abs(weight):g} '}"
            f"E[{self.on} | do({_describe(setting)}){seen}]"
            for weight, setting in self.arms
        )
        return terms.removeprefix(" + ").strip()


def contrast(
    setting: Setting,
    other: Setting,
    on: str = "outcome",
    given: Mapping[str, int] | None = None,
) -> Effect:
    """Return the effect of one setting in place of another."""
    return Effect(((1, setting), (-1, other)), on, given or {})


def increase(cause: str, on: str = "outcome", **held: Any) -> Effect:
    """Return the effect of raising a cause from 0 to 1 while others are held."""
    return contrast({**held, cause: 1}, {**held, cause: 0}, on)


def _describe(setting: Setting) -> str:
    return ", ".join(
        f"{role}=[{_describe(value)}]" if isinstance(value, Mapping) else f"{role}={value:g}"
        for role, value in setting.items()
    )
