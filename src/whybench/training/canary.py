"""A text that occurs nowhere else, by which our rows are found wherever they went.

Every exported row carries it, followed by its split, train or test. Who builds a corpus
can leave out rows with the canary of tests; who has a trained model can ask it to go on from the
first half.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whybench.seeds import Split

CANARY = "whybench:canary:6b1f0e57-2d94-4c8e-9a3b-d05c7e41f826"
"""The canary, without a split. It never changes: what was exported once must be found for ever."""

_MARKED = re.compile(re.escape(CANARY) + "(?::(train|test))?")


def canary(split: Split) -> str:
    """Return the canary of a split."""
    return f"{CANARY}:{split}"


def find_canaries(text: str) -> set[Split]:
    """Return the splits whose canary a text holds; one without a split counts as that of tests."""
    return {"train" if match[1] == "train" else "test" for match in _MARKED.finditer(text)}
