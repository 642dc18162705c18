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
from whybench.suites.judge.published_replies import published_records


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
    assert round(found["consistency"].estimate, 4) == 0.9367
    assert round(found["lad"].estimate, 3) == 0.391
    assert round(found["b"].estimate, 3) == 0.239
    assert round(found["m"].estimate, 3) == 0.630
    assert found["lad"].low < 0.391 < found["lad"].high
    assert found["consistency"].low < 0.9367 < found["consistency"].high < 1
    assert round(measured(people_records())["consistency"].estimate, 4) == 0.9317


def test_people_are_sampled_and_vignettes_are_where_nobody_is(mirror) -> None:
    (people,) = group_answers(people_records())
    (means,) = group_answers(mean_records())
    assert len(set(people.units)) == 48
    assert len(set(means.units)) == 12


def test_a_noisy_or_agent_gets_its_parameters_back() -> None:
    found = of_agent("noisy-or", b=0.2, m1=0.6, m2=0.6, p=0.4)
    for name, value in (("b", 0.2), ("m", 0.6), ("p", 0.4), ("lad", 0.4)):
        assert found[name].estimate == pytest.approx(value, abs=0.01)
    assert found["consistency"].estimate > 0.999
    assert found["class_consistency"].estimate > 0.999


def test_an_agent_that_violates_the_model_is_less_consistent() -> None:
    plain, violating = (of_agent("associative", rho=rho) for rho in (0.0, 0.6))
    assert violating["consistency"].estimate < plain["consistency"].estimate - 0.05


def test_a_held_out_task_is_predicted_from_its_twin_and_a_held_out_class_is_not() -> None:
    extreme = of_agent("extreme")
    assert extreme["class_consistency"].estimate < extreme["consistency"].estimate - 0.1


def test_a_model_with_more_parameters_than_tasks_has_no_estimates() -> None:
    made = SUITE.make_design({"task": ["I", "III"]})
    items = list(SUITE.items(made))
    found = {m.name: m for m in simulate(SUITE, made, items, SUITE.agent("noisy-or"), {})}
    assert found["b"].estimate is None
    assert "underdetermined" in found["b"].flags
    assert found["consistency"].estimate is None


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
    pooled = ("graph", "stimuli", "content", "overload", "style")
    (model,) = fit_agents(table, 0, pooled)
    assert model.group.units.size == 480
    assert model.estimates["b"].low is None


def test_without_answers_there_is_no_model() -> None:
    from whybench.records.table import record_table

    row = {"agent": "a", "design": "d", "design_hash": "", "outcome": "no_answer", "task": "I"}
    condition = {"graph": "collider", "stimuli": "own", "content": "story", "overload": "none"}
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
    assert row["m1"] == row["m2"] == row["m"]
    assert row["m1_low"] < row["m1"] < row["m1_high"]


def test_two_strengths_are_told_apart_where_the_winner_does(mirror) -> None:
    records = published_records("published", ("direct",))
    agent = "published/claude-3-5-haiku-20241022"
    mine = records.filter([name == agent for name in records["agent"].to_pylist()])
    (row,) = fits_table(mine).to_pylist()
    assert row["parameters"] == 4
    assert row["m1"] < row["m2"]
    assert row["m"] == pytest.approx((row["m1"] + row["m2"]) / 2)


def test_criteria_say_how_many_parameters_they_would_choose(mirror) -> None:
    records = published_records("published", ("direct",))
    rows = fits_table(records).to_pylist()
    assert {row["bic_parameters"] for row in rows} == {3, 4}
    for model, row in zip(fit_agents(records, 0), rows, strict=True):
        own = model.criteria[row["parameters"]]
        assert (row["aic"], row["bic"]) == (own["aic"], own["bic"])
        assert row["aic"] - row["bic"] == pytest.approx(
            row["parameters"] * (2 - np.log(row["n"])), abs=1e-6
        )
        for name in ("aic", "bic"):
            assert model.criteria[row[f"{name}_parameters"]][name] <= own[name]
