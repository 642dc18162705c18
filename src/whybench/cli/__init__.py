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

from whybench import __version__
from whybench.cli.options import name_options
from whybench.errors import SIGNALS, DataError, Interrupted, StoppedError, UserError, suggest
from whybench.terminal import print_line

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["COMMANDS", "EXAMPLES", "main", "whybench_command"]

DEBUG = "WHYBENCH_DEBUG"
"""The variable that, set to anything, asks for the details of every error."""

GROUPS = {
    "Ask": {
        "run": ("run", "Ask a model the items of a design."),
        "profile": ("run", "Measure every ability of a model; says beforehand what it costs."),
        "experiment": ("experiment", "Designs, settings and models of one file, compared."),
        "sweep": ("sweep", "Many models, suites and designs, on this machine or a cluster."),
        "play": ("people", "Take part yourself, at the terminal, and be recorded."),
        "study": ("people", "Ask people: an experiment in a browser, and its data."),
    },
    "See what came of it": {
        "report": ("results", "One page for everything: profiles, comparisons, figures, data."),
        "measures": ("results", "Logs or records to measures with intervals."),
        "compare": ("compare", "What changed between two runs or models, paired by item."),
        "figures": ("results", "What a run looks like: figures as PDF, SVG and PNG."),
        "records": ("results", "Logs to one tidy table of answers."),
    },
    "See what is asked": {
        "list": ("catalog", "Suites, designs and reference agents."),
        "items": ("catalog", "The items of a design, as a table, as JSON lines or as ids."),
        "show": ("catalog", "One item as an agent sees it, with its graph, truth and certificate."),
    },
    "Build and train": {
        "new": (
            "authors",
            "A story, theme, challenge or suite of your own: a scaffold that works.",
        ),
        "check": ("authors", "Is a suite sound? A dozen checks on every design."),
        "calibrate": ("authors", "Do the measures of reference agents have their expected values?"),
        "export": ("training", "Items to train on, with all that grading needs."),
        "contamination": ("training", "Which prompts of a data set are those of tests?"),
    },
    "Sources and machine": {
        "replicate": ("replicate", "Published results, recomputed from raw data."),
        "audit": ("audit", "The keys of other benchmarks, recomputed from their own prompts."),
        "data": ("machine", "Data that is downloaded: what there is, and fetching it."),
        "sandbox": ("machine", "Can this machine confine code that a model wrote?"),
    },
}
"""Commands in the groups of the help: name to its module here and its line."""

COMMANDS = {name: known for group in GROUPS.values() for name, known in group.items()}
"""The same without groups."""

EXAMPLES = {
    "run": "whybench run judge --model openai/gpt-4o -T style=cot",
    "profile": "whybench profile openai/gpt-4o --budget small --plan",
    "experiment": "whybench experiment effort.yaml --plan",
    "sweep": "whybench sweep run plan.yaml",
    "play": "whybench play intervene --as anna",
    "study": "whybench study export judge -o study",
    "report": "whybench report logs -o page.html --baseline people",
    "measures": "whybench measures logs --json",
    "compare": "whybench compare before.parquet after.parquet --fail-if 'skill<-0.05'",
    "figures": "whybench figures logs -o figures",
    "records": "whybench records logs -o answers.parquet",
    "list": "whybench list compose",
    "items": "whybench items calculate --count 3 --format jsonl",
    "show": "whybench show intervene 2 --design graph",
    "new": "whybench new story tides",
    "check": "whybench check compose --design core",
    "calibrate": "whybench calibrate intervene --seeds 10",
    "export": "whybench export compose -o train.jsonl --count 1000",
    "contamination": "whybench contamination my-data.jsonl --column text",
    "replicate": "whybench replicate judge --table people",
    "audit": "whybench audit rlcausal -o findings.csv",
    "data": "whybench data fetch causAIign",
    "sandbox": "whybench sandbox check",
}
"""A request of each command, which its help shows."""


class _Lazy(click.Group):
    """A group that knows its commands by name and imports them when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(
            import_module(f"{__name__}.{module}"), f"{cmd_name}_command"
        )
        command.epilog = f"Example: {EXAMPLES[cmd_name]}"
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; what the library says of a wrong request is said in terms of options."""
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


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="whybench %(version)s")
@click.option("--debug", is_flag=True, help=f"Show the details of an error; so does {DEBUG}=1.")
def whybench_command(debug: bool) -> None:
    """Measure how a mind, a language model or a person, reasons about cause and effect."""
    if debug:
        os.environ[DEBUG] = "1"  # processes that are started know it too


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise Interrupted(number)


def main() -> None:
    """Run the command, and end it with a status and, if it failed, one line that says why.

    A request that cannot be met has status 2; what nobody foresaw has status 1. SIGINT, SIGTERM
    and SIGHUP end it in order, with status 128 and the signal's number.
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
        command = next((word for word in sys.argv[1:] if word in COMMANDS), "")
        _end(f"{named}; `whybench --debug {command} …` shows the details", 1)


def _end(message: str, status: int) -> NoReturn:
    """Print an error in one line, its details if they are asked for, and end."""
    if os.environ.get(DEBUG):
        traceback.print_exc()
    print_line(f"Error: {message}", err=True)
    sys.exit(status)
