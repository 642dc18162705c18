"""Prompts of RLCausal: from the text to the world and the question.

Only what an agent is shown is read: the values of variables, the graph, the tables with two digits
and the question. A text that is not wholly of the known form, or that contradicts itself, is
refused: an audit of what was half read would accuse or acquit by chance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

from whybench.errors import DataError
from whybench.scm import Graph, ScmError

Distribution = tuple[Fraction, ...]
"""The probabilities of a variable's values, in one configuration of its parents."""

HALF = Fraction(1, 200)
"""Half of the last printed place."""

FORM = re.compile(
    r"Here's a structural causal model over discrete random variables\. "
    r"The Variables are (?P<names>[^.]+)\. Here are the Values they can take on\.\n\n"
    r"(?P<values>.+?)\n\n"
    r"Here's the causal directed acyclic graph \(DAG\):\n\n"
    r"strict digraph \{\n(?P<graph>.+?)\}\n\n\n"
    r"Here are the causal conditional probability tables \(CPT\) associated with the DAG:\n\n"
    r"(?P<tables>.+?)\n\n"
    r"(?P<selectors>Furthermore, each variable v is assumed to depend deterministically on its "
    r"parents pa\(v\) and a collection of independent exogenous selector variables, one for each "
    r"possible joint assignment to pa\(v\), whose marginal distribution is defined to be "
    r"p\(v \| pa\(v\)\)\. Given a particular assignment to pa\(v\), v takes on the value of the "
    r"selector variable corresponding to that particular assignment pa\(v\)\.\n\n)?"
    r"Here's your Question: What is the marginal distribution of (?P<target>\w+) given "
    r"(?P<given>[^?]+)\?\n\n----------\n\nNow start your solution process\. Be precise\.",
    re.DOTALL,
)

VALUES = re.compile(r"(\w+) can take values in \[([\d, ]+)\]")
ROW = re.compile(r"P\((\w+)(?: \| ([^)]*))?\) = (\[.+\])")

GIVEN = {
    "observational": re.compile(r"it is observed that (?P<seen>\w+)=(?P<value>\d+)"),
    "interventional": re.compile(r"we intervented to set (?P<set>\w+) to (?P<to>\d+)"),
    "counterfactual": re.compile(
        r"we first observed (?P<seen>\w+) = (?P<value>\d+) and then intervened to set "
        r"(?P<set>\w+) to (?P<to>\d+)"
    ),
}
"""How each kind of question says what is given."""


@dataclass(frozen=True)
class PrintedWorld:
    """What the tables print.

    Attributes:
        graph: Who causes whom; the order of a variable's parents is that of its table.
        values: How many values each variable has, in the order of the graph's nodes.
        tables: The rows of each variable, in the same order; configurations count up, the first
            parent slowest.
    """

    graph: Graph
    values: tuple[int, ...]
    tables: tuple[tuple[Distribution, ...], ...]

    def values_of(self, node: str) -> int:
        """Return how many values a variable has."""
        return self.values[self.graph.nodes.index(node)]

    def table_of(self, node: str) -> tuple[Distribution, ...]:
        """Return the rows of a variable."""
        return self.tables[self.graph.nodes.index(node)]


@dataclass(frozen=True)
class DistributionQuestion:
    """What is asked: a variable's distribution, after something was seen, set, or both in turn."""

    kind: str
    target: str
    seen: tuple[str, int] | None = None
    done: tuple[str, int] | None = None


def parse_prompt(text: str) -> tuple[PrintedWorld, DistributionQuestion]:
    """Return the world and the question of a prompt.

    Raises:
        DataError: The text is not of the known form, or its parts do not fit each other.
    """
    parts = FORM.fullmatch(text)
    if parts is None:
        raise DataError(f"a prompt must be of RLCausal's form, got {_short(text)}")
    world = _read_world(*parts.group("names", "values", "graph", "tables"))
    kind, given = _read_given(parts["given"])
    if (parts["selectors"] is not None) != (kind == "counterfactual"):
        raise DataError(f"selectors must be told of in counterfactual prompts alone, got {kind}")
    question = DistributionQuestion(
        kind,
        parts["target"],
        (given["seen"], int(given["value"])) if given.get("seen") else None,
        (given["set"], int(given["to"])) if given.get("set") else None,
    )
    _check_question(world, question)
    return world, question


def read_distribution(text: str, count: int) -> Distribution:
    """Return a printed list of `count` probabilities with at most two digits.

    Raises:
        DataError: It is something else, or no distribution is printed so.
    """
    inner = re.fullmatch(r"\[((?:[01](?:\.\d\d?)?(?:, )?)+)\]", text)
    numbers = tuple(Fraction(word) for word in inner[1].split(", ")) if inner else ()
    if (
        len(numbers) != count
        or abs(sum(numbers, Fraction(-1))) > count * HALF
        or any(number > 1 for number in numbers)
    ):
        raise DataError(
            f"a distribution must be {count} probabilities of at most two digits that add up to "
            f"about 1, got {text}"
        )
    return numbers


@lru_cache(maxsize=64)  # questions about one world follow each other
def _read_world(names: str, values: str, graph: str, tables: str) -> PrintedWorld:
    nodes = tuple(names.split(", "))
    counts = _read_values(values)
    if tuple(counts) != nodes:
        raise DataError(f"values must be told of {names} in turn, got {', '.join(counts)}")
    listed, edges = _read_graph(graph)
    rows = _read_rows(tables, counts)
    if set(listed) != set(nodes) or set(rows) != set(nodes):
        raise DataError(f"graph and tables must be of {names}, got {listed} and {[*rows]}")
    parents = {node: next(iter(rows[node]))[::2] for node in nodes}
    told = {(parent, node) for node in nodes for parent in parents[node]}
    if told != set(edges):
        raise DataError(f"tables must be given their parents in the graph, got {told} and {edges}")
    try:
        found = Graph(nodes, tuple((parent, node) for node in nodes for parent in parents[node]))
    except ScmError as error:
        raise DataError(f"the graph must be one of causes: {error}") from error
    return PrintedWorld(
        found,
        tuple(counts.values()),
        tuple(_sort_rows(node, parents[node], rows[node], counts) for node in nodes),
    )


def _read_values(text: str) -> dict[str, int]:
    found = {}
    for line in text.split("\n"):
        match = VALUES.fullmatch(line)
        count = match[2].count(",") + 1 if match else 0
        if match is None or count < 2 or match[2] != ", ".join(map(str, range(count))):
            raise DataError(f"values must be told as 0, 1, …, got {line!r}")
        found[match[1]] = count
    return found


def _read_graph(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    nodes, edges = [], []
    for line in text.splitlines():
        match = re.fullmatch(r"(\w+)(?: -> (\w+))?;", line)
        if match is None:
            raise DataError(f"the graph must have a node or an arrow a line, got {line!r}")
        if match[2]:
            edges.append((match[1], match[2]))
        else:
            nodes.append(match[1])
    return nodes, edges


def _read_rows(text: str, counts: dict[str, int]) -> dict[str, dict[tuple[str, ...], Distribution]]:
    """Return rows by variable and by what its parents are, as `(parent, value, parent, value)`."""
    found: dict[str, dict[tuple[str, ...], Distribution]] = {}
    for block in text.strip("\n").split("\n\n"):
        head, *lines = block.split("\n")
        node = head.removeprefix("CPTs for ").removesuffix(":")
        if head != f"CPTs for {node}:" or node not in counts or node in found or not lines:
            raise DataError(f"a table must begin with its variable, once, got {head!r}")
        found[node] = {}
        for line in lines:
            match = ROW.fullmatch(line)
            if match is None or match[1] != node:
                raise DataError(f"a row of {node} must be of the form P({node} | …), got {line!r}")
            given = tuple(re.split("[=,]", match[2])) if match[2] else ()
            if given in found[node]:
                raise DataError(f"rows of {node} must differ in what is given, got {line!r} twice")
            found[node][given] = read_distribution(match[3], counts[node])
    return found


def _sort_rows(
    node: str,
    parents: tuple[str, ...],
    rows: dict[tuple[str, ...], Distribution],
    counts: dict[str, int],
) -> tuple[Distribution, ...]:
    every = product(*(range(counts[parent]) for parent in parents))
    wanted = [
        tuple(word for pair in zip(parents, map(str, one), strict=True) for word in pair)
        for one in every
    ]
    if set(wanted) != set(rows):
        raise DataError(
            f"the table of {node} must have the {len(wanted)} rows of {', '.join(parents)}, "
            f"got {len(rows)}, such as {' '.join(next(iter(rows)))}"
        )
    return tuple(rows[one] for one in wanted)


def _read_given(text: str) -> tuple[str, dict[str, str]]:
    """Return the kind of question, and what is given by the names of `GIVEN`."""
    for kind, form in GIVEN.items():
        match = form.fullmatch(text)
        if match:
            return kind, match.groupdict()
    raise DataError(f"what is given must be of a known form, got {text!r}")


def _check_question(world: PrintedWorld, question: DistributionQuestion) -> None:
    told = [pair for pair in (question.seen, question.done) if pair]
    for node, value in (*told, (question.target, 0)):
        if node not in world.graph.nodes or value >= world.values_of(node):
            raise DataError(f"a question must be about variables and values told, got {question}")


def _short(text: str) -> str:
    return repr(text if len(text) < 120 else f"{text[:60]} … {text[-60:]}")
