"""Laws of the audit: a settled answer is that of every world that agrees with the print."""

from __future__ import annotations

from fractions import Fraction

import pytest
from audits.cladder.worlds import PRINTED, SHAPES, PlainWorld
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench_papers.audits.cladder.audit import judge_item
from whybench_papers.audits.cladder.prompt_parser import parse_background, parse_shares

some = settings(max_examples=settings.default.max_examples // 10)

shares = st.integers(1, 399).map(lambda number: Fraction(number, 400))

ASKED = [(query, shape) for query, shapes in PRINTED.items() for shape in shapes]


@st.composite
def plain_worlds(draw: st.DrawFn, shape: str) -> PlainWorld:
    parents = PlainWorld(shape, {}).parents
    sizes = {node: 2 ** len(causes) for node, causes in parents.items()}
    return PlainWorld(
        shape, {node: tuple(draw(shares) for _ in range(size)) for node, size in sizes.items()}
    )


@pytest.mark.parametrize(("query", "shape"), ASKED)
@some
@given(data=st.data())
def test_a_settled_answer_is_true_in_the_world_that_was_printed(
    query: str, shape: str, data: st.DataObject
) -> None:
    world = data.draw(plain_worlds(shape))
    positive = data.draw(st.booleans())
    truth = world.truth(query) * (1 if positive else -1)
    answer = "yes" if truth > 0 else "no"
    found = judge_item(
        world.background(), world.given(query), world.question(query, positive), answer
    )
    assert found.query == query
    assert found.verdict in ("right", "trivial", "undetermined")
    assert found.reason != "the print contradicts itself"
    if ": " in found.recomputed and query != "exp_away":
        low, high = map(float, found.recomputed.split(": ")[1].split(" to "))
        assert low - 0.001 <= truth <= high + 0.001


@pytest.mark.parametrize("query", PRINTED)
@some
@given(data=st.data())
def test_what_is_more_is_not_less(query: str, data: st.DataObject) -> None:
    world = data.draw(plain_worlds(data.draw(st.sampled_from(sorted(PRINTED[query])))))
    more, less = (
        judge_item(
            world.background(), world.given(query), world.question(query, positive), "yes"
        ).recomputed.split(":")[0]
        for positive in (True, False)
    )
    assert "yes" not in (more, less) or {more, less} == {"yes", "no"}


@pytest.mark.parametrize("shape", SHAPES)
@some
@given(data=st.data())
def test_shares_and_graphs_are_read_as_they_are_written(shape: str, data: st.DataObject) -> None:
    world = data.draw(plain_worlds(shape))
    read = parse_background(world.background())
    assert len(read.graph.edges) == len(SHAPES[shape].split(","))
    printed = parse_shares(world.given("marginal"), read.graph.nodes)
    wanted = [world.probability({"X": 1})]
    wanted += [world.probability({"Y": 1}, {"X": value}) for value in (0, 1)]
    assert [share.percent for share in printed] == [int(f"{float(w):.0%}"[:-1]) for w in wanted]
    assert [share.given for share in printed] == [(), (("rixq", 0),), (("rixq", 1),)]
