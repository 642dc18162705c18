"""Comparison of conditions: each agent at several levels of a factor, paired by question.

A condition is a level of a factor that a design may manipulate while the same is asked (`style`,
`protocol`, `hint`), or of a setting of the model (`temperature`). The first level is the
reference, and every other level is compared with it, agent by agent (`whybench.results.pairing`).
Items pair by their `case` and by their levels of all other such factors, so that nothing else
differs. A factor that cannot be the same on both sides, as the source of an overload where there
is none, changes with the level, and labels show it.

All differences of all agents are one family; the means over agents are another. A mean and its
interval treat agents as drawn from others like them (Student's t). A model that was asked at
several settings is one of them, with the mean of its differences.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.model_settings import name_model
from whybench.results.comparison import Comparison
from whybench.results.levels import LevelSides, explain_levels, level_word, list_levels_met
from whybench.stats import average_over_agents, correct_family
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.stats import Difference, MeanDifference


def compare_conditions(
    tables: Mapping[str, pa.Table],
    by: str,
    reference: object = None,
    smallest: Mapping[str, float] | None = None,
) -> Comparison:
    """Compare levels of a factor, or of a setting of the model, agent by agent.

    Args:
        tables: Suite to its records.
        by: The factor: one that the design may manipulate, or a setting of the model.
        reference: The level with which others are compared; the first if there is none.
        smallest: Measure to the smallest difference of interest, as in `whybench.compare`.

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
    differences: list[Difference] = []
    notes: list[str] = []
    for name, found in able.items():
        first = found[by][0] if reference is None else level_word(reference)
        table = tables[name]
        if table["case"].null_count:
            table = table.filter(table["case"].is_valid())
            notes.append(f"{name}: answers without a case are left out")
        sides = LevelSides(get_suite(name), table, by, first)
        differences += sides.compare(found[by], smallest)
        notes += sides.notes
    left_out = [name for name in tables if name not in able]
    notes += [f"{name}: no second level of {by}, and not compared" for name in left_out]
    if not differences:
        raise UserError(
            f"`by` must be a factor at two levels of which an agent was asked the same, got {by} "
            f"and no such answers ({'; '.join(notes)}); run all levels with one design"
        )
    family = correct_family(differences)
    means = correct_family(_average(family))
    return Comparison(tuple(family), tuple(means), notes=tuple(notes))


def _average(differences: Sequence[Difference]) -> Iterator[MeanDifference]:
    """Yield the mean of each measure between two levels, where several agents have it."""
    alike: dict[tuple[Any, ...], list[Difference]] = {}
    for one in differences:
        if one.difference is not None:
            sides = one.suite, one.by, one.side_a, one.side_b
            alike.setdefault((one.measure, sides, tuple(one.labels.items())), []).append(one)
    for (measure, (suite, by, side_a, side_b), labels), mine in alike.items():
        values: dict[str, list[tuple[float, float]]] = {}
        for one in mine:
            pair = one.a.estimate or 0.0, one.b.estimate or 0.0
            values.setdefault(name_model(one.agent), []).append(pair)
        if len(values) > 1:
            by_agent = {
                agent: (fmean(a for a, _ in pairs), fmean(b for _, b in pairs))
                for agent, pairs in values.items()
            }
            yield average_over_agents(
                *(measure, dict(labels), by_agent),
                **{"suite": suite, "by": by, "side_a": side_a, "side_b": side_b},
                agent=f"mean over {len(by_agent)} agents",
            )
