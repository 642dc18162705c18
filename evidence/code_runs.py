"""The figures of programs that misbehave: each has an outcome, and the answer is asked for.

Conversations are scripted: an agent replies what is to be tried, programs are really run in the
sandbox. Tests of the protocols hold their conversations in the same way.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from evidence.figures import Figure, Parts
from whybench.records.rows import pack_metadata
from whybench.suites.analyze.items import AnalyzeItem, full_instance
from whybench.suites.analyze.prompts import rows_csv
from whybench.suites.analyze.protocols.prompts import ANSWER, ROWS_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from inspect_ai.log import EvalSample
    from inspect_ai.model import ModelOutput

    Said = str | list[tuple[str, dict[str, Any]]] | Callable[[], Any]
    """A reply of a scripted model: text, calls of tools, or what makes one when it is asked."""

SECONDS = 15
"""How long programs may run here: long enough for a busy machine."""

TRUE = '{"estimate": -0.07}'
"""What is answered in the end, whatever became of the program."""

DIGEST = (
    f"import hashlib; print(hashlib.sha256(open('{ROWS_FILE}', 'rb').read()).hexdigest(), "
    "'standard error')"
)
HANGS = "import time\ntime.sleep(60)"
FLOODS = "while True: print('x' * 100_000)"
DIES = "import os; print('so far', flush=True); os.kill(os.getpid(), 9)"
KEYS = (
    "import os; print('truth', 'effect', 'OPENAI_API_KEY', os.environ.get('OPENAI_API_KEY'));"
    "print('{\"effect\": 99}')"
)


def block(code: str) -> str:
    """Word a reply that holds a program."""
    return f"I would run this.\n```python\n{code}\n```"


TRIED: Mapping[str, tuple[str, str, str]] = {
    "reads the rows": (block(DIGEST), "ok", "Your program ended with status 0"),
    "hangs": (block(HANGS), "time", f"ran for more than {SECONDS} seconds"),
    "floods": (block(FLOODS), "flood", "printed too much"),
    "dies": (block(DIES), "signal", "(status 137)"),
    "fails": (block("print(1)\nraise SystemExit(3)"), "error", "(status 3)"),
    "prints nothing": (block("x = 1"), "silent", "printed nothing"),
    "two blocks": (
        "\n".join(map(block, ("print('first')", "print('second')"))),
        "ok",
        "had 2 programs; only the last one was run",
    ),
    "no block": ("I need no program.", "no_code", "has no fenced block"),
    "answers at once": ('{"estimate": 99}', "no_code", "has no fenced block"),
    "prints the key's name": (block(KEYS), "ok", "OPENAI_API_KEY None"),
}
"""What is tried: the reply, its outcome, and some of what the agent is told."""


def converse(
    protocol: str,
    scripts: Mapping[str, Sequence[Said]],
    folder: Path,
    sandbox: str | tuple[str, str] = "bubblewrap",
    **settings: Any,
) -> dict[str, EvalSample]:
    """Hold scripted conversations about one item, and return the samples by their names.

    Args:
        protocol: How programs are run.
        scripts: What the agent replies, in turn.
        folder: Where the log goes.
        sandbox: Where programs are run.
        **settings: Further settings of Inspect.
    """
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser, get_model

    from whybench.suites.analyze.protocols.task import solver_for

    item = AnalyzeItem("simpson", "trap", 3, hint=3, label="neutral", protocol=protocol)
    samples = [
        Sample(
            id=name,
            input=[ChatMessageUser(content=item.prompt, metadata={"item": name})],
            metadata=pack_metadata("analyze", [(name, item.case, item.factors, item.truth)]),
        )
        for name in scripts
    ]
    # Programs here import nothing large, so no sandbox need wait with its imports done.
    with (
        patch("inspect_bubblewrap.environment.AHEAD", 0),
        patch("whybench.suites.sandboxes.PACKAGES", ("numpy",)),
    ):
        [log] = eval(
            Task(MemoryDataset(samples), solver=solver_for(protocol, SECONDS), sandbox=sandbox),
            model=get_model("mockllm/model", custom_outputs=_scripted(scripts)),
            log_dir=str(folder),
            display="none",
            **settings,
        )
    if log.status != "success":
        raise RuntimeError(f"the conversations must be held to their end, got {log.error}")
    return {str(sample.id): sample for sample in log.samples or []}


def _scripted(scripts: Mapping[str, Sequence[Said]]) -> Callable[..., ModelOutput]:
    from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage
    from inspect_ai.tool import ToolCall

    def reply(messages: list[Any], _tools: Any, choice: Any, _config: Any) -> ModelOutput:
        script = scripts[messages[0].metadata["item"]]
        turn = sum(isinstance(message, ChatMessageAssistant) for message in messages)
        said = script[min(turn, len(script) - 1)]
        said = said() if callable(said) else said
        output = ModelOutput.from_content("mockllm/model", said if isinstance(said, str) else "")
        if not isinstance(said, str) and choice != "none":
            output.choices[0].message.tool_calls = [
                ToolCall(id=f"{turn}-{place}", function=name, arguments=arguments)
                for place, (name, arguments) in enumerate(said)
            ]
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return reply


def misbehaving(_small: bool) -> Iterator[Figure]:
    """Run programs that hang, flood, die and worse, one conversation each."""
    from whybench.suites.analyze.protocols.task import read_outcomes

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, OPENAI_API_KEY="sk-not-to-be-seen"),
    ):
        scripts = {name: (reply, TRUE) for name, (reply, _, _) in TRIED.items()}
        samples = converse("code", scripts, Path(folder))
    for name, (_, outcome, words) in TRIED.items():
        messages = samples[name].messages
        # Question, program, what came of it, report; form and words of the diagnosis.
        told = messages[2].text if len(messages) == 6 else ""
        yield Figure(
            f"code: {name}: the outcome is told to the agent, who is asked for the answer",
            f"outcome {read_outcomes(messages)}; told: {told.partition(chr(10))[0][:100]}",
            read_outcomes(messages) == [outcome]
            and words in told
            and len(told) < 10_000
            and told.endswith(ANSWER)
            and messages[3].text == TRUE,
        )
    rows = rows_csv(full_instance("simpson", "trap", 3), "neutral").encode()
    yield Figure(
        "programs read the very rows, only the last of two blocks is run, and what a program "
        "printed before its death is told",
        "seen in what agents were told",
        hashlib.sha256(rows).hexdigest() in samples["reads the rows"].messages[2].text
        and "second" in samples["two blocks"].messages[2].text
        and "first" not in samples["two blocks"].messages[2].text.partition(ANSWER)[0]
        and "so far" in samples["dies"].messages[2].text,
    )


def _kill_monitors() -> None:
    """End all sandboxes of this process from outside, as an administrator might."""
    from inspect_bubblewrap import fork_server
    from inspect_bubblewrap.monitor import children

    server = fork_server._open[os.getpid()].process.pid
    for monitor in children(server):
        os.kill(monitor, 9)


def _wait_for_monitors() -> None:
    """Wait until the sandboxes of this process have ended by themselves, at most for minutes."""
    from inspect_bubblewrap import fork_server
    from inspect_bubblewrap.monitor import children

    server = fork_server._open[os.getpid()].process.pid
    for _ in range(10_000):
        if not children(server):
            return
        time.sleep(0.02)
    raise RuntimeError("the sandbox must end by itself, got one that runs")


def _after(act: Callable[[], object], reply: Said) -> Callable[[], Said]:
    """Return what does something first, and then replies."""

    def make() -> Said:
        act()
        return reply

    return make


ENDS: Mapping[str, tuple[Callable[[], object], str, int]] = {
    "files": (_wait_for_monitors, "for n in range(900): open(f'/tmp/{n}', 'w').close()", 60),
    "lifetime": (_wait_for_monitors, "1 / 0", 10),
    "a kill from outside": (_kill_monitors, "1 / 0", 60),
}
"""How a sandbox is ended between two programs: what happens, the first program, its lifetime."""


def blame(small: bool) -> Iterator[Figure]:
    """End sandboxes between two programs, by what is the programs' doing and by what is not."""
    pairs = [(protocol, name) for protocol in ("code-debug", "agentic") for name in ENDS]
    for protocol, name in pairs[::2] if small else pairs:  # each end once, each protocol too
        act, code, lifetime = ENDS[name]
        replies: list[Said] = [block(code), _after(act, block("print(1)")), TRUE]
        if protocol == "agentic":
            first, second = ([("python", {"code": each})] for each in (code, "print(1)"))
            replies = [first, _after(act, second), "Done.", TRUE]
        with tempfile.TemporaryDirectory() as folder:
            limits = Path(folder, "limits.yaml")
            limits.write_text(f"files: 500\nlifetime: {lifetime}\n", encoding="utf-8")
            found = converse(
                protocol,
                {"item": replies},
                Path(folder),
                ("bubblewrap", str(limits)),
                fail_on_error=False,
                retry_on_error=1,
            )
            yield _blamed(f"{protocol}: a sandbox that ends by {name}", name, found["item"])


def _blamed(what: str, name: str, sample: EvalSample) -> Figure:
    from whybench.suites.analyze.protocols.task import read_outcomes

    outcomes = read_outcomes(sample.messages)
    said = sample.error.message.partition("\n")[0] if sample.error else "no error"
    tried = 1 + len(sample.error_retries or ())
    measured = f"outcomes {outcomes}; {said[:90]}; tried {tried} x"
    if name == "files":
        holds = sample.error is None and outcomes[-1:] == ["gone"]
        return Figure(f"{what}, a limit of programs: told to the agent", measured, holds)
    holds = "SandboxLostError" in said and tried == 2 and "gone" not in outcomes
    return Figure(f"{what}, none of a program's doing: an error, tried again", measured, holds)


PARTS: Parts = {"misbehaving": misbehaving, "blame": blame}
