"""Pages made from the code: items as `whybench show` prints them, files as `new` writes them.

Five directives, so that nothing that the code says has to be copied into a page:

- `show`: its argument is what stands behind `whybench show`, such as `judge 9 -T style=cot`.
  The prompt and what is known of the item are two blocks; with the option `prompt` there is the
  first alone. A prompt that holds many rows of data is cut short, and says so.
- `scaffold`: its argument is what stands behind `whybench new`, such as `story bakery`. With the
  option `file`, only the file with that ending.
- `commands`: a section for each command, with what it says of itself.
- `zeros`: its argument is a suite. A table of the best attack on each of its designs.
- `sources`: a section for each file in `evidence/sources`, with what of the source is here.
"""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ClassVar

import yaml
from click.testing import CliRunner
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.directives.code import container_wrapper
from sphinx.util.docutils import SphinxDirective

from whybench.cli import COMMANDS, whybench_command
from whybench.scaffolds import make_scaffold
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sphinx.application import Sphinx

LONGEST = 60
"""Lines of a prompt that are shown; the rows of a data set go on for pages."""

WIDTH = 88
"""Columns of the help of a command."""

SOURCES = ("judge", "intervene", "compose", "analyze")
SOURCES_FOLDER = Path(__file__).parents[2] / "evidence" / "sources"
STATUSES = ("full", "different", "partial", "missing")

LANGUAGES = {".py": "python", ".toml": "toml", ".yaml": "yaml"}


def shown(words: str) -> tuple[str, str]:
    """Return the prompt of an item and what is known of it, as the command prints them.

    Raises:
        ValueError: The command fails.
    """
    done = CliRunner().invoke(whybench_command, ["show", *shlex.split(words)])
    if done.exit_code:
        raise ValueError(f"whybench show {words}: {done.output or done.exception}")
    prompt, _, known = done.output.rstrip().rpartition("\n" + "─" * 72 + "\n")
    lines = prompt.rstrip().splitlines()
    if len(lines) > LONGEST:
        lines = [*lines[:LONGEST], f"… and {len(lines) - LONGEST} more lines"]
    return "\n".join(lines), known


class Show(SphinxDirective):
    """One item: its prompt, then its place, truth and certificate."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Callable[[str], object]]] = {"prompt": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the blocks below the command that prints them."""
        words = self.arguments[0]
        try:
            prompt, known = shown(words)
        except ValueError as error:
            raise self.error(str(error)) from None
        command = nodes.paragraph("", "", nodes.literal("", f"whybench show {words}"))
        blocks = [_block(prompt, "text", "prompt")]
        if "prompt" not in self.options:
            blocks.append(_block(known, "text", "known"))
        return [command, *blocks]


class Scaffold(SphinxDirective):
    """The files of a start."""

    required_arguments = 2
    optional_arguments = 1
    option_spec: ClassVar[dict[str, Callable[[str], str]]] = {"file": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return a block with a caption for each file."""
        scaffold = make_scaffold(*self.arguments)
        ending = self.options.get("file", "")
        found = {path: text for path, text in scaffold.texts.items() if path.endswith(ending)}
        if not found:
            raise self.error(f"file must end one of {', '.join(scaffold.texts)}, got {ending!r}")
        return [
            container_wrapper(self, _block(text, LANGUAGES[PurePath(path).suffix]), f"`{path}`")
            for path, text in found.items()
        ]


def explained(command: str) -> str:
    """Return what a command says of itself.

    Raises:
        ValueError: It fails.
    """
    asked = [command, "--help"]
    done = CliRunner().invoke(whybench_command, asked, prog_name="whybench", terminal_width=WIDTH)
    if done.exit_code:
        raise ValueError(f"whybench {command} --help: {done.output or done.exception}")
    return done.output.rstrip()


class Commands(SphinxDirective):
    """Every command of `whybench`."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each."""
        sections = []
        for name in COMMANDS:
            try:
                text = explained(name)
            except ValueError as error:
                raise self.error(str(error)) from None
            title = nodes.title("", "", nodes.literal("", f"whybench {name}"))
            sections.append(nodes.section("", title, _block(text, "text"), ids=[f"command-{name}"]))
        return sections


def tabulate_zeros(name: str) -> str:
    """Return the best attack on each design of a suite as a table in Markdown."""
    suite = get_suite(name)
    strategies = {attack.name: attack.summary for attack in suite.attacks}
    lines = ["| design | baseline | best attack | strategy |", "|---|---|---|---|"]
    for zero in suite.zeros.by_design.values() if suite.zeros else ():
        strategy = strategies[zero.attack]
        lines.append(f"| `{zero.design}` | {zero.value:.2f} | `{zero.attack}` | {strategy} |")
    return "\n".join(lines)


class ZeroTable(SphinxDirective):
    """The baselines of a suite."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        return self.parse_text_to_nodes(tabulate_zeros(self.arguments[0]))


def tabulate_source(source: Mapping[str, Any]) -> str:
    """Return the rows of a source as a table in Markdown, below how many there are."""
    counts = Counter(row["status"] for row in source["rows"])
    told = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    lines = [f"{len(source['rows'])} rows: {told}.", "", "| feature | | where, and what differs |"]
    lines.append("|---|---|---|")
    for row in source["rows"]:
        shown = [f"`{line}`" for line in row.get("command", "").split(" && ") if line]
        shown += [f"`{row['api']}`"] if "api" in row else []
        words = "; ".join(filter(None, ["<br>".join(shown), row.get("why", "")]))
        lines.append(f"| {row['feature']} | {row['status']} | {words} |".replace("||", "| |"))
    return "\n".join(lines)


class Sources(SphinxDirective):
    """What of the sources is here."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each source."""
        sections = []
        for suite in SOURCES:
            path = SOURCES_FOLDER / f"{suite}.yaml"
            if not path.is_file():
                continue
            self.env.note_dependency(str(path))
            source = yaml.safe_load(path.read_text(encoding="utf-8"))
            title = nodes.title("", f"{suite}: {source['source']}")
            section = nodes.section("", title, ids=[f"source-{suite}"])
            section += self.parse_text_to_nodes(tabulate_source(source))
            sections.append(section)
        return sections


def _block(text: str, language: str, *classes: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language, classes=list(classes))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("show", Show)
    app.add_directive("scaffold", Scaffold)
    app.add_directive("commands", Commands)
    app.add_directive("sources", Sources)
    app.add_directive("zeros", ZeroTable)
    app.add_css_file("prompts.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
