"""Asking a model so that a broken reply is never an answer, but an error with its reason.

Inspect asks again where a server refuses, fails, is silent or closes the line. Two faults it does
not ask again about: a reply that is not JSON, though it says so, and a reply without choices. In a
sample of many conversations one of these would cost all the others, so `ask` asks again, a bounded
number of times. What cannot be had in the end is an error with a reason that can be read and
counted.
"""

from __future__ import annotations

from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from anyio import sleep
from tenacity import RetryError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

TRIES = 3
"""How often a question is asked while replies to it are broken."""

PAUSE = 1.0
"""Seconds before a question is asked again."""


class Output(Protocol):
    """What a model gave back, as Inspect has it."""

    @property
    def choices(self) -> Sequence[Any]:
        """The replies; none where the server sent none."""


OutputT = TypeVar("OutputT", bound=Output)


class NoReplyError(RuntimeError):
    """The model gave no reply that could be read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.message = reason  # what Inspect writes into the log


async def ask(
    generate: Callable[..., Awaitable[OutputT]], *question: Any, **settings: Any
) -> OutputT:
    """Ask by a model's `generate`, whose arguments the others are.

    Raises:
        NoReplyError: If there is no reply after all retries, or every reply is broken.
    """
    reason = ""
    for attempt in range(TRIES):
        if attempt:
            await sleep(PAUSE)
        try:
            output = await generate(*question, **settings)
        except JSONDecodeError as error:
            reason = f"broken reply, not JSON: {error}"
        except RetryError as error:
            last = error.last_attempt.exception() or error
            raise NoReplyError(
                f"no reply after all retries: {type(last).__name__}: {last}"
            ) from last
        else:
            if output.choices:
                return output
            reason = "broken reply, without choices"
    raise NoReplyError(f"{reason} ({TRIES} times)")
