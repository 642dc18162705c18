"""Laws that a headline must keep, tried on the reference agents that a suite names for it.

A number that stands for an ability can be wrong in ways that no truth and no interval shows: it may
pay for silence, be the same for a coin and for an agent that is right in nine of ten, or depend on
how much was asked. A suite says who stands where on the scale of its headline (`HeadlineScale`);
then these can be tried, on ours and on anybody's suite:

- *Silence is not achieved*: an agent that says nothing has no more than one that does not reason,
  and an exact one that is silent on every other item has less than one that is not.
- *What is lost does not count*: an exact agent some of whose answers a technical error prevented
  is exact.
- *The scale has its ends*: the exact agent has 1; `skill`, where there is one, is 1 for it and not
  above 0 for an agent that does not reason, and 0 for the best of these.
- *Monotone*: over agents that lapse at growing rates, the mean over seeds falls by two standard
  errors or more from each rate to the next. From 0 to 1% it may tie. With fewer than 200 seeds
  nothing but a rise by two standard errors breaks the law.

The first three are checks of a design (`whybench check`); the last takes seeds
(`whybench calibrate`).
"""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from whybench.records.table import record_table
from whybench.suites.abilities import SelfTest
from whybench.suites.calibration import EXACT, simulate_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from whybench.suites.abilities import HeadlineScale
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

    Row = dict[str, Any]

__all__ = [
    "LAWS",
    "RATES",
    "drop_answers",
    "has_headline",
    "headline_values",
    "judge_lapses",
    "try_lapses",
]

RATES = (0.0, 0.01, 0.02, 0.05, 0.10, 0.20, 0.35, 0.50)
"""Lapses per answer."""

ENOUGH = 200
"""Seeds from which on a fall must show at every step."""

APART = 2.0
"""Standard errors by which means must differ."""

MOST_ITEMS = 3000
"""Items that checks of a design look at, in whole blocks from its start."""


def headline_values(suite: AnySuite, rows: Iterable[Row], name: str = "") -> list[Any]:
    """Return the headline of answers, or another measure, under each of their conditions."""
    wanted = name or suite.headline[0]
    measures = suite.measures(record_table(list(rows), suite.record_columns))
    return [measure for measure in measures if measure.name == wanted and not measure.at]


def _answers(
    suite: AnySuite, design: Design, items: Sequence[Any], who: tuple[str, Mapping[str, Any]]
) -> list[Row]:
    agent, settings = suite.agent(who[0]), who[1]
    return list(simulate_rows(suite, design, items, agent, settings, "law", {}))


def _scale(suite: AnySuite) -> HeadlineScale:
    if suite.scale is None:
        raise ValueError(f"{suite.name} must say the scale of its headline, got none")
    return suite.scale


def _prefix(design: Design, items: Sequence[Any]) -> Sequence[Any]:
    """Return whole blocks of a design, from its start."""
    block = max(1, design.block)
    return items[: max(block, MOST_ITEMS // block * block)]


def drop_answers(
    suite: AnySuite, rows: Sequence[Row], outcome: str, chosen: Callable[[int, Row], bool]
) -> list[Row]:
    """Return the rows with some answers not given, or lost, and nothing that came with them.

    Args:
        suite: The suite.
        rows: Its records.
        outcome: What becomes of the answers that are dropped: `no_answer` or `error`.
        chosen: Which these are, by place and row.
    """
    gone = {**dict.fromkeys(suite.parts), "outcome": outcome, "reason": "law", "value": None}
    return [row | gone if chosen(place, row) else row for place, row in enumerate(rows)]


def _silence(suite: AnySuite, design: Design, items: Sequence[Any]) -> Iterator[str]:
    name = suite.headline[0]
    rows = _answers(suite, design, _prefix(design, items), _scale(suite).exact)
    whole, half, none = (
        [found.estimate for found in headline_values(suite, changed)]
        for changed in (
            rows,
            drop_answers(suite, rows, "no_answer", lambda place, _: place % 2 == 1),
            drop_answers(suite, rows, "no_answer", lambda *_: True),
        )
    )
    if not none or None in none:
        yield f"{name} of an agent that says nothing must have a value, got {none or 'none'}"
        return
    for before, after, least in zip(whole, half, none, strict=True):
        if before is not None and (after is None or after >= before):
            yield f"{name} must fall if every other answer is not given, got {before}, then {after}"
        if after is not None and least > after:
            yield f"{name} must be least if nothing is answered, got {after}, then {least}"


def _loss(suite: AnySuite, design: Design, items: Sequence[Any]) -> Iterator[str]:
    rows = _answers(suite, design, _prefix(design, items), _scale(suite).exact)
    lost = drop_answers(suite, rows, "error", lambda place, _: place % 7 == 3)
    for found in headline_values(suite, lost):
        if found.estimate is not None and abs(found.estimate - 1) > EXACT:
            yield f"{found.name} of an exact agent must be 1 whatever is lost, got {found.estimate}"


def _ends(suite: AnySuite, design: Design, items: Sequence[Any]) -> Iterator[str]:
    chosen = _prefix(design, items)
    rows = _answers(suite, design, chosen, _scale(suite).exact)
    for name in (suite.headline[0], "skill"):
        for found in headline_values(suite, rows, name):
            if found.estimate is not None and abs(found.estimate - 1) > EXACT:
                yield f"{name} of {_scale(suite).exact[0]} must be 1, got {found.estimate}"
    best: dict[int, float] = {}
    for who in _scale(suite).blind:
        rows = _answers(suite, design, chosen, who)
        for number, found in enumerate(headline_values(suite, rows, "skill")):
            if found.low is not None and found.low > EXACT:
                yield f"skill of {who[0]} must not be above 0, got {found.low} or more"
            if found.high is not None:
                best[number] = max(best.get(number, found.high), found.high)
    for top in best.values():
        if top < -EXACT:
            yield f"skill must be 0 for one of the agents that do not reason, got {top} at most"


def has_headline(suite: AnySuite, design: Design, items: Sequence[Any]) -> bool:
    """Whether a design has items enough for an exact agent to have a headline."""
    rows = _answers(suite, design, _prefix(design, items), _scale(suite).exact)
    return any(found.estimate is not None for found in headline_values(suite, rows))


LAWS: Mapping[str, Callable[[AnySuite, Design, Sequence[Any]], Iterator[str]]] = {
    "silence is not achieved": _silence,
    "what is lost does not count": _loss,
    "the scale of the headline has its ends": _ends,
}
"""What `whybench check` asks of the headline of a suite that says its scale."""


def judge_lapses(values: Mapping[float, Sequence[float]]) -> SelfTest:
    """Say whether a headline falls as lapses become more frequent.

    Args:
        values: Rate to the headline at each seed.
    """
    means = {rate: fmean(found) for rate, found in values.items()}
    misses = []
    rates = sorted(values)
    for before, after in pairwise(rates):
        error = sum(_variance(values[rate]) / len(values[rate]) for rate in (before, after)) ** 0.5
        fall, seeds = means[before] - means[after], min(len(values[before]), len(values[after]))
        least = APART * error if seeds >= ENOUGH and before > 0 else -APART * error
        if fall < least - EXACT:
            misses.append(
                f"from {before:g} to {after:g} lapses it must fall by {least:.4f} or more, "
                f"got {fall:.4f}"
            )
    figures = {f"{rate:g}": mean for rate, mean in sorted(means.items())}
    return SelfTest("headline at lapses per answer", figures, tuple(misses))


def _variance(values: Sequence[float]) -> float:
    return stdev(values) ** 2 if len(values) > 1 else 0.0


def try_lapses(suite: AnySuite, design: Design, seeds: int) -> Iterator[SelfTest]:
    """Yield how the headline falls over lapsing agents, if the suite names one.

    There are eight rates, so each is tried with a fifth of the seeds.
    """
    if suite.scale is None or suite.scale.lapsing is None:
        return
    name, parameter = suite.scale.lapsing
    items = list(suite.items(design))
    values: dict[float, list[float]] = {}
    for rate in RATES:
        for seed in range(max(1, seeds // 5) if rate else 1):
            rows = _answers(suite, design, items, (name, {parameter: rate, "seed": seed}))
            found = [one.estimate for one in headline_values(suite, rows)]
            values.setdefault(rate, []).append(fmean(v for v in found if v is not None))
    yield judge_lapses(values)
