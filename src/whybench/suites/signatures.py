"""The arguments of a suite's Inspect task, from the factors of its designs.

`inspect eval whybench/judge -T style=cot` passes arguments by name. Which there are, and what they
mean, stands beside the factors themselves (`designs.factor`); here it becomes the signature and the
docstring of the function that Inspect calls.
"""

from __future__ import annotations

from inspect import Parameter, Signature
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from whybench.suites.designs import DESIGN, factors_of
from whybench.suites.shards import WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.registry import AnySuite

__all__ = ["OTHERS", "task_help", "task_signature"]

OTHERS = "others"
"""Takes what nobody asked for, so that a misspelt factor is refused and not passed over."""

NAME = "A name for the design as changed, for the records."
SHARD = "`i/n` asks the i-th of n equal parts of the design; what belongs together stays together."
GROUP = "How many items one sample asks, each in a conversation of its own"


def task_signature(suite: AnySuite) -> Signature:
    """Return the signature of a suite's task; a factor that is left out is as in the design."""
    taken = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)
        for name, kind, default, _ in _arguments(suite)
    ]
    return Signature([*taken, Parameter(OTHERS, Parameter.VAR_KEYWORD)])


def task_help(suite: AnySuite) -> str:
    """Return the docstring of a suite's task: what the agent does, and every argument."""
    lines = [
        fill(
            f"{name}: {meaning}",
            96,
            initial_indent="    ",
            subsequent_indent="        ",
            break_on_hyphens=False,
        )
        for name, _, _, meaning in _arguments(suite)
    ]
    return "\n".join([f"The agent {suite.summary}.", "", "Args:", *lines])


def _arguments(suite: AnySuite) -> Iterator[tuple[str, Any, Any, str]]:
    """Yield name, type, default and meaning of each argument."""
    default = next(iter(suite.designs))
    named = ", ".join(f"`{name}`" for name in suite.designs)
    yield DESIGN, str, default, f"A named design ({named}) or the path of a YAML file."
    for factor in factors_of(type(suite.designs[default])).values():
        yield factor.name, _given(factor.kind), None, factor.meaning or NAME
    yield "shard", str, WHOLE, SHARD
    if suite.grouping is None:
        yield "group", int, 1, f"{GROUP}."
    else:
        yield "group", int | None, None, f"{GROUP}, in place of all that belong together."
    for name, (value, meaning) in suite.inspection.options.items():
        yield name, type(value) if value is not None else str | None, value, meaning


def _given(kind: Any) -> Any:
    """Return what a user may give for a field of this type: levels may be a list, or words."""
    if get_origin(kind) is tuple:
        level = get_args(kind)[0]
        return level | str | list[level] | None  # type: ignore[valid-type]
    return (str if get_origin(kind) is Literal else kind) | None
