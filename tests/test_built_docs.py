"""The extensions of the documentation: formulas are MathML, and built pages load nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sphinx.cmd.build import main as build

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIGURATION = """
extensions = ["myst_parser", "mathml", "self_contained"]
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
"""
EXTENSIONS = Path(__file__).parents[1] / "docs" / "_extensions"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[int, str]]:
    """Return what builds one page, and returns the status and the page."""
    monkeypatch.syspath_prepend(str(EXTENSIONS))

    def build_page(text: str) -> tuple[int, str]:
        (tmp_path / "conf.py").write_text(CONFIGURATION, encoding="utf-8")
        (tmp_path / "index.md").write_text(text, encoding="utf-8")
        out = tmp_path / "built"
        status = build(["-W", "-q", str(tmp_path), str(out)])
        return status, (out / "index.html").read_text("utf-8")

    return build_page


def test_formulas_are_drawn_by_the_browser_itself(
    built: Callable[[str], tuple[int, str]],
) -> None:
    status, page = built(
        "# Title\n\nIn a line $x_1$, and\n\n$$\\frac{a}{b}$$\n\n[a](https://a.org)\n"
    )
    assert status == 0
    assert page.count("<math ") == 2
    assert "<mfrac>" in page
    assert "mathjax" not in page.lower().replace("mathjax_ignore", "")


@pytest.mark.parametrize(
    "loads",
    [
        '<script async src="https://cdn.org/x.js"></script>',
        '<link rel="stylesheet" href="https://cdn.org/x.css"/>',
        '<link href="//fonts.org/x" rel="preconnect"/>',
        '<img alt="a" src="http://cdn.org/x.png"/>',
        '<style>@font-face { src: url("https://fonts.org/x.woff2") }</style>',
        "<style>@import 'https://cdn.org/x.css';</style>",
    ],
)
def test_a_page_that_loads_something_from_elsewhere_fails_the_build(
    built: Callable[[str], tuple[int, str]], loads: str
) -> None:
    status, _ = built(f"# Title\n\n{loads}\n")
    assert status == 1
