"""A figure as everybody meets it: it knows its name and what it shows, and saves itself.

It is drawn when it is first needed, so a figure that nobody looks at costs nothing, and what it
shows can be had as rows without matplotlib.

What agents are called in a figure, and designs in the name of its file.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.frames import Frame, rows_to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import matplotlib.figure
    import pyarrow as pa

__all__ = [
    "DATE",
    "SETTINGS",
    "Figure",
    "distinct_names",
    "figures_by_design",
    "file_name",
    "is_people",
    "save_figures",
    "short_names",
]


DATE = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)(?=$|\[|-v_)")
SETTINGS = re.compile(r"-v_(\w+?)-r_(\w+)")


def is_people(agent: str) -> bool:
    """Say whether an agent is people."""
    return agent.startswith("human/")


def file_name(design: str) -> str:
    """Return a design as part of a file's name: shells would expand the mark of a changed one.

    >>> file_name("core*")
    'core-changed'
    """
    return design.replace("*", "-changed")


def short_names(agents: Iterable[str]) -> dict[str, str]:
    """Return a short name for each agent: no provider, no date, settings in words.

    Names that would fall together stay as they are.
    """
    short = {agent: _short(agent) for agent in agents}
    met = Counter(short.values())
    return {agent: name if met[name] == 1 else agent for agent, name in short.items()}


def distinct_names(groups: Sequence[Mapping[str, str]]) -> list[str]:
    """Name groups of answers by their agent, and by those of their labels that tell them apart.

    >>> distinct_names([{"agent": "openai/o3", "style": "direct", "split": "test"},
    ...                 {"agent": "openai/o3", "style": "recipe", "split": "test"}])
    ['o3, direct', 'o3, recipe']
    """
    agents = short_names({group["agent"] for group in groups})
    names = [agents[group["agent"]] for group in groups]
    for label in dict.fromkeys(label for group in groups for label in group):
        longer = [f"{name}, {group[label]}" for name, group in zip(names, groups, strict=True)]
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
        rows: What it shows, as flat rows.
    """

    def __init__(
        self,
        name: str,
        draw: Callable[[], matplotlib.figure.Figure],
        rows: Iterable[Mapping[str, Any]] | None = None,
        title: str = "",
    ) -> None:
        """Make a figure.

        Args:
            name: The stem of its files.
            draw: Draws it, when it is needed.
            rows: What it shows; what the drawn sheet says if not stated.
            title: What it is called; its name in words if not stated.
        """
        self.name = name
        self.title = title or name.replace("-", " ")
        self._draw = draw
        self._rows = None if rows is None else tuple(rows)

    def __repr__(self) -> str:
        """Return the figure's name."""
        return f"Figure({self.name!r})"

    @property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """What the figure shows, as flat rows."""
        return getattr(self.drawn, "rows", ()) if self._rows is None else self._rows

    @cached_property
    def drawn(self) -> matplotlib.figure.Figure:
        """The picture as matplotlib has it.

        Raises:
            ImportError: matplotlib is missing.
        """
        import whybench.drawing.canvas  # noqa: F401, PLC0415  (says what to install)

        return self._draw()

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
            stem = path / self.name if path.is_dir() else path
            kinds = (*PICTURES, *(("csv",) if self.rows else ()))
            return tuple(self._write(stem.with_name(f"{stem.name}.{each}")) for each in kinds)
        if kind not in (*PICTURES, "csv"):
            raise UserError(
                f"path must end in .pdf, .svg, .png or .csv, or have no ending, got {path}"
            )
        return (self._write(path),)

    def to_svg(self, *, for_page: bool = False) -> str:
        """Return the picture as SVG: letters as paths, or as a page wants them, as text."""
        from whybench.drawing.canvas import picture  # noqa: PLC0415  (needs matplotlib)

        return picture(self.drawn, "svg", for_page=for_page).decode("utf-8")

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

    def _write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".csv":
            path.write_text(self.to_csv(), encoding="utf-8", newline="")
        else:
            from whybench.drawing.canvas import picture  # noqa: PLC0415  (needs matplotlib)

            path.write_bytes(picture(self.drawn, path.suffix[1:]))
        return path


def save_figures(figures: Iterable[Figure], folder: Path | str) -> Iterator[Path]:
    """Write figures into a folder, which is made if need be, and yield each file when it is there.

    Args:
        figures: The figures; each is drawn when it is its turn.
        folder: Where to.
    """
    folder = Path(folder)
    for figure in figures:
        folder.mkdir(parents=True, exist_ok=True)
        yield from figure.save(folder)


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
        yield from draw(file_name(design), mine)


def _by_design(records: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    designs: Sequence[str] = records["design"].to_pylist()
    for design in dict.fromkeys(designs):
        yield design, records.filter([name == design for name in designs])
