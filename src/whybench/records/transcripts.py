"""What was said: the conversations behind records, from logs.

Whole samples are read, which takes milliseconds each, so only those asked for are. A sample may
hold the conversations about several items, one after the other; each message that opens or carries
on the conversation about an item names it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from whybench.records.logs import log_files
from whybench.records.rows import rows_of_sample

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from inspect_ai.log import EvalSample

__all__ = ["Place", "Turn", "conversations", "read_transcripts"]


class Place(NamedTuple):
    """Where an answer is: the name of its log, its item and its epoch."""

    log: str
    item: str
    epoch: int


class Turn(NamedTuple):
    """Something that was said, and by whom: `user`, `assistant`, `thinking`, `tool`, `system`."""

    role: str
    text: str


def read_transcripts(
    paths: Sequence[str | Path], places: Collection[Place]
) -> Iterator[tuple[Place, tuple[Turn, ...]]]:
    """Yield the conversation at each of these places that the logs have, log by log.

    Args:
        paths: Log files and folders.
        places: Which answers' conversations are wanted.
    """
    from inspect_ai.log import read_eval_log_sample, read_eval_log_sample_summaries  # noqa: PLC0415

    wanted: dict[str, set[Place]] = {}
    for place in places:
        wanted.setdefault(place.log, set()).add(place)
    for path in log_files(paths):
        mine = wanted.get(Path(path).name, set())
        for summary in read_eval_log_sample_summaries(path) if mine else ():
            asked = rows_of_sample(str(summary.id), summary.metadata, None)
            here = mine & {Place(Path(path).name, row["item"], summary.epoch) for row in asked}
            if here:
                sample = read_eval_log_sample(path, id=summary.id, epoch=summary.epoch)
                said = _spoken(sample)
                for place in sorted(here):
                    yield place, said.get(place.item, ())


def conversations(sample_id: str, messages: Iterable[Any]) -> dict[str, list[Any]]:
    """Return the messages of a sample by the item that they are about, in order.

    Args:
        sample_id: The sample's id, which is the item's if no message names one.
        messages: Messages as Inspect has them.
    """
    talks: dict[str, list[Any]] = {}
    current = sample_id
    for message in messages:
        if message.role == "user":
            current = (message.metadata or {}).get("item", current)
        talks.setdefault(current, []).append(message)
    return talks


def _spoken(sample: EvalSample) -> dict[str, tuple[Turn, ...]]:
    return {
        item: tuple(turn for message in messages for turn in _turns(message))
        for item, messages in conversations(str(sample.id), sample.messages).items()
    }


def _turns(message: Any) -> Iterator[Turn]:
    """Yield what a message says: thoughts apart from the rest, calls of tools as they were made."""
    content = [] if isinstance(message.content, str) else message.content
    for part in content:
        if part.type == "reasoning":
            thought = part.summary if part.redacted else part.reasoning
            yield from [Turn("thinking", thought)] if thought else []
    calls = getattr(message, "tool_calls", None) or ()
    if message.text or not calls:
        yield Turn(message.role, message.text)
    for call in calls:
        yield Turn(message.role, f"{call.function}({json.dumps(call.arguments)})")
