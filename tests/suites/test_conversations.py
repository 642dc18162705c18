"""Conversations: which replies count, and when a question is asked once more."""

from __future__ import annotations

from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
    get_model,
)

from whybench._registry import analyze
from whybench.agents.provider import (
    find_current_item,
    follow_samples,
    replay_episode,
)
from whybench.records import read_logs
from whybench.suites.analyze import SUITE
from whybench.suites.contract import GOES_ON, find_heard
from whybench.suites.replies import REASK
from whybench.suites.task import score_sample

ONE = {"challenge": "simpson", "variant": "trap", "seeds": 1}


def said(text: str) -> ChatMessageAssistant:
    return ChatMessageAssistant(content=text)


def asked(text: str, **about: Any) -> ChatMessageUser:
    return ChatMessageUser(content=text, metadata=about or None)


@pytest.mark.parametrize(
    ("messages", "heard"),
    [
        ([asked("question")], []),
        ([asked("question"), said("a")], ["a"]),
        ([asked("question"), said("a"), asked("again"), said("b")], ["b"]),
        (
            [asked("question"), said("a"), asked("why", **{GOES_ON: True}), said("b")],
            ["a", "b"],
        ),
        ([asked("question"), said("a"), asked("why", **{GOES_ON: True})], ["a"]),
        (
            [
                asked("question"), said("program"), asked("it ran"), said("a"),
                asked("why", **{GOES_ON: True}), said("?"), asked("again"), said("b"),
            ],
            ["a", "b"],
        ),
    ],
)  # fmt: skip
def test_replies_count_from_which_it_goes_on_and_the_last(
    messages: list[ChatMessage], heard: list[str]
) -> None:
    assert [reply.text for reply in find_heard(messages)] == heard


def play(tmp_path: Any, task: Any, reply: Any, **settings: Any) -> Any:
    """Run a task with a model that says what `reply` makes of the messages and the episode."""
    follow_samples()

    def speak(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        _, item = find_current_item(messages)
        words = reply(messages, replay_episode(SUITE, item, messages)[0])
        text, stop = words if isinstance(words, tuple) else (words, "stop")
        output = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=speak)
    (log,) = inspect_eval(
        task, model=model, log_dir=str(tmp_path), display="none", log_realtime=False, **settings
    )
    assert log.status == "success", log.error
    return log


def test_a_report_is_asked_for_once_more_and_a_diagnosis_is_not(tmp_path: Any) -> None:
    def reply(messages: list[ChatMessage], episode: Any) -> str:
        if episode.is_reported or len(messages) == 1:
            return "I would have to think about it."
        return SUITE.oracle(episode)

    log = play(tmp_path, analyze(**ONE, protocol="direct"), reply)
    (sample,) = log.samples
    first, _, again, _, why, _ = sample.messages
    assert again.text.startswith(REASK)
    marked = [bool((message.metadata or {}).get(GOES_ON)) for message in (first, again, why)]
    assert marked == [False, False, True]
    (row,) = read_logs([tmp_path]).rows["analyze"]
    assert (row["value"], row["diagnosis"], row["diagnosis_reason"]) == (1.0, 0.0, "no_object")
    (reread,) = read_logs([tmp_path], reread=score_sample).rows["analyze"]
    assert (reread["value"], reread["diagnosis"]) == (row["value"], row["diagnosis"])


def test_who_gives_no_report_is_asked_twice_and_no_more(tmp_path: Any) -> None:
    log = play(tmp_path, analyze(**ONE, protocol="direct"), lambda *_: "No.")
    assert [message.role for message in log.samples[0].messages] == ["user", "assistant"] * 2
    (row,) = read_logs([tmp_path]).rows["analyze"]
    assert (row["outcome"], row["reason"], row.get("diagnosis")) == (
        "no_answer",
        "no_object",
        None,
    )


def test_a_report_that_was_cut_off_is_not_asked_for_again(tmp_path: Any) -> None:
    log = play(
        tmp_path,
        analyze(**ONE, protocol="direct"),
        lambda _, episode: (SUITE.oracle(episode), "max_tokens"),
    )
    assert len(log.samples[0].messages) == 2
    (row,) = read_logs([tmp_path]).rows["analyze"]
    assert row["reason"] == "cut_off"


def test_a_diagnosis_that_was_cut_off_leaves_the_report(tmp_path: Any) -> None:
    def reply(_: list[ChatMessage], episode: Any) -> tuple[str, str]:
        return SUITE.oracle(episode), "max_tokens" if episode.is_reported else "stop"

    play(tmp_path, analyze(**ONE, protocol="direct"), reply)
    (row,) = read_logs([tmp_path]).rows["analyze"]
    assert (row["value"], row["diagnosis"], row["diagnosis_reason"]) == (1.0, 0.0, "cut_off")


@pytest.mark.parametrize("group", [1, 2])
def test_conversations_of_a_group_go_on_each_by_itself(tmp_path: Any, group: int) -> None:
    task = analyze(challenge="simpson", seeds=1, protocol="direct", group=group)
    play(tmp_path, task, lambda _, episode: SUITE.oracle(episode))
    rows = read_logs([tmp_path]).rows["analyze"]
    assert [(row["value"], row["diagnosis"]) for row in rows] == [(1.0, 1.0)] * 2


def test_replies_that_were_asked_for_again_are_not_replayed() -> None:
    """Under protocols with programs the first reply is none, even if it holds an answer."""
    (item,) = SUITE.items(SUITE.make_design(ONE))
    report = SUITE.oracle(SUITE.open_episode(item.factors))
    before = [asked("question"), said(report), asked("Give your answer.")]
    episode, turns = replay_episode(SUITE, item, before)
    assert (episode.is_reported, turns) == (False, 0)
    after = [*before, said(report), asked("why", **{GOES_ON: True})]
    episode, turns = replay_episode(SUITE, item, after)
    assert (episode.is_reported, turns) == (True, 1)


@pytest.mark.slow
@pytest.mark.xdist_group("sandbox")
def test_one_run_asks_under_several_protocols(tmp_path: Any) -> None:
    task = analyze(**ONE, protocol="direct,code,agentic")
    (log,) = inspect_eval(
        task,
        model="reference/analyze.competent",
        log_dir=str(tmp_path),
        display="none",
        log_realtime=False,
        limit=3,
    )
    assert log.status == "success", log.error
    rows = read_logs([tmp_path]).rows["analyze"]
    assert sorted(row["protocol"] for row in rows) == ["agentic", "code", "direct"]
    assert {(row["value"], row["diagnosis"]) for row in rows} == {(1.0, 1.0)}
    runs = {row["protocol"]: row.get("code_outcome") for row in rows}
    assert runs == {"direct": None, "code": "no_code", "agentic": "no_code"}
