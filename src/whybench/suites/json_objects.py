"""The last JSON object of a reply, found in bounded time.

Replies hold prose, drafts and fences around the object that counts. The last complete object that
is in no other counts; what comes after it, or was opened and never closed, does not.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["Pairs", "last_object"]

PATIENCE = 20
"""How often each character of a reply may be looked at, on average."""


class Pairs(list[tuple[str, Any]]):
    """The keys and values of an object, those that occur twice among them."""


_OPENED = re.compile(r'\{\s*["}]')
_DECODER = json.JSONDecoder(object_pairs_hook=Pairs)


def last_object(text: str) -> Pairs | None:
    """Return the last JSON object of a text that is complete and in no other object.

    A brace that opens no object is passed over. The time is bounded: a text of nothing but opened
    objects would be looked through again from each of them, and is given up.
    """
    last: Pairs | None = None
    patience = PATIENCE * len(text) + 1000
    opened = _OPENED.search(text)
    while opened:
        try:
            last, end = _DECODER.raw_decode(text, opened.start())
        except json.JSONDecodeError as error:
            # Making the error counts the lines before it, at some fifty characters a step.
            patience -= error.pos - opened.start() + error.pos // 50
            end = opened.start() + 1
        except (RecursionError, ValueError):
            # Too deep, or a whole number of more digits than Python will read.
            return None
        if patience < 0:
            return None
        opened = _OPENED.search(text, end)
    return last
