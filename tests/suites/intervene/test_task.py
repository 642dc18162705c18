"""Episodes through Inspect: agents, tools, logs, records."""

from __future__ import annotations

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.tool import ToolCall

from whybench._registry import intervene
from whybench.agents.provider import find_current_item
from whybench.records import read_logs
from whybench.records.table import record_table
from whybench.suites.calibration import simulate
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.design import DESIGNS
from whybench.suites.task import score_sample

QUIET = {"display": "none", "log_realtime": False, "score_display": False}
COLUMNS = SUITE.record_columns


def run(tmp_path, model, task=None, **settings):
    task = task or intervene()
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), **QUIET, **settings)
    assert log.status == "success", log.error
    return log


def rows_in(folder, **settings):
    return read_logs([folder], **settings).rows["intervene"]


def compared(rows) -> set[tuple[object, ...]]:
    names = (*COLUMNS, "item", "epoch", "outcome", "reason", "value", "truth")
    return {tuple(row.get(name) for name in names) for row in rows}


@pytest.mark.slow
def test_logs_records_and_simulation_agree(tmp_path) -> None:
    log = run(tmp_path, "reference/intervene.bayes", model_args={"error": 0.3, "seed": 2})
    items = list(SUITE.items(DESIGNS["core"]))
    agent = SUITE.agent("bayes")
    simulated = simulate(SUITE, DESIGNS["core"], items, agent, {"error": 0.3, "seed": 2})
    recorded = SUITE.measures(record_table(rows_in(tmp_path), COLUMNS))
    for one, two in zip(simulated, recorded, strict=True):
        assert (one.name, one.n, one.units) == (two.name, two.n, two.units)
        # Rows come in another order from a log, and sums with them.
        assert (one.estimate, one.low, one.high) == pytest.approx((two.estimate, two.low, two.high))
    shown = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    for one in simulated[:2]:
        assert shown[one.name] == one.estimate
        assert shown[f"{one.name}_low"] == one.low
    assert shown["scored"] == 84
    assert 0.5 < shown["justified_accuracy"] < 0.9


@pytest.mark.slow
def test_groups_and_reading_again_give_the_same_records(tmp_path) -> None:
    for group in (1, 7):
        run(
            tmp_path / str(group),
            "reference/intervene.random-then-guess",
            intervene(group=group),
            model_args={"steps": 3},
            epochs=2,
        )
    alone, grouped = (rows_in(tmp_path / str(group)) for group in (1, 7))
    assert len(alone) == 168
    assert compared(alone) == compared(grouped)
    for group in (1, 7):
        assert compared(rows_in(tmp_path / str(group), reread=score_sample)) == compared(alone)


@pytest.mark.slow
def test_the_log_tells_what_happened_in_the_world(tmp_path) -> None:
    log = run(tmp_path, "reference/intervene.recipe", limit=12)
    for sample in log.samples:
        steps = sample.scores["justification"].metadata["steps"]
        _, *told = [message.text for message in sample.messages if message.role == "user"]
        assert sum("You see:" in text for text in told) == steps
        assert sample.store[f"intervene:{sample.id}"] == {"steps": steps, "end": "answered"}


@pytest.mark.slow
@pytest.mark.parametrize("group", [1, 2])
def test_only_the_reply_that_was_cut_off_counts_as_such(tmp_path, group) -> None:
    """Everybody acts once; then those who would answer no are cut off, and the others are not."""

    def reply(messages, *_):
        item = find_current_item(messages)[1]
        acted = any(message.role == "assistant" for message in messages)
        words = f'{{"action": "hold", "entity": "{item.names[0]}"}}'
        stop = "stop"
        if acted:
            words = '{"answer": "yes"}'
            stop = "stop" if item.truth else "max_tokens"
        output = ModelOutput.from_content("mockllm", words, stop_reason=stop)
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    log = run(tmp_path, model, intervene(group=group), limit=12 // group)
    rows = rows_in(tmp_path)
    assert {row["truth"] for row in rows} == {0.0, 1.0}
    for row in rows:
        assert row["path"].startswith("hold ")
        assert (row["value"], row["reason"]) == ((1.0, "") if row["truth"] else (None, "cut_off"))
    assert compared(rows_in(tmp_path, reread=score_sample)) == compared(rows)
    # What needs no name has none: the log says once what it is about.
    named = [m.metadata for s in log.samples for m in s.messages if m.role == "user" and m.metadata]
    assert bool(named) == (group > 1)


def caller(*calls: list[ToolCall]):
    """Return a model that makes these calls, turn by turn, and then repeats the last."""
    turn = iter(calls)

    def reply(_messages, tools, *_):
        assert {tool.name for tool in tools} == {"intervene", "answer"}
        made = next(turn, calls[-1])
        message = ChatMessageAssistant(content="", tool_calls=made)
        output = ModelOutput(
            model="mockllm",
            choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls")],
        )
        output.usage = ModelUsage()
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def call(function: str, **arguments: str) -> ToolCall:
    return ToolCall(id=f"call-{function}", function=function, arguments=arguments)


@pytest.fixture
def tools_task():
    return intervene(interface="tools")


def test_tools_are_called_and_answered(tmp_path, tools_task) -> None:
    names = tools_task.dataset[0].metadata["names"].split(",")
    act = call("intervene", entity=names[0], action="hold")
    both = [call("intervene", entity="nobody", action="hold"), act]
    model = caller([act], both, [call("answer", answer="yes")])
    log = run(tmp_path, model, tools_task, limit=1)
    sample = log.samples[0]
    (row,) = rows_in(tmp_path)
    assert row["value"] == 1.0
    assert row["path"] == "hold 0; hold 0"
    told = [message for message in sample.messages if message.role == "tool"]
    assert [message.text.startswith("You see: ") for message in told] == [True, False, True]
    assert told[1].text.startswith("Not carried out")
    assert told[-1].text.endswith("Call a tool.")


def test_with_tools_text_is_read_too_and_babble_ends(tmp_path, tools_task) -> None:
    def babble(*_):
        output = ModelOutput.from_content("mockllm", "let me think")
        output.usage = ModelUsage()
        return output

    run(tmp_path, get_model("mockllm/model", custom_outputs=babble), tools_task, limit=3)
    rows = rows_in(tmp_path)
    assert {(row["outcome"], row["reason"], row["reasks"]) for row in rows} == {
        ("no_answer", "invalid_format", 1)
    }


def test_a_message_limit_leaves_an_unfinished_episode_not_a_crash(tmp_path) -> None:
    run(tmp_path, "reference/intervene.recipe", limit=20, message_limit=4)
    rows = rows_in(tmp_path)
    assert len(rows) == 20
    reasons = {row["reason"] for row in rows}
    assert reasons <= {"", "unfinished"}
    assert "unfinished" in reasons


@pytest.mark.slow
def test_steps_have_a_table_of_their_own(tmp_path) -> None:
    run(tmp_path, "reference/intervene.bayes")
    records = record_table(rows_in(tmp_path), COLUMNS)
    steps = SUITE.tables["steps"](records).to_pylist()
    assert len(steps) == sum(records["steps"].to_pylist()) == 104
    last = {step["item"]: step for step in steps}
    for record in records.to_pylist():
        if record["steps"]:
            assert last[record["item"]]["step"] == record["steps"]
            assert last[record["item"]]["settled"] == record["evidence"]
    open_before = [step["settled"] for step in steps if step is not last[step["item"]]]
    assert set(open_before) == {"open"}
