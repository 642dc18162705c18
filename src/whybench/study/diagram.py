"""A picture of what causes what: boxes with words, and arrows from causes to effects.

The picture says what the lesson says in words, and nothing more: a box for each thing that is
named, an arrow for each link that is told. Who does not see it hears the same links as sentences.
Causes stand above their effects, since a telephone is narrow; the picture is as wide as a column of
text there, and its letters are then hardly smaller than those of the text.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.suites.questionnaire import CausalPicture, Link

WIDTH = 340
WIDEST_BOX = 162
BETWEEN = 16
"""Between boxes that stand side by side."""
DROP = 46
"""From a box to the one below."""
LINE = 19
SIGN = 8.4
"""Height of a line, and width of a sign: letters of 15 have less than this in any common font."""
MARGIN = 10
EDGE = 1
HEAD = 9
"""Length of an arrow's head."""


@dataclass(frozen=True)
class _Box:
    left: float
    top: float
    width: float
    height: float
    lines: tuple[str, ...]

    def along(self, place: int, count: int) -> float:
        """Return where the arrow of this place, of so many, meets the upper or lower side."""
        return self.left + self.width * (place + 1) / (count + 1)


def render_diagram(picture: CausalPicture) -> str:
    """Return a picture of causes as HTML: a figure with SVG in it, and what an arrow means."""
    boxes = _place_boxes(picture.links)
    height = max(box.top + box.height for box in boxes.values()) + EDGE
    drawn = "".join([*map(_box_svg, boxes.values()), *_arrows(picture.links, boxes)])
    said = " ".join(_sentence(picture, link) for link in picture.links)
    return (
        f'<figure class="causes"><svg viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="{escape(said)}">{drawn}</svg>'
        f"<figcaption>An arrow means “{escape(picture.arrow)}”.</figcaption></figure>"
    )


def _sentence(picture: CausalPicture, link: Link) -> str:
    cause, effect = link
    return f"{cause[:1].upper()}{cause[1:]} {picture.arrow} {effect}."


def _place_boxes(links: Sequence[Link]) -> dict[str, _Box]:
    """Return a box for each thing: in rows, every effect below all of its causes."""
    rows = _rows(links)
    most = max(map(len, rows))
    width = min(WIDEST_BOX, (WIDTH - 2 * EDGE - BETWEEN * (most - 1)) / most)
    signs = int((width - 2 * MARGIN) / SIGN)
    boxes = {}
    top: float = EDGE
    for row in rows:
        lines = {thing: tuple(textwrap.wrap(thing, signs)) for thing in row}
        height = max(map(len, lines.values())) * LINE + 2 * MARGIN
        left = (WIDTH - width * len(row) - BETWEEN * (len(row) - 1)) / 2
        for place, thing in enumerate(row):
            at = left + place * (width + BETWEEN)
            boxes[thing] = _Box(at, top, width, height, lines[thing])
        top += height + DROP
    return boxes


def _rows(links: Sequence[Link]) -> list[list[str]]:
    things = list(dict.fromkeys(thing for link in links for thing in link))
    depth = dict.fromkeys(things, 0)
    for _ in things:
        for cause, effect in links:
            depth[effect] = max(depth[effect], depth[cause] + 1)
    return [
        [thing for thing in things if depth[thing] == row] for row in range(max(depth.values()) + 1)
    ]


def _box_svg(box: _Box) -> str:
    middle = box.left + box.width / 2
    # The first line of letters stands on its foot, a little below the middle of its height.
    first = box.top + box.height / 2 - LINE * len(box.lines) / 2 + 0.74 * LINE
    words = "".join(
        f'<text x="{middle:g}" y="{first + LINE * place:.4g}">{escape(line)}</text>'
        for place, line in enumerate(box.lines)
    )
    return (
        f'<rect x="{box.left:g}" y="{box.top:g}" width="{box.width:g}" height="{box.height:g}" '
        f'rx="6"></rect>{words}'
    )


def _arrows(links: Sequence[Link], boxes: dict[str, _Box]) -> list[str]:
    """Return an arrow for each link, those of one box side by side."""
    arrows = []
    for cause, effect in links:
        effects = [link[1] for link in links if link[0] == cause]
        causes = [link[0] for link in links if link[1] == effect]
        source, target = boxes[cause], boxes[effect]
        x0, y0 = source.along(effects.index(effect), len(effects)), source.top + source.height
        x1, y1 = target.along(causes.index(cause), len(causes)), target.top
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        ahead, aside = (x1 - x0) / length * HEAD, (y1 - y0) / length * HEAD
        x, y = x1 - ahead, y1 - aside
        arrows.append(
            f'<path d="M{x0:.1f} {y0:.1f}L{x:.1f} {y:.1f}"></path>'
            f'<path class="head" d="M{x1:.1f} {y1:.1f}L{x + aside / 2:.1f} {y - ahead / 2:.1f}'
            f'L{x - aside / 2:.1f} {y + ahead / 2:.1f}Z"></path>'
        )
    return arrows
