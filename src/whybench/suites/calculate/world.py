"""Worlds that are told in numbers: what each variable depends on, and how.

A world has 2 to 12 variables, each of which holds or does not. Every variable has a
`StatedRule`, whose numbers are whole percentages as they are printed; a number may be left unstated
(None). There are four kinds of rules:

| kind | numbers | the variable holds |
|---|---|---|
| `table` | one per configuration of the causes | in that share of cases |
| `or` | one per cause, a last one | if the coin of some active cause, or a last coin, falls so |
| `and` | one per cause, a last one | unless the coin of some active cause, or a last coin, blocks |
| `threshold` | points per cause, a start at the end | if a draw from 1 to 100 is within points |

A cause of a gate is active when it has the value that `active` says. Configurations are numbered
with the first cause as the highest bit. Coins and draws are noise that is stated; a table says no
more than shares, and leaves open what would have been the case had a cause differed. A variable
without causes has a table of one number: its share of cases, and one coin with it.

`completions` lists models that agree with all that is told. What is the same in all of them can be
computed; what is not cannot. Truths follow from the printed numbers, in fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Literal

from whybench.scm import Graph, Model
from whybench.suites.calculate.responses import Responses, antithetic_rows, merge_cells, shared_draw

if TYPE_CHECKING:
    from whybench.suites.calculate.responses import WeighedResponses

RuleKind = Literal["table", "or", "and", "threshold"]

GATES = ("or", "and")

ALL = 100
"""Percent."""

FILLINGS = (5, 20, 50, 80, 95)
"""What an unstated number is tried to be."""


@dataclass(frozen=True)
class StatedRule:
    """How one variable comes about.

    Attributes:
        kind: How causes act together.
        causes: The direct causes.
        numbers: Whole percentages; None where one is not stated.
        active: For each cause of a gate, the value at which it acts; empty for other kinds.
    """

    kind: RuleKind
    causes: tuple[str, ...]
    numbers: tuple[int | None, ...]
    active: tuple[int, ...] = ()

    @property
    def states_noise(self) -> bool:
        """Whether it is told what would have been had a cause differed."""
        return self.kind != "table" or not self.causes

    def respond(self) -> WeighedResponses:
        """Return the ways to respond to the causes that the noise may choose, with their chances.

        Of a table, as if one draw decided over all of its rows.
        """
        numbers = _stated(self.numbers)
        if self.kind == "table":
            return shared_draw(numbers)
        if self.kind == "threshold":
            *points, start = numbers
            reached = (
                start + sum(point * value for point, value in zip(points, row, strict=True))
                for row in product((0, 1), repeat=len(points))
            )
            return shared_draw([min(max(score, 0), ALL) for score in reached])
        chances = map(prod, product(*((ALL - number, number) for number in numbers)))
        return merge_cells(zip(chances, _gate_responses(self.kind, self.active), strict=True))


@cache
def _gate_responses(kind: RuleKind, active: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the response of a gate to each way in which its coins may fall, the last one last."""
    blocks = int(kind == "and")
    responses = []
    for *own, last in product((0, 1), repeat=len(active) + 1):
        response = []
        for row in product((0, 1), repeat=len(active)):
            acts = (value == on for value, on in zip(row, active, strict=True))
            falls = last or any(coin and act for coin, act in zip(own, acts, strict=True))
            response.append(int(falls) ^ blocks)
        responses.append(tuple(response))
    return tuple(responses)


@dataclass(frozen=True)
class StatedWorld:
    """Variables, causes first, and the rule of each.

    Attributes:
        states: The words for a variable that holds, and for one that does not.
        rules: Name and rule of each variable, in the order of telling.
    """

    states: tuple[str, str]
    rules: tuple[tuple[str, StatedRule], ...]

    @cached_property
    def rule(self) -> dict[str, StatedRule]:
        """The rules by name."""
        return dict(self.rules)

    @cached_property
    def graph(self) -> Graph:
        """Who may cause whom."""
        return _graph(tuple((name, rule.causes) for name, rule in self.rules))

    @property
    def states_noise(self) -> bool:
        """Whether the noise of every variable is told."""
        return all(rule.states_noise for _, rule in self.rules)

    @property
    def unstated(self) -> tuple[str, int] | None:
        """The variable one of whose numbers is not stated, and which; None if all are."""
        for name, rule in self.rules:
            if None in rule.numbers:
                return name, rule.numbers.index(None)
        return None

    @cached_property
    def model(self) -> Model:
        """The model in which one draw decides over all rows of a table."""
        return self._model(rounded=False)

    @cached_property
    def rounded(self) -> Model:
        """The same model in floats."""
        return self._model(rounded=True)

    def _model(self, rounded: bool) -> Model:
        mechanisms = {name: _mechanism(rounded, (rule, True)) for name, rule in self.rules}
        return Model(self.graph, mechanisms)

    def completions(self, noise: bool, rounded: bool = False) -> Model:
        """Return the models that agree with what is told, as one that stands for all of them.

        Args:
            rounded: Whether to calculate in floats.
            noise: Whether to differ in what tables leave open, too: in every other model, every
                other row is decided by the opposite of the draw. That says the same of seeing and
                doing, but not of what would have been.
        """
        fillings = len(FILLINGS) if self.unstated else 1
        draws = (True, False) if noise and not self.states_noise else (True,)
        if fillings == len(draws) == 1:
            return self.rounded if rounded else self.model
        mechanisms = {}
        for name, rule in self.rules:
            filled = _fill_in_rule(rule, *FILLINGS) if None in rule.numbers else [rule] * fillings
            told = [(each, one_draw or each.states_noise) for each in filled for one_draw in draws]
            mechanisms[name] = _mechanism(rounded, *(told[:1] if len({*told}) == 1 else told))
        return Model(self.graph, mechanisms)


@lru_cache(maxsize=256)
def _graph(causes: tuple[tuple[str, tuple[str, ...]], ...]) -> Graph:
    """Return the graph of names and their causes, with what it has found out about itself."""
    edges = tuple((cause, name) for name, own in causes for cause in own)
    return Graph(tuple(name for name, _ in causes), edges)


def fill_in(world: StatedWorld, *numbers: int) -> tuple[StatedWorld, ...]:
    """Return the world with its unstated number set to each of these; itself if all are stated."""
    if world.unstated is None:
        return (world,)
    name, _ = world.unstated
    return tuple(
        replace(world, rules=tuple({**world.rule, name: rule}.items()))
        for rule in _fill_in_rule(world.rule[name], *numbers)
    )


def _fill_in_rule(rule: StatedRule, *numbers: int) -> list[StatedRule]:
    """Return the rule with its unstated number set to each of these."""
    place = rule.numbers.index(None)
    before, after = rule.numbers[:place], rule.numbers[place + 1 :]
    return [replace(rule, numbers=(*before, number, *after)) for number in numbers]


@lru_cache(maxsize=4096)
def _mechanism(rounded: bool, *models: tuple[StatedRule, bool]) -> Responses:
    """Return the mechanism of a rule in each model, in which one draw decides all rows or not."""
    return Responses.of(
        *(
            rule.respond() if one_draw else antithetic_rows(_stated(rule.numbers))
            for rule, one_draw in models
        ),
        rounded=rounded,
    )


def _stated(numbers: tuple[int | None, ...]) -> list[int]:
    found = [number for number in numbers if number is not None]
    if len(found) < len(numbers):
        raise ValueError("numbers must be stated to make a model, got one that is not")
    return found
