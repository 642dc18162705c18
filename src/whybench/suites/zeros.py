"""Zeros: what the best attack gets on each design of a suite.

`whybench attack SUITE --write-zeros FILE` writes the file `zeros.yaml` of a suite's package. Skill
scores are 0 at this value and 1 for an exact agent. A design with other settings has the zero of
the named design that it changes; a design of another name has that of the first in the file.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import yaml

from whybench.stats import scale_skill
from whybench.stats.left_out import Ratio
from whybench.suites.designs import design_family

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.stats import Estimate

FILE = "zeros.yaml"

DIGESTED = 60
"""How many items of a design go into the digest."""

MOST_ITEMS = 6000
"""How many items of a design are used to find its zero, in order."""

MARGIN = 0.02
"""By how much an attack may exceed the zero."""

SOLVED = 0.95
"""A design on which an attack has this much has no skill score."""


@dataclass(frozen=True)
class Zero:
    """The value of the best attack on a design.

    Attributes:
        design: The name of the design.
        items: A digest of the first items, by which a changed design is noticed.
        measure: The measure.
        attack: The best attack.
        value: Its value.
    """

    design: str
    items: str
    measure: str
    attack: str
    value: float

    @property
    def solved(self) -> bool:
        """Whether the attack is too near to 1 for a skill score."""
        return self.value >= SOLVED


@dataclass(frozen=True)
class Zeros:
    """The zeros of a suite by design."""

    by_design: Mapping[str, Zero]

    def find(self, design: str) -> Zero | None:
        """Return the zero of a named design, if there is one."""
        return self.by_design.get(design)

    def of(self, labels: Mapping[str, str]) -> Zero:
        """Return the zero for records with these labels."""
        first = next(iter(self.by_design.values()))
        return self.by_design.get(design_family(labels.get("design", "")), first)

    def scale(self, found: Estimate, labels: Mapping[str, str]) -> Estimate:
        """Return an estimate on the scale on which the best attack has 0 and an exact agent 1.

        It is undefined for a design that an attack solves.
        """
        zero = self.of(labels)
        return scale_skill(found, 1.0 if zero.solved else zero.value)

    def scale_ratios(self, ratios: Sequence[Ratio], labels: Mapping[str, str]) -> list[Ratio]:
        """Return the ratios whose sum is that of the given ones on this scale; none if solved."""
        found = self.of(labels)
        if found.solved:
            return []
        zero = found.value
        scaled = [ratio._replace(weight=ratio.weight / (1 - zero)) for ratio in ratios]
        ones = np.ones_like(ratios[0].below)
        return [*scaled, Ratio(-zero / (1 - zero), ones, ones)]


def read_zeros(package: str) -> Zeros:
    """Return the zeros in the file of a suite's package."""
    text = files(package).joinpath(FILE).read_text(encoding="utf-8")
    return Zeros({entry["design"]: Zero(**entry) for entry in yaml.safe_load(text)})


def write_zeros(zeros: Iterable[Zero]) -> str:
    """Return the text of the file."""
    head = "# What the best attack gets: `whybench attack SUITE --write-zeros FILE` writes this.\n"
    return head + yaml.safe_dump([asdict(zero) for zero in zeros], sort_keys=False)
