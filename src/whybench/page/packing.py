"""Data inside a page: safe in HTML, and small.

Text that stands between `<script>` tags ends at the first `</script`, whoever wrote it, so every
`<` in JSON is spelled as an escape. What is large is deflated and written in base64; the page reads
it with the browser's own `DecompressionStream`. The same data give the same bytes.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["as_json", "in_blocks", "packed", "unpacked"]

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
    """Return text, deflated, in base64."""
    return base64.b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii")


def unpacked(text: str) -> str:
    """Return the text that was packed."""
    return zlib.decompress(base64.b64decode(text)).decode("utf-8")
