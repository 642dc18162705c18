"""Items through Inspect: agents, groups, logs, records, and replies that are none."""

from __future__ import annotations

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from whybench._registry import analyze
from whybench.agents.provider import find_current_item, follow_samples, replay_episode
from whybench.errors import RefusedError
from whybench.records import read_logs
from whybench.records.table import record_table
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.design import make_design
from whybench.suites.analyze.protocols.task import follow_protocol, read_outcomes
from whybench.suites.calibration import simulate
from whybench.suites.sandboxes import PACKAGES
from whybench.suites.task import score_sample

QUIET = {"display": "none", "log_realtime": False, "score_display": False}
COLUMNS = SUITE.record_columns
DIRECT = {"protocol": "direct"}
FACTORS = {"challenge": "simpson,population", "seeds": 2, **DIRECT}


def run(tmp_path, model, task=None, **settings):
    task = task or analyze(**FACTORS)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), **QUIET, **settings)
    assert log.status == "success", log.error
    return log


def speaking(speak):
    """Return a model that says what `speak` makes of the messages so far."""

    def reply(messages, *_):
        said = speak(messages)
        words, stop = said if isinstance(said, tuple) else (said, "stop")
        output = ModelOutput.from_content("mockllm/model", words, stop_reason=stop)
        # With usage set, nothing is downloaded to count tokens.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def gold_of(messages) -> str:
    """What the oracle says; `follow_samples` tells whose turn it is where no message does."""
    _, item = find_current_item(messages)
    return SUITE.oracle(replay_episode(SUITE, item, messages)[0])


def rows_in(folder, **settings):
    return read_logs([folder], **settings).rows["analyze"]


def compared(rows) -> set[tuple[object, ...]]:
    names = (*COLUMNS, "item", "epoch", "outcome", "reason", "value", "truth")
    return {tuple(row.get(name) for name in names) for row in rows}


def test_logs_records_and_simulation_agree(tmp_path) -> None:
    log = run(tmp_path, "reference/analyze.always-trap")
    design = make_design(FACTORS)
    agent = SUITE.agent("always-trap")
    simulated = simulate(SUITE, design, list(SUITE.items(design)), agent, {})
    recorded = SUITE.measures(record_table(rows_in(tmp_path), COLUMNS))
    for one, two in zip(simulated, recorded, strict=True):
        assert (one.name, one.n, one.units) == (two.name, two.n, two.units)
        # Rows come in another order from a log, and sums with them.
        assert (one.estimate, one.low, one.high) == pytest.approx((two.estimate, two.low, two.high))
    shown = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    by_name = {one.title: one for one in simulated}
    assert shown["scored"] == 8
    assert shown["paired_score"] == pytest.approx(by_name["paired_score"].estimate)
    assert shown["paired_score_high"] == pytest.approx(by_name["paired_score"].high)
    assert 0 < shown["paired_score"] < 1
    for name in ("diagnosis", "false_alarm"):
        assert shown[name] == pytest.approx(by_name[name].estimate)
    assert shown["diagnosis"] < 1
    assert shown["false_alarm"] > 0


@pytest.mark.slow
def test_groups_epochs_and_reading_again_give_the_same_records(tmp_path) -> None:
    for group in (1, 3):
        run(
            tmp_path / str(group),
            "reference/analyze.gold",
            analyze(**FACTORS, group=group),
            model_args={"silence": 0.4},
            epochs=2,
        )
    alone, grouped = (rows_in(tmp_path / name) for name in ("1", "3"))
    assert len(alone) == 2 * 8
    assert compared(alone) == compared(grouped)
    assert {row["outcome"] for row in alone} == {"scored", "no_answer"}
    assert compared(rows_in(tmp_path / "3", reread=score_sample)) == compared(alone)


@pytest.mark.slow
def test_replies_that_are_none_are_no_answers_and_the_run_goes_on(tmp_path) -> None:
    replies = iter(["", "{", '{"effect": {}}', "I think it helps."])
    said: dict[str, str] = {}

    def speak(messages) -> str:
        opening = messages[0].text
        if opening not in said:
            said[opening] = next(replies)
        return said[opening]  # and once more, since it is asked for once more

    run(tmp_path, speaking(speak), analyze(challenge="simpson", seeds=2, **DIRECT))
    reasons = sorted(row["reason"] for row in rows_in(tmp_path))
    assert reasons == ["empty", "no_field", "no_object", "no_object"]


def test_a_reply_that_was_cut_off_is_no_answer(tmp_path) -> None:
    model = speaking(lambda messages: (gold_of(messages), "max_tokens"))
    run(tmp_path, model, analyze(challenge="population", seeds=1, **DIRECT))
    assert {row["reason"] for row in rows_in(tmp_path)} == {"cut_off"}


def test_of_a_conversation_the_last_reply_to_either_form_is_the_answer(tmp_path) -> None:
    # The agent gives no program, is told so, and is then asked for its answer.
    task = analyze(challenge="population", seeds=1, protocol="code")
    assert task.sandbox.type == "bubblewrap"
    said = []

    def speak(messages) -> str:
        said.append(len(messages))
        return gold_of(messages) if len(messages) > 1 else '{"coef_b": 0}'

    follow_samples()  # as a provider of ours does, which other tests may have opened before
    log = run(tmp_path, speaking(speak), task, sandbox="local")
    assert {tuple(sample.store["packages"]) for sample in log.samples} == {PACKAGES}
    rows = rows_in(tmp_path)
    assert sorted(said) == [1, 1, 3, 3, 5, 5]
    assert [(row["value"], row["diagnosis"]) for row in rows] == [(1.0, 1.0)] * 2
    assert {(row["runs"], row["code_outcome"]) for row in rows} == {(0, "no_code")}
    assert compared(rows_in(tmp_path, reread=score_sample)) == compared(rows)


def test_each_sample_is_asked_by_its_own_protocol(tmp_path) -> None:
    task = analyze(challenge="population", variant="trap", seeds=1, protocol="direct,code")
    task.solver = follow_protocol(seconds=5)
    log = run(tmp_path, speaking(lambda _: "I would rather not."), task, sandbox="local")
    asked = {
        sample.metadata["protocol"]: [read_outcomes(sample.messages), sample.store]
        for sample in log.samples
    }
    # Nobody is asked for a program, or promised packages for it, who answers from what is shown.
    outcomes, store = asked["direct"]
    assert (outcomes, "packages" in store) == ([], False)
    outcomes, store = asked["code"]
    assert (outcomes, tuple(store["packages"])) == (["no_code"], PACKAGES)


def test_what_cannot_be_asked_is_explained() -> None:
    with pytest.raises(RefusedError, match="group must be 1 where programs are run or"):
        analyze(**{**FACTORS, "protocol": "code"}, group=2)
    with pytest.raises(RefusedError, match="hint must be among 1, 2, 3, 4, 5, got 9"):
        analyze(hint=9)


def test_shards_part_the_items_of_a_design() -> None:
    parts = [analyze(**FACTORS, shard=f"{index}/3") for index in (1, 2, 3)]
    ids = [sample.id for part in parts for sample in part.dataset]
    assert len(ids) == len({*ids}) == 8
