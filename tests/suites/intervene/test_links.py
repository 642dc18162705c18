"""Dotted links: worlds of a diagram, depth, lists, stored cases, prompts and episodes."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import pytest

from whybench.seeds import generator
from whybench.suites.attack_runs import converse
from whybench.suites.calibration import simulate
from whybench.suites.contract import UserError
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.attacks import ATTACKS
from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.episode import InterveneEpisode
from whybench.suites.intervene.links.cases import (
    DEPTHS,
    ENTITIES,
    LINKS,
    TESTS,
    load_cases,
    read_case,
    write_case,
)
from whybench.suites.intervene.links.diagram import Diagram, toggle
from whybench.suites.intervene.links.generation import (
    FEWEST,
    LARGEST,
    MOST,
    change_diagram,
    draw_cases,
    draw_diagram,
)
from whybench.suites.intervene.links.lists import best_share, settled_sets
from whybench.suites.intervene.links.planning import find_depth, search_of
from whybench.suites.intervene.links.scripts import find_list, find_script
from whybench.suites.intervene.links.shapes import describe_shape
from whybench.suites.intervene.world import bits_to_state, simulate_action, state_to_bits

DESIGN = replace(SUITE.designs["links"], graphs=3)
SIDES = ("train", "test")
SAMPLE = [cases[k] for cases in load_cases().values() for k in (0, len(cases) // 2)]


def brute_depth(diagram: Diagram, left: frozenset[int], state: int) -> int:
    """Return the depth by the second definition of worlds, trying every action."""
    if len(left) == 1:
        return 0
    for depth in range(1, 4):
        if settles(diagram, left, state, depth):
            return depth
    return 4


def settles(diagram: Diagram, left: frozenset[int], state: int, depth: int) -> bool:
    if len(left) == 1 or not depth:
        return len(left) == 1
    for entity in range(diagram.n):
        after: dict[int, set[int]] = {}
        for number in left:
            seen = simulate_action(
                diagram.worlds[number], bits_to_state(state), *toggle(state, entity)
            )
            after.setdefault(state_to_bits(seen), set()).add(number)
        if len(after) == 1 and state in after:
            continue
        if all(settles(diagram, frozenset(part), seen, depth - 1) for seen, part in after.items()):
            return True
    return False


def test_dotted_links_of_a_random_diagram_have_different_reachability() -> None:
    rng = generator("test", "links")
    diagram = draw_diagram(2, rng)
    for _ in range(20):
        diagram = change_diagram(diagram, rng)
        assert len({world.reaches for world in diagram.worlds}) == LINKS
        initial = bits_to_state(diagram.initial)
        assert all(world.is_closed(initial) for world in diagram.worlds)


def test_the_depth_is_that_of_a_search_with_the_other_definition_of_worlds() -> None:
    for case in SAMPLE:
        if case.depth <= 3:
            every = frozenset(range(LINKS))
            assert brute_depth(case.diagram, every, case.diagram.initial) == case.depth


@pytest.mark.slow
@pytest.mark.parametrize("depth", DEPTHS)
def test_a_sample_of_stored_cases_has_the_stated_depth_value_and_weights(depth: int) -> None:
    for side in SIDES:
        for case in load_cases()[depth, side][:: 1 + 60 * depth]:
            assert find_depth(case.diagram, depth) == depth
            assert best_share(settled_sets(case.diagram, depth), case.weights) <= MOST
            assert sum(weight > 0 for weight in case.weights) >= FEWEST
            assert max(case.weights) <= LARGEST * sum(case.weights)


@pytest.mark.slow
@pytest.mark.parametrize("depth", DEPTHS)
def test_the_file_begins_with_the_cases_that_are_drawn_first(depth: int) -> None:
    drawn = next(draw_cases(depth))
    assert drawn == load_cases()[depth, drawn.split][0]


def test_every_depth_has_enough_cases_and_no_two_are_isomorphic() -> None:
    cases = load_cases()
    assert all(len(cases[depth, "test"]) >= TESTS for depth in DEPTHS)
    assert all(cases[depth, "train"] for depth in DEPTHS)
    shapes = [describe_shape(case.diagram) for side in cases.values() for case in side[::10]]
    assert len(set(shapes)) == len(shapes)


def test_a_shape_is_the_same_under_any_names_and_differs_otherwise() -> None:
    rng = generator("test", "shapes")
    for case in SAMPLE:
        diagram = case.diagram
        names, order = rng.permutation(ENTITIES).tolist(), rng.permutation(LINKS).tolist()
        assert describe_shape(diagram.renumber(names, order)) == describe_shape(diagram)
        other = Diagram(diagram.n, diagram.solid, diagram.dotted[1:], diagram.initial)
        assert describe_shape(other) != describe_shape(diagram)


def test_a_case_is_read_as_it_was_written() -> None:
    for case in SAMPLE:
        assert read_case(write_case(case)) == case


def test_an_altered_file_of_cases_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whybench.suites.intervene.links.cases.HASH", "0")
    load_cases.cache_clear()
    try:
        with pytest.raises(UserError, match="must have the digest 0"):
            load_cases()
    finally:
        load_cases.cache_clear()


def test_no_list_settles_more_than_the_sets_of_all_lists() -> None:
    case = load_cases()[2, "test"][0]
    diagram, best = case.diagram, settled_sets(case.diagram, 2)
    for steps in product(product(("move", "hold"), range(ENTITIES)), repeat=2):
        shown: dict[tuple[int, ...], int] = {}
        for number, world in enumerate(diagram.worlds):
            states = [diagram.initial]
            for action, entity in steps:
                states.append(world.after(states[-1], action, entity))
            shown[tuple(states)] = shown.get(tuple(states), 0) | 1 << number
        settled = sum(group for group in shown.values() if group & (group - 1) == 0)
        assert any(settled & one == settled for one in best)


def test_the_plan_settles_every_link_within_the_depth() -> None:
    for case in SAMPLE:
        diagram, search = case.diagram, search_of(case.diagram)
        for world in diagram.worlds:
            left, state, steps = diagram.every, diagram.initial, 0
            while (entity := search.plan(left, state)) is not None:
                step = toggle(state, entity)
                after = world.after(state, *step)
                left &= diagram.possible([state, after], [step])
                state, steps = after, steps + 1
            assert steps <= case.depth
            assert diagram.worlds[left.bit_length() - 1] == world


def test_a_script_follows_the_state_of_its_entity() -> None:
    for case in SAMPLE[:4]:
        script = find_script(case.diagram, case.depth)
        assert script.next_step([case.diagram.initial]) is not None
        if script.entity is not None:
            before = [case.diagram.initial] * len(script.first)
            moving, still = (script.next_step([*before, bits]) for bits in (1 << script.entity, 0))
            assert (moving is None) == (not script.if_moving)
            assert (still is None) == (not script.otherwise)
        assert find_list(case.diagram, case.depth).entity is None


@pytest.mark.parametrize("wording", ["plain", "formal"])
def test_a_prompt_gives_back_the_diagram(wording: str) -> None:
    for item in SUITE.items(replace(DESIGN, wording=(wording,))):
        assert SUITE.parse_prompt(SUITE.render(item)) == item.world
        assert item.world.dotted[int(item.truth)] == tuple(item.names[v] for v in item.pair)


def test_names_and_order_of_links_carry_no_information() -> None:
    items = list(SUITE.items(SUITE.designs["links"]))
    places = [item.truth for item in items]
    along = [item.pair[0] < item.pair[1] for item in items]
    assert len(set(places)) == LINKS
    assert 0.4 < sum(along) / len(along) < 0.6
    assert 4.5 < sum(places) / len(places) < 6.5


def test_one_diagram_is_asked_once_in_a_test_design() -> None:
    items = list(SUITE.items(replace(DESIGN, graphs=20)))
    assert len({SUITE.training.world_key(item) for item in items}) == len(items)


def episode() -> InterveneEpisode:
    item = next(iter(SUITE.items(DESIGN)))
    return InterveneEpisode(parse_case(item.factors))


@pytest.mark.parametrize(
    "form", ["{0} -> {1}", "{0} > {1}", "{0}→{1}", "The {0} -> the {1}", "{0} -> {1}."]
)
def test_a_link_may_be_written_with_any_arrow(form: str) -> None:
    asked = episode()
    names = [asked.case.names[v] for v in asked.case.dotted[4]]
    asked.hear(json.dumps({"answer": form.format(*names)}), False)
    assert (asked.end, asked.link) == ("answered", 4)


def test_a_link_may_be_a_list_and_another_pair_is_no_answer() -> None:
    asked = episode()
    cause, effect = (asked.case.names[v] for v in asked.case.dotted[2])
    asked.hear(json.dumps({"answer": [cause, effect]}), False)
    assert asked.link == 2
    for reply in ("yes", f"{cause} -> {cause}", "circle"):
        asked = episode()
        for _ in range(2):
            asked.hear(json.dumps({"answer": reply}), False)
        assert asked.end == "invalid_answer"


def test_verdicts_follow_from_the_links_that_are_left() -> None:
    asked = episode()
    case = asked.case
    right = case.answers.index(case.right)
    asked.hear(json.dumps({"answer": case.right}), False)
    assert (asked.answer.parts["verdict"], asked.answer.value) == ("lucky", float(right))
    asked = episode()
    asked.hear(json.dumps({"answer": case.answers[right - 1]}), False)
    assert asked.answer.parts["verdict"] == "premature"
    for wrong, verdict in ((False, "justified"), (True, "contradicts")):
        asked = episode()
        while '"answer"' not in (reply := SUITE.oracle(asked)):
            asked.hear(reply, False)
        named = case.answers[right - 1] if wrong else case.right
        asked.hear(json.dumps({"answer": named}), False)
        assert asked.answer.parts["verdict"] == verdict
        assert asked.answer.parts["evidence"] == case.right


def test_agents_have_their_expected_values() -> None:
    items = list(SUITE.items(DESIGN))
    for name in ("controlled", "bayes", "recipe", "single-cause", "listed-first"):
        agent = SUITE.agent(name)
        settings = agent.settings({})
        found = {
            measure.name: measure.estimate
            for measure in simulate(SUITE, DESIGN, items, agent, settings)
            if not measure.at
        }
        for measure, value in agent.expected(settings, DESIGN).items():
            assert found[measure] == pytest.approx(value), (name, measure)
    assert SUITE.agent("controlled").expected({"error": 0.0}, DESIGN)["justified_accuracy"] == 1


def test_attacks_reply_to_diagrams_and_decline_pairs() -> None:
    own = {attack.name: attack.reply for attack in ATTACKS if attack.reply}
    (pair,) = list(SUITE.items(SUITE.designs["limited"]))[:1]
    for item in SUITE.items(replace(DESIGN, graphs=1)):
        for name in ("diagram-list", "diagram-if"):
            assert converse(SUITE, item, own[name], generator("test")).value is not None
            assert converse(SUITE, pair, own[name], generator("test")).value is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"depth": "6"}, "depth must be among 2, 3"),
        ({"graphs": "900"}, f"from 1 to {TESTS}"),
        ({"entities": "5"}, "leave them out"),
        ({"style": "recipe"}, "about one pair"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        SUITE.make_design({"design": "links", **settings})


def test_depth_is_refused_elsewhere_and_people_are_asked_about_pairs() -> None:
    with pytest.raises(UserError, match="depth is for links worlds"):
        SUITE.make_design({"design": "limited", "depth": "2"})
    assert "asks about several" in SUITE.play.refuse(DESIGN)
    with pytest.raises(UserError, match="people are asked about one pair"):
        SUITE.study.page(next(iter(SUITE.items(DESIGN))))
