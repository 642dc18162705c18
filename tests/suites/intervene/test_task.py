"""Episodes through Inspect: agents, tools, logs, records."""

from __future__ import annotations

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent, react
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.solver import basic_agent, generate
from inspect_ai.tool import ToolCall
from inspect_ai.util import store

from whybench._registry import intervene
from whybench.agents.provider import find_current_item
from whybench.prose import find_matches
from whybench.records import read_logs
from whybench.records.table import record_table
from whybench.suites.calibration import simulate
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.design import DESIGNS
from whybench.suites.intervene.task import answer, hold, move
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
        assert [tool.name for tool in tools] == ["move", "hold", "answer"]
        made = next(turn, calls[-1])
        message = ChatMessageAssistant(content="", tool_calls=made)
        output = ModelOutput(
            model="mockllm",
            choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls")],
        )
        output.usage = ModelUsage()
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def test_tools_are_described_by_the_actions_of_the_rules(tmp_path) -> None:
    shown = {}

    def reply(_messages, tools, *_):
        shown.update({tool.name: tool for tool in tools})
        output = ModelOutput.from_content("mockllm", "hm")
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=reply)
    run(tmp_path, model, intervene(interface="tools", theme="lamps"), limit=1)
    assert shown["move"].description.startswith('Perform the action "light" of the rules')
    assert shown["hold"].description.startswith('Perform the action "darken" of the rules')
    for tool in shown.values():
        texts = [tool.description, *(p.description for p in tool.parameters.properties.values())]
        assert not [match for text in texts for match in find_matches(text)]


def call(function: str, **arguments: str) -> ToolCall:
    return ToolCall(id=f"call-{function}", function=function, arguments=arguments)


@pytest.fixture
def tools_task():
    return intervene(interface="tools")


def test_tools_are_called_and_answered(tmp_path, tools_task) -> None:
    names = tools_task.dataset[0].metadata["names"].split(",")
    act = call("hold", entity=names[0])
    both = [call("move", entity="nobody"), act]
    model = caller([act], both, [call("answer", answer="yes")])
    log = run(tmp_path, model, tools_task, limit=1)
    sample = log.samples[0]
    (row,) = rows_in(tmp_path)
    assert row["value"] == 1.0
    assert row["path"] == "hold 0; hold 0"
    told = [message for message in sample.messages if message.role == "tool"]
    seen = [message.text.startswith("You see: ") for message in told]
    assert seen == [True, False, True, False]
    assert "nobody" in told[1].error.message
    assert told[2].text.endswith("Call a tool.")
    assert told[3].text.startswith("Your answer has been recorded")
    assert sample.store["intervene:calls"] == [["hold", names[0]]] * 2 + [["answer", "yes"]]
    assert compared(rows_in(tmp_path, reread=score_sample)) == compared([row])


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


@agent
def forgetful(last: str) -> Agent:
    """Act by the tools, keep no message, and say something at the end."""

    async def execute(state: AgentState) -> AgentState:
        world = store().get("intervene:world") or {"names": "circle"}
        seen = await hold()(world["names"].split(",")[0])
        assert seen.startswith("You see: ")
        state.messages = state.messages[:1]
        state.output = ModelOutput.from_content("elsewhere", last)
        return state

    return execute


@pytest.mark.parametrize(
    ("last", "value", "reason"),
    [
        ("yes", 1.0, ""),
        ("I have seen it all.\n\n**No.**", 0.0, ""),
        ('So {"answer": "yes"}', 1.0, ""),
        ("yes or no", None, "unfinished"),
        ("", None, "unfinished"),
    ],
)
def test_what_was_called_counts_though_no_message_tells_of_it(
    tmp_path, tools_task, last, value, reason
) -> None:
    run(tmp_path, "mockllm/model", tools_task, solver=forgetful(last), limit=1)
    (row,) = rows_in(tmp_path)
    assert (row["value"], row["reason"], row["path"]) == (value, reason, "hold 0")
    assert compared(rows_in(tmp_path, reread=score_sample)) == compared([row])


@pytest.mark.parametrize("scaffold", ["react", "basic_agent"])
def test_a_reference_agent_is_justified_under_any_scaffold(tmp_path, tools_task, scaffold) -> None:
    solver = basic_agent() if scaffold == "basic_agent" else react(tools=[move(), hold(), answer()])
    run(tmp_path, "reference/intervene.recipe", tools_task, solver=solver, limit=12)
    assert {row["verdict"] for row in rows_in(tmp_path)} == {"justified"}


def test_nothing_was_seen_by_who_acted_where_no_world_was(tmp_path) -> None:
    """The text interface with a solver that is not ours: replies go unheard."""
    run(tmp_path, "reference/intervene.recipe", solver=generate(), limit=3)
    rows = rows_in(tmp_path)
    assert {(row["outcome"], row["path"]) for row in rows} <= {("no_answer", ""), ("scored", "")}
    assert "unfinished" in {row["reason"] for row in rows}


@pytest.mark.parametrize(
    ("task", "solver", "message"),
    [
        ({"group": 3}, generate(), "got 3; make the task with group=1"),
        (
            {"interface": "text"},
            forgetful("yes"),
            "the task intervene has them with interface=tools",
        ),
    ],
)
def test_what_another_solver_cannot_take_is_refused(tmp_path, task, solver, message) -> None:
    (log,) = inspect_eval(
        intervene(**task),
        model="reference/intervene.always-yes",
        solver=solver,
        log_dir=str(tmp_path),
        limit=1,
        **QUIET,
    )
    assert log.status == "error"
    assert message in log.error.message


def test_after_the_last_action_and_after_the_end_nothing_is_carried_out(
    tmp_path, tools_task
) -> None:
    names = tools_task.dataset[0].metadata["names"].split(",")
    acts = [call("hold", entity=names[0])] * 7
    log = run(tmp_path, caller([*acts, call("answer", answer="yes")]), tools_task, limit=1)
    (row,) = rows_in(tmp_path)
    assert (row["value"], row["reason"], row["steps"]) == (None, "out_of_steps", 6)
    told = [message.text for message in log.samples[0].messages if message.role == "tool"]
    assert "No actions were left" in told[6]
    assert told[7] == "The task has ended. This call has no effect."


def test_calls_that_are_refused_twice_in_a_row_end_the_episode(tmp_path, tools_task) -> None:
    run(tmp_path, caller([call("move", entity="nobody")]), tools_task, limit=1)
    (row,) = rows_in(tmp_path)
    assert (row["reason"], row["reasks"]) == ("invalid_format", 1)
