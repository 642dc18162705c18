"""Spending: reservations, what is entered for a call, and an account that outlives a process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from whybench.errors import UserError
from whybench.evaluation import spending as module
from whybench.evaluation.accounts import ACCOUNT, say_spent
from whybench.evaluation.spending import Spending, most_tokens
from whybench.planning.plans import plan
from whybench.planning.prices import Price, Prices

if TYPE_CHECKING:
    from pathlib import Path

MODEL = "x/y"
A_MILLION = 1_000_000
PRICES = Prices({MODEL: Price(1.0, 10.0, "today", cache_read=0.1)})


def usage(sent: int, received: int, **others: int | None) -> Any:
    counts: dict[str, Any] = {
        "input_tokens": sent,
        "output_tokens": received,
        "total_tokens": sent + received,
        "reasoning_tokens": None,
        "input_tokens_cache_read": None,
        "input_tokens_cache_write": None,
    }
    return SimpleNamespace(**{**counts, **others})


class StoppedError(Exception):
    """What the tests have in place of the signal."""


@pytest.fixture(autouse=True)
def no_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(reason: str) -> None:
        raise StoppedError(reason)

    monkeypatch.setattr(module, "stop", stop)


def reserve(spending: Spending, suite: str = "judge", received: int = 100_000) -> Any:
    return anyio.run(lambda: spending.reserve(MODEL, suite, 0, received))


def test_a_call_reserves_the_most_and_gives_back_the_rest() -> None:
    spending = Spending(2.5, PRICES)
    calls = [reserve(spending), reserve(spending)]  # a dollar each
    spending.settle(calls[0], usage(0, 10_000))
    assert spending.total == pytest.approx(0.1)
    calls.append(reserve(spending))
    for call in calls[1:]:
        spending.settle(call, usage(0, 90_000))
    assert spending.spent() == pytest.approx({"judge": 1.9})
    with pytest.raises(StoppedError, match=r"limit of \$2.50 is reached: \$1.90 spent \(judge \$1"):
        reserve(spending)


def test_a_call_that_does_not_fit_waits_for_those_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spending = Spending(1.5, PRICES)
    looks: list[None] = []
    monkeypatch.setattr(module, "give_up_dead", lambda _: looks.append(None))

    async def ask() -> None:
        first = await spending.reserve(MODEL, "judge", 0, 100_000)
        assert first is not None
        async with anyio.create_task_group() as group:
            group.start_soon(spending.reserve, MODEL, "compose", 0, 100_000)
            while len(looks) < 4:  # one for the first call, the others for the second
                await anyio.sleep(0.01)
            assert len(spending.open) == 1, "the second one waits"
            spending.settle(first, usage(0, 1000))
        assert [call.suite for call in spending.open.values()] == ["compose"]

    anyio.run(ask)


@pytest.mark.parametrize(
    ("used", "dollars"),
    [
        (usage(A_MILLION, 100_000, reasoning_tokens=90_000), 1 + 1.0),
        (usage(0, 1000, total_tokens=101_000, reasoning_tokens=100_000), 1.01),
        (usage(0, 0, total_tokens=0, reasoning_tokens=100_000), 1.0),
        (usage(A_MILLION, 0, total_tokens=2 * A_MILLION, input_tokens_cache_read=A_MILLION), 1.1),
    ],
    ids=["reasoning is received", "reasoning apart", "reasoning alone", "cached"],
)
def test_what_a_call_cost(used: Any, dollars: float) -> None:
    spending = Spending(None, PRICES)
    spending.settle(reserve(spending), used)
    assert spending.total == pytest.approx(dollars)


def test_a_call_is_entered_once() -> None:
    spending = Spending(None, PRICES)
    call = reserve(spending)
    spending.lose(call)
    assert spending.total == pytest.approx(1.0)
    with spending.account.open() as state:
        assert "up to $1.00 of it for 1 calls without a reply" in say_spent(state)
    spending.settle(call, usage(0, 10_000))  # it came after all
    spending.settle(call, usage(0, 10_000))
    spending.lose(call)
    assert spending.total == pytest.approx(0.1)
    refused = reserve(spending)
    spending.release(refused)
    spending.lose(refused)
    assert spending.total == pytest.approx(0.1)


def test_a_server_that_writes_beyond_the_cap_is_reserved_more() -> None:
    spending = Spending(10.0, PRICES)
    for _ in range(2):
        spending.settle(reserve(spending), usage(0, 300_000))
    assert reserve(spending).dollars == pytest.approx(3.0)
    spending.release(next(iter(spending.open.values())))
    spending.limit = 8.9
    with pytest.raises(StoppedError, match=r"\$6.00 spent .* may cost up to \$3.00"):
        reserve(spending)


def test_what_earlier_runs_of_a_folder_spent_counts(tmp_path: Path) -> None:
    first = Spending.resume(tmp_path, 5.0, PRICES)
    first.settle(reserve(first), usage(0, 50_000))
    again = Spending.resume(tmp_path, 1.4, PRICES)
    assert again.total == pytest.approx(0.5)
    with pytest.raises(StoppedError, match=r"\$0.50 spent"):
        reserve(again)
    assert Spending.resume(tmp_path, 1.4, PRICES).total == pytest.approx(0.5)
    assert Spending.resume("memory://elsewhere", 1.0, PRICES).account.path is None


def test_a_call_of_a_process_that_died_may_have_been_billed(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    spending = Spending.resume(tmp_path, 5.0, PRICES)
    call = reserve(spending)
    with spending.account.open() as state:
        state["open"][call.name]["process"][1] = dead.pid
    again = Spending.resume(tmp_path, 1.5, PRICES)
    with pytest.raises(StoppedError, match=r"\$1.00 spent .*for 1 calls without a reply"):
        reserve(again)


def test_a_call_that_we_ended_counts_as_the_dearest_once_there_were_enough() -> None:
    spending = Spending(None, PRICES)
    for number in range(19):
        spending.settle(reserve(spending), usage(0, 100 * number))
    early = reserve(spending)
    spending.lose(early, cancelled=True)
    assert spending.account.state["lost"][early.name]["dollars"] == pytest.approx(1.0)
    spending.settle(reserve(spending), usage(0, 10_000))
    ended, silent = reserve(spending), reserve(spending)
    spending.lose(ended, cancelled=True)
    spending.lose(silent)
    assert spending.account.state["lost"][ended.name]["dollars"] == pytest.approx(0.1)
    assert spending.account.state["lost"][silent.name]["dollars"] == pytest.approx(1.0)


def test_a_call_without_news_is_given_up() -> None:
    spending = Spending(1.5, PRICES)
    anyio.run(lambda: spending.reserve(MODEL, "judge", 0, 100_000, patience=0.2))
    with pytest.raises(StoppedError):
        reserve(spending)


def test_a_damaged_account_is_named(tmp_path: Path) -> None:
    (tmp_path / ACCOUNT).write_text("half a")
    with pytest.raises(UserError, match=f"{ACCOUNT} must be the spending account of this folder"):
        _ = Spending.resume(tmp_path, 1.0, PRICES).total


WORKER = """
import sys
from types import SimpleNamespace
import anyio
from whybench.evaluation import spending as module
from whybench.planning.prices import Price, Prices

module.POLL = 0.005

def stop(reason):
    sys.exit(0)

module.stop = stop
spending = module.Spending.resume(sys.argv[1], 1.0, Prices({"x/y": Price(1.0, 10.0, "today")}))

async def ask():
    for number in range(200):
        call = await spending.reserve("x/y", "judge", 0, 2_000)
        await anyio.sleep(0.002)
        tokens = 100 * (1 + number % 20)
        spending.settle(call, SimpleNamespace(
            input_tokens=0, output_tokens=tokens, total_tokens=tokens, reasoning_tokens=None,
            input_tokens_cache_read=None, input_tokens_cache_write=None))
        print(tokens / 100_000, flush=True)

anyio.run(ask)
"""


@pytest.mark.slow
def test_processes_share_a_limit(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    billed = [
        float(line) for worker in workers for line in worker.communicate(timeout=600)[0].split()
    ]
    assert [worker.returncode for worker in workers] == [0] * 3
    assert 0.97 < sum(billed) <= 1.0
    assert Spending.resume(tmp_path, None, PRICES).total == pytest.approx(sum(billed))


def test_an_unknown_price_is_asked_for_before_the_first_call() -> None:
    watched = Spending(1.0, Prices()).watch("x/y")
    with pytest.raises(UserError, match="name a file by `prices`"):
        watched.__enter__()
    with pytest.raises(StoppedError, match="a call to no/body must have a known price"):
        anyio.run(lambda: Spending(1.0, PRICES).reserve("no/body", "judge", 1, 1))
    free = anyio.run(
        lambda: Spending(1.0, PRICES).reserve("reference/judge.noisy-or", "judge", 1, 1)
    )
    assert free is None


@pytest.mark.parametrize("limit", [1.0, None])
def test_a_call_that_cannot_be_counted_is_not_made(tmp_path: Path, limit: float | None) -> None:
    spending = Spending.resume(tmp_path, limit, PRICES)
    (tmp_path / ACCOUNT).write_text("half a")
    config = SimpleNamespace(
        max_tokens=None,
        reasoning_tokens=None,
        num_choices=None,
        best_of=None,
        attempt_timeout=None,
        timeout=None,
    )
    data = SimpleNamespace(model_name=MODEL, task_name="judge", input=[], tools=[], config=config)
    expected = StoppedError if limit else UserError
    with pytest.raises(
        expected, match="must be the spending account|calls must be counted to hold"
    ):
        anyio.run(module._begin_or_stop, spending, data)


@pytest.mark.parametrize(
    ("error", "cache", "later", "dollars"),
    [
        ("Error code: 400 - {'error': 'too long'}", None, 1, 0.0),
        ("Connection lost", None, 1, 1.0),
        ("Connection lost", None, -1, 0.0),
        (None, None, 1, 1.0),
        (None, "read", 1, 0.0),
    ],
    ids=["refused", "lost", "of an attempt before", "without usage", "from the cache"],
)
def test_the_transcript_tells_how_a_call_ended(
    error: str | None, cache: str | None, later: int, dollars: float
) -> None:
    from datetime import UTC, datetime, timedelta

    spending = Spending(None, PRICES)
    call = reserve(spending)
    call.question = "q"
    event = SimpleNamespace(
        event="model",
        input=[SimpleNamespace(id="q")],
        output=SimpleNamespace(usage=None),
        error=error,
        cache=cache,
        timestamp=datetime.fromtimestamp(call.at, UTC) + timedelta(seconds=later),
    )
    module._end(spending, event)
    assert spending.total == pytest.approx(dollars)
    assert call.is_open == (later < 0)


def test_a_folder_without_bills_has_no_account(tmp_path: Path) -> None:
    spending = Spending.resume(tmp_path, 1.0, PRICES)
    anyio.run(lambda: spending.reserve("reference/judge.noisy-or", "judge", 1, 1))
    assert spending.total == 0.0
    assert not (tmp_path / ACCOUNT).exists()


def test_the_estimate_is_of_the_calls_so_far() -> None:
    said: list[str] = []
    plans = {MODEL: [plan("judge", limit=60), plan("intervene", limit=10)]}
    spending = Spending(None, PRICES, plans=plans, say=said.append)
    for _ in range(30):
        spending.settle(reserve(spending), usage(0, 1000))
    (line,) = said
    assert line.startswith("after 20 calls: about $")
    dollars, _ = spending.estimate()
    later = plans[MODEL][1]
    assert dollars == pytest.approx(
        60 * 0.01 + PRICES.models[MODEL].bill(later.sent, 1000 * later.calls)
    )


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("does the rain cause the harvest", 6),
        ("0,1,1,0,1\n" * 10, 100),  # every digit and every comma is a token to today's models
        ("因果関係を考える", 8),
        ("🤔" * 5, 15),
    ],
)
def test_texts_have_no_more_tokens_than_are_reserved(text: str, tokens: int) -> None:
    from inspect_ai.model import ChatMessageUser

    assert tokens <= most_tokens([ChatMessageUser(content=text)]) <= 3 * tokens + 16


def test_tools_and_calls_of_tools_are_sent_too() -> None:
    from inspect_ai.model import ChatMessageAssistant
    from inspect_ai.tool import ToolCall, ToolInfo

    call = ToolCall(id="1", function="act", arguments={"words": "a word " * 100})
    said = ChatMessageAssistant(content="", tool_calls=[call])
    assert most_tokens([said]) > 350
    tool = ToolInfo(name="act", description="a word " * 100)
    assert most_tokens([], [tool]) > 350


@pytest.mark.slow
def test_calls_of_inspect_are_counted_and_their_costs_are_in_its_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log

    from whybench.evaluation.runs import run

    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    agent = "reference/judge.noisy-or"
    prices = Prices({agent: Price(100.0, 1000.0, "today")})
    logs = tmp_path / "logs"
    spending = Spending.resume(logs, 50.0, prices)
    with spending.watch(agent):
        run("judge", agent, limit=6, log_dir=str(logs))
    (file,) = list_eval_logs(str(logs))
    used = read_eval_log(file).stats.model_usage[agent]
    expected = prices.models[agent].bill(used.input_tokens, used.output_tokens)
    assert spending.spent() == pytest.approx({"judge": expected})
    assert used.total_cost == pytest.approx(expected)
    with spending.account.open() as state:
        assert state["spent"][agent]["judge"]["calls"] == 6
        assert not state["open"]
    run("judge", "reference/judge.associative", limit=2, log_dir=str(tmp_path / "unwatched"))
    assert spending.total == pytest.approx(expected)

    # A folder without an account: what its logs say counts, each sample once.
    (logs / ACCOUNT).unlink()
    name = file.name.removeprefix("file://")
    shutil.copy(name, name.replace("_judge_", "_judge_again_"))
    for _ in range(2):
        assert Spending.resume(logs, 50.0, prices).total == pytest.approx(expected)
