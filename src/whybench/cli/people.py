"""Human participants: `study` in a browser, `play` at the terminal."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import click

from whybench.cli.options import (
    choose_design,
    design_options,
    json_option,
    parse_design_settings,
    parse_key_values,
    print_json,
    suite_argument,
)
from whybench.errors import UserError
from whybench.study.export import ATTEMPTS
from whybench.study.importing import By, ImportedStudy, import_study
from whybench.study.signals import leave_in_order
from whybench.study.simulation import MOST
from whybench.suites.registry import AnySuite, list_suites
from whybench.terminal import print_line, print_note, print_rows

LEFT = "\nStopped. The unfinished episode is not recorded; you can play it later."


@click.group("study")
def study_command() -> None:
    """Export a browser study, serve it, and import its data."""


@study_command.command("export")
@suite_argument
@design_options
@click.option(
    "-o", "output", required=True, type=click.Path(), help="Write the study to this folder."
)
@click.option(
    "--save",
    default="download",
    show_default=True,
    metavar="WHERE",
    help="Save answers by download, serve, jatos or datapipe:EXPERIMENT_ID.",
)
@click.option("--items", "max_items", type=click.IntRange(1), help="Limit items per participant.")
@click.option(
    "--lists", type=click.IntRange(1), help="Limit the number of item lists. [default: all]"
)
@click.option(
    "--pictures/--no-pictures",
    default=True,
    show_default=True,
    help="Draw judge's causal graphs and intervene's shapes.",
)
@click.option("--consent", type=click.Path(), help="Use this consent text (Markdown file).")
@click.option("--instructions", type=click.Path(), help="Use these instructions (Markdown file).")
@click.option("--debriefing", type=click.Path(), help="Use this debriefing (Markdown file).")
@click.option("--early-end", type=click.Path(), help="Use this text after a failed check.")
@click.option(
    "--attempts",
    default=ATTEMPTS,
    show_default=True,
    type=click.IntRange(0),
    help="Allow N failed comprehension checks; 0: unlimited.",
)
def export_study(
    suite_name: str,
    design: str | None,
    factors: tuple[str, ...],
    output: str,
    save: str,
    max_items: int | None,
    lists: int | None,
    pictures: bool,
    consent: str | None,
    instructions: str | None,
    debriefing: str | None,
    early_end: str | None,
    attempts: int,
) -> None:
    """Write a browser study that asks people the items of SUITE.

    The folder is self-contained: open its index.html, upload it to a server, or run
    `whybench study serve`. Participants are balanced by their number: index.html?number=0, 1, ...
    """
    from whybench.study.export import Saving, Texts, write_study  # noqa: PLC0415
    from whybench.study.plan import make_plan  # noqa: PLC0415

    saving = Saving.read(save)
    settings = parse_design_settings(suite_name, design, factors)
    plan = make_plan(suite_name, settings, max_items, lists, pictures)
    texts = Texts(consent, instructions, debriefing, early_end)
    write_study(plan, Path(output), saving, texts, attempts)
    sizes = sorted({len(entry) for entry in plan.lists})
    each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    print_line(f"{output}: a study of {suite_name}, answers by {saving.how}")
    print_line(
        f"{len(plan.lists)} lists, one per participant: {each} items. All orders are balanced "
        f"after {plan.cycle} participants, all lists after every {len(plan.lists)}."
    )
    click.echo(
        f"whybench study serve {output}" if saving.how == "serve" else f"Open {output}/index.html"
    )


@study_command.command("serve")
@click.argument("folder", type=click.Path())
@click.option(
    "--port",
    default=8765,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Listen on this port; 0: any.",
)
@click.option(
    "--data", type=click.Path(), help="Write answers to this folder. [default: FOLDER/data]"
)
def serve_study(folder: str, port: int, data: str | None) -> None:
    """Serve the study in FOLDER on this machine and write incoming answers."""
    from whybench.study.export import read_manifest  # noqa: PLC0415
    from whybench.study.server import study_server  # noqa: PLC0415

    server = study_server(Path(folder), Path(data) if data else None, port)
    with leave_in_order(server.summarize), server:
        click.echo(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C stops)")
        how = read_manifest(Path(folder))["save"]
        click.echo(
            f"answers are written to {server.ledger.folder}"
            if how == "serve"
            else f"answers are saved by {how}; to save them here, export with --save serve"
        )
        server.serve_forever()


@study_command.command("simulate")
@click.argument("folder", type=click.Path())
@click.option(
    "--model", required=True, help="Simulate with a reference agent: reference/judge.noisy-or."
)
@click.option(
    "-M", "settings", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the agent."
)
@click.option(
    "--people",
    default=24,
    show_default=True,
    type=click.IntRange(1, MOST),
    help="Simulate N people.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed their noise."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Write to this file. [default: FOLDER/simulated.jsonl]",
)
def simulate_people(
    folder: str,
    model: str,
    settings: tuple[str, ...],
    people: int,
    seed: int,
    output: str | None,
) -> None:
    """Simulate participants of the study in FOLDER, without a browser.

    The data has the form of real data. Import it with your planned exclusion rules to check
    whether this sample size gives narrow enough intervals.
    """
    from whybench.study.simulation import simulate_study  # noqa: PLC0415  (not for --help)

    target = Path(output) if output else Path(folder) / "simulated.jsonl"
    simulate_study(Path(folder), target, model, parse_key_values(settings, "-M"), people, seed)
    print_line(f"{target}: {people} people, answering as {model}")
    click.echo(f"whybench study import {target} --study {folder} -o simulated.parquet")


@study_command.command("import")
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@click.option(
    "--study",
    "folder",
    type=click.Path(),
    help="Name the folder of the study. [default: SOURCES, if it is that folder]",
)
@click.option(
    "-o", "--output", required=True, type=click.Path(), help="Write records to .parquet or .csv."
)
@click.option(
    "--exclude",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Exclude participants by rule, in order: incomplete, constant, repeated, "
    "comprehension>2, attention<1, seconds<2; may be repeated. [default: exclude nobody]",
)
@click.option(
    "--by",
    type=click.Choice(get_args(By)),
    default="person",
    show_default=True,
    help="Make each person an agent, or the group.",
)
@click.option("--as", "name", default="", help="Name the group. [default: the folder's name]")
@click.option("--keep-ids", is_flag=True, help="Keep participant ids. [default: store a digest]")
@json_option
def import_data(
    sources: tuple[str, ...],
    folder: str | None,
    output: str,
    rules: tuple[str, ...],
    by: By,
    name: str,
    keep_ids: bool,
    json_output: bool,
) -> None:
    """Convert the data of a study to records, like those of any agent.

    SOURCES are files and folders: JSON lines, jsPsych JSON or CSV, JATOS results (text or zip), or
    DataPipe files. Duplicate rows count once.
    """
    from whybench.records import write_records  # noqa: PLC0415  (not for --help)
    from whybench.study.export import DATA, MANIFEST  # noqa: PLC0415

    if folder is None:
        if len(sources) > 1 or not (Path(sources[0]) / MANIFEST).is_file():
            raise UserError(f"--study must name the study's folder, got none for {sources[0]}")
        folder, sources = sources[0], (str(Path(sources[0]) / DATA),)
    study = import_study(folder, sources, rules, by, name, keep_ids)
    write_records(study.table, output)
    outcomes = Counter(study.table["outcome"].to_pylist())
    if json_output:
        print_json({"file": output, "outcomes": outcomes, **study.summary()})
    else:
        print_line(f"{output}: {_summarize(study, outcomes)}")
        _print_exclusions(study)
        for note in study.notes():
            print_note(note)


def _summarize(study: ImportedStudy, outcomes: Counter[str]) -> str:
    counts = ", ".join(f"{outcomes[name]} {name}" for name in ("scored", "no_answer"))
    agents = len(set(study.table["agent"].to_pylist()))
    return (
        f"{study.table.num_rows} answers of {study.kept} participations, {counts}; "
        f"{agents} {'agent' if agents == 1 else 'agents'}"
    )


def _print_exclusions(study: ImportedStudy) -> None:
    if not study.exclusions:
        click.echo(f"No exclusion rule given: all {study.participations} participations are kept.")
        return
    print_rows(
        [
            {
                "rule": each.rule,
                "matched": str(each.met),
                "unknown": str(each.unknown),
                "excluded": str(each.excluded),
                "answers lost": str(each.answers),
            }
            for each in study.exclusions
        ]
    )
    click.echo(f"kept: {study.kept} of {study.participations} participations")


@click.command("play")
@suite_argument
@design_options
@click.option(
    "--as",
    "name",
    default="me",
    show_default=True,
    help="Record you as the agent person/NAME.",
)
@click.option(
    "--count", default=1, show_default=True, type=click.IntRange(1), help="Play N episodes."
)
@click.option("--log-dir", help="Write logs here. [default: logs/play-SUITE-NAME]")
def play_command(
    suite_name: str,
    design: str | None,
    factors: tuple[str, ...],
    name: str,
    count: int,
    log_dir: str | None,
) -> None:
    """Play episodes of SUITE at the terminal and see how your answers score.

    Each call continues with episodes that you have not played yet. Your answers are logged like a
    model's: pass the log folder to `whybench results`.
    """
    suite, chosen = choose_design(suite_name, design, factors)
    if suite.play is None:
        able = ", ".join(n for n, each in list_suites().items() if each.play) or "none"
        raise UserError(f"SUITE must be one that can be played ({able}), got {suite_name}")
    if why := suite.play.refuse(chosen):
        raise UserError(f"{why}; choose another --design")
    if not re.fullmatch(r"[\w.-]+", name):
        raise UserError(f"--as must be letters, digits, '.', '-' or '_', got {name!r}")
    folder = log_dir or f"logs/play-{suite.name}-{name}"
    settings = parse_design_settings(suite.name, design, factors)
    with leave_in_order(lambda: LEFT):
        _play(suite, chosen, settings, f"person/{name}", folder, count)


def _play(
    suite: AnySuite, design: Any, settings: dict[str, Any], agent: str, folder: str, count: int
) -> None:
    from whybench.evaluation.runs import hold_episode, list_played_items  # noqa: PLC0415

    done = list_played_items(folder, agent)
    waiting = [item.id for item in suite.items(design) if item.id not in done]
    if not waiting:
        raise UserError(f"you have played all of the design {design.name}; choose another --design")
    click.echo(f"{len(done)} played, {len(waiting)} left. Press Ctrl-C to stop.")
    for item in waiting[:count]:
        if not hold_episode(suite, settings, agent, item, folder):
            click.echo(LEFT)
            return
        click.echo(f"\nLogs: {folder}\nSee your measures: `whybench results {folder}`")
