"""Built pages load nothing from elsewhere; one that does is a warning at the end of the build."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio)\b[^>]*?\ssrc=\"(?P<file>(?:https?:)?//[^\"]+)\""
    r"|<link\b(?=[^>]*\srel=\"(?:stylesheet|preload|preconnect|icon)\")"
    r"[^>]*?\shref=\"(?P<linked>(?:https?:)?//[^\"]+)\""
    r"|(?:@import\s+(?:url\()?|\burl\()[\"']?(?P<styled>(?:https?:)?//[^\"')]+)"
)
"""What a browser fetches by itself; a link that a reader may follow is not."""


def find_loads(text: str) -> list[str]:
    """Return the addresses elsewhere that a page or a style sheet loads from."""
    return [found[found.lastgroup or 0] for found in LOADED.finditer(text)]


def check_pages(app: Sphinx, error: Exception | None) -> None:
    """Warn of every built page and style sheet that loads from elsewhere."""
    if error is not None:
        return
    built = Path(app.outdir)
    for path in sorted([*built.rglob("*.html"), *built.rglob("*.css")]):
        for address in find_loads(path.read_text("utf-8")):
            logging.getLogger(__name__).warning("%s loads %s", path.relative_to(built), address)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the check."""
    app.connect("build-finished", check_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
