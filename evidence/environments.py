"""The figures of the environments for verifiers: known agents, the library's own commands, a model.

Known agents answer through the library, from its loader to its reward, and the mean reward is held
against what our measures say of the same agent on the same items: it must be the same number.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evidence.agent_server import AgentServer
from evidence.figures import Figure, Parts, figures_of
from evidence.model_server import LEARNED, ModelServer
from whybench.records.table import record_table
from whybench.suites.calculate.rewards import SCALES
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import reply_generator
from whybench.suites.registry import AnySuite, get_suite
from whybench.training.items import training_items

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evidence.agent_server import Speak
    from whybench.suites.contract import Item

SUITES = ("calculate", "intervene", "compose", "analyze")

BAD: Mapping[str, str] = {
    "calculate": "rounds",
    "intervene": "random-then-guess",
    "compose": "always-yes",
    "analyze": "naive",
}
"""For each suite an agent that does badly."""

REAL: Mapping[str, Mapping[str, object]] = {
    "calculate": {},
    "intervene": {},
    "compose": {},
    "analyze": {"challenge": ["structure", "direction"], "rows": 40},
}
"""What the real model is asked: of analyze, a sample of rows that its context can hold."""


def items_of(asked: AnySuite, count: int) -> list[Item]:
    """Return the first items of a suite's series to train on."""
    return list(training_items(asked, {}).take(count))


def rollouts(name: str, count: int, address: str) -> list[Any]:
    """Return the traces of a suite's first tasks, one after the other, by the library's loader."""
    return asyncio.run(_rollouts(name, count, address))


async def _rollouts(name: str, count: int, address: str) -> list[Any]:
    import verifiers.v1 as vf

    env = vf.load_environment(vf.resolve_env_config({"taskset": {"id": f"whybench-{name}"}}))
    context = vf.ModelContext(
        client=vf.EvalClientConfig(base_url=address, api_key_var="WHYBENCH_NO_KEY"),
        model="agent",
        sampling=vf.SamplingConfig(),
    )
    async with env.serving():
        episodes = [await env.run_episode(task, context) for task in env.taskset.take(count)]
    return [trace for episode in episodes for trace in episode.traces]


def agents(small: bool) -> Iterator[Figure]:
    """Yield the mean rewards of agents that know the truth, and of agents that do not."""
    count = 4 if small else 100
    for name in SUITES:
        asked = get_suite(name)
        items = items_of(asked, count)
        rewards = _rewards(asked, items, partial(_true_reply, asked))
        yield Figure(
            f"whybench-{name}: every reward of the true answers is 1, over {count} rollouts",
            f"{len(rewards)} rollouts, mean {fmean(rewards)}, least {min(rewards)}",
            rewards == [1.0] * count,
        )
        yield _as_measured(asked, items)


def _rewards(asked: AnySuite, items: Sequence[Item], speak: Speak) -> list[float]:
    """Return what an agent is paid for its replies to the items, through the library."""
    with AgentServer(asked, items, speak) as server:
        return [trace.reward for trace in rollouts(asked.name, len(items), server.address)]


def _true_reply(asked: AnySuite, _item: Item, about: Any, _turn: int) -> str:
    return asked.oracle(about)


def _as_measured(asked: AnySuite, items: Sequence[Item]) -> Figure:
    """Hold the mean reward of a bad agent against what our measures say of it."""
    agent = asked.agent(BAD[asked.name])
    settings = agent.settings({})

    def speak(item: Item, about: Any, turn: int) -> str:
        return agent.reply(
            about, settings, reply_generator(agent.name, settings, item.digest, 1, turn)
        )

    rewards = _rewards(asked, items, speak)
    design = training_items(asked, {}).design
    rows = list(simulate_rows(asked, design, items, agent, {}, agent.name, {}))
    measure, expected, about = _expected(asked, rows)
    mean = fmean(reward for reward, counts in zip(rewards, about, strict=True) if counts)
    return Figure(
        f"whybench-{asked.name}: the mean reward of {agent.name} is what {measure} says of it",
        f"{mean:.12g} and {expected:.12g}, over {sum(about)} rollouts",
        abs(mean - expected) < 1e-12,
    )


def _expected(asked: AnySuite, rows: Sequence[dict[str, Any]]) -> tuple[str, float, list[bool]]:
    """Return a measure, the mean reward that it implies, and whether it is about each row."""
    if asked.name == "calculate":
        off = [abs(row["value"] - row["truth"]) for row in rows]
        paid = [
            1 - min(2, away / SCALES[row["query"]]) if away > 0.5 else 1
            for row, away in zip(rows, off, strict=True)
        ]
        return "the mean distance", fmean(paid), [True] * len(rows)
    table = record_table(rows, asked.record_columns)
    name = {"intervene": "justified_accuracy", "compose": "error", "analyze": "score"}[asked.name]
    (estimate,) = (found.estimate for found in asked.measures(table) if found.title == name)
    assert estimate is not None
    if name == "error":
        return "1 - error", 1 - estimate, [row["rung"] == "interventional" for row in rows]
    return name, estimate, [True] * len(rows)


def checked(small: bool) -> Iterator[Figure]:
    """Yield what the library's own check finds: gold passes, and an untouched task does not."""
    count = 5 if small else 100
    for name in ("intervene",) if small else SUITES:
        with tempfile.TemporaryDirectory() as folder:
            words = [*_first(name, count), "--runtime.type", "subprocess"]
            _command("vf-validate", folder, *words)
            summary = json.loads((Path(folder) / name / "summary.json").read_text())
        valid = {check: found["valid"] for check, found in summary["checks"].items()}
        others = {kind: n for kind, n in summary["outcomes"].items() if n and kind != "valid"}
        yield Figure(
            f"`vf-validate whybench-{name}`: gold passes and silence does not, {count} tasks",
            f"valid: {valid}; others: {others}",
            valid == {"gold": count, "noop": count} and not others,
        )


def real(small: bool) -> Iterator[Figure]:
    """Yield rollouts of the real model through the library's own commands."""
    count, tokens = (2, 16) if small else (10, 64)
    for name in ("compose",) if small else SUITES:
        with ModelServer(2, LEARNED // 2) as server, tempfile.TemporaryDirectory() as folder:
            words = [*_first(name, count), "--model", "smollm2", "--no-push", "-c", "2"]
            words += ["--client.base-url", f"{server.relay_address}/v1"]
            words += ["--client.api-key-var", "WHYBENCH_NO_KEY"]
            words += ["--sampling.max-tokens", str(tokens)]
            words += ["--env.taskset.settings", json.dumps(REAL[name])]
            _command("vf-eval", folder, *words)
            traces = _traces(Path(folder) / name)
            if not small:
                _command("vf-replay", folder, name, "-o", "again")
                again = _traces(Path(folder) / "again")
        ended = [trace for trace in traces if trace["ok"]]
        rewards = [trace["rewards"]["reward"]["score"] for trace in ended]
        reasons = Counter(trace["info"]["reason"] or "scored" for trace in ended)
        yield Figure(
            f"`vf-eval whybench-{name}`: {count} rollouts of a real model end with a reward",
            f"{len(traces)} traces in {server.calls} calls, mean reward "
            f"{fmean(rewards) if rewards else None}; {dict(reasons)}",
            len(rewards) == len(traces) == count,
        )
        if not small:
            yield Figure(
                f"`vf-replay` scores the saved replies of whybench-{name} as before",
                f"{len(again)} traces",
                [trace["rewards"] for trace in again] == [trace["rewards"] for trace in traces],
            )


def _first(name: str, count: int) -> list[str]:
    """Return the words that ask for a suite's first tasks, to be kept under the suite's name."""
    return [f"whybench-{name}", "-n", str(count), "-o", ".", "--run.name", name]


def _command(command: str, folder: str, *words: str) -> None:
    """Run a command of the library in a folder, as a user does."""
    subprocess.run(
        [Path(sys.executable).with_name(command), *words, "--no-rich"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
    )


def _traces(folder: Path) -> list[dict[str, Any]]:
    """Return the traces of a run in the order of its tasks."""
    lines = (folder / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    traces = [trace for line in lines for trace in json.loads(line)["traces"]]
    return sorted(traces, key=lambda trace: int(trace["task"]["data"]["idx"]))


PARTS: Parts = {
    "environment-agents": agents,
    "environment-checks": checked,
    "environment-model": real,
}

figures = partial(figures_of, PARTS)
