"""A server that fails as servers do, and says afterwards what it did.

It speaks the protocol of OpenAI's chat completions on 127.0.0.1, in a process of its own. A plan
gives each fault a share of the calls; which call meets which fault follows from the plan's seed,
the question and how often it was asked before, so that a run can be repeated whatever the order
of its calls. Every other call gets the right reply, which a given function makes from the prompt.

A broken reply carries `DECOY`: a value that could be an answer, and is the right reply to nothing.
Where the decoy is scored, a broken reply was taken for an answer. The right reply depends on the
prompt, so that a reply which strays to another question shows as well.

The HTTP is written by hand, since a server library would not let us break it.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MODEL = "openai-api/faulty/model"
"""The model's name for Inspect, with what `FaultServer.environment` says in the environment."""

DECOY = "77"
"""What every broken reply says in place of the right reply."""

FAULTS = {
    "rate_limit": "429 and when to come again",
    "server_error": "500",
    "slow": "a reply that comes too late",
    "hang": "no reply, and the line stays open",
    "cut": "the line is closed in the middle of a reply",
    "truncated": "half of the JSON, as if it were all",
    "empty": "a reply without choices",
    "page": "a web page in place of JSON, with status 200",
    "doubled": "the JSON twice in one body",
    "long": "a very long reply, cut off by the token limit",
    "repeated": "the right reply, and the same once more on the same line",
    "mislabelled": "the right reply, called plain text",
}
"""Fault to what the caller meets."""

HARMLESS = frozenset({"repeated", "mislabelled"})
"""Faults whose reply is right all the same."""

REFUSED = "refused"
"""What a call with a wrong key meets."""

PATIENCE = 600
"""Seconds after which a line that hangs is closed, so that nothing is left behind."""

LONG = 100_000
"""Characters of a very long reply."""

WINDOW = 10.0
"""Seconds of the window in which calls are counted."""


@dataclass
class Plan:
    """What share of calls meets which fault, and how the faults are done.

    Attributes:
        shares: Fault to its share of the calls.
        seed: Decides which calls.
        reply: The function that makes the right reply from the prompt, as `module:function`.
        slow: Seconds a slow reply takes.
        retry_after: Seconds after which a caller with too many calls may come again.
        pause: Seconds that every reply takes.
        key: The one key that is let in, if there is one; others are refused.
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    reply: str = "evidence.fault_server:even_number"
    slow: float = 4.0
    retry_after: int = 1
    pause: float = 0.0
    key: str = ""

    def __post_init__(self) -> None:
        unknown = [name for name in self.shares if name not in FAULTS]
        if unknown:
            raise ValueError(f"faults must be among {', '.join(FAULTS)}, got {', '.join(unknown)}")
        if sum(self.shares.values()) > 1 or min(self.shares.values(), default=0) < 0:
            raise ValueError(f"shares must be 0 or more and add up to 1 or less, got {self.shares}")

    def fault(self, question: str, attempt: int) -> str:
        """Return the fault that this attempt at a question meets, or nothing."""
        key = f"{self.seed}/{question}/{attempt}".encode()
        drawn = int.from_bytes(blake2b(key, digest_size=7).digest()) / 2**56
        ends = accumulate(self.shares.values())
        return next((name for name, end in zip(self.shares, ends, strict=True) if drawn < end), "")


def question_digest(prompt: str) -> str:
    """Return the name under which the server keeps a question."""
    return blake2b(prompt.encode(), digest_size=8).hexdigest()


def even_number(prompt: str) -> str:
    """Return an even number from 0 to 98 that depends on the prompt; the decoy is odd."""
    return str(int(question_digest(prompt), 16) % 50 * 2)


def labelled_number(prompt: str) -> str:
    """Return the same number as an answer that is read in every style of judge."""
    return f"Likelihood: {even_number(prompt)}"


def busiest(times: list[float], window: float = WINDOW) -> int:
    """Return the largest number of calls in any window of so many seconds."""
    ordered = sorted(times)
    most = first = 0
    for last, moment in enumerate(ordered):
        while ordered[first] <= moment - window:
            first += 1
        most = max(most, last - first + 1)
    return most


class FaultServer:
    """A running server; use it in a `with` statement, and it is stopped at the end."""

    def __init__(self, plan: Plan | None = None) -> None:
        self.plan = plan or Plan()

    @property
    def environment(self) -> dict[str, str]:
        """What Inspect needs in the environment to find the model."""
        return {"FAULTY_BASE_URL": f"{self.address}/v1", "FAULTY_API_KEY": "drill"}

    def __enter__(self) -> FaultServer:
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as ear:
            self.address = f"http://127.0.0.1:{ear.getsockname()[1]}"
            self.process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(ear.fileno()), json.dumps(asdict(self.plan))],
                pass_fds=[ear.fileno()],
                cwd=Path(__file__).parents[1],
            )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(10)

    def change(self, plan: Plan) -> None:
        """Go on by another plan; calls so far stay counted."""
        self._control(asdict(plan))

    def calls(self) -> list[dict[str, Any]]:
        """Return every call so far: `time`, `client`, `question`, `attempt`, `fault` and `asked`.

        `question` is a digest of the last message, `asked` of the model and the whole conversation.
        """
        calls: list[dict[str, Any]] = self._control(None)
        return calls

    def _control(self, order: dict[str, Any] | None) -> Any:
        body = None if order is None else json.dumps(order).encode()
        with urllib.request.urlopen(f"{self.address}/control", body, timeout=60) as answer:
            return json.load(answer)


class _Server:
    """The server's side: a plan, and what was called."""

    def __init__(self, plan: Plan) -> None:
        self.obey(plan)
        self.calls: list[dict[str, Any]] = []
        self.attempts: dict[str, int] = {}

    def obey(self, plan: Plan) -> None:
        """Follow a plan from now on."""
        module, _, function = plan.reply.partition(":")
        self.plan = plan
        self.reply: Callable[[str], str] = getattr(import_module(module), function)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one line until it is closed or cut."""
        with suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
            while await self._answer(reader, writer):
                await writer.drain()
        with suppress(ConnectionError):
            writer.close()
            await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; say whether the line stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if first.split()[1] == "/control":
            if body:
                self.obey(Plan(**json.loads(body)))
            writer.write(_http(200, json.dumps(self.calls if not body else True)))
            return True
        call = json.loads(body)
        prompt = call["messages"][-1]["content"]
        question = question_digest(prompt)
        attempt = self.attempts[question] = self.attempts.get(question, 0) + 1
        fault = self.plan.fault(question, attempt)
        client = headers.get("authorization", "").removeprefix("Bearer ")
        if self.plan.key and client != self.plan.key:
            fault = REFUSED
        self.calls.append(
            {
                "asked": question_digest(json.dumps([call.get("model"), call["messages"]])),
                "time": time.monotonic(),
                "client": client,
                "question": question,
                "attempt": attempt,
                "fault": fault,
            }
        )
        await asyncio.sleep(self.plan.pause)
        if fault == REFUSED:
            writer.write(_http(401, _failure("this key is not known")))
            return True
        return await self._misbehave(fault, self.reply(prompt), reader, writer)

    async def _misbehave(
        self, fault: str, right: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Reply with the fault; say whether the line stays open."""
        wrong = _completion(DECOY)
        match fault:
            case "" | "repeated":
                writer.write(_http(200, _completion(right)) * (2 if fault else 1))
            case "mislabelled":
                writer.write(_http(200, _completion(right), "text/plain"))
            case "rate_limit":
                pause = f"Retry-After: {self.plan.retry_after}\r\n"
                writer.write(_http(429, _failure("too many calls"), extra=pause))
            case "server_error":
                writer.write(_http(500, _failure("something broke")))
            case "slow":
                await asyncio.sleep(self.plan.slow)
                writer.write(_http(200, wrong))
            case "hang":
                await asyncio.wait_for(reader.read(1), PATIENCE)
                return False
            case "cut":
                reply = _http(200, wrong)
                writer.write(reply[: len(reply) - len(wrong) // 4])
                await writer.drain()
                return False
            case "truncated":
                # The decoy stands in the part that arrives.
                writer.write(_http(200, wrong[: wrong.index(DECOY) + len(DECOY)]))
            case "empty":
                writer.write(_http(200, json.dumps({**json.loads(wrong), "choices": []})))
            case "page":
                writer.write(_http(200, f"<html><body>{DECOY}</body></html>", "text/html"))
            case "doubled":
                writer.write(_http(200, wrong + wrong))
            case "long":
                words = f"{DECOY} " * (LONG // (len(DECOY) + 1))
                writer.write(_http(200, _completion(words, "length")))
        return True


def _completion(text: str, finish: str = "stop") -> str:
    """Return a chat completion as OpenAI words it."""
    message = {"role": "assistant", "content": text}
    return json.dumps(
        {
            "id": "chatcmpl-drill",
            "object": "chat.completion",
            "created": 0,
            "model": "model",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101},
        }
    )


def _failure(message: str) -> str:
    return json.dumps({"error": {"message": f"{message}; not {DECOY}", "type": "server_error"}})


def _http(status: int, body: str, kind: str = "application/json", extra: str = "") -> bytes:
    payload = body.encode()
    head = f"HTTP/1.1 {status} Drill\r\nContent-Type: {kind}\r\n{extra}"
    return f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload


async def _serve(ear: socket.socket, plan: Plan) -> None:
    server = await asyncio.start_server(_Server(plan).serve, sock=ear)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(socket.socket(fileno=int(sys.argv[1])), Plan(**json.loads(sys.argv[2]))))
