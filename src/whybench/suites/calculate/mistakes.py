"""Typical mistakes, recognised by what they come to.

| mistake | rule | where |
|---|---|---|
| `conditioning` | condition on the cause instead of intervening on it | rungs 2, 3 |
| `intervening` | intervene on the cause instead of conditioning on it | rung 1 |
| `no_abduction` | ignore the evidence about the case or the group | where there is evidence |
| `base_rate` | the effect's share of all cases | where a probability is asked |
| `total_effect` | the average effect stands for a part of it, or for pn, ps, pns | rung 3 |

Each has a value for each item, in the coin of its truth: percent, or which of two is greater;
`NOT_COMPUTABLE` where a question gives no room for it. An agent that makes a mistake takes an
unstated number to be 50%.

The *main* mistake of a query is the one that an item is built around: in a trap it misleads, in a
control it leads to the right answer. Whoever sees where doing is asked has no other way to be
right than that nothing else links cause and effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.scm import do, elimination, observe
from whybench.suites.calculate.quantities import (
    EFFECTS,
    FIRST,
    NOT_COMPUTABLE,
    PERCENT,
    SECOND,
    Quantity,
    mediators,
)
from whybench.suites.calculate.world import fill_in

if TYPE_CHECKING:
    from whybench.scm import Model, Query
    from whybench.suites.calculate.world import StatedWorld

MISTAKES = ("conditioning", "intervening", "no_abduction", "base_rate", "total_effect")

MAIN = {
    **dict.fromkeys(("do", "ate", "ett", "nde", "nie", "pn", "ps", "pns"), "conditioning"),
    "observe": "intervening",
    "counterfactual": "no_abduction",
}
"""The mistake around which items of a query are built."""

ASSUMED = 50
"""What an unstated number is taken to be by those who make mistakes."""

DIGITS = 10
"""To which values are rounded."""


def make_mistakes(world: StatedWorld, asked: tuple[Quantity, ...]) -> dict[str, float]:
    """Return what each mistake comes to, in the coin of the truth."""
    (assumed,) = fill_in(world, ASSUMED)
    single = [
        {name: _in_percent(value) for name, value in _values(assumed.rounded, quantity).items()}
        for quantity in asked
    ]
    if len(asked) == 1:
        return single[0]
    result = {}
    for name in MISTAKES:
        first, second = (values[name] for values in single)
        open_ = NOT_COMPUTABLE in (first, second) or first == second
        result[name] = NOT_COMPUTABLE if open_ else (FIRST if first > second else SECOND)
    return result


def _in_percent(share: float | None) -> float:
    """Return a share in percent, rounded so that equal numbers stay equal."""
    return NOT_COMPUTABLE if share is None else round(PERCENT * share, DIGITS)


def _values(model: Model, asked: Quantity) -> dict[str, float | None]:
    """Return what each mistake comes to; None where there is no room for it."""
    x, y, v = asked.cause, asked.effect, asked.value

    def seen(value: int, **given: int) -> float:
        return _ask(model, observe({y: v}, {x: value, **given}))

    def made(value: int) -> float:
        return _ask(model, do({y: v}, {x: value}))

    found: dict[str, float | None] = dict.fromkeys(MISTAKES)
    if asked.query not in EFFECTS:
        found["base_rate"] = _ask(model, observe({y: v}))
    match asked.query:
        case "observe":
            found["intervening"] = made(asked.set_to)
            if asked.given:
                found["no_abduction"] = seen(asked.set_to)
        case "do":
            found["conditioning"] = seen(asked.set_to)
        case "ate":
            found["conditioning"] = seen(1) - seen(0)
        case "ett":
            found["conditioning"], found["no_abduction"] = seen(1) - seen(0), made(1) - made(0)
        case "nde" | "nie":
            found["conditioning"] = _seen_part(model, asked)
            found["total_effect"] = made(1) - made(0)
        case "counterfactual":
            found["conditioning"], found["no_abduction"] = seen(asked.set_to), made(asked.set_to)
        case _:
            found |= _of_necessity(model, asked)
    return found


def _of_necessity(model: Model, asked: Quantity) -> dict[str, float | None]:
    """Return mistakes about necessity and sufficiency, whose effect is asked as present.

    `conditioning` is the observed excess, 0 if there is none: right if nothing confounds and the
    cause never prevents.
    """
    x, y = asked.cause, asked.effect
    with_, without = (_ask(model, observe({y: 1}, {x: value})) for value in (1, 0))
    made, unmade = (_ask(model, do({y: 1}, {x: value})) for value in (1, 0))
    whole = {"pn": with_, "ps": 1 - without, "pns": 1.0}[asked.query]
    ignored = {"pn": 1 - unmade, "ps": made}
    base = _ask(model, observe({y: 1}))
    return {
        "conditioning": max((with_ - without) / whole, 0.0),
        "no_abduction": ignored.get(asked.query),
        "base_rate": 1 - base if asked.query == "pn" else base,
        "total_effect": None if asked.query == "pns" else made - unmade,
    }


def _seen_part(model: Model, asked: Quantity) -> float:
    """Return the direct or indirect effect from what is seen, as if nothing confounded."""
    moved = mediators(model.graph, asked.cause, asked.effect)
    own, others = (1, 0) if asked.query == "nde" else (0, 1)
    total = 0.0
    for number in range(2 ** len(moved)):
        given = {name: number >> place & 1 for place, name in enumerate(moved)}
        among = {**given, asked.cause: own}
        share = _ask(model, observe(given, {asked.cause: others}))
        total += share * _ask(model, observe({asked.effect: asked.value}, among))
    return total - _ask(model, observe({asked.effect: asked.value}, {asked.cause: 0}))


def _ask(model: Model, query: Query) -> float:
    return float(elimination.probability(model, query))
