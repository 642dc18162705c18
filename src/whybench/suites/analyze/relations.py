"""Which columns bear on the treatment, and which on the outcome: the marks of a confounder.

A column that came before the treatment confounds if it bears on both. Each side is one least
squares fit, with all the other columns held: of the treatment, and of the outcome with the
treatment held too. Both may be binary, since only whether there is a relation is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.suites.analyze.estimators import Array, design_matrix, least_squares

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Relation", "confounders", "relations"]

ALPHA = 0.05


@dataclass(frozen=True)
class Relation:
    """P values of a column's relation to the treatment, and to the outcome."""

    to_treatment: float
    to_outcome: float

    @property
    def confounds(self) -> bool:
        """Whether both relations are there, at the 5% level."""
        return max(self.to_treatment, self.to_outcome) < ALPHA


def relations(rows: Mapping[str, Array], before: Sequence[str]) -> dict[str, Relation]:
    """Relate each column of `before`, by role, to the columns `treatment` and `outcome`."""
    columns = [rows[role] for role in before]
    treatment = least_squares(rows["treatment"], design_matrix(*columns))
    outcome = least_squares(rows["outcome"], design_matrix(*columns, rows["treatment"]))
    return {
        role: Relation(treatment[place].p, outcome[place].p)
        for place, role in enumerate(before, start=1)
    }


def confounders(rows: Mapping[str, Array], before: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of `before` that bear on treatment and outcome alike."""
    return tuple(role for role, found in relations(rows, before).items() if found.confounds)
