"""Tidy data to take away from the page: all records of a suite, as CSV.

Rows are sorted by item, so that what is said of an item stands together and packs well. Records of
downloaded data are left to `whybench records --beside`. A table that would make the page too large
is left out with a word.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv

from whybench.page.packing import packed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.page.material import Material

__all__ = ["LARGEST", "Download", "downloads"]

LARGEST = 1_600_000
"""All downloads together take at most so many characters of the page."""

ORDER = ("item", "epoch", "agent", "design_hash")


@dataclass(frozen=True)
class Download:
    """The records of one suite.

    Attributes:
        key: Its name in the page.
        file: What the file is called.
        rows: How many records there are.
        data: The CSV, packed; empty if it is too large for the page.
    """

    key: str
    file: str
    rows: int
    data: str


def downloads(material: Material, largest: int = LARGEST) -> Iterator[Download]:
    """Yield the records of each suite as long as there is room."""
    tables: dict[str, list[pa.Table]] = {}
    for name, table in material.own():
        tables.setdefault(name, []).append(table)
    left = largest
    for name, parts in tables.items():
        table = pa.concat_tables(parts).sort_by([(column, "ascending") for column in ORDER])
        written = io.BytesIO()
        pa.csv.write_csv(table, written)
        data = packed(written.getvalue().decode("utf-8"))
        if len(data) > left:
            data = ""
        left -= len(data)
        yield Download(f"records-{name}", f"{name}-records.csv", table.num_rows, data)
