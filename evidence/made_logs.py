"""Logs without a model: what reference agents say, written as Inspect writes it.

A run of fifty thousand answers takes Inspect many minutes even if nobody thinks. Where the logs
are what is wanted, and not the run, the conversations are held here directly, read by the same
scorer, and put into log files that nothing can tell from those of a run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whybench.seeds import digest
from whybench.suites.contract import reply_generator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage

    from whybench.suites.registry import AnySuite

DAY = "2026-01-01"
"""When the runs were, one a minute: a log has to say, and the same runs make the same logs."""


@dataclass(frozen=True)
class Speaker:
    """Who answers: a name that stands in the log, and the reference agent that speaks.

    Attributes:
        name: The model's name, such as `maker/model`.
        strategy: The reference agent of the suite that is asked.
        settings: Its settings.
    """

    name: str
    strategy: str
    settings: Mapping[str, Any] = field(default_factory=dict)


def write_log(
    asked: AnySuite, task: Task, speaker: Speaker, folder: Path, samples: int, epochs: int = 1
) -> int:
    """Write the log of a run that never was, and return how many answers are in it.

    Args:
        asked: The suite.
        task: Its task, made in this process.
        speaker: Who answers.
        folder: Where to.
        samples: The first so many samples are asked.
        epochs: How often each.
    """
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalResults,
        EvalSpec,
        write_eval_log,
    )

    chosen = list(task.dataset)[:samples]
    held = [_sample(asked, one, speaker, epoch) for epoch in range(1, epochs + 1) for one in chosen]
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{asked.name}-{digest(speaker.name).hex()[:12]}"
    hours, minutes = divmod(len(list(folder.glob("*.eval"))), 60)
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created=f"{DAY}T{hours:02}:{minutes:02}:00+00:00",
            eval_id=name,
            run_id=name,
            task_id=name,
            task=f"whybench/{asked.name}",
            task_version=str(task.version),
            metadata=task.metadata,
            dataset=EvalDataset(name=task.dataset.name, samples=len(chosen)),
            model=speaker.name,
            config=EvalConfig(epochs=epochs),
            packages={"inspect_ai": "0.3"},
        ),
        results=EvalResults(total_samples=len(held), completed_samples=len(held)),
        samples=held,
    )
    write_eval_log(log, folder / f"{DAY}T{hours:02}-{minutes:02}-00+00-00_{name}.eval")
    return sum(len(one.input) for one in held)


def _sample(asked: AnySuite, one: Sample, speaker: Speaker, epoch: int) -> EvalSample:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ModelOutput

    from whybench.suites.task import score_sample

    assert not isinstance(one.input, str)
    messages = [
        message
        for opening in one.input
        for message in _talk(asked, str(one.id), opening, speaker, epoch)
    ]
    held = EvalSample(
        id=str(one.id),
        epoch=epoch,
        input=one.input,
        target=one.target,
        metadata=one.metadata or {},
        messages=messages,
        output=ModelOutput.from_content(speaker.name, messages[-1].text),
        # As our own solver does, which says that what was written was carried out.
        store={f"{asked.name}:{one.id}": {}} if asked.multi_turn else {},
        total_time=1.0,
        uuid=digest(speaker.name, one.id, epoch).hex()[:22],
    )
    held.scores = {"reading": score_sample(held)}
    return held


def _talk(
    asked: AnySuite, sample: str, opening: ChatMessage, speaker: Speaker, epoch: int
) -> Iterator[ChatMessage]:
    """Yield a conversation about one item, from its opening on."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    from whybench.suites.contract import GOES_ON
    from whybench.suites.registry import find_item

    item: Any = find_item(str((opening.metadata or {}).get("item", sample)))
    agent = asked.agent(speaker.strategy)
    settings = agent.settings(speaker.settings)
    episode = asked.open_episode(item.factors)
    said: ChatMessage | None = opening
    turn = 0
    while said is not None:
        yield said
        rng = reply_generator(agent.name, settings, item.digest, epoch, turn)
        reply = agent.reply(item if not asked.multi_turn else episode, settings, rng)
        yield ChatMessageAssistant(content=reply)
        words = episode.hear(reply, False)
        about = {**(opening.metadata or {}), GOES_ON: True}
        said = None if words is None else ChatMessageUser(content=words, metadata=about)
        turn += 1
