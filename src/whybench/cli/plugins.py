"""Commands of other packages, found through the entry-point group `whybench.commands`.

A package is imported only when its command is called, or for its line in `whybench --help`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from whybench.errors import UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "whybench.commands"

LINE_LENGTH = 60
"""The longest description of a command in the list of commands, in characters."""


def find_entries() -> dict[str, EntryPoint]:
    """Return the entry points of commands by name, in alphabetical order."""
    from importlib.metadata import entry_points  # noqa: PLC0415  (not for built-in commands)

    entries = entry_points(group=GROUP)
    return {name: entries[name] for name in sorted(entries.names)}


def load_command(entry: EntryPoint) -> click.Command:
    """Import a command of another package.

    Raises:
        UserError: The package cannot be imported, or the entry point names something else.
    """
    try:
        command = entry.load()
    except Exception as error:
        # Another package can raise any error while it is imported.
        raise UserError(
            f"the command {entry.name!r} must be one that can be imported, got "
            f"{type(error).__name__} from {entry.value}: {error}; fix or uninstall its package"
        ) from error
    if not isinstance(command, click.Command):
        raise UserError(
            f"the entry point {entry.name!r} of {GROUP} must name a click command, got "
            f"{type(command).__name__} from {entry.value}; fix or uninstall its package"
        )
    return command


def describe_command(entry: EntryPoint) -> str:
    """Return the short help of a command, or that it cannot be loaded."""
    try:
        return load_command(entry).get_short_help_str(LINE_LENGTH)
    except UserError:
        return f"Cannot be loaded from {entry.value}."
