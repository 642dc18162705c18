"""The units of a plan as tasks of Ray, on a cluster that is there or on this machine.

Ray runs a task again when its worker or node is lost; the task then starts from the last upload. A
worker keeps its log on its own node. Slots for calls are reserved by one actor, whatever node a
worker is on. Ray listens on network interfaces, so it is started only when it is asked for.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.evaluation.stopping import signals_raise
from whybench.sweep.pool import PATIENCE, RateLimiter, enforce_quotas
from whybench.sweep.store import open_store
from whybench.sweep.worker import run_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whybench.sweep.plan import SweepPlan, Unit

ATTEMPTS = 10
POLL = 1.0
LOCAL = "local"


class _RateLimiters:
    """The actor that keeps the slots of every provider."""

    def __init__(self, quotas: dict[str, float]) -> None:
        self.limiters = {provider: RateLimiter(rate) for provider, rate in quotas.items()}

    def reserve(self, provider: str) -> float:
        """Take the provider's next slot, and return how many seconds from now it is."""
        return self.limiters[provider].reserve()


def run_cluster(
    plan: SweepPlan,
    units: Sequence[Unit],
    folder: Path,
    address: str,
    report: Callable[[dict[str, str]], None],
    keep_errors: bool = False,
) -> dict[str, str]:
    """Run units as tasks of Ray, and return why units failed, by name.

    SIGINT, SIGTERM and SIGHUP cancel the tasks, which then stop in order; after `PATIENCE` seconds,
    or a second SIGINT, they are ended by force.

    Args:
        plan: Where logs go, and by which settings units are run.
        units: What to do.
        folder: Where workers keep their logs, on whatever node they are.
        address: Of the cluster, `auto` for the one of this machine, or `local` to start one.
        report: Called now and then with the failures so far.
        keep_errors: Accept samples that end in an error.

    Raises:
        Interrupted: A signal ended it.
    """
    try:
        import ray  # noqa: PLC0415  (an extra)
    except ImportError:
        raise UserError(
            "`address` must find Ray installed, got none; pip install 'whybench[ray]'"
        ) from None
    if address == LOCAL:
        ray.init(include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    else:
        try:
            ray.init(address=address, log_to_driver=False)
        except (ConnectionError, ValueError) as error:
            raise UserError(
                "`address` must be that of a running cluster, auto or local, got "
                f"{address}: {error}"
            ) from None
    try:
        # Without CPUs of its own, so that it never waits for units to end.
        limiters = ray.remote(num_cpus=0, max_restarts=-1)(_RateLimiters).remote(dict(plan.quotas))
        task = ray.remote(num_cpus=1, max_calls=1, max_retries=ATTEMPTS)(_run)
        names = {
            task.remote(unit, plan, str(folder), limiters, keep_errors): unit.name for unit in units
        }
        failed: dict[str, str] = {}
        try:
            with signals_raise():
                while names:
                    ready, _ = ray.wait(list(names), num_returns=1, timeout=POLL)
                    for reference in ready:
                        name = names.pop(reference)
                        try:
                            ray.get(reference)
                        except Exception as error:  # whatever ended the task is its reason
                            failed[name] = str(getattr(error, "cause", None) or error).strip()
                    report(failed)
        except KeyboardInterrupt:
            _cancel(ray, list(names))
            raise
        return failed
    finally:
        ray.shutdown()


def _cancel(ray: Any, references: list[Any]) -> None:
    """Ask tasks to stop, and wait for them."""
    for reference in references:
        ray.cancel(reference, force=False, recursive=False)
    with suppress(KeyboardInterrupt), signals_raise():
        ray.wait(references, num_returns=len(references), timeout=PATIENCE)


def _run(unit: Unit, plan: SweepPlan, folder: str, limiters: Any, keep_errors: bool) -> None:
    """Run a unit within a task, in a folder of its node's own."""
    import ray  # noqa: PLC0415

    enforce_quotas({name: partial(limiters.reserve.remote, name) for name in plan.quotas})
    node = ray.get_runtime_context().get_node_id()
    run_unit(
        unit,
        open_store(plan.output),
        Path(folder) / node,
        upload_every=plan.upload_every,
        settings=plan.settings,
        keep_errors=keep_errors,
        max_cost=plan.max_cost,
    )
