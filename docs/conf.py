"""How the documentation is built: `sphinx-build -W -b html docs docs/_build`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from whybench import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "WhyBench"
author = "The WhyBench authors"
project_copyright = "The WhyBench authors"
release = version = __version__

extensions = [
    "made_from_code",
    "mathml",
    "self_contained",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_llms_txt",
]
html_static_path = ["_static"]
exclude_patterns = ["_build", "examples", "jupyter_execute"]
default_role = "code"  # docstrings put names between single backticks

html_theme = "furo"
html_title = f"WhyBench {release}"
html_show_sphinx = False
html_math_renderer = "mathml"

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

# Pages with code cells are run as notebooks, in a folder of their own, and must not fail.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 3600  # A busy machine is slow; this only ends a page that hangs.
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

# llms.txt lists the pages for language models, llms-full.txt is all of them in one file, but for
# the reference of the code, which they can read themselves.
llms_txt_summary = (
    "WhyBench tests whether a language model reasons about cause and effect, or only about "
    "correlation. It runs on Inspect AI. Suites: judge, intervene, compose, trace, derive, "
    "calculate, analyze."
)
llms_txt_exclude = ["api"]
llms_txt_uri_template = "_sources/{docname}{suffix}{sourcelink_suffix}"

toc_object_entries = False  # every page would copy them for the navigation
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True, "no-value": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

ROW = re.compile(r"\s*\|(?P<cells>.*)\|\s*$")
RULE = re.compile(r"\s*\|[-|: ]+\|\s*$")


def _tables(
    _app: Sphinx, _what: str, _name: str, _thing: object, _options: object, lines: list[str]
) -> None:
    """Turn the Markdown tables of a docstring, in place, into what Sphinx reads."""
    turned: list[str] = []
    for place, line in enumerate(lines):
        row = ROW.match(line)
        if row is None:
            turned.append(line)
        elif not RULE.match(line):
            if place + 1 < len(lines) and RULE.match(lines[place + 1]):
                turned += [".. list-table::", "   :header-rows: 1", ""]
            cells = [cell.strip() for cell in row["cells"].split(" | ")]
            turned += [
                f"   {'-' if n else '* -'} {cell}".replace("   - ", "     - ")
                for n, cell in enumerate(cells)
            ]
    lines[:] = turned


def setup(app: Sphinx) -> None:
    """Register what the build adds to Sphinx."""
    app.connect("autodoc-process-docstring", _tables)


# A question is a question, of a suite and of a fit; the two classes live in different packages.
suppress_warnings = ["ref.python"]
napoleon_attr_annotations = False
