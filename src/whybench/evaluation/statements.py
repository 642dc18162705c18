"""The statement of an experiment: designs, settings, models and planned comparisons.

A profile and an experiment from a file are both such a statement, and its units are run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.evaluation.crossings import cross_settings, tell_crossings
from whybench.evaluation.deciding import Deciding, read_until
from whybench.evaluation.units import UNIT_SIZE, count_samples, inspect_settings, list_units
from whybench.planning.asks import Ask, without_rounds
from whybench.planning.plans import count_calls, plan_rows
from whybench.results.experiments import AnalysisPlan, Frozen, Statement
from whybench.suites.references import REFERENCE, find_reference
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from whybench.evaluation.units import Unit
    from whybench.planning.plans import Plan
    from whybench.planning.prices import Prices

FROZEN = "frozen.json"
"""The file of a folder that has the frozen statement."""

Models = tuple[tuple[str, Mapping[str, Any]], ...]


@dataclass(frozen=True)
class Experiment:
    """Designs, models, conditions and planned comparisons.

    Attributes:
        title: The heading of its page.
        models: Models and their arguments.
        asks: The suites and designs that each model is asked.
        settings: How models are asked, as settings of Inspect's; those of several levels are
            crossed.
        analysis: The planned comparisons; None if nothing is stated beforehand.
        baselines: People or published models that are shown with the models.
        unit_size: The most samples of a unit.
        quotas: Calls a second by provider, the part of a model's name before the first `/`.
        layout: The folder of a unit's logs, as in `list_units`.
        notes: Lines about the choice of designs.
        until: The comparisons after whose decision nothing more is asked; None to ask everything.
    """

    title: str
    models: Models
    asks: tuple[Ask, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    analysis: AnalysisPlan | None = None
    baselines: tuple[str, ...] = ()
    unit_size: int = UNIT_SIZE
    quotas: Mapping[str, float] = field(default_factory=dict)
    layout: str = "logs/{design}/{agent}"
    notes: tuple[str, ...] = ()
    until: AnalysisPlan | None = None

    def with_until(
        self, until: str | None, smallest: Mapping[str, float] | None = None
    ) -> Experiment:
        """Return the experiment with an end once its comparisons are decided.

        Args:
            until: `decided`; None to ask everything.
            smallest: Measure to the smallest difference of interest, in place of those stated.
        """
        chosen = read_until(until, self.analysis or AnalysisPlan(), smallest)
        if chosen is None:
            return self
        asks = (replace(ask, design=without_rounds(ask.suite, ask.design)) for ask in self.asks)
        return replace(self, until=chosen, asks=tuple(asks))

    @cached_property
    def deciding(self) -> Deciding | None:
        """The comparisons that end the experiment, with their looks."""
        if self.until is None:
            return None
        shared = [
            ask
            for ask, plan in zip(self.asks, self.plans, strict=True)
            if all(plan in self.plans_of(model) for model, _ in self.models)
        ]
        return Deciding.plan(self.until, shared, self.models, len(self.crossings))

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """The plan of each suite and design, for one model."""
        return tuple(
            count_calls(
                get_suite(ask.suite),
                ask.choose_design(),
                limit=ask.limit,
                epochs=ask.epochs,
                shard=ask.shard,
                group=ask.group,
            )
            for ask in self.asks
        )

    @cached_property
    def crossings(self) -> dict[str, dict[str, Any]]:
        """The settings of each crossing, by words for it."""
        return cross_settings(self.settings)

    def plans_of(self, model: str) -> list[Plan]:
        """Return the plans that a model can be asked; a reference agent knows its suites alone."""
        if not model.startswith(REFERENCE):
            return [*self.plans]
        able = find_reference(model).parts
        return [plan for plan in self.plans if plan.suite.name in able]

    def plans_by_model(self) -> dict[str, list[Plan]]:
        """Return model to its plans, each as often as there are crossings and arguments."""
        found: dict[str, list[Plan]] = {}
        for model, _ in self.models:
            found.setdefault(model, []).extend(self.plans_of(model) * len(self.crossings))
        return found

    def check_max_cost(self, prices: Prices, max_cost: float | None) -> None:
        """Raise an error if it would cost more, or if that is not known."""
        for of_model in self.crossings.values():
            prices.check_max_cost(max_cost, self.plans_by_model(), of_model)

    def tables(self, prices: Prices) -> Iterator[tuple[str, list[dict[str, str]]]]:
        """Yield each model with its plans, a row for each suite and one for all."""
        config = list(self.crossings.values())[-1]
        for model in dict.fromkeys(model for model, _ in self.models):
            yield model, plan_rows(model, self.plans_of(model), prices, config)

    def list_units(self, **named: Any) -> list[Unit]:
        """Return the units: each suite of all models, then the next.

        Args:
            **named: Further settings of all models, as in `inspect_settings`.
        """
        units: list[Unit] = []
        for ask, plan in zip(self.asks, self.plans, strict=True):
            design = plan.design
            most = plan.samples if self.deciding else self.unit_size
            sizes = count_samples(ask, design, plan.samples, most)
            # A limit that would separate the conditions of an item is lowered.
            cut = replace(ask, limit=plan.samples if ask.limit else None)
            for model, args in self.models:
                if plan in self.plans_of(model):
                    crossings = {
                        words: inspect_settings(args, settings, **named)
                        for words, settings in self.crossings.items()
                    }
                    units += list_units(cut, design, sizes, model, args, crossings, self.layout)
        if self.deciding:
            units = [*self.deciding.split(units)]
        for place, times in Counter(unit.place for unit in units).items():
            if times > 1:
                raise UserError(f"each design must be asked once of a model, got {place} twice")
        return [replace(unit, number=number) for number, unit in enumerate(units, start=1)]

    def content(self) -> dict[str, Any]:
        """Return all that is stated, as it is frozen: plain values, and digests of designs."""
        suites = []
        for ask, plan in zip(self.asks, self.plans, strict=True):
            asked = sum(plan in self.plans_of(model) for model, _ in self.models)
            in_rounds = plan.suite.rounds(plan.design) is not None
            items = plan.samples if in_rounds else plan.items
            suites.append(
                {
                    "suite": ask.suite,
                    "version": plan.suite.version,
                    "design": plan.design.name,
                    "design_hash": plan.design.hash,
                    "items": plan.items,
                    "epochs": ask.epochs,
                    "group": ask.group,
                    "answers": items * ask.epochs * asked * len(self.crossings),
                    "in_rounds": in_rounds,
                }
            )
        planned = asdict(self.analysis or AnalysisPlan())
        return {
            "models": [{"model": model, "args": dict(args)} for model, args in self.models],
            "suites": suites,
            "settings": dict(self.settings),
            "compare": list(planned["factors"]),
            "measures": list(planned["measures"]),
            "smallest": dict(planned["smallest"]),
            "exclude": {"answered_below": planned["answered_below"]},
            **({"until": self.deciding.content()} if self.deciding else {}),
        }

    def lines(self, prices: Prices) -> Iterator[str]:
        """Yield lines on settings, costs and advice."""
        if crossed := tell_crossings(self.settings):
            yield crossed
        config = list(self.crossings.values())[-1]
        for model, plans in self.plans_by_model().items():
            if model.startswith(REFERENCE):
                yield find_reference(model).explain()
            yield prices.explain(model, plans, config)
        yield from self.notes
        if self.deciding:
            yield from self.deciding.lines()
        for plan in self.plans:
            yield from (f"{plan.suite.name}: {line}" for line in plan.advice())
            words = (plan.recommend_temperature(model, config) for model, _ in self.models)
            yield from dict.fromkeys(filter(None, words))

    def state(self, folder: Path) -> Statement | None:
        """Return the statement now, with the one frozen into the folder."""
        if self.analysis is None:
            return None
        return Statement(self.analysis, self.content(), Frozen.read(folder / FROZEN))
