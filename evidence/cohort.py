"""A cohort whose minds are known: from the browser to records to measures.

Simulated participants answer as noisy-OR reasoners with noise, whose parameters are drawn from a
seed. They go through the exported experiment in a real browser, page by page; what it saved is
imported, and the measures of the group are held against what is known of its members. One cohort
shows that the way from the page to the measure is right; many, whose rows are written without a
browser, show that the intervals cover as often as they say.

Somebody careless can be simulated too: who leaves early, answers always the same, fails checks or
comes twice. The rules of exclusion must find them all, and nobody else.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from evidence.browser import chromium
from evidence.figures import Figure, Parts, figures_of
from evidence.participants import take_part
from whybench.seeds import generator
from whybench.study.export import write_study
from whybench.study.importing import import_saved, import_study
from whybench.study.plan import make_plan
from whybench.study.saved import SavedData
from whybench.study.simulation import SimulatedPerson, participation_rows
from whybench.suites.calibration import coverage_bounds
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.stats import Measure
    from whybench.study.plan import StudyPlan

CLAIMED = ("explaining_away", "markov_violation", "leak_adjusted_determinacy")
SHARED = (*CLAIMED, "prior", "leak", "strength")
"""Measures that are known of a group whose members share their parameters. Intervals of six
measures do not all cover in a fourth of cohorts, so one cohort is held to the first three."""

OWN = ("explaining_away", "markov_violation")
"""Measures that are known of a group whose members do not: they are means over answers."""

NOT_COMPARED = ("seconds", "slider_start", "epoch")
"""Columns that say how and when somebody answered; whoever moves a slider takes their own time."""

PLACES = [("person", "ascending"), ("place", "ascending")]
"""What tells the answers of a cohort apart, and puts them in order."""


def minds(count: int, seed: int, alike: bool = True) -> list[SimulatedPerson]:
    """Return participants with parameters drawn from a seed: the same for all, or their own."""

    def drawn(*keys: object) -> dict[str, float]:
        draw = generator("cohort", seed, *keys)
        low, high = (0.3, 0.05, 0.5, 0.2), (0.7, 0.25, 0.9, 0.5)
        p, b, m, noise = draw.uniform(low, high).round(2).tolist()
        return {"p": p, "b": b, "m1": m, "m2": m, "noise": noise}

    shared = drawn()
    return [
        SimulatedPerson(number, "noisy-or", shared if alike else drawn(number), seed)
        for number in range(count)
    ]


def in_browser(small: bool) -> Iterator[Figure]:
    """Yield what a cohort that went through the browser comes to; small, a few members of it."""
    plan = make_plan("judge", {"design": "core"})
    people = minds(48, seed=9)
    browsing = people[:3] if small else people
    items = {item.digest: item for entry in plan.lists for item in entry}
    with TemporaryDirectory() as place:
        study, data = Path(place) / "study", Path(place) / "data"
        (data / "again").mkdir(parents=True)
        write_study(plan, study)
        with chromium() as browser:
            for one in (*browsing, people[0]):

                def answer(item_id: str, one: SimulatedPerson = one) -> list[str]:
                    return one.replies(plan, items[item_id])

                # Every time is in a browser that knows nothing of the others.
                folder = data / "again" if any(data.glob(f"*{one.id}*")) else data
                take_part(browser, study, one.id, one.number, answer, folder)
        rest = _lines(plan, people[len(browsing) :])
        (data / "rest.jsonl").write_text(rest, encoding="utf-8")
        rules = ["incomplete", "repeated", "constant", "comprehension>1", "attention<1"]
        found = import_study(study, [data], rules, by="group", name="cohort")
    told, written = (
        table.drop_columns(NOT_COMPARED).sort_by(PLACES)
        for table in (found.table, _imported(plan, people))
    )
    yield Figure(
        f"a cohort of which {len(browsing)} go through the browser, one of them twice, has the "
        "records that its minds have without one",
        f"{found.participations} participations, {found.repeated} repeated, {found.kept} kept, "
        f"{told.num_rows} answers, {len(found.saved.broken)} rows broken, {found.doubles} double; "
        f"{told.num_columns} columns compared",
        told == written
        and (found.repeated, found.kept) == (1, len(people))
        and not found.saved.broken,
    )
    known = _known(plan, people, SHARED)
    measured = cohort_measures(found.table, SHARED)["human/cohort"]
    yield Figure(
        f"what is known of the minds lies in the intervals of {', '.join(CLAIMED)}",
        "; ".join(
            f"{name} known {value:.3f}, measured {measured[name].estimate:.3f} "
            f"({measured[name].low:.3f} to {measured[name].high:.3f})"
            for name, value in known.items()
        ),
        all(_covers(measured[name], known[name]) for name in CLAIMED),
    )


def coverage(small: bool) -> Iterator[Figure]:
    """Yield how often intervals cover over many cohorts, of equal and of different minds."""
    plan = make_plan("judge", {"design": "core"})
    cohorts, people = (10, 12) if small else (200, 48)
    low, high = coverage_bounds(cohorts)
    for alike, names in ((True, SHARED), (False, OWN)):
        kinds = "alike" if alike else "each their own"
        tables, known = [], {}
        for seed in range(cohorts):
            members = minds(people, seed, alike)
            tables.append(_imported(plan, members, f"cohort-{seed}"))
            known[f"human/cohort-{seed}"] = _known(plan, members, names)
        found = _measured(tables, names)
        shares = {
            name: fmean(_covers(found[one][name], values[name]) for one, values in known.items())
            for name in names
        }
        # Members of a cohort are all there is of it; as if drawn, they leave more to chance.
        highest = high if alike else 1.0
        yield Figure(
            f"over {cohorts} cohorts of {people} minds, {kinds}, intervals cover in {low:.1%} to "
            f"{highest:.1%}",
            "; ".join(f"{name} {share:.1%}" for name, share in shares.items()),
            all(low <= share <= highest for share in shares.values()),
        )


def careless(small: bool) -> Iterator[Figure]:
    """Yield whether rules of exclusion find those who are careless, and only them."""
    plan = make_plan("judge", {"design": "core"})
    count = 12 if small else 48
    people = minds(count, seed=1)
    plain = _imported(plan, people)
    planted = {"incomplete": 5, "constant": 4, "comprehension>2": 3, "attention<1": 2}
    rows = [row for one in people for row in participation_rows(plan, one)]
    numbers = iter(range(count, 10_000))
    for rule, many in planted.items():
        for _ in range(many):
            mind = SimulatedPerson(next(numbers), "noisy-or", people[0].settings)
            rows += _spoilt(rule, participation_rows(plan, mind))
    again = [participation_rows(plan, one) for one in people[:3]]
    rows += [{**row, "at": "2027", "session": "again"} for one in again for row in one]
    rules = [*planted, "repeated"]
    saved = _saved("\n".join(map(json.dumps, [*rows, *rows[:100]])))
    found = import_saved(plan, saved, rules, by="group", name="cohort")
    counts = {one.rule: one.excluded for one in found.exclusions}
    yield Figure(
        "rules of exclusion find whom they are about, and nobody else; rows saved twice count once",
        f"{found.participations} participations, {found.kept} kept; "
        + ", ".join(f"{rule} {number}" for rule, number in counts.items())
        + f"; {found.doubles} rows double",
        counts == {**planted, "repeated": 3}
        and found.doubles == 100
        and found.table.sort_by(PLACES) == plain.sort_by(PLACES),
    )


def _spoilt(rule: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a participation as somebody careless would have it."""
    if rule == "incomplete":
        return rows[:15]
    changes: dict[str, tuple[str, dict[str, Any]]] = {
        "constant": ("item", {"replies": ["50"]}),
        "comprehension>2": ("comprehension", {"attempts": 3}),
        "attention<1": ("attention", {"correct": False}),
    }
    kind, change = changes[rule]
    return [{**row, **change} if row["kind"] == kind else row for row in rows]


def _imported(plan: StudyPlan, people: Sequence[SimulatedPerson], name: str = "cohort") -> pa.Table:
    """Return the records of participants who need no browser."""
    return import_saved(plan, _saved(_lines(plan, people)), by="group", name=name).table


def _lines(plan: StudyPlan, people: Iterable[SimulatedPerson]) -> str:
    """Return what participants save, as JSON lines."""
    rows = (row for one in people for row in participation_rows(plan, one))
    return "\n".join(map(json.dumps, rows))


def _saved(lines: str) -> SavedData:
    saved = SavedData()
    saved.read_text("rows.jsonl", lines.encode())
    return saved


def _known(
    plan: StudyPlan, people: Sequence[SimulatedPerson], names: Sequence[str]
) -> dict[str, float]:
    """Return what the measures of a group really are: the means over its members."""
    design = plan.suite.make_design(plan.settings)
    agent = plan.suite.agent(people[0].agent)
    assert agent.expected is not None
    each = [agent.expected(agent.settings(one.settings), design) for one in people]
    return {name: fmean(known[name] for known in each) for name in names}


def _measured(
    tables: Sequence[pa.Table], names: Sequence[str]
) -> Mapping[str, Mapping[str, Measure]]:
    import pyarrow as pa

    return cohort_measures(pa.concat_tables(tables), names)


def cohort_measures(table: pa.Table, names: Sequence[str]) -> dict[str, dict[str, Measure]]:
    """Return agent to the measures of these names."""
    found: dict[str, dict[str, Measure]] = {}
    for measure in get_suite("judge").measures(table):
        if measure.name in names and not measure.at:
            found.setdefault(measure.labels["agent"], {})[measure.name] = measure
    return found


def _covers(measure: Measure, known: float) -> bool:
    low, high = measure.low, measure.high
    return low is not None and high is not None and low <= known <= high


PARTS: Parts = {
    "cohort-browser": in_browser,
    "cohort-coverage": coverage,
    "cohort-careless": careless,
}

figures = partial(figures_of, PARTS)
