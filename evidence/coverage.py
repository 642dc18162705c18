"""What of the four sources is here: row by row, and whether what a row names can be asked for.

`evidence/sources` has a file for each source. A row is something that the source describes, with a
status, and a command (or a name in Python) that shows it:

| status | means |
|---|---|
| full | it is here |
| different | it is here in another way, on purpose; `why` says how |
| partial | some of it is here; `why` says what is not |
| missing | it is not here; `why` says what keeps it out |

No command is run. Each is parsed by the command line itself, with its options; designs are made
with their factors, and tables, measures of a comparison and reference agents must be those of the
suite.
"""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from evidence.__main__ import SUBJECTS
from evidence.figures import Figure
from whybench.cli import whybench_command
from whybench.cli.options import choose_design
from whybench.errors import UserError
from whybench.model_settings import MODEL_SETTINGS
from whybench.suites.registry import get_suite, suite_names
from whybench_papers.replication import get_replication

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FOLDER = Path(__file__).parent / "sources"
SOURCES = ("judge", "intervene", "compose", "analyze")
STATUSES = ("full", "different", "partial", "missing")
OPEN = ("partial", "missing")
MOST_OPEN = 20
WHOLE = "judge"
"""Of this source nothing may be open."""

KEYS = {"feature", "status", "command", "api", "why"}


@dataclass(frozen=True)
class Row:
    """Something that a source describes.

    Attributes:
        feature: What it is.
        status: One of `STATUSES`.
        command: A line that shows it, or nothing.
        api: A name in Python that is it, or nothing.
        why: What differs or lacks, and the reason.
    """

    feature: str
    status: str
    command: str = ""
    api: str = ""
    why: str = ""


@dataclass(frozen=True)
class Source:
    """A source and its rows; `suite` is the one that comes of it, `title` how it is cited."""

    suite: str
    title: str
    rows: tuple[Row, ...]


def read_sources(folder: Path = FOLDER) -> list[Source]:
    """Return the sources that have a file in a folder, in the order of the suites.

    Raises:
        ValueError: A file has other keys than a source or a row has.
    """
    sources = []
    for path in (folder / f"{name}.yaml" for name in SOURCES):
        if not path.is_file():
            continue
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        for row in raw["rows"]:
            if unknown := {*row} - KEYS:
                raise ValueError(f"{path.name}: {row['feature']}: no such key: {sorted(unknown)}")
        rows = tuple(Row(**row) for row in raw["rows"])
        sources.append(Source(path.stem, raw["source"], rows))
    return sources


def coverage(_small: bool, folder: Path = FOLDER) -> Iterator[Figure]:
    """Yield how much of each source is here, what is open, and whether rows say what is so."""
    sources = read_sources(folder)
    for source in sources:
        counts = Counter(row.status for row in source.rows)
        yield Figure(
            f"{source.suite}, {source.title}: every row has a status",
            f"{len(source.rows)} rows: "
            + ", ".join(f"{counts[status]} {status}" for status in STATUSES),
            bool(source.rows) and {*counts} <= {*STATUSES},
        )
    open_rows = [(s.suite, row) for s in sources for row in s.rows if row.status in OPEN]
    told = "; ".join(f"{suite}: {row.feature} ({row.status})" for suite, row in open_rows)
    yield Figure(
        f"at most {MOST_OPEN} rows are partial or missing, none of them of {WHOLE}",
        f"{len(open_rows)} of {sum(len(source.rows) for source in sources)}"
        + (f": {told}" if told else ""),
        len(open_rows) <= MOST_OPEN and all(suite != WHOLE for suite, _ in open_rows),
    )
    wrong = [f"{s.suite}, {row.feature}: {m}" for s in sources for row in s.rows
             for m in list_mistakes(row)]  # fmt: skip
    commands = sum(bool(row.command) for source in sources for row in source.rows)
    names = sum(bool(row.api) for source in sources for row in source.rows)
    yield Figure(
        "every command parses and every name is there; what is not full says why",
        f"{commands} commands, {names} names; {len(wrong)} mistakes {' | '.join(wrong)}".strip(),
        not wrong,
    )


def list_mistakes(row: Row) -> Iterator[str]:
    """Yield what is wrong with a row."""
    if row.status not in STATUSES:
        yield f"status must be one of {', '.join(STATUSES)}, got {row.status!r}"
    if row.status != "full" and not row.why:
        yield f"{row.status} must have a why"
    if row.status in {"full", "different"} and not row.command and not row.api:
        yield f"{row.status} must have a command or an api"
    for line in filter(None, row.command.split(" && ")):
        try:
            check_command(line)
        except (UserError, click.ClickException, ValueError, AttributeError) as error:
            message = error.format_message() if isinstance(error, click.ClickException) else error
            yield f"{line}: {message}"
    if row.api:
        try:
            _resolve(row.api)
        except (ImportError, AttributeError) as error:
            yield f"{row.api}: {error}"


def check_command(line: str) -> None:
    """Parse a command without running it.

    Raises:
        click.ClickException: There is no such command or option, or an argument lacks.
        UserError: There is no such suite, design, level, table, factor or agent.
        ValueError: It is not of `whybench`, `inspect eval` or `python -m evidence`.
        AttributeError: There is no such task.
    """
    words = shlex.split(line)
    if words[:2] == ["inspect", "eval"]:
        _check_task(words[2:])
        return
    if words[:3] == ["python", "-m", "evidence"]:
        if words[3] not in SUBJECTS:
            raise ValueError(f"there is no evidence on {words[3]}")
        return
    if words[:1] != ["whybench"]:
        raise ValueError("a line must begin with whybench, inspect eval or python -m evidence")
    context = click.Context(whybench_command, info_name="whybench")
    command: click.Command = whybench_command
    rest = words[1:]
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        context, command = click.Context(found, parent=context, info_name=name), found
    parsed = command.make_context(context.info_name, list(rest), parent=context.parent).params
    _check_names(parsed)


def _check_names(given: Mapping[str, Any]) -> None:
    """Refuse a suite, design, level, table, factor, measure or agent that there is not."""
    suites = [get_suite(name) for name in suite_names()]
    name = given.get("suite_name")
    tables = [table for suite in suites for table in suite.tables]
    if name is not None:
        get_suite(name)
        if "factors" in given:
            choose_design(name, given["design"], given["factors"])
    if "paper" in given:
        tables = list(get_replication(given["paper"]).names)
    factors = [f for suite in suites for design in suite.designs.values()
               for f in design.manipulated]  # fmt: skip
    asked = {
        "table": ((given.get("table"), given.get("chosen")), tables),
        "by": ((given.get("by"),), [*MODEL_SETTINGS, *factors]),
        "measure": (given.get("measures") or (), [m for suite in suites for m in suite.headline]),
    }
    for what, (names, known) in asked.items():
        if unknown := [one for one in names if one and one not in known]:
            raise UserError(f"{what} must be one that there is, got {unknown[0]!r}")
    for model in (given.get("model") or "", *(given.get("models") or ())):
        if model.startswith("reference/") and "." in model:
            which, _, agent = model.removeprefix("reference/").partition(".")
            get_suite(which).agent(agent)


def _check_task(words: Sequence[str]) -> None:
    """Refuse a task of ours that Inspect would not find, or settings that it would not take."""
    task = words[0].removeprefix("whybench/")
    settings = [word for flag, word in pairwise(words) if flag == "-T"]
    if task in suite_names():
        chosen = dict(pair.split("=", 1) for pair in settings)
        design = chosen.pop("design", None)
        choose_design(task, design, [f"{name}={level}" for name, level in chosen.items()])
    elif "/" in task:
        package, _, name = task.partition("/")
        _resolve(f"{package}._registry.{name}")
    else:
        _resolve(f"whybench.tasks.{task}")


def _resolve(name: str) -> object:
    """Return what a dotted name stands for.

    Raises:
        ImportError: There is no such module.
        AttributeError: A module or class has no such name.
    """
    words = name.split(".")
    for length in range(len(words), 0, -1):
        try:
            found: object = import_module(".".join(words[:length]))
        except ModuleNotFoundError:
            continue
        for word in words[length:]:
            found = getattr(found, word)
        return found
    raise ImportError(f"no module {words[0]}")
