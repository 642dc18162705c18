"""`study import`: what people's browsers saved, to records, and a table of who was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from whybench.cli.options import as_json, json_option
from whybench.cli.tables import print_rows
from whybench.study.importing import By, Imported, import_study
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["import_command"]

SHOWN = 5
"""So many of the places that could not be read are named; `--json` has all."""


@click.command("import")
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@click.option(
    "--study",
    "folder",
    type=click.Path(),
    help="The folder that `study export` made. [default: SOURCES, if it is that folder]",
)
@click.option(
    "-o", "--output", required=True, type=click.Path(), help="A .parquet or .csv file of records."
)
@click.option(
    "--exclude",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Leave out who meets it: incomplete, constant, repeated, comprehension>2, attention<1, "
    "seconds<2; may be repeated, and is counted in order. Nobody is left out without a rule.",
)
@click.option(
    "--by",
    type=click.Choice(get_args(By)),
    default="person",
    show_default=True,
    help="Each person an agent, person/ID; or all one agent, human/NAME.",
)
@click.option("--as", "name", default="", help="NAME of the group. [default: the folder's name]")
@click.option("--keep-ids", is_flag=True, help="Keep ids of people as they are; else a digest.")
@json_option
def import_command(
    sources: tuple[str, ...],
    folder: str | None,
    output: str,
    rules: tuple[str, ...],
    by: By,
    name: str,
    keep_ids: bool,
    json_output: bool,
) -> None:
    """Turn what a study saved into records, like those of any agent.

    SOURCES are files and folders: JSON lines, JSON or CSV of jsPsych, results of JATOS (text or
    zip), files of DataPipe. Rows that are there twice count once.
    """
    from whybench.records import write_records  # noqa: PLC0415  (not for --help)
    from whybench.study.export import DATA, MANIFEST  # noqa: PLC0415

    if folder is None:
        if len(sources) > 1 or not (Path(sources[0]) / MANIFEST).is_file():
            raise UserError(f"--study must name the study's folder, got none for {sources[0]}")
        folder, sources = sources[0], (str(Path(sources[0]) / DATA),)
    found = import_study(folder, sources, rules, by, name, keep_ids)
    try:
        write_records(found.table, output)
    except ValueError as error:
        raise UserError(str(error)) from None
    outcomes = Counter(found.table["outcome"].to_pylist())
    if json_output:
        click.echo(as_json(_summary(found, output, outcomes)))
    else:
        click.echo(f"{output}: {_in_words(found, outcomes)}")
        _print_exclusions(found)
        for note in _notes(found):
            click.echo(f"Note: {note}", err=True)


def _summary(found: Imported, output: str, outcomes: Counter[str]) -> dict[str, object]:
    return {
        "suite": found.suite,
        "file": output,
        "rows": found.table.num_rows,
        "outcomes": outcomes,
        "participations": found.participations,
        "repeated": found.repeated,
        "kept": found.kept,
        "exclusions": [asdict(one) for one in found.exclusions],
        "doubles": found.doubles,
        "broken": found.saved.broken,
        "foreign": found.saved.foreign,
        "empty": found.saved.empty,
    }


def _in_words(found: Imported, outcomes: Counter[str]) -> str:
    counts = ", ".join(f"{outcomes[name]} {name}" for name in ("scored", "no_answer"))
    agents = len(set(found.table["agent"].to_pylist()))
    return (
        f"{found.table.num_rows} answers of {found.kept} participations, {counts}; "
        f"{agents} {'agent' if agents == 1 else 'agents'}"
    )


def _print_exclusions(found: Imported) -> None:
    if not found.exclusions:
        click.echo(f"No rule of exclusion was given: all {found.participations} are kept.")
        return
    print_rows(
        [
            {
                "rule": one.rule,
                "meet it": str(one.met),
                "cannot be told": str(one.unknown),
                "excluded": str(one.excluded),
                "answers lost": str(one.answers),
            }
            for one in found.exclusions
        ]
    )
    click.echo(f"kept: {found.kept} of {found.participations} participations")


def _notes(found: Imported) -> Iterator[str]:
    saved = found.saved
    if found.repeated:
        yield (
            f"{found.repeated} participations are not their person's first; "
            "`--exclude repeated` leaves them out"
        )
    if found.doubles:
        yield f"{found.doubles} rows were there more than once, and count once"
    if saved.foreign:
        yield f"{saved.foreign} entries are not rows of a study, and are left alone"
    for file in saved.empty:
        yield f"{file} holds no row of a study"
    for place in saved.broken[:SHOWN]:
        yield f"not read: {place}"
    if len(saved.broken) > SHOWN:
        yield f"not read: {len(saved.broken) - SHOWN} more places; --json names all"
