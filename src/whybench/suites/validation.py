"""Validate a suite: check the items of its designs, and its measures on agents with known values.

By default a fixed amount of work is done, so that the result does not depend on the speed of the
machine: the first items of each design, in whole blocks where they fit, and a few seeds of the
reference agents. A full validation checks all items and repeats noisy agents with many seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from whybench.errors import DataError
from whybench.suites.calibration import Calibration, calibrate
from whybench.suites.checks import check_design, remake_designs
from whybench.suites.laws import try_lapses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.suites.abilities import SelfTest
    from whybench.suites.checks import CheckResult
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

SEEDS, FULL_SEEDS = 10, 200
"""Seeds of noisy agents, by default and in a full validation."""

MAX_ANSWERS = 100_000
"""Answers of reference agents that are measured by default."""


@dataclass(frozen=True)
class DesignSample:
    """The items of a design that are checked.

    Attributes:
        design: The design.
        items: The first items of the design, or all.
        total: The number of items of the design.
        missing: Why the items cannot be made, such as data that is not downloaded.
    """

    design: Design
    items: Sequence[Any]
    total: int
    missing: str = ""

    @property
    def whole(self) -> bool:
        """Whether these are all items."""
        return len(self.items) == self.total


def sample_designs(
    suite: AnySuite, designs: Sequence[Design], *, full: bool = False
) -> list[DesignSample]:
    """Return the items of each design to check, by default its share of `validated_items`."""
    share = max(1, suite.validated_items // len(designs))
    samples = []
    for design in designs:
        size = share // design.block * design.block or share
        try:
            source = iter(suite.items(design))
            items = list(source if full else islice(source, size))
            total = len(items) + sum(1 for _ in source)
        except DataError as error:
            samples.append(DesignSample(design, (), 0, str(error)))
        else:
            samples.append(DesignSample(design, items, total))
    return samples


def check_samples(
    suite: AnySuite, samples: Sequence[DesignSample], *, full: bool = False
) -> Iterator[tuple[DesignSample, CheckResult]]:
    """Run every check on every sample that has items, yielding results as they come."""
    known = [sample for sample in samples if not sample.missing]
    remade = remake_designs(suite, {each.design.name: len(each.items) for each in known})
    for sample in known:
        items = None if full else sample.items
        for result in check_design(suite, sample.design, items, remade, whole=sample.whole):
            yield sample, result


def count_answers(suite: AnySuite, design: Design, seeds: int) -> int:
    """Return the number of answers that a calibration measures, or one above `MAX_ANSWERS`."""
    runs = sum(
        seeds if agent.noisy(agent.settings(changed)) else 1
        for agent in suite.agents.values()
        if agent.expected
        for changed in agent.calibrate_at
    )
    most = MAX_ANSWERS // max(1, runs) + 1
    items = sum(1 for _ in islice(suite.items(design), most))
    return min(items * runs, MAX_ANSWERS + 1)


def calibrate_design(
    suite: AnySuite, design: Design, seeds: int
) -> Iterator[Calibration | SelfTest]:
    """Compare measures with their expected values, then run the self-tests of the suite."""
    yield from calibrate(suite, design, seeds)
    yield from chain(try_lapses(suite, design, seeds), suite.self_tests(design, seeds))


def describe_samples(samples: Sequence[DesignSample]) -> str:
    """Return how many items were checked: exhaustive, or a sample of n of N."""
    checked = sum(len(sample.items) for sample in samples)
    total = sum(sample.total for sample in samples)
    if checked == total:
        return f"exhaustive: {total:,} items"
    return f"sample of {checked:,} of {total:,} items"


def group_checks(
    results: Sequence[tuple[DesignSample, CheckResult]],
) -> Mapping[str, list[tuple[DesignSample, CheckResult]]]:
    """Return the results by the name of the check, in order."""
    groups: dict[str, list[tuple[DesignSample, CheckResult]]] = {}
    for sample, result in results:
        groups.setdefault(result.name, []).append((sample, result))
    return groups
