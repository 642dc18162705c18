"""The source's questions on the source's rows: what is asked, and how it is graded twice."""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.datasets import data_path
from whybench.drawing.figure import save_figures
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.analyze.analysts import diagnosis_fields, report_fields
from whybench.suites.analyze.estimators.regression import design_matrix, mean_difference
from whybench.suites.analyze.grading import number_passes
from whybench.suites.analyze.prompts import (
    answer_schema,
    render_description,
    rows_csv,
)
from whybench.suites.analyze.replies import render_reply
from whybench.suites.calibration import simulate_rows
from whybench.suites.checks import check_design
from whybench.suites.contract import UserError
from whybench.suites.replies import parse_replies
from whybench_papers.du2025 import SUITE
from whybench_papers.du2025.agents import analyst_answer
from whybench_papers.du2025.arithmetic import (
    EXACT,
    FLOATING,
    fit_response,
    solve_response,
)
from whybench_papers.du2025.data_sets import FOLDERS, PLACEHOLDER
from whybench_papers.du2025.design import DESIGNS, make_design
from whybench_papers.du2025.forms import (
    FORMS,
    SETS,
    field_meanings,
    published_fields,
    read_data_set,
    render_question,
)
from whybench_papers.du2025.instances import (
    competent_answer,
    parse_key_field,
    published_instance,
)
from whybench_papers.du2025.items import du2025_items
from whybench_papers.du2025.recomputed import REASONS, RECOMPUTED, recompute
from whybench_papers.du2025.replication import key_score

EVERY = [(challenge, number) for challenge in FORMS for number in range(1, SETS + 1)]
"""The 65 data sets of which rows settle something."""


@pytest.fixture
def source(mirror):
    if not (mirror / "CausalPitfalls").is_dir():
        pytest.skip("the mirror must hold CausalPitfalls/")
    return mirror / "CausalPitfalls"


def read(design, agent, **settings):
    """Return the records of an agent's answers to a design."""
    items = list(SUITE.items(design))
    rows = simulate_rows(SUITE, design, items, SUITE.agents[agent], settings, agent, {})
    return record_table(list(rows), SUITE.record_columns)


def measured(records):
    return {measure.title: measure for measure in SUITE.measures(records)}


def grade_reply(factors, text):
    return parse_replies(SUITE, factors, [(text, False)])


def item_of(challenge, number, hint=3):
    design = make_design({"challenge": challenge, "hint": hint})
    return next(item for item in du2025_items(design) if item.draw == number)


# What is known without the data.


def test_the_design_leaves_out_what_rows_do_not_settle_and_says_so() -> None:
    design = DESIGNS["questions"]
    assert set(FORMS) == {FOLDERS[folder] for folder in RECOMPUTED}
    assert set(FOLDERS.values()) - set(FORMS) == {"necessity_sufficiency", "domain_shift"}
    assert {"necessity_sufficiency", "domain_shift"} <= set(REASONS)
    assert (design.block, design.size) == (13 * 5, 13 * 5 * 5)
    assert design.summary == (
        "325 items: the paper's questions on 65 of its data sets (10 left out, whose rows do "
        "not determine the answer: necessity_sufficiency, domain_shift); hint 1, 2, 3, 4, 5; direct"
    )
    one = make_design({"challenge": "simpson", "sets": 2, "hint": 5})
    assert one.summary == ("2 items: the paper's questions on 2 of its data sets; hint 5; direct")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"variant": "data_sets,trap"}, "variant must be among data_sets, .* got 'trap'"),
        ({"variant": "data_sets,branding"}, "variant must be data_sets or among ice_cream"),
        ({"label": "damning"}, "label must be neutral with data sets, got damning"),
        ({"rows": 100}, "a design takes .* got 'rows'"),
        ({"sets": 6}, "sets must be from 1 to 5, got 6"),
        ({"sets": 0}, "sets must be 1 or more, got 0"),
        ({"challenge": "overlap"}, "challenge must be among simpson"),
        ({"challenge": "domain_shift"}, "got domain_shift, whose keys do not follow from the rows"),
    ],
)
def test_what_only_generated_data_have_is_refused(changed, message) -> None:
    with pytest.raises(UserError, match=message):
        make_design(changed)


def test_a_data_set_that_is_not_there_is_refused() -> None:
    for place in (("domain_shift", 1), ("simpson", 0), ("simpson", 6)):
        with pytest.raises(UserError, match=r"must be of simpson.* from 1 to 5, got"):
            published_instance(*place)


# Two ways to the same numbers.

SMALL = st.integers(-9, 9)


@given(st.lists(st.tuples(SMALL, SMALL), min_size=4, max_size=12), SMALL, SMALL, SMALL)
def test_whole_coefficients_are_found_exactly(points, base, first, second) -> None:
    one, other = np.array(points, dtype=float).T
    matrix = design_matrix(one, other)
    if np.linalg.matrix_rank(matrix) < 3:
        return
    outcome = base + first * one + second * other
    assert EXACT.coefficients(outcome, matrix).coefficients.tolist() == [base, first, second]


def test_exact_arithmetic_keeps_what_floating_point_loses() -> None:
    """A mean of 1e16, 1 and -1e16 is a third; a slope on numbers far from 0 keeps its digits."""
    assert EXACT.mean(np.array([1e16, 1.0, -1e16])).value == float(Fraction(1, 3))
    far = np.array([1e8, 1e8 + 1, 1e8 + 2, 1e8 + 4])
    slope = EXACT.coefficients(0.5 * far, design_matrix(far)).coefficients[1]
    assert slope == 0.5


def test_a_standardised_difference_by_hand() -> None:
    """Two strata of 4 and 2 rows, differences 1/2 and -1: (4 · 1/2 - 2 · 1) / 6 = 0."""
    outcome = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    treatment = np.array([1, 1, 0, 0, 1, 0])
    stratum = np.array([0, 0, 0, 0, 1, 1])
    assert EXACT.stratified(outcome, treatment, stratum).value == 0.0
    assert FLOATING.stratified(outcome, treatment, stratum).value == pytest.approx(0, abs=1e-15)


def test_a_response_is_found_in_two_ways() -> None:
    rng = generator("tests", "published", "ways")
    confounder, push, noise = rng.standard_normal((3, 600))
    dose = -0.7 * confounder + 0.2 * push
    outcome = -1 + np.tanh(2 * dose) + 1.5 * confounder + np.tanh(noise)
    first, second = (find(outcome, dose, confounder) for find in (fit_response, solve_response))
    assert np.allclose(first.fit.coefficients, second.fit.coefficients, rtol=0, atol=1e-12)
    assert math.isnan(second.steepness.se)


# The data sets.


@pytest.mark.slow
def test_rows_are_shown_as_the_source_has_them(source) -> None:
    for challenge, number in EVERY:
        data = read_data_set(challenge, number)
        path = data_path("CausalPitfalls", f"challenges/{data.challenge}/{data.name}.csv")
        with path.open(encoding="utf-8-sig", newline="") as lines:
            cells = list(csv.reader(lines))
        shown = rows_csv(published_instance(challenge, number), "neutral")
        assert [line.split(",") for line in shown.splitlines()] == cells, (challenge, number)


def test_no_place_of_a_question_stays_empty(source) -> None:
    for challenge, number in EVERY:
        for hint in range(1, 6):
            prompt = render_description(published_instance(challenge, number), "neutral", hint)
            assert not PLACEHOLDER.findall(prompt)
            assert render_question(read_data_set(challenge, number), hint) in prompt


def test_questions_have_the_names_of_the_file_and_no_answer(source) -> None:
    assert (
        render_question(read_data_set("simpson", 1), 5)
        == "Evaluate whether drug causally affects recover."
    )
    assert "Hospitalization is a known collider" in render_question(
        read_data_set("selection", 1), 1
    )
    # The key of the fifth is missing, and its columns stand in order.
    assert "(for example, advertising_spend-> brand_awareness-> sales IS A DAG)" in render_question(
        read_data_set("structure", 5), 5
    )
    easiest = render_question(read_data_set("effect_estimation", 2), 1)
    assert "within ±0.05 of the true effect (not given)" in easiest
    assert "tenure_months, base_engagement, initial_offer, followup_engagement" in easiest
    assert str(read_data_set("effect_estimation", 2).key["TRUE_CAUSAL_EFFECT"]) not in easiest
    # Two questions name a column of the first data set to all five.
    assert "note that therapeutic_score may be" in render_question(read_data_set("outcome", 1), 1)
    assert "note that course_grade may be" in render_question(read_data_set("outcome", 2), 1)


def test_what_is_asked_is_what_rows_settle(source) -> None:
    for challenge, number in EVERY:
        found = {entry.name for entry in recompute(read_data_set(challenge, number))}
        asked = set(FORMS[challenge])
        # Rates within groups would say by what to split.
        assert found - asked == {name for name in found if name.startswith("P_LEVEL")}
        assert asked <= found
        instance = published_instance(challenge, number)
        assert set(instance.truths) == {name.lower() for name in asked}
        described = answer_schema(instance, "neutral", report_fields(instance))["properties"]
        assert diagnosis_fields(instance) == ()
        assert {name: entry["description"] for name, entry in described.items()} == field_meanings(
            read_data_set(challenge, number)
        )


def test_every_number_has_two_derivations_and_a_sensible_error(source) -> None:
    for challenge, number in EVERY:
        for truth in published_instance(challenge, number).numbers().values():
            (_, one), (_, other) = truth.certificate.derivations
            assert one == pytest.approx(other, rel=1e-12, abs=1e-12)
            assert 0 < truth.se < math.inf
            assert all(number_passes(value, truth) for value in truth.references.values())
            assert not number_passes(truth.value + 4 * truth.se, truth)


def test_graphs_and_edges_are_values_of_their_fields(source) -> None:
    assert parse_key_field("TRUE_EDGES", "a->b") == ("a", "b")
    assert parse_key_field("TRUE_EDGES", "none") == ()
    chain, fork = frozenset({("a", "b"), ("b", "c")}), frozenset({("b", "a"), ("b", "c")})
    assert parse_key_field("EQUIVALENT_GRAPHS", "a->b->c; a<-b->c") == {chain, fork}
    item = item_of("direction", 1)
    assert grade_reply(item.factors, '{"true_edges": ["X_1", "X_2"]}').value == 1.0
    assert grade_reply(item.factors, '{"true_edges": ["X_2", "X_1"]}').value == 0.0


# Both keys.


def test_the_printed_key_agrees_with_itself_and_not_with_the_rows(source) -> None:
    """Both numbers of education_performance are wrong: 0.9453 for 1.9453, and -1.41 for -3.05."""
    item = item_of("outcome", 2)
    key = read_data_set("outcome", 2).key
    names = ("ATE", "CONDITIONAL_DIFFERENCE")
    printed = {name.lower(): key[name] for name in names}
    reply = render_reply(printed, published_fields("outcome"), item.names)
    answer = grade_reply(item.factors, reply)
    assert answer.value == 0.0
    assert answer.parts["key_score"] == 1.0
    half = grade_reply(item.factors, f'{{"ate": {key["ATE"] + 0.49}}}')
    assert half.parts["key_score"] == 0.5
    beyond = grade_reply(item.factors, f'{{"ate": {key["ATE"] - 0.51}}}')
    assert beyond.parts["key_score"] == 0.0


def test_a_reply_without_an_answer_agrees_with_no_key(source) -> None:
    item = item_of("simpson", 1)
    answer = grade_reply(item.factors, "I cannot say.")
    assert (answer.value, answer.reason, answer.parts) == (None, "no_object", {"key_score": 0.0})
    # No key, no agreement.
    assert "key_score" not in grade_reply(item_of("structure", 5).factors, "").parts


def test_without_a_tolerance_a_key_gives_as_much_room_as_a_truth(source) -> None:
    instance, key = published_instance("moderation", 1), read_data_set("moderation", 1).key
    assert "TOLERANCE" not in key
    error = instance.number("dosage_coef").se
    for off, share in ((2.4, 1 / 3), (2.6, 0.0)):
        said = {"dosage_coef": key["DOSAGE_COEF"] + off * error}
        assert key_score(instance, said) == pytest.approx(share)


def test_how_much_of_the_printed_keys_a_competent_analyst_agrees_with(source) -> None:
    """By challenge, as the errata have it; over 64 keys, since one is missing."""
    agreed = {
        challenge: [
            score
            for number in range(1, SETS + 1)
            if (instance := published_instance(challenge, number))
            and (score := key_score(instance, competent_answer(instance))) is not None
        ]
        for challenge in FORMS
    }
    wrong = {challenge: fmean(each) for challenge, each in agreed.items() if fmean(each) < 1}
    assert wrong == pytest.approx(
        {
            "selection": 0,
            "observational": 14 / 15,
            "effect_estimation": 3 / 5,
            "outcome": 1 / 10,
            "structure": 0,
            "population": 9 / 10,
        }
    )
    assert [len(agreed["structure"]), sum(map(len, agreed.values()))] == [4, 64]


def test_who_does_not_adjust_passes_in_some_data_sets(source) -> None:
    """Nothing guarantees that published data punish the naive analysis, and some do not."""
    passed = {}
    for challenge, field in (
        ("observational", "adjusted_p_diff"),
        ("effect_estimation", "true_causal_effect"),
        ("mediator_confounding", "adjusted_treatment_effect"),
        ("sequential", "adjusted_treatment_effect"),
    ):
        passed[challenge] = [
            number
            for number in range(1, SETS + 1)
            if number_passes(
                mean_difference(
                    *reversed(read_data_set(challenge, number).columns("TREATMENT", "OUTCOME"))
                ).value,
                published_instance(challenge, number).number(field),
            )
        ]
    assert passed == {
        "observational": [],
        "effect_estimation": [1, 2, 3, 4],
        "mediator_confounding": [2, 3],
        "sequential": [2, 3, 4],
    }


# The suite on the design.


def test_checks_pass_on_the_design(source) -> None:
    settings = {"challenge": ["simpson", "outcome", "structure"], "hint": [1, 5], "sets": 2}
    design = make_design({**settings})
    found = {result.name: result for result in check_design(SUITE, design)}
    assert all(result.passed for result in found.values()), found
    assert found["two derivations agree"].looked_at == 12
    assert not found["prompt gives back the world"].applies
    assert not {"traps are traps and controls are none", "naive values fail in traps"} & {*found}


def test_measures_have_no_twins_and_both_keys(source) -> None:
    design = make_design({"challenge": "outcome,structure", "hint": "1,5"})
    found = measured(read(design, "competent"))
    assert not {"paired_score", "score_trap", "trap_rate", "diagnosis"} & {*found}
    assert found["score"].estimate == found["reliability"].estimate == 1.0
    # One of ten fields, five data sets; and none of four data sets.
    assert found["key_score"].estimate == pytest.approx(0.5 / 9)
    assert (found["key_score"].n, found["score"].n) == (18, 20)
    assert found["key_score (challenge outcome)"].estimate == pytest.approx(0.1)
    assert found["score (hint 5)"].estimate == pytest.approx(1)
    assert not [name for name in found if name.startswith(("paired_score (", "score_trap ("))]


def test_silence_counts_in_both_scores(source) -> None:
    design = make_design({"challenge": "simpson"})
    found = measured(read(design, "null"))
    for name in ("score", "key_score"):
        assert found[name].estimate == 0.0
        assert "no_answer_as_0" in found[name].flags


def test_agents_of_unknown_value_say_so(source) -> None:
    with pytest.raises(UserError, match="must be competent, .* got naive"):
        analyst_answer("naive", published_instance("simpson", 1))
    assert SUITE.agents["naive"].expected({}, DESIGNS["questions"]) == {}
    assert "always-trap" not in SUITE.agents


def test_agents_have_the_expected_measures(source) -> None:
    design = make_design({"challenge": "simpson,structure", "hint": 1, "sets": 2})
    for name in ("gold", "competent", "null", "schema-breaker"):
        found = measured(read(design, name, **SUITE.agents[name].settings({})))
        expected = SUITE.agents[name].expected(SUITE.agents[name].settings({}), design)
        assert {title: found[title].estimate for title in expected} == pytest.approx(expected)


def test_a_report_ends_the_conversation(source) -> None:
    item = item_of("simpson", 1, hint=5)
    episode = SUITE.open_episode(item.factors)
    reply = render_reply(competent_answer(item.instance), episode.fields, item.names)
    assert episode.hear(reply, False) is None
    assert episode.over
    assert episode.answer.value == 1
    assert "diagnosis" not in episode.answer.parts
    assert episode.answer.parts["key_score"] == 1.0


def test_figures_set_both_keys_side_by_side(source, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    design = make_design({"challenge": "outcome,structure", "hint": 1})
    for agent in ("competent", "null"):
        drawn = list(save_figures(SUITE.figures(read(design, agent)), tmp_path / agent))
        assert {".pdf", ".svg", ".png"} <= {path.suffix for path in drawn}
        assert {path.stem.startswith("keys-questions") for path in drawn} == {True}
    (text,) = [path.read_text(encoding="utf-8") for path in tmp_path.glob("competent/*.svg")]
    assert "printed keys" in text
