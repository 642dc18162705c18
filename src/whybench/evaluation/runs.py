"""A run: one model, one design, one folder of logs that is resumed rather than repeated.

Everything that `run` does can be done with `inspect eval` as well. What it adds: settings that keep
a long run alive and its logs small, a folder named after what is asked, and the answers as
`Records` at the end. `hold_episode` asks a person at the terminal like any agent, one episode at a
time.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from zipfile import BadZipFile

from whybench.errors import INTERRUPTED
from whybench.evaluation.crossings import cross_settings
from whybench.evaluation.deciding import Deciding, check_whole, read_until
from whybench.evaluation.engine import LEAN, build_task, check_model
from whybench.evaluation.experiments import build_tasks
from whybench.evaluation.runner import RunOptions, run_units
from whybench.evaluation.spending import watch_spending
from whybench.evaluation.units import file_name, inspect_settings, list_units, name_agent
from whybench.planning.asks import Ask, list_suites_for, without_rounds
from whybench.planning.plans import check_counts, count_calls
from whybench.planning.prices import NO_SERVER, Prices
from whybench.results.experiments import AnalysisPlan
from whybench.suites import registry
from whybench.suites.catalog import WHOLE, list_samples

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whybench.evaluation.units import Unit
    from whybench.planning.plans import Plan
    from whybench.results import Records
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite


def run(
    suite: str,
    model: str,
    design: str | None = None,
    *,
    limit: int | None = None,
    epochs: int = 1,
    shard: str = WHOLE,
    group: int | None = None,
    log_dir: str | Path | None = None,
    until: str | None = None,
    smallest: Mapping[str, float] | None = None,
    model_args: Mapping[str, Any] | None = None,
    max_tokens: int | None = None,
    max_connections: int | None = None,
    temperature: float | Sequence[float] | None = None,
    reasoning_effort: str | Sequence[str] | None = None,
    timeout: int | None = None,
    settings: Mapping[str, Any] | None = None,
    sandbox: str | None = None,
    keep_errors: bool = False,
    max_cost: float | None = None,
    prices: str | Path | None = None,
    log_buffer: int = LEAN["log_buffer"],
    display: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    **factors: Any,
) -> Records:
    """Ask a model the items of a design, and return its answers.

    The same call again resumes what was interrupted, and repeats nothing.

    Args:
        suite: The suite's name.
        model: A model as Inspect names it (`openai/gpt-4o`), or a reference agent
            (`reference/judge.noisy-or`, or `reference/careful`, which answers every suite).
        design: A named design or a YAML file; the suite's first if there is none.
        limit: The number of samples, from the start of the design.
        epochs: How often everything is asked.
        shard: `i/n`, the i-th of n equal parts of the design.
        group: Items a sample asks; None for one, or those that belong together.
        log_dir: Where logs go; resumed if it exists. By default `logs/`, then suite, design and
            model.
        until: `decided` to end once the levels of a factor or setting are compared.
        smallest: Measure to the smallest difference of interest, with `until`.
        model_args: Arguments of the model, or settings of a reference agent.
        max_tokens: Longest reply, in tokens; by default a cap that the plan tells.
        max_connections: Calls at once.
        temperature: Of the model; its own if there is none. Of several levels, here and in the
            next, all are asked, each in a folder of its own; `Records.compare(by="temperature")`
            compares them.
        reasoning_effort: How much a model that reasons does so: `low`, `medium`, `high`, …
        timeout: Seconds after which a call is given up; the provider's own if there is none.
        settings: Any other generate or eval settings of Inspect's, by name; `top_p`,
            `reasoning_tokens`, `effort` and `verbosity` may have several levels too.
        sandbox: Where a model's programs run, in place of the task's own: `docker`, or a type and
            its file as `docker:compose.yaml`.
        keep_errors: Accept samples that end in an error; else the same call asks them again.
        max_cost: US dollars, of all runs of the folder together; at the limit it is stopped.
        prices: A YAML file of prices of your own.
        log_buffer: Samples between writes to the log; answers are written after 30 seconds at the
            latest, and whenever the run is ended.
        display: How Inspect shows progress (`full`, `rich`, `plain`, `none`); None for one line.
        say: Called with each look, a line at a time.
        **factors: Levels in place of the design's, such as `style="cot"`.

    Raises:
        UserError: The request cannot be met: says what was expected, what came and what to do.
        StoppedError: Asking made no sense any more; it has the reason and the progress.
        Interrupted: A signal ended it in order; a `KeyboardInterrupt` with the signal's number.
    """
    from whybench.results.sources import load  # noqa: PLC0415  (not for those who only plan)

    chosen = registry.get_suite(suite)
    list_suites_for(model, [suite])
    check_counts(limit=limit, epochs=epochs, group=group)
    task_args = chosen.settings(design, **factors)
    if until:
        task_args = without_rounds(suite, task_args)
    args = dict(model_args or {})
    built = chosen.make_design(task_args)
    folder = str(log_dir or log_folder(suite, built, model, args, shard, group))
    if limit:
        whole = list_samples(chosen, chosen.items(built), shard=shard, group=group, limit=limit)
        limit = len(whole)
    named = {"temperature": temperature, "reasoning_effort": reasoning_effort}
    own = {name: level for name, level in named.items() if level is not None}
    crossings = {
        words: inspect_settings(
            args,
            of_model,
            max_tokens=max_tokens,
            max_connections=max_connections,
            timeout=timeout,
            sandbox=sandbox,
            log_buffer=log_buffer,
            display=display,
        )
        for words, of_model in cross_settings({**(settings or {}), **own}).items()
    }
    ask = Ask(suite, task_args, epochs=epochs, group=group, limit=limit, shard=shard)
    units = list(list_units(ask, built, [0], model, args, crossings))
    deciding = plan_deciding(ask, model, args, len(crossings), until, smallest)
    units = [*deciding.split(units)] if deciding else units
    tasks = build_tasks(units)
    table = Prices.read(prices)
    options = RunOptions(folder, keep_errors=keep_errors)
    planned: dict[str, list[Plan]] = {}
    if not model.startswith(NO_SERVER):  # to count renders every item
        counted = count_calls(chosen, built, limit=limit, epochs=epochs, shard=shard, group=group)
        planned[model] = [counted] * len(crossings)
        for unit in units:
            table.check_max_cost(max_cost, planned, unit.settings)
    check_model(model, args)
    with watch_spending(folder, max_cost, table, planned):

        def ask_units(some: Sequence[Unit]) -> list[str]:
            return run_units(some, options, tasks=tasks, folder="log_dir")

        if deciding:
            reasons = deciding.run(units, Path(folder), ask_units, say)
        else:
            check_whole(Path(folder))
            reasons = ask_units(units)
    return load(folder, incomplete=reasons)


def plan_deciding(
    ask: Ask,
    model: str,
    model_args: Mapping[str, Any],
    crossings: int,
    until: str | None,
    smallest: Mapping[str, float] | None = None,
) -> Deciding | None:
    """Return the comparisons that end a run; None if everything is asked.

    Args:
        ask: The suite, its design and how often it is asked.
        model: The model.
        model_args: Its arguments.
        crossings: The number of crossings of its settings.
        until: `decided`, or None.
        smallest: Measure to the smallest difference of interest.
    """
    analysis = read_until(until, AnalysisPlan(), smallest)
    if analysis is None:
        return None
    return Deciding.plan(analysis, [ask], [(model, model_args)], crossings)


def log_folder(
    suite: str,
    design: Design,
    model: str,
    model_args: Mapping[str, Any],
    shard: str = WHOLE,
    group: int | None = None,
) -> str:
    """Name a folder after what is asked and who is asked, so that other runs have others."""
    parts = [suite, design.name.strip("*"), design.hash[:6], name_agent(model, model_args)]
    parts += [f"shard-{shard}"] if shard != WHOLE else []
    parts += [f"by-{group}"] if group else []
    return "logs/" + file_name(*parts)


QUIET: dict[str, Any] = {
    "display": "none",
    "log_level": "error",
    "score_display": False,
    "ctl_server": False,
    "max_samples": 1,
    "log_buffer": 1,
    "max_retries": 0,
    "retry_on_error": 0,
    "fail_on_error": True,
}


def list_played_items(folder: str | Path, agent: str) -> set[str]:
    """Return the ids of the items that this person has answered before."""
    from whybench.records import read_logs  # noqa: PLC0415

    if not Path(folder).is_dir():
        return set()
    return {
        row["item"]
        for rows in read_logs([folder], salvage=True).rows.values()
        for row in rows
        if row["agent"] == agent and row["outcome"] != "error"
    }


def hold_episode(
    suite: AnySuite, task_args: Mapping[str, Any], agent: str, item: str, folder: str | Path
) -> bool:
    """Hold an episode about an item; return whether it ended, else nothing is recorded.

    Raises:
        KeyboardInterrupt: The person left by Ctrl-C.
    """
    # Importing Inspect takes seconds.
    from inspect_ai import eval as evaluate  # noqa: PLC0415

    task = build_task(suite, task_args)
    sitting = {"sitting": uuid4().hex}
    settings = {"sample_id": [item], "log_dir": str(folder), "metadata": sitting, **QUIET}
    logs = []
    try:
        logs = evaluate(task, model=agent, **settings)
    finally:
        if not logs or logs[0].status != "success":
            _remove_logs(Path(folder), sitting)
    if not logs or any(log.error and INTERRUPTED in log.error.message for log in logs):
        raise KeyboardInterrupt
    return bool(logs[0].status == "success")


def _remove_logs(folder: Path, sitting: Mapping[str, str]) -> None:
    """Remove the logs of an episode that did not end; Inspect does not always name them."""
    from inspect_ai.log import read_eval_log  # noqa: PLC0415

    for file in folder.glob("*.eval"):
        with suppress(OSError, ValueError, KeyError, BadZipFile):  # somebody else's, and damaged
            found = read_eval_log(str(file), header_only=True)
            if dict(sitting).items() <= (found.eval.metadata or {}).items():
                file.unlink()
