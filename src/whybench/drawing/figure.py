"""A figure as everybody meets it: it knows its name and what it shows, and saves itself.

It is drawn when it is first needed, so a figure that nobody looks at costs nothing, and what it
shows can be had as rows without matplotlib. Most figures are charts: specifications of Vega-Lite,
which a page draws by itself. What deserves a drawing of its own is drawn by matplotlib.

What agents are called in a figure, and designs in the name of its file. Names and replies come
from outside: what cannot be seen in them is made visible.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from contextlib import nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import category

from whybench.errors import UserError, atomic_write
from whybench.frames import Frame, rows_to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import NoReturn

    import matplotlib.figure
    import pyarrow as pa

    from whybench.drawing.charts import Chart
    from whybench.errors import Fence

INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""The kinds of characters that have no look of their own, by Unicode's name for them."""

DATE = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)(?=$|\[|-v_)")
SETTINGS = re.compile(r"-v_(\w+?)-r_(\w+)")


def is_people(agent: str) -> bool:
    """Say whether an agent is people."""
    return agent.startswith("human/")


def is_published(agent: str) -> bool:
    """Say whether an agent's answers were published, and not asked for by whoever draws."""
    return agent.startswith("published/")


LONGEST_NAME = 120
"""Bytes of a figure's name in that of a file; systems allow 255, some of them for an ending."""


def file_name(design: str) -> str:
    """Return a design as part of a file's name: one word that no shell or folder takes apart.

    Names that had to be changed keep a mark of their own, so that no two fall together.

    >>> file_name("core*")
    'core-changed'
    >>> file_name("my/design")
    'my-design-e749ae'
    """
    marked = design.replace("*", "-changed")
    plain = re.sub(r"[^\w.,+=-]+", "-", marked).lstrip(".-")
    if plain == marked and 0 < len(plain.encode()) <= LONGEST_NAME:
        return plain
    digest = hashlib.sha256(design.encode("utf-8", "replace")).hexdigest()[:6]
    return f"{plain.encode()[: LONGEST_NAME - 7].decode(errors='ignore') or 'unnamed'}-{digest}"


def show_controls(text: str) -> str:
    r"""Return a text with what cannot be seen in it spelled out, but for line breaks and tabs.

    Marks that turn the direction of writing could make a name look like another.

    >>> show_controls("a\u202eb")
    'a[U+202E]b'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"[U+{ord(character):04X}]" if _is_invisible(character) else character for character in text
    )


def _is_invisible(character: str) -> bool:
    return category(character) in INVISIBLE and character not in "\n\r\t"


def _show_name(name: str) -> str:
    """Return a name in one line, with what cannot be seen in it spelled out."""
    return show_controls(re.sub(r"[\n\r\t]+", " ", name))


def short_names(agents: Iterable[str]) -> dict[str, str]:
    """Return a short name for each agent: no provider, no date, settings in words.

    Names that would fall together stay as they are.
    """
    short = {agent: _show_name(_short(agent)) for agent in agents}
    met = Counter(short.values())
    return {agent: name if met[name] == 1 else _show_name(agent) for agent, name in short.items()}


def distinct_names(groups: Sequence[Mapping[str, str]]) -> list[str]:
    """Name groups of answers by their agent, and by those of their labels that tell them apart.

    >>> distinct_names([{"agent": "openai/o3", "style": "direct", "split": "test"},
    ...                 {"agent": "openai/o3", "style": "recipe", "split": "test"}])
    ['o3, direct', 'o3, recipe']
    """
    agents = short_names({group["agent"] for group in groups})
    names = [agents[group["agent"]] for group in groups]
    for label in dict.fromkeys(label for group in groups for label in group):
        longer = [
            f"{name}, {_show_name(group[label])}" for name, group in zip(names, groups, strict=True)
        ]
        if len(set(longer)) > len(set(names)):
            names = longer
    return names


def _short(agent: str) -> str:
    """Shorten one name.

    >>> _short("published/gpt-5-mini-v_low-r_high")
    'gpt-5-mini, high'
    >>> _short("published/gemini-1.5-pro[temperature=0.7]")
    'gemini-1.5-pro, T 0.7'
    >>> _short("anthropic/claude-opus-4-20250514")
    'claude-opus-4'
    >>> _short("reference/judge.noisy-or")
    'noisy-or'
    """
    if is_people(agent):
        return "people"
    # A reference agent's name begins with its suite's.
    name = re.sub(r"^reference/\w+\.", "", agent).rsplit("/", maxsplit=1)[-1]
    name = DATE.sub("", name)
    name = SETTINGS.sub(r", \2", name)
    return re.sub(r"\[temperature=(.*)\]", r", T \1", name)


PICTURES = ("pdf", "svg", "png")
"""The kinds of pictures, in the order in which they are written."""


class Figure(Frame):
    """One figure: a picture, and the rows that it shows.

    Attributes:
        name: The stem of its files.
        title: What it is called.
        caption: What one sees in it and what that means; empty if the title says enough.
        rows: What it shows, as flat rows.
        spec: Its chart, as a specification of Vega-Lite; None for a drawing of its own.
    """

    def __init__(
        self,
        name: str,
        draw: Callable[[], matplotlib.figure.Figure | Chart],
        rows: Iterable[Mapping[str, Any]] | None = None,
        title: str = "",
        caption: str = "",
    ) -> None:
        """Make a figure.

        Args:
            name: The stem of its files.
            draw: Returns its chart, or draws it with matplotlib, when it is needed.
            rows: What it shows; what the drawn sheet says if not stated. A chart needs them.
            title: What it is called; its name in words if not stated.
            caption: What one sees in it and what that means.
        """
        self.name = name
        self.caption = caption
        self.title = title or name.replace("-changed", " (changed)").replace("-", " ")
        self._draw = draw
        self._rows = None if rows is None else tuple(rows)

    def __repr__(self) -> str:
        """Return the figure's name."""
        return f"Figure({self.name!r})"

    @property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """What the figure shows, as flat rows."""
        return getattr(self._made, "rows", ()) if self._rows is None else self._rows

    @cached_property
    def _made(self) -> matplotlib.figure.Figure | Chart:
        return self._draw()

    @property
    def spec(self) -> Chart | None:
        """The chart as a specification of Vega-Lite; None for a drawing of its own.

        Raises:
            ImportError: It is a drawing, and matplotlib is missing.
        """
        return self._made if isinstance(self._made, dict) else None

    @property
    def drawn(self) -> matplotlib.figure.Figure:
        """The drawing as matplotlib has it.

        Raises:
            ImportError: matplotlib is missing.
            TypeError: It is a chart.
        """
        if isinstance(self._made, dict):
            raise TypeError(f"{self.name} must be a drawing, got a chart; see its spec")
        return self._made

    @cached_property
    def _chart(self) -> str:
        from whybench.drawing.vega import draw  # noqa: PLC0415  (needs vl-convert)

        return draw(self.spec or {})

    def save(self, path: Path | str) -> tuple[Path, ...]:
        """Write the figure, and return the files.

        Args:
            path: A file whose ending says what is written: .pdf, .svg or .png for the picture, .csv
                for the rows. Without an ending all of these are written; into a folder that is
                there, under the figure's name.
        """
        path = Path(path)
        kind = path.suffix.removeprefix(".")
        if path.is_dir() or not kind:
            stem = path / file_name(self.name) if path.is_dir() else path
            return tuple(_write(self.contents(), stem))
        if kind not in (*PICTURES, "csv"):
            raise UserError(
                f"path must end in .pdf, .svg, .png or .csv, or have no ending, got {path}"
            )
        return tuple(_write({kind: self._content(kind)}, path.with_suffix("")))

    def to_svg(self, *, for_page: bool = False) -> str:
        """Return the picture as SVG, a drawing's letters as paths or, for a page, as text."""
        return self._picture("svg", for_page=for_page).decode("utf-8")

    def to_csv(self) -> str:
        """Return the rows as CSV; a column that a row lacks is empty there."""
        columns = dict.fromkeys(name for row in self.rows for name in row)
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()

    def to_arrow(self) -> pa.Table:
        """Return the rows as a table."""
        return rows_to_arrow(self.rows)

    def _repr_html_(self) -> str:
        """Return the picture for a notebook; its ids are its own, whatever else is shown there."""
        svg = self.to_svg()
        svg = svg[svg.index("<svg") :]
        own = f"f{hashlib.sha256(svg.encode()).hexdigest()[:12]}-"
        svg = re.sub(r'\bid="', f'id="{own}', svg)
        return re.sub(r'(url\(|href=")#', rf"\g<1>#{own}", svg)

    def contents(self) -> dict[str, bytes]:
        """Return what files of the figure hold, by their endings: pictures, and rows if any."""
        kinds = (*PICTURES, *(("csv",) if self.rows else ()))
        return {kind: self._content(kind) for kind in kinds}

    def _content(self, kind: str) -> bytes:
        if kind == "csv":
            return self.to_csv().encode("utf-8")
        return self._picture(kind)

    def _picture(self, kind: str, *, for_page: bool = False) -> bytes:
        if self.spec is not None:
            from whybench.drawing.vega import convert  # noqa: PLC0415  (needs vl-convert)

            return convert(self._chart, kind)
        from whybench.drawing.canvas import picture  # noqa: PLC0415  (needs matplotlib)

        return picture(self.drawn, kind, for_page=for_page)


def save_figures(
    figures: Iterable[Figure], folder: Path | str, fence: Fence | None = None
) -> Iterator[Path]:
    """Write figures into a folder, which is made if need be, and yield each file when it is there.

    Where two figures have one name, the second has a number after it.

    Args:
        figures: The figures; each is drawn when it is its turn.
        folder: Where to.
        fence: Takes a note of each figure that cannot be drawn, and the others are written; without
            it, the first such figure ends the work.
    """
    met: Counter[str] = Counter()
    for figure in figures:
        name = file_name(figure.name)
        met[name] += 1
        stem = Path(folder) / (name if met[name] == 1 else f"{name}-{met[name]}")
        contents: dict[str, bytes] = {}
        with fence.around(figure.title) if fence else nullcontext():
            contents = figure.contents()
        yield from _write(contents, stem)


def _write(contents: Mapping[str, bytes], stem: Path) -> Iterator[Path]:
    """Write the files of a figure, each whole or not at all."""
    for kind, content in contents.items():
        path = stem.with_name(f"{stem.name}.{kind}")
        with atomic_write(path) as part:
            part.write_bytes(content)
        yield path


def fence_figures(figures: Callable[[], Iterable[Figure]], name: str) -> Iterator[Figure]:
    """Yield figures; if making them fails, the last is one that says why when it is drawn.

    So a failure is met where a figure would have stood, and the figures before it are kept.

    Args:
        figures: Makes them.
        name: What the last one is called, if there is one that fails.
    """
    try:
        yield from figures()
    except Exception as error:
        yield Figure(name, partial(_fail, error))


def _fail(error: Exception) -> NoReturn:
    raise error


def figures_by_design(
    records: pa.Table,
    draw: Callable[[str, pa.Table], Iterable[Figure]],
    split: Callable[[pa.Table], Iterable[tuple[str, pa.Table]]] | None = None,
) -> Iterator[Figure]:
    """Yield the figures of each design.

    Args:
        records: Records of a suite.
        draw: The name of a design, fit for files, and its records, to figures.
        split: Records to the name and the records of each design; by the column `design`, in order
            of appearance, if not stated.
    """
    for design, mine in (split or _by_design)(records):
        name = file_name(design)
        yield from fence_figures(partial(draw, name, mine), f"figures-{name}")


def _by_design(records: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    designs: Sequence[str] = records["design"].to_pylist()
    for design in dict.fromkeys(designs):
        yield design, records.filter([name == design for name in designs])
