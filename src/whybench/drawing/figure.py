"""A figure as everybody meets it: it knows its name and what it shows, and saves itself.

It is drawn when it is first needed, so a figure that nobody looks at costs nothing, and what it
shows can be had as rows without matplotlib.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.drawing.names import file_name
from whybench.frames import Frame, rows_to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import matplotlib.figure
    import pyarrow as pa

__all__ = ["Figure", "figures_by_design", "save_figures"]

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
            raise ValueError(
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
