"""The faulty server: the plan it follows, what it logs, and what each fault comes to."""

from __future__ import annotations

import asyncio
import contextvars
import json
import urllib.error
import urllib.request
from collections import Counter

import pytest
from evidence.fault_server import (
    DECOY,
    FAULTS,
    HARMLESS,
    MODEL,
    FaultServer,
    Plan,
    busiest,
    even_number,
    question_digest,
)

from whybench.suites import asking
from whybench.suites.asking import TRIES, NoReplyError, ask


@pytest.fixture(scope="module")
def server():
    with FaultServer() as running:
        yield running


def post(server: FaultServer, prompt: str, client: str = "me") -> tuple[int, str, bytes]:
    body = json.dumps({"messages": [{"role": "user", "content": prompt}]}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {client}"}
    request = urllib.request.Request(f"{server.address}/v1/chat/completions", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Retry-After"] or "", error.read()


def test_without_faults_every_reply_is_right_and_logged(server) -> None:
    server.change(Plan())
    before = len(server.calls())
    for prompt in ("one", "two", "one"):
        status, kind, body = post(server, prompt, "somebody")
        assert (status, kind) == (200, "application/json")
        assert json.loads(body)["choices"][0]["message"]["content"] == even_number(prompt)
    calls = server.calls()[before:]
    assert [call["question"] for call in calls] == [
        question_digest(prompt) for prompt in ("one", "two", "one")
    ]
    assert [call["attempt"] for call in calls] == [1, 1, 2]
    assert {call["client"] for call in calls} == {"somebody"}
    assert {call["fault"] for call in calls} == {""}
    assert [call["time"] for call in calls] == sorted(call["time"] for call in calls)


def test_the_right_reply_is_never_the_decoy_and_differs_between_questions() -> None:
    replies = Counter(even_number(f"prompt {i}") for i in range(2000))
    assert DECOY not in replies
    assert len(replies) == 50
    assert all(0 <= int(reply) <= 100 for reply in replies)


def test_a_plan_is_repeated_whatever_the_order_and_keeps_to_its_shares() -> None:
    plan = Plan({"cut": 0.1, "empty": 0.3}, seed=5)
    keys = [(f"question {i}", attempt) for i in range(2000) for attempt in (1, 2)]
    drawn = {key: plan.fault(*key) for key in keys}
    assert drawn == {key: plan.fault(*key) for key in reversed(keys)}
    counts = Counter(drawn.values())
    # Four standard deviations of 4,000 draws.
    assert abs(counts["cut"] - 400) < 4 * (4000 * 0.1 * 0.9) ** 0.5
    assert abs(counts["empty"] - 1200) < 4 * (4000 * 0.3 * 0.7) ** 0.5
    assert drawn != {key: Plan(plan.shares, seed=6).fault(*key) for key in keys}


@pytest.mark.parametrize("shares", [{"cut": 0.6, "slow": 0.6}, {"cut": -0.1}, {"typo": 0.1}])
def test_a_plan_that_cannot_be_followed_is_refused(shares) -> None:
    with pytest.raises(ValueError, match="must be"):
        Plan(shares)


def test_the_busiest_window_by_hand() -> None:
    assert busiest([]) == 0
    assert busiest([0.0, 9.9, 10.0, 10.1, 19.8]) == 4
    assert busiest([5.0, 0.0, 20.0], window=5.0) == 1


def asked(server: FaultServer, fault: str, monkeypatch) -> tuple[str, int]:
    """Ask as a run does, but without retries of others; return the reply or reason, and calls."""
    from inspect_ai.model import GenerateConfig, get_model

    monkeypatch.setattr(asking, "PAUSE", 0.0)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    server.change(Plan({fault: 1.0}, slow=60))
    before = len(server.calls())

    patience = 5 if fault in {"slow", "hang"} else 30

    async def talk() -> str:
        config = GenerateConfig(max_retries=0, attempt_timeout=patience)
        model = get_model(MODEL, config=config, memoize=False, max_retries=0)
        try:
            output = await ask(model.generate, fault)
        except NoReplyError as error:
            return error.message
        finally:
            await model.api.aclose()
        return f"{output.stop_reason} {output.completion[:9]}"

    # In a context of its own: a run before this test, in this process, leaves its retries behind.
    told = contextvars.Context().run(asyncio.run, talk())
    return told, len(server.calls()) - before


@pytest.mark.parametrize(
    ("fault", "told", "calls"),
    [
        ("rate_limit", "no reply after all retries: RateLimitError", 1),
        ("server_error", "no reply after all retries: InternalServerError", 1),
        ("slow", "no reply after all retries: AttemptTimeoutError", 1),
        ("hang", "no reply after all retries: AttemptTimeoutError", 1),
        ("cut", "no reply after all retries: APIConnectionError", 1),
        ("page", "no reply after all retries: OpenAIResponseError", 1),
        ("truncated", "broken reply, not JSON: Unterminated string", TRIES),
        ("doubled", "broken reply, not JSON: Extra data", TRIES),
        ("empty", "broken reply, without choices", TRIES),
        ("long", f"max_tokens {DECOY} {DECOY} {DECOY}", 1),
        ("repeated", f"stop {even_number('repeated')}", 1),
        ("mislabelled", f"stop {even_number('mislabelled')}", 1),
    ],
)
def test_each_fault_comes_to_an_error_with_its_reason_or_to_no_harm(
    server, monkeypatch, fault, told, calls
) -> None:
    assert fault in FAULTS
    reply, made = asked(server, fault, monkeypatch)
    assert reply.startswith(told)
    assert made == calls
    # Only a reply that is right, or says that it was cut off, is passed on.
    assert reply.startswith("stop") == (fault in HARMLESS)


def test_a_refused_caller_hears_when_to_come_again(server) -> None:
    server.change(Plan({"rate_limit": 1.0}, retry_after=7))
    assert post(server, "refused")[:2] == (429, "7")


def test_a_run_before_in_this_process_changes_no_count_of_calls(server, monkeypatch) -> None:
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.model._model import init_active_model

    def as_after_a_run() -> tuple[str, int]:
        init_active_model(get_model("mockllm/model"), GenerateConfig(max_retries=1))
        return asked(server, "server_error", monkeypatch)

    assert contextvars.copy_context().run(as_after_a_run)[1] == 1
