"""That calculate's truths follow from its prompts: random items of every cell, by four ways.

Both engines are compared in fractions, model by model; the prompt is parsed back; another reader
computes the answer from the printed words (`printed_worlds`); and pgmpy answers what it is asked in
a network with one copy of the variables for each world, and noise that the copies share.
"""

from __future__ import annotations

import warnings
from collections import Counter
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from evidence.figures import Figure
from evidence.printed_worlds import answer_prompt
from whybench.scm import elimination, enumeration
from whybench.seeds import generator
from whybench.suites.calculate.design import MECHANISMS, VARIANTS
from whybench.suites.calculate.generation import ItemCell
from whybench.suites.calculate.items import make_item
from whybench.suites.calculate.mistakes import ASSUMED
from whybench.suites.calculate.prompt_parser import parse_stated_prompt
from whybench.suites.calculate.prompts import STYLES
from whybench.suites.calculate.quantities import (
    FIRST,
    NOT_COMPUTABLE,
    PERCENT,
    QUERIES,
    SECOND,
    complete_values,
)
from whybench.suites.calculate.themes import THEME_NAMES
from whybench.suites.calculate.world import fill_in
from whybench.suites.contract import WORDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whybench.scm import Model, Query
    from whybench.suites.calculate.items import CalculateItem

ROUNDING = 1e-9
FLOATS = 1e-7
"""How far pgmpy, which computes in floats, may be off, in percent."""

GREATER = 0.15
"""How many of the items ask which of two is greater."""

SIZES = range(2, 13)


def random_items(key: str, count: int, sizes: Sequence[int] = SIZES) -> Iterator[CalculateItem]:
    """Yield items of any cell, number of variables, theme, format, wording and style."""
    rng = generator("evidence", "calculate", key)

    def choose(levels: Sequence[Any]) -> Any:
        return levels[int(rng.integers(len(levels)))]

    for number in range(count):
        query, mechanism, variant = choose(QUERIES), choose(MECHANISMS), choose(VARIANTS)
        two = rng.random() < GREATER and query not in {"nde", "nie"}
        indegree = choose((1, 2, 3)) if variant == "control" else choose((2, 3))
        cell = ItemCell(
            query, mechanism, variant, "greater" if two else "number", choose(sizes),
            indegree if query not in {"nde", "nie"} else max(2, indegree), number,
        )  # fmt: skip
        formats = ("text", "table") if mechanism == "tables" else ("text", "table", "program")
        yield make_item(
            cell, choose(THEME_NAMES), choose(formats), choose(WORDINGS), choose(STYLES)
        )


def certificate(small: bool) -> Iterator[Figure]:
    """Yield how many random items have one truth by every way, and give back their world."""
    count = 120 if small else 10_000
    kinds: Counter[str] = Counter()
    wrong: dict[str, list[str]] = {"engines": [], "parsed": [], "words": []}
    values = 0
    for item in random_items("certificate", count):
        world, asked = item.question.world, item.question.asked
        kinds.update([item.gap, f"{len(world.rules)} variables"])
        first = complete_values(enumeration.probability, world, asked, Fraction)
        second = complete_values(elimination.probability, world, asked, Fraction)
        values += sum(map(len, first))
        if first != second:
            wrong["engines"].append(item.id)
        if parse_stated_prompt(item.prompt) != item.world:
            wrong["parsed"].append(item.id)
        if not abs(answer_prompt(item.prompt) - item.truth) <= ROUNDING:
            wrong["words"].append(item.id)
    told = ", ".join(f"{kinds[gap]} {gap}" for gap in ("none", "idle", "number", "noise"))
    sizes = ", ".join(f"{kinds[f'{size} variables']} of {size}" for size in SIZES)
    yield Figure(
        f"{count} random items: both engines have the same fractions",
        f"{len(wrong['engines'])} differ {wrong['engines'][:3] or ''}; {values} values in models "
        f"that agree with what is told; by what is not told: {told}; variables: {sizes}",
        not wrong["engines"],
    )
    for kind, claim in (
        ("parsed", "the prompt gives back the world and the question"),
        ("words", "what follows from the printed words is the truth"),
    ):
        yield Figure(
            f"{count} random items: {claim}",
            f"{len(wrong[kind])} of {count} do not {wrong[kind][:3] or ''}",
            not wrong[kind],
        )


def pgmpy_agrees(small: bool) -> Iterator[Figure]:
    """Yield how many answers pgmpy has too, on all three rungs."""
    count, found = 20 if small else 500, Counter[str]()
    wrong = []
    items = random_items("pgmpy", 10 * count, range(2, 7))
    with warnings.catch_warnings():
        # pgmpy and what it imports warn about their own future; we claim nothing about that.
        warnings.simplefilter("ignore")
        while found.total() < count:
            item = next(items)
            if item.truth == NOT_COMPUTABLE:
                continue
            found[item.cell.query] += 1
            if abs(_ask_pgmpy(item) - item.truth) > FLOATS:
                wrong.append(item.id)
    by_query = ", ".join(f"{found[query]} {query}" for query in QUERIES)
    yield Figure(
        f"pgmpy has the same answer to {count} random items",
        f"{len(wrong)} differ {wrong[:3] or ''}; {by_query}",
        not wrong,
    )


def _ask_pgmpy(item: CalculateItem) -> float:
    (world,) = fill_in(item.question.world, ASSUMED)
    values = [
        sum(
            sign * PERCENT * _pgmpy_probability(world.model, query)
            for sign, query in quantity.terms(world.graph)
        )
        for quantity in item.question.asked
    ]
    if len(values) == 1:
        return values[0]
    return FIRST if values[0] > values[1] else SECOND


def _pgmpy_probability(model: Model, query: Query) -> float:
    """Return the answer of pgmpy: worlds are copies of the variables that share their noise."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork

    worlds, network = list(query.worlds), DiscreteBayesianNetwork()
    copy = "{} in {}".format
    for node in model.graph.nodes:
        mechanism: Any = model.mechanism(node)
        chances = np.array([[float(chance)] for chance in mechanism.chances[:, 0]])
        noise = copy(node, "noise")
        network.add_node(noise)
        network.add_cpds(TabularCPD(noise, len(chances), chances))
        parents, ways = model.graph.parents(node), mechanism.responses[..., 0].astype(float)
        for number, setting in enumerate(worlds):
            name, fixed = copy(node, number), dict(setting)
            network.add_node(name)
            if node in fixed:
                share = float(fixed[node])
                network.add_cpds(TabularCPD(name, 2, [[1 - share], [share]]))
                continue
            causes = [noise, *(copy(parent, number) for parent in parents)]
            network.add_edges_from([(cause, name) for cause in causes])
            holds = ways.reshape(1, -1)
            sizes = [len(chances), *[2] * len(parents)]
            network.add_cpds(TabularCPD(name, 2, np.vstack([1 - holds, holds]), causes, sizes))
    solver = VariableElimination(network)
    chance = partial(_joint_chance, solver, worlds)
    return chance(query.events) / (chance(query.given) if query.given else 1.0)


def _joint_chance(solver: Any, worlds: list[Any], events: Sequence[Any]) -> float:
    wanted = {f"{event.node} in {worlds.index(event.do)}": event.value for event in events}
    joint = solver.query(list(wanted), show_progress=False)
    return float(joint.get_value(**wanted))
