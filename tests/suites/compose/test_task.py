"""Units through Inspect: agents, groups, limits, logs, records."""

from __future__ import annotations

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from whybench._registry import compose
from whybench.records import read_logs
from whybench.records.table import record_table
from whybench.suites.calibration import simulate
from whybench.suites.compose import SUITE
from whybench.suites.compose.measures import compose_measures
from whybench.suites.task import score_sample

QUIET = {"display": "none", "log_realtime": False, "score_display": False}
COLUMNS = SUITE.record_columns
FACTORS = {"kinds": "bridge+bridge", "gates": "or,mixed", "worlds": 1, "units": 8}


def run(tmp_path, model, task=None, **settings):
    task = task or compose(**FACTORS)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), **QUIET, **settings)
    assert log.status == "success", log.error
    return log


def rows_in(folder, **settings):
    return read_logs([folder], **settings).rows["compose"]


def compared(rows) -> set[tuple[object, ...]]:
    names = (*COLUMNS, "item", "epoch", "outcome", "reason", "value", "truth")
    return {tuple(row.get(name) for name in names) for row in rows}


def _title(measure) -> str:
    return measure.title


def test_logs_records_and_simulation_agree(tmp_path) -> None:
    settings = {"error": 0.3, "seed": 2}
    log = run(tmp_path, "reference/compose.flip", model_args=settings)
    design = SUITE.make_design(FACTORS)
    simulated = simulate(SUITE, design, list(SUITE.items(design)), SUITE.agent("flip"), settings)
    recorded = compose_measures(record_table(rows_in(tmp_path), COLUMNS))
    assert {one.title for one in simulated} == {two.title for two in recorded}
    for one, two in zip(sorted(simulated, key=_title), sorted(recorded, key=_title), strict=True):
        assert (one.name, one.n, one.units) == (two.name, two.n, two.units)
        # Rows come in another order from a log, and sums with them.
        assert (one.estimate, one.low, one.high) == pytest.approx((two.estimate, two.low, two.high))
    shown = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    by_name = {one.title: one for one in simulated}
    assert shown["scored"] == 2 * 8 * 8
    assert shown["compositional_agreement"] == pytest.approx(
        by_name["compositional_agreement"].estimate
    )
    width = by_name["compositional_agreement"].high - by_name["compositional_agreement"].low
    assert shown["stderr"] == pytest.approx(width / 2 / 1.959963984540054)
    for end in ("low", "high"):
        measure = by_name["balanced_accuracy_interventional"]
        assert shown[f"{measure.name}_{end}"] == pytest.approx(getattr(measure, end))


@pytest.mark.slow
def test_a_sample_is_a_unit_and_its_questions_are_conversations(tmp_path) -> None:
    log = run(tmp_path, "reference/compose.exact")
    assert len(log.samples) == 2 * 8
    for sample in log.samples:
        assert [message.role for message in sample.messages] == ["user", "assistant"] * 8
        assert sample.metadata["unit"] in range(8)
        shown = sample.scores["verdict"].value
        assert shown == dict.fromkeys(("correct", "factual", "interventional", "answered"), 1.0)


@pytest.mark.slow
def test_groups_of_any_size_and_reading_again_give_the_same_records(tmp_path) -> None:
    factors = {**FACTORS, "units": 3}
    groups = {"unit": None, "alone": 1, "five": 5}
    for name, group in groups.items():
        task = compose(**factors, group=group)
        run(tmp_path / name, "reference/compose.coin", task, epochs=2)
    rows = {name: rows_in(tmp_path / name) for name in groups}
    assert len(rows["unit"]) == 2 * 2 * 3 * 8
    assert compared(rows["unit"]) == compared(rows["alone"]) == compared(rows["five"])
    again = rows_in(tmp_path / "unit", reread=score_sample)
    assert compared(again) == compared(rows["unit"])


def test_a_limit_takes_whole_units(tmp_path) -> None:
    run(tmp_path, "reference/compose.exact", limit=3)
    rows = rows_in(tmp_path)
    assert len(rows) == 3 * 8
    assert {(row["gates"], row["unit"]) for row in rows} == {("or", 0), ("mixed", 0), ("or", 1)}


def test_shards_keep_units_whole() -> None:
    parts = [compose(**FACTORS, shard=f"{index}/3") for index in (1, 2, 3)]
    ids = [
        {message.metadata["item"] for s in part.dataset for message in s.input} for part in parts
    ]
    assert all(len(sample.input) == 8 for part in parts for sample in part.dataset)
    assert sum(map(len, ids)) == len(set.union(*ids)) == 2 * 8 * 8


@pytest.mark.slow
def test_several_tellings_are_pooled_and_kept_apart(tmp_path) -> None:
    task = compose(kinds="bridge+bridge", gates="or", worlds=1, units=24, theme="feast,vault")
    log = run(tmp_path, "reference/compose.exact", task)
    shown = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    # 24 units are too few for a conclusive verdict, and twice as many suffice.
    assert shown["valid_and_consistent"] == 1.0
    for measure in compose_measures(record_table(rows_in(tmp_path), COLUMNS)):
        if measure.name == "inconclusive":
            assert measure.estimate == 1.0


@pytest.mark.parametrize("group", [None, 1])
def test_babble_and_cut_off_replies_are_no_answers(tmp_path, group) -> None:
    def reply(messages, *_):
        far = "from outside" in messages[0].text
        output = ModelOutput.from_content("mockllm", "Answer: yes" if far else "who knows")
        output.choices[0].stop_reason = "max_tokens" if far else "stop"
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    run(tmp_path, model, compose(**FACTORS, theme="glims", group=group), limit=16 // (group or 8))
    reasons = {(row["outcome"], row["reason"]) for row in rows_in(tmp_path)}
    assert reasons <= {("no_answer", "no_answer_found"), ("no_answer", "cut_off")}
    assert ("no_answer", "no_answer_found") in reasons


def test_requests_that_cannot_be_met_are_said_without_a_traceback() -> None:
    from whybench.errors import RefusedError

    with pytest.raises(RefusedError, match="gates must be among or, and, mixed, got 'xor'"):
        compose(gates="xor")
    with pytest.raises(RefusedError, match="group must be a whole number from 1, got 0"):
        compose(**FACTORS, group=0)


def test_a_log_keeps_the_many_questions_of_a_long_world(tmp_path) -> None:
    task = compose(kinds="+".join(["bridge"] * 8), gates="or", worlds=1, units=1)
    run(tmp_path, "reference/compose.exact", task)
    rows = rows_in(tmp_path)
    assert len(rows) == 8 * 10
    assert all(row["value"] == row["truth"] for row in rows)


@pytest.mark.slow
def test_logs_of_numbers_give_the_measures_of_a_simulation(tmp_path) -> None:
    factors = {"design": "numbers", "worlds": 2}
    log = run(tmp_path, "reference/compose.copy", compose(**factors))
    design = SUITE.make_design(factors)
    assert len(log.samples) == design.size
    simulated = simulate(SUITE, design, list(SUITE.items(design)), SUITE.agent("copy"), {})
    recorded = compose_measures(record_table(rows_in(tmp_path), COLUMNS))
    for one, two in zip(sorted(simulated, key=_title), sorted(recorded, key=_title), strict=True):
        assert (one.title, one.n, one.units) == (two.title, two.n, two.units)
        assert one.estimate == pytest.approx(two.estimate)
    shown = log.results.scores[0].metrics["number_skill"].value
    assert shown == pytest.approx({one.title: one for one in simulated}["number_skill"].estimate)


@pytest.mark.slow
def test_a_number_that_may_be_a_share_is_asked_for_once_more(tmp_path) -> None:
    def reply(messages, *_):
        words = "22.5" if len(messages) > 1 else "0.225"
        output = ModelOutput.from_content("mockllm", words)
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    log = run(tmp_path, model, compose(design="numbers", worlds=1), limit=3)
    for sample in log.samples:
        assert [message.role for message in sample.messages] == ["user", "assistant"] * 2
    assert [row["value"] for row in rows_in(tmp_path)] == [22.5] * 3
