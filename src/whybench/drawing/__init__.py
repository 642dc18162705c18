"""What the figures of all suites share: sheet, style, panels, marks, names, scales, small graphs.

A suite's figures are functions from plain results to a matplotlib figure. They draw on a `sheet`
in the `styled` manner of the package, with the marks, scales and names of this room, and `save`
writes them as PDF, SVG and PNG. What a figure is about stays with its suite; nothing here knows
any. Needs the extra `figures` (matplotlib).

Shown alike everywhere: figures are 170 mm wide and can be read in grey and by colour-blind readers;
people are black; an open mark rests on too few answers to be ranked.
"""

try:
    import matplotlib  # noqa: F401
except ModuleNotFoundError as missing:
    raise ImportError("figures need matplotlib: pip install 'whybench[figures]'") from missing

from whybench.drawing.canvas import save

__all__ = ["save"]
