"""The source's data sets as they are read, and its keys beside ours."""

from __future__ import annotations

import doctest
import math
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from evidence.pitfall_programs import list_placeholders
from hypothesis import given
from hypothesis import strategies as st

from evidence import pitfall_programs
from whybench.cli import whybench_command
from whybench.seeds import generator
from whybench.suites.analyze.challenges import CORE
from whybench.suites.analyze.equivalence import all_graphs
from whybench_papers.du2025 import recomputed
from whybench_papers.du2025.arithmetic import fit_response
from whybench_papers.du2025.data_sets import (
    FOLDERS,
    read_data_sets,
    read_json,
)
from whybench_papers.du2025.recomputed import (
    REASONS,
    compatible_graphs,
    infer_edge,
    parse_graph,
    write_graph,
)
from whybench_papers.du2025.replication import key_rows, replicate

NODES = ("a", "b", "c")


@pytest.fixture
def source(mirror):
    if not (mirror / "CausalPitfalls").is_dir():
        pytest.skip("the mirror must hold CausalPitfalls/")
    return mirror / "CausalPitfalls"


@pytest.fixture
def one(source):
    """Find a row of the table of keys by folder, number and field."""
    return lambda *place: _table()[place]


@cache
def _table():
    return {(row["folder"], row["number"], row["name"]): row for row in key_rows()}


@pytest.mark.parametrize("module", [pitfall_programs, recomputed])
def test_examples_in_docstrings(module) -> None:
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_all_data_sets_are_read(source) -> None:
    sets = read_data_sets()
    assert len(sets) == 75
    assert set(FOLDERS.values()) == set(CORE)
    for challenge in FOLDERS:
        five = read_data_sets(challenge)
        assert [data.number for data in five] == [1, 2, 3, 4, 5]
        assert {data.name for data in five} == {
            path.stem for path in (source / "challenges" / challenge).glob("*.csv")
        }
        assert [question["difficulty"] for question in read_json(challenge, "questions")] == [
            *("very_easy", "easy", "medium", "hard", "very_hard"),
        ]
        assert read_json(challenge, "rubric")["criteria"]
    assert [data.name for data in sets if data.key is None] == ["dag_structure_markequi_sem"]


def test_columns_are_found_under_the_names_of_keys(source) -> None:
    for data in read_data_sets():
        lengths = {len(column) for column in data.rows.values()}
        assert len(lengths) == 1
        assert lengths.pop() >= 93
    medicine = read_data_sets("simpson_paradox")[0]
    assert medicine.column_names("TREATMENT", "OUTCOME", "CONFOUNDER") == ("drug", "recover", "age")
    (recovered,) = medicine.columns("OUTCOME")
    assert set(recovered) == {0.0, 1.0}
    assert read_data_sets("berkson_paradox")[0].column_names("VARIABLE_X") == ("A",)
    with pytest.raises(ValueError, match="column must be one of .* got 'Hospitalization'"):
        read_data_sets("berkson_paradox")[0].column_names("COLLIDER_VARIABLE")
    with pytest.raises(ValueError, match="must have a key, got none"):
        read_data_sets("dag_structure_markequi")[4].column_names("VARIABLE_X1")


def test_an_unknown_challenge_is_refused() -> None:
    with pytest.raises(ValueError, match="challenge must be one of .* got 'simpson'"):
        read_data_sets("simpson")


def test_placeholders_of_questions_are_fields_of_the_key(source) -> None:
    for data in read_data_sets():
        for question in data.questions:
            assert list_placeholders(question)
            if data.key is not None:
                assert set(list_placeholders(question)) <= set(data.key)


@given(st.lists(st.from_regex(r"[A-Z][A-Z0-9_]{0,8}", fullmatch=True), max_size=5))
def test_placeholders_are_found_in_either_bracket(names) -> None:
    text = " and ".join(f"{{{name}}} or <{name}>" for name in names)
    assert list_placeholders(text) == tuple(dict.fromkeys(names))


def test_the_table_holds_what_rows_settle_and_says_why_not_the_rest(source) -> None:
    tables = replicate(2000)
    assert {name: len(rows) for name, rows in tables.items()} == {"keys": 170, "not_recomputed": 15}
    held = {row["folder"] for rows in tables.values() for row in rows}
    assert held == set(FOLDERS)
    assert {row["folder"] for row in tables["not_recomputed"]} == set(REASONS)
    for row in tables["keys"]:
        if not isinstance(row["estimate"], str):
            assert row["low"] < row["estimate"] < row["high"]


def test_rates_and_effects_by_hand(one) -> None:
    """Counted in the file: 215 of 300 old patients with the drug recovered, 78 of 100 without."""
    assert one("simpson_paradox", 1, "P_LEVEL2_YES")["estimate"] == pytest.approx(215 / 300)
    assert one("simpson_paradox", 1, "P_LEVEL2_NO")["estimate"] == pytest.approx(0.78)
    # Half of the patients are old: (215/300 - 78/100 + 30/100 - 128/300) / 2.
    adjusted = (215 / 300 - 0.78 + 0.3 - 128 / 300) / 2
    assert one("simpson_paradox", 1, "ADJUSTED_P_DIFF")["estimate"] == pytest.approx(adjusted)
    # Of 59 in hospital with A, 7 have B; of 34 without, 29.
    assert one("berkson_paradox", 1, "NAIVE_CONDITIONAL_1")["estimate"] == pytest.approx(7 / 59)
    assert one("berkson_paradox", 1, "NAIVE_CONDITIONAL_2")["estimate"] == pytest.approx(29 / 34)


@pytest.mark.parametrize(
    ("place", "flags"),
    [
        (("counterfactual_reasoning", 1, "ATE"), ""),
        (("counterfactual_reasoning", 2, "ATE"), "beyond_tolerance beyond_chance"),
        (("casual_effect", 1, "TRUE_CAUSAL_EFFECT"), "small_n"),
        (("casual_effect", 5, "TRUE_CAUSAL_EFFECT"), "beyond_tolerance beyond_chance"),
        (("dag_structure_markequi", 1, "EQUIVALENT_GRAPHS"), "differs"),
        (("dag_structure_markequi", 5, "EQUIVALENT_GRAPHS"), ""),
        (("observational_vs_experimental_reasoning", 1, "ADJUSTED_P_DIFF"), "beyond_tolerance"),
        (("population_shift", 1, "EFFECT_A"), "beyond_tolerance"),
    ],
)
def test_flags_say_what_is_wrong(one, place, flags) -> None:
    assert one(*place)["flags"] == flags


def test_regressions_agree_with_another_implementation(source, one) -> None:
    smf = pytest.importorskip("statsmodels.formula.api")
    pandas = pytest.importorskip("pandas")
    data = read_data_sets("treatment_mediator")[0]
    formula = (
        "employment_rate ~ stimulus_policy * consumer_confidence"
        " + market_volatility + baseline_economic_growth"
    )
    fit = smf.ols(formula, pandas.DataFrame(data.rows)).fit(cov_type="HC1")
    ours = one("treatment_mediator", 1, "INTERACTION_EFFECT")
    name = "stimulus_policy:consumer_confidence"
    assert ours["estimate"] == pytest.approx(fit.params[name])
    half = 1.959964 * fit.bse[name]
    assert ours["high"] - ours["estimate"] == pytest.approx(half, rel=1e-5)


@pytest.mark.slow
def test_a_response_is_recovered_and_its_error_is_honest() -> None:
    """Twenty drawn sets: known steepness 2 and slope 1.5, found within their stated errors."""
    off = []
    for seed in range(20):
        rng = generator("tests", "published", "response", seed)
        confounder, push, noise = rng.standard_normal((3, 600))
        dose = -0.7 * confounder + 0.2 * push
        outcome = -1 + np.tanh(2 * dose) + 1.5 * confounder + np.tanh(noise)
        found = fit_response(outcome, dose, confounder)
        off.append((found.steepness.value - 2) / found.steepness.se)
        truth = math.tanh(4) + math.tanh(2)
        assert found.change(-1, 2).value == pytest.approx(truth, abs=0.04)
        assert found.slope.value == pytest.approx(1.5, abs=0.06)
    assert 0.6 < np.std(off) < 1.6
    assert abs(np.mean(off)) < 0.8


def test_the_response_leaves_the_noise_it_says(source) -> None:
    for data in read_data_sets("counterfactual_reasoning"):
        outcome, dose, confounder = data.columns("VARIABLE_Y", "VARIABLE_X", "CONFOUNDER")
        noise = fit_response(outcome, dose, confounder).noise(outcome, dose, confounder)
        assert 0.99 < np.abs(noise).max() < 1
        normal = np.arctanh(noise)
        assert normal.std() == pytest.approx(1, abs=0.05)
        # A normal deviate's fourth moment is 3; in 1000 draws its error is about 0.3.
        assert np.mean(normal**4) == pytest.approx(3, abs=1)


def test_graphs_are_read_as_they_are_written() -> None:
    paths = [graph for graph in all_graphs(NODES) if len(graph) == 2]
    written = [write_graph(graph, NODES) for graph in paths]
    assert "a->b<-c" in written
    assert "a<-b->c" in written
    joined = [graph for graph in paths if {frozenset(edge) for edge in graph} == _PATH]
    assert len(joined) == 4
    for graph in joined:
        assert parse_graph(write_graph(graph, NODES)) == graph
    assert write_graph(frozenset({("a", "c"), ("a", "b")}), NODES) == "a->b, a->c"


_PATH = {frozenset({"a", "b"}), frozenset({"b", "c"})}


def test_rows_of_a_collider_leave_one_graph() -> None:
    rng = generator("tests", "published", "collider")
    first, third, noise = rng.standard_normal((3, 4000))
    rows = {"a": first, "b": first + third + noise, "c": third}
    assert compatible_graphs(rows, NODES) == {parse_graph("a->b<-c")}


def test_the_edge_is_that_of_the_key_whichever_is_named_first(source) -> None:
    for data in read_data_sets("causal_direction_iv"):
        assert data.key is not None
        assert [infer_edge(data)] == data.key["TRUE_EDGES"]


def test_keys_in_words_are_printed_as_they_are(source) -> None:
    done = CliRunner().invoke(
        whybench_command, ["papers", "replicate", "du2025", "--table", "keys"]
    )
    assert done.exit_code == 0, done.output
    lines = [line for line in done.output.splitlines() if "TRUE_EDGES" in line]
    assert len(lines) == 5
    assert all(line.count("->") == 2 for line in lines)
