"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import yaml

from whybench.suites.contract import UserError
from whybench.suites.registry import suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

__all__ = [
    "as_json",
    "chosen_design",
    "design_options",
    "design_settings",
    "json_option",
    "key_values",
    "suite_argument",
]

suite_argument = click.argument("suite_name", metavar="SUITE")

json_option = click.option("--json", "json_output", is_flag=True, help="Print JSON.")


def design_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--design` and `-T`."""
    command = click.option(
        "-T",
        "factors",
        multiple=True,
        metavar="FACTOR=LEVELS",
        help="Choose levels of a factor in place of the design's, such as -T style=cot,numeric.",
    )(command)
    return click.option(
        "--design", default=None, help="A named design or a YAML file. [default: the first]"
    )(command)


def key_values(pairs: Iterable[str], option: str) -> dict[str, Any]:
    """Read `NAME=VALUE` options; values are YAML, and a comma makes a list."""
    read: dict[str, Any] = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name:
            raise UserError(f"{option} must be NAME=VALUE, got {pair!r}")
        read[name] = value.split(",") if "," in value else yaml.safe_load(value)
    return read


def chosen_design(
    suite_name: str, design: str | None, factors: Iterable[str]
) -> tuple[AnySuite, Design]:
    """Return the suite and the design that were asked for."""
    asked = suite(suite_name)
    return asked, asked.design(design_settings(suite_name, design, factors))


def design_settings(
    suite_name: str, design: str | None, factors: Iterable[str]
) -> dict[str, object]:
    """Return what was asked for as `Suite.design` takes it; the default design if none is named."""
    base = design or next(iter(suite(suite_name).designs))
    return {"base": base, **key_values(factors, "-T")}


def as_json(value: object) -> str:
    """Return a value as JSON on one line, letters of all scripts as they are."""
    import json  # noqa: PLC0415

    return json.dumps(value, ensure_ascii=False)
