"""Units as tasks of Ray, on the cluster that RAY_ADDRESS names or on this machine.

Ray runs a task again when its worker or node is lost; the task then starts from the last upload. A
worker keeps its log on its own node. Slots for calls are reserved by one actor, whatever node a
worker is on. Ray listens on network interfaces, so it is started only when it is asked for.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.evaluation.pool import PATIENCE
from whybench.evaluation.quotas import RateLimiter, enforce_quotas
from whybench.evaluation.runner import work_on
from whybench.evaluation.stopping import signals_raise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whybench.evaluation.runner import RunOptions
    from whybench.evaluation.units import Unit

ATTEMPTS = 10
POLL_INTERVAL = 1.0
ADDRESS = "RAY_ADDRESS"
"""The variable by which Ray knows a cluster; without it Ray is started on this machine."""


class _RateLimiters:
    """The actor that keeps the slots of every provider."""

    def __init__(self, quotas: dict[str, float]) -> None:
        self.limiters = {provider: RateLimiter(rate) for provider, rate in quotas.items()}

    def reserve(self, provider: str) -> float:
        """Take the provider's next slot, and return how many seconds from now it is."""
        return self.limiters[provider].reserve()


def run_cluster(
    units: Sequence[Unit], options: RunOptions, report: Callable[[dict[str, str]], None]
) -> dict[str, str]:
    """Run units as tasks of Ray, and return why units failed, by their places.

    SIGINT, SIGTERM and SIGHUP cancel the tasks, which then stop in order; after `PATIENCE` seconds,
    or a second SIGINT, they are ended by force.

    Args:
        units: The units.
        options: Where they are run; each node has its own folder within `work`.
        report: Called now and then with the failures so far.

    Raises:
        Interrupted: A signal ended it.
    """
    try:
        import ray  # noqa: PLC0415  (an extra)
    except ImportError:
        raise UserError(
            "`ray` requires Ray, which is not installed; pip install 'whybench[ray]'"
        ) from None
    address = os.environ.get(ADDRESS, "local")
    if address == "local":
        ray.init(
            address=address,
            include_dashboard=False,
            _node_ip_address="127.0.0.1",
            log_to_driver=False,
        )
    else:
        try:
            ray.init(address=address, log_to_driver=False)
        except (ConnectionError, ValueError) as error:
            raise UserError(
                f"{ADDRESS} must be the address of a running cluster, auto or local, got "
                f"{address}: {error}"
            ) from None
    try:
        # It reserves no CPU, so that it never waits for units to end.
        actor = ray.remote(num_cpus=0, max_restarts=-1)(_RateLimiters)
        limiters = actor.remote(dict(options.quotas))
        task = ray.remote(num_cpus=1, max_calls=1, max_retries=ATTEMPTS)(_run)
        names = {task.remote(unit, options, limiters): unit.place for unit in units}
        failed: dict[str, str] = {}
        try:
            with signals_raise():
                while names:
                    ready, _ = ray.wait(list(names), num_returns=1, timeout=POLL_INTERVAL)
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


def _run(unit: Unit, options: RunOptions, limiters: Any) -> None:
    """Run a unit within a task, in the folder of its node."""
    import ray  # noqa: PLC0415

    assert options.work is not None
    enforce_quotas({name: partial(limiters.reserve.remote, name) for name in options.quotas})
    node = ray.get_runtime_context().get_node_id()
    work_on(unit, replace(options, work=options.work / node))
