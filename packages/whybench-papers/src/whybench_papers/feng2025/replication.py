"""What the source prints of its models, and one's own agents among them.

The source (CausalLink; Feng and Rudzicz 2025) publishes no answers, so its results are what its
tables print (`printed.yaml`). An agent of one's own is measured as these are:

- accuracy is of all episodes, so that one without an answer is not right;
- steps are of episodes that came to an answer;
- errors are episodes that a reply ended: of no form, of no action, of no answer, or cut off. Those
  that ran out of steps are not among them.

Results by structure and by number of entities are printed as pictures alone. These tables hold
one's own agents: by structure on the core set, where both confounders count as one, as in the
source; by number of entities on worlds in which all move at first, those of the core set and of one
advanced set together.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whybench.drawing.style import read_table
from whybench.stats import clustered_share
from whybench.suites.contract import UserError
from whybench.suites.intervene.measures import intervene_groups
from whybench.suites.intervene.sets import list_core_cases
from whybench.suites.intervene.verdicts import PATTERNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from whybench.stats import Estimate, Measure
    from whybench.suites.groups import Group

Rows = list[dict[str, Any]]

ERRORS = ("invalid_format", "invalid_action", "invalid_answer", "cut_off")
SOURCE_OF = {"direct": "table 4", "fewest-steps": "table 5", "cot": "5.4", "recipe": "5.4"}
TWO_PROMPTS = ("direct", "fewest-steps")
STRUCTURE = {"confounder-perturbed": "confounder"}
LARGER = ("source-advanced", "advanced")
OWN = "own run"
KEPT = ("agent", "style", "theme", "interface")


class PrintedLine(NamedTuple):
    """A line of tables 4 and 5: accuracy where the answer is no, where it is yes, and overall."""

    no: float
    yes: float
    overall: float
    steps: float
    errors: int


@cache
def read_printed() -> dict[str, Any]:
    """Return what is printed, by name."""
    return read_table(__package__, "printed.yaml")


def replicate(records: pa.Table | None = None) -> dict[str, Rows]:
    """Return the printed results with those of one's own records among them: table to rows.

    Args:
        records: Records of intervene; without them there are the printed tables alone.
    """
    results = [*printed_results(), *(() if records is None else core_results(records))]
    order = list(SOURCE_OF)
    results.sort(key=lambda one: (order.index(one.labels["style"]), -(one.accuracy.estimate or 0)))
    tables = {
        "published": [result.row() for result in results],
        "better": [result.row() for result in choose_better(results)],
        "failures": [*_printed_failures(), *(() if records is None else _own_failures(records))],
    }
    if records is not None:
        tables["structures"] = [measure.row() for measure in measure_structures(records)]
        tables["sizes"] = [measure.row() for measure in measure_sizes(records)]
        if not tables["structures"] and not tables["sizes"]:
            met = ", ".join(sorted(set(records["worlds"].to_pylist())))
            raise UserError(
                f"records must hold answers on core worlds, or on advanced ones that all move at "
                f"first, got {met}"
            )
    return tables


@dataclass(frozen=True)
class Result:
    """How an agent did on the core set under one prompt.

    Attributes:
        source: Where it is printed, or that it is one's own.
        labels: Agent and style.
        accuracy: Share of all episodes with a right answer.
        no: The same where the answer is no; without an estimate where it is not printed.
        yes: The same where the answer is yes.
        steps: Mean number of actions of episodes with an answer.
        errors: Episodes that a reply ended.
        flags: What to know of it.
    """

    source: str
    labels: Mapping[str, str]
    accuracy: Estimate
    no: Estimate | None = None
    yes: Estimate | None = None
    steps: float | None = None
    errors: int | None = None
    flags: tuple[str, ...] = ()

    def row(self) -> dict[str, Any]:
        """Return it as a flat row."""
        return {
            **self.labels,
            "source": self.source,
            "estimate": self.accuracy.estimate,
            "low": self.accuracy.low,
            "high": self.accuracy.high,
            "accuracy_no": self.no and self.no.estimate,
            "accuracy_yes": self.yes and self.yes.estimate,
            "steps": self.steps,
            "errors": self.errors,
            "n": self.accuracy.n,
            "flags": " ".join(self.flags),
        }


def choose_better(results: Iterable[Result]) -> list[Result]:
    """Return for each agent the better of the two prompts of tables 4 and 5, the best agent first.

    The source prints this as its table 1. Of equals it is the plain prompt.
    """
    better: dict[tuple[str, ...], Result] = {}
    for result in results:
        if result.labels["style"] in TWO_PROMPTS:
            key = tuple(level for name, level in result.labels.items() if name != "style")
            if key not in better or _rank(result) < _rank(better[key]):
                better[key] = result
    return sorted(better.values(), key=_rank)


def _rank(result: Result) -> tuple[float, int]:
    """Return what sorts results; printed shares of as many cases may differ in their last digit."""
    cases = result.accuracy.n or 1
    right = round((result.accuracy.estimate or 0.0) * cases)
    return -right / cases, TWO_PROMPTS.index(result.labels["style"])


def printed_results() -> Iterator[Result]:
    """Yield the printed results; intervals follow from the number of cases."""
    printed = read_printed()
    no, yes = printed["cases"]["no"], printed["cases"]["yes"]
    for style, models in printed["models"].items():
        for model, line in models.items():
            found = PrintedLine(*line)
            yield Result(
                SOURCE_OF[style],
                _label(model, style),
                _as_printed(found.overall, no + yes),
                _as_printed(found.no, no),
                _as_printed(found.yes, yes),
                found.steps,
                found.errors,
            )
    for style, models in printed["thinking"].items():
        for model, overall in models.items():
            accuracy = _as_printed(overall, no + yes)
            yield Result(SOURCE_OF[style], _label(model, style), accuracy)


def _label(model: str, style: str) -> dict[str, str]:
    return {"agent": model, "style": style}


def _as_printed(share: float, cases: int) -> Estimate:
    """Return a printed share, with the interval of the whole number of cases nearest to it."""
    hits = np.arange(cases) < round(share * cases)
    return replace(clustered_share(hits, np.arange(cases)), estimate=share)


def core_results(records: pa.Table) -> Iterator[Result]:
    """Yield how agents did on the core set, by the measures of the source."""
    for group in _groups(records, worlds=("core",)):
        episodes = group.where(group["outcome"] != "error")
        answered = episodes.where(episodes["outcome"] == "scored")
        if not episodes.units.size:
            continue
        part = len({*episodes.units.tolist()}) < len(list_core_cases())
        yield Result(
            source=OWN,
            labels={name: group.labels[name] for name in KEPT},
            accuracy=_accuracy(episodes),
            no=_accuracy(episodes.where(episodes["truth"] == 0)),
            yes=_accuracy(episodes.where(episodes["truth"] == 1)),
            steps=float(answered["steps"].mean()) if answered.units.size else None,
            errors=int(np.isin(episodes["reason"], ERRORS).sum()),
            flags=("part_of_core",) if part else (),
        )


def _accuracy(episodes: Group) -> Estimate:
    return clustered_share(episodes["value"] == episodes["truth"], episodes.units)


def _groups(records: pa.Table, worlds: tuple[str, ...], *, all_moving: bool = False) -> list[Group]:
    chosen = pc.is_in(records["worlds"], pa.array(worlds))
    if all_moving:
        chosen = pc.and_(chosen, pc.equal(records["initial"], "all-moving"))
    return intervene_groups(records.filter(chosen))


def measure_structures(records: pa.Table) -> Iterator[Measure]:
    """Yield the accuracy of each agent at each structure of the core set, as figure 2 shows it."""
    for group in _groups(records, worlds=("core",)):
        episodes = group.where(group["outcome"] != "error")
        structure = _pool_structures(episodes["structure"])
        for level in dict.fromkeys(sorted(structure.tolist(), key=_place)):
            chosen = episodes.where(structure == level, structure=str(level))
            yield _keep_labels(chosen.measure("accuracy", _accuracy(chosen)))


def _pool_structures(structures: NDArray[Any]) -> NDArray[np.str_]:
    return np.array([STRUCTURE.get(name, name) for name in structures.tolist()], dtype=str)


def _place(structure: str) -> int:
    return ("direct", "mediation", "confounder").index(structure)


def measure_sizes(records: pa.Table) -> Iterator[Measure]:
    """Yield the accuracy of each agent at each number of entities, all moving, as in figure 3.

    Worlds of two and three entities are of the core set, larger ones of the source's advanced set
    or, where an agent was not asked these, of our balanced one.
    """
    larger = _groups(records, LARGER, all_moving=True)
    asked = Counter(
        tuple(group.labels[name] for name in KEPT)
        for group in larger
        if group.labels["worlds"] == LARGER[0]
    )
    groups = [*_groups(records, ("core",), all_moving=True), *larger]
    for group in sorted(groups, key=lambda group: [group.labels[name] for name in KEPT]):
        key = tuple(group.labels[name] for name in KEPT)
        if group.labels["worlds"] == LARGER[1] and asked[key]:
            continue
        episodes = group.where(group["outcome"] != "error")
        for size in np.unique(episodes["entities"]).tolist():
            chosen = episodes.where(episodes["entities"] == size, entities=int(size))
            yield _keep_labels(chosen.measure("accuracy", _accuracy(chosen)), "worlds")


def _keep_labels(measure: Measure, *more: str) -> Measure:
    """Return a measure without the labels that tell designs apart."""
    kept = {name: measure.labels[name] for name in (*KEPT, *more)}
    return replace(measure, labels=kept)


def _printed_failures() -> Rows:
    printed = read_printed()
    return [
        {
            "agent": "the three best",
            "style": "both",
            "source": "table 2",
            "name": pattern,
            "estimate": share / 100,
            "n": printed["failed"],
            "flags": "",
        }
        for pattern, share in printed["failures"].items()
    ]


def _own_failures(records: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield the patterns of wrong answers on the core set."""
    for group in _groups(records, worlds=("core",)):
        wrong = group.where((group["outcome"] == "scored") & (group["value"] != group["truth"]))
        for pattern in PATTERNS:
            found = clustered_share(wrong["pattern"] == pattern, wrong.units)
            yield {
                **{name: group.labels[name] for name in KEPT},
                "source": OWN,
                "name": pattern,
                "estimate": found.estimate,
                "low": found.low,
                "high": found.high,
                "n": found.n,
                "flags": "",
            }
