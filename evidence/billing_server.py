"""A server that bills every reply by its tokens, reasoning among them, and keeps the bill.

It speaks the protocol of OpenAI's chat completions on 127.0.0.1. What it bills does not depend on
what the caller believes: it is the truth that an account is held against.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

MODEL = "openai-api/billing/model"
"""The model's name for Inspect, with what `BillingServer.environment` says in the environment."""


@dataclass(frozen=True)
class Tariff:
    """How the server replies, and what it takes for it.

    Attributes:
        sent: US dollars per million tokens of the prompt.
        received: US dollars per million tokens of the reply.
        reasoning: Tokens of reasoning of a reply, on average; from half to one and a half of it.
        obeys: Whether a reply ends at the caller's cap.
        apart: Whether reasoning is left out of the reply's tokens, as some servers do.
        faults: Of a hundred calls, how many are refused with 429, and after these how many are
            billed and then cut off before the reply is whole.
        pause: Seconds that a reply takes.
    """

    sent: float = 2.0
    received: float = 10.0
    reasoning: int = 150
    obeys: bool = True
    apart: bool = False
    faults: tuple[int, int] = (0, 0)
    pause: float = 0.02


class BillingServer:
    """A running server; use it in a `with` statement, and it is stopped at the end."""

    def __init__(self, tariff: Tariff) -> None:
        self.tariff = tariff
        self.bills: list[float] = []
        self.caps: set[int | None] = set()
        self.asked: dict[str, int] = {}
        self.most = self.under_way = 0
        self.lock = threading.Lock()

    def __enter__(self) -> BillingServer:
        self.server = _Server(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def environment(self) -> dict[str, str]:
        """What Inspect needs in the environment to find the model."""
        address = f"http://127.0.0.1:{self.server.server_port}/v1"
        return {"BILLING_BASE_URL": address, "BILLING_API_KEY": "drill"}

    @property
    def total(self) -> float:
        """The dollars billed so far."""
        with self.lock:
            return sum(self.bills)

    def answer(self, asked: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Bill a call; return what befalls it and its usage."""
        prompt = json.dumps(asked["messages"])
        with self.lock:
            attempt = self.asked[prompt] = self.asked.get(prompt, 0) + 1
            self.under_way += 1
            self.most = max(self.most, self.under_way)
        drawn = int.from_bytes(blake2b(f"{attempt} {prompt}".encode(), digest_size=4).digest())
        cap = asked.get("max_tokens") or asked.get("max_completion_tokens")
        time.sleep(self.tariff.pause)
        refused, cut = self.tariff.faults
        fate = "refused" if drawn % 100 < refused else "cut" if drawn % 100 < refused + cut else ""
        reasoning = int(self.tariff.reasoning * (0.5 + drawn / 2**32))
        received = reasoning + 2
        if self.tariff.obeys and cap:
            received = min(received, cap)
        sent = len(prompt) // 4
        bill = (sent * self.tariff.sent + received * self.tariff.received) / 1e6
        with self.lock:
            self.under_way -= 1
            self.caps.add(cap)
            if fate != "refused":
                self.bills.append(bill)
        shown = received - reasoning if self.tariff.apart else received
        return fate, {
            "prompt_tokens": sent,
            "completion_tokens": shown,
            "total_tokens": sent + received,
            "completion_tokens_details": {"reasoning_tokens": reasoning},
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of callers that are killed."""


def _handler(server: BillingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fate, usage = server.answer(asked)
            message = {"role": "assistant", "content": "50"}
            reply = {
                "id": "chatcmpl-bill",
                "object": "chat.completion",
                "created": 0,
                "model": asked["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": usage,
            }
            if fate == "refused":
                reply = {"error": {"message": "too many calls", "type": "rate_limit"}}
            payload = json.dumps(reply).encode()
            try:
                self.send_response(429 if fate == "refused" else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload[: len(payload) // 2] if fate == "cut" else payload)
            except OSError:
                return  # the caller has gone
            self.close_connection = fate == "cut"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
