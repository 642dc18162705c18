"""Formulas as MathML, which browsers draw themselves: nothing is loaded from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator


def write_formula(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula, within a line or as a block.

    Raises:
        MathError: It holds what docutils cannot turn into MathML.
    """
    as_block = isinstance(node, nodes.math_block)
    translator.body.append(tex2mathml(node.astext(), as_block=as_block))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register how formulas are written."""
    app.add_html_math_renderer("mathml", (write_formula, None), (write_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
