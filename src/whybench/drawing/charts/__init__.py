"""A few plots that carry most figures: specifications of Vega-Lite, as plain dictionaries.

- `plot_points`: estimates with intervals in rows, a panel for each measure;
- `plot_lines`: estimates over levels, a panel for each agent or measure;
- `plot_curves`: fitted curves over a logarithmic axis, a panel for each agent;
- `plot_plane`: points in two dimensions, a panel for each agent;
- `plot_cells`: a map of cells with numbers in them;
- `plot_shares`: bars cut into shares.

Where a page finds what it needs:

- A chart of named panels has `facet`, `columns` and `spec`: the width of a panel is at
  `chart["spec"]["width"]`, and `chart["usermeta"]["columns"]` is the most panels in a row.
- Where `chart["usermeta"]["square"]` is true, panels are best as high as wide.
- A chart of one panel without a name has `layer`, and its width at `chart["width"]`, which may be
  `"container"`.
- `chart["usermeta"]["note"]` tells in words what marks mean that no legend has; on paper it stands
  below. `chart["title"]` is the name of the axis that panels share.
- Colours are names (`{"expr": "blue"}`) that `theme` resolves.

Data are stated once, in `chart["data"]["values"]`: `p` panel, `r` row, `s` series, `v` level, `e`
estimate, `l` and `h` ends of its interval, `gl` and `gh` of that for others like what was seen, `n`
answers, `f` if they are few. Every mark that shows a datum tells it in a tooltip and, in the same
words, to who hears a page.
"""

from whybench.drawing.charts.bars import BarPart, plot_shares
from whybench.drawing.charts.cells import MapCell, plot_cells
from whybench.drawing.charts.curves import FittedCurve, Threshold, plot_curves
from whybench.drawing.charts.lines import plot_lines
from whybench.drawing.charts.parts import Chart, Guide, ShownEstimate, span_of
from whybench.drawing.charts.plane import Segment, Spot, Writing, plot_plane
from whybench.drawing.charts.points import plot_points
from whybench.drawing.theme import theme

__all__ = [
    "BarPart",
    "Chart",
    "FittedCurve",
    "Guide",
    "MapCell",
    "Segment",
    "ShownEstimate",
    "Spot",
    "Threshold",
    "Writing",
    "plot_cells",
    "plot_curves",
    "plot_lines",
    "plot_plane",
    "plot_points",
    "plot_shares",
    "span_of",
    "theme",
]
