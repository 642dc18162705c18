from __future__ import annotations

from itertools import combinations, product

import pytest
from evidence.worlds import TRANSITIONS, compare_transitions
from hypothesis import given
from hypothesis import strategies as st

from whybench.scm import CyclicGraph, InvalidGraph, UnknownNode
from whybench.suites.intervene.world import (
    ACTIONS,
    InterveneWorld,
    simulate_action,
    transitive_closure,
)

CHAIN = InterveneWorld(3, ((0, 1), (1, 2)))
ALL = frozenset({0, 1, 2})
REST = frozenset()


@st.composite
def worlds(draw, largest: int = 8) -> InterveneWorld:
    n = draw(st.integers(1, largest))
    place = draw(st.permutations(range(n)))
    pairs = [(place[i], place[j]) for i, j in combinations(range(n), 2)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return InterveneWorld(n, tuple(chosen))


@st.composite
def situations(draw) -> tuple:
    world = draw(worlds())
    state = world.close_state(frozenset(draw(st.sets(st.integers(0, world.n - 1)))))
    return world, state, draw(st.sampled_from(ACTIONS)), draw(st.integers(0, world.n - 1))


def test_golden_transitions_of_a_chain() -> None:
    assert CHAIN.hold(ALL, 0) == REST
    assert CHAIN.hold(ALL, 1) == ALL
    assert CHAIN.hold(ALL, 2) == ALL
    assert CHAIN.move(REST, 1) == {1, 2}


def test_who_was_moved_by_hand_is_not_remembered() -> None:
    pair = InterveneWorld(2, ((0, 1),))
    state = pair.move(pair.move(REST, 1), 0)
    assert pair.hold(state, 0) == REST


def test_a_driven_entity_goes_on_while_one_of_its_causes_moves() -> None:
    collider = InterveneWorld(3, ((0, 2), (1, 2)))
    assert collider.hold(ALL, 0) == {1, 2}
    assert collider.hold(frozenset({1, 2}), 1) == REST


def test_moving_the_moving_and_holding_the_still_do_nothing() -> None:
    assert CHAIN.move(ALL, 0) == ALL
    assert CHAIN.hold(frozenset({2}), 0) == {2}


@pytest.mark.parametrize("n", TRANSITIONS)
def test_both_definitions_agree_on_every_transition(n: int) -> None:
    # A set is closed unless it holds the cause of an edge and not its effect; so, set by set, count
    # the graphs without such edges.
    states = sum(
        2 ** sum(not (moves[i] and not moves[j]) for i, j in combinations(range(n), 2))
        for moves in product((False, True), repeat=n)
    )
    compared = compare_transitions(n)
    assert compared.transitions == TRANSITIONS[n] == states * 2 * n
    assert compared.unlike == 0


@given(situations())
def test_larger_worlds_agree_with_the_second_definition(situation) -> None:
    world, state, action, entity = situation
    after = world.step(state, action, entity)
    assert after == simulate_action(world, state, action, entity)
    assert world.is_closed(after)
    assert after >= state if action == "move" else after <= state
    assert world.step(after, action, entity) == after


@given(worlds())
def test_reaching_is_the_closure_of_the_edges(world: InterveneWorld) -> None:
    assert transitive_closure(world).tolist() == [list(row) for row in world.reaches]
    assert not any(world.causes(entity, entity) for entity in range(world.n))


@given(situations())
def test_only_who_reaches_whom_matters(situation) -> None:
    world, state, action, entity = situation
    pairs = product(range(world.n), repeat=2)
    closed = InterveneWorld(world.n, tuple((x, y) for x, y in pairs if world.causes(x, y)))
    assert closed.step(state, action, entity) == world.step(state, action, entity)


@given(worlds(6))
def test_closed_states_are_all_and_only_the_closed_ones(world: InterveneWorld) -> None:
    states = list(world.closed_states())
    subsets = [
        frozenset(entity for entity in range(world.n) if bits >> entity & 1)
        for bits in range(2**world.n)
    ]
    assert set(states) == {state for state in subsets if world.close_state(state) == state}
    assert len(states) == len(set(states))
    assert states[0] == REST


@pytest.mark.parametrize(
    ("n", "edges", "error"),
    [
        (0, (), InvalidGraph),
        (2, ((0, 1), (0, 1)), InvalidGraph),
        (2, ((1, 1),), InvalidGraph),
        (2, ((0, 2),), UnknownNode),
        (3, ((0, 1), (1, 2), (2, 0)), CyclicGraph),
    ],
)
def test_what_is_no_world_is_refused(n: int, edges: tuple, error: type[Exception]) -> None:
    with pytest.raises(error, match="got"):
        InterveneWorld(n, edges)


def test_unknown_entities_and_actions_are_refused() -> None:
    for act in (lambda: CHAIN.move(REST, 3), lambda: CHAIN.hold(frozenset({5}), 0)):
        with pytest.raises(UnknownNode, match="entity must be from 0 to 2"):
            act()
    with pytest.raises(ValueError, match="action must be one of move, hold, got 'push'"):
        CHAIN.step(REST, "push", 0)
