"""The source's results, recomputed from its raw data, with or without agents of one's own.

People and some thirty models under the four published conditions, read by the published recipe:
everything that the source prints and that we measure, in tables of flat rows. Where the source
pools what we keep apart (the two sources of distracting text), it is pooled here too.

An agent that was asked the published prompts (`--design thesis`, or a part of it) may stand among
the published models. All tables are then made of both by the same functions, and rows of one's own
are marked (`own`) and come first. Mean changes between conditions remain those of the published
models; what one's own changed is a table beside it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from whybench.frames import LazyTables
from whybench.suites.judge.differences import (
    agent_differences,
    agent_pairs,
    condition_changes,
    story_differences,
    story_pairs,
)
from whybench.suites.judge.fitted_models import FittedModel, fit_agents, fit_row
from whybench.suites.judge.groups import CONDITION, make_measure
from whybench.suites.judge.human_correlation import human_ceiling, human_correlations
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.published import mean_records, people_records
from whybench_papers.dettki2025.design import DESIGNS
from whybench_papers.dettki2025.models import read_models
from whybench_papers.dettki2025.prompts import CATEGORY, published_prompts
from whybench_papers.dettki2025.replies import (
    CONDITIONS,
    name_suite,
    printed_name,
    published_records,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from whybench.stats import MeanDifference, Measure
    from whybench.suites.judge.differences import LabeledTest

POOLED = tuple(name for name in CONDITION if name != "overload_source")

WARM = "[temperature=0.7]"

FITTED = ("leak_adjusted_determinacy", "heldout_r2")
PARAMETERS = ("prior", "leak", "strength_1", "strength_2")
"""What changes of a fit: with the other measures, and the parameters as a family of their own."""

Rows = list[dict[str, Any]]


def replicate(resamples: int = 2000, beside: pa.Table | None = None) -> LazyTables:
    """Recompute the published results: name of a table to its rows, made when it is needed.

    Args:
        resamples: Resamples of every bootstrap interval, one more than of permutations.
        beside: Records of one's own agents, to stand among the published models.
    """
    return LazyTables(_Results(resamples, beside).list_makers())


class _Results:
    """What tables are made of, each part computed once, when a table needs it."""

    def __init__(self, resamples: int, beside: pa.Table | None) -> None:
        self.resamples = resamples
        self.people, self.means = map(name_suite, (people_records("collider"), mean_records()))
        self.answered = {design: published_records(design) for design in CONDITIONS}
        self.printed = {design: _as_printed(table) for design, table in self.answered.items()}
        self.own: frozenset[str] = frozenset()
        if beside is not None:
            matched = match_conditions(beside)
            self.own = frozenset(matched["agent"].to_pylist())
            for design in CONDITIONS:
                mine = matched.filter([name == design for name in matched["design"].to_pylist()])
                self.answered[design] = _stack(self.answered[design], mine)
                self.printed[design] = _stack(self.printed[design], mine)

    def list_makers(self) -> dict[str, Callable[[], Rows]]:
        """Return what makes each table."""
        resamples, own = self.resamples, self.own
        makers: dict[str, Callable[[], Rows]] = {
            "people": self._list_people,
            "human_correlation": lambda: _rows(
                human_correlations(self.printed["core"], unit="row", resamples=resamples)
            ),
            "story_differences": lambda: self._test(story_differences),
            "story_permutations": lambda: self._test(
                lambda table: story_differences(table, "permutation", resamples - 1)
            ),
            "story_pairs": lambda: self._test(story_pairs),
            "agent_differences": lambda: self._test(agent_differences),
            "agent_pairs": lambda: self._test(lambda table: agent_pairs(table, own)),
            "measures": lambda: _rows(self.measured),
            "fits": lambda: [
                {**fit_row(model), "agent": _print_agent(model, own)} for model in self.models
            ],
            "tallies": self._count_agents,
            "changes": lambda: _rows(
                change
                for family in self.families
                for change in condition_changes(m for m in family if m.labels["agent"] not in own)
            ),
            "models": lambda: list(read_models()),
            "prompts": lambda: list(count_words()),
        }
        if own:
            makers["own_changes"] = lambda: [
                row
                for family in self.families
                for row in _own_changes(condition_changes(family), own)
            ]
            makers = {name: partial(self._mark_own, make) for name, make in makers.items()}
        return makers

    @cached_property
    def tested(self) -> list[pa.Table]:
        """Answers by condition, people's means among those to stories."""
        with_people = _stack(self.printed["core"], _as_printed(self.means))
        return [with_people if name == "core" else table for name, table in self.printed.items()]

    @cached_property
    def measured(self) -> list[Measure]:
        """EA and MV of every agent."""
        return [m for records in self.printed.values() for m in contrast_measures(records, POOLED)]

    @cached_property
    def human(self) -> list[Measure]:
        """EA and MV of people's means."""
        return list(contrast_measures(_as_printed(self.means), POOLED))

    @cached_property
    def models(self) -> list[FittedModel]:
        """The fitted model of every agent."""
        return [
            model
            for records in (self.means, self.people, *self.answered.values())
            for model in fit_agents(records, self.resamples, POOLED)
            if WARM not in model.group.labels["agent"] or model.group.labels["agent"] in self.own
        ]

    @cached_property
    def families(self) -> tuple[list[Measure], list[Measure]]:
        """What may change from condition to condition: measures, and parameters of fits."""
        every = [*self.measured, *_as_measures(self.models, self.own, FITTED)]
        return every, list(_as_measures(self.models, self.own, PARAMETERS))

    def _list_people(self) -> Rows:
        ceilings = [*human_ceiling(self.people), *human_ceiling(people_records("fork"))]
        return _rows([*self.human, *contrast_measures(self.people, POOLED), *ceilings])

    def _count_agents(self) -> Rows:
        (human_ea,) = (
            measure.estimate for measure in self.human if measure.name == "explaining_away"
        )
        return list(count_agents(self.measured, human_ea or 0.0, self.own))

    def _test(self, tests: Callable[[pa.Table], Iterable[LabeledTest]]) -> Rows:
        return _rows(difference for table in self.tested for difference in tests(table))

    def _mark_own(self, make: Callable[[], Rows]) -> Rows:
        """Return the rows of a table with those of one's own agents marked, and first."""
        rows = make()
        for row in rows:
            if "agent" in row:
                row["own"] = row["agent"] in self.own
        return sorted(rows, key=lambda row: not row.get("own", True))


def match_conditions(records: pa.Table) -> pa.Table:
    """Return the answers of your agents, each once, under the designs of the published replies.

    A run of `thesis` or of a changed design then has the same groups as the published replies.
    """
    designs = {}
    for name in CONDITIONS:
        (content,) = {story.content for story in DESIGNS[name].stories}
        designs[content, DESIGNS[name].overload[0]] = name
    columns = [records[name].to_pylist() for name in ("agent", "item", "epoch")]
    answers = list(zip(*columns, strict=True))
    first = {answer: place for place, answer in reversed([*enumerate(answers)])}
    matched = records.take(pa.array(sorted(first.values()), pa.int64()))
    found = [
        designs[condition]
        for condition in zip(
            *(matched[name].to_pylist() for name in ("content", "overload")), strict=True
        )
    ]
    for name, values in (("design", found), ("design_hash", [""] * len(found))):
        column = matched.column_names.index(name)
        matched = matched.set_column(column, name, pa.array(values, pa.string()))
    return matched


def _stack(first: pa.Table, second: pa.Table) -> pa.Table:
    return pa.concat_tables([first, second], promote_options="permissive")


def _as_printed(records: pa.Table) -> pa.Table:
    """Return records under the names that the source prints.

    The source counts replies at temperature 0.7 with the others of a model, except in fits.
    """
    names = pa.array([printed_name(agent) for agent in records["agent"].to_pylist()])
    return records.set_column(records.column_names.index("agent"), "agent", names)


def _print_agent(model: FittedModel, own: Collection[str]) -> str:
    agent = model.group.labels["agent"]
    return agent if agent in own else printed_name(agent)


def _own_changes(
    changes: Iterable[MeanDifference], own: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Yield how each measure of one's own agents differs, and its rank among all agents."""
    for change in changes:
        moves = dict(change.ranked)
        others = [move for agent, move in moves.items() if agent not in own]
        for agent in (agent for agent in change.by_agent if agent in own):
            after, before = change.by_agent[agent]
            yield {
                "agent": agent,
                **change.labels,
                "by": change.by,
                "side_a": change.side_a,
                "side_b": change.side_b,
                "measure": change.measure,
                "estimate_a": after,
                "estimate_b": before,
                "difference": moves[agent],
                "rank": 1 + sum(move > moves[agent] for move in others),
                "n": len(others) + 1,
            }


def count_agents(
    measures: Iterable[Measure], human_ea: float, own: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Count agents by their explaining away and Markov violation, condition by condition.

    Args:
        measures: Measures `explaining_away` and `markov_violation`, such as `judge_measures`
            computes. People among them do not count as agents.
        human_ea: People's explaining away.
        own: Agents of one's own, named where they meet a criterion.

    Yields:
        Three rows for each condition: the criterion, the number of agents that meet it, how many
        agents were counted (`n`), and who was not, for being flagged `small_n` (`left_out`).
    """
    conditions: dict[tuple[tuple[str, str], ...], dict[str, list[Measure]]] = {}
    for measure in measures:
        if not measure.labels["agent"].startswith("human/"):
            key = tuple(item for item in measure.labels.items() if item[0] in CONDITION)
            conditions.setdefault(key, defaultdict(list))[measure.name].append(measure)
    criteria: list[tuple[str, str, Callable[[float], bool]]] = [
        ("explaining_away above people's", "explaining_away", lambda ea: ea > human_ea),
        ("explaining_away > 0.3", "explaining_away", lambda ea: ea > 0.3),
        ("|markov_violation| <= 0.05", "markov_violation", lambda mv: abs(mv) <= 0.05),
    ]
    for condition, by_name in conditions.items():
        for criterion, name, is_met in criteria:
            small = [measure for measure in by_name[name] if "small_n" in measure.flags]
            counted = [m for m in by_name[name] if "small_n" not in m.flags]
            values = [m.estimate for m in counted if m.estimate is not None]
            mine = [m.labels["agent"] for m in counted if m.labels["agent"] in own]
            met = {
                m.labels["agent"] for m in counted if m.estimate is not None and is_met(m.estimate)
            }
            yield {
                **dict(condition),
                "criterion": criterion,
                "number": sum(map(is_met, values)),
                "n": len(values),
                "left_out": " ".join(measure.labels["agent"] for measure in small),
                **({"own_among_them": " ".join(a for a in mine if a in met)} if own else {}),
            }


def count_words() -> Iterator[dict[str, Any]]:
    """Yield how many words the prompts of each condition and style have."""
    for design, style in product(CONDITIONS, CATEGORY):
        (content,) = {story.content for story in DESIGNS[design].stories}
        overload = DESIGNS[design].overload[0]
        prompts = published_prompts(content == "abstract", overload, style)
        words = [len(prompt.split()) for versions in prompts.values() for prompt in versions]
        yield {
            **{"content": content, "overload": overload, "style": style, "n": len(words)},
            **{"words": fmean(words), "shortest": min(words), "longest": max(words)},
        }


def _rows(results: Iterable[Measure | LabeledTest | MeanDifference]) -> list[dict[str, Any]]:
    return [result.row() for result in results]


def _as_measures(
    models: Iterable[FittedModel], own: Collection[str], names: Sequence[str]
) -> Iterator[Measure]:
    for model in models:
        labels = {**model.group.labels, "agent": _print_agent(model, own)}
        known = {**model.estimates, "heldout_r2": model.heldout_r2}
        for name in names:
            estimate = known[name]
            yield replace(make_measure(model.group, name, estimate, estimate.method), labels=labels)
