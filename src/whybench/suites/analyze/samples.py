"""A stated sample of the rows of a data set, with a key of its own.

A data set of some thousand rows fills a prompt. A sample of it, drawn by lot, goes in where room is
short: references, naive values and standard errors are then those of the rows that are shown, and
the truth stays that of the world. What a sample need not have is the guarantee that was given for
all rows: with fewer, a trap may not be significant, and a control may look like one.

Samples of one data set are nested, the smaller in the larger, and twins that have the same rows
have the same sample of them. Rows stay in the order in which they were.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from whybench.seeds import generator
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whybench.suites.analyze.challenges.contract import Instance


def sample_rows(instance: Instance, count: int) -> Instance:
    """Return the instance of n of its rows; the instance itself where it has no more.

    Raises:
        UserError: Something that is asked for, or an analyst's answer, is undefined on them.
    """
    sample = _try_sample(instance, count)
    if sample is None:
        check_row_count([instance], count)
        raise AssertionError("a sample that cannot be had must have too few rows")
    return sample


def check_row_count(instances: Iterable[Instance], count: int) -> None:
    """See that everything is defined on samples of n rows.

    Raises:
        UserError: It is not; says how many rows each challenge takes.
    """
    by_challenge: dict[str, list[Instance]] = defaultdict(list)
    for instance in instances:
        by_challenge[instance.challenge].append(instance)
    least = {name: _least_rows(members, count) for name, members in by_challenge.items()}
    short = [f"{rows} for {name}" for name, rows in least.items() if rows > count]
    if short:
        raise UserError(
            f"rows must be at least {', '.join(short)}, or groups of rows are empty and statistics "
            f"undefined, got {count}; ask for more rows or for other challenges"
        )


def _least_rows(instances: list[Instance], count: int) -> int:
    """Return the least number of rows from `count` on at which all samples can be had."""
    while missing := [entry for entry in instances if _try_sample(entry, count) is None]:
        # Those that could be had before are looked at again: another row may undo a sample.
        while any(_try_sample(entry, count) is None for entry in missing):
            count += 1
    return count


def _try_sample(instance: Instance, count: int) -> Instance | None:
    """Return the instance of some of its rows, or None if something is undefined on them."""
    if count >= instance.size:
        return instance
    challenge = CHALLENGES[instance.challenge]
    rng = generator("analyze", "sample", instance.challenge, *instance.keys)
    chosen = np.sort(rng.permutation(instance.size)[:count])
    with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise", over="raise"):
        # The mean of no rows is only a warning to NumPy.
        warnings.simplefilter("error", RuntimeWarning)
        try:
            sample = challenge.sample(instance, chosen)
            for analyst in (challenge.competent, challenge.naive, challenge.always_trap):
                analyst(sample)
        except (ArithmeticError, ValueError, RuntimeWarning):
            return None
    if not all(np.isfinite(truth.se) and truth.se > 0 for truth in sample.numbers().values()):
        return None
    return sample
