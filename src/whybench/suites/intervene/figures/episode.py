"""One episode as a series of small pictures: what moved, what was done, what was settled.

Entities stand on a circle under letters, in the order of their listing. Those that move are filled,
the one acted on is ringed, and a triangle stands outside each that started or stopped. A dashed
arrow is the question. The hidden world comes last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.lines import Line2D

from whybench.drawing.canvas import add_key, sheet, styled
from whybench.drawing.graphs import NODE, draw_link, draw_node, round_bend, round_layout
from whybench.drawing.grids import even_grid
from whybench.drawing.style import MARKER, SIZE, SMALL, colour
from whybench.suites.contract import UserError
from whybench.suites.intervene.entailment import Evidence, Transition
from whybench.suites.intervene.verdicts import decide_verdict
from whybench.suites.intervene.world import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.drawing.graphs import Point
    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.experimenters import Intervention
    from whybench.suites.intervene.sets import Pair
    from whybench.suites.intervene.verdicts import Answer
    from whybench.suites.intervene.world import InterveneWorld, State

LETTERS = ascii_uppercase
MOST = 16
"""The most entities that find room on a circle."""
CROWD = 10
"""Above this number of entities, pictures are larger."""
OUTSIDE = 1.46
"""How far from the middle the triangles stand, where entities stand at 1."""
ROOM = 0.6
"""Room around the entities, on the same scale."""
LISTED = 6
"""How many letters are listed; of more, the number is told."""
LINE = 105
"""Letters in a line of names."""


@dataclass(frozen=True)
class Course:
    """What happened in one world, from the first state to the answer.

    Attributes:
        names: What the entities are called, in the order of their listing.
        world: The hidden world.
        initial: The first state.
        path: What was done.
        asked: The supposed cause and the supposed effect.
        words: The verbs for moving and holding, and the states they bring about.
        answer: What was answered; None if nothing.
    """

    names: tuple[str, ...]
    world: InterveneWorld
    initial: State
    path: tuple[Intervention, ...]
    asked: Pair
    words: tuple[str, str, str, str] = ("move", "hold", "moving", "still")
    answer: Answer | None = None

    def __post_init__(self) -> None:
        if len(self.names) != self.world.n:
            raise ValueError(f"names must be {self.world.n}, one an entity, got {self.names}")
        if not self.world.is_closed(self.initial):
            raise ValueError(
                f"initial must hold all that its entities drive, got {sorted(self.initial)}"
            )

    @cached_property
    def transitions(self) -> tuple[Transition, ...]:
        """What was done and seen, step by step."""
        found = []
        state = self.initial
        for action, entity in self.path:
            after = self.world.step(state, action, entity)
            found.append(Transition(state, action, entity, after))
            state = after
        return tuple(found)

    @cached_property
    def settled(self) -> tuple[Entailed, ...]:
        """What was entailed at the start and after each step."""
        with Evidence(self.world.n, self.initial) as evidence:
            found = [evidence.entails(*self.asked)]
            for transition in self.transitions:
                evidence.add(transition)
                found.append(evidence.entails(*self.asked))
        return tuple(found)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the first state and each step as a flat row."""
        yield {"step": 0, "action": "", "entity": "", **self._seen(self.initial, 0)}
        for step, done in enumerate(self.transitions, 1):
            about = {"step": step, "action": done.action, "entity": self.names[done.entity]}
            yield {**about, **self._seen(done.after, step)}

    def _seen(self, state: State, step: int) -> dict[str, Any]:
        moving = " ".join(self.names[entity] for entity in sorted(state))
        return {"moving": moving, "settled": self.settled[step]}


class _Size(NamedTuple):
    """How many pictures stand in a row, and how high a row is, in mm."""

    columns: int
    height: float


USUAL = _Size(4, 46)
LARGE = _Size(3, 60)

RING: dict[str, Any] = {
    "linestyle": "none", "marker": "o", "markerfacecolor": "none", "zorder": 4,
    "markeredgecolor": colour("vermilion"), "markeredgewidth": 1.5,
}  # fmt: skip
CHANGED: dict[str, dict[str, Any]] = {
    kind: {"linestyle": "none", "marker": marker, "markersize": MARKER, "color": colour("blue")}
    for kind, marker in (("started", "^"), ("stopped", "v"))
}


@styled
def episode_steps(course: Course, title: str = "", *, reveal: bool = False) -> Figure:
    """Draw the start, every step and the hidden world of an episode.

    Under each picture stands what changed and what is settled by then: yes, no or open.

    Args:
        course: What happened.
        title: What stands above all, such as whose episode it is.
        reveal: Whether the hidden graph shows through all pictures, in grey.
    """
    n = course.world.n
    if n > MOST:
        raise UserError(f"an episode to draw must have at most {MOST} entities, got {n}")
    size = LARGE if n > CROWD else USUAL
    count = len(course.path) + 2
    rows, columns = even_grid(count, size.columns)
    figure = sheet(size.height * rows + 20)
    grid = figure.add_gridspec(rows, columns, hspace=0.06)
    panels = [figure.add_subplot(grid[divmod(place, columns)]) for place in range(count)]
    at = round_layout(n)
    for axes in panels:
        axes.set(xlim=_ends([x for x, _ in at]), ylim=_ends([y for _, y in at]), aspect="equal")
        axes.set_axis_off()
    for axes in panels[:-1]:
        if reveal:
            _draw_graph(axes, course, at, "pale")
        _draw_link(axes, at, *course.asked, "blue", "asked")
    _draw_entities(panels[0], course, at, course.initial)
    at_first = f"{_listed(course, course.initial)} {course.words[2]}"
    _write(panels[0], "start", at_first, _claim(course, course.settled[0]))
    for step, seen in enumerate(course.transitions, start=1):
        _draw_step(panels[step], course, at, seen)
        verb = course.words[ACTIONS.index(seen.action)]
        done = f"{step}. {verb} {LETTERS[seen.entity]}"
        _write(panels[step], done, _change(course, seen), _claim(course, course.settled[step]))
    _draw_hidden(panels[-1], course, at)
    figure.suptitle("\n".join(filter(None, (title, *_heading(course)))), fontsize=SIZE)
    add_key(figure, _keys(course, reveal), where="outside lower center")
    return figure


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis with room for the triangles."""
    return min(values) - ROOM, max(values) + ROOM


def _draw_link(axes: Axes, at: Sequence[Point], start: int, end: int, shade: str, gid: str) -> None:
    draw_link(
        axes,
        at[start],
        at[end],
        shade,
        linestyle="--" if gid == "asked" else "-",
        bend=round_bend(len(at), start, end),
        gid=gid,
    )


def _draw_graph(axes: Axes, course: Course, at: Sequence[Point], shade: str) -> None:
    for cause, effect in course.world.edges:
        _draw_link(axes, at, cause, effect, shade, "hidden")


def _draw_entities(axes: Axes, course: Course, at: Sequence[Point], moving: State) -> None:
    for entity, place in enumerate(at):
        draw_node(
            axes,
            place,
            LETTERS[entity],
            filled=entity in moving,
            bold=entity in course.asked,
            gid="moving" if entity in moving else "still",
        )


def _draw_step(axes: Axes, course: Course, at: Sequence[Point], seen: Transition) -> None:
    """Draw the state after an intervention, what was acted on, and what changed."""
    _draw_entities(axes, course, at, seen.after)
    x, y = at[seen.entity]
    axes.plot([x], [y], **RING, markersize=NODE + 5.5, gid="acted")
    for entity in sorted(seen.before ^ seen.after):
        kind = "started" if entity in seen.after else "stopped"
        x, y = at[entity]
        axes.plot([OUTSIDE * x], [OUTSIDE * y], **CHANGED[kind], gid=kind)


def _draw_hidden(axes: Axes, course: Course, at: Sequence[Point]) -> None:
    """Draw the hidden graph, with the truth and what became of the answer."""
    _draw_graph(axes, course, at, "black")
    _draw_entities(axes, course, at, frozenset())
    truth = course.world.causes(*course.asked)
    found = decide_verdict(course.answer, truth, course.settled[-1])
    answered = "no answer" if course.answer is None else f"answered {course.answer}: {found}"
    _write(axes, "hidden world", answered, f"truth: {'yes' if truth else 'no'}")


def _heading(course: Course) -> tuple[str, str]:
    """Return the question, and who stands under which letter."""
    cause, effect = (f"{LETTERS[entity]} ({course.names[entity]})" for entity in course.asked)
    # Spaces that do not break keep a letter and its name on one line.
    listed = "   ".join(
        f"{LETTERS[entity]} {name}".replace(" ", "\xa0") for entity, name in enumerate(course.names)
    )
    return f"Does {cause} cause {effect}?", fill(listed, LINE)


def _change(course: Course, seen: Transition) -> str:
    started, stopped = seen.after - seen.before, seen.before - seen.after
    if started:
        return f"{_listed(course, started)} started"
    return f"{_listed(course, stopped)} stopped" if stopped else "nothing changed"


def _listed(course: Course, entities: State) -> str:
    """Return who these are, in as few letters as will do."""
    if len(entities) in (0, course.world.n):
        return "all" if entities else "none"
    if len(entities) > LISTED:
        return f"{len(entities)} of {course.world.n}"
    return ", ".join(LETTERS[entity] for entity in sorted(entities))


def _claim(course: Course, settled: Entailed) -> str:
    """Return the question in letters and what is settled of it."""
    cause, effect = (LETTERS[entity] for entity in course.asked)
    return f"{cause} causes {effect}: {settled}"


def _write(axes: Axes, title: str, first: str, second: str) -> None:
    """Write above and below a picture, bold where the question is settled."""
    axes.set_title(title, pad=2)
    for line, text in enumerate((first, second)):
        axes.annotate(
            text,
            (0.5, 0),
            (0, -2 - 1.35 * SMALL * line),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=SMALL,
            fontweight="bold" if text.endswith((": yes", ": no")) else "normal",
        )


def _keys(course: Course, reveal: bool) -> list[Line2D]:
    _, _, moving, still = course.words
    size: dict[str, Any] = {"markersize": 0.7 * NODE}
    node: dict[str, Any] = {"linestyle": "none", "marker": "o", "color": colour("black"), **size}
    keys = [
        Line2D([], [], **node, label=moving),
        Line2D([], [], **node, markerfacecolor="white", label=still),
        Line2D([], [], **RING, **size, label="acted on"),
        *(Line2D([], [], **look, label=kind) for kind, look in CHANGED.items()),
        Line2D([], [], color=colour("blue"), linestyle="--", linewidth=0.7, label="asked"),
    ]
    if reveal:
        keys.append(Line2D([], [], color=colour("pale"), linewidth=0.7, label="hidden graph"))
    return keys
