"""The factors of du2025, their levels, and the named designs.

A design is about the paper's 75 data sets, or about its illustrations. It crosses challenges with
hints, labels and protocols, and asks the whole crossing about a series of data sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from whybench.seeds import digest
from whybench.suites.analyze.challenges import CORE
from whybench.suites.analyze.design import DIRECT, LEVELS, parse_challenges
from whybench.suites.analyze.stories import HINTS
from whybench.suites.contract import UserError
from whybench.suites.designs import (
    Manipulated,
    build_design,
    cells_in_blocks,
    check_levels,
    factor,
    identifying_settings,
)
from whybench_papers.du2025.data_sets import FOLDERS
from whybench_papers.du2025.forms import (
    DATA_SETS,
    FORMS,
    NAME,
    NO_RUBRICS,
    PRINTED,
    REPAIRED,
    SETS,
)
from whybench_papers.du2025.illustrations import ILLUSTRATED, ILLUSTRATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

MANIPULATED: dict[str, Manipulated] = {
    "hint": Manipulated("hint-{}"),
    "label": Manipulated(),
    "protocol": Manipulated(),
    "rubrics": Manipulated("{}-rubrics", NO_RUBRICS),
}
"""The factors that may be manipulated while the same is asked about the same data set."""


@dataclass(frozen=True)
class Du2025Design:
    """Which items there are. Most factors are tuples of levels."""

    manipulated: ClassVar[dict[str, Manipulated]] = MANIPULATED

    name: str = "questions"
    challenge: tuple[str, ...] = factor(CORE, "Challenges or families; `all` for all of them.")
    variant: tuple[str, ...] = factor(
        (DATA_SETS,),
        "data_sets, the paper's data and questions; or its illustrations, ice_cream, pure_noise "
        "and branding.",
        levels=(DATA_SETS, *ILLUSTRATIONS),
    )
    hint: tuple[int, ...] = factor(
        HINTS, "Hint levels, from 1 to 5 (the bare question).", levels=LEVELS["hint"]
    )
    label: tuple[str, ...] = factor(
        ("neutral",), "Names of brands: neutral, flattering, damning.", levels=LEVELS["label"]
    )
    protocol: tuple[str, ...] = factor(
        (DIRECT,),
        "How the agent works: direct, code, code-debug, agentic, free.",
        levels=LEVELS["protocol"],
    )
    rubrics: str = factor(
        NO_RUBRICS,
        "none, a form graded by the rows; printed or repaired, free words that the model of the "
        "role `grader` marks by the paper's rubrics.",
        levels=(NO_RUBRICS, PRINTED, REPAIRED),
    )
    sets: int = factor(SETS, "Number of data sets of each challenge.")

    def __post_init__(self) -> None:
        for name in ("challenge", "variant", "hint", "label", "protocol", "rubrics"):
            chosen = getattr(self, name)
            levels = CORE if name == "challenge" else type(self).levels_of(name)
            check_levels(name, chosen if isinstance(chosen, tuple) else (chosen,), levels)
        if self.sets < 1:
            raise UserError(f"sets must be 1 or more, got {self.sets}")
        if self.variant == (DATA_SETS,):
            self._check_data_sets()
        else:
            self._check_illustrations()

    @classmethod
    def levels_of(cls, name: str) -> tuple[Any, ...]:
        """Return the levels of a factor."""
        levels: tuple[Any, ...] = cls.__dataclass_fields__[name].metadata["levels"]
        return levels

    def _check_data_sets(self) -> None:
        self._require({"label": ("neutral",)}, "data sets")
        if self.sets > SETS:
            raise UserError(f"sets must be from 1 to {SETS}, got {self.sets}")
        if not self.active_challenges:
            raise UserError(
                f"challenge must be among {_join(tuple(FORMS))} without rubrics, got "
                f"{_join(self.challenge)}, whose keys do not follow from the rows"
            )
        if self.rubrics != NO_RUBRICS and "free" in self.protocol:
            raise UserError(
                "protocol must be direct, code, code-debug or agentic where rubrics are applied, "
                "got free, which asks for a form"
            )

    def _check_illustrations(self) -> None:
        if DATA_SETS in self.variant:
            raise UserError(
                f"variant must be {DATA_SETS} or among {_join(tuple(ILLUSTRATIONS))}, got "
                f"{_join(self.variant)}"
            )
        only = {"challenge": (ILLUSTRATED,), "hint": (5,), "rubrics": NO_RUBRICS}
        self._require(only, "illustrations")
        shown = [ILLUSTRATIONS[name] for name in self.variant]
        for entry in shown:
            check_levels("label", self.label, tuple(entry.words))
        if self.sets > (most := min(len(entry.files) for entry in shown)):
            raise UserError(f"sets must be {most} at most with these data, got {self.sets}")

    def _require(self, only: Mapping[str, object], data: str) -> None:
        for name, must in only.items():
            if (got := getattr(self, name)) != must:
                raise UserError(
                    f"{name} must be {_join(must)} with {data}, got {_join(got)}; leave it out"
                )

    @property
    def active_challenges(self) -> tuple[str, ...]:
        """The challenges with rubrics, or with keys that follow from the rows."""
        asked = (*FORMS,) if self.rubrics == NO_RUBRICS else (*FOLDERS.values(),)
        return tuple(name for name in self.challenge if name in asked)

    @cached_property
    def cells(self) -> tuple[dict[str, Any], ...]:
        """The crossing of the factors; variants of a cell follow each other."""
        crossed = {
            "challenge": self.active_challenges,
            "hint": self.hint,
            "label": self.label,
            "protocol": self.protocol,
        }
        sizes = tuple(map(len, crossed.values()))
        return tuple(
            {
                "variant": variant,
                **{
                    name: levels[place]
                    for (name, levels), place in zip(crossed.items(), cell, strict=True)
                },
            }
            for cell in cells_in_blocks(sizes)
            for variant in self.variant
        )

    @property
    def block(self) -> int:
        """The number of items in a block, which asks the whole crossing about one data set each."""
        return len(self.cells)

    @property
    def size(self) -> int:
        """The number of items."""
        return self.block * self.sets

    @property
    def summary(self) -> str:
        """The number of items and the levels of each factor in one line."""
        if self.variant != (DATA_SETS,):
            return (
                f"{self.size} items: the paper's illustrations {_join(self.variant)}; "
                f"{_join(self.label)}; {_join(self.protocol)}"
            )
        names = tuple(name for name in self.challenge if name not in self.active_challenges)
        left_out = f"{len(names) * self.sets} left out, whose rows do not determine the answer"
        return (
            f"{self.size} items: the paper's questions on "
            f"{len(self.active_challenges) * self.sets} of its data sets"
            f"{f' ({left_out}: {_join(names)})' if names else ''}; "
            f"hint {_join(self.hint)}; {_join(self.protocol)}"
            f"{'' if self.rubrics == NO_RUBRICS else f'; {self.rubrics} rubrics'}"
        )

    @cached_property
    def hash(self) -> str:
        """A digest of the settings that decide the items."""
        return digest(NAME, identifying_settings(self)).hex()[:16]


DESIGNS: Mapping[str, Du2025Design] = {
    design.name: design
    for design in (
        Du2025Design("questions"),
        Du2025Design(
            "ice-cream",
            challenge=(ILLUSTRATED,),
            variant=("ice_cream", "pure_noise"),
            hint=(5,),
            sets=1,
        ),
        Du2025Design(
            "branding",
            challenge=(ILLUSTRATED,),
            variant=("branding",),
            hint=(5,),
            label=("flattering", "damning"),
            sets=2,
        ),
    )
}
"""The named designs: the paper's own questions on its own rows, and its two illustrations."""


def make_design(settings: Mapping[str, object]) -> Du2025Design:
    """Build a design from a named one or a YAML file (`design`) and factors to change."""
    return build_design(settings, DESIGNS, {"challenge": parse_challenges})


def _join(levels: object) -> str:
    return ", ".join(map(str, levels)) if isinstance(levels, tuple) else str(levels)
