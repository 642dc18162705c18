"""A profile: an agent's abilities side by side, each by its own headline; no overall number.

A profile asks each suite as much as its budget says, through the same eval sets as `run`. Before
the first call `ProfilePlan` says how many calls, tokens and dollars that is. Its folder holds
everything: `logs/`, by model and suite, `records/`, a file for each suite, and `page.html`. The
same request resumes what was interrupted; with another model it adds that model to the folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.evaluation.engine import LEAN, build_task, check_model
from whybench.evaluation.requests import Request, ask_requests, write_results
from whybench.evaluation.runs import (
    file_name,
    inspect_settings,
    list_suites_for,
)
from whybench.evaluation.spending import watch_spending
from whybench.planning.plans import plan_budget, plan_rows
from whybench.planning.prices import Prices
from whybench.suites.contract import BUDGETS
from whybench.suites.references import REFERENCE, find_reference
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from whybench.planning.plans import Plan
    from whybench.results import Records
    from whybench.suites.registry import AnySuite


@dataclass(frozen=True)
class ProfilePlan:
    """What a profile asks of whom, and what it costs.

    Attributes:
        budget: How much is asked: small, standard or full.
        plans: Model to the plan of each suite that it is asked.
        prices: What tokens cost.
    """

    budget: str
    plans: Mapping[str, Sequence[Plan]]
    prices: Prices

    @classmethod
    def make(
        cls,
        models: Sequence[str],
        budget: str = BUDGETS[0],
        suites: Sequence[str] = (),
        prices: str | Path | None = None,
    ) -> ProfilePlan:
        """Plan a profile; arguments are those of `profile`."""
        names = {model: list_suites_for(model, suites) for model in models}
        # A plan makes all items of a design, so it is made once for all models.
        by_suite = {
            name: plan_budget(get_suite(name), budget)
            for name in dict.fromkeys(chain.from_iterable(names.values()))
        }
        plans = {model: [by_suite[name] for name in chosen] for model, chosen in names.items()}
        return cls(budget, plans, Prices.read(prices))

    @property
    def suites(self) -> dict[str, AnySuite]:
        """The suites that are asked, by name."""
        return {plan.suite.name: plan.suite for plan in chain(*self.plans.values())}

    @property
    def folder(self) -> Path:
        """The default folder of a profile."""
        return Path("profiles", file_name(",".join(self.plans), self.budget))

    def tables(
        self, config: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[str, list[dict[str, str]]]]:
        """Yield each model with what it will be asked, a row for each suite and one for all.

        Args:
            config: How the models are asked, as settings of Inspect's.
        """
        for model, planned in self.plans.items():
            yield model, plan_rows(model, planned, self.prices, config)

    def lines(self, config: Mapping[str, Any] | None = None) -> Iterator[str]:
        """Yield why so much is asked of whom, and what it costs.

        Args:
            config: How the models are asked, as settings of Inspect's.
        """
        for model, planned in self.plans.items():
            if model.startswith(REFERENCE):
                yield find_reference(model).explain()
            yield self.prices.explain(model, planned, config)
        for name, plan in {p.suite.name: p for p in chain(*self.plans.values())}.items():
            yield f"{name}, {self.budget}: {plan.suite.budget(self.budget).reason}"
            yield from (f"{name}: {line}" for line in plan.advice())

    def check_max_cost(
        self, max_cost: float | None, config: Mapping[str, Any] | None = None
    ) -> None:
        """Raise an error if it would cost more, or nobody knows how much."""
        self.prices.check_max_cost(max_cost, self.plans, config)


def profile(
    *models: str,
    budget: str = BUDGETS[0],
    suites: Sequence[str] = (),
    output: str | Path | None = None,
    prices: str | Path | None = None,
    max_cost: float | None = None,
    model_args: Mapping[str, Any] | None = None,
    max_tokens: int | None = None,
    max_connections: int | None = None,
    temperature: float | None = None,
    reasoning_effort: str | None = None,
    timeout: int | None = None,
    settings: Mapping[str, Any] | None = None,
    sandbox: str | None = None,
    keep_errors: bool = False,
    log_buffer: int = LEAN["log_buffer"],
    display: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Records:
    """Measure every ability of models, as much as a budget says, and write a page about them.

    Args:
        *models: Models as Inspect names them. A reference agent is asked its own suite alone; a
            mind such as `reference/careful` all.
        budget: small (a first look in minutes), standard (what a paper would want) or full.
        suites: Only these suites; all that are installed if there is none.
        output: The folder; resumed if it exists. By default `profiles/`, then models and budget.
        prices: A YAML file of prices of your own.
        max_cost: US dollars, of all runs of the folder together; at the limit it is stopped.
        model_args: Arguments of the models. This and the others are as in `run`.
        max_tokens: Longest reply, in tokens.
        max_connections: Calls at once.
        temperature: Of the models.
        reasoning_effort: How much models that reason do so.
        timeout: Seconds after which a call is given up.
        settings: Any other generate or eval settings of Inspect's.
        sandbox: Where a model's programs run.
        keep_errors: Accept samples that end in an error.
        log_buffer: Samples between writes to a log.
        display: How Inspect shows progress.
        say: Called with each step while the page is made, a line at a time.

    Returns:
        The answers; `measures().headlines` has what stands for each ability.
    """
    planned = ProfilePlan.make(models, budget, suites, prices)
    planned.check_max_cost(max_cost, {"max_tokens": max_tokens})
    return run_profile(
        planned,
        output,
        say,
        model_args=model_args or {},
        settings=settings,
        keep_errors=keep_errors,
        max_cost=max_cost,
        max_tokens=max_tokens,
        max_connections=max_connections,
        temperature=temperature,
        reasoning_effort=reasoning_effort,
        timeout=timeout,
        sandbox=sandbox,
        log_buffer=log_buffer,
        display=display,
    )


def run_profile(
    planned: ProfilePlan,
    output: str | Path | None = None,
    say: Callable[[str], None] = lambda _: None,
    *,
    keep_errors: bool = False,
    max_cost: float | None = None,
    **settings: Any,
) -> Records:
    """Ask what was planned, and write records and page; arguments are those of `profile`."""
    folder = Path(output or planned.folder)
    reasons = _ask(folder, planned, keep_errors, max_cost, inspect_settings(**settings))
    return write_results(folder, "Causal profile", reasons, say)


def _ask(
    folder: Path,
    planned: ProfilePlan,
    keep_errors: bool,
    max_cost: float | None,
    settings: Mapping[str, Any],
) -> list[str]:
    """Ask everything; return why runs are unfinished, nothing if all are done."""
    # What would fail is to fail before the first call: a missing key, extra or data set.
    for model in planned.plans:
        check_model(model, settings["model_args"])
    tasks = {name: _task(suite, planned.budget) for name, suite in planned.suites.items()}
    requests = [
        Request(
            plan.suite,
            plan.design,
            tasks[plan.suite.name],
            model,
            str(folder / "logs" / file_name(model) / plan.suite.name),
            settings,
            plan.limit,
            plan.epochs,
        )
        for model, plans in planned.plans.items()
        for plan in plans
    ]
    with watch_spending(folder, max_cost, planned.prices, planned.plans):
        return ask_requests(requests, folder="output", keep_errors=keep_errors)


def _task(suite: AnySuite, budget: str) -> Any:
    """Return the Inspect task of a suite's budget."""
    try:
        return build_task(suite, suite.budget(budget).settings)
    except UserError as error:
        raise UserError(
            f"{error}. This affects only {suite.name}; to test other suites, name them by `suites`"
        ) from None
