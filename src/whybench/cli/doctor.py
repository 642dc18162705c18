"""`doctor` checks the installation: sandbox, extras, API keys and data."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.cli.options import json_option, print_json
from whybench.datasets import SOURCES, file_state
from whybench.errors import UserError
from whybench.terminal import print_line, print_rows, show_progress
from whybench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

OK, MISSING, FAILED = "ok", "missing", "FAIL"

REQUIREMENT = re.compile(r"""([\w.-]+)(?:\[([\w,.-]+)\])?[^;]*; extra == ['"](.+)['"]""")
"""A requirement of an extra, as package metadata have it: its name, its extras, the extra."""

KEY = re.compile(r"^(?:export\s+)?(\w+_API_KEY)\s*=\s*\S", re.MULTILINE)
"""A key in a file `.env`, which Inspect reads."""


@dataclass(frozen=True)
class SetupPart:
    """One line of the table.

    Attributes:
        part: The part of the installation.
        state: Whether it works (`OK`), is not installed (`MISSING`) or does not work (`FAILED`).
        found: The version, or a description.
        hint: How to install or repair it; empty for a part that works.
    """

    part: str
    state: str
    found: str = ""
    hint: str = ""


@click.command("doctor")
@click.option(
    "--sandbox",
    metavar="TYPE[:FILE]",
    help="Check this sandbox. [default: bubblewrap]",
)
@click.option("--image", is_flag=True, help="Print the path of the Docker compose file.")
@json_option
def doctor_command(sandbox: str | None, image: bool, json_output: bool) -> None:
    """Check sandbox, extras, API keys and data.

    Prints the names of API keys, never their values. Missing parts are optional and have a hint.
    Exits with status 1 if an installed part does not work, or the sandbox of --sandbox is missing.
    """
    if image:
        from whybench.suites.sandboxes import image_file  # noqa: PLC0415  (imports Inspect)

        click.echo(image_file())
        return
    with show_progress("checking", quiet=json_output):
        findings = [
            SetupPart("whybench", OK, __version__),
            SetupPart("Inspect", OK, version("inspect-ai")),
            *_check_sandbox(sandbox),
            *_check_extras(),
            _find_keys(),
            *_check_data(),
        ]
    if json_output:
        print_json(*map(asdict, findings))
    else:
        print_rows([asdict(finding) for finding in findings])
        missing = sum(finding.state == MISSING for finding in findings)
        failed = sum(finding.state == FAILED for finding in findings)
        print_line(f"\nFailed: {failed}. Missing, all optional: {missing}.")
    sys.exit(any(finding.state == FAILED for finding in findings))


def _check_sandbox(chosen: str | None) -> Iterator[SetupPart]:
    """Start a sandbox and import the packages that programs need."""
    from whybench.suites.sandboxes import (  # noqa: PLC0415  (imports Inspect)
        OWN,
        OWN_MODULE,
        split_sandbox,
        try_sandbox,
    )

    kind, settings = split_sandbox(chosen or OWN)
    if kind == OWN and find_spec(OWN_MODULE) is None:
        hint = "pip install 'whybench[analyze]', or --sandbox docker (whybench doctor --image)"
        yield SetupPart("inspect-bubblewrap", FAILED if chosen else MISSING, hint=hint)
        return
    if kind == OWN:
        yield SetupPart("inspect-bubblewrap", OK, version("inspect-bubblewrap"))
    try:
        packages = try_sandbox(kind, settings)
    except UserError as error:
        yield SetupPart(f"sandbox {kind}", FAILED, hint=str(error))
    else:
        found = ", ".join(f"{name} {number}" for name, number in packages.items())
        yield SetupPart(f"sandbox {kind}", OK, f"programs run, with {found}")


def _check_extras() -> Iterator[SetupPart]:
    """List the extras of the package, and the requirements that are not installed."""
    extras: dict[str, set[str]] = {}
    for line in requires("whybench") or ():
        if match := REQUIREMENT.match(line):
            name, inner, extra = match.groups()
            known = extras.setdefault(extra, set())
            known.update(inner.split(",") if inner else [name])
    for extra in extras:
        if extra == "all":
            continue
        lacking = [name for name in sorted(_expand(extra, extras)) if not _is_installed(name)]
        yield SetupPart(
            f"extra {extra}",
            MISSING if lacking else OK,
            f"without {', '.join(lacking)}" if lacking else "",
            f"pip install 'whybench[{extra}]'" if lacking else "",
        )


def _expand(extra: str, extras: dict[str, set[str]]) -> set[str]:
    """Return the distributions of an extra, with those of the extras that it names."""
    names: set[str] = set()
    for name in extras[extra]:
        names |= _expand(name, extras) if name in extras and name != extra else {name}
    return names


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _find_keys() -> SetupPart:
    """List the names of API keys in the environment and in `.env`."""
    names = {name for name, value in os.environ.items() if name.endswith("_API_KEY") and value}
    file = Path(".env")
    if file.is_file():
        names.update(KEY.findall(file.read_text("utf-8", errors="replace")))
    if names:
        return SetupPart("API keys", OK, ", ".join(sorted(names)))
    return SetupPart(
        "API keys",
        MISSING,
        hint="set OPENAI_API_KEY, ANTHROPIC_API_KEY, …; reference agents need no key",
    )


def _check_data() -> Iterator[SetupPart]:
    """List the sources of external data, with the number of downloaded files."""
    for source in SOURCES.values():
        states = Counter(file_state(source.name, path) for path in source.files)
        here = len(source.files) - states["not fetched"]
        complete = here == len(source.files)
        yield SetupPart(
            f"data {source.name}",
            OK if complete else MISSING,
            f"{here} of {len(source.files)} files",
            "" if complete else f"whybench data fetch {source.name}",
        )
