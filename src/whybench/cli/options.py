"""Arguments and options that several commands share, and what errors call them."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import click
import yaml

from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from whybench.results import Records
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

__all__ = [
    "as_json",
    "asking_options",
    "beside_option",
    "chosen_design",
    "design_options",
    "design_settings",
    "in_options",
    "json_option",
    "key_values",
    "print_notes",
    "read_sources",
    "reread_option",
    "shard_option",
    "show_agents",
    "sources_argument",
    "suite_argument",
]

suite_argument = click.argument("suite_name", metavar="SUITE")

sources_argument = click.argument("sources", nargs=-1, required=True, type=click.Path())

json_option = click.option("--json", "json_output", is_flag=True, help="Print JSON.")

reread_option = click.option(
    "--reread", is_flag=True, help="Read every answer anew from its reply; no calls are made."
)

beside_option = click.option(
    "--beside",
    "baselines",
    multiple=True,
    metavar="NAME",
    help="Add records from downloaded data, such as `people`, in the suites that have them.",
)

shard_option = click.option(
    "--shard", default="1/1", help="i/n: the i-th of n equal parts of the design."
)


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


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a model is asked."""
    for option in (
        click.option("--max-tokens", type=click.IntRange(1), help="Longest reply, in tokens."),
        click.option(
            "--log-buffer",
            type=click.IntRange(1),
            default=100,
            show_default=True,
            help="Samples between writes to the log; a crash loses no more.",
        ),
        click.option("--max-connections", type=click.IntRange(1), help="Calls at once."),
        click.option(
            "-M",
            "model_args",
            multiple=True,
            metavar="NAME=VALUE",
            help="Model arguments.",
            callback=lambda _ctx, _param, pairs: key_values(pairs, "-M"),
        ),
    ):
        command = option(command)
    return command


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
    asked = get_suite(suite_name)
    return asked, asked.make_design(design_settings(suite_name, design, factors))


def design_settings(
    suite_name: str, design: str | None, factors: Iterable[str]
) -> dict[str, object]:
    """Return what was asked for as `Suite.make_design` takes it; by default the first design."""
    return get_suite(suite_name).settings(design, **key_values(factors, "-T"))


def read_sources(
    sources: Sequence[str], reread: bool, baselines: Sequence[str], *, quiet: bool = False
) -> Records:
    """Return the answers of sources with baselines below them, and say what to know of them."""
    from whybench.results.sources import load  # noqa: PLC0415  (not for --help)

    answers = load(*sources, reread=reread)
    if not quiet:
        print_notes(answers)
    return answers.with_baselines(*baselines) if baselines else answers


def print_notes(answers: Records) -> None:
    """Say what a reader should know of the sources of answers."""
    for note in answers.notes:
        click.echo(f"Note: {note}", err=True)


def show_agents(quiet: bool) -> Callable[[Sequence[str], str], Iterator[str]]:
    """Return how to go through many agents and show how far it is."""

    def watch(agents: Sequence[str], label: str) -> Iterator[str]:
        with click.progressbar(agents, label=label, hidden=quiet, file=sys.stderr) as every:
            yield from every

    return watch


def in_options(message: str, command: click.Command) -> str:
    """Return a message of the library with its arguments named as a command names them.

    The library puts the names of arguments between backticks; a command's options and arguments
    have the same names inside.
    """
    commands = [command, *getattr(command, "commands", {}).values()]
    names = {
        param.name: param.opts[0] if isinstance(param, click.Option) else _placeholder(param)
        for one in commands
        for param in one.params
    }
    return re.sub(r"`(\w+)`", lambda found: names.get(found[1], found[0]), message)


def _placeholder(param: click.Parameter) -> str:
    return (param.metavar or (param.name or "").upper()).strip("[]")


def as_json(value: object) -> str:
    """Return a value as JSON on one line, letters of all scripts as they are."""
    import json  # noqa: PLC0415

    return json.dumps(value, ensure_ascii=False)
