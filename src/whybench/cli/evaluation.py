"""Asking a model, as `run` and `profile` both do it: a plan beforehand, and what went wrong after.

A plan counts calls and tokens before the first call. What is asked goes through
`whybench.sweep.evaluation`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.options import key_values
from whybench.suites.shards import WHOLE, in_samples, take_shard
from whybench.sweep.evaluation import LEAN, evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

__all__ = [
    "Plan",
    "asking_options",
    "file_name",
    "plan_of",
    "ran",
    "settings_of",
    "tell_outcomes",
]

TOKEN = 4
"""Characters a token, roughly."""

SHOWN = 5
"""So many reasons for missing answers are listed."""


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a model is asked; `settings_of` reads them."""
    for option in (
        click.option("--max-tokens", type=click.IntRange(1), help="Longest reply, in tokens."),
        click.option(
            "--log-buffer",
            type=click.IntRange(1),
            default=LEAN["log_buffer"],
            show_default=True,
            help="Samples between writes to the log; a crash loses no more.",
        ),
        click.option("--max-connections", type=click.IntRange(1), help="Calls at once."),
        click.option(
            "-M", "model_args", multiple=True, metavar="NAME=VALUE", help="Model arguments."
        ),
    ):
        command = option(command)
    return command


def settings_of(asking: Mapping[str, Any], quiet: bool) -> dict[str, Any]:
    """Return the options of `asking_options` as settings of Inspect's eval sets."""
    return {
        **asking,
        "model_args": key_values(asking["model_args"], "-M"),
        "max_samples": asking["max_connections"],
        "display": "none" if quiet else None,
    }


@dataclass(frozen=True)
class Plan:
    """What asking a design comes to, before the first call.

    Attributes:
        suite: The suite.
        design: Its design.
        limit: Only the first so many samples; None for all.
        items: Items in these samples.
        epochs: How often each is asked.
        calls: Calls, roughly where conversations go on.
        sent: Tokens sent, roughly.
        received: Tokens received, roughly.
    """

    suite: AnySuite
    design: Design
    limit: int | None
    items: int
    epochs: int
    calls: int
    sent: int
    received: int

    def line(self, model: str) -> str:
        """Return the plan in one line."""
        about = "" if self.suite.episode is None else "about "
        return (
            f"{self.suite.name}, design {self.design.name}: {self.items} items x {self.epochs} = "
            f"{about}{self.calls} calls to {model}, roughly {self.sent:,} tokens sent and "
            f"{self.received:,} received"
        )

    def advice(self) -> Iterator[str]:
        """Yield what the suite has to say about such a run."""
        yield from self.suite.advice(self.design, self.epochs)


def plan_of(
    asked: AnySuite,
    design: Design,
    *,
    limit: int | None = None,
    epochs: int = 1,
    shard: str = WHOLE,
    group: int | None = None,
) -> Plan:
    """Count the calls and tokens of a run.

    Args:
        asked: The suite.
        design: Its design.
        limit: Only the first so many samples.
        epochs: How often everything is asked.
        shard: `i/n`, the i-th of n equal parts of the design.
        group: Items a sample asks; None for one, or those that belong together.
    """
    chosen = take_shard(list(asked.items(design)), shard, asked.together)
    samples = in_samples(chosen, group, asked.together)[:limit]
    items = [item for members in samples for item in members]
    turns = [asked.turns(item.factors) * epochs for item in items]
    letters = sum(len(asked.word(item)) * n for item, n in zip(items, turns, strict=True))
    replies = (asked.reply_tokens(item.factors) * n for item, n in zip(items, turns, strict=True))
    return Plan(
        suite=asked,
        design=design,
        limit=limit,
        items=len(items),
        epochs=epochs,
        calls=sum(turns),
        sent=letters // TOKEN,
        received=sum(replies),
    )


def file_name(*words: str) -> str:
    """Return words as one name that every file system takes."""
    return "-".join(re.sub(r"[^\w.=,-]+", "-", word) for word in words)


def ran(task: Any, *, option: str, **settings: Any) -> bool:
    """Ask a task's questions, and tell what kept the run from its end, if anything did."""
    reasons = evaluate(task, option=option, **settings)
    for reason in reasons:
        click.echo(f"The run {reason}. The same command resumes it.", err=True)
    return not reasons


def tell_outcomes(tables: Iterable[pa.Table]) -> bool:
    """Say what went wrong; return whether anything but errors came back."""
    outcomes = [
        (row["outcome"], row["reason"])
        for table in tables
        for row in table.select(["outcome", "reason"]).to_pylist()
    ]
    unanswered = Counter(reason for outcome, reason in outcomes if outcome == "no_answer")
    for reason, count in unanswered.most_common(SHOWN):
        click.echo(f"{count} x no answer: {reason}", err=True)
    errors = [reason for outcome, reason in outcomes if outcome == "error"]
    if errors:
        click.echo(f"{len(errors)} x error, such as: {errors[0]}", err=True)
    return not outcomes or any(outcome != "error" for outcome, _ in outcomes)
