"""Blocks of any graph: found as dominators have them, and known in whatever order they come."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.scm import InvalidGraph
from whybench.seeds import generator
from whybench.suites.compose import SUITE
from whybench.suites.compose.blocks import Block, find_blocks, list_symmetries
from whybench.suites.compose.chain import Chain
from whybench.suites.compose.prompt_parser import parse_prompt
from whybench.suites.compose.prompts import render_prompt
from whybench.suites.compose.questions import ComposeQuestion
from whybench.suites.compose.themes import load_theme
from whybench.suites.compose.truth import population_pns
from whybench.suites.compose.units import parse_shape
from whybench.suites.compose.world import ComposeWorld, draw_world, make_block_table, split_of_world

if TYPE_CHECKING:
    from collections.abc import Callable

DIAMOND = parse_shape("XA.XB.AY.BY+bridge")
"""Two ways side by side: nodes 1 and 2 have the same causes and the same effects."""


@st.composite
def graphs(draw: Callable[..., list[int]]) -> list[tuple[int, int]]:
    """Draw the edges of a graph with one root and one leaf, its nodes called anyhow."""
    size = draw(st.integers(2, 7))
    edges = set()
    for node in range(1, size):
        edges |= {(cause, node) for cause in draw(st.sets(st.integers(0, node - 1), min_size=1))}
    for node in range(size - 1):
        if all(cause != node for cause, _ in edges):
            edges.add((node, draw(st.integers(node + 1, size - 1))))
    names = draw(st.permutations(range(size)))
    return draw(st.permutations([(names[cause], names[effect]) for cause, effect in edges]))


@given(graphs())
def test_blocks_lie_between_the_nodes_that_every_way_passes(edges: list[tuple[int, int]]) -> None:
    blocks, nodes = find_blocks(edges)
    place = [(nodes.index(cause), nodes.index(effect)) for cause, effect in edges]
    starts = [0]
    for block in blocks:
        starts.append(starts[-1] + block.size - 1)
    found = {
        (start + cause, start + effect)
        for start, block in zip(starts, blocks, strict=False)
        for cause, effect in block.edges
    }
    assert found == set(place)
    # Everything passes the nodes that dominate the leaf.
    above = nx.immediate_dominators(nx.DiGraph(edges), nodes[0])
    passed = [nodes[-1]]
    while passed[-1] != nodes[0]:
        passed.append(above[passed[-1]])
    assert [nodes[start] for start in starts] == passed[::-1]


@given(graphs(), graphs())
def test_blocks_are_equal_if_and_only_if_graphs_are(
    one: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    same = nx.is_isomorphic(nx.DiGraph(one), nx.DiGraph(other))
    assert (find_blocks(one)[0] == find_blocks(other)[0]) == same


@given(graphs(), st.randoms(use_true_random=False))
def test_a_graph_is_known_by_any_name(edges: list[tuple[int, int]], random: object) -> None:
    names = list("PQRSTUVW")
    random.shuffle(names)  # type: ignore[attr-defined]
    renamed = [(names[cause], names[effect]) for cause, effect in edges]
    random.shuffle(renamed)  # type: ignore[attr-defined]
    blocks, _ = find_blocks(renamed)
    assert blocks == find_blocks(edges)[0]
    for block in blocks:
        matcher = nx.isomorphism.DiGraphMatcher(nx.DiGraph(block.edges), nx.DiGraph(block.edges))
        assert len(list_symmetries(block)) == len(list(matcher.isomorphisms_iter()))


@pytest.mark.parametrize(
    ("size", "edges"),
    [
        (4, ((0, 2), (0, 1), (1, 3), (2, 3))),  # not sorted
        (5, ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4))),  # a diamond and a bridge
        (5, ((0, 1), (0, 2), (1, 3), (2, 3))),  # of four nodes
        (4, ()),
    ],
)
def test_edges_of_a_block_must_be_as_they_are_found(
    size: int, edges: tuple[tuple[int, int], ...]
) -> None:
    with pytest.raises(InvalidGraph, match="graph"):
        Block("graph", size, edges)


def test_what_is_too_symmetrical_is_refused() -> None:
    many = [edge for node in range(1, 9) for edge in ((0, node), (node, 9))]
    with pytest.raises(InvalidGraph, match="at most 5,040 orders, causes first"):
        find_blocks(many)


def test_a_world_is_drawn_once_and_lies_on_one_side_in_any_order() -> None:
    for number in range(40):
        world = draw_world(DIAMOND, "mixed", number)
        alike = world.renumber((0, 2, 1, 3, 4))
        assert (world.gates[1], world.thresholds[1]) <= (world.gates[2], world.thresholds[2])
        assert split_of_world(world) == split_of_world(alike)
    assert world.text.startswith("graph AB.AC.BD.CD, bridge 2; ")


@pytest.mark.parametrize("alike", [False, True])
def test_a_question_about_nodes_alike_is_rebuilt(alike: bool) -> None:
    gates, thresholds = ("or",) * 5, (6, 7, 7 if alike else 8, 4, 8)
    world = ComposeWorld(DIAMOND, gates, thresholds)
    feast = load_theme("feast")
    rng = generator("test", "alike")
    for _ in range(20):
        question = ComposeQuestion(
            world=world,
            counts=tuple(rng.integers(1, 11, 5).tolist()),
            names=feast.draw(5, rng),
            theme=feast,
            order=tuple(rng.permutation(5).tolist()),
            effect=4,
            intervention=(3, True),
        )
        read = parse_prompt(render_prompt(question))
        assert read == question.plain
        assert dict(zip(read.names, read.counts, strict=True)) == dict(
            zip(question.names, question.counts, strict=True)
        )
        assert render_prompt(read) == render_prompt(question)
        other = replace(
            question, counts=(*question.counts[:1], *[11 - c for c in question.counts[1:]])
        )
        assert read != other.plain


def test_a_diamond_transmits_as_computed_by_hand() -> None:
    """With 7 of 10, the end answers to the start where neither it nor any way is settled alone."""
    bridge = Fraction(6, 10)
    either = ComposeWorld(DIAMOND, ("or",) * 5, (7,) * 5)
    assert make_block_table(either, 0).transmission == bridge**3
    assert population_pns(either, 0, 4).value == bridge**4
    # Both ways must be open to all that comes after an and: .4 each, and the end another .4.
    both = ComposeWorld(DIAMOND, ("or", "and", "and", "and", "or"), (7,) * 5)
    assert population_pns(both, 0, 4).value == Fraction(4, 10) ** 3 * bridge


def test_items_of_a_graph_are_checked_like_others() -> None:
    kinds = "XA.XB.AY.BY+bridge,XA.XB.XC.AY.BY.CY+cycle3"
    design = SUITE.make_design({"kinds": kinds, "worlds": 2})
    items = list(SUITE.items(design))
    assert len({item.id for item in items}) == len(items) == design.size
    for item in items:
        assert parse_prompt(item.prompt) == item.question.plain
    assert [Chain(parse_shape(shape)).anchors for shape in design.kinds] == [(0, 3, 4), (0, 4, 6)]
