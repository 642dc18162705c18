"""Laws that a headline must keep, tried on the reference agents that a suite names for it.

A number that stands for an ability can be wrong in ways that no truth and no interval shows: it may
pay for silence, be the same for a coin and for an agent that is right in nine of ten, or depend on
how much was asked. A suite says who stands where on the scale of its headline (`HeadlineScale`);
then these can be tried, on ours and on anybody's suite:

- *Silence is not achieved*: an exact agent that is silent on every other item has less than one
  that is not, and one that is always silent has no more.
- *Lost answers do not count*: an exact agent some of whose answers a technical error prevented
  is exact.
- *The scale has its ends*: the exact agent has 1, in `skill_score` too. What the best attack has
  is checked apart (`attack_runs`).
- *Monotone*: over agents that lapse at growing rates, the mean over seeds falls by two standard
  errors or more from each rate to the next. From 0 to 1% it may tie. With fewer than 200 seeds
  nothing but a rise by two standard errors breaks the law, and with fewer than three nothing does.
- *Separating*: a comparison tells an agent that lapses in 10% from one that does in 20%, at p < .05
  and in the right direction, in 85% of runs of the standard budget. Of other designs the share is
  told.

Where the headline measures are a style, of which no value is better, a suite names agents of known
style instead (`Suite.styles`):

- *Silence is no style*: an agent that is silent on every other item has the values that are
  expected of it, or none, and one without any answer has none.
- *Lost answers do not count*: an agent some of whose answers a technical error prevented has the
  values that are expected of it.

These and the first three are checks of a design; the others take seeds (`whybench validate`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from whybench.records.table import record_table
from whybench.suites.abilities import SelfTest
from whybench.suites.calibration import EXACT, simulate_rows
from whybench.suites.pairs import stack_sides

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.suites.abilities import HeadlineScale
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

    Row = dict[str, Any]
    Laws = Mapping[str, Callable[["LawCase"], Iterator[str]]]

RATES = (0.0, 0.01, 0.02, 0.05, 0.10, 0.20, 0.35, 0.50)
"""Lapses per answer."""

TOLD_APART = (0.10, 0.20)
"""Lapses per answer of two agents that the standard budget must tell apart,"""

OFTEN = 0.85
"""in this share of runs."""

ALPHA = 0.05

ENOUGH = 200
"""Seeds from which on a fall must show at every step."""

FEWEST = 3
"""Seeds that a standard error needs."""

APART = 2.0
"""Standard errors by which means must differ."""

MOST_ITEMS = 3000
"""Items that checks of a design look at, in whole blocks from its start."""


def headline_values(suite: AnySuite, rows: Iterable[Row], *names: str) -> list[Any]:
    """Return the headline of answers, or other measures, under each of their conditions."""
    wanted = names or suite.headline[:1]
    table = record_table(list(rows), suite.record_columns)
    measures = suite.named_measures(table, wanted)
    return [measure for measure in measures if measure.name in wanted and not measure.at]


def _answers(
    suite: AnySuite, design: Design, items: Sequence[Any], who: tuple[str, Mapping[str, Any]]
) -> list[Row]:
    agent, settings = suite.agent(who[0]), who[1]
    return list(simulate_rows(suite, design, items, agent, settings, "law", {}))


@dataclass(frozen=True)
class LawCase:
    """A design on which laws are tried, and what the exact agent answers to it.

    Attributes:
        suite: The suite, which must say the scale of its headline, or the styles.
        design: The design.
        items: Its items; of many, whole blocks from the start are looked at.
    """

    suite: AnySuite
    design: Design
    items: Sequence[Any]

    @property
    def scale(self) -> HeadlineScale:
        """Who stands where on the scale of the headline."""
        if self.suite.scale is None:
            raise ValueError(f"{self.suite.name} must say the scale of its headline, got none")
        return self.suite.scale

    @cached_property
    def exact(self) -> list[Row]:
        """What the exact agent answers."""
        return self.answers(self.scale.exact)

    def answers(self, who: tuple[str, Mapping[str, Any]]) -> list[Row]:
        """Return what an agent answers."""
        block = max(1, self.design.block)
        chosen = self.items[: max(block, MOST_ITEMS // block * block)]
        return _answers(self.suite, self.design, chosen, who)

    def values(self, rows: Iterable[Row], *names: str) -> list[Any]:
        """Return the headline of answers, or other measures."""
        return headline_values(self.suite, rows, *names)

    @cached_property
    def styles(self) -> list[tuple[str, list[Row], Mapping[str, float]]]:
        """The agents of known style: name, answers, and the values that are expected of them."""
        found = []
        for who in self.suite.styles:
            agent = self.suite.agent(who[0])
            expected = agent.expected(agent.settings(who[1]), self.design) if agent.expected else {}
            found.append((who[0], self.answers(who), expected))
        return found

    @property
    def has_headline(self) -> bool:
        """Whether there are items enough for a known agent to have a headline."""
        if self.suite.styles:
            return any(self.values(rows, *expected) for _, rows, expected in self.styles)
        return any(found.estimate is not None for found in self.values(self.exact))


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


def _silence(case: LawCase) -> Iterator[str]:
    suite, name = case.suite, case.suite.headline[0]
    measured = [
        case.values(changed)
        for changed in (
            case.exact,
            drop_answers(suite, case.exact, "no_answer", lambda place, _: place % 2 == 1),
            drop_answers(suite, case.exact, "no_answer", lambda *_: True),
        )
    ]
    whole, half, none = ([found.estimate for found in values] for values in measured)
    if None in none or not none:
        yield f"{name} of an agent that says nothing must have a value, got {none or 'none'}"
        return
    for before, after, least in zip(whole, half, none, strict=True):
        if before is not None and (after is None or after >= before):
            yield f"{name} must fall if every other answer is not given, got {before}, then {after}"
        if after is not None and least > after:
            yield f"{name} must be least if nothing is answered, got {after}, then {least}"


def _loss(case: LawCase) -> Iterator[str]:
    lost = drop_answers(case.suite, case.exact, "error", lambda place, _: place % 7 == 3)
    for found in case.values(lost):
        if found.estimate is not None and abs(found.estimate - 1) > EXACT:
            yield f"{found.name} of an exact agent must be 1 whatever is lost, got {found.estimate}"


def _ends(case: LawCase) -> Iterator[str]:
    for name in dict.fromkeys((case.suite.headline[0], "skill_score")):
        for found in case.values(case.exact, name):
            if found.estimate is not None and abs(found.estimate - 1) > EXACT:
                yield f"{name} of {case.scale.exact[0]} must be 1, got {found.estimate}"


def _silent_style(case: LawCase) -> Iterator[str]:
    for agent, rows, expected in case.styles:
        half, none = (
            case.values(drop_answers(case.suite, rows, "no_answer", chosen), *expected)
            for chosen in (lambda place, _: place % 2 == 1, lambda *_: True)
        )
        for found in half:
            if found.estimate is not None and abs(found.estimate - expected[found.name]) > EXACT:
                yield f"{found.name} of {agent}, half silent, must be as before, got {found}"
        for found in none:
            if found.estimate is not None:
                yield f"{found.name} of {agent}, without any answer, must have none, got {found}"


def _lost_style(case: LawCase) -> Iterator[str]:
    for agent, rows, expected in case.styles:
        lost = drop_answers(case.suite, rows, "error", lambda place, _: place % 7 == 3)
        for found in case.values(lost, *expected):
            if found.estimate is None or abs(found.estimate - expected[found.name]) > EXACT:
                yield f"{found.name} of {agent} must be as before with lost answers, got {found}"


LAWS: Laws = {
    "silence is not achieved": _silence,
    "lost answers do not count": _loss,
    "the scale of the headline has its ends": _ends,
}
"""What `whybench validate` asks of the headline of a suite that says its scale."""

STYLE_LAWS: Laws = {
    "silence is no style": _silent_style,
    "lost answers do not count": _lost_style,
}
"""The laws of a suite that names agents of known style."""


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
        if len(values[after]) < FEWEST:
            continue
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
    """Yield how the headline falls over lapsing agents, and how often two of them are told apart.

    There are eight rates, so each is tried with a fifth of the seeds. Nothing is yielded of a suite
    that names no lapsing agent, or of a design without a headline.
    """
    if suite.scale is None or suite.scale.lapsing is None:
        return
    name, parameter = suite.scale.lapsing
    items = list(suite.items(design))
    values: dict[float, list[float]] = {}
    compared: dict[float, list[pa.Table]] = {rate: [] for rate in TOLD_APART}
    for rate in RATES:
        for seed in range(max(1, seeds // 5) if rate else 1):
            # With the same seed, the lapses of a lower rate would be among those of a higher one.
            own = seed * len(RATES) + RATES.index(rate)
            rows = _answers(suite, design, items, (name, {parameter: rate, "seed": own}))
            found = [one.estimate for one in headline_values(suite, rows)]
            if known := [value for value in found if value is not None]:
                values.setdefault(rate, []).append(fmean(known))
            if rate in compared and suite.comparison is not None:
                compared[rate].append(record_table(rows, suite.record_columns))
        if not values:  # the design has no headline
            return
    yield judge_lapses(values)
    if suite.comparison is not None:
        told = [_is_told_apart(suite, *sides) for sides in zip(*compared.values(), strict=True)]
        standard = suite.make_design(suite.budget("standard").settings)
        yield judge_separation(told, promised=standard.hash == design.hash)


def _is_told_apart(suite: AnySuite, better: pa.Table, worse: pa.Table) -> bool:
    """Whether the headline is shown to be lower on the second side, under every condition."""
    assert suite.comparison is not None
    pairs = [
        one
        for one in suite.comparison.pairs(stack_sides(better, worse))
        if one.measure == suite.headline[0]
    ]
    return bool(pairs) and all(
        found.p is not None and found.p < ALPHA and (found.difference or 0) < 0 for found in pairs
    )


def judge_separation(told_apart: Sequence[bool], *, promised: bool) -> SelfTest:
    """Say in what share of runs two agents were told apart, and whether that is often enough.

    Args:
        told_apart: For each run, whether they were.
        promised: Whether the law holds of this design. Chance is allowed for, by two standard
            errors.
    """
    share = fmean(told_apart)
    least = OFTEN - APART * (OFTEN * (1 - OFTEN) / len(told_apart)) ** 0.5
    missed = promised and share < least
    words = f"it must be {least:.2f} or more at the standard budget, got {share:.2f}"
    figures = {"share": share, "runs": len(told_apart)}
    return SelfTest("10% lapses told from 20%", figures, (words,) if missed else ())
