"""Causal questions, all three rungs of the ladder in one form.

Pearl's ladder has three kinds of question. *Seeing*: how likely is Y, among the cases with X?
*Doing*: how likely is Y, if we make X happen? *Imagining*: in the very case we saw, where X did not
happen and Y did not, would Y have happened had X? They differ only in the worlds in which their
events take place. An `Event` says "this node takes this value in the world in which these nodes are
set", and a `Query` asks for the probability of some events given others. Worlds share their noise,
so events of different worlds may be asked together:

>>> print(observe({"Y": 1}, given={"X": 1}))
P(Y=1 | X=1)
>>> print(do({"Y": 1}, {"X": 1}))
P(Y[X=1]=1)
>>> print(counterfactual({"Y": 1}, {"X": 1}, given={"X": 0, "Y": 0}))
P(Y[X=1]=1 | X=0, Y=0)
>>> print(pns("X", "Y"))
P(Y[X=1]=1, Y[X=0]=0)

The last is the probability that X is *necessary and sufficient* for Y: that Y answers to X.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from whybench.scm.errors import InvalidQuery

Setting = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Event:
    """`node` takes `value` in the world where the nodes of `do` are set.

    Attributes:
        node: A node of the model.
        value: 0 or 1.
        do: (node, value) pairs; kept sorted, so that equal worlds are equal. Empty: the actual
            world.
    """

    node: str
    value: int
    do: Setting = ()

    def __post_init__(self) -> None:
        setting = tuple(sorted((node, value) for node, value in self.do)) if self.do else ()
        object.__setattr__(self, "do", setting)
        for node, value in ((self.node, self.value), *setting):
            if value not in (0, 1):
                raise InvalidQuery(f"value of {node} must be 0 or 1, got {value!r}")
        if len(dict(setting)) < len(setting):
            raise InvalidQuery(f"do must set each node once, got {setting}")

    def __str__(self) -> str:
        world = ",".join(f"{node}={value}" for node, value in self.do)
        return f"{self.node}[{world}]={self.value}" if world else f"{self.node}={self.value}"


@dataclass(frozen=True)
class Query:
    """P(all of `target` | all of `given`)."""

    target: tuple[Event, ...]
    given: tuple[Event, ...] = ()

    def __post_init__(self) -> None:
        if not self.target:
            raise InvalidQuery("target must hold at least one event, got none")

    @property
    def events(self) -> tuple[Event, ...]:
        """Target and given together."""
        return self.target + self.given

    @property
    def worlds(self) -> tuple[Setting, ...]:
        """The distinct settings of `do`, in order of appearance."""
        return tuple(dict.fromkeys(event.do for event in self.events))

    def __str__(self) -> str:
        target = ", ".join(map(str, self.target))
        return f"P({target} | {describe(self.given)})" if self.given else f"P({target})"


def describe(events: tuple[Event, ...]) -> str:
    """Events in words: `X=0, Y[X=1]=1`."""
    return ", ".join(map(str, events))


def observe(target: Mapping[str, int], given: Mapping[str, int] | None = None) -> Query:
    """Seeing: P(target | given), all in the actual world."""
    return Query(_events(target), _events(given or {}))


def do(
    target: Mapping[str, int], setting: Mapping[str, int], given: Mapping[str, int] | None = None
) -> Query:
    """Doing: the probability of `target` once `setting` is made so and `given` is then seen."""
    return Query(_events(target, setting), _events(given or {}, setting))


def counterfactual(
    target: Mapping[str, int], setting: Mapping[str, int], given: Mapping[str, int]
) -> Query:
    """Imagining: the probability of `target` had `setting` been so, in a case where `given` was."""
    return Query(_events(target, setting), _events(given))


def pns(cause: str, effect: str) -> Query:
    """P(effect if cause, no effect if no cause): necessity and sufficiency."""
    return Query((Event(effect, 1, ((cause, 1),)), Event(effect, 0, ((cause, 0),))))


def pns_nodes(query: Query) -> tuple[str, str] | None:
    """The cause and effect of a query made by `pns`; None for any other."""
    effect, causes = query.target[0].node, query.target[0].do
    if len(causes) == 1 and query == pns(causes[0][0], effect):
        return causes[0][0], effect
    return None


def _events(
    values: Mapping[str, int], setting: Mapping[str, int] | None = None
) -> tuple[Event, ...]:
    world = tuple((setting or {}).items())
    return tuple(Event(node, value, world) for node, value in values.items())
