"""Reports on whole graphs: what is read, entailed, graded and measured."""

from __future__ import annotations

import json
from functools import cache
from itertools import permutations, product

import numpy as np
import pyarrow as pa
import pytest
from inspect_ai import eval as inspect_eval
from tests.suites.intervene.test_experimenters import graphs

from whybench._registry import intervene
from whybench.records import read_logs
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.calibration import calibrate, simulate_rows
from whybench.suites.checks import check_design
from whybench.suites.contract import UserError
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.design import DESIGNS
from whybench.suites.intervene.entailment import Transition
from whybench.suites.intervene.episode import InterveneEpisode
from whybench.suites.intervene.experimenters import (
    ALL_PAIRS,
    Inquiry,
    find_all_entailed,
    minimax_steps,
    run_experiment,
    survey,
    survey_steps,
)
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.posets import consistent_orders, list_posets
from whybench.suites.intervene.replies import Decision, ReportReply, parse_reply
from whybench.suites.intervene.reports import (
    grade_report,
    pack_report,
    unpack_report,
    worst_verdict,
)
from whybench.suites.intervene.steps import steps_table
from whybench.suites.intervene.world import (
    ACTIONS,
    InterveneWorld,
    bits_to_state,
    simulate_action,
)
from whybench.suites.pairs import stack_sides

DESIGN = DESIGNS["graph"]
FEW = SUITE.make_design({"design": "graph", "graphs": 3})
CHAIN = InterveneWorld(3, ((0, 1), (1, 2)))
FACTORS = {
    "graph": "0>1 1>2", "moving": "", "asked": "all", "names": "lid,wheel,bell",
    "words": "turn,stop,turning,still", "interface": "text", "worlds": "graph",
}  # fmt: skip


@cache
def items():
    return list(intervene_items(DESIGN))


class TestSurvey:
    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_settles_all_pairs_of_every_world_in_so_many_steps_and_no_fewer(self, n):
        needed: dict[int, int] = {}
        for order in list_posets(n).below.tolist():
            edges = [(x, y) for x, y in permutations(range(n), 2) if order[x] >> y & 1]
            world = InterveneWorld(n, tuple(edges))
            for state in world.closed_states():
                done = run_experiment(survey, world, state, *ALL_PAIRS)
                known = find_all_entailed(done)
                assert {pair for pair, said in known.items() if said == "yes"} == {*edges}
                assert "open" not in known.values()
                moving = len(state)
                needed[moving] = max(needed.get(moving, 0), len(done.transitions))
        assert needed == {moving: survey_steps(n, moving) for moving in range(n + 1)}

    @pytest.mark.slow
    def test_five_entities_need_as_many_as_the_formula_says(self):
        """All 4,231 orders at once: what is entailed is found by listing them, without a solver."""
        orders = list_posets(5)

        def steps(left, state, held):
            if left.size == 1:
                return 0
            caused = {
                pair: (orders.below[left, pair[0]] >> pair[1] & 1)
                for pair in permutations(range(5), 2)
            }
            if not state:
                doubtful = [x for (x, _), yes in caused.items() if yes.any() and not yes.all()]
                action, v, held = 0, doubtful[0], set()
            else:
                moving = bits_to_state(state)
                driven = {y for (x, y), yes in caused.items() if x in moving and yes.all()}
                action, v = 1, min(moving - driven - held)
                held = held | {v}
            after = orders.after[action, v, state, left]
            return 1 + max(
                steps(left[after == one], one, held) for one in np.unique(after).tolist()
            )

        for moving in (0, 5):
            first = (1 << moving) - 1
            left = np.flatnonzero(orders.closed[:, first])
            assert steps(left, first, set()) == survey_steps(5, moving)

    @pytest.mark.parametrize(("n", "moving"), [(n, m) for n in (2, 3, 4) for m in range(n + 1)])
    def test_nothing_needs_fewer_steps_in_the_worst_case(self, n, moving):
        inquiry = Inquiry(n, *ALL_PAIRS, frozenset(range(moving)))
        assert minimax_steps(inquiry) == survey_steps(n, moving)

    def test_the_actions_of_every_item_suffice(self):
        for item in items():
            done = run_experiment(survey, item.hidden, item.initial, *ALL_PAIRS)
            assert len(done.transitions) <= item.limit
            left = consistent_orders(item.hidden.n, done.transitions, item.initial)
            (below,) = list_posets(item.hidden.n).below[left].tolist()
            assert all(
                bool(below[x] >> y & 1) == item.hidden.causes(x, y)
                for x, y in permutations(range(item.hidden.n), 2)
            )
        assert {(item.hidden.n, len(item.initial)): item.limit for item in items()} == {
            (4, 0): 7,
            (4, 4): 9,
            (5, 0): 9,
            (5, 5): 12,
        }


def entailed_by_graphs(n, initial, transitions):
    """What is entailed of each pair, by letting every graph act: nothing is shared with ours."""
    left = [
        world
        for world in graphs(n)
        if all(not (u in initial and w not in initial) for u, w in world.edges)
        and all(
            simulate_action(world, seen.before, seen.action, seen.entity) == seen.after
            for seen in transitions
        )
    ]
    assert left
    found = {}
    for x, y in permutations(range(n), 2):
        answers = {_is_reached(world.edges, x, y) for world in left}
        found[x, y] = "open" if len(answers) == 2 else "yes" if answers.pop() else "no"
    return found


def _is_reached(edges, x, y):
    reached, frontier = set(), {x}
    while frontier:
        frontier = {w for u, w in edges if u in frontier} - reached
        reached |= frontier
    return y in reached


def walk(world, initial, actions):
    state = initial
    for action, entity in actions:
        after = world.step(state, action, entity)
        yield Transition(state, action, entity, after)
        state = after


@pytest.mark.slow
def test_all_that_three_entities_show_in_two_actions_entails_what_all_graphs_say() -> None:
    every = [*product(ACTIONS, range(3))]
    for world in graphs(3):
        for initial in world.closed_states():
            for length in range(3):
                for actions in product(every, repeat=length):
                    seen = tuple(walk(world, initial, actions))
                    inquiry = Inquiry(3, *ALL_PAIRS, initial, seen)
                    assert find_all_entailed(inquiry) == entailed_by_graphs(3, initial, seen)


@pytest.mark.slow
def test_what_four_entities_show_entails_what_all_graphs_say() -> None:
    rng = generator("test", "reports", "four")
    every, worlds = [*product(ACTIONS, range(4))], graphs(4)
    for _ in range(150):
        world = worlds[rng.integers(len(worlds))]
        states = [*world.closed_states()]
        initial = states[rng.integers(len(states))]
        actions = [every[k] for k in rng.integers(len(every), size=rng.integers(9))]
        seen = tuple(walk(world, initial, actions))
        inquiry = Inquiry(4, *ALL_PAIRS, initial, seen)
        assert find_all_entailed(inquiry) == entailed_by_graphs(4, initial, seen)


class TestReplies:
    @pytest.mark.parametrize(
        ("reply", "drives", "left_open"),
        [
            ('{"drives": ["lid > wheel"], "open": []}', [("lid", "wheel")], []),
            ('{"drives": []}', [], []),
            ('{"drives": null, "open": null}', [], []),
            ('So: {"Drives": ["Lid -> Wheel."], "OPEN": ["a → b"]}', [("lid", "wheel")], ["a b"]),
            ('{"drives": [["lid", "bell"], "a=>b"]}', [("lid", "bell"), ("a", "b")], []),
            ('{"drives": "lid > wheel, wheel > bell"}', [("lid", "wheel"), ("wheel", "bell")], []),
            ('{"drives": ["a > b"]} no, {"drives": []}', [], []),
            # What is no pair has no names, and cannot be followed.
            ('{"drives": ["lid"]}', [("", "")], []),
            ('{"drives": ["a > b > c"]}', [("", "")], []),
            ('{"drives": {"lid": "wheel"}}', [("", "")], []),
            ('{"drives": 3}', [("", "")], []),
        ],
    )
    def test_reports_are_read(self, reply, drives, left_open):
        doubtful = tuple(tuple(pair.split()) for pair in left_open)
        assert parse_reply(reply, report=True) == ReportReply(tuple(drives), doubtful)

    @pytest.mark.parametrize(
        "reply",
        [
            '{"drives": [], "next": "answer"}',
            '{"drives": [], "answer": "yes"}',
            '{"drives": [], "drives": ["a > b"]}',
            '{"drives": [], "open": [], "Open": ["a > b"]}',
            '{"open": ["a > b"]}',
            '{"drives": ["a > b"',
        ],
    )
    def test_what_says_two_things_or_nothing_is_not_read(self, reply):
        assert parse_reply(reply, report=True) is None

    def test_where_one_pair_is_asked_there_are_no_reports(self):
        assert parse_reply('{"drives": ["a > b"]}') is None
        both = '{"answer": "yes"} {"drives": []}'
        assert parse_reply(both) == Decision("answer", "yes")


def converse(*replies, **changed):
    episode = InterveneEpisode(parse_case({**FACTORS, **changed}))
    said = [episode.hear(reply, truncated=False) for reply in replies]
    return episode, said


TURN_WHEEL = '{"entity": "wheel", "action": "turn"}'


class TestEpisode:
    def test_a_report_is_graded_pair_by_pair(self):
        # To turn the wheel from rest settles what it drives, and that the bell does not drive it.
        episode, said = converse(
            TURN_WHEEL, '{"next": "answer"}', '{"drives": ["lid > wheel", "wheel > bell"], '
            '"open": ["Bell > the lid"]}'
        )  # fmt: skip
        assert '"drives": ["NAME > NAME", ...]' in said[1]
        assert "Actions left: 4." in said[1]
        assert episode.answer.parts["evidence"] == (
            "0>1 open; 0>2 open; 1>0 no; 1>2 yes; 2>0 no; 2>1 no"
        )
        assert episode.answer.parts["report"] == (
            "0>1 yes; 0>2 no; 1>0 no; 1>2 yes; 2>0 open; 2>1 no"
        )
        # 1>0, 1>2 and 2>1 are justified, 0>1 is lucky, 0>2 premature, 2>0 left open.
        assert episode.answer.value == 3 / 6
        assert episode.answer.parts["verdict"] == "premature"
        assert (episode.answer.outcome, episode.end) == ("scored", "answered")

    def test_a_report_may_come_at_once(self):
        episode, _ = converse('{"drives": []}')
        assert (episode.answer.value, episode.answer.parts["verdict"]) == (0.0, "premature")

    def test_all_left_open_is_a_report_that_claims_nothing(self):
        pairs = [f"{x} > {y}" for x, y in permutations(("lid", "wheel", "bell"), 2)]
        episode, _ = converse(json.dumps({"drives": [], "open": pairs}))
        assert (episode.answer.value, episode.answer.parts["verdict"]) == (0.0, "open")

    @pytest.mark.parametrize(
        "reply",
        [
            '{"drives": ["lid > drum"]}',
            '{"drives": ["lid > lid"]}',
            '{"drives": ["lid > bell"], "open": ["lid > bell"]}',
            '{"drives": ["NAME > NAME", ...], "open": []}',
            '{"answer": "yes"}',
        ],
    )
    def test_what_cannot_be_followed_is_asked_for_once_more(self, reply):
        episode, said = converse(reply, '{"drives": []}')
        assert said[0].startswith("Your reply could not be read. Actions left: 5.")
        assert (episode.end, episode.reasks) == ("answered", 1)
        twice, _ = converse(reply, reply)
        assert twice.end in {"invalid_answer", "invalid_format"}
        assert (twice.answer.value, twice.answer.reason) == (None, twice.end)
        assert twice.answer.parts["verdict"] == "no_answer"

    def test_no_more_actions_than_suffice(self):
        episode, said = converse(*[TURN_WHEEL] * 6)
        assert said[4].startswith("You see:")
        assert '"drives"' in said[4]
        assert episode.end == "out_of_steps"


def test_verdicts_on_pairs_by_hand() -> None:
    evidence = {(0, 1): "yes", (1, 0): "no", (0, 2): "open", (2, 0): "open", (1, 2): "yes"}
    said = {(0, 1): "yes", (1, 0): "open", (0, 2): "yes", (2, 0): "yes", (1, 2): "no"}
    found = grade_report(said, CHAIN, evidence)
    assert [*found.values()] == ["justified", "open", "lucky", "premature", "contradicts"]
    for kept, worst in ((5, "contradicts"), (4, "premature"), (3, "lucky"), (2, "open")):
        assert worst_verdict(dict([*found.items()][:kept])) == worst
    assert worst_verdict({(0, 1): "justified"}) == "justified"
    with pytest.raises(ValueError, match="evidence must be 'yes' or 'open'"):
        grade_report({(0, 1): "yes"}, CHAIN, {(0, 1): "no"})
    assert unpack_report(pack_report(said)) == said


def answers(name, design=FEW, **settings):
    asked = list(SUITE.items(design))
    agent = f"reference/intervene.{name}"
    return list(simulate_rows(SUITE, design, asked, SUITE.agent(name), settings, agent, {}))


def measured(rows):
    found = SUITE.measures(record_table(rows, SUITE.record_columns))
    return {measure.title: measure for measure in found}


def row(claims, evidence, **changed):
    said = dict(zip(permutations(range(2), 2), claims, strict=True))
    known = dict(zip(permutations(range(2), 2), evidence, strict=True))
    verdicts = grade_report(said, InterveneWorld(2, ((0, 1),)), known)
    return {
        **answers("always-no")[0], "entities": 2, "graph": "0>1",
        "report": pack_report(said), "evidence": pack_report(known),
        "verdict": worst_verdict(verdicts),
        "value": sum(verdict == "justified" for verdict in verdicts.values()) / 2, **changed,
    }  # fmt: skip


def test_measures_by_hand() -> None:
    silent = {"value": None, "outcome": "no_answer", "reason": "cut_off", "verdict": "no_answer"}
    found = measured(
        [
            row(("yes", "no"), ("yes", "no"), steps=3),
            row(("yes", "open"), ("open", "open"), steps=1),
            row(("no", "yes"), ("open", "no"), steps=2),
            row(("yes", "no"), ("yes", "no"), **silent),
            row(("yes", "no"), ("yes", "no"), **{**silent, "outcome": "error"}),
        ]
    )
    values = {name: measure.estimate for name, measure in found.items()}
    assert values["justified_pairs"] == pytest.approx((1 + 0 + 0 + 0) / 4)
    assert values["justified_accuracy"] == pytest.approx(1 / 4)
    assert values["accuracy_pairs"] == pytest.approx((1 + 0.5 + 0 + 0) / 4)
    assert values["settled"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert values["as_entailed"] == pytest.approx((1 + 0.5 + 0) / 3)
    # Of five claims one is lucky and one premature.
    assert values["overclaimed"] == pytest.approx(2 / 5)
    assert values["verdict_open"] == pytest.approx(1 / 6)
    assert values["verdict_lucky"] == pytest.approx(1 / 6)
    assert values["verdict_premature"] == pytest.approx(1 / 6)
    assert values["verdict_contradicts"] == pytest.approx(1 / 6)
    assert values["steps"] == pytest.approx(2)
    assert values["answered"] == pytest.approx(3 / 4)
    assert found["justified_pairs"].units == 1
    assert found["justified_pairs"].error == 1


def test_who_never_reports_has_nothing_and_no_share_of_claims() -> None:
    silent = {"value": None, "outcome": "no_answer", "reason": "cut_off", "verdict": "no_answer"}
    found = measured([row(("yes", "no"), ("yes", "no"), **silent)])
    assert found["justified_pairs"].estimate == 0
    assert found["overclaimed"].estimate is None
    assert found["settled"].estimate is None


def test_questions_about_one_pair_are_measured_as_if_there_were_no_reports() -> None:
    core = answers("single-cause", DESIGNS["core"])
    graph = answers("single-cause")
    alone = SUITE.measures(record_table(core, SUITE.record_columns))
    both = SUITE.measures(record_table([*graph, *core], SUITE.record_columns))
    mixed = [found for found in both if found.labels["worlds"] == "core"]
    for one, other in zip(mixed, alone, strict=True):
        assert (one.title, one.n, one.units, one.flags) == (
            *(other.title, other.n, other.units, other.flags),
        )
        # Units are numbered otherwise, and sums come in another order.
        assert (one.estimate, one.low, one.high) == pytest.approx(
            (other.estimate, other.low, other.high)
        )
    names = {found.name for found in both if found.labels["worlds"] == "graph"}
    assert not names & {"accuracy", "balanced_accuracy", "d_prime", "skill_score", "entailed_share"}


@pytest.mark.parametrize("name", ["limited", "graph"])
def test_designs_of_any_density_pass_every_check(name: str) -> None:
    found = list(check_design(SUITE, SUITE.make_design({"design": name, "graphs": 2})))
    assert [result for result in found if not result.passed] == []
    applied = {result.name for result in found if result.applies}
    assert {"blocks are balanced", "silence is not achieved"} <= applied


def test_known_agents_have_the_measures_that_they_are_expected_to_have() -> None:
    found = list(calibrate(SUITE, FEW, seeds=1))
    exact = [one for one in found if one.coverage is None]
    assert [one for one in exact if not one.passed] == []
    assert len({one.agent for one in exact}) == 7
    values = {(one.agent, one.measure): one.estimate for one in exact}
    assert values["controlled", "justified_accuracy"] == 1
    assert values["always-no", "overclaimed"] == 1
    assert values["recipe", "justified_accuracy"] < 1


def test_lapses_are_per_pair() -> None:
    found = measured(answers("controlled", DESIGN, error=0.2))["justified_pairs"]
    assert found.estimate == pytest.approx(0.8, abs=0.03)
    wrong = {one["verdict"] for one in answers("controlled", error=1.0)}
    assert wrong == {"contradicts"}


def test_two_agents_are_compared_by_pairs_of_a_report() -> None:
    first, second = (
        record_table(answers(name), SUITE.record_columns) for name in ("always-no", "controlled")
    )
    found = {pair.measure: pair for pair in SUITE.comparison.pairs(stack_sides(first, second))}
    assert [*found] == ["justified_pairs", "justified_accuracy", "accuracy_pairs", "answered"]
    found_pairs = found["justified_pairs"]
    assert (found_pairs.b.estimate, found_pairs.a.estimate) == (0, 1)


def test_the_table_of_steps_says_how_many_pairs_are_settled() -> None:
    table = steps_table(record_table(answers("controlled")[:1], SUITE.record_columns))
    settled = table["settled"].to_pylist()
    assert settled[-1] == "12 of 12"
    assert all(text.endswith(" of 12") for text in settled)
    assert [*map(int, (text.split()[0] for text in settled))] == sorted(
        int(text.split()[0]) for text in settled
    )


def test_figures_are_of_one_pair() -> None:
    core = answers("single-cause", DESIGNS["core"])
    tables = [record_table(rows, SUITE.record_columns) for rows in (core, answers("controlled"))]
    names = [figure.name for figure in SUITE.figures(pa.concat_tables(tables))]
    assert names == [figure.name for figure in SUITE.figures(tables[0])]
    assert [*SUITE.figures(tables[1])] == []


def test_who_finds_out_about_one_pair_refuses_a_graph() -> None:
    with pytest.raises(UserError, match="bayes finds out about one pair"):
        answers("bayes")


def test_people_are_not_asked_about_graphs() -> None:
    assert "one pair" in SUITE.play.refuse(DESIGN)
    assert SUITE.play.refuse(DESIGNS["core"]) == ""
    with pytest.raises(UserError, match="people are asked about one pair"):
        SUITE.study.page(items()[0])


def test_a_report_is_rewarded_by_its_share() -> None:
    episode, _ = converse(TURN_WHEEL, '{"drives": ["wheel > bell"]}')
    assert SUITE.training.reward({}, 1.0, episode.answer) == episode.answer.value == 4 / 6


@pytest.mark.slow
def test_logs_give_the_records_of_reports(tmp_path) -> None:
    (log,) = inspect_eval(
        intervene(design="graph", graphs=1),
        model="reference/intervene.controlled",
        model_args={"error": 0.3},
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    read = {one["item"]: one for one in read_logs([tmp_path]).rows["intervene"]}
    design = SUITE.make_design({"design": "graph", "graphs": 1})
    for one in answers("controlled", design, error=0.3):
        kept = {name: read[one["item"]][name] for name in (*SUITE.record_columns, "value")}
        assert kept == {name: one[name] for name in kept}
    shown = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    found = measured([*read.values()])["justified_pairs"]
    assert shown["justified_pairs"] == pytest.approx(found.estimate)
    assert 0 < found.estimate < 1
    for sample in log.samples:
        assert sample.scores["justification"].value["correct"] == round(read[sample.id]["value"], 3)
