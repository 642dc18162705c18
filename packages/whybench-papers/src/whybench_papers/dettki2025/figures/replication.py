"""All figures of the source: people and some thirty models under eight conditions.

Published models at temperature 0 only: the few that were also asked at 0.7 would count twice. The
two sources of distracting text are pooled, as the source has them. Agents of one's own stand among
the published, their names in bold, and come first in figures of a few agents.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from whybench.drawing.figure import is_people, is_published
from whybench.drawing.grids import pages
from whybench.suites.contract import UserError
from whybench.suites.judge.figures.determinacy import determinacy_by_condition, determinacy_panels
from whybench.suites.judge.figures.distribution import judgment_shares, share_rows
from whybench.suites.judge.figures.forest import (
    change_forest,
    human_correlation_by_story,
    human_correlation_forest,
    measure_by_condition,
)
from whybench.suites.judge.figures.heat_map import parameter_map
from whybench.suites.judge.figures.looks import condition_name
from whybench.suites.judge.figures.run import make_figure
from whybench.suites.judge.figures.tasks_panel import MOST, tasks_panel
from whybench.suites.judge.fitted_models import (
    ERRORS,
    error_measures,
    fit_agents,
    strength_measures,
)
from whybench.suites.judge.human_correlation import human_correlations, pooled_ceiling
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.published import mean_records
from whybench_papers.dettki2025.figures.release import measures_by_release
from whybench_papers.dettki2025.replication import POOLED, count_words, match_conditions
from whybench_papers.dettki2025.replies import (
    CONDITIONS,
    name_suite,
    printed_name,
    published_records,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Measure
    from whybench_papers.dettki2025.replies import ReplyParser

STYLES = ("direct", "cot")
SHOWN = ("gemini-2.5-pro", "gpt-4o", "claude-3-haiku-20240307")
"""Models in figures of a few: near the normative answers, between, and far off."""
BY_CONDITION = ("explaining_away", "markov_violation", "leak_adjusted_determinacy")
CHANGES = {
    "changes": ("explaining_away", "markov_violation", "leak_adjusted_determinacy", "heldout_r2"),
    "changes-fits": ("prior", "leak", "strength_1", "strength_2"),
}
"""Kind of a figure of changes, and its measures."""
PARAMETERS = ("prior", "leak", "strength_1", "strength_2", "leak_adjusted_determinacy")
RELEASED = ("leak_adjusted_determinacy", "explaining_away", "markov_violation", "heldout_r2")
PLAIN = "core"
MANIPULATIONS = {
    "abstract": (PLAIN, "abstract"),
    "overload": (PLAIN, "overload-e"),
    "abstract-overload": ("abstract", "abstract-overload-d"),
}
"""Name of a change of content, and the designs before and after it."""
MOST_AGENTS = 3
"""So many agents are in one figure that has panels for each."""


def replication_figures(
    parser: ReplyParser = "recipe",
    shown: Sequence[str] = SHOWN,
    beside: pa.Table | None = None,
) -> Iterator[Figure]:
    """Yield the figures.

    Args:
        parser: How the published replies are read, `recipe` or `own`.
        shown: Published models in figures of a few agents, by their printed names.
        beside: Records of one's own agents, who stand among the published and before those shown.
    """
    people = name_suite(mean_records()).drop_columns(["person"])
    own = None if beside is None else match_conditions(beside)
    records = _stack(
        people, *(_at_zero(published_records(name, STYLES, parser)) for name in CONDITIONS), own
    )
    few = _name_few(records, shown)
    plain = _at(records, design=("people", PLAIN))
    models = fit_agents(records, resamples=0, condition=POOLED)
    of_few = [m for m in models if m.group.labels["agent"] in few or _is_people(m.group.labels)]
    direct = [m for m in of_few if m.group.labels["design"] in ("people", PLAIN)
              and m.group.labels["style"] == "direct"]  # fmt: skip
    for page, some in pages(direct[1:], MOST):
        yield make_figure("-".join(["tasks", *page]), tasks_panel, [direct[0], *some])
    rows = list(share_rows(_at(plain, agent=(*few[:MOST], "human/rw17.mean"), style=("direct",))))
    yield make_figure("distribution", judgment_shares, rows)

    aligned = human_correlations(_at(plain, design=(PLAIN,)))
    yield make_figure(
        "human_correlation", human_correlation_forest, aligned, pooled_ceiling("collider")
    )
    yield make_figure("human_correlation-stories", human_correlation_by_story, aligned)

    measures = [
        *contrast_measures(records, POOLED),
        *(measure for model in models for measure in model.measures()),
        *strength_measures(models),
    ]
    errors = list(error_measures(models))
    for name in ERRORS:
        yield make_figure(f"errors-{name}", measure_by_condition, _of(errors, (name,)), name)
    heldout = _of(measures, ("heldout_r2",))
    plot = partial(measure_by_condition, below=_name_lengths(heldout))
    yield make_figure("heldout_r2", plot, heldout)
    for name in BY_CONDITION:
        yield make_figure(f"conditions-{name}", measure_by_condition, _of(measures, (name,)), name)
    for style in STYLES:
        mine = [m for m in measures if m.labels["style"] == style or _is_people(m.labels)]
        shown_parameters = _of(mine, PARAMETERS)
        yield make_figure(f"parameters-{style}", parameter_map, shown_parameters, PARAMETERS)

    of_plain = [m for m in measures if m.labels["design"] in ("people", PLAIN)]
    yield make_figure("determinacy", determinacy_panels, of_plain)
    others = [agent for agent in _list_agents(measures) if agent not in few]
    for page, agents in pages([*few, *others], MOST_AGENTS):
        theirs = [m for m in measures if m.labels["agent"] in agents]
        name = "-".join(["determinacy-conditions", *page])
        yield make_figure(name, determinacy_by_condition, theirs)
    yield from _changes(measures)
    for name in RELEASED:
        yield make_figure(f"release-{name}", measures_by_release, _of(measures, (name,)), (name,))


def _changes(measures: Sequence[Measure]) -> Iterator[Figure]:
    """Yield what changes with reasoning, in each content, and with the content, in each style."""
    pairs = {
        f"reasoning-{design}".removesuffix(f"-{PLAIN}"): ((design, "direct"), (design, "cot"))
        for design in CONDITIONS
    }
    for (name, (before, after)), style in product(MANIPULATIONS.items(), STYLES):
        pairs[f"{name}-{style}"] = (before, style), (after, style)
    for (name, places), (kind, names) in product(pairs.items(), CHANGES.items()):
        sides = (
            [m for m in _of(measures, names) if (m.labels["design"], m.labels["style"]) == place
             or _is_people(m.labels)]
            for place in places
        )  # fmt: skip
        yield make_figure(f"{kind}-{name}", change_forest, *sides)


def _of(measures: Sequence[Measure], names: Sequence[str]) -> list[Measure]:
    return [m for name in names for m in measures if m.name == name]


def _list_agents(measures: Sequence[Measure]) -> list[str]:
    agents = dict.fromkeys(
        m.labels["agent"] for m in measures if m.name == "leak_adjusted_determinacy"
    )
    return [agent for agent in agents if not is_people(agent)]


def _name_lengths(measures: Sequence[Measure]) -> dict[str, str]:
    """Return, by condition, how many words its prompts have in either style."""
    words = {(row["content"], row["overload"], row["style"]): row["words"] for row in count_words()}
    return {
        condition_name(of): f"prompts of {' / '.join(f'{length:.0f}' for length in lengths)} words"
        for of in (measure.labels for measure in measures if not _is_people(measure.labels))
        for lengths in ([words[of["content"], of["overload"], style] for style in STYLES],)
    }


def _is_people(labels: Mapping[str, str]) -> bool:
    return is_people(labels["agent"])


def _at_zero(records: pa.Table) -> pa.Table:
    return records.filter([not agent.endswith("]") for agent in records["agent"].to_pylist()])


def _at(records: pa.Table, **levels: Sequence[str]) -> pa.Table:
    """Return the records at some levels of columns."""
    for name, chosen in levels.items():
        records = records.filter([level in chosen for level in records[name].to_pylist()])
    return records


def _stack(*tables: pa.Table | None) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415  (not for every use)

    known = [table for table in tables if table is not None]
    return pa.concat_tables(known, promote_options="permissive")


def _name_few(records: pa.Table, shown: Sequence[str]) -> list[str]:
    """Return one's own agents and then the published models that are shown beside them."""
    agents = list(dict.fromkeys(records["agent"].to_pylist()))
    published = {printed_name(agent): agent for agent in agents if is_published(agent)}
    if unknown := [name for name in shown if name not in published]:
        raise UserError(f"shown must be published models, got {', '.join(unknown)}")
    own = [agent for agent in agents if not is_published(agent) and not is_people(agent)]
    return [*own, *(published[name] for name in shown)]
