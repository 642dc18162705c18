from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from evidence.made_logs import Speaker, write_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
)
from inspect_ai.tool import ToolCall

from whybench._registry import compose
from whybench.records import read_logs
from whybench.records.runs import (
    AnswerPosition,
    Turn,
    _turns,
    read_runs,
    read_transcripts,
    split_conversations,
)
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    """A log in which each sample asks many items, in conversations of their own."""
    folder = tmp_path_factory.mktemp("logs")
    task = compose(gates="or", worlds=1, units=16)
    write_log(
        get_suite("compose"), task, Speaker("maker/one", "exact"), folder, samples=2, epochs=2
    )
    return folder


def test_each_answer_has_the_conversation_about_its_item(log) -> None:
    rows = read_logs([log]).rows["compose"]
    places = {AnswerPosition(row["log"], row["item"], row["epoch"]): row for row in rows}
    assert len(places) == len(rows) > 40
    found = dict(read_transcripts([log], set(places)))
    assert set(found) == set(places)
    items = {item.id: item for item in get_suite("compose").items(get_suite("compose").make_design(
        {"design": "core", "gates": "or", "units": 16}))}  # fmt: skip
    for place, turns in found.items():
        assert turns[0] == Turn("user", items[place.item].prompt)
        said = {1.0: "yes", 0.0: "no"}[places[place]["value"]]
        assert turns[1].role == "assistant"
        assert said in turns[1].text.lower()


def test_only_what_is_asked_for_is_read(log) -> None:
    row = read_logs([log]).rows["compose"][7]
    place = AnswerPosition(row["log"], row["item"], row["epoch"])
    missing = [AnswerPosition("other.eval", *place[1:]), AnswerPosition(place.log, "compose-0", 1)]
    assert [where for where, _ in read_transcripts([log], [place, *missing])] == [place]


def test_messages_belong_to_the_item_that_was_named_last() -> None:
    messages = [
        ChatMessageUser(content="one", metadata={"item": "i1"}),
        ChatMessageAssistant(content="yes"),
        ChatMessageUser(content="go on"),
        ChatMessageUser(content="two", metadata={"item": "i2"}),
    ]
    talks = split_conversations("s", messages)
    assert {item: [m.text for m in said] for item, said in talks.items()} == {
        "i1": ["one", "yes", "go on"],
        "i2": ["two"],
    }
    assert list(split_conversations("s", messages[1:3])) == ["s"]


def test_thoughts_and_calls_are_told_apart() -> None:
    call = ToolCall(id="1", function="python", arguments={"code": "1 + 1"})
    message = ChatMessageAssistant(
        content=[
            ContentReasoning(reasoning="let me see"),
            ContentReasoning(reasoning="secret", redacted=True),
            ContentReasoning(reasoning="secret", redacted=True, summary="thought about it"),
            ContentText(text="I compute."),
        ],
        tool_calls=[call],
    )
    assert list(_turns(message)) == [
        Turn("thinking", "let me see"),
        Turn("thinking", "thought about it"),
        Turn("assistant", "I compute."),
        Turn("assistant", 'python({"code": "1 + 1"})'),
    ]
    assert list(_turns(ChatMessageTool(content="2", tool_call_id="1"))) == [Turn("tool", "2")]
    assert list(_turns(ChatMessageAssistant(content=""))) == [Turn("assistant", "")]


def test_a_run_says_who_was_asked_what_by_which_versions(log) -> None:
    [run] = read_runs([log])
    row = read_logs([log]).rows["compose"][0]
    for name in ("agent", "suite", "version", "design", "design_hash", "log"):
        assert getattr(run, name) == row[name]
    assert len(run.content_hash) == 16
    assert (run.status, run.epochs, run.seed, run.grading) == ("success", 2, "", "")
    assert run.whybench
    assert run.row()["agent"] == "maker/one"
