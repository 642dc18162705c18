"""A suite with some of its parts replaced, to see what the rest makes of it."""

from __future__ import annotations

from copy import copy


def altered(suite, **parts):
    """Return a copy of a suite that has these attributes and functions for its own."""
    made = copy(suite)
    vars(made).update(parts)
    return made
