"""What every command shows at terminals of 80, 100 and 120 columns.

The commands are those of the parser. One that is not tried says why, so none can be forgotten.
"""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evidence.figures import Figure
from evidence.terminal import run_at_terminal
from whybench.cli import whybench_command

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

NUMERAL = re.compile(r"[-+]?\d[\d.,]*\d")

RUN = "run calculate --model reference/{0} --limit 8 --log-dir logs/{0}"

REQUESTS = {
    "list": "list",
    "show": "show calculate --count 20",
    "new": "new story tides",
    "data list": "data list",
    "doctor": "doctor --image",
    "papers audit": "papers audit",
    "run": RUN.format("careful"),
    "profile": "profile openai/gpt-4o --plan",
    "experiment": "experiment experiment.yaml",
    "results": "results logs --levels",
    "compare": "compare logs --agents reference/careful reference/hasty",
    "report": "report logs -o page.html",
    "validate": "validate intervene --design core",
    "attack": "attack calculate --only copies --only constant",
    "train export": "train export compose --count 30 -o train.jsonl",
    "train scan": "train scan train.jsonl --designs compose/core",
    "study export": "study export judge -o study",
    "study simulate": "study simulate study --model reference/judge.noisy-or",
    "study import": "study import study/simulated.jsonl --study study -o people.parquet",
}
"""A request of each command, in an order in which each finds what it needs."""

REASONS = {
    "play": "a person answers; tests/cli/test_play.py has one at a terminal",
    "study serve": "serves until it is ended; tests/cli/test_study.py",
    "data fetch": "downloads",
    "papers replicate": "takes minutes, and downloaded data; evidence of judge and analyze",
}
"""Why the others are not tried here."""

LIGHT = ("list", "show", "new", "papers audit", "study export", "study simulate")
"""What is tried where there is little time."""

EXPERIMENT = """\
models: [reference/careful, reference/hasty]
suites: [{suite: judge, design: {story: weather, style: [direct, cot]}}]
settings: {temperature: [0, 0.8]}
"""


def list_commands() -> list[str]:
    """Return every command of the parser that is not a group, with those of groups."""
    return list(_walk(whybench_command, ()))


def _walk(command: click.Command, names: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield " ".join(names)
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        known = command.get_command(context, name)
        if known is not None:
            yield from _walk(known, (*names, name))


def find_cut_numbers(shown: str, columns: int) -> list[str]:
    """Return the lines that a terminal breaks inside a number."""
    return [
        line
        for line in ANSI.sub("", shown).splitlines()
        if any(
            match.start() < edge < match.end()
            for edge in range(columns, len(line), columns)
            for match in NUMERAL.finditer(line)
        )
    ]


def terminals(small: bool) -> Iterator[Figure]:
    """Yield figures on what every command shows at terminals of three widths."""
    known = list_commands()
    left = [name for name in known if name not in REQUESTS and name not in REASONS]
    yield Figure(
        "every command of the parser is tried, or says why not",
        f"{len(known)} commands, {len(REASONS)} not tried; forgotten: {', '.join(left) or 'none'}",
        not left,
    )
    chosen = {name: REQUESTS[name] for name in (LIGHT if small else REQUESTS)}
    for columns in (80,) if small else (80, 100, 120):
        failed, cut, lines = [], [], 0
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
            if not small:
                _run(RUN.format("hasty"), columns, folder)
            for name, request in chosen.items():
                status, shown = _run(request, columns, folder)
                failed += [name] if status else []
                cut += find_cut_numbers(shown, columns)
                lines += shown.count("\n")
        yield Figure(
            f"at {columns} columns no line of any command is broken inside a number",
            f"{len(chosen)} commands, {lines} lines; failed: {', '.join(failed) or 'none'}; "
            f"broken: {'; '.join(cut) or 'none'}",
            not failed and not cut,
        )


def _run(request: str, columns: int, folder: str) -> tuple[int, str]:
    words = [sys.executable, "-c", "from whybench.cli import main; main()", *shlex.split(request)]
    return run_at_terminal(words, columns, folder, errors=False)
