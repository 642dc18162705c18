"""What our tasks cost beyond bare Inspect: CPU per call, side by side in one run."""

from __future__ import annotations

import gc
import tempfile
import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from whybench._registry import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ASKED_OF_A_UNIT = 120
"""How many questions compose asks about one unit of every world."""


def said(text: str) -> ModelOutput:
    """Return a reply of the mock model, with usage set so that nothing is downloaded to count."""
    output = ModelOutput.from_content("mockllm", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def bare(ours: Task) -> Task:
    """Ask the same messages by Inspect alone, with its own solver and scorer."""
    return Task(
        dataset=[
            Sample(
                id=sample.id,
                input=[
                    ChatMessageUser(content=message.text)
                    for message in sample.input
                    if not isinstance(message, str)
                ],
                target="70",
            )
            for sample in ours.dataset
        ],
        solver=generate(),
        scorer=match(),
    )


def _seconds(make: Callable[[], Task], reply: Callable[..., ModelOutput], calls: int) -> float:
    """Return the CPU seconds that each call of a task costs, from its start to its log."""
    task = make()
    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    gc.collect()
    # What lives already is the measuring process's: a single look through it weighs as much as a
    # hundred calls, and whether there is one more or less is chance.
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        (log,) = inspect_eval(
            task,
            model=model,
            log_dir=folder,
            display="none",
            log_realtime=False,
            score_display=False,
            log_buffer=100,
        )
        spent = time.process_time() - start
    gc.unfreeze()
    if log.status != "success":
        raise RuntimeError(f"the run must succeed to be timed, got {log.status}: {log.error}")
    return spent / calls


def _count(task: Task) -> int:
    """Return how many questions a task asks."""
    return sum(len(sample.input) for sample in task.dataset)


def stack_sides(
    kinds: dict[str, Callable[[], Task]],
    reply: Callable[..., ModelOutput],
    calls: int,
    rounds: int,
) -> dict[str, float]:
    """Return the CPU milliseconds that a call costs in each kind of task.

    A machine that has other things to do is slower at one time than at another. So rounds alternate
    between the kinds; of the first the median round counts, and of each other the median of what it
    costs in units of the first in the same round.
    """
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for make in kinds.values():  # once unmeasured: imports and caches
        _seconds(make, reply, calls)
    for _ in range(rounds):
        for name, make in kinds.items():
            times[name].append(_seconds(make, reply, calls))
    first, *_ = times.values()
    return {
        name: 1000 * median(first) * median(np.divide(values, first).tolist())
        for name, values in times.items()
    }


def cpu_per_call(design: Mapping[str, str], rounds: int, *names: str) -> dict[str, float]:
    """Return CPU milliseconds a call of bare Inspect, and of judge or of 20 calls a sample.

    A task generates all items of its design, so the design is asked whole: a shard would charge
    its calls for the items of the others.
    """
    kinds: dict[str, Callable[[], Task]] = {
        "bare": lambda: bare(judge(**design)),
        "judge": lambda: judge(**design),
        "grouped": lambda: judge(**design, group=20),
    }
    chosen = {name: kinds[name] for name in ("bare", *names)}
    return stack_sides(chosen, lambda *_: said("Likelihood: 70"), _count(kinds["judge"]()), rounds)


def compose_overhead(calls: int, rounds: int, *names: str) -> dict[str, float]:
    """Return CPU milliseconds a call of bare Inspect, and of compose one by one or by the unit."""
    from whybench._registry import compose

    design: dict[str, Any] = {"gates": "mixed", "units": calls // ASKED_OF_A_UNIT}
    kinds: dict[str, Callable[[], Task]] = {
        "bare": lambda: bare(compose(**design, group=1)),
        "one by one": lambda: compose(**design, group=1),
        "by unit": lambda: compose(**design),
    }
    chosen = {name: kinds[name] for name in ("bare", *names)}
    return stack_sides(chosen, lambda *_: said("yes"), _count(kinds["by unit"]()), rounds)


def analyze_overhead(seeds: int, rounds: int) -> dict[str, float]:
    """Return CPU milliseconds a call: bare Inspect, and analyze asked once, true answers given."""
    from whybench._registry import analyze
    from whybench.suites.analyze import SUITE

    items = SUITE.items(SUITE.make_design({"design": "core", "seeds": seeds, "protocol": "direct"}))
    true: dict[str, str] = {}
    for item in items:
        episode, asked = SUITE.open_episode(item.factors), SUITE.render(item)
        while not episode.over:
            true[asked] = SUITE.oracle(episode)
            asked = episode.hear(true[asked], truncated=False) or ""
    kinds: dict[str, Callable[[], Task]] = {
        "bare": lambda: bare(analyze(seeds=seeds, protocol="direct")),
        "analyze": lambda: analyze(seeds=seeds, protocol="direct"),
    }
    replies = len(true)
    spent = stack_sides(
        kinds, lambda messages, *_: said(true.get(messages[-1].text, "")), replies, rounds
    )
    # Bare Inspect asks one of the two questions of an item.
    return {**spent, "bare": 2 * spent["bare"]}
