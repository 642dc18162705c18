"""What observations prove: by hand, by the solver, and by all orders."""

from __future__ import annotations

import sys
from itertools import permutations, product

import pytest
from evidence.entailment import PARTS
from evidence.figures import held
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.contract import UserError
from whybench.suites.intervene.entailment import (
    Evidence,
    ImpossibleEvidenceError,
    Transition,
    decide_entailment,
)
from whybench.suites.intervene.posets import consistent_orders, decide_by_enumeration, list_posets
from whybench.suites.intervene.world import ACTIONS, InterveneWorld, state_to_bits

ALL = frozenset({0, 1, 2})
REST: frozenset[int] = frozenset()


def seen(before, action, entity, after):
    return Transition(frozenset(before), action, entity, frozenset(after))


@st.composite
def episodes(draw, largest=5):
    n = draw(st.integers(2, largest))
    order = draw(st.permutations(range(n)))
    pairs = [(order[i], order[j]) for j in range(n) for i in range(j)]
    world = InterveneWorld(n, tuple(pair for pair in pairs if draw(st.booleans())))
    initial = state = world.close_state(frozenset(draw(st.sets(st.integers(0, n - 1)))))
    transitions = []
    for _ in range(draw(st.integers(0, 2 * n))):
        action, entity = draw(st.sampled_from(ACTIONS)), draw(st.integers(0, n - 1))
        after = world.step(state, action, entity)
        transitions.append(Transition(state, action, entity, after))
        state = after
    return world, initial, transitions


class TestByHand:
    def test_without_any_observation_all_is_open(self):
        assert decide_entailment(3, [], 0, 1) == "open"

    def test_a_moving_entity_does_not_cause_a_still_one(self):
        assert decide_entailment(2, [], 0, 1, initial=frozenset({0})) == "no"
        assert decide_entailment(2, [], 1, 0, initial=frozenset({0})) == "open"

    def test_moving_from_rest_settles_all_questions_about_the_moved(self):
        evidence = [seen(REST, "move", 1, {1, 2})]
        assert decide_entailment(3, evidence, 1, 2) == "yes"
        assert decide_entailment(3, evidence, 1, 0) == "no"
        assert decide_entailment(3, evidence, 2, 1) == "no"
        assert decide_entailment(3, evidence, 0, 1) == "open"

    def test_a_hold_in_vain_names_the_only_other_driver(self):
        assert decide_entailment(2, [seen({0, 1}, "hold", 1, {0, 1})], 0, 1) == "yes"
        assert decide_entailment(3, [seen(ALL, "hold", 1, ALL)], 0, 1) == "open"

    def test_what_stops_with_the_held_was_driven_by_it(self):
        evidence = [seen(ALL, "hold", 0, {1})]
        assert decide_entailment(3, evidence, 0, 2) == "yes"
        assert decide_entailment(3, evidence, 1, 2) == "no"
        assert decide_entailment(3, evidence, 1, 0) == "no"

    def test_a_survivor_may_be_driven_by_the_held_too(self):
        assert decide_entailment(3, [seen(ALL, "hold", 0, {1, 2})], 0, 2) == "open"

    def test_a_lone_survivor_was_not_driven_by_the_held(self):
        assert decide_entailment(2, [seen({0, 1}, "hold", 0, {1})], 0, 1) == "no"

    def test_idle_actions_prove_nothing_more(self):
        evidence = [seen(ALL, "move", 0, ALL), seen(REST, "hold", 0, REST)]
        assert all(
            decide_entailment(3, evidence, *pair) == "open" for pair in permutations(range(3), 2)
        )

    def test_transitivity_is_used(self):
        evidence = [seen({2}, "move", 1, {1, 2}), seen(ALL, "hold", 1, ALL)]
        evidence += [seen(REST, "move", 1, {1, 2})]
        assert decide_entailment(3, evidence, 0, 1) == "yes"
        assert decide_entailment(3, evidence, 0, 2) == "yes"


class TestOrders:
    @pytest.mark.parametrize(
        ("n", "orders", "graphs"), [(2, 3, 3), (3, 19, 25), (4, 219, 543), (5, 4231, 29281)]
    )
    def test_counts_are_those_of_the_literature(self, n, orders, graphs):
        assert len(list_posets(n)) == orders
        assert list_posets(n).dags.sum() == graphs

    def test_are_strict_partial_orders_and_distinct(self):
        for row in list_posets(4).below:
            reaches = {(u, w) for u in range(4) for w in range(4) if row[u] >> w & 1}
            assert all((w, u) not in reaches for u, w in reaches)
            assert all((u, z) in reaches for (u, v), (w, z) in product(reaches, reaches) if v == w)
        assert len({row.tobytes() for row in list_posets(4).below}) == 219

    def test_act_as_worlds_do(self):
        orders = list_posets(4)
        for index, row in enumerate(orders.below):
            edges = tuple((u, w) for u in range(4) for w in range(4) if row[u] >> w & 1)
            world = InterveneWorld(4, edges)
            states = list(world.closed_states())
            assert orders.closed[index].sum() == len(states)
            for state in states:
                assert orders.closed[index, state_to_bits(state)]
                for (place, action), v in product(enumerate(ACTIONS), range(4)):
                    after = orders.after[place, v, state_to_bits(state), index]
                    assert after == state_to_bits(world.step(state, action, v))

    def test_more_than_five_entities_are_refused(self):
        with pytest.raises(ValueError, match="n must be 1 to 5 .*, got 6"):
            list_posets(6)


class TestTwoWays:
    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_agree_on_every_transition_possible_or_not(self, n):
        states = [frozenset(v for v in range(n) if bits >> v & 1) for bits in range(2**n)]
        pairs = list(permutations(range(n), 2))
        impossible = 0
        for before, action, v, after in product(states, ACTIONS, range(n), states):
            transition = Transition(before, action, v, after)
            with Evidence(n) as evidence:
                evidence.add(transition)
                if not consistent_orders(n, [transition]).any():
                    impossible += 1
                    with pytest.raises(ImpossibleEvidenceError):
                        evidence.entails(0, 1)
                    continue
                for x, y in pairs if n < 4 else pairs[:3]:
                    assert evidence.entails(x, y) == decide_by_enumeration(n, [transition], x, y)
        assert impossible

    def test_agree_on_random_episodes(self):
        held(PARTS["agreement"])

    @given(episodes())
    def test_agree_and_speak_the_truth(self, episode):
        world, initial, transitions = episode
        for x, y in permutations(range(world.n), 2):
            found = decide_entailment(world.n, transitions, x, y, initial)
            assert found == decide_by_enumeration(world.n, transitions, x, y, initial)
            assert found in ("open", "yes" if world.causes(x, y) else "no")

    @given(episodes(largest=7))
    def test_more_observations_never_unsettle(self, episode):
        world, initial, transitions = episode
        with Evidence(world.n, initial) as evidence:
            before = evidence.entails(0, 1)
            for transition in transitions:
                evidence.add(transition)
                now = evidence.entails(0, 1)
                assert before in ("open", now)
                before = now


class TestErrors:
    def test_contradictory_observations_are_no_answer(self):
        evidence = [seen(REST, "move", 0, {0, 1}), seen(REST, "move", 1, {0, 1})]
        with pytest.raises(ImpossibleEvidenceError, match="no world could"):
            decide_entailment(2, evidence, 0, 1)
        with pytest.raises(ImpossibleEvidenceError, match="no world could"):
            decide_by_enumeration(2, evidence, 0, 1)

    @pytest.mark.parametrize("way", [decide_entailment, decide_by_enumeration])
    def test_arguments_out_of_range_are_named(self, way):
        with pytest.raises(ValueError, match="two entities from 0 to 2, got 1 and 1"):
            way(3, [], 1, 1)
        with pytest.raises(ValueError, match=r"from 0 to 1, got \[0, 2\]"):
            way(2, [seen({2}, "hold", 0, REST)], 0, 1)
        with pytest.raises(ValueError, match=r"from 0 to 1, got \[3\]"):
            way(2, [], 0, 1, initial=frozenset({3}))
        with pytest.raises(ValueError, match="move, hold, got 'push'"):
            way(2, [seen(REST, "push", 0, REST)], 0, 1)

    def test_one_entity_has_no_questions(self):
        with pytest.raises(ValueError, match="at least 2, got 1"):
            Evidence(1)

    def test_a_missing_solver_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pysat.solvers", None)
        with pytest.raises(UserError, match=r"pip install 'whybench\[intervene\]'"):
            decide_entailment(2, [], 0, 1)
