"""Whose doing it was that there is no answer: what a run must know of itself to say so.

An answer is *lost* where the question did not reach the agent, or its reply did not reach us: a
server's error, a rate limit, a connection, a budget that was spent, a fault of ours. That says
nothing of the agent, and is asked again. It is *not achieved* where the agent had its chance: it
refused, ran out of its own tokens, time or steps, wrote what cannot be read, or crashed. That
counts.

Two cases do not show in a sample alone:

- A reply that a token limit cut off was not achieved. But where the limit is our default and not
  the user's, many of these are a fault of ours; `whybench run` notes the cap in the log
  (`DEFAULT_CAP`), and such replies have a reason of their own.
- An exception is ours, or the provider's, where our own solver held the conversation. Under
  another solver it is the agent's, unless its name is one of transport or of this package.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_CAP = "default_reply_cap"
"""The entry of a log's metadata which says that the cap on replies is our default."""

CUT_OFF = "cut_off"
"""The reason of a reply that a token limit cut off."""

CUT_BY_DEFAULT = "cut_off_by_default_cap"
"""The same where the limit is our default."""

CRASHED = "crash"
"""The reason of an answer that the agent's own failure prevented."""

TRANSPORT = re.compile(
    r"""
    (?:\w+\.)*\w*(?:
        Time(?:d)?out|Connect|RateLimit|Overloaded|Unavailable|InternalServer|BadGateway|
        API|HTTP|Network|Protocol|Transport|SSL|Socket|Quota|TooManyRequests|Cancel|
        Interrupt|OSError|IOError|BrokenPipe|Memory|
        NoReply|Stopped|Refused|Sandbox|UserError|DataError|Prerequisite
    )\w*
    """,
    re.VERBOSE,
)
"""How an error begins that is not the agent's: the name of the exception, as Python shows it."""


def has_default_cap(metadata: Mapping[str, Any] | None) -> bool:
    """Whether the cap on the replies of a run is our default, by the metadata of its log."""
    return bool((metadata or {}).get(DEFAULT_CAP))


def is_foreign_solver(solver: str | None) -> bool:
    """Whether a run names a solver that is not of this package."""
    return bool(solver) and not str(solver).startswith("whybench/")


def settle_outcome(
    row: dict[str, Any], error: str, *, default_cap: bool, foreign: bool
) -> dict[str, Any]:
    """Return a row with the outcome and reason that follow from what the run says of itself.

    Args:
        row: The row of an answer.
        error: The whole error of its sample; empty if there was none.
        default_cap: Whether the cap on replies is our default.
        foreign: Whether the solver is not of this package.

    >>> row = {"outcome": "error", "reason": "'x'", "value": None}
    >>> settle_outcome(row, "KeyError('x')", default_cap=False, foreign=True)["outcome"]
    'no_answer'
    """
    if default_cap and row["reason"] == CUT_OFF:
        return {**row, "reason": CUT_BY_DEFAULT}
    if foreign and row["outcome"] == "error" and error and not TRANSPORT.match(error):
        return {**row, "outcome": "no_answer", "reason": CRASHED}
    return row
