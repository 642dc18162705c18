from __future__ import annotations

import numpy as np
import pytest

from whybench.suites.calibration import simulate
from whybench.suites.judge import SUITE
from whybench.suites.judge.fitted_models import (
    fit_agents,
    fits_table,
    model_measures,
    task_table,
)
from whybench.suites.judge.groups import group_answers
from whybench.suites.judge.published import mean_records, people_records


def measured(records) -> dict[str, object]:
    return {measure.name: measure for measure in model_measures(records, resamples=200)}


def of_agent(name: str, design: str = "core", **settings):
    made = SUITE.designs[design]
    found = simulate(SUITE, made, list(SUITE.items(made)), SUITE.agent(name), settings)
    return {measure.name: measure for measure in found}


def test_the_first_version_of_a_task_stands_for_both() -> None:
    table = task_table("collider")
    assert len(table.questions) == 11
    asked = {question.name: (question.target, question.given) for question in table.questions}
    assert asked["VI"] == ("C1", (("C2", 1), ("E", 1)))
    assert asked["II"] == ("E", (("C1", 0), ("C2", 1)))


def test_people_have_their_published_model(mirror) -> None:
    found = measured(mean_records())
    assert round(found["heldout_r2"].estimate, 4) == 0.9367
    assert round(found["leak_adjusted_determinacy"].estimate, 3) == 0.391
    assert round(found["leak"].estimate, 3) == 0.239
    assert round(found["strength"].estimate, 3) == 0.630
    assert found["leak_adjusted_determinacy"].low < 0.391 < found["leak_adjusted_determinacy"].high
    assert found["heldout_r2"].low < 0.9367 < found["heldout_r2"].high < 1
    assert round(measured(people_records())["heldout_r2"].estimate, 4) == 0.9317


def test_people_are_sampled_and_vignettes_are_where_nobody_is(mirror) -> None:
    (people,) = group_answers(people_records())
    (means,) = group_answers(mean_records())
    assert len(set(people.units)) == 48
    assert len(set(means.units)) == 12


def test_a_noisy_or_agent_gets_its_parameters_back() -> None:
    found = of_agent("noisy-or", b=0.2, m1=0.6, m2=0.6, p=0.4)
    for name, value in (
        ("leak", 0.2),
        ("strength", 0.6),
        ("prior", 0.4),
        ("leak_adjusted_determinacy", 0.4),
    ):
        assert found[name].estimate == pytest.approx(value, abs=0.01)
    assert found["heldout_r2"].estimate > 0.999
    assert found["heldout_class_r2"].estimate > 0.999


def test_an_agent_that_violates_the_model_is_less_consistent() -> None:
    plain, violating = (of_agent("associative", rho=rho) for rho in (0.0, 0.6))
    assert violating["heldout_r2"].estimate < plain["heldout_r2"].estimate - 0.05


def test_a_held_out_task_is_predicted_from_its_twin_and_a_held_out_class_is_not() -> None:
    extreme = of_agent("extreme")
    assert extreme["heldout_class_r2"].estimate < extreme["heldout_r2"].estimate - 0.1


def test_a_model_with_more_parameters_than_tasks_has_no_estimates() -> None:
    made = SUITE.make_design({"task": ["I", "III"]})
    items = list(SUITE.items(made))
    found = {m.name: m for m in simulate(SUITE, made, items, SUITE.agent("noisy-or"), {})}
    assert found["leak"].estimate is None
    assert "underdetermined" in found["leak"].flags
    assert found["heldout_r2"].estimate is None


def test_conditions_are_fitted_apart_or_pooled_as_asked() -> None:
    made = SUITE.make_design({"overload": ["e"], "overload_source": ["story", "filler"]})
    items = list(SUITE.items(made))
    agent = SUITE.agent("noisy-or")
    from whybench.records.table import record_table

    rows = [
        {
            "agent": "a",
            "design": "d",
            "design_hash": "0",
            "outcome": "scored",
            "value": float(agent.reply(item, agent.settings({}), np.random.default_rng(0))),
            **item.factors,
        }
        for item in items
    ]
    table = record_table(rows, SUITE.columns)
    assert len(fit_agents(table, 0)) == 2
    pooled = ("graph", "content", "overload", "style")
    (model,) = fit_agents(table, 0, pooled)
    assert model.group.units.size == 480
    assert model.estimates["leak"].low is None


def test_without_answers_there_is_no_model() -> None:
    from whybench.records.table import record_table

    row = {"agent": "a", "design": "d", "design_hash": "", "outcome": "no_answer", "task": "I"}
    condition = {"graph": "collider", "content": "story", "overload": "none"}
    table = record_table(
        [{**row, **condition, "overload_source": "none", "style": "direct"}], SUITE.columns
    )
    assert fit_agents(table) == []


def test_the_table_of_fits_has_errors_and_both_strengths(mirror) -> None:
    records = mean_records()
    (model,), (row,) = fit_agents(records), fits_table(records).to_pylist()
    answers = {task: [] for task in model.tasks}
    for one in records.to_pylist():
        answers[one["task"]].append(one["value"] / 100)
    off = np.concatenate(
        [
            np.subtract(answers[task], fit)
            for task, fit in zip(model.tasks, model.predictions, strict=True)
        ]
    )
    assert row["rmse"] == pytest.approx(np.sqrt(np.mean(off**2)))
    assert row["mae"] == pytest.approx(np.mean(np.abs(off)))
    assert row["parameters"] == 3
    assert row["strength_1"] == row["strength_2"] == row["strength"]
    assert row["strength_1_low"] < row["strength_1"] < row["strength_1_high"]
