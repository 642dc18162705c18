"""The figures of the worlds of compose: goldens, the product rule, units, speed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from evidence.figures import Figure, Parts
from whybench.scm import (
    Bernoulli,
    Certificate,
    Gate,
    Graph,
    Model,
    NotDecomposable,
    Table,
    Value,
    agreed,
    block_product,
    certify,
    do,
    elimination,
    enumeration,
    observe,
    pns,
)
from whybench.seeds import generator
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.truth import (
    list_queries,
    make_answer_key,
    population_pns,
)
from whybench.suites.compose.units import BATCH, draw_units, parse_shape, round_size
from whybench.suites.compose.world import (
    ComposeWorld,
    draw_world,
    make_block_table,
    node_name,
    split_of_world,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.compose.world import Gate as GateKind
    from whybench.suites.compose.world import Gates

KINDS: tuple[Gates, ...] = ("or", "and", "mixed")

PARTY_PNS: Mapping[GateKind, str] = {
    "or": "XC 27/125 XD 81/625 CD 3/5 CY 81/625 DY 27/125 XY 2187/78125",
    "and": "XC 8/125 XD 16/625 CD 2/5 CY 16/625 DY 8/125 XY 128/78125",
}
"""The party of eight: PNS of all pairs of anchors, by the gate of all nodes."""

FOUR_PERSON_PNS = "AD 7/16 AC 49/144 BD 9/16"

CYCLE_PNS: Mapping[GateKind, str] = {
    "or": "3/10 9/250 9/2500 3/25 3/250 1/10",
    "and": "1/5 21/250 21/625 21/50 21/125 2/5",
}
"""Three cycles of three nodes: PNS of all pairs, in the order of `ComposeWorld.pairs`."""

THIRTY = (Block("cycle", 3), Block("wheel", 4)) * 5 + (Block("cycle", 3),) * 2
"""Twelve blocks on thirty nodes."""


def party(kind: GateKind, parents_of_b: str) -> Model:
    """Return the party of eight; the source leaves open who makes B happy.

    Everyone gets 1 to 10 and wants 7, so that each bit is true with probability 2/5.
    """
    edges = ["XA", "XC", "AC", "BC", "CD", "DE", "DF", "EF", "EY", "FY"]
    edges += [parent + "B" for parent in parents_of_b]
    graph = Graph(tuple("XABCDEFY"), tuple((edge[0], edge[1]) for edge in edges))
    return Model(graph, dict.fromkeys(graph.nodes, Gate(kind, Fraction(2, 5))))


def four_person_party() -> Model:
    """Return the party of four: C, and likewise D, is happy if A and B both are, or by its own.

    Everyone gets 1 to 12; A wants 4, B 6, C 8 and D 10.
    """
    reach = {
        name: Fraction(13 - want, 12) for name, want in zip("ABCD", (4, 6, 8, 10), strict=True)
    }
    graph = Graph(tuple("ABCD"), tuple((cause, effect) for effect in "CD" for cause in "AB"))
    one = Fraction(1)
    both = {name: Table((reach[name], reach[name], reach[name], one)) for name in "CD"}
    return Model(graph, {"A": Bernoulli(reach["A"]), "B": Bernoulli(reach["B"]), **both})


def cycles(gate: GateKind) -> ComposeWorld:
    """Return three cycles of three nodes with bits of probability .6, .4, .5, .7, .6, .8, .5."""
    return ComposeWorld((Block("cycle", 3),) * 3, ("or", *(gate,) * 6), (5, 7, 6, 4, 5, 3, 6))


GRAPHS = parse_shape("XA.XB.AY.BY+XA.XB.AC.BY.CY")
"""Blocks whose nodes have several orders, causes first."""


def random_blocks(*keys: object) -> tuple[Block, ...]:
    """Return two to four blocks of any kind, of at most five nodes."""
    rng = generator("evidence", "blocks", *keys)
    choices = [Block("bridge", 2), *(Block("cycle", n) for n in (3, 4, 5))]
    choices += [Block("wheel", 4), Block("wheel", 5), Block("ladder", 4), *GRAPHS]
    return tuple(choices[place] for place in rng.integers(0, len(choices), rng.integers(2, 5)))


def theorem_failures(gates: Gates, count: int) -> int:
    """Count the random worlds in which the product over blocks is not the PNS of root and leaf.

    Blocks and whole are computed alike, by elimination on the whole network, so that nothing but
    the theorem can make them agree; enumeration of the blocks is asked too.
    """
    failures = 0
    for number in range(count):
        world = draw_world(random_blocks(gates, number), gates, "theorem", number)
        model = world.model()
        whole = elimination.probability(model, pns(node_name(world.root), node_name(world.leaf)))
        product = prod(
            elimination.probability(model, pns(node_name(first), node_name(last)))
            for first, last in pairwise(world.anchors)
        )
        certified = population_pns(world, world.root, world.leaf).value
        failures += not whole == product == certified
    return failures


def broken(reason: str, count: int) -> tuple[int, int]:
    """Make random models that break the product rule for one reason.

    Returns:
        In how many the product differs from the truth, and how many `block_product` refuses.
    """
    different = refused = 0
    rng = generator("evidence", "broken", reason)
    for _ in range(count):
        chances = [Fraction(int(n), 10) for n in rng.integers(1, 10, 4)]
        kinds = ["xor"] * 4 if reason == "xor" else rng.choice(["or", "and"], 4).tolist()
        edges = {
            "xor": ("XM", "MY"),
            "shared noise": ("XM", "ZM", "MY", "ZY"),
            "no cutpoint": ("XM", "MY", "XY"),
        }[reason]
        graph = Graph(tuple("XZMY"), tuple((edge[0], edge[1]) for edge in edges))
        gates = zip(graph.nodes, kinds, chances, strict=True)
        model = Model(graph, {node: Gate(kind, p) for node, kind, p in gates})
        product = prod(enumeration.probability(model, pns(*pair)) for pair in ("XM", "MY"))
        different += product != enumeration.probability(model, pns("X", "Y"))
        try:
            block_product.probability(model, pns("X", "Y"))
        except NotDecomposable:
            refused += 1
    return different, refused


def unit_violations(units: int, worlds: int) -> int:
    """Count the units, drawn as chance has it, on which some pair breaks the unit identity."""
    violations = 0
    for number in range(worlds):
        world = draw_world(random_blocks("identity", number), "mixed", "identity", number)
        rng = generator("evidence", "identity", number)
        chances = [float(world.chance(node)) for node in world.nodes]
        key = make_answer_key(world, rng.random((units // worlds, world.size)) < chances)
        transmits = key.transmits
        blocks = [world.blocks_between(*pair) for pair in world.pairs]
        product = np.stack([transmits[:, list(part)].all(axis=1) for part in blocks], axis=1)
        violations += int((product != key.indicators).any(axis=1).sum())
    return violations


@dataclass(frozen=True)
class Unbiased:
    """How far weighted estimates, averaged over seeds, are from the truth.

    Attributes:
        effects: The largest deviation of a mean over seeds, in its standard errors, among PNS and
            ATE of all pairs.
        others: The same among the shares of anchors that hold and of bits that are true.
        quantities: How many quantities these are.
        inside: Share of single estimates within three standard deviations (over seeds) of the
            truth.
    """

    effects: float
    others: float
    quantities: int
    inside: float

    @property
    def bound(self) -> float:
        """How far the largest of so many deviations is by chance once in a hundred times."""
        return NormalDist().inv_cdf(1 - 0.01 / 2 / self.quantities)


def population_ate(world: ComposeWorld, cause: int, effect: int) -> Certificate:
    """Return P(effect | do cause) - P(effect | do not cause), as a fraction.

    The first derivation carries the probability that an anchor holds from block to block.
    """
    tables = [make_block_table(world, number) for number in world.blocks_between(cause, effect)]
    model = world.model()
    chained: list[Fraction] = []
    eliminated: list[Value] = []
    for setting in (1, 0):
        holds = Fraction(setting)
        for table in tables:
            with_it, without = (
                table.probability(patterns) for patterns in (table.if_true, table.if_false)
            )
            holds = holds * with_it + (1 - holds) * without
        chained.append(holds)
        query = do({node_name(effect): 1}, {node_name(cause): setting})
        eliminated.append(elimination.probability(model, query))
    return agreed(
        f"average effect of {cause} on {effect}",
        ("block chain", chained[0] - chained[1]),
        ("elimination", eliminated[0] - eliminated[1]),
    )


def closed_form_pns(world: ComposeWorld, cause: int, effect: int) -> Fraction | None:
    """Return the PNS where it has a closed form: all blocks between have a single kind of gate.

    In a block of or gates a true bit makes its node true and all that follow, so the block
    transmits just when all bits but the first node's are false; with and gates, when all are true.
    So it is the product of 1 - p, or of p, over these nodes. A bridge has one gate.
    """
    result = Fraction(1)
    for number in world.blocks_between(cause, effect):
        others = range(world.anchors[number] + 1, world.anchors[number + 1] + 1)
        if len({world.gates[node] for node in others}) > 1:
            return None
        for node in others:
            p = world.chance(node)
            result *= p if world.gates[node] == "and" else 1 - p
    return result


def weighted_estimates(world: ComposeWorld, units: int, seeds: int) -> Unbiased:
    """Estimate PNS and ATE of all pairs, factual shares and the bits' means from weighted units."""
    found = []
    for seed in range(seeds):
        drawn = draw_units(world, units, "evidence", seed)
        key = make_answer_key(world, drawn.bits)
        effects = key.if_true.astype(int) - key.if_false
        made = np.concatenate([key.indicators, effects], axis=1) * drawn.weights[:, None]
        facts = np.concatenate([key.factual, drawn.bits], axis=1) * drawn.factual_weights[:, None]
        found.append(np.concatenate([made, facts], axis=1).mean(axis=0))
    estimates = np.array(found)
    model = world.model()
    truths = [float(population_pns(world, *pair).value) for pair in world.pairs]
    truths += [float(population_ate(world, *pair).value) for pair in world.pairs]
    factual = [observe({node_name(anchor): 1}) for anchor in world.anchors[1:]]
    truths += [float(elimination.probability(model, query)) for query in factual]
    truths += [float(world.chance(node)) for node in world.nodes]
    spread = estimates.std(axis=0, ddof=1)
    # Where a whole round leaves no sampling error, rounding is all there is.
    spread = np.maximum(spread, 1e-12)
    largest = np.abs(estimates.mean(axis=0) - truths) / (spread / np.sqrt(seeds))
    inside = (np.abs(estimates - truths) <= 3 * spread).mean()
    effects, others = np.split(largest, [2 * len(world.pairs)])
    return Unbiased(float(effects.max()), float(others.max()), len(truths), float(inside))


def certified_a_second(world: ComposeWorld, units: int) -> float:
    """Return how many questions a second of this process are drawn and certified."""
    started = time.process_time()
    made = 0
    for start in range(0, units, BATCH):
        drawn = draw_units(world, min(BATCH, units - start), "speed", start=start)
        key = make_answer_key(world, drawn.bits)
        made += sum(len(key.certificates(unit)) for unit in range(len(drawn.bits)))
    return made / (time.process_time() - started)


def goldens(_: bool) -> Iterator[Figure]:
    """Compute the published and hand-computed examples."""
    for kind, expected in PARTY_PNS.items():
        words = expected.split()
        wanted = dict(zip(words[::2], map(Fraction, words[1::2]), strict=True))
        right = [
            certify(party(kind, parents), pns(*pair)).value == value
            for parents in ("X", "A", "XA")
            for pair, value in wanted.items()
        ]
        yield Figure(
            f"party of eight, {kind}: six PNS for three choices of B's parents",
            f"{sum(right)} of {len(right)} right, XY = {words[-1]}",
            all(right) and len(right) == 18,
        )
    words = FOUR_PERSON_PNS.split()
    four = {pair: certify(four_person_party(), pns(*pair)).value for pair in words[::2]}
    yield Figure(
        f"party of four: {FOUR_PERSON_PNS}",
        " ".join(f"{pair} {value}" for pair, value in four.items()),
        list(four.values()) == [Fraction(value) for value in words[1::2]],
    )
    for kind, expected in CYCLE_PNS.items():
        world = cycles(kind)
        values = [population_pns(world, *pair).value for pair in world.pairs]
        closed = [closed_form_pns(world, *pair) for pair in world.pairs]
        averages = [population_ate(world, *pair).value for pair in world.pairs]
        yield Figure(
            f"three cycles, {kind}: {expected}; ATE and closed form the same",
            " ".join(map(str, values)),
            values == closed == averages == [Fraction(value) for value in expected.split()],
        )


def theorem(small: bool) -> Iterator[Figure]:
    """Hold the product over blocks against the whole."""
    count = 20 if small else 200
    for gates in KINDS:
        failures = theorem_failures(gates, count)
        yield Figure(
            f"{gates}: PNS of root and leaf is the product over blocks, in fractions",
            f"{failures} failures in {count} random worlds",
            failures == 0,
        )
    for reason in ("xor", "shared noise", "no cutpoint"):
        different, refused = broken(reason, count)
        yield Figure(
            f"{reason}: the product is wrong, and refused",
            f"wrong in {different}, refused in {refused} of {count} random models",
            different == refused == count,
        )


def identity(small: bool) -> Iterator[Figure]:
    """Check the unit identity, and both derivations, on units drawn as chance has it."""
    units, worlds = (100_000, 20) if small else (1_000_000, 200)
    violations = unit_violations(units, worlds)
    yield Figure(
        "an effect answers to its cause exactly if all blocks between transmit",
        f"{violations} violations on {units:,} units of {worlds} mixed worlds",
        violations == 0,
    )


def large(small: bool) -> Iterator[Figure]:
    """Generate and certify worlds of twelve blocks and thirty nodes."""
    count = 2 if small else 20
    started = time.process_time()
    pairs = questions = 0
    for number in range(count):
        world = draw_world(THIRTY, KINDS[number % 3], "large", number)
        for pair in world.pairs:
            agrees = population_pns(world, *pair).value == population_ate(world, *pair).value
            pairs += bool(agrees)
        key = make_answer_key(world, draw_units(world, 256, "large").bits)
        questions += sum(len(key.certificates(unit)) for unit in range(256))
    seconds = time.process_time() - started
    yield Figure(
        "12 blocks, 30 nodes: all 78 pairs and 168 questions a unit certified",
        f"{count} worlds, {pairs:,} pairs, {questions:,} questions in {seconds:.1f} s",
        (len(THIRTY), world.size) == (12, 30)
        and pairs == 78 * count
        and questions == 168 * 256 * count,
    )


def weights(small: bool) -> Iterator[Figure]:
    """Estimate population quantities from stratified units."""
    seeds = 100 if small else 2000
    for gates in KINDS:
        world = draw_world((Block("cycle", 3), Block("wheel", 4), Block("bridge", 2)), gates, 1)
        found = weighted_estimates(world, 100, seeds)
        yield Figure(
            f"{gates}, 100 units: mean PNS and ATE over seeds within 3 standard errors of the "
            f"truth, all means within {found.bound:.2f}, 98% of runs within 3 deviations",
            f"{seeds:,} seeds, {found.quantities} quantities: PNS and ATE at most "
            f"{found.effects:.2f}, others {found.others:.2f} standard errors; "
            f"{found.inside:.2%} of runs inside",
            found.effects <= 3 and found.others <= found.bound and found.inside >= 0.98,
        )
    seeds = 100 if small else 1000
    found = weighted_estimates(draw_world(THIRTY, "mixed", 1), 100, seeds)
    yield Figure(
        f"12 blocks in five segments, 100 units: all means within {found.bound:.2f} standard "
        "errors, 98% of runs within 3 deviations",
        f"{seeds} seeds, {found.quantities} quantities: PNS and ATE at most {found.effects:.2f}, "
        f"others {found.others:.2f} standard errors; {found.inside:.2%} of runs inside",
        max(found.effects, found.others) <= found.bound and found.inside >= 0.98,
    )
    worlds = 20 if small else 200
    errors = []
    for number in range(worlds):
        world = draw_world(random_blocks("weights", number), "mixed", "weights", number)
        drawn = draw_units(world, 4 * round_size(world), number)
        estimate = (
            drawn.weights @ make_answer_key(world, drawn.bits).indicators / len(drawn.weights)
        )
        truth = [float(population_pns(world, *pair).value) for pair in world.pairs]
        errors.append(float(np.abs(estimate - truth).max()))
    yield Figure(
        "whole rounds: the weighted PNS of the units is that of the population (to 1e-12)",
        f"largest difference {max(errors):.1e} in {worlds} worlds",
        max(errors) <= 1e-12,
    )


def balance(small: bool) -> Iterator[Figure]:
    """Look at the labels of stratified units."""
    worlds = 20 if small else 200
    for gates in KINDS:
        one_sided = 0
        shares = []
        for number in range(worlds):
            world = draw_world(random_blocks("balance", number), gates, "balance", number)
            key = make_answer_key(world, draw_units(world, 2 * round_size(world), number).bits)
            made = key.yes[:, len(world.blocks) :]
            one_sided += any(rung.all() or not rung.any() for rung in (key.factual, made))
            shares.append((key.factual.mean(), made.mean()))
        factual, made_share = np.mean(shares, axis=0)
        yield Figure(
            f"{gates}: both labels in both kinds of question after two rounds, so that a constant "
            "answer has 50% balanced accuracy",
            f"{one_sided} of {worlds} worlds one-sided; share of yes: factual {factual:.2f}, "
            f"made true or false {made_share:.2f}",
            one_sided == 0,
        )


def sameness(small: bool) -> Iterator[Figure]:
    """See whether units depend on how many are drawn, and worlds on what was drawn before."""
    count = 10_000 if small else 1_000_000
    world = cycles("or")
    many = draw_units(world, count, "same")
    same = all(
        np.array_equal(draw_units(world, 10, "same", start=start).counts, many.counts[start:][:10])
        for start in range(0, count - 10, count // 97)
    )
    yield Figure(f"unit i is the same among 10 and among {count:,}", "98 places compared", same)
    worlds = 10 if small else 100
    wrong = sum(
        split_of_world(draw_world(random_blocks(number), "mixed", number, split=split)) != split
        for number in range(worlds)
        for split in ("train", "test")
    )
    yield Figure(
        "worlds asked for on a side lie on it", f"{wrong} of {2 * worlds} do not", wrong == 0
    )


def speed(small: bool) -> Iterator[Figure]:
    """Measure how fast questions are drawn and certified, without wording them."""
    units = 512 if small else 20_000
    for world in (cycles("or"), draw_world(THIRTY, "mixed", "speed")):
        rate = certified_a_second(world, units if world.size < 30 else units // 10)
        yield Figure(
            f"{len(world.blocks)} blocks, {len(list_queries(world))} questions a unit: 50,000 "
            "certified questions a second and core",
            f"{rate:,.0f}",
            rate >= 50_000,
            timed=True,
        )


PARTS: Parts = {
    "goldens": goldens,
    "theorem": theorem,
    "identity": identity,
    "large": large,
    "weights": weights,
    "balance": balance,
    "sameness": sameness,
    "speed": speed,
}
