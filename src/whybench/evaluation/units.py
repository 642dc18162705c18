"""The units of a plan: one part of a design, one model, one setting, one folder of logs.

Where units run, in this process, in others or on other machines, changes nothing about them. A
unit that is run again resumes, and a complete one costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import count
from math import ceil
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.evaluation.engine import build_task, check_settings
from whybench.model_settings import MODEL_SETTINGS
from whybench.seeds import digest
from whybench.suites.catalog import WHOLE, list_samples
from whybench.suites.references import REFERENCE
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.planning.asks import Ask
    from whybench.suites.contract import Design

UNIT_SIZE = 10_000
"""The most samples of a unit: Inspect holds all samples of a run in memory, some 20 KB each."""


@dataclass(frozen=True)
class Unit:
    """The questions of one eval set to one model.

    Attributes:
        ask: The suite, its design, and how often it is asked.
        design_hash: The hash of the design.
        model: The model as Inspect names it.
        args: The model's arguments.
        settings: How it is asked, as settings of Inspect's eval sets.
        words: The levels of the settings that are crossed, such as `temperature=0.8`.
        shard: The part of the design, `i/n`.
        samples: The number of samples in one epoch; 0 if they are not counted.
        place: The folder of logs within the output.
        number: Its number in the plan, from 1.
        look: The look to which it belongs, from 1; 0 if it is asked without looks.
        part: The first of its samples from 0, and the one after its last; None for all.
    """

    ask: Ask
    design_hash: str
    model: str
    args: Mapping[str, Any]
    settings: Mapping[str, Any]
    words: str
    shard: str
    samples: int
    place: str
    number: int = 1
    look: int = 0
    part: tuple[int, int] | None = None

    @property
    def limit(self) -> int | tuple[int, int] | None:
        """The samples that are asked, as Inspect's eval sets take them."""
        return self.part or self.ask.limit

    @cached_property
    def digest(self) -> str:
        """A digest of all that decides the questions."""
        level = {n: value for n, value in self.settings.items() if n in MODEL_SETTINGS}
        what = (asdict(self.ask), self.design_hash, self.shard, self.samples, *(self.part or ()))
        # A function among the arguments of a model counts by its name.
        args = {n: getattr(value, "__qualname__", value) for n, value in self.args.items()}
        return digest("unit", *what, self.model, args, level).hex()[:16]

    @property
    def label(self) -> str:
        """The suite, the model and what distinguishes this unit from others of both."""
        shard = "" if self.shard == self.ask.shard else f"shard {self.shard}"
        look = f"look {self.look}" if self.look else ""
        return ", ".join(filter(None, (self.ask.suite, self.model, self.words, shard, look)))

    def build_task(self) -> Any:
        """Return the Inspect task."""
        suite = get_suite(self.ask.suite)
        group = {"group": self.ask.group} if self.ask.group else {}
        design = self.ask.design or suite.settings()
        return build_task(suite, {**design, "shard": self.shard, **group})


def list_units(
    ask: Ask,
    design: Design,
    sizes: Sequence[int],
    model: str,
    args: Mapping[str, Any],
    crossings: Mapping[str, Mapping[str, Any]],
    layout: str = "",
) -> Iterator[Unit]:
    """Yield the units of one model and one design, at each crossing of its settings.

    Args:
        ask: The suite, its design and how often it is asked.
        design: Its design.
        sizes: The number of samples of each shard.
        model: The model.
        args: Its arguments.
        crossings: Words for each crossing of settings, and the settings.
        layout: The folder of logs, in which `{suite}`, `{design}`, `{model}` and `{agent}` stand
            for names.
    """
    names = {
        "suite": ask.suite,
        "design": file_name(ask.suite, design.name.strip("*"), design.hash[:6]),
        "model": file_name(model),
        "agent": file_name(name_agent(model, args)),
    }
    for words, settings in crossings.items():
        for number, samples in enumerate(sizes, start=1):
            shard = f"{number}/{len(sizes)}" if len(sizes) > 1 else ask.shard
            part = f"shard-{number}-of-{len(sizes)}" if len(sizes) > 1 else ""
            place = "/".join(filter(None, (layout.format(**names), words, part)))
            yield Unit(ask, design.hash, model, args, settings, words, shard, samples, place)


def count_samples(ask: Ask, design: Design, samples: int, most: int) -> list[int]:
    """Return the number of samples of each shard, none of which has more than the most.

    Args:
        ask: The suite, its design and how often it is asked.
        design: Its design.
        samples: The number of samples of the whole.
        most: The most samples of a unit.
    """
    if samples <= most:
        return [samples]
    if ask.limit or ask.shard != WHOLE:
        raise UserError(
            f"limit and shard must leave at most the {most} samples of a unit, got {samples}; "
            "remove them to ask the whole design in several units"
        )
    suite = get_suite(ask.suite)
    items = list(suite.items(design))
    # Items that belong together stay together, so shards may differ by a little more than one.
    for shards in count(ceil(samples / most)):
        parts = (f"{number}/{shards}" for number in range(1, shards + 1))
        sizes = [len(list_samples(suite, items, shard=part, group=ask.group)) for part in parts]
        if max(sizes) <= most:
            return sizes
    raise AssertionError("shards of one item each are small enough")


def inspect_settings(
    model_args: Mapping[str, Any],
    settings: Mapping[str, Any] | None = None,
    *,
    max_connections: int | None = None,
    **named: Any,
) -> dict[str, Any]:
    """Return how a model is asked, as settings of Inspect's eval sets.

    Args:
        model_args: Arguments of the model.
        settings: Settings by Inspect's names; those that have a name here go before.
        max_connections: Calls at once, and so samples at once.
        **named: Other settings; None for Inspect's own choice.
    """
    given = {**named, "max_connections": max_connections, "max_samples": max_connections}
    chosen = {name: value for name, value in given.items() if value is not None}
    return {**check_settings(settings or {}), **chosen, "model_args": dict(model_args)}


def name_agent(model: str, model_args: Mapping[str, Any]) -> str:
    """Name an agent: settings of a reference agent in words, others by a digest.

    A key or an address is neither shown nor counted, since another one does not make another agent.
    """
    from whybench.records.logs import is_model_setting  # noqa: PLC0415

    if model.startswith(REFERENCE):
        return ",".join((model, *(f"{name}={value}" for name, value in model_args.items())))
    shown = {name: value for name, value in model_args.items() if is_model_setting(name, value)}
    return f"{model},{digest(sorted(shown.items())).hex()[:6]}" if shown else model


def file_name(*words: str) -> str:
    """Return words as one name that every file system takes."""
    return "-".join(re.sub(r"[^\w.=,-]+", "-", word) for word in words)
