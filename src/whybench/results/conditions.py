"""What changes in an agent from one condition to another, paired by what is asked.

A condition is a level of a factor that a design may manipulate while the same is asked (`style`,
`protocol`, `hint`), or of a setting of the model (`temperature`). The first level is the
reference, and every other level is held against it, agent by agent: the two sides of a comparison
(`whybench.results.changes`) are the answers of one agent at two levels. Items pair by their
`pairing_key` and by their levels of all other such factors, so that nothing else differs. A factor
that cannot be the same on both sides, as the source of an overload where there is none, goes along,
and labels say so.

All changes of all agents are one family, corrected by Benjamini and Hochberg; the means over agents
are another. A mean and its interval treat agents as drawn from others like them (Student's t); a
model that was asked at several settings is one of them, with the mean of its changes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.model_settings import name_model
from whybench.numerals import interval_text
from whybench.results.changes import ALPHA, Change, choose_measures, correct_family
from whybench.results.comparison import Changes
from whybench.results.levels import LevelSides, explain_levels, level_word, list_levels_met
from whybench.stats import benjamini_hochberg
from whybench.stats.paired import mean_change
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure

SIDES = ("agent", "by", "reference", "level")
"""The labels of a change that say whose it is, and from where to where."""


@dataclass(frozen=True)
class MeanChange:
    """How a measure changes from one level to another, over agents.

    Attributes:
        suite: The suite.
        measure: The measure.
        by: The factor.
        reference: The level that is left.
        level: The level that is reached.
        labels: The rest of the condition.
        estimate: The mean change over agents.
        low: Lower end of its 95% interval.
        high: Upper end of it.
        p: The p-value of no change.
        adjusted: The same, corrected over all means.
        agents: How many agents.
        most: The agent with the largest change, of either sign, and that change.
        least: The agent with the smallest one.
        flags: What to know before trusting it.
    """

    suite: str
    measure: str
    by: str
    reference: str
    level: str
    labels: Mapping[str, str]
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    agents: int
    most: tuple[str, float]
    least: tuple[str, float]
    adjusted: float | None = None
    flags: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Rose, fell, or no change shown, by the corrected p-value."""
        if self.estimate is None or self.adjusted is None:
            return "undefined"
        if self.adjusted > ALPHA:
            return "no change shown"
        return "rose" if self.estimate > 0 else "fell"

    def row(self) -> dict[str, object]:
        """Return it as one flat row."""
        plain = asdict(self)
        for name in ("most", "least"):
            plain[name], plain[f"{name}_change"] = plain[name]
        del plain["labels"]
        flags = " ".join(self.flags)
        return {**plain, **self.labels, "verdict": self.verdict, "flags": flags}


@dataclass(frozen=True, eq=False)
class ConditionComparison(Changes):
    """How the main measures of agents change from one level of a factor to others.

    Attributes:
        by: The factor, or the setting of the model.
        changes: A change for each measure, agent and level, corrected as one family. Labels have
            the `agent`, and `reference` and `level` between which it changes.
        means: The mean changes over agents, where there are several.
        notes: What was compared and what was not, in words.
    """

    by: str
    changes: tuple[Change, ...]
    means: tuple[MeanChange, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        changed = sum(change.verdict in {"rose", "fell"} for change in self.changes)
        return f"<ConditionComparison by {self.by}: {len(self)} changes, of which {changed} show>"

    @property
    def agents(self) -> tuple[str, ...]:
        """Whose conditions are compared."""
        return tuple(dict.fromkeys(change.labels["agent"] for change in self.changes))

    def choose(self, *measures: str) -> ConditionComparison:
        """Return the comparison of these measures alone, corrected alone."""
        kept = correct_family(choose_measures(self.changes, measures))
        return replace(self, changes=tuple(kept), means=_means_over_agents(kept))

    def sentences(self, *measures: str) -> Iterator[str]:
        """Yield in words what shows of measures: means where agents are several.

        Args:
            *measures: The measures; those of the headlines if none is named.
        """
        for change in self.means or self.changes:
            if change.measure not in (measures or get_suite(change.suite).headline):
                continue
            if change.verdict in {"rose", "fell"} and change.estimate is not None:
                yield _tell(change)

    def figures(self) -> list[Figure]:
        """Return a figure for each suite: headline measures from level to level, a line an agent.

        Intervals are those of measures at each level, on the items that pair.
        """
        from whybench.results.slopes import plot_slopes  # noqa: PLC0415  (imports drawing)

        suites = dict.fromkeys(change.suite for change in self.changes)
        return [
            plot_slopes(name, self.by, [one for one in self.changes if one.suite == name])
            for name in suites
        ]


def split_labels(change: Change) -> tuple[tuple[str, ...], str]:
    """Return what `SIDES` are of a change between conditions, and the rest of the condition."""
    rest = [word for name, word in change.labels.items() if name not in SIDES]
    condition = ", ".join(word for word in rest if word not in ("", "none"))
    return tuple(change.labels[name] for name in SIDES), condition


def _tell(change: Change | MeanChange) -> str:
    """Say a change in words: ea of gpt-4o is 0.12 higher under cot than under direct [0.05, 0.19].

    Where it fell, the interval is that of how much lower it is.
    """
    if isinstance(change, MeanChange):
        whose = f"the mean of {change.measure} over {change.agents} agents"
        reference, level = change.reference, change.level
    else:
        whose = f"{change.measure} of {change.labels['agent']}"
        reference, level = change.labels["reference"], change.labels["level"]
    estimate, low, high = change.estimate, change.low, change.high
    if change.verdict == "fell":
        estimate, low, high = (None if x is None else -x for x in (estimate, high, low))
    amount, _, interval = interval_text(estimate, low, high).partition(" ")
    way = "higher" if change.verdict == "rose" else "lower"
    return (
        f"{change.suite}: {whose} is {amount} {way} under {level} than under {reference} {interval}"
    )


def compare_conditions(
    tables: Mapping[str, pa.Table],
    by: str,
    reference: object = None,
    smallest: Mapping[str, float] | None = None,
) -> ConditionComparison:
    """Compare levels of a factor, or of a setting of the model, agent by agent.

    Args:
        tables: Suite to its records.
        by: The factor: one that the design may manipulate, or a setting of the model.
        reference: The level with which others are compared; the first if there is none.
        smallest: Measure to the smallest change of interest, as in `whybench.compare`.

    Raises:
        UserError: Nothing of the kind can be compared here.
    """
    able = {
        name: found
        for name, table in tables.items()
        if by in (found := list_levels_met(get_suite(name), table))
        and get_suite(name).comparison is not None
    }
    if not able:
        raise UserError(explain_levels(tables, by))
    known = list(dict.fromkeys(level for found in able.values() for level in found[by]))
    if reference is not None and level_word(reference) not in known:
        raise UserError(
            f"`reference` must be a level of {by} in these answers ({', '.join(known)}), got "
            f"{level_word(reference)!r}{suggest(level_word(reference), known)}"
        )
    changes: list[Change] = []
    notes: list[str] = []
    for name, found in able.items():
        first = found[by][0] if reference is None else level_word(reference)
        table = tables[name]
        if table["pairing_key"].null_count:
            table = table.filter(table["pairing_key"].is_valid())
            notes.append(f"{name}: answers without a pairing key are left out")
        pairs = LevelSides(get_suite(name), table, by, first)
        changes += pairs.compare(found[by], smallest)
        notes += pairs.notes
    left_out = [name for name in tables if name not in able]
    notes += [f"{name}: no second level of {by}, and not compared" for name in left_out]
    if not changes:
        raise UserError(
            f"`by` must be a factor at two levels of which an agent was asked the same, got {by} "
            f"and no such answers ({'; '.join(notes)}); run all levels with one design"
        )
    family = correct_family(changes)
    return ConditionComparison(by, tuple(family), _means_over_agents(family), tuple(notes))


def _means_over_agents(changes: Sequence[Change]) -> tuple[MeanChange, ...]:
    """Return the mean change of each measure between two levels, where several agents have it."""
    alike: dict[tuple[Any, ...], list[Change]] = {}
    for change in changes:
        if change.estimate is not None:
            labels = tuple(pair for pair in change.labels.items() if pair[0] != "agent")
            alike.setdefault((change.suite, change.measure, labels), []).append(change)
    means = []
    for (suite, measure, labels), mine in alike.items():
        by_agent: dict[str, list[float]] = {}
        for change in mine:
            agent = name_model(change.labels["agent"])
            by_agent.setdefault(agent, []).append(float(change.estimate or 0))
        if len(by_agent) < 2:
            continue
        of_agents = {agent: fmean(estimates) for agent, estimates in by_agent.items()}
        said = dict(labels)
        rest = {name: word for name, word in said.items() if name not in SIDES}
        found = mean_change([*of_agents.values()])
        ranked = sorted(of_agents.items(), key=lambda one: abs(one[1]))
        means.append(
            MeanChange(
                suite=suite,
                measure=measure,
                by=said["by"],
                reference=said["reference"],
                level=said["level"],
                labels=rest,
                estimate=found.estimate.estimate,
                low=found.estimate.low,
                high=found.estimate.high,
                p=found.p,
                agents=len(of_agents),
                most=ranked[-1],
                least=ranked[0],
                flags=found.estimate.flags,
            )
        )
    adjusted = benjamini_hochberg([float("nan") if m.p is None else m.p for m in means])
    return tuple(
        replace(mean, adjusted=None if mean.p is None else float(p))
        for mean, p in zip(means, adjusted, strict=True)
    )
