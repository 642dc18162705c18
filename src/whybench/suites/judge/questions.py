"""The questions that are asked of each causal structure, read from `tasks.yaml`.

A *task* is a kind of inference, numbered by Roman numerals within its graph. Most tasks of the
collider and of the fork come in two versions, since two variables are interchangeable; a version
is a *question*, told apart by the variable it is about. In the chain each task is one question.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any

import yaml

from whybench.errors import UserError, suggest
from whybench.scm import Graph, Model, NoisyOr, observe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whybench.scm import Query


@dataclass(frozen=True)
class JudgeQuestion:
    """How likely is `target` to be present, given what is known?

    Attributes:
        task: The kind of inference, as a Roman numeral.
        letter: The letter of the task in the human data; made up where there are none.
        cause: The variable that this version is about, a cause in the collider and an effect in
            the fork; `both` where there is but one version.
        target: The node whose presence is judged.
        given: What is known: pairs of a node and 1 (present) or 0 (absent).
    """

    task: str
    letter: str
    cause: str
    target: str
    given: tuple[tuple[str, int], ...]

    @property
    def query(self) -> Query:
        """The probability that is asked for, given what is known."""
        return observe({self.target: 1}, dict(self.given))


@dataclass(frozen=True)
class TaskContrast:
    """A measure: the mean of the task means `above`, less the mean of those `below`."""

    above: tuple[str, ...]
    below: tuple[str, ...]


@dataclass(frozen=True)
class CausalStructure:
    """A causal graph with its questions.

    Attributes:
        name: Its name, the level of the column `graph`.
        nodes: Its variables; a polarity has their signs in this order.
        edges: Pairs of a cause and its effect.
        questions: What is asked of it.
        polarities: The polarities used unless a story says otherwise.
        contrasts: Its measures by name.
    """

    name: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    questions: tuple[JudgeQuestion, ...]
    polarities: tuple[str, ...]
    contrasts: Mapping[str, TaskContrast]

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, each once, in the order of its questions."""
        return tuple(dict.fromkeys(question.task for question in self.questions))

    @cached_property
    def graph(self) -> Graph:
        """The graph alone."""
        return Graph(self.nodes, self.edges)

    @cached_property
    def topological_order(self) -> tuple[str, ...]:
        """The nodes in the order in which they are told: no effect before its cause."""
        return tuple(sorted(self.nodes, key=lambda node: len(self.graph.ancestors(node))))

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The nodes that nothing causes."""
        return tuple(node for node in self.nodes if not self.graph.parents(node))

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """The two nodes without a link, and, if it takes one, the node that screens them off."""
        pair = next(
            pair for pair in combinations(self.nodes, 2) if not {pair, pair[::-1]} & set(self.edges)
        )
        between = (node for node in self.nodes if node not in pair)
        return *pair, *(node for node in between if self.graph.parents(node) != pair)

    def base_rates(self, prior: float, leak: float) -> tuple[float, ...]:
        """Return how likely each node is without any cause: the prior of a root, else the leak."""
        return tuple(prior if node in self.roots else leak for node in self.nodes)

    def noisy_or_model(self, base_rates: Iterable[Any], strengths: Iterable[Any]) -> Model:
        """Return a noisy-OR model.

        Args:
            base_rates: The probability of each node without its causes; an array for many worlds.
            strengths: The strength of each edge, likewise.
        """
        strength = dict(zip(self.edges, strengths, strict=True))
        return Model(
            self.graph,
            {
                node: NoisyOr(rate, tuple(strength[c, node] for c in self.graph.parents(node)))
                for node, rate in zip(self.nodes, base_rates, strict=True)
            },
        )


@cache
def load_structure(name: str) -> CausalStructure:
    """Return the structure of this name."""
    if name not in GRAPHS:
        raise UserError(
            f"graph must be one of {', '.join(GRAPHS)}, got {name!r}{suggest(name, GRAPHS)}"
        )
    raw = _table()[name]
    return CausalStructure(
        name=name,
        nodes=tuple(raw["nodes"]),
        edges=tuple((cause, effect) for cause, effect in raw["edges"]),
        questions=tuple(
            question
            for task, entry in raw["tasks"].items()
            for question in _versions(task, entry, raw["mirror"])
        ),
        polarities=tuple(raw["polarities"]),
        contrasts={
            measure: TaskContrast(tuple(entry["above"]), tuple(entry["below"]))
            for measure, entry in raw["contrasts"].items()
        },
    )


@cache
def _table() -> dict[str, Any]:
    text = files(__package__).joinpath("tasks.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return table


def _versions(task: str, entry: dict[str, Any], mirror: dict[str, str]) -> list[JudgeQuestion]:
    """Return the task's question, and its mirror image where that is another question."""

    def rename_nodes(names: dict[str, str]) -> JudgeQuestion:
        target = names.get(entry["asked"], entry["asked"])
        given = tuple(sorted((names.get(node, node), v) for node, v in entry["given"].items()))
        return JudgeQuestion(task, entry["letter"], "both", target, given)

    question, image = rename_nodes({}), rename_nodes(mirror)
    if question == image:
        return [question]
    return [
        replace(version, cause=cause)
        for cause, version in zip(mirror, (question, image), strict=True)
    ]


GRAPHS = tuple(_table())
"""The causal graphs by name; the first is the default."""
