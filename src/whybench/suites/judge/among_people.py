"""An agent and the people of Rehder and Waldmann (2017), cell by cell.

People were asked about other items than any agent, in the same words or not, so items do not pair.
What pairs is the cell: graph, story, polarity, task, and which of its two versions (`cause`). On
both sides the answers of a cell are averaged, so that means meet means, and measures of both are
compared by leaving out vignettes (a story under one polarity), which both sides share.

Where an agent lies among single people is said for what one person's twenty answers tell:
`explaining_away`, `markov_violation`, and `human_distance`, each person's to the mean of the others
who judged the same vignette. There the agent stands in the person's place, and is held against the
same others; the agent's answers in a cell are averaged first, so who answers many times has less
noise than a person. A person's `explaining_away` and `markov_violation` rest on four answers, or
eight: `reliability` says how far the versions about the two outer variables agree over people, for
both versions together (Spearman and Brown). The shift ratio needs several vignettes, and no person
judged two. Intervals of a place are Wilson's, clustered by vignette; the agent's own value is taken
as it is.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, cast, get_args

import numpy as np

from whybench.errors import UserError
from whybench.stats import spearman_brown, wilson_estimate
from whybench.suites.groups import GROUP_KEYS, group_records
from whybench.suites.judge.groups import CONDITION
from whybench.suites.judge.human_correlation import average_cells, judged_groups, other_stimuli
from whybench.suites.judge.likeness import compare_likeness, list_persons
from whybench.suites.judge.measures import contrast_ratios, task_contrast
from whybench.suites.judge.published import JudgedGraph, human_means, people_records
from whybench.suites.judge.questions import load_structure
from whybench.suites.judge.shift_ratio import compare_shift_ratios
from whybench.suites.pairs import (
    RatioEstimator,
    compare_groups,
    match_groups,
    stack_sides,
)
from whybench.suites.people import AgentAmongPeople, Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Difference, Estimate
    from whybench.suites.groups import Group

CELL_COLUMNS = ("story", "polarity", "task", "cause")
WORD_COLUMNS = ("outcome", *CELL_COLUMNS, "letter")
VIGNETTE = ("vignette", ("story", "polarity"))

EXPECTED = (
    "answers must be about what people judged: economy, sociology or weather, as a collider or a "
    "fork, with independence unstated"
)
ADVICE = "run judge with --design core or --design published"


def compare_with_people(records: pa.Table) -> AgentAmongPeople:
    """Return what differs between one agent and people, how like them it is, and its place.

    Args:
        records: Records of one agent, under any number of conditions. Those that people did not
            judge are left out, and noted.

    Raises:
        UserError: People judged nothing of it.
    """
    shared = _choose_shared(records)
    if not shared.num_rows:
        raise UserError(f"{EXPECTED}, got {_describe(records)}; {ADVICE}")
    people = _repeat_people(shared)
    both = stack_sides(people, shared)
    if "person" in both.column_names:
        both = both.drop_columns("person")  # what the sides share is the vignette
    blank = _blank_designs(shared)
    lost = float(np.mean([outcome == "error" for outcome in shared["outcome"].to_pylist()]))
    return AgentAmongPeople(
        tuple(_mark_stimuli(one, records) for one in _differences(both)),
        tuple(replace(one, labels=_condition(one.labels)) for one in compare_likeness(blank)),
        tuple(_places(blank)),
        lost,
        tuple(_notes(records, shared)),
    )


@cache
def _read_people(graph: str) -> pa.Table:
    return people_records(cast("JudgedGraph", graph))


def _choose_shared(records: pa.Table) -> pa.Table:
    """Return the answers in cells that people judged."""
    names = ("graph", *CELL_COLUMNS, "independence")
    judged = {graph: human_means(graph) for graph in get_args(JudgedGraph)}
    versions = {
        (graph, question.task, question.cause): question.letter
        for graph in judged
        for question in load_structure(graph).questions
    }
    chosen = [
        independence != "stated"
        and (story, polarity, versions.get((graph, task, cause), "")) in judged.get(graph, {})
        for graph, story, polarity, task, cause, independence in zip(
            *(records[name].to_pylist() for name in names), strict=True
        )
    ]
    return records.filter(chosen)


def _repeat_people(shared: pa.Table) -> pa.Table:
    """Return people's answers once for each condition of an agent, in the cells that it reached."""
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)

    conditions: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    names = (*CONDITION, *CELL_COLUMNS, "outcome")
    for words in zip(*(shared[name].to_pylist() for name in names), strict=True):
        cells = conditions.setdefault(words[: len(CONDITION)], set())
        if words[-1] != "error":
            cells.add(words[len(CONDITION) : -1])
    tables = []
    for condition, cells in conditions.items():
        labels = dict(zip(CONDITION, condition, strict=True))
        table = _read_people(labels["graph"])
        judged = zip(*(table[name].to_pylist() for name in CELL_COLUMNS), strict=True)
        table = table.filter([cell in cells for cell in judged])
        for name, level in labels.items():
            column = pa.array([level] * table.num_rows, type=table[name].type)
            table = table.set_column(table.column_names.index(name), name, column)
        tables.append(table)
    return pa.concat_tables(tables)


def _differences(both: pa.Table) -> Iterator[Difference]:
    """Yield people's and the agent's shift ratio and contrasts, and the differences."""
    yield from compare_shift_ratios(_without_errors(both))
    for graph in dict.fromkeys(both["graph"].to_pylist()):
        groups = [group for group in _mean_groups(both) if group.labels["graph"] == graph]
        estimators = {
            name: RatioEstimator(
                partial(_contrast, name, graph), partial(contrast_ratios, name, graph)
            )
            for name in load_structure(graph).contrasts
        }
        yield from compare_groups(groups, estimators)


def _without_errors(both: pa.Table) -> pa.Table:
    return both.filter([outcome != "error" for outcome in both["outcome"].to_pylist()])


def _mean_groups(both: pa.Table) -> list[Group]:
    """Return the mean answers of both sides in the cells that both answered."""
    found = []
    groups = group_records(both, CONDITION, WORD_COLUMNS, ("value",), lambda _: VIGNETTE)
    for pair in match_groups(groups):
        sides = []
        for group in pair:
            joined = [
                "/".join(cell) for cell in zip(*(group[c] for c in CELL_COLUMNS), strict=True)
            ]
            named = replace(group, columns={**group.columns, "cell": np.array(joined, dtype=str)})
            sides.append(average_cells(named.where(group["outcome"] == "scored")))
        common = np.intersect1d(sides[0]["cell"], sides[1]["cell"])
        found += [side.where(np.isin(side["cell"], common)) for side in sides]
    return found


def _contrast(name: str, graph: str, group: Group) -> Estimate:
    return task_contrast(name, group["value"], group["task"], group.units, graph)


def _mark_stimuli(found: Difference, records: pa.Table) -> Difference:
    """Return a difference with the flag of prompts that people did not read."""
    flags = other_stimuli({"agent": "", **found.labels}, records)
    return replace(found, flags=(*found.flags, *flags))


def _places(records: pa.Table) -> Iterator[Place]:
    """Yield where the agent lies among the people of the vignettes that it judged."""
    for group in judged_groups(records):
        if not group.units.size:
            continue
        said: dict[tuple[str, str], dict[str, float]] = {}
        columns = (group[name].tolist() for name in ("story", "polarity", "letter", "value"))
        for story, polarity, letter, value in zip(*columns, strict=True):
            said.setdefault((story, polarity), {})[letter] = value
        labels, graph = _condition(group.labels), group.labels["graph"]
        for name, contrast in load_structure(graph).contrasts.items():
            letters = {q.task: q.letter for q in load_structure(graph).questions}
            weights = {letters[task]: 1 / len(contrast.above) / 100 for task in contrast.above}
            weights |= {letters[task]: -1 / len(contrast.below) / 100 for task in contrast.below}
            complete = [vignette for vignette, own in said.items() if {*weights} <= {*own}]
            if complete:
                yield _place_contrast(name, labels, graph, weights, {v: said[v] for v in complete})
        yield _place_distance(labels, graph, said)


def _place_contrast(
    name: str,
    labels: Mapping[str, str],
    graph: str,
    weights: Mapping[str, float],
    said: Mapping[tuple[str, str], Mapping[str, float]],
) -> Place:
    """Return where the agent's contrast lies among those of single people."""
    own = float(np.mean([_weigh(weights, answers) for answers in said.values()]))
    values, vignettes = [], []
    for vignette in said:
        for person in list_persons(graph)[vignette]:
            values.append(_weigh(weights, person))
            vignettes.append("/".join(vignette))
    return Place(
        name, labels, own, _share_below(np.array(values), np.full(len(values), own), vignettes),
        _quartiles(values), _reliability(graph, weights, set(said)),
    )  # fmt: skip


def _place_distance(
    labels: Mapping[str, str], graph: str, said: Mapping[tuple[str, str], Mapping[str, float]]
) -> Place:
    """Return whether the agent is nearer to the others of a vignette than each person is."""
    theirs, own, vignettes = [], [], []
    for vignette, answers in said.items():
        persons = list_persons(graph)[vignette]
        for number, person in enumerate(persons):
            rest = [other for place, other in enumerate(persons) if place != number]
            means = {c: float(np.mean([other[c] for other in rest])) for c in answers}
            theirs.append(float(np.mean([abs(person[c] - means[c]) for c in answers])))
            own.append(float(np.mean([abs(answers[c] - means[c]) for c in answers])))
            vignettes.append("/".join(vignette))
    share = _share_below(np.array(theirs), np.array(own), vignettes)
    return Place("human_distance", labels, float(np.mean(own)), share, _quartiles(theirs), None)


def _weigh(weights: Mapping[str, float], answers: Mapping[str, float]) -> float:
    return sum(weight * answers[letter] for letter, weight in weights.items())


TIE = 1e-9
"""Values nearer to each other than this are the same."""


def _share_below(
    theirs: NDArray[np.float64], own: NDArray[np.float64], vignettes: Sequence[str]
) -> Estimate:
    """Estimate the share of people whose value is below the agent's, ties by halves."""
    apart = own - theirs
    below = np.where(np.abs(apart) <= TIE, 0.5, (apart > 0).astype(float))
    share = float(below.mean())
    influence = (below - share) / below.size
    method = "share of people, ties by halves; Wilson, clustered by vignette"
    return replace(wilson_estimate(share, influence, vignettes, method), n=below.size)


def _quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return float(low), float(middle), float(high)


def _reliability(
    graph: str, weights: Mapping[str, float], vignettes: set[tuple[str, str]]
) -> float | None:
    """Return how reliable single people's contrasts are, from those of the two versions."""
    versions: dict[str, dict[str, float]] = {}
    for row in _read_people(graph).to_pylist():
        if row["letter"] in weights and (row["story"], row["polarity"]) in vignettes:
            person = versions.setdefault(row["person"], {})
            moved = weights[row["letter"]] * row["value"]
            person[row["cause"]] = person.get(row["cause"], 0.0) + moved
    # Everybody was asked in another order.
    one, two = np.array(
        [[person[name] for name in sorted(person)] for person in versions.values()]
    ).T
    if not one.std() or not two.std():
        return None
    return float(spearman_brown(np.corrcoef(one, two)[0, 1]))


def _blank_designs(shared: pa.Table) -> pa.Table:
    """Return an agent's records as of one design, so that conditions alone tell them apart."""
    import pyarrow as pa  # noqa: PLC0415

    blank = shared
    for name in ("design", "design_hash"):
        column = pa.array([""] * blank.num_rows, type=pa.string())
        blank = blank.set_column(blank.column_names.index(name), name, column)
    return blank


def _condition(labels: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in labels.items() if name not in GROUP_KEYS}


def _describe(records: pa.Table) -> str:
    """Say what an agent was asked about, for somebody who expected something else."""
    names = ("graph", "story", "independence", "content")
    found = {name: sorted(set(map(str, records[name].to_pylist()))) for name in names}
    return ", ".join(f"{name} {' '.join(levels[:6])}" for name, levels in found.items())


def _notes(records: pa.Table, shared: pa.Table) -> Iterator[str]:
    for graph in dict.fromkeys(shared["graph"].to_pylist()):
        rows = [row == graph for row in shared["graph"].to_pylist()]
        names = ("story", "polarity", "letter")
        cells = set(zip(*(shared.filter(rows)[n].to_pylist() for n in names), strict=True))
        yield f"{graph}: {len(cells)} of {len(human_means(graph))} cells that people judged"
    if left := records.num_rows - shared.num_rows:
        yield f"{left} answers to what people did not judge are left out"
