"""Arguments and options that several commands share, and their names in errors."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext, redirect_stdout, suppress
from typing import TYPE_CHECKING, Any

import click
import yaml

from whybench.errors import UserError
from whybench.suites.designs import DESIGN
from whybench.suites.registry import get_suite
from whybench.terminal import print_note, show_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from whybench.results import Records
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

suite_argument = click.argument("suite_name", metavar="SUITE")

sources_argument = click.argument("sources", nargs=-1, required=True, type=click.Path())

json_option = click.option("--json", "json_output", is_flag=True, help="Print JSON.")

reread_option = click.option(
    "--reread", is_flag=True, help="Parse stored replies again, without calls."
)

baseline_option = click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="NAME",
    help="Add downloaded records, such as `people`.",
)

shard_option = click.option(
    "--shard", default="1/1", show_default=True, help="Use part i of n of the design."
)


def design_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--design` and `-T`."""
    command = click.option(
        "-T",
        "factors",
        multiple=True,
        metavar="FACTOR=LEVELS",
        help="Set levels of a factor: -T style=cot,direct.",
    )(command)
    return click.option(
        "--design", default=None, help="Choose a design by name or YAML file. [default: the first]"
    )(command)


def _key_values_option(letter: str, name: str, about: str) -> Callable[..., Any]:
    """Return an option that may be repeated, each time with a name and a value."""
    return click.option(
        letter,
        name,
        multiple=True,
        metavar="NAME=VALUE",
        help=about,
        callback=lambda _ctx, _param, pairs: parse_key_values(pairs, letter),
    )


settings_option = _key_values_option(
    "-G", "settings", "Set any other Inspect option: -G top_p=0.9."
)

sandbox_option = click.option(
    "--sandbox",
    metavar="TYPE[:FILE]",
    help="Run programs in this sandbox: docker, docker:compose.yaml, … [default: the task's own]",
)

max_cost_option = click.option(
    "--max-cost", type=click.FloatRange(0), help="Stop before this cost in US dollars."
)

keep_errors_option = click.option(
    "--keep-errors", is_flag=True, help="Accept samples that ended in an error."
)


def _read_smallest(
    _context: click.Context, _option: click.Parameter, texts: Sequence[str]
) -> dict[str, float]:
    """Read `MEASURE=NUMBER`."""
    found = {}
    for text in texts:
        name, _, number = text.partition("=")
        with suppress(ValueError):
            if name and float(number) >= 0:
                found[name] = float(number)
                continue
        raise UserError(
            f"`--smallest` must be MEASURE=NUMBER, such as explaining_away=0.05, got {text!r}"
        )
    return found


smallest_option = click.option(
    "--smallest",
    multiple=True,
    metavar="MEASURE=NUMBER",
    callback=_read_smallest,
    help="Set the smallest difference of interest: explaining_away=0.05; may be repeated.",
)


def until_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--until` and `--smallest`."""
    return click.option(
        "--until", type=click.Choice(["decided"]), help="End once both sides are compared."
    )(smallest_option(command))


def _read_levels(_context: click.Context, option: click.Parameter, text: str | None) -> Any:
    """Read one level of a setting, or several with commas between; numbers are from 0."""
    if text is None:
        return None
    levels: list[Any] = [level.strip() for level in text.split(",")]
    if option.name == "temperature":
        try:
            levels = [click.FloatRange(0)(level) for level in levels]
        except click.BadParameter as error:
            raise UserError(f"--temperature: {error.message}") from None
    return levels[0] if len(levels) == 1 else levels


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for calling a model."""
    for option in (
        click.option("--prices", type=click.Path(), help="Read model prices from a YAML file."),
        max_cost_option,
        keep_errors_option,
        sandbox_option,
        settings_option,
        click.option(
            "--timeout", type=click.IntRange(1), help="Limit each call, in seconds. [default: none]"
        ),
        click.option(
            "--reasoning-effort",
            callback=_read_levels,
            metavar="LEVELS",
            help="Set reasoning effort; `run` takes several: low,high.",
        ),
        click.option(
            "--temperature",
            callback=_read_levels,
            metavar="LEVELS",
            help="Set temperature; `run` takes several: 0,0.8. [default: the model's own]",
        ),
        click.option(
            "--max-tokens",
            type=click.IntRange(1),
            help="Limit each reply, in tokens. [default: set by suite]",
        ),
        click.option(
            "--log-buffer",
            type=click.IntRange(1),
            default=100,
            show_default=True,
            help="Write logs every N samples or 30 seconds.",
        ),
        click.option("--max-connections", type=click.IntRange(1), help="Limit concurrent calls."),
        _key_values_option("-M", "model_args", "Set a model argument."),
        click.option(
            "--display", help="Choose Inspect's display: full, rich, plain. [default: one line]"
        ),
    ):
        command = option(command)
    return command


def parse_key_values(pairs: Iterable[str], option: str) -> dict[str, Any]:
    """Parse `NAME=VALUE` options; values are YAML, and a comma makes a list."""
    values: dict[str, Any] = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name:
            raise UserError(f"{option} must be NAME=VALUE, got {pair!r}")
        try:
            values[name] = value.split(",") if "," in value else yaml.safe_load(value)
        except (yaml.YAMLError, ValueError, RecursionError):
            raise UserError(
                f"{option} {name} must have a value that is YAML, got {value!r}"
            ) from None
    return values


def choose_design(
    suite_name: str, design: str | None, factors: Iterable[str]
) -> tuple[AnySuite, Design]:
    """Return a suite and the chosen design of it."""
    suite = get_suite(suite_name)
    return suite, suite.make_design(parse_design_settings(suite_name, design, factors))


def parse_design_settings(
    suite_name: str, design: str | None, factors: Iterable[str]
) -> dict[str, object]:
    """Return a design's settings, as `Suite.make_design` takes them; by default the first's."""
    chosen, levels = parse_factors(design, factors)
    return get_suite(suite_name).settings(chosen, **levels)


def parse_factors(design: str | None, factors: Iterable[str]) -> tuple[str | None, dict[str, Any]]:
    """Return the design and the levels that -T gives; as with `inspect eval`, it may give both."""
    levels = parse_key_values(factors, "-T")
    named = levels.pop(DESIGN, None)
    if design and named:
        raise UserError(f"a design must be named once, got --design {design} and -T design={named}")
    return design or named, levels


def read_sources(
    sources: Sequence[str], reread: bool, baselines: Sequence[str], *, quiet: bool = False
) -> Records:
    """Return the answers of sources with baselines below them, and print notes on them."""
    from whybench.results.sources import load  # noqa: PLC0415  (not for --help)

    with show_progress("reading"):
        answers = load(*sources, reread=reread)
        answers = answers.with_baselines(*baselines) if baselines else answers
    if not quiet:
        print_notes(answers)
    return answers


def print_notes(answers: Records) -> None:
    """Print what a reader should know of the sources of answers."""
    for note in answers.notes:
        print_note(note)


def name_options(message: str, command: click.Command) -> str:
    """Return a message of the library with its arguments named as a command names them.

    The library puts the names of arguments between backticks; a command's options and arguments
    have the same names inside.
    """
    commands = [command, *getattr(command, "commands", {}).values()]
    names = {
        param.name: param.opts[0] if isinstance(param, click.Option) else _placeholder(param)
        for each in commands
        for param in each.params
    }
    return re.sub(r"`(\w+)`", lambda match: names.get(match[1], match[0]), message)


def _placeholder(param: click.Parameter) -> str:
    return (param.metavar or (param.name or "").upper()).strip("[]")


def print_json(*values: object) -> None:
    """Print values as JSON, each on a line, letters of all scripts as they are."""
    import json  # noqa: PLC0415  (light commands do without)

    for value in values:
        click.echo(json.dumps(value, ensure_ascii=False))


def redirect_progress(json_output: bool) -> AbstractContextManager[object]:
    """Send what Inspect prints to standard error where it would get between lines of JSON."""
    return redirect_stdout(sys.stderr) if json_output else nullcontext()
