"""Commands that other packages add to `whybench` through entry points."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from evidence.damage import run_command

if TYPE_CHECKING:
    from pathlib import Path

MODULE = '''
import click

@click.group()
def lamp_command():
    """Light a lamp."""

@lamp_command.command("on")
@click.argument("color")
def on(color):
    """Switch it on."""
    from whybench.errors import UserError

    if color == "black":
        raise UserError(f"`color` must be a color of light, got {color}")
    click.echo(f"the lamp is {color}")
'''


@pytest.fixture(autouse=True)
def lamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package with the commands `lamp`, `dark` and a second `list`."""
    about = tmp_path / "lamp_package-0.1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: lamp\nVersion: 0.1.0\n")
    about.joinpath("entry_points.txt").write_text(
        "[whybench.commands]\nlamp = lamp_package:lamp_command\ndark = no_such_package:command\n"
        "bulb = lamp_package:MODULE\nlist = lamp_package:lamp_command\n"
    )
    (tmp_path / "lamp_package.py").write_text(f"{MODULE}\nMODULE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "lamp_package", raising=False)
    monkeypatch.setenv("WHYBENCH_DEBUG", "")


def test_plugin_command_when_called_runs_its_subcommand() -> None:
    assert run_command("lamp", "on", "green").printed == "the lamp is green\n"


def test_plugin_package_is_imported_for_its_own_command_only() -> None:
    assert run_command("data", "list", "--help").status == 0
    assert "lamp_package" not in sys.modules
    run_command("lamp", "--help")
    assert "lamp_package" in sys.modules


def test_help_lists_plugin_commands_with_their_short_help() -> None:
    printed = run_command("--help").printed
    rows = [
        " ".join(line.split()) for line in printed.partition("From other packages")[2].split("\n")
    ]
    assert rows[1:4] == [
        "bulb Cannot be loaded from lamp_package:MODULE.",
        "dark Cannot be loaded from no_such_package:command.",
        "lamp Light a lamp.",
    ]


def test_plugin_command_of_a_built_in_name_is_ignored() -> None:
    ended = run_command("list")
    assert ended.status == 0
    assert "judge" in ended.printed


@pytest.mark.parametrize(
    ("name", "reason"),
    [("dark", "no_such_package"), ("bulb", "must name a click command, got int")],
)
def test_plugin_command_that_cannot_be_loaded_ends_in_one_line(name: str, reason: str) -> None:
    ended = run_command(name)
    assert ended.status == 2
    (line,) = ended.errors
    assert reason in line


def test_misspelled_plugin_command_is_suggested() -> None:
    ended = run_command("lmp")
    assert ended.status == 2
    assert ended.errors[-1].endswith("Did you mean 'lamp'?")


def test_user_error_of_a_plugin_subcommand_names_its_argument() -> None:
    ended = run_command("lamp", "on", "black")
    assert ended.status == 2
    assert ended.errors == ["Error: COLOR must be a color of light, got black"]
