"""Whether two names of models name the same model.

The same weights go by many names: with or without a provider before them, with a date, a tag or
`latest` after them. A model must not grade itself, under whatever name.
"""

from __future__ import annotations

import re

__all__ = ["same_model"]

_TAIL = re.compile(r"(?:[-@:](?:latest|free|beta|\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}))+\Z")


def same_model(one: str, other: str) -> bool:
    """Whether `openai/gpt-4o` and `openrouter/openai/gpt-4o:free`, say, are one model."""
    return _bare(one) == _bare(other)


def _bare(name: str) -> str:
    bare = name.strip().casefold().rsplit("/", maxsplit=1)[-1]
    return _TAIL.sub("", bare) or bare
