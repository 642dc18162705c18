from __future__ import annotations

import asyncio
import json

import pytest
from inspect_ai.model import ModelOutput
from tenacity import Future, RetryError

from whybench.suites import asking
from whybench.suites.asking import TRIES, NoReplyError, ask

GOOD = ModelOutput.from_content("model", "42")
EMPTY = ModelOutput(model="model", choices=[])


class Scripted:
    """A model that replies, or fails, as it was told."""

    def __init__(self, *script: ModelOutput | Exception) -> None:
        self.script = list(script)
        self.asked: list[tuple[object, ...]] = []

    async def generate(self, *question: object, **settings: object) -> ModelOutput:
        self.asked.append((question, settings))
        told = self.script.pop(0)
        if isinstance(told, Exception):
            raise told
        return told


@pytest.fixture(autouse=True)
def hurry(monkeypatch) -> None:
    monkeypatch.setattr(asking, "PAUSE", 0.0)


def broken_json() -> json.JSONDecodeError:
    try:
        json.loads('{"choices": [')
    except json.JSONDecodeError as error:
        return error
    raise AssertionError


def given_up(cause: Exception) -> RetryError:
    future = Future(3)
    future.set_exception(cause)
    error = RetryError(future)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("fault", [EMPTY, broken_json()])
def test_a_broken_reply_is_asked_again(fault) -> None:
    model = Scripted(fault, GOOD)
    assert asyncio.run(ask(model.generate, ["hello"], tools=["tool"])) is GOOD
    assert model.asked == [((["hello"],), {"tools": ["tool"]})] * 2


@pytest.mark.parametrize(
    ("fault", "reason"),
    [(EMPTY, "without choices"), (broken_json(), "not JSON: Expecting value")],
)
def test_a_server_that_only_breaks_is_asked_a_bounded_number_of_times(fault, reason) -> None:
    model = Scripted(*[fault] * 10)
    with pytest.raises(NoReplyError, match=reason) as caught:
        asyncio.run(ask(model.generate, ["hello"]))
    assert len(model.asked) == TRIES
    # Inspect logs the message of an error, and records take their reason from there.
    assert caught.value.message == str(caught.value)


def test_the_reason_names_the_last_failure_and_not_the_machinery() -> None:
    model = Scripted(given_up(TimeoutError("no reply in 180 s")))
    with pytest.raises(NoReplyError) as caught:
        asyncio.run(ask(model.generate, ["hello"]))
    assert caught.value.message == "no reply after all retries: TimeoutError: no reply in 180 s"
    assert len(model.asked) == 1


def test_other_errors_pass_unchanged() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(ask(Scripted(ZeroDivisionError()).generate, ["hello"]))
