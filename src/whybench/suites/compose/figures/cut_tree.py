"""The cut tree of a world, with what is true, what was answered, and the error on every arrow.

The anchors (root, cutpoints, leaf) stand in a row, and an arrow leads from each to every later one:
straight to the next, in an arc above those between. Above each arrow stand the true effect and the
answered one, and under them the error, as a share of the larger of the two, with its interval. An
arrow is bold and dashed where the answered effect is off by more than delta, and dotted where the
interval does not say.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from whybench.drawing.canvas import add_key, sheet, styled
from whybench.drawing.figure import distinct_names
from whybench.drawing.graphs import NODE, draw_node
from whybench.drawing.grids import even_grid
from whybench.drawing.style import SIZE, SMALL, WIDTH, colour, read_table
from whybench.stats import Estimate
from whybench.suites.compose.verdicts import DELTA, decide_verdict, relative_difference
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from whybench.suites.compose.chain import Chain
    from whybench.suites.compose.verdicts import Verdict

LOOKS = read_table(__package__, "style.yaml")["effects"]
MOST_BLOCKS = 5
"""The most blocks for which there is room to write on every arrow."""
BESIDE = 3
"""Up to so many blocks, two trees find room beside each other."""
STEP = 13.0
"""How much higher an arc is that spans one block more, in mm."""
FOOT, HEAD = 8.0, 10.0
"""Room for what stands below the anchors and above the highest arc, in mm."""
RIM = (NODE / 2 + 1) / 72 * 25.4
"""How far from the middle of a node its arrows end, in mm."""
WIDE = 27.0
"""Where anchors stand so far apart, in mm, an error and its interval find room in one line."""
SIDE = 0.35
"""How wide an anchor's margin is, in distances between anchors."""
ROUND = 2.6
"""How square arcs are: 2 makes ellipses; more leaves room under them."""
POINTS = 100
"""How many points, at even distances, an arc is drawn by."""


@dataclass(frozen=True)
class PairEffect:
    """How strongly one anchor acts on another, in truth and as answered.

    Attributes:
        cause: The earlier anchor.
        effect: The later one.
        true: The true effect.
        answered: The answered effect; None without answers.
        low: Lower end of its interval; None where there is none.
        high: Upper end of its interval.
    """

    cause: int
    effect: int
    true: float
    answered: float | None
    low: float | None = None
    high: float | None = None

    @property
    def ratio(self) -> Estimate:
        """The error as a share of the larger effect, as in `verdicts`.

        It rises with the answered effect, so its interval has the ends of that one's.
        """
        estimate, low, high = (
            None if value is None else relative_difference(value, self.true)
            for value in (self.answered, self.low, self.high)
        )
        return Estimate(estimate, low, high, 0, 0, "ends of the interval of the answered effect")

    def verdict(self, delta: float = DELTA) -> Verdict:
        """Say whether the answered effect is the true one, by the rule for compositions.

        The interval alone decides; whether rarer errors would show is not asked here.
        """
        return decide_verdict(self.ratio, delta)


@dataclass(frozen=True)
class CutTree:
    """The effects between all anchors of a world, as one agent answered them.

    Attributes:
        labels: Whose answers they are: the agent, and its condition.
        chain: The blocks of the world.
        effects: One for each pair of anchors.
    """

    labels: Mapping[str, str]
    chain: Chain
    effects: tuple[PairEffect, ...]

    def __post_init__(self) -> None:
        given = tuple((effect.cause, effect.effect) for effect in self.effects)
        if sorted(given) != sorted(self.chain.pairs):
            raise ValueError(
                f"effects must be one for each of the pairs {self.chain.pairs}, got {given}"
            )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each effect as a flat row."""
        for effect in self.effects:
            yield {**self.labels, **asdict(effect), "error": effect.ratio.estimate}


@styled
def cut_trees(trees: Sequence[CutTree], title: str = "", delta: float = DELTA) -> Figure:
    """Draw the cut tree of each agent, all of one world.

    Args:
        trees: What each agent answered.
        title: What stands above all, such as the world.
        delta: The share that is too small to matter.
    """
    if len({tree.chain for tree in trees}) != 1:
        raise UserError(f"trees must be one or more of the same blocks, got {len(trees)}")
    blocks = len(trees[0].chain.blocks)
    if blocks > MOST_BLOCKS:
        raise UserError(f"a cut tree to draw must have at most {MOST_BLOCKS} blocks, got {blocks}")
    rows, columns = even_grid(len(trees), 2 if blocks <= BESIDE else 1)
    height = FOOT + STEP * (blocks - 1) + HEAD
    figure = sheet((height + 5) * rows + 24)
    every = figure.subplots(rows, columns, squeeze=False).ravel()
    names = distinct_names([tree.labels for tree in trees])
    for axes, tree, name in zip(every, trees, names, strict=False):
        axes.set_title(name, pad=2)
        # Both axes are in mm, near enough to end arrows at the rims of nodes.
        apart = (WIDTH - 6) / columns / (blocks + 2 * SIDE)
        axes.set(xlim=(-SIDE * apart, (blocks + SIDE) * apart), ylim=(-FOOT, height - FOOT))
        _draw_tree(axes, tree, apart, delta)
    for axes in every:
        axes.set_axis_off()
    told = "on each arrow: true effect → answered effect; error in % of the larger [95% interval]"
    figure.suptitle("\n".join(filter(None, (title, told))), fontsize=SIZE)
    add_key(figure, _keys(trees, delta), where="outside lower center")
    return figure


def _draw_tree(axes: Axes, tree: CutTree, apart: float, delta: float) -> None:
    """Draw a tree whose anchors stand so far apart."""
    chain = tree.chain
    for effect in tree.effects:
        start, end = (chain.anchors.index(node) for node in (effect.cause, effect.effect))
        found = effect.verdict(delta)
        _draw_arrow(axes, _arc(start, end, len(chain.blocks), apart), found)
        middle, top = (start + end) / 2 * apart, STEP * (end - start - 1)
        _write_above(axes, middle, top, _told(effect, apart >= WIDE), bold=found == "no")
    for place, anchor in enumerate(chain.anchors):
        draw_node(axes, (place * apart, 0), str(anchor), gid="anchor")
    for place, block in enumerate(chain.blocks):
        _write_below(axes, (place + 0.5) * apart, str(block))
    _write_below(axes, 0, "root")
    _write_below(axes, len(chain.blocks) * apart, "leaf")


def _arc(start: int, end: int, blocks: int, apart: float) -> NDArray[np.float64]:
    """Return the points of an arc between the rims of two anchors.

    Of the arcs at a node a longer one lies farther out, so that their heads do not meet: the
    shortest near the node's inner side, the longest a little beyond its middle.
    """
    span = end - start
    aside = RIM * (0.85 - 1.1 * (span - 2) / max(blocks - 2, 1)) if span > 1 else 0.0
    left, right = start * apart + aside, end * apart - aside
    around = np.linspace(np.pi, 0, 40 * POINTS)
    across = (left + right) / 2 + (right - left) / 2 * _squared(np.cos(around))
    up = STEP * (span - 1) * _squared(np.sin(around))
    away = [np.hypot(across - place * apart, up) >= RIM for place in (start, end)]
    between = np.column_stack([across, up])[away[0] & away[1]]
    run = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(between, axis=0).T))])
    even = np.linspace(0, run[-1], POINTS)
    return np.column_stack([np.interp(even, run, side) for side in between.T])


def _squared(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn a circle's coordinates into those of a squarer curve."""
    return np.asarray(np.sign(values) * np.abs(values) ** (2 / ROUND))


def _draw_arrow(axes: Axes, points: NDArray[np.float64], found: Verdict) -> None:
    look = LOOKS[found]
    shade = colour(look["colour"])
    axes.plot(*points[:-1].T, color=shade, linewidth=look["width"], linestyle=_line(look),
              solid_capstyle="butt", zorder=2, gid=f"arrow-{found}")  # fmt: skip
    # The head is drawn apart: it is solid, whatever the line is.
    head = FancyArrowPatch(
        points[-3], points[-1], arrowstyle="-|>,head_width=0.2,head_length=0.4",
        mutation_scale=SIZE, shrinkA=0, shrinkB=0, linewidth=0.7, color=shade, zorder=2,
    )  # fmt: skip
    axes.add_patch(head)


def _write_above(axes: Axes, x: float, y: float, text: str, *, bold: bool) -> None:
    axes.annotate(
        text, (x, y), (0, 2.5), textcoords="offset points", ha="center", va="bottom",
        fontsize=SMALL, linespacing=1.05, fontweight="bold" if bold else "normal", zorder=4,
        # Where a longer arrow passes behind, it gives way to the words.
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
    )  # fmt: skip


def _line(look: dict[str, Any]) -> Any:
    return (0, tuple(look["dashes"])) if look["dashes"] else "-"


def _told(effect: PairEffect, wide: bool) -> str:
    """Return the true effect and the answered one, the error, and its interval if it has width."""
    if effect.answered is None:
        return f"{effect.true:.2g} → ?\nno answer"
    values = f"{effect.true:.2g} → {effect.answered:.2g}"
    ratio = effect.ratio
    if ratio.estimate is None:
        return f"{values}\nno effect"
    ends = ""
    if ratio.low is not None and ratio.high is not None and ratio.low < ratio.high:
        ends = (" " if wide else "\n") + f"[{_percent(ratio.low)}, {_percent(ratio.high)}]"
    return f"{values}\n{_percent(ratio.estimate)}%{ends}"


def _percent(share: float) -> str:
    """Return a share in per cent, with its sign unless it is 0.

    >>> _percent(0.126), _percent(-0.5), _percent(0.001)
    ('+13', '−50', '0')
    """
    whole = round(100 * share)
    return f"{whole:+d}".replace("-", "−") if whole else "0"


def _write_below(axes: Axes, x: float, text: str) -> None:
    axes.annotate(
        text, (x, 0), (0, -NODE / 2 - 3), textcoords="offset points", ha="center", va="top",
        fontsize=SMALL, color=colour("grey"),
    )  # fmt: skip


def _keys(trees: Sequence[CutTree], delta: float) -> list[Line2D]:
    met = {effect.verdict(delta) for tree in trees for effect in tree.effects}
    return [
        Line2D([], [], color=colour(look["colour"]), linewidth=look["width"],
               linestyle=_line(look), label=look["name"].format(delta=delta))
        for name, look in LOOKS.items()
        if name in met
    ]  # fmt: skip
