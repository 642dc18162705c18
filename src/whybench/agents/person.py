"""The Inspect provider `person/<name>`: somebody at the terminal, recorded like any model."""

from __future__ import annotations

import select
import shutil
import signal
import sys
from contextlib import contextmanager
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import anyio
import click
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from whybench.agents.provider import find_current_item, follow_samples, replay_episode
from whybench.errors import INTERRUPTED, RefusedError, UserError
from whybench.seeds import split_digest
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import ToolChoice, ToolInfo

    from whybench.suites.contract import Episode, Item, Play

SETTLES = 0.05
"""Seconds in which the event loop passes on a signal that came between two turns."""

PROMPT = "> "
WIDEST = 88


class PersonAPI(ModelAPI):
    """Shows what the suite has for people, and replies what they type."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008  (Inspect's own signature)
        **_: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        follow_samples()

    def max_connections(self) -> int:
        """Nobody answers two questions at once."""
        return 1

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],  # noqa: ARG002
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,  # noqa: ARG002
    ) -> ModelOutput:
        """Let the person take their turn."""
        item_id, item = find_current_item(input)
        suite = get_suite(split_digest(item.digest)[0]) if item is not None else None
        if item is None or suite is None or suite.play is None:
            raise RefusedError(
                "person/… takes part in episodes that `whybench play SUITE` opens, "
                f"got {item_id or 'a message without an item'}"
            )
        episode, _ = replay_episode(suite, item, input)
        # A signal that came before is heard now, while the event loop runs.
        await anyio.sleep(SETTLES)
        with _leaves_at_once():
            reply = _take_turn(suite.play, item, episode)
        episode.hear(reply, truncated=False)
        if episode.over:
            _print("", *suite.play.debrief(episode))
        output = ModelOutput.from_content(f"person/{self.model_name}", reply)
        output.usage = ModelUsage()
        return output


def _take_turn(play: Play, item: Item, episode: Episode) -> str:
    """Show the episode so far, and ask until the person typed something valid."""
    _print("", *play.show(item, episode))
    while True:
        click.echo(PROMPT, nl=False)
        # A signal while a line is being waited for would be heard only at the next key.
        while sys.stdin.isatty() and not select.select([sys.stdin], [], [], SETTLES)[0]:
            pass
        typed = input().strip()
        if typed.lower() in {"help", "?"}:
            _print("", *play.help(item), "")
            continue
        try:
            return play.read(episode, typed)
        except UserError as error:
            _print(str(error))


@contextmanager
def _leaves_at_once() -> Iterator[None]:
    """Let Ctrl-C end a turn, like the end of the input."""
    # The event loop would take note of Ctrl-C and wait until something is typed.
    waiting = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise EOFError(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGINT, waiting)


def _print(*lines: str) -> None:
    """Print lines, broken between words where the terminal is narrower."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    for line in lines:
        for part in wrap(line, width, subsequent_indent="  " * line.startswith("-")) or [""]:
            click.echo(part)


@modelapi(name="person")
def person() -> type[ModelAPI]:
    """Register the provider with Inspect."""
    return PersonAPI
