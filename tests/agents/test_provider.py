"""Reference agents through Inspect, and from its logs to records and measures."""

from __future__ import annotations

import json
import math

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from whybench._registry import judge
from whybench.errors import RefusedError
from whybench.records import read_logs
from whybench.records.table import record_table
from whybench.suites.calibration import simulate
from whybench.suites.judge import SUITE
from whybench.suites.judge.design import DESIGNS
from whybench.suites.task import score_sample

QUIET = {"display": "none", "log_realtime": False, "score_display": False}


def run(tmp_path, model, task=None, **settings):
    (log,) = inspect_eval(task or judge(), model=model, log_dir=str(tmp_path), **QUIET, **settings)
    assert log.status == "success", log.error
    return log


def measures(log) -> dict[str, float]:
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def table(rows):
    return record_table(rows["judge"], SUITE.record_columns)


def reply_with(text: str, stop_reason: str = "stop"):
    def answer(*_):
        output = ModelOutput.from_content("mockllm", text, stop_reason=stop_reason)
        output.usage = ModelUsage()  # else the mock downloads a tokenizer to count with
        return output

    return get_model("mockllm/model", custom_outputs=answer)


@pytest.mark.slow
def test_logs_records_and_simulation_agree_to_the_last_digit(tmp_path) -> None:
    log = run(tmp_path, "reference/judge.noisy-or", model_args={"noise": 0.3, "seed": 5})
    items = list(SUITE.items(DESIGNS["core"]))
    agent = SUITE.agent("noisy-or")
    simulated = simulate(SUITE, DESIGNS["core"], items, agent, {"noise": 0.3, "seed": 5})
    recorded = SUITE.measures(table(read_logs([tmp_path]).rows))
    for one, two in zip(simulated, recorded, strict=True):
        assert (one.estimate, one.low, one.high, one.n) == (two.estimate, two.low, two.high, two.n)
    for one in (one for one in simulated if one.name in {"explaining_away", "markov_violation"}):
        assert measures(log)[one.name] == one.estimate
        assert measures(log)[f"{one.name}_low"] == one.low
        assert measures(log)[f"{one.name}_high"] == one.high
    assert recorded[0].labels["agent"] == "reference/judge.noisy-or[noise=0.3,seed=5]"
    assert measures(log)["scored"] == 240


@pytest.mark.slow
def test_grouped_samples_give_the_same_records(tmp_path) -> None:
    settings = {"model_args": {"noise": 0.3}}
    run(tmp_path / "one", "reference/judge.noisy-or", judge(style="confidence"), **settings)
    run(
        tmp_path / "many",
        "reference/judge.noisy-or",
        judge(style="confidence", group=20),
        **settings,
    )
    one, many = (read_logs([tmp_path / name]).rows["judge"] for name in ("one", "many"))
    compared = (
        *SUITE.columns,
        "item",
        "outcome",
        "reason",
        "value",
        "truth",
        "confidence",
        "epoch",
    )
    assert len(one) == 240
    assert {tuple(row[name] for name in compared) for row in one} == {
        tuple(row[name] for name in compared) for row in many
    }


@pytest.mark.slow
def test_epochs_are_kept_apart_and_have_fresh_noise(tmp_path) -> None:
    log = run(tmp_path, "reference/judge.random", judge(story="economy", task="VI,VIII"), epochs=3)
    rows = read_logs([tmp_path]).rows["judge"]
    assert len(rows) == 3 * 4 * 4
    values: dict[str, set[float]] = {}
    for row in rows:
        values.setdefault(row["item"], set()).add(row["value"])
    assert sum(len(seen) > 1 for seen in values.values()) >= 15
    assert measures(log)["scored"] == 48


@pytest.mark.slow
def test_a_cut_off_reply_is_no_answer_alone_and_in_groups(tmp_path) -> None:
    model = reply_with("70", "max_tokens")
    for group in (1, 4):
        folder = tmp_path / str(group)
        log = run(folder, model, judge(story="economy", polarity="ppp", group=group))
        rows = read_logs([folder]).rows["judge"]
        assert {(row["outcome"], row["reason"], row["value"]) for row in rows} == {
            ("no_answer", "cut_off", None)
        }
        assert len(rows) == 20
        shown = measures(log)
        assert (shown.pop("scored"), shown.pop("no_answer")) == (0, 20)
        assert [*shown] == ["explaining_away", "stderr"]
        assert all(map(math.isnan, shown.values()))


@pytest.mark.slow
def test_a_failed_call_is_an_error_with_its_reason(tmp_path) -> None:
    def fail(*_):
        raise RuntimeError("the service is down")

    model = get_model("mockllm/model", custom_outputs=fail)
    for group in (1, 4):
        folder = tmp_path / str(group)
        task = judge(story="economy", polarity="ppp", task="VI,VIII", group=group)
        run(folder, model, task, fail_on_error=False)
        rows = read_logs([folder]).rows["judge"]
        assert len(rows) == 4
        assert {row["outcome"] for row in rows} == {"error"}
        assert all("the service is down" in row["reason"] for row in rows)
        assert {row["task"] for row in rows} == {"VI", "VIII"}


def test_a_changed_reading_is_applied_to_old_logs_without_a_call(tmp_path, monkeypatch) -> None:
    run(tmp_path, reply_with("about seventy"), judge(story="economy", polarity="ppp"))
    before = read_logs([tmp_path]).rows["judge"]
    assert {row["outcome"] for row in before} == {"no_answer"}
    monkeypatch.setattr("whybench.suites.judge.parse_reply", _reads_seventy)
    again = read_logs([tmp_path], score_sample).rows["judge"]
    assert {(row["outcome"], row["value"]) for row in again} == {("scored", 70.0)}
    (log_file,) = tmp_path.glob("*.eval")
    rescored = inspect_score(
        read_eval_log(str(log_file)), judge().scorer[0], action="overwrite", display="none"
    )
    assert measures(rescored)["scored"] == 20


def _reads_seventy(text, style, truncated):
    from whybench.suites.judge.replies import JudgeReply

    found = "seventy" in text
    return JudgeReply(70.0 if found else None, None, "" if found else "no_number")


def test_the_content_hash_tells_other_items_and_other_readings(monkeypatch) -> None:
    def digest(**factors) -> str:
        return judge(**factors).metadata["content_hash"]

    core = digest()
    assert core == digest()
    assert digest(style="cot") != core
    assert digest(leak=0.2) != core
    monkeypatch.setattr("whybench.suites.judge.parse_reply", _reads_seventy)
    assert digest() != core


@pytest.mark.parametrize(
    ("model", "args", "message"),
    [
        (
            "reference/judge",
            {},
            r"must be one for all suites \(careful, .*\) or one of a suite.*got reference/judge",
        ),
        ("reference/carefull", {}, "got reference/carefull.*did you mean 'careful'"),
        (
            "reference/careful",
            {"noise": 1},
            "reference/careful has no parameter 'noise'; it takes only seed",
        ),
        ("reference/judj.noisy-or", {}, "there is no suite 'judj'; installed are .*judge"),
        ("reference/judge.nobody", {}, "judge has no reference agent 'nobody'"),
        ("reference/judge.noisy-or", {"q": 1}, "noisy-or has no parameter 'q'"),
    ],
)
def test_a_wrong_agent_is_told_what_there_is(model, args, message) -> None:
    with pytest.raises(RefusedError, match=message):
        get_model(model, **args)


def test_an_agent_of_another_suite_says_so(tmp_path, monkeypatch) -> None:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser

    question = ChatMessageUser(content="?", metadata={"item": "compose-1"})
    (log,) = inspect_eval(
        Task(dataset=[Sample(input=[question])]),
        model="reference/judge.noisy-or",
        log_dir=str(tmp_path),
        **QUIET,
    )
    assert log.status == "error"
    message = json.dumps(log.error.message)
    assert "answers items of the suite judge, got compose-1; use an agent of the suite" in message
