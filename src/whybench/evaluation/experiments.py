"""Experiments: one plan, its units, their logs, and records and a report about them.

Where the units run is an option: in this process, in several processes, or as tasks of Ray. The
output has `logs/`, `records/`, `page.html`, and `frozen.json` if the statement was frozen before
the first answer. The same request resumes an interrupted experiment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import Interrupted, StoppedError, UserError
from whybench.evaluation.deciding import check_whole
from whybench.evaluation.engine import check_model
from whybench.evaluation.experiment_files import read_experiment
from whybench.evaluation.pool import run_pool
from whybench.evaluation.quotas import enforce_file_quotas
from whybench.evaluation.reporting import write_results
from whybench.evaluation.runner import UPLOAD_INTERVAL, RunOptions, run_units
from whybench.evaluation.spending import watch_spending
from whybench.evaluation.statements import FROZEN, Experiment
from whybench.evaluation.states import explain_states, read_state, show_states
from whybench.evaluation.store import Store, is_remote, open_store
from whybench.evaluation.units import Unit, file_name, name_agent
from whybench.planning.prices import Prices
from whybench.results.experiments import Frozen
from whybench.results.looks import Looks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whybench.results import Records

WORK = Path("experiments", "work")
"""The folder for logs until they are uploaded, where no other is named."""


def freeze(stated: Experiment, output: str | Path) -> Frozen:
    """Freeze an experiment into its folder, before the first answer.

    The same statement again is as frozen as before.

    Raises:
        UserError: Something else was frozen there, or something was asked already.
    """
    if is_remote(output):
        raise UserError(f"`output` must be a folder to freeze an experiment, got {output}")
    folder = Path(output)
    target, statement = folder / FROZEN, stated.state(folder)
    assert statement is not None, "an experiment from a file states its analysis"
    if statement.frozen is not None:
        if others := statement.differences():
            raise UserError(
                f"an experiment is frozen once, got {target} from {statement.frozen.date}, and "
                f"since then {'; '.join(others)}; undo that, or freeze into another folder"
            )
        return statement.frozen
    if any((folder / "logs").rglob("*.eval")):
        raise UserError(
            f"an experiment must be frozen before the first answer, got {folder} with logs; "
            "freeze into another folder"
        )
    frozen = Frozen.now(statement.content)
    frozen.write(target)
    return frozen


def experiment(
    stated: Experiment | str | Path,
    output: str | Path | None = None,
    *,
    until: str | None = None,
    smallest: Mapping[str, float] | None = None,
    workers: int | None = None,
    ray: bool = False,
    work: str | Path | None = None,
    prices: str | Path | None = None,
    max_cost: float | None = None,
    max_connections: int | None = None,
    sandbox: str | None = None,
    keep_errors: bool = False,
    log_buffer: int | None = None,
    display: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Records:
    """Ask all of an experiment, and write records and a page about them.

    The same call again resumes an interrupted experiment, and repeats nothing.

    Args:
        stated: The experiment, or its YAML file.
        output: The folder, or an address that fsspec can write to; resumed if it exists. By
            default `experiments/`, then the file's name.
        until: `decided` to end once all planned comparisons are decided.
        smallest: Measure to the smallest difference of interest, with `until`.
        workers: The number of processes that run units; None to run them in this one.
        ray: Run units as tasks of Ray, on the cluster that RAY_ADDRESS names or on this machine.
        work: A folder for logs until they are uploaded to the output; by default logs are written
            into the output, or into `experiments/work` if it is elsewhere or Ray is used.
        prices: A YAML file of prices of your own.
        max_cost: US dollars, of all runs of the folder together; at the limit it is stopped.
        max_connections: Calls at once.
        sandbox: Where a model's programs run.
        keep_errors: Accept samples that end in an error.
        log_buffer: Samples between writes to a log.
        display: How Inspect shows progress.
        say: Called with each look, and with each step while the page is made, a line at a time.

    Returns:
        The answers; `compare(by=…)` has what changes between conditions, and so has the page.
    """
    made = stated if isinstance(stated, Experiment) else read_experiment(stated)
    job = Job.prepare(
        made.with_until(until, smallest),
        output or default_folder(made.title if made is stated else str(stated)),
        work=work,
        ray=ray,
        prices=prices,
        max_cost=max_cost,
        keep_errors=keep_errors,
        max_connections=max_connections,
        sandbox=sandbox,
        log_buffer=log_buffer,
        display=display,
    )
    return job.collect(job.run(workers, ray, say), say)


def default_folder(path: str | Path) -> Path:
    """Return the folder of an experiment that names none."""
    return Path("experiments", file_name(Path(path).stem))


@dataclass(frozen=True)
class Job:
    """An experiment, and where it runs.

    Attributes:
        stated: The experiment.
        units: Its units.
        options: Where they are run.
    """

    stated: Experiment
    units: Sequence[Unit]
    options: RunOptions

    @classmethod
    def prepare(
        cls,
        stated: Experiment,
        output: str | Path,
        *,
        work: str | Path | None = None,
        ray: bool = False,
        prices: str | Path | None = None,
        max_cost: float | None = None,
        keep_errors: bool = False,
        **named: Any,
    ) -> Job:
        """Return the job of an experiment; arguments are those of `experiment`."""
        remote = is_remote(output)
        if remote and stated.deciding:
            raise UserError(f"`output` must be a folder with `until`, got {output}")
        if work is None and (remote or ray):
            work = WORK / file_name(str(output))
        units = stated.list_units(**named)
        largest = max((unit.samples for unit in units), default=1)
        options = RunOptions(
            # Other processes may have another working folder.
            output=str(output) if remote or not ray else str(Path(output).resolve()),
            work=None if work is None else Path(work).resolve(),
            # Small units are uploaded before their end, too.
            upload_interval=min(UPLOAD_INTERVAL, max(1, largest // 4)),
            quotas=stated.quotas,
            max_cost=max_cost,
            prices=Prices.read(prices),
            keep_errors=keep_errors,
        )
        return cls(stated, units, options)

    @property
    def store(self) -> Store:
        """The store of the output, which is made if it does not exist."""
        return open_store(self.options.output)

    def run(
        self,
        workers: int | None = None,
        ray: bool = False,
        show: Callable[[str], None] = lambda _: None,
    ) -> list[str]:
        """Run all units that are incomplete, and return why units still are.

        Args:
            workers: The number of processes; None for this one alone.
            ray: Run them as tasks of Ray.
            show: Called with each look, a line at a time.

        Raises:
            StoppedError: Asking made no sense any more, or no unit has answers.
            Interrupted: A signal ended it in order.
        """
        self.stated.check_max_cost(self._prices, self.options.max_cost)
        deciding, folder = self.stated.deciding, Path(self.options.output)
        if deciding is None:
            check_whole(folder)
            return self._run_all(self.units, workers, ray)
        return deciding.run(
            self.units, folder, lambda units: self._run_all(units, workers, ray), show
        )

    def _run_all(self, units: Sequence[Unit], workers: int | None, ray: bool) -> list[str]:
        """Run units that are incomplete, and return why units still are."""
        if workers is None and not ray:
            return self._run_here(units)
        store = self.store
        left = self._list_incomplete(units, store)
        failed: dict[str, str] = {}
        try:
            with show_states(units, store) as show:
                if left and ray:
                    from whybench.evaluation.cluster import run_cluster  # noqa: PLC0415

                    failed = run_cluster(left, self.options, show)
                elif left:
                    failed = run_pool(left, self.options, workers or 1, show)
        except Interrupted as error:
            far = f"Stopped: {explain_states(self.units, store)}"
            raise Interrupted(error.signal, far) from None
        reasons = [reason for unit in left if (reason := failed.get(unit.place))]
        if reasons and not any(read_state(unit, store).progress.answered for unit in self.units):
            far = explain_states(self.units, store)
            raise StoppedError(f"Stopped: {'; '.join(dict.fromkeys(reasons))}. {far}")
        return reasons

    def run_unit(self, number: int) -> None:
        """Run one unit in this process, unless it is complete already.

        Args:
            number: Its number, from 1.

        Raises:
            UserError: There is no such unit.
            StoppedError: It is incomplete.
            Interrupted: A signal ended it in order.
        """
        if not 1 <= number <= len(self.units):
            raise UserError(f"`unit` must be a number from 1 to {len(self.units)}, got {number}")
        unit = self.units[number - 1]
        self.stated.check_max_cost(self._prices, self.options.max_cost)
        if not self._list_incomplete([unit], self.store):
            return
        if reasons := self._run_here([unit]):
            raise StoppedError(f"{unit.label}: {'; '.join(reasons)}")

    def collect(self, reasons: Sequence[str] | None, say: Callable[[str], None]) -> Records:
        """Write records and a report from the logs that are there.

        Args:
            reasons: Why units are incomplete; None to look it up.
            say: Called with each step while the page is made, a line at a time.
        """
        store = self.store
        if reasons is None:
            left = (read_state(unit, store) for unit in self._list_incomplete(self._asked, store))
            reasons = [
                f"{state.unit.label}: {state.reason or state.progress.explain()}" for state in left
            ]
        return write_results(self.stated, self.units, store, self.options.output, reasons, say)

    def _run_here(self, units: Sequence[Unit]) -> list[str]:
        # A missing key, extra or data set shows before the first call, and before a folder is made.
        for unit in {name_agent(unit.model, unit.args): unit for unit in units}.values():
            check_model(unit.model, unit.args)
        tasks = self._tasks if len(units) > 1 else self._build_tasks(units)
        store, options = self.store, self.options
        if options.work is not None:
            units = self._list_incomplete(units, store)
        enforce_file_quotas(Path(options.base), options.quotas)
        planned = self.stated.plans_by_model()
        with watch_spending(options.base, options.max_cost, self._prices, planned):
            return run_units(units, options, store, tasks)

    @cached_property
    def _tasks(self) -> dict[str, Any]:
        """The Inspect tasks of all units by digest, which are built once."""
        return self._build_tasks(self.units)

    @staticmethod
    def _build_tasks(units: Sequence[Unit]) -> dict[str, Any]:
        return build_tasks(units, "; to test other suites, name them by `suites`")

    def _list_incomplete(self, units: Sequence[Unit], store: Store) -> list[Unit]:
        keep = self.options.keep_errors
        return [unit for unit in units if not read_state(unit, store).progress.accepted(keep)]

    @property
    def _asked(self) -> list[Unit]:
        """The units of the looks that are needed, as far as it is known."""
        looks = Looks.read(Path(self.options.output)) if self.stated.deciding else None
        ended = looks.ended if looks else {}
        return [unit for unit in self.units if unit.look <= ended.get(unit.ask.suite, unit.look)]

    @property
    def _prices(self) -> Prices:
        return self.options.prices or Prices.read()


def build_tasks(units: Sequence[Unit], advice: str = "") -> dict[str, Any]:
    """Return the Inspect tasks of units by digest; of a design in several units, the first.

    Args:
        units: The units; those that ask the same share a task.
        advice: The advice if a task cannot be built.
    """
    built: dict[tuple[str, str, int | None], Any] = {}
    tasks: dict[str, Any] = {}
    for unit in units:
        key = (unit.ask.suite, unit.design_hash, unit.ask.group)
        if key not in built:
            try:
                built[key] = (unit.shard, unit.build_task())
            except UserError as error:
                only = f". This affects only {unit.ask.suite}{advice}" if advice else ""
                raise UserError(f"{error}{only}") from None
        shard, task = built[key]
        if shard == unit.shard:
            tasks[unit.digest] = task
    return tasks
