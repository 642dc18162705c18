"""Inspect's react, given the tools that a sample has: `--solver whybench/react`.

The set-up of our tasks puts tools into the state: those of intervene's worlds, and those that run
programs on the rows of analyze. Solvers such as `basic_agent` take them from there. Inspect's react
has only the tools that it is made with, and it is made before there is a sample; here it is made
for each sample, with the sample's own.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.agent import as_solver
from inspect_ai.agent import react as inspect_react
from inspect_ai.solver import Generate, Solver, TaskState, solver

from whybench.errors import UserError


@solver
def react(attempts: int = 1, submit: bool = True, retry_refusals: int | None = None) -> Solver:
    """Let Inspect's react work with the tools of the sample.

    Args:
        attempts: How often an answer may be handed in.
        submit: Whether there is a tool for that; else the last message counts.
        retry_refusals: How often a refusal is asked again.
    """
    settings: dict[str, Any] = {"attempts": attempts, "retry_refusals": retry_refusals}
    # Without such a tool there is nothing to be attempted again.
    chosen = settings if submit else {"retry_refusals": retry_refusals, "submit": False}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        require_tools(state, "react")
        agent = as_solver(inspect_react(tools=state.tools, **chosen))
        return await agent(state, generate)

    return solve


def require_tools(state: TaskState, agent: str) -> None:
    """See that a sample has tools for an agent to work with.

    Raises:
        UserError: It has none; says which tasks have.
    """
    if not state.tools:
        raise UserError(
            f"a sample must have tools for {agent} to work with, got none; make the task "
            "intervene with interface=tools, or analyze with protocol=free"
        )
