"""`study`: an experiment for people in a browser, and a server for it."""

from __future__ import annotations

from pathlib import Path

import click

from whybench.cli.options import design_options, design_settings, suite_argument
from whybench.cli.study_import import import_command
from whybench.cli.study_simulate import simulate_command

__all__ = ["study_command"]


@click.group("study")
def study_command() -> None:
    """Studies with people: make an experiment, serve it, bring the data home."""


study_command.add_command(import_command)
study_command.add_command(simulate_command)


@study_command.command("export")
@suite_argument
@design_options
@click.option("-o", "output", required=True, type=click.Path(), help="The study's folder.")
@click.option(
    "--save",
    default="download",
    show_default=True,
    metavar="WHERE",
    help="Where answers go: download, serve, jatos or datapipe:EXPERIMENT_ID.",
)
@click.option("--items", "most", type=click.IntRange(1), help="So many for one participant.")
@click.option("--lists", type=click.IntRange(1), help="So many lists of items. [default: all]")
@click.option("--consent", type=click.Path(), help="Your own text, a file of Markdown.")
@click.option("--instructions", type=click.Path(), help="Your own text, a file of Markdown.")
@click.option("--debriefing", type=click.Path(), help="Your own text, a file of Markdown.")
def export_study(
    suite_name: str,
    design: str | None,
    factors: tuple[str, ...],
    output: str,
    save: str,
    most: int | None,
    lists: int | None,
    consent: str | None,
    instructions: str | None,
    debriefing: str | None,
) -> None:
    """Write an experiment that asks people the items of SUITE.

    The folder holds everything: open its index.html, put it on a server, or serve it by
    `whybench study serve`. Participants are balanced by their number: index.html?number=0, 1, ...
    """
    from whybench.study.export import Saving, Texts, write_study  # noqa: PLC0415
    from whybench.study.plan import make_plan  # noqa: PLC0415

    saving = Saving.read(save)
    plan = make_plan(suite_name, design_settings(suite_name, design, factors), most, lists)
    texts = Texts(consent, instructions, debriefing)
    write_study(plan, Path(output), saving, texts)
    sizes = sorted({len(entry) for entry in plan.lists})
    each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    click.echo(f"{output}: study {plan.id} of {suite_name}, answers by {saving.how}")
    click.echo(
        f"{len(plan.lists)} lists, a participant has one: {each} items. All orders are balanced "
        f"after {plan.cycle} participants, all lists after every {len(plan.lists)}."
    )
    click.echo(
        f"whybench study serve {output}" if saving.how == "serve" else f"Open {output}/index.html"
    )


@study_command.command("serve")
@click.argument("folder", type=click.Path())
@click.option(
    "--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="0 for any."
)
@click.option("--data", type=click.Path(), help="Where answers are written. [default: FOLDER/data]")
def serve_study(folder: str, port: int, data: str | None) -> None:
    """Serve the study in FOLDER on this machine, and write the answers that come."""
    from whybench.study.export import DATA, read_manifest  # noqa: PLC0415
    from whybench.study.server import study_server  # noqa: PLC0415

    target = Path(data) if data else Path(folder) / DATA
    with study_server(Path(folder), target, port) as server:
        click.echo(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends)")
        how = read_manifest(Path(folder))["save"]
        click.echo(
            f"answers are written to {target}"
            if how == "serve"
            else f"answers go by {how}, not here: export the study with --save serve for that"
        )
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("ended")
