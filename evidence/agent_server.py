"""A known agent behind an OpenAI-compatible address, for libraries that call models by one.

It answers from the item, which a model would not see. What reaches it is messages alone, and
in an episode these do not say which world is hidden. So conversations are to be held one after the
other, in the order of the items: a call without a reply in it begins the next one.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whybench.suites.contract import Item
    from whybench.suites.registry import AnySuite

    Speak = Callable[[Item, Any, int], str]


class AgentServer:
    """A running server; use it in a `with` statement, and it is stopped at the end.

    Args:
        suite: The suite whose items are asked.
        items: The items, in the order in which they are asked.
        speak: Words a reply, given the item, what is asked (the item, or the episode so far) and
            the number of the turn, from 0.
    """

    def __init__(self, suite: AnySuite, items: Sequence[Item], speak: Speak) -> None:
        self.suite, self.items, self.speak = suite, items, speak
        self.begun = 0

    def __enter__(self) -> AgentServer:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def reply(self, messages: Sequence[dict[str, str]]) -> str:
        """Return the agent's reply to a conversation so far."""
        said = [message["content"] for message in messages if message["role"] == "assistant"]
        self.begun += not said
        item = self.items[self.begun - 1]
        if messages[0]["content"] != self.suite.render(item):
            raise ValueError(f"conversation {self.begun} must be about {item.id}, got another")
        if not self.suite.multi_turn:
            return self.speak(item, item, 0)
        episode = self.suite.open_episode(item.factors)
        for reply in said:
            episode.hear(reply, truncated=False)
        return self.speak(item, episode, len(said))


def _handler(server: AgentServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", "content": server.reply(asked["messages"])}
            payload = json.dumps(
                {
                    "id": f"chatcmpl-{server.begun}",
                    "object": "chat.completion",
                    "created": 0,
                    "model": asked["model"],
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
