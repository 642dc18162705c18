"""Tidy data to take away from the page: all records of a suite, as CSV.

Rows are sorted by item, so that what is said of an item stands together and packs well. Records of
downloaded data are left to `whybench results --baseline`. A table that would make the page too
large is left out with a word.

Data inside a page: safe in HTML, and small.

Text that stands between `<script>` tags ends at the first `</script`, whoever wrote it, so every
`<` in JSON is spelled as an escape. What is large is deflated and written in base64; the page reads
it with the browser's own `DecompressionStream`. The same data give the same bytes.
"""

from __future__ import annotations

import base64
import io
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv
from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from whybench.page.material import Material

_ESCAPED = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def as_json(value: Any) -> Markup:
    r"""Return JSON that may stand in a script element.

    >>> as_json({"reply": "</script>"})
    Markup('{"reply":"\\u003c/script\\u003e"}')
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, spelled in _ESCAPED.items():
        text = text.replace(character, spelled)
    return Markup(text)  # nothing in it can end the element


def in_blocks(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, list[Any]]]:
    """Return rows as lists, in blocks that name their columns once.

    >>> in_blocks([{"a": 1, "b": 2}, {"a": 3}, {"a": 4, "b": None}])
    [{'columns': ['a', 'b'], 'rows': [[1, 2], [4, None]]}, {'columns': ['a'], 'rows': [[3]]}]
    """
    blocks: dict[tuple[str, ...], list[Any]] = {}
    for row in rows:
        blocks.setdefault(tuple(row), []).append(list(row.values()))
    return [{"columns": list(names), "rows": values} for names, values in blocks.items()]


def packed(text: str) -> str:
    """Return text, deflated, in base64; half a surrogate pair, which is no text, is spelled out."""
    data = text.encode("utf-8", "backslashreplace")
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def unpacked(text: str) -> str:
    """Return the text that was packed."""
    return zlib.decompress(base64.b64decode(text)).decode("utf-8")


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
