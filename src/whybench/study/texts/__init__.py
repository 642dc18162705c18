"""The texts of an experiment, and text to HTML.

Consent, instructions, debriefing and the text of an early end are Markdown, a bundled text or a
user's own. HTML in them is escaped, and pictures are left out: an experiment needs nothing but its
folder. Prompts are no Markdown, since a name in them may hold any sign; of them only paragraphs and
lines with a hyphen in front are formatted, and rows of tables between upright strokes.
"""

from __future__ import annotations

from html import escape
from importlib.resources import files
from pathlib import Path

from whybench.errors import UserError

__all__ = ["read_study_text", "render_markdown", "render_prompt_html"]


def read_study_text(kind: str, suite_name: str, path: str | None) -> str:
    """Return a user's Markdown, or the bundled text of this kind, for this suite if it has one.

    Args:
        kind: consent, instructions, debriefing or early_end.
        suite_name: The suite.
        path: The user's file; None for the bundled text.
    """
    option = kind.replace("_", "-")
    if path is not None:
        try:
            return Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(
                f"--{option} must be a file of Markdown in UTF-8, got {path}: {error}"
            ) from None
    folder = files(__package__)
    for name in (f"{option}-{suite_name}.md", f"{option}.md"):
        if folder.joinpath(name).is_file():
            return folder.joinpath(name).read_text(encoding="utf-8")
    raise UserError(f"{suite_name} has no {option} of its own; give --{option} FILE")


def render_markdown(markdown: str) -> str:
    """Return Markdown as HTML."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  (not for --help)

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    return str(reader.render(markdown)).strip()


def render_prompt_html(text: str) -> str:
    """Return the words of a prompt as HTML: paragraphs, lines with a hyphen, rows with strokes."""
    blocks: list[str] = []
    for line in text.splitlines():
        if line.startswith("- "):
            entry = f"<li>{escape(line[2:])}</li>"
            if blocks and blocks[-1].endswith("</ul>"):
                blocks[-1] = f"{blocks[-1].removesuffix('</ul>')}{entry}</ul>"
            else:
                blocks.append(f"<ul>{entry}</ul>")
        elif line.startswith("| "):
            cells = line.strip("| ").split(" | ")
            entry = f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
            if blocks and blocks[-1].endswith("</table>"):
                blocks[-1] = f"{blocks[-1].removesuffix('</table>')}{entry}</table>"
            else:
                blocks.append(f"<table>{entry}</table>")
        elif line.strip():
            blocks.append(f"<p>{escape(line)}</p>")
    return "".join(blocks)
