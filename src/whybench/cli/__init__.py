"""The `whybench` command.

Subcommands are imported when they are called: listing and showing items start at once, though
the engine behind `run` takes seconds to import.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import click

from whybench.cli.options import name_options
from whybench.cli.plugins import describe_command, find_entries, load_command
from whybench.errors import SIGNALS, DataError, Interrupted, StoppedError, UserError, suggest
from whybench.terminal import print_line
from whybench.version import __version__

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["COMMANDS", "EXAMPLES", "main", "whybench_command"]

DEBUG = "WHYBENCH_DEBUG"
"""The variable that, set to anything, asks for the details of every error."""

GROUPS = {
    "Start here": {
        "list": ("catalog", "List suites, designs and reference agents."),
        "show": ("catalog", "Show an item with its answer key."),
        "play": ("people", "Answer items yourself at the terminal."),
        "profile": ("run", "Test models on five suites."),
        "run": ("run", "Test a model on one suite."),
        "results": ("results", "Print measures; write answers and figures."),
        "compare": ("compare", "Compare two runs or models, item by item."),
        "report": ("results", "Write an HTML report of runs."),
    },
    "Larger studies": {
        "experiment": ("experiment", "Run and compare the conditions of a file."),
        "study": ("people", "Run a browser study with human participants."),
    },
    "Extend and train": {
        "new": ("authors", "Create a story, theme, challenge or suite."),
        "validate": ("validate", "Check the items and measures of a suite."),
        "attack": ("attack", "Ask agents that don't reason causally."),
        "train": ("training", "Export training items and scan training data."),
    },
    "Set up": {
        "data": ("data", "List and download external data."),
        "doctor": ("doctor", "Check sandbox, extras, API keys and data."),
    },
}
"""Commands by group, in the order of the help: name to its module here and its line."""

COMMANDS = {name: known for group in GROUPS.values() for name, known in group.items()}
"""The same without groups."""

EXAMPLES = {
    "run": "whybench run judge --model openai/gpt-4o -T style=cot",
    "profile": "whybench profile openai/gpt-4o --budget small --plan",
    "experiment": "whybench experiment effort.yaml --plan",
    "play": "whybench play intervene --as anna",
    "study": "whybench study export judge -o study",
    "report": "whybench report logs -o page.html --baseline people",
    "results": "whybench results logs -o answers.parquet",
    "compare": "whybench compare before.parquet after.parquet --fail-if 'skill_score<-0.05'",
    "list": "whybench list compose",
    "show": "whybench show intervene 2 --design graph",
    "new": "whybench new story tides",
    "validate": "whybench validate compose --design core",
    "attack": "whybench attack intervene --design limited",
    "train": "whybench train export compose -o train.jsonl --count 1000",
    "data": "whybench data fetch causAIign",
    "doctor": "whybench doctor --sandbox docker",
}
"""One example of each command, which its help shows."""


HELP = """
Find out whether a language model reasons about cause and effect, or only about correlation.

Try it without an API key:

\b
  whybench show judge 9
  whybench profile reference/careful reference/associative -o demo

The first command shows one item. The second tests two built-in agents, a careful one and one that
confuses correlation with causation, and writes a report to demo/page.html.
"""


class _Lazy(click.Group):
    """A group that knows its commands by name and imports them when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [*COMMANDS, *(name for name in find_entries() if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            entry = find_entries().get(cmd_name)
            return load_command(entry) if entry else None
        module, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(
            import_module(f"{__name__}.{module}"), f"{cmd_name}_command"
        )
        command.epilog = f"Example: {EXAMPLES[cmd_name]}"
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; name arguments in error messages as the command line names them."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            click.echo(str(error) or "Stopped.", err=True)
            sys.exit(128 + getattr(error, "signal", signal.SIGINT))
        except (UserError, DataError, StoppedError) as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if command is None:
                raise
            raise type(error)(name_options(str(error), command)) from error
        except click.UsageError as error:
            group = error.ctx.command if error.ctx else None
            if isinstance(group, click.Group) and error.message.startswith("No such command"):
                word = error.message.split("'")[1]
                meant = suggest(word, group.list_commands(ctx)).removeprefix("; d")
                if meant:
                    raise click.UsageError(f"{error.message} D{meant}", error.ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (_, line) in group.items()])
        added = [
            (name, describe_command(entry))
            for name, entry in find_entries().items()
            if name not in COMMANDS
        ]
        if added:
            with formatter.section("From other packages"):
                formatter.write_dl(added)


@click.group(cls=_Lazy, help=HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="whybench %(version)s")
@click.option("--debug", is_flag=True, help=f"Show the traceback of an error; or set {DEBUG}=1.")
def whybench_command(debug: bool) -> None:
    """Run a subcommand; `--debug` applies to all of them."""
    if debug:
        os.environ[DEBUG] = "1"  # processes that are started know it too


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise Interrupted(number)


def main() -> None:
    """Run the command and exit with a status; print one line with the reason if it failed.

    An invalid request has status 2, an unexpected error status 1. SIGINT, SIGTERM and SIGHUP end
    the command in order, with status 128 plus the signal's number.
    """
    for number in SIGNALS:
        if number != signal.SIGINT and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    try:
        whybench_command()
    except StoppedError as error:
        print_line(str(error), err=True)
        sys.exit(1)
    except (UserError, DataError) as error:
        _end(str(error), 2)
    except Exception as error:
        words = next(iter(str(error).splitlines()), "")
        named = f"{type(error).__name__}: {words}" if words else type(error).__name__
        known = {*COMMANDS, *find_entries()}
        command = next((word for word in sys.argv[1:] if word in known), "")
        _end(f"{named}; `whybench --debug {command} …` shows the details", 1)


def _end(message: str, status: int) -> NoReturn:
    """Print an error in one line, its details if they are asked for, and end."""
    if os.environ.get(DEBUG):
        traceback.print_exc()
    print_line(f"Error: {message}", err=True)
    sys.exit(status)
