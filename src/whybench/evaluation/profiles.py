"""A profile: the abilities of models, each by its own primary measure; no overall number.

A profile is an experiment whose suites and designs a budget states. The same request resumes an
interrupted profile; with another model it adds that model to the folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.evaluation.engine import LEAN
from whybench.evaluation.experiments import experiment
from whybench.evaluation.statements import Experiment
from whybench.evaluation.units import file_name
from whybench.planning.asks import Ask, list_suites_for
from whybench.planning.plans import plan_budget
from whybench.suites.contract import BUDGETS
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whybench.results import Records


def plan_profile(
    models: Sequence[str],
    budget: str = BUDGETS[0],
    suites: Sequence[str] = (),
    model_args: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Experiment:
    """Return a profile as an experiment.

    Args:
        models: The models.
        budget: How much is asked: small, standard or full.
        suites: Only these suites; all that are installed if there is none.
        model_args: Arguments of the models.
        settings: Settings of Inspect's for all models.
    """
    names = [name for model in models for name in list_suites_for(model, suites, budget)]
    asks, notes = [], []
    for name in dict.fromkeys(names):
        chosen = get_suite(name).budget(budget)
        limit, epochs = plan_budget(get_suite(name), budget).limit, chosen.epochs
        asks.append(Ask(name, chosen.settings, epochs=epochs, limit=limit))
        notes.append(f"{name}, {budget}: {chosen.reason}")
    return Experiment(
        title="Causal profile",
        models=tuple((model, model_args or {}) for model in dict.fromkeys(models)),
        asks=tuple(asks),
        settings=settings or {},
        layout="logs/{model}/{suite}",
        notes=tuple(notes),
    )


def profile_folder(models: Sequence[str], budget: str) -> Path:
    """Return the default folder of a profile."""
    return Path("profiles", file_name(",".join(models), budget))


def profile(
    *models: str,
    budget: str = BUDGETS[0],
    suites: Sequence[str] = (),
    output: str | Path | None = None,
    until: str | None = None,
    smallest: Mapping[str, float] | None = None,
    prices: str | Path | None = None,
    max_cost: float | None = None,
    model_args: Mapping[str, Any] | None = None,
    max_tokens: int | None = None,
    max_connections: int | None = None,
    temperature: float | Sequence[float] | None = None,
    reasoning_effort: str | Sequence[str] | None = None,
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
        until: `decided` to end once two models are compared; see `whybench.experiment`.
        smallest: Measure to the smallest difference of interest, with `until`.
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
        say: Called with each look, and with each step while the page is made, a line at a time.

    Returns:
        The answers; `measures().headlines` has what stands for each ability.
    """
    named = {
        "max_tokens": max_tokens,
        "temperature": temperature,
        "reasoning_effort": reasoning_effort,
        "timeout": timeout,
    }
    chosen = {name: value for name, value in named.items() if value is not None}
    return experiment(
        plan_profile(models, budget, suites, model_args, {**(settings or {}), **chosen}),
        output or profile_folder(models, budget),
        until=until,
        smallest=smallest,
        prices=prices,
        max_cost=max_cost,
        max_connections=max_connections,
        sandbox=sandbox,
        keep_errors=keep_errors,
        log_buffer=log_buffer,
        display=display,
        say=say,
    )
