"""What makes a difference: the story within an agent, the agent within a story, the condition.

Kruskal–Wallis compares stories within an agent and agents within a story, as the source does, and
Mann–Whitney two of them.
P-values are corrected (Benjamini–Hochberg) over the tests of a condition. All stories share their
questions, and questions differ far more than stories. Kruskal–Wallis counts that shared spread as
chance and rarely finds anything between stories. The permutation test compares answers to the same
question only. An agent's failed and missing answers do not count. Distracting text from another
story and filler make two versions of a story, which are told apart as stories are.

`condition_changes` compares each measure between two conditions, agent by agent: with abstract
names instead of a story, with distracting text, with step-by-step reasoning, with independence
stated. Differences between agents cancel, so the mean over agents has an interval and a p-value
from one method, Student's t over agents.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, get_args

from whybench.stats import (
    SMALL_N,
    HypothesisTest,
    MeanDifference,
    adjust,
    average_over_agents,
    correct_family,
    kruskal_wallis,
    mann_whitney,
    permutation_test,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import pyarrow as pa

    from whybench.stats import Measure

CONDITION = ("graph", "content", "overload", "style", "independence")
"""What makes a condition here: overload sources are told apart as stories are."""

COMPARISONS: tuple[tuple[str, Mapping[str, str], Mapping[str, str]], ...] = (
    (
        "abstract",
        {"content": "story", "overload": "none"},
        {"content": "abstract", "overload": "none"},
    ),
    ("overload", {"content": "story", "overload": "none"}, {"content": "story", "overload": "e"}),
    (
        "abstract overload",
        {"content": "abstract", "overload": "none"},
        {"content": "abstract", "overload": "d"},
    ),
    ("reasoning", {"style": "direct"}, {"style": "cot"}),
    ("independence", {"independence": "unstated"}, {"independence": "stated"}),
)
"""Name of a manipulation, and the levels before and after it; all else must be equal."""

StoryTest = Literal["kruskal-wallis", "permutation"]
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class LabeledTest:
    """The result of a test, and whose it is: agent, condition, story."""

    labels: Mapping[str, str]
    test: HypothesisTest

    def row(self) -> dict[str, object]:
        """Return it as one flat row, labels first."""
        return {**self.labels, **asdict(self.test), "flags": " ".join(self.test.flags)}


def story_differences(
    records: pa.Table, test: StoryTest = "kruskal-wallis", permutations: int = 1999
) -> list[LabeledTest]:
    """Test for each agent whether its answers differ between stories.

    `kruskal-wallis` takes every answer; answers to one prompt in several epochs are flagged
    `repeated_items`, since it takes them for independent. `permutation` averages epochs and
    shuffles stories among the answers to the same question. Adjusted within the condition.
    """
    if test not in get_args(StoryTest):
        raise ValueError(f"test must be kruskal-wallis or permutation, got {test!r}")
    permute = partial(_permute_stories, permutations=permutations)
    compare = permute if test == "permutation" else _rank_stories
    groups = _group_scored(records, ("agent", "design"))
    return _adjust([LabeledTest(labels, compare(rows)) for labels, rows in groups])


def agent_differences(records: pa.Table) -> list[LabeledTest]:
    """Test for each story whether agents differ in it. Adjusted within the condition."""
    groups = _group_scored(records, ("story", "overload_source"))
    return _adjust([LabeledTest(labels, _rank(rows, "agent")) for labels, rows in groups])


def story_pairs(records: pa.Table) -> list[LabeledTest]:
    """Test for each agent which of its stories differ, two by two. Adjusted within the agent."""
    pairs = []
    for labels, rows in _group_scored(records, ("agent", "design")):
        answers = _values_by(rows, "version")
        found = [
            LabeledTest({**labels, "story": one, "other": other}, _compare(answers, one, other))
            for one, other in combinations(sorted(answers), 2)
        ]
        tests = adjust([difference.test for difference in found])
        pairs += [replace(d, test=test) for d, test in zip(found, tests, strict=True)]
    return pairs


def agent_pairs(records: pa.Table, agents: Collection[str] = ()) -> list[LabeledTest]:
    """Test for each story which agents differ, two by two. Adjusted within the condition.

    Args:
        records: Records of agents.
        agents: Those whose pairs with everybody else are tested; all pairs if none are named.
    """
    return _adjust(
        [
            LabeledTest({"agent": agent, "other": other, **labels}, _compare(answers, agent, other))
            for labels, rows in _group_scored(records, ("story", "overload_source"))
            for answers in (_values_by(rows, "agent"),)
            for agent, other in (
                ((one, two) for one in answers if one in agents for two in answers if two != one)
                if agents
                else combinations(answers, 2)
            )
        ]
    )


def condition_changes(measures: Iterable[Measure]) -> list[MeanDifference]:
    """Compare every measure after and before every manipulation, over agents that have both.

    Measures flagged `small_n` do not count. p-values are corrected within a manipulation.
    """
    values: dict[tuple[str, tuple[str, ...]], dict[str, float]] = {}
    for measure in measures:
        if measure.estimate is not None and "small_n" not in measure.flags:
            condition = tuple(str(measure.labels[factor]) for factor in CONDITION)
            agents = values.setdefault((measure.name, condition), {})
            agents[str(measure.labels["agent"])] = measure.estimate
    changes: list[MeanDifference] = []
    for manipulation, before, after in COMPARISONS:
        (by,) = (factor for factor in before if before[factor] != after[factor])
        family = []
        for (name, condition), first in values.items():
            levels = dict(zip(CONDITION, condition, strict=True))
            second = values.get((name, tuple({**levels, **after}.values())), {})
            by_agent = {agent: (second[agent], first[agent]) for agent in first if agent in second}
            if before.items() <= levels.items() and len(by_agent) > 1:
                held = {factor: level for factor, level in levels.items() if factor not in before}
                sides = {"by": by, "side_a": after[by], "side_b": before[by]}
                labels = {"manipulation": manipulation, **held}
                family.append(average_over_agents(name, labels, by_agent, suite="judge", **sides))
        changes += correct_family(family)
    return changes


def _group_scored(
    records: pa.Table, names: tuple[str, ...]
) -> Iterable[tuple[dict[str, str], Rows]]:
    """Return scored answers by these columns and the condition, in order of appearance.

    Their column `version` names the story, with the source of its distracting text if any.
    """
    labels = (*names, *CONDITION)
    more = ("agent", "item", "story", "overload_source", "polarity", "letter", "cause", "outcome")
    groups: dict[tuple[str, ...], Rows] = defaultdict(list)
    for row in records.select(list(dict.fromkeys((*labels, *more, "value")))).to_pylist():
        if row["outcome"] == "scored":
            source = row["overload_source"]
            version = row["story"] if source == "none" else f"{row['story']} ({source})"
            groups[tuple(row[name] for name in labels)].append({**row, "version": version})
    return [(dict(zip(labels, key, strict=True)), rows) for key, rows in groups.items()]


def _rank(rows: Rows, by: str) -> HypothesisTest:
    return kruskal_wallis([row["value"] for row in rows], [row[by] for row in rows])


def _values_by(rows: Rows, by: str) -> dict[str, list[float]]:
    values: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        values[row[by]].append(row["value"])
    return values


def _compare(answers: Mapping[str, list[float]], one: str, other: str) -> HypothesisTest:
    return _flag(mann_whitney(answers[one], answers[other]))


def _rank_stories(rows: Rows) -> HypothesisTest:
    repeated = len({row["item"] for row in rows}) < len(rows)
    return _flag(_rank(rows, "version"), *(("repeated_items",) if repeated else ()))


def _permute_stories(rows: Rows, permutations: int) -> HypothesisTest:
    epochs: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in rows:
        epochs[row["version"], row["polarity"], row["letter"], row["cause"]].append(row["value"])
    test = permutation_test(
        [fmean(values) for values in epochs.values()],
        [version for version, *_ in epochs],
        [f"{letter}/{cause}" for *_, letter, cause in epochs],
        ("judge", "stories"),
        permutations,
    )
    return _flag(test)


def _flag(test: HypothesisTest, *flags: str) -> HypothesisTest:
    small = ("small_n",) if test.n < SMALL_N else ()
    return replace(test, flags=(*test.flags, *small, *flags))


def _adjust(differences: list[LabeledTest]) -> list[LabeledTest]:
    """Correct p-values over the tests of a condition."""
    families: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, difference in enumerate(differences):
        families[tuple(difference.labels[name] for name in CONDITION)].append(position)
    adjusted = list(differences)
    for positions in families.values():
        tests = adjust([differences[position].test for position in positions])
        for position, test in zip(positions, tests, strict=True):
            adjusted[position] = replace(differences[position], test=test)
    return adjusted
