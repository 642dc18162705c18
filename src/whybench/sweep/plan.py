"""A plan, and the units of work it comes to.

A plan is a YAML file::

    output: sweeps/spring          # a folder, or any address that fsspec knows
    models:
      - openai/gpt-4o
      - model: reference/judge.noisy-or
        args: {b: 0.2}
    suites:
      - judge                      # the default design
      - suite: compose
        design: core               # or {design: core, style: cot}
        epochs: 3
    quotas: {openai: 20}           # calls a second, all workers together

A unit is identified by all that decides what it asks: suite, design, the design's hash, shard,
epochs, grouping and model. Its name holds a digest of these, so that a unit whose design has
changed since is another unit, and its old log is left alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import count
from math import ceil
from typing import TYPE_CHECKING, Any

import yaml

from whybench.errors import UserError, suggest
from whybench.planning.asks import Ask, read_ask, read_model
from whybench.seeds import digest
from whybench.suites.catalog import split_into_samples, take_shard
from whybench.suites.references import REFERENCE, find_reference
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

MOST_SAMPLES = 10_000
"""The most samples of a unit: Inspect holds all samples of a run in memory, some 20 KB each."""

UPLOAD_EVERY = 500
"""An upload sends the whole log again, so more often would cost more than a lost machine does."""


@dataclass(frozen=True)
class SweepPlan:
    """What to ask, whom, and where the answers go.

    Attributes:
        output: A folder or an address of fsspec's.
        models: Model to its arguments, as pairs, in order.
        asks: What each is asked.
        samples: The most samples of a unit.
        upload_every: Samples between two uploads of a log: what a lost machine can cost.
        quotas: Calls a second for a provider, the part of a model's name before the first `/`.
        max_cost: US dollars, of all workers of a machine together; at the limit they stop.
        settings: Further settings of Inspect's `eval_set`, such as `max_connections`.
    """

    output: str
    models: tuple[tuple[str, Mapping[str, Any]], ...]
    asks: tuple[Ask, ...]
    samples: int = MOST_SAMPLES
    upload_every: int = UPLOAD_EVERY
    quotas: Mapping[str, float] = field(default_factory=dict)
    max_cost: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Unit:
    """One piece of work: one process, one log.

    Attributes:
        ask: What is asked.
        design_hash: The hash of the design.
        model: The model, as Inspect names it.
        args: The model's arguments.
        shard: Which part of the design, `i/n`.
        samples: How many samples it has, in one epoch.
    """

    ask: Ask
    design_hash: str
    model: str
    args: Mapping[str, Any]
    shard: str
    samples: int

    @cached_property
    def name(self) -> str:
        """A name for people, with a digest that tells it from every other unit."""
        key = digest("unit", asdict(self)).hex()[:10]
        words = (self.ask.suite, self.model.rpartition("/")[2], self.shard.replace("/", "-of-"))
        plain = ("".join(c if c.isalnum() or c in "._-" else "-" for c in word) for word in words)
        return "-".join((*plain, key))

    @property
    def provider(self) -> str:
        """The provider of the model, which may have a quota."""
        return self.model.partition("/")[0]


def read_plan(path: Path) -> SweepPlan:
    """Read a plan from a YAML file."""
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        words = " ".join(str(error).split())
        raise UserError(f"a plan must be a YAML file, got {path}: {words}") from None
    if not isinstance(given, dict):
        raise UserError(f"{path} must have output, models and suites, got {given!r}")
    try:
        return _make_plan(path, given)
    except UserError as error:
        if str(path) in str(error):
            raise
        raise UserError(f"{path}: {error}") from None


def _make_plan(path: Path, given: Mapping[str, Any]) -> SweepPlan:
    """Return the plan that a mapping states, or say what is wrong with it."""
    others = {name: value for name, value in given.items() if name not in {"models", "suites"}}
    allowed = {"suites", *(entry.name for entry in fields(SweepPlan))} - {"asks"}
    for name in given:
        if name not in allowed:
            raise UserError(
                f"{path} must have only output, models, suites, samples, upload_every, quotas, "
                f"max_cost and settings, got {name!r}{suggest(name, allowed)}"
            )
    for name in ("output", "models", "suites"):
        if not given.get(name):
            raise UserError(f"{path} must have {name}, got none")
        if name != "output" and not isinstance(given[name], list):
            raise UserError(f"{path}: {name} must be a list, got {given[name]!r}")
    if not isinstance(given["output"], str):
        raise UserError(f"{path}: output must be a folder or an address, got {given['output']!r}")
    for name in ("quotas", "settings"):
        if not isinstance(given.get(name, {}), dict):
            raise UserError(f"{path}: {name} must be a mapping, got {given[name]!r}")
    samples = given.get("samples", MOST_SAMPLES)
    # Who asks for small units need not say that their logs are uploaded as often.
    often = min(UPLOAD_EVERY, samples) if type(samples) is int else UPLOAD_EVERY
    plan = SweepPlan(
        models=tuple(map(read_model, given["models"])),
        asks=tuple(map(read_ask, given["suites"])),
        **{"upload_every": often, **others},
    )
    for name, most in (("samples", MOST_SAMPLES), ("upload_every", plan.samples)):
        number = getattr(plan, name)
        if type(number) is not int or not 1 <= number <= most:
            raise UserError(
                f"{path}: {name} must be a whole number from 1 to {most}, got {number!r}"
            )
    rates = {
        f"the quota of {name} must be calls a second": rate for name, rate in plan.quotas.items()
    }
    dollars = {} if plan.max_cost is None else {"max_cost must be US dollars": plan.max_cost}
    for what, number in {**rates, **dollars}.items():
        if type(number) not in {int, float} or not 0 < number < float("inf"):
            raise UserError(f"{path}: {what} above 0, got {number!r}")
    return plan


def list_units(plan: SweepPlan) -> Iterator[Unit]:
    """Yield the units of a plan: what is asked first for all models, then the next."""
    for ask in plan.asks:
        suite = get_suite(ask.suite)
        design = ask.choose_design()
        sizes = _sizes(ask, list(suite.items(design)), plan.samples)
        for model, args in plan.models:
            # A reference agent knows the items of its own suite alone, a mind those of most.
            if model.startswith(REFERENCE) and ask.suite not in find_reference(model).parts:
                continue
            for number, samples in enumerate(sizes, start=1):
                shard = f"{number}/{len(sizes)}"
                yield Unit(ask, design.hash, model, args, shard, samples)


def _sizes(ask: Ask, items: list[Any], most: int) -> list[int]:
    """Return the number of samples of each shard."""
    group_key = get_suite(ask.suite).grouping
    samples = len(split_into_samples(items, ask.group, group_key))
    if ask.limit:
        if ask.limit > most:
            raise UserError(
                f"limit must be at most the {most} samples of a unit, got {ask.limit}; leave it "
                "out to ask the whole design in shards"
            )
        return [min(ask.limit, samples)]
    # Whatever belongs together stays together, so shards may differ by a little more than one.
    for shards in count(ceil(samples / most)):
        parts = (take_shard(items, f"{k}/{shards}", group_key) for k in range(1, shards + 1))
        sizes = [len(split_into_samples(part, ask.group, group_key)) for part in parts]
        if max(sizes) <= most:
            return sizes
    raise AssertionError("shards of one item each are small enough")


def find_unit(units: Sequence[Unit], which: str) -> Unit:
    """Return a unit by name or number, from 1."""
    by_name = {unit.name: unit for unit in units}
    if which in by_name:
        return by_name[which]
    if which.isdigit() and 1 <= int(which) <= len(units):
        return units[int(which) - 1]
    raise UserError(f"`which` must be a name or a number from 1 to {len(units)}, got {which!r}")
