"""Outside analysts: people who work on the challenges of `analyze` by the textbook.

`ANALYSTS` has them by challenge and name. None has seen how a challenge is made or graded: each
reads the columns by role, when each was measured, the facts of the question, and whether the text
says that a lot decided on the treatment. Some do what a careful statistician might do, others what
is often done and wrong.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from evidence import (
    outside_curves,
    outside_effects,
    outside_paths,
    outside_slopes,
    outside_structures,
)
from evidence.outside_tools import ENTERED, Analyst

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ANALYSTS", "Analyst"]

MODULES = (
    outside_curves,
    outside_effects,
    outside_paths,
    outside_slopes,
    outside_structures,
)
"""Importing a module enters its analysts."""

ANALYSTS: Mapping[str, Mapping[str, Analyst]] = MappingProxyType(ENTERED)
"""The analysts by challenge and name."""
