"""What an experiment says of itself, and words to HTML.

Consent, instructions and debriefing are Markdown, a bundled text or a user's own. HTML in them is
shown as it is written and never obeyed, and pictures are left out: an experiment needs nothing but
its folder. The words of prompts are no Markdown, since a name in them may hold any sign; of them
only paragraphs and lines with a hyphen in front are taken as what they are.
"""

from __future__ import annotations

from html import escape
from importlib.resources import files
from pathlib import Path

from whybench.suites.contract import UserError

__all__ = ["own_text", "prompt_html", "text_html"]


def own_text(kind: str, suite_name: str, path: str | None) -> str:
    """Return a user's Markdown, or the bundled text of this kind, for this suite if it has one.

    Args:
        kind: consent, instructions or debriefing.
        suite_name: The suite.
        path: The user's file; None for the bundled text.
    """
    if path is not None:
        try:
            return Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(
                f"--{kind} must be a file of Markdown in UTF-8, got {path}: {error}"
            ) from None
    folder = files(__package__)
    for name in (f"{kind}-{suite_name}.md", f"{kind}.md"):
        if folder.joinpath(name).is_file():
            return folder.joinpath(name).read_text(encoding="utf-8")
    raise UserError(f"{suite_name} has no {kind} of its own; give --{kind} FILE")


def text_html(markdown: str) -> str:
    """Return Markdown as HTML."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  (not for --help)

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    return str(reader.render(markdown)).strip()


def prompt_html(text: str) -> str:
    """Return the words of a prompt as HTML: paragraphs, and lists of lines with a hyphen."""
    made: list[str] = []
    for line in text.splitlines():
        if line.startswith("- "):
            entry = f"<li>{escape(line[2:])}</li>"
            if made and made[-1].endswith("</ul>"):
                made[-1] = f"{made[-1].removesuffix('</ul>')}{entry}</ul>"
            else:
                made.append(f"<ul>{entry}</ul>")
        elif line.strip():
            made.append(f"<p>{escape(line)}</p>")
    return "".join(made)
