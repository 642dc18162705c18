"""A limit in dollars that holds, against a server that bills far more than was planned.

Runs have ten connections; what one process stopped another resumes. The server bills by usage,
reasoning fifty times what the plan has for a reply; some servers leave reasoning out of the tokens
of the reply, some write beyond the cap, some refuse calls and break lines. The bill is the server's
own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.billing_server import MODEL, BillingServer, Tariff
from evidence.figures import Figure, Parts
from evidence.processes import command
from whybench.evaluation.accounts import give_up_dead
from whybench.evaluation.spending import Spending
from whybench.planning.prices import Price, Prices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RUNS = 20
RESULT = "result: "
ITEMS = 80
CONNECTIONS = 10
LONGEST = 1024
ABOVE = 1.10
"""How many times the limit may at most be billed."""

PLANNED = 3
"""Tokens of a reply in the plan of judge."""

PRICES = Prices({MODEL: Price(Tariff().sent, Tariff().received, "this very hour")})

MOST_A_CALL = 0.013
"""Dollars that a call reserves: the longest reply, and a prompt of judge."""

TARIFFS = (
    Tariff(reasoning=50 * PLANNED),
    Tariff(reasoning=50 * PLANNED, apart=True),
    Tariff(reasoning=50 * PLANNED, faults=(5, 5)),
    Tariff(reasoning=1600, obeys=False),
)

NAMES = (
    "openai/gpt-4o",
    "openai/gpt-5",
    "openai/o3",
    "openai/azure/gpt-4o",
    "azureai/gpt-4o",
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-opus-4-1-20250805",
    "anthropic/bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0",
    "google/gemini-2.5-pro",
    "google/vertex/gemini-2.5-flash",
    "openrouter/openai/gpt-4o",
    "openrouter/anthropic/claude-sonnet-4",
    "together/meta-llama/Llama-3.3-70B-Instruct-Turbo",
    "mistral/mistral-large-latest",
    "groq/llama-3.3-70b-versatile",
    "grok/grok-4",
    "deepseek/deepseek-chat",
    "openai-api/deepseek/deepseek-reasoner",
    "litellm-proxy/openai/gpt-4o",
)
"""Models as Inspect names them, of every large provider and through those that pass calls on."""


@dataclass(frozen=True)
class Stopped:
    """A run that stopped at its limit, and was resumed with a higher one.

    Attributes:
        limit: Dollars.
        billed: What the server billed until the stop.
        counted: What the account said then.
        reason: Why it stopped, in its own words.
        billed_in_all: What the server billed until the end.
        counted_in_all: What the account said at the end.
        scored: Answers at the end.
        faulty: Whether the server broke lines, so that the account is not exact.
    """

    limit: float
    billed: float
    counted: float
    reason: str
    billed_in_all: float
    counted_in_all: float
    scored: int
    faulty: bool


def stop_and_resume(numbers: Iterable[int]) -> Iterator[Stopped]:
    """Run with limits, then without need of one; yield what was billed and counted.

    What one process stopped, another resumes.
    """
    with BillingServer(Tariff()) as server, _worker(server) as first, _worker(server) as second:
        for number in numbers:
            server.tariff = tariff = TARIFFS[number % len(TARIFFS)]
            a_call = (700 * tariff.sent + tariff.reasoning * tariff.received) / 1e6
            limit = round(a_call * ITEMS * (0.35 + 0.02 * number) + 0.01, 3)
            before = server.total
            with tempfile.TemporaryDirectory() as folder:
                stopped = _tell(first, folder, limit)
                billed = server.total - before
                ended = _tell(second, folder, 100.0)
            yield Stopped(
                limit,
                billed,
                stopped["counted"],
                stopped["reason"],
                server.total - before,
                ended["counted"],
                ended["scored"],
                any(tariff.faults),
            )


@contextmanager
def _worker(server: BillingServer) -> Iterator[subprocess.Popen[str]]:
    """Start a process that runs what it is told, and stop it at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "evidence.spending"],
        env={**os.environ, **server.environment},
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _tell(worker: subprocess.Popen[str], folder: str, limit: float) -> dict[str, Any]:
    """Have a process run within a limit; return what it says of that."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(json.dumps([folder, limit]) + "\n")
    worker.stdin.flush()
    for line in worker.stdout:
        if line.startswith(RESULT):
            found: dict[str, Any] = json.loads(line.removeprefix(RESULT))
            return found
    raise RuntimeError(f"a run must tell what it spent, got an end with status {worker.wait()}")


def _run(folder: str, limit: float) -> dict[str, Any]:
    """Ask judge within a limit; return what was spent, why it stopped and what was scored."""
    from whybench.errors import StoppedError
    from whybench.evaluation.runs import run
    from whybench.results.sources import load

    reason = ""
    table = Path(folder, "prices.yaml")
    price = PRICES.models[MODEL]
    stated = {"models": {MODEL: {"input": price.input, "output": price.output}}}
    table.write_text(json.dumps(stated), encoding="utf-8")
    try:
        run(
            "judge",
            MODEL,
            limit=ITEMS,
            max_connections=CONNECTIONS,
            max_tokens=LONGEST,
            max_cost=limit,
            prices=table,
            log_dir=f"{folder}/logs",
            display="none",
        )
    except StoppedError as error:
        reason = str(error)
    answers = load(f"{folder}/logs")
    scored = len(answers) - sum(answers.reasons("error").values())
    spent = Spending.resume(f"{folder}/logs", None, PRICES).total
    return {"counted": spent, "reason": reason, "scored": scored}


def max_cost(small: bool) -> Iterator[Figure]:
    """Yield whether limits hold, what is said at the limit, and whether runs go on."""
    runs = list(stop_and_resume((1, 2) if small else range(RUNS)))
    shares = [run.billed / run.limit for run in runs]
    held = sum(share <= ABOVE for share in shares)
    yield Figure(
        f"the bill is at most {ABOVE:.2f} of the limit in {len(runs)} of {len(runs)} runs, with "
        f"{CONNECTIONS} connections and replies of 50 times the plan",
        f"{held} of {len(runs)}; from {min(shares):.2f} to {max(shares):.2f} of the limit",
        held == len(runs),
    )
    off = [abs(run.counted - run.billed) / run.billed for run in runs if not run.faulty]
    broken = [run.counted_in_all / run.billed_in_all for run in runs if run.faulty]
    yield Figure(
        "the account is the bill, to a ten-thousandth, where no line breaks; where they do, it is "
        "within a tenth",
        f"{max(off):.2e} off; {min(broken):.3f} to {max(broken):.3f} of the bill",
        max(off) < 1e-4 and 0.9 <= min(broken) <= max(broken) <= 1.1,
    )
    told = sum(f"limit of ${run.limit:.2f} is reached" in run.reason for run in runs)
    by_suite = sum("judge $" in run.reason for run in runs)
    yield Figure(
        "at the limit it says so, with what was spent by suite",
        f"{told} and {by_suite} of {len(runs)}; such as: {runs[0].reason}",
        told == by_suite == len(runs),
    )
    ended = sum(run.scored == ITEMS for run in runs)
    twice = [
        abs(run.counted_in_all - run.billed_in_all) / run.billed_in_all
        for run in runs
        if not run.faulty
    ]
    yield Figure(
        "with a higher limit the same request goes on to the end, and nothing is counted twice",
        f"{ended} of {len(runs)} to the end; account of both runs {max(twice):.2e} off the bill",
        ended == len(runs) and max(twice) < 1e-4,
    )


def killed(small: bool) -> Iterator[Figure]:
    """Yield whether the account of a run that is killed by force has at least what was billed."""
    times = 1 if small else 3
    found = []
    for number in range(times):
        with BillingServer(Tariff(pause=0.1)) as server, tempfile.TemporaryDirectory() as folder:
            with _worker(server) as process:
                assert process.stdin is not None
                process.stdin.write(json.dumps([folder, 100.0]) + "\n")
                process.stdin.flush()
                while len(server.bills) < 25 + 5 * number and process.poll() is None:
                    time.sleep(0.01)
            time.sleep(0.5)  # the server ends the replies that were under way, and bills them
            account = Spending.resume(f"{folder}/logs", None, PRICES)
            with account.account.open() as state:
                give_up_dead(state)
            found.append((account.total, server.total))
    told = ", ".join(f"${counted:.4f} for ${billed:.4f}" for counted, billed in found)
    more = max(counted - billed for counted, billed in found)
    yield Figure(
        "the account of a run that was killed by force has all that was billed, and at most the "
        f"longest replies of {CONNECTIONS} calls more",
        f"{told}; at most ${more:.4f} more",
        all(0 <= counted - billed <= CONNECTIONS * MOST_A_CALL for counted, billed in found),
    )


def prices(small: bool) -> Iterator[Figure]:  # noqa: ARG001  (small as it is)
    """Yield which prices are known without a table of one's own, and what that takes."""
    begun = time.process_time()
    found = {name: Prices().price(name) for name in NAMES}
    seconds = time.process_time() - begun
    missing = [name for name, price in found.items() if price is None]
    dated = {str(price.source) for price in found.values() if price is not None}
    yield Figure(
        f"{len(NAMES)} models of every large provider, as Inspect names them, have a price with a "
        "source and a date",
        f"missing: {', '.join(missing) or 'none'}; from {', '.join(sorted(dated))}",
        not missing and all(dated),
    )
    yield Figure(
        "to look prices up takes at most 3 seconds of a processor, once",
        f"{seconds:.2f} seconds",
        seconds <= 3,
        timed=True,
    )
    done = _plan_without_key()
    yield Figure(
        "`whybench profile openai/gpt-4o --plan` tells dollars without a key",
        done[-1] if done else "nothing",
        any(line.startswith("openai/gpt-4o costs about $") for line in done),
    )


def _plan_without_key() -> list[str]:
    """Return the lines of a plan that mention the price."""
    hidden = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    words = ["profile", "openai/gpt-4o", "--suite", "judge", "--plan"]
    done = subprocess.run(
        [command(), *words],
        env=hidden,
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in done.stdout.splitlines() if "costs" in line]


PARTS: Parts = {"max cost": max_cost, "killed while spending": killed, "prices": prices}

if __name__ == "__main__":
    for line in sys.stdin:
        print(RESULT + json.dumps(_run(*json.loads(line))), flush=True)
