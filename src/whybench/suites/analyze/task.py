"""The Inspect task of analyze: protocols under which programs are run.

Under the protocol `direct` an agent is given the rows and asked. The other protocols run code; how
they hold the conversation is in `protocols`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task_with
from inspect_ai.solver import chain

from whybench.suites.analyze.design import DIRECT
from whybench.suites.analyze.protocols.task import follow_protocol, offer_tools
from whybench.suites.contract import UserError
from whybench.suites.conversations import ask_each
from whybench.suites.sandboxes import OWN, PACKAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from inspect_ai.solver import Solver


def analysis_task(
    protocols: Collection[str], group: int | str, ask: Callable[..., Task], *after: Solver
) -> Task:
    """Return the task of a design.

    Args:
        protocols: The protocols of the design.
        group: The number of items in a sample.
        ask: Makes the task; see `Suite.make_task`.
        after: Solvers that follow the conversation.
    """
    code = set(protocols) - {DIRECT}
    if (code or after) and group != 1:
        raise UserError(f"group must be 1 where programs are run or reasons graded, got {group}")
    solver = follow_protocol() if code else ask_each()
    task = ask(solver=chain(solver, *after) if after else solver)
    if not code:
        return task
    metadata: dict[str, Any] = {**(task.metadata or {}), "packages": list(PACKAGES)}
    return task_with(task, sandbox=OWN, metadata=metadata, setup=[offer_tools()])
