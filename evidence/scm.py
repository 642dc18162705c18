"""What we claim of the exact engines, and how large the claim is.

Each function takes its size, returns a small record, and prints nothing; `truth` says what is
claimed of them, as a part of the house's figures.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from time import process_time

import numpy as np

from evidence.figures import Figure
from whybench.scm import (
    Bernoulli,
    BinaryMechanism,
    Event,
    Gate,
    Graph,
    ImpossibleEvidence,
    Logistic,
    Model,
    NoisyAnd,
    NoisyOr,
    Query,
    Table,
    Value,
    certify,
    counterfactual,
    do,
    elimination,
    enumeration,
    observe,
    pns,
)

Engine = Callable[[Model, Query], Value]


@dataclass(frozen=True)
class Agreement:
    """How far two derivations were apart.

    Attributes:
        claim: What agrees.
        models: Random models tried.
        queries: Answers compared.
        impossible: Queries that both derivations refused, since the evidence cannot happen.
        largest_difference: Between two answers; infinite if only one derivation refused.
        seconds: For all of it.
    """

    claim: str
    models: int
    queries: int
    impossible: int
    largest_difference: float
    seconds: float


@dataclass(frozen=True)
class Speed:
    """How long something took."""

    claim: str
    count: int
    seconds: float

    @property
    def per_second(self) -> float:
        """How many of them a second."""
        return self.count / self.seconds


def engines_agree(models: int = 10_000, seed: int = 0) -> Agreement:
    """Enumeration against elimination, on one query of each rung per random model."""
    questions = _questions(models, seed, rungs=3)
    return _compare(
        "enumeration and elimination agree",
        models,
        questions,
        enumeration.probability,
        elimination.probability,
    )


def third_opinion(models: int = 500, seed: int = 0) -> Agreement:
    """Elimination against pgmpy's, on seeing directly and on doing in the mutilated network."""
    questions = _questions(models, seed, rungs=2)
    return _compare(
        "pgmpy agrees on seeing and doing",
        models,
        questions,
        elimination.probability,
        _pgmpy_probability,
    )


def thirty_nodes() -> Speed:
    """Certify the PNS from root to leaf of a chain of blocks with thirty nodes, and 2^30 states."""
    model = chain_of_blocks((("wheel", 5), ("cycle", 6)) * 3 + (("cycle", 3),), seed=0)
    nodes = model.graph.order
    start = process_time()
    certify(model, pns(nodes[0], nodes[-1]))
    return Speed("nodes of a chain of blocks certified", len(nodes), process_time() - start)


def batch_speed(batch: int = 100_000) -> Speed:
    """Certify one query on many parameter sets of the [3,3,3] cycles at once."""
    model = chain_of_blocks((("cycle", 3),) * 3, seed=0, batch=batch)
    query = pns(model.graph.order[0], model.graph.order[-1])
    certify(model, query)
    start = process_time()
    certify(model, query)
    return Speed("queries on [3,3,3] certified in a batch", batch, process_time() - start)


def truth(small: bool) -> Iterator[Figure]:
    """Yield figures on the two engines and a third opinion."""
    agreement = engines_agree(500 if small else 10_000)
    yield Figure(
        "both derivations agree to 1e-12 on observational, interventional, counterfactual queries",
        f"{agreement.queries} queries on {agreement.models} models ({agreement.impossible} with "
        f"impossible evidence, refused by both), largest difference "
        f"{agreement.largest_difference:.1e}",
        agreement.largest_difference <= 1e-12 and agreement.queries > 2.5 * agreement.models,
    )
    third = third_opinion(25 if small else 500)
    yield Figure(
        "pgmpy's elimination agrees (do-queries on the mutilated graph)",
        f"{third.queries} queries on {third.models} models, largest difference "
        f"{third.largest_difference:.1e}",
        third.largest_difference <= 1e-12 and third.queries > 1.25 * third.models,
    )


def certification(small: bool) -> Iterator[Figure]:
    """Yield how long certificates of a large world and of a batch take."""
    large = thirty_nodes()
    yield Figure(
        "a 30-node chain of blocks is certified in under a second",
        f"{large.count} nodes in {large.seconds:.3f} s",
        large.count == 30 and large.seconds < 1,
        timed=True,
    )
    batch = batch_speed(5000 if small else 100_000)
    yield Figure(
        "20,000 parameter sets of the [3,3,3] cycles a second are certified in a batch",
        f"{batch.per_second:,.0f}",
        batch.per_second > 20_000,
        timed=True,
    )


def random_model(
    rng: np.random.Generator, largest: int = 8, most_parents: int = 3, cells: int = 2**20
) -> Model:
    """A model of 2 to `largest` nodes, with mixed mechanisms and at most `cells` noise states."""
    while True:
        names = [f"V{place}" for place in range(int(rng.integers(2, largest + 1)))]
        edges = []
        for place, effect in enumerate(names):
            count = int(rng.integers(0, min(place, most_parents) + 1))
            chosen = rng.permutation(place)[:count]
            edges += [(names[cause], effect) for cause in chosen]
        shuffled = [names[place] for place in rng.permutation(len(names))]
        graph = Graph(tuple(shuffled), tuple(edges))
        model = Model(graph, {n: _random_mechanism(rng, len(graph.parents(n))) for n in names})
        if np.prod([len(model.cells(node).probability) for node in names]) <= cells:
            return model


def random_queries(model: Model, rng: np.random.Generator) -> tuple[Query, Query, Query]:
    """One query for seeing, one for doing, one for imagining, with evidence that may happen."""
    x, y, *others = (str(node) for node in rng.permutation(model.graph.nodes))
    one, other = (int(value) for value in rng.integers(0, 2, 2))
    seen = {node: int(rng.integers(0, 2)) for node in others[: int(rng.integers(0, 3))]}
    kind = rng.random()
    if kind < 0.2:
        imagined = pns(x, y)
    elif kind < 0.5:
        target, *evidence = (_random_event(model, rng) for _ in range(3))
        imagined = Query((target,), tuple(evidence))
    else:
        imagined = counterfactual({y: one}, {x: other}, given={x: 1 - other, y: 1 - one, **seen})
    return (
        observe({y: one}, given={x: other, **seen}),
        do({y: one}, {x: other}, given=seen),
        imagined,
    )


def chain_of_blocks(
    blocks: tuple[tuple[str, int], ...], seed: int, batch: int | None = None
) -> Model:
    """Cycles and wheels joined at cutpoints, with or and and gates.

    cycle(s) has edges i → i+1 and 0 → s-1; wheel(s) has 0 → all, i → i+1 on the rim, and 1 → s-1.
    """
    rng = np.random.default_rng(seed)
    edges: list[tuple[int, int]] = []
    first = 0
    for kind, size in blocks:
        if kind == "cycle":
            local = [*((i, i + 1) for i in range(size - 1)), (0, size - 1)]
        else:
            spokes = [(0, i) for i in range(1, size)]
            local = [*spokes, *((i, i + 1) for i in range(1, size - 1)), (1, size - 1)]
        edges += [(first + cause, first + effect) for cause, effect in dict.fromkeys(local)]
        first += size - 1
    names = [f"N{place:02}" for place in range(first + 1)]
    graph = Graph(tuple(names), tuple((names[cause], names[effect]) for cause, effect in edges))
    chances = rng.uniform(0.2, 0.8, (len(names), batch or 1))
    kinds = rng.choice(["or", "and"], len(names))
    gates = {
        name: Gate("or" if kind == "or" else "and", chance if batch else float(chance[0]))
        for name, kind, chance in zip(names, kinds, chances, strict=True)
    }
    return Model(graph, gates)


def _compare(
    claim: str,
    models: int,
    questions: Iterator[tuple[Model, Query]],
    first: Engine,
    second: Engine,
) -> Agreement:
    start = process_time()
    largest, answered, impossible = 0.0, 0, 0
    for model, query in questions:
        one, other = (_ask(engine, model, query) for engine in (first, second))
        if one is None and other is None:
            impossible += 1
            continue
        answered += 1
        largest = max(largest, inf if one is None or other is None else abs(one - other))
    return Agreement(claim, models, answered, impossible, largest, process_time() - start)


def _ask(engine: Engine, model: Model, query: Query) -> float | None:
    try:
        return float(engine(model, query))
    except ImpossibleEvidence:
        return None


def _questions(models: int, seed: int, rungs: int) -> Iterator[tuple[Model, Query]]:
    """Random models, each with a query for the first so many rungs: seeing, doing, imagining."""
    rng = np.random.default_rng(seed)
    for _ in range(models):
        model = random_model(rng)
        for query in random_queries(model, rng)[:rungs]:
            yield model, query


def _random_event(model: Model, rng: np.random.Generator) -> Event:
    """Any node, in a world where up to two nodes are set."""
    node, *others = (str(name) for name in rng.permutation(model.graph.nodes))
    fixed = others[: int(rng.integers(0, 3))]
    return Event(node, int(rng.integers(0, 2)), tuple((n, int(rng.integers(0, 2))) for n in fixed))


def _random_mechanism(rng: np.random.Generator, parents: int) -> BinaryMechanism:
    chance = rng.uniform(0.05, 0.95, 1 + parents).tolist()
    strengths = tuple(chance[1:])
    options: list[BinaryMechanism] = [
        NoisyOr(chance[0], strengths),
        NoisyAnd(chance[0], strengths),
        Gate("or", chance[0]),
        Gate("and", chance[0]),
        Gate("xor", chance[0]),
        Logistic(rng.normal(), tuple(rng.normal(0, 2, parents).tolist())),
        Table(tuple(rng.uniform(0.05, 0.95, 2**parents).tolist())),
    ]
    if parents == 0:
        options.append(Bernoulli(chance[0]))
    return options[int(rng.integers(len(options)))]


def _pgmpy_probability(model: Model, query: Query) -> float:
    """The answer of pgmpy, in the network that the intervention leaves."""
    with warnings.catch_warnings():
        # pgmpy and what it imports warn about their own future; we claim nothing about that.
        warnings.simplefilter("ignore")
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.inference import VariableElimination
        from pgmpy.models import DiscreteBayesianNetwork

        setting = dict(query.worlds[0])
        graph = model.graph.without_edges_into(setting)
        network = DiscreteBayesianNetwork(list(graph.edges))
        network.add_nodes_from(graph.nodes)
        for node in graph.nodes:
            parents = graph.parents(node)
            set_to = np.array([float(setting.get(node, 0))])
            chance = set_to if node in setting else model.table(node)[:, 0]
            rows = [1 - chance, chance]
            network.add_cpds(TabularCPD(node, 2, rows, parents, [2] * len(parents)))
        solver = VariableElimination(network)

        def weight(events: tuple[Event, ...]) -> float:
            """P(events), from the joint table of their nodes."""
            values = {event.node: event.value for event in events}
            joint = solver.query(list(values), show_progress=False)
            return float(joint.get_value(**values))

        evidence = weight(query.given) if query.given else 1.0
        if evidence == 0:
            raise ImpossibleEvidence(f"evidence must be possible, got {query}")
        return weight(query.events) / evidence
