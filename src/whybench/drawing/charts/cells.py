"""A map of cells: rows by columns, a panel for each measure, with numbers in the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from whybench.drawing.charts.parts import (
    assemble,
    embolden,
    layer_of,
    named,
    present,
    tell,
    to_note,
)
from whybench.stats import SMALL_N

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.drawing.charts.parts import Chart
    from whybench.stats import Estimate, Measure

STEP = 16
"""Height of a row in pixels."""


class MapCell(NamedTuple):
    """One cell: an estimate, and its row, column and panel."""

    found: Estimate | Measure
    row: str
    column: str
    panel: str


def plot_cells(
    cells: Sequence[MapCell],
    rows: Sequence[str],
    columns: Sequence[str],
    panels: Sequence[str],
    *,
    heads: Sequence[str] = (),
    numbered: bool = True,
    words: tuple[str, str, str] = ("agent", "condition", "measure"),
) -> Chart:
    """Return a map of cells; small cells rest on few answers.

    Args:
        cells: What is to be seen; those without an estimate are left empty.
        rows: The names of rows, from above.
        columns: The names of columns, from the left.
        panels: The names of panels.
        heads: Rows whose names are bold.
        numbered: Whether cells hold their numbers, in hundredths.
        words: What rows, columns and panels are called in words.
    """
    data = [_datum(cell) for cell in cells if cell.found.estimate is not None]
    lowest = min([0.0, *(datum["e"] for datum in data)])
    middle = (lowest + 1) / 2
    y = {"field": "r", "type": "nominal", "scale": {"domain": list(rows)},
         "axis": {"title": None, "grid": False, **embolden(heads)}}  # fmt: skip
    x = {
        "field": "v", "type": "nominal", "scale": {"domain": list(columns)},
        "axis": {"title": None, "grid": False, "domain": False, "ticks": False, "labelAngle": -90,
                 "labelExpr": "split(datum.label, '\\n')", "labelOverlap": False},
    }  # fmt: skip
    shade = {"field": "e", "type": "quantitative", "legend": {"title": "estimate"},
             "scale": {"domain": [lowest, 1], "range": "heatmap"}}  # fmt: skip
    said = tell(**named(data, r=words[0], v=words[1], p=words[2]))
    layers: list[dict[str, Any]] = []
    for few, size in ((False, 1.0), (True, 0.7)):
        if any(("f" in datum) is few for datum in data):
            cell = layer_of("e", "rect", "tile", {"x": x, "y": y, "color": shade}, said)
            cell["transform"] = [{"filter": f"{'' if few else '!'}datum.f && isValid(datum.e)"}]
            cell["mark"] |= {"width": {"band": size}, "height": {"band": size}}
            layers.append(cell)
    if numbered:
        on = {"condition": {"test": f"datum.e < {middle:g}", "value": {"expr": "on_dark"}},
              "value": {"expr": "on_light"}}  # fmt: skip
        text = layer_of(
            "e", "text", "written", {"x": x, "y": y, "text": {"field": "t"}, "color": on}
        )
        number = "replace(format(round(100 * datum.e), 'd'), '-0', '0')"
        text["transform"].append({"calculate": number, "as": "t"})
        text["mark"]["align"] = "center"
        layers.append(text)
    note = to_note(
        "empty cell: no estimate",
        f"small cell: fewer than {SMALL_N} answers" if any("f" in datum for datum in data) else "",
        "numbers are hundredths" if numbered else "",
    )
    return assemble(data, panels, layers, height={"step": STEP}, columns=len(panels), note=note)


def _datum(cell: MapCell) -> dict[str, Any]:
    found = cell.found
    return present(
        p=cell.panel, r=cell.row, v=cell.column, e=found.estimate, l=found.low, h=found.high,
        n=found.n, f=1 if "small_n" in found.flags else None,
    )  # fmt: skip
