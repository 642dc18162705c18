"""Experimenters that never guess: sound, as quick as stated, and optimal where they say so."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import islice, permutations, product

import numpy as np
import pytest
from evidence.entailment import (
    ACTIVE_STEPS,
    CORE_STEPS,
    PARTS,
    core_cases,
)
from evidence.figures import held

from whybench.seeds import generator
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.entailment import decide_entailment
from whybench.suites.intervene.experimenters import (
    Inquiry,
    Intervention,
    bayes,
    controlled,
    count_sufficient,
    expect_bits,
    expected_steps,
    greedy,
    minimax_steps,
    recipe,
    run_experiment,
    sampled,
    settle,
    shortest_proof,
)
from whybench.suites.intervene.experimenters.greedy import list_best, remaining_uncertainty
from whybench.suites.intervene.experimenters.pool import WORLDS, draw_graphs, draw_pool
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.information import count_bits
from whybench.suites.intervene.posets import list_posets
from whybench.suites.intervene.world import InterveneWorld, bits_to_state, state_to_bits

SOUND = (bayes, greedy, recipe)


@cache
def graphs(n):
    """All directed acyclic graphs of n entities: each pair is unlinked or linked one way."""
    pairs = [(u, w) for u in range(n) for w in range(u + 1, n)]
    found = []
    for links in product((None, 0, 1), repeat=len(pairs)):
        edges = tuple(
            pair if link else pair[::-1]
            for pair, link in zip(pairs, links, strict=True)
            if link is not None
        )
        try:
            found.append(InterveneWorld(n, edges))
        except ValueError:
            continue
    return found


def steps(inquiry):
    return len(inquiry.transitions)


def settled(inquiry):
    return decide_entailment(inquiry.n, inquiry.transitions, inquiry.x, inquiry.y, inquiry.initial)


class TestNumbers:
    def test_core(self):
        cases = list(core_cases())
        assert len(cases) == 84
        assert sum(world.causes(x, y) for world, _, x, y in cases) == 37
        means = {name: round(total / 84, 4) for name, total in CORE_STEPS.items()}
        assert means == {
            "bayes": 1.2381, "greedy": 1.2262, "recipe": 1.9881, "certificate": 1.0714
        }  # fmt: skip

    def test_choices_among_equals_matter_to_greedy(self):
        def totals(world, inquiry):
            good = list_best(inquiry)
            if not good:
                return {steps(inquiry)}
            chosen = [inquiry.intervention(v) for v in good]
            return set().union(
                *(totals(world, inquiry.then(c, world.step(inquiry.state, *c))) for c in chosen)
            )

        found = [totals(world, Inquiry(world.n, x, y, s)) for world, s, x, y in core_cases()]
        assert (sum(map(min, found)), sum(map(max, found))) == (102, 108)

    def test_steps_are_as_stated(self):
        assert len(held(PARTS["steps"])) == len(CORE_STEPS) + len(ACTIVE_STEPS)


class TestSoundness:
    @pytest.mark.parametrize("experimenter", SOUND)
    def test_ends_when_the_true_answer_is_entailed(self, experimenter):
        for world in graphs(4)[::9]:
            for state, (x, y) in product(world.closed_states(), [(0, 1), (3, 1), (2, 3)]):
                found = run_experiment(experimenter, world, state, x, y)
                assert settled(found) == ("yes" if world.causes(x, y) else "no")

    @pytest.mark.slow
    def test_no_experimenter_beats_the_shortest_proof(self):
        for world in graphs(4)[::40]:
            for state in world.closed_states():
                proof = shortest_proof(world, state, 1, 2)
                assert settled(proof) != "open"
                for experimenter in (*SOUND, sampled):
                    assert steps(proof) <= steps(run_experiment(experimenter, world, state, 1, 2))

    def test_certificates_are_shortest_by_trying_everything(self):
        def proves(world, state, chosen):
            inquiry = Inquiry(world.n, 0, 1, state)
            for v in chosen:
                done = inquiry.intervention(v)
                inquiry = inquiry.then(done, world.step(inquiry.state, *done))
            return settled(inquiry) != "open"

        lengths = set()
        for world in [*graphs(3), *graphs(4)[::60]]:
            for state in world.closed_states():
                length = steps(shortest_proof(world, state, 0, 1))
                lengths.add(length)
                shorter = product(range(world.n), repeat=length - 1) if length else ()
                assert not any(proves(world, state, chosen) for chosen in shorter)
        assert lengths >= {0, 1, 2}

    @pytest.mark.parametrize("experimenter", [bayes, greedy, sampled])
    def test_does_not_act_on_a_settled_question(self, experimenter):
        assert experimenter(Inquiry(3, 0, 1, frozenset({0}))) is None


def expectimax(n, state, x, y):
    """Return the optimal expected steps over all graphs, by plain search with exact fractions."""
    worlds = graphs(n)

    @cache
    def value(belief, state, depth):
        if len({worlds[index].causes(x, y) for index in belief}) == 1:
            return Fraction(0)
        if not depth:
            return None
        best = None
        for action, v in product(("move", "hold"), range(n)):
            parts = {}
            for index in belief:
                parts.setdefault(worlds[index].step(state, action, v), []).append(index)
            if set(parts) == {state}:
                continue
            values = {s: value(tuple(part), s, depth - 1) for s, part in parts.items()}
            if None in values.values():
                continue
            share = {s: Fraction(len(part), len(belief)) for s, part in parts.items()}
            total = 1 + sum(share[s] * values[s] for s in parts)
            best = total if best is None else min(best, total)
        return best

    belief = tuple(i for i, world in enumerate(worlds) if world.is_closed(state))
    return value(belief, state, 2 * n)


class TestOptimality:
    def test_graphs_are_all_there(self):
        assert [len(graphs(n)) for n in (2, 3, 4)] == [3, 25, 543]

    def test_three_entities_by_plain_search(self):
        assert expectimax(3, frozenset(range(3)), 0, 1) == Fraction(43, 25)
        for bits in range(8):
            state = frozenset(v for v in range(3) if bits >> v & 1)
            for x, y in permutations(range(3), 2):
                found = expected_steps(Inquiry(3, x, y, state))
                assert found == pytest.approx(float(expectimax(3, state, x, y)))

    @pytest.mark.parametrize("state", [frozenset(range(4)), frozenset({1, 3}), frozenset()])
    def test_the_promise_is_kept_over_all_graphs(self, state):
        worlds = [world for world in graphs(4) if world.is_closed(state)]
        total = sum(steps(run_experiment(bayes, world, state, 1, 3)) for world in worlds)
        promised = expected_steps(Inquiry(4, 1, 3, state))
        assert total / len(worlds) == pytest.approx(promised)
        assert (
            promised
            <= sum(steps(run_experiment(greedy, world, state, 1, 3)) for world in worlds)
            / len(worlds)
            + 1e-9
        )


class TestRecipe:
    def test_from_rest_it_moves_the_cause_and_is_done(self):
        found = run_experiment(recipe, InterveneWorld(2, ((0, 1),)), frozenset(), 0, 1)
        assert [(t.action, t.entity) for t in found.transitions] == [("move", 0)]

    def test_holds_cause_then_effect_then_the_others(self):
        chain = InterveneWorld(4, ((3, 2), (2, 1), (1, 0)))
        found = run_experiment(recipe, chain, frozenset(range(4)), 1, 0)
        assert [(t.action, t.entity) for t in found.transitions] == [
            ("hold", 1), ("hold", 0), ("hold", 2), ("hold", 3), ("move", 1)
        ]  # fmt: skip

    def test_none_is_held_twice(self):
        for world in graphs(4)[::5]:
            found = run_experiment(recipe, world, world.close_state(frozenset(range(4))), 2, 0)
            held = [t.entity for t in found.transitions if t.action == "hold"]
            assert len(set(held)) == len(held)
            assert found.transitions[-1].action == "move"

    def test_holds_again_what_was_moved_in_between(self):
        pair = InterveneWorld(3, ((0, 1),))
        inquiry = Inquiry(3, 0, 1, frozenset({0, 1}))
        for done in (Intervention("hold", 1), Intervention("hold", 0), Intervention("move", 1)):
            inquiry = inquiry.then(done, pair.step(inquiry.state, *done))
        assert recipe(inquiry) == Intervention("hold", 1)

    def test_serves_more_than_five_entities(self):
        chain = InterveneWorld(9, tuple((v, v + 1) for v in range(8)))
        found = run_experiment(recipe, chain, frozenset(range(9)), 4, 8)
        assert settled(found) == "yes"
        assert found.transitions[-1].action == "move"


def asked(count, **changes):
    """Return so many items of the advanced design, or of one that differs from it."""
    return list(
        islice(intervene_items(SUITE.make_design({"design": "advanced", **changes})), count)
    )


def mean_steps(experimenter, items):
    found = [run_experiment(experimenter, item.hidden, item.initial, *item.pair) for item in items]
    return sum(map(steps, found)) / len(items)


class TestPool:
    @pytest.mark.parametrize(("n", "moving"), [(3, 3), (4, 0), (4, 1), (4, 2), (4, 4)])
    def test_every_graph_that_fits_the_first_state_is_equally_likely(self, n, moving):
        orders, drawn = list_posets(n), draw_pool(n, moving)
        share = orders.dags * orders.closed[:, state_to_bits(range(moving))]
        share = share / share.sum()
        place = {row.tobytes(): index for index, row in enumerate(orders.below)}
        counts = np.zeros(len(orders))
        for row in np.ascontiguousarray(drawn.below.T):
            counts[place[row.tobytes()]] += 1
        assert not counts[share == 0].any()
        deviation = np.abs(counts - WORLDS * share) / np.sqrt(WORLDS * share + 1e-12)
        assert deviation[share > 0].max() < 4.5

    def test_graphs_and_not_only_their_orders_are_equally_likely(self):
        drawn = draw_graphs(3, 25_000, generator("test", "random graphs"))
        _, counts = np.unique(drawn.reshape(-1, 9), axis=0, return_counts=True)
        assert len(counts) == 25
        assert np.abs(counts - 1000).max() < 4.5 * 1000**0.5

    @pytest.mark.parametrize("n", [2, 7, 9, 17])
    def test_acts_as_worlds_do(self, n):
        moving = n // 2
        drawn = draw_pool(n, moving)
        which = np.arange(0, WORLDS, 1500)
        state = frozenset(range(moving))
        after = drawn.after(state_to_bits(state), which)
        for column, index in enumerate(which):
            reached = drawn.below[:, index].tolist()
            pairs = permutations(range(n), 2)
            world = InterveneWorld(n, tuple((u, w) for u, w in pairs if reached[u] >> w & 1))
            assert world.is_closed(state)
            assert [bool(drawn.causes(0, w)[index]) for w in range(1, n)] == [
                world.causes(0, w) for w in range(1, n)
            ]
            for v in range(n):
                happens = world.step(state, "hold" if v in state else "move", v)
                assert after[v, column] == state_to_bits(happens)

    def test_sizes_out_of_range_are_named(self):
        with pytest.raises(ValueError, match="n must be 2 to 62 .*, got 63"):
            draw_pool(63, 0)
        with pytest.raises(ValueError, match="moving must be 0 to 4, got 5"):
            draw_pool(4, 5)


class TestUncertainty:
    def test_by_hand(self):
        answers = np.array([True, False, True, True])
        # Outcomes tell the first two from the last two: of the answer half a bit is left.
        assert remaining_uncertainty(np.array([0, 0, 1, 1]), answers, np.ones(4)) == (0.5, -1.0)
        # The weights make one outcome certain, and the answer among two a matter of a coin.
        weights = np.array([3.0, 3.0, 0.0, 0.0])
        assert remaining_uncertainty(np.array([0, 0, 1, 1]), answers, weights) == (1.0, 0.0)

    def test_is_the_same_however_outcomes_are_numbered(self):
        rng = generator("test", "uncertainty")
        outcomes = rng.integers(8, size=300)
        answers, weights = rng.random(300) < 0.3, rng.random(300)
        few = remaining_uncertainty(outcomes, answers, weights)
        assert remaining_uncertainty(outcomes << 40, answers, weights) == few


class TestSampled:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("count", "changes"),
        [
            (160, {}),
            (64, {"initial": "rest,some-moving"}),
            (24, {"entities": 10, "initial": "all-moving,rest,some-moving"}),
            (6, {"entities": 15, "density": 0.3, "initial": "all-moving,rest,some-moving"}),
        ],
    )
    def test_settles_every_question_in_time(self, count, changes):
        items = asked(count, **changes)
        assert len(items) == count
        for item in items:
            found = run_experiment(sampled, item.hidden, item.initial, *item.pair)
            assert settled(found) == ("yes" if item.truth else "no")
            assert steps(found) <= item.limit

    def test_stops_as_soon_as_the_answer_is_entailed(self):
        for item in asked(24, entities=6):
            inquiry = Inquiry(6, *item.pair, item.initial)
            while (chosen := sampled(inquiry)) is not None:
                assert settled(inquiry) == "open"
                inquiry = inquiry.then(chosen, item.hidden.step(inquiry.state, *chosen))

    @pytest.mark.slow
    def test_is_as_quick_as_the_exact_one_at_five(self):
        items = asked(384, entities=5)
        exact, by_sample = mean_steps(greedy, items), mean_steps(sampled, items)
        assert by_sample == pytest.approx(exact, rel=0.08)
        assert mean_steps(bayes, items) < by_sample

    @pytest.mark.slow
    @pytest.mark.parametrize("n", [6, 7])
    def test_needs_fewer_steps_than_the_recipe(self, n):
        items = asked(64, entities=n)
        assert mean_steps(sampled, items) < 0.97 * mean_steps(recipe, items)

    def test_follows_the_recipe_where_there_is_no_pool(self, monkeypatch):
        monkeypatch.setitem(sampled.__globals__, "LARGEST", 5)
        for item in asked(16, entities=6):
            case = item.hidden, item.initial, *item.pair
            found, whole = run_experiment(sampled, *case), run_experiment(recipe, *case)
            assert found.transitions == whole.transitions[: steps(found)]
            assert settled(found) != "open"

    def test_keeps_enough_in_reserve_for_the_recipe(self):
        everything = frozenset(range(7))
        inquiry = Inquiry(7, 0, 1, everything)
        idle = Intervention("move", 3)
        for _ in range(6):
            inquiry = inquiry.then(idle, everything)
        # Of 14 interventions 8 are left: a hold for each entity and a move.
        assert sampled(inquiry) == recipe(inquiry)
        world = InterveneWorld(7, ((2, 0), (2, 1), (3, 4), (4, 5), (5, 6)))
        while (chosen := sampled(inquiry)) is not None:
            inquiry = inquiry.then(chosen, world.step(inquiry.state, *chosen))
        assert settled(inquiry) == "no"
        assert steps(inquiry) <= 14

    def test_settle_is_exact_to_five_entities(self):
        for n, experimenter in ((5, bayes), (6, sampled)):
            for item in asked(8, entities=n):
                inquiry = Inquiry(n, *item.pair, item.initial)
                assert settle(inquiry) == experimenter(inquiry)


class TestInquiry:
    def test_can_be_renamed(self):
        inquiry = Inquiry(3, 0, 1, frozenset({0, 1}))
        inquiry = inquiry.then(Intervention("hold", 0), frozenset({1}))
        other = inquiry.renumber([2, 0, 1])
        assert (other.x, other.y, other.initial) == (1, 2, {1, 2})
        assert (other.transitions[0].entity, other.state) == (1, {2})
        assert other.renumber([1, 2, 0]) == inquiry

    def test_grows_by_what_was_seen(self):
        start = Inquiry(2, 0, 1, frozenset())
        assert start.intervention(0) == Intervention("move", 0)
        later = start.then(start.intervention(0), frozenset({0, 1}))
        assert later.state == {0, 1}
        assert later.intervention(1) == Intervention("hold", 1)
        assert start.transitions == ()


class TestControlled:
    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_settles_every_question_with_the_steps_that_suffice(self, n):
        looked = 0
        for order in range(len(list_posets(n))):
            below = list_posets(n).below[order]
            edges = [(x, y) for x, y in permutations(range(n), 2) if below[x] >> y & 1]
            world = InterveneWorld(n, tuple(edges))
            for state in world.closed_states():
                for x, y in permutations(range(n), 2):
                    found = run_experiment(controlled, world, state, x, y)
                    assert steps(found) <= count_sufficient(state, x, y)
                    assert settled(found) == ("yes" if world.causes(x, y) else "no")
                    looked += 1
        assert looked > 10

    @pytest.mark.parametrize(
        ("n", "moving"),
        [(n, moving) for n in (2, 3, 4) for moving in range(2**n)] + [(5, 0b1111), (5, 0b11111)],
    )
    def test_nothing_needs_fewer_steps_in_the_worst_case(self, n, moving):
        initial = bits_to_state(moving)
        assert minimax_steps(Inquiry(n, 0, 1, initial)) == count_sufficient(initial, 0, 1)

    def test_does_what_it_is_called(self):
        # 2 and 3 move beside cause and effect: they are held first, then the cause.
        world = InterveneWorld(4, ((0, 1),))
        found = run_experiment(controlled, world, frozenset(range(4)), 0, 1)
        assert [(seen.action, seen.entity) for seen in found.transitions][:2] == [
            ("hold", 2),
            ("hold", 3),
        ]
        assert settled(found) == "yes"


class TestBits:
    def test_bits_by_hand(self):
        # Two that move: either drives the other, or neither; one graph each. To hold either tells
        # all of the answer to "does 0 drive 1?" that a stop of both tells.
        inquiry = Inquiry(2, 0, 1, frozenset({0, 1}))
        before = -(1 / 3) * math.log2(1 / 3) - (2 / 3) * math.log2(2 / 3)
        # Held, 0 stops with 1 (yes), alone (no), or not at all (no).
        assert expect_bits(inquiry)[0] == pytest.approx(before)
        # Held, 1 does not stop (yes), or does, alone or with 0 (no).
        assert expect_bits(inquiry)[1] == pytest.approx(before)
        assert count_bits(2, "0>1", "0 1", "0>1", "hold 0") == pytest.approx((before, before))
        # To move what moves tells nothing; what was best to do in its place was to hold.
        assert count_bits(2, "0>1", "0 1", "0>1", "move 0") == pytest.approx((0.0, before))
