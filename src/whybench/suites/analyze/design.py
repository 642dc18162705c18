"""The factors of analyze, their levels, and the named designs.

A design crosses challenges with variants, hints and labels, and asks the whole crossing of a series
of draws. A draw is a number: with a challenge and a variant it decides the world and the rows
(`items.full_instance`). The trap of a draw and its controls are twins and are asked one after the
other; they are drawn from the same generator, and so are all hints, labels and protocols, so that
everything can be compared on the same rows.

The block is the whole crossing, asked of one draw, so every prefix of whole blocks has each level
equally often. The split (train or test) follows from the number of the draw alone: no
relative of a test item is ever in training.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from whybench.seeds import Split, digest
from whybench.suites.analyze.challenges import CHALLENGES, CORE, FAMILIES, HARD
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.prompts import PROTOCOLS
from whybench.suites.analyze.settings import LABELS
from whybench.suites.analyze.stories import HINTS
from whybench.suites.contract import UserError
from whybench.suites.designs import (
    Manipulated,
    build_design,
    cells_in_blocks,
    check_levels,
    factor,
    identifying_settings,
    list_levels,
    parse_number,
)
from whybench.suites.files import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

MIXED = (*CORE, *(HARD * (len(CORE) // len(HARD))))
"""The challenges of `core`: as many data sets of the harder tier as of the others."""

CONTROL, CONTROLS = "control", "controls"
ALL, DIRECT = "all", "direct"

FEW_ROWS, DRAWS = 200, 3
FOR_FEW_ROWS = (
    "simpson", "observational", "outcome", "mediator_confounding", "structure", "domain_shift",
)  # fmt: skip
"""One challenge of each family that a right analysis gets right in so few rows, nearly always."""

LEVELS: Mapping[str, tuple[Any, ...]] = {
    "variant": (TRAP, CONTROL, CONTROLS),
    "hint": HINTS,
    "label": LABELS,
    "protocol": PROTOCOLS,
    "split": get_args(Split),
}
"""The levels of the factors. The variant `control` is one control of the challenge, another with
each draw; `controls` are all of them."""

MANIPULATED: dict[str, Manipulated] = {
    "hint": Manipulated("hint-{}"),
    "label": Manipulated(),
    "protocol": Manipulated(),
    "rows": Manipulated("{}-rows", 0),
}
"""What may be manipulated while the same is asked of the same data set."""


@dataclass(frozen=True)
class DesignCell:
    """What is asked of every draw in one cell of the crossing.

    Attributes:
        challenge: The challenge.
        variant: `trap`, the name of a control, or `control` for the one whose turn it is.
        hint: The hint level.
        label: Whether names are neutral, flattering or damning.
        protocol: How the agent works.
        place: How often the challenge was listed before.
        places: How often it is listed.
    """

    challenge: str
    variant: str
    hint: int
    label: str
    protocol: str
    place: int = 0
    places: int = 1

    def draw_at(self, block: int) -> int:
        """Return how many draws of the challenge come before this cell in the n-th block."""
        return self.places * block + self.place

    def variant_at(self, block: int) -> str:
        """Return the variant by name in the n-th block of a design."""
        controls = CHALLENGES[self.challenge].controls
        turn = self.draw_at(block) % len(controls)
        return controls[turn] if self.variant == CONTROL else self.variant


@dataclass(frozen=True)
class AnalyzeDesign:
    """Which analyze items there are. Most factors are tuples of levels."""

    manipulated: ClassVar[dict[str, Manipulated]] = MANIPULATED

    name: str = "core"
    challenge: tuple[str, ...] = factor(
        MIXED,
        "Challenges or families by name; `all` for those of the source. A challenge that is listed "
        "several times is asked about as many data sets in each block.",
    )
    variant: tuple[str, ...] = factor(
        (TRAP, CONTROL),
        "trap; control, one a draw in turn; controls, all of them.",
    )
    hint: tuple[int, ...] = factor(
        (5,),
        "Hint levels, from 1 (roles, method and warning named) to 5 (the bare question).",
        levels=LEVELS["hint"],
    )
    label: tuple[str, ...] = factor(
        ("neutral",), "Names of things: neutral, flattering, damning.", levels=LEVELS["label"]
    )
    protocol: tuple[str, ...] = factor(
        ("agentic",),
        "How the agent works: direct, code, code-debug, agentic, free.",
        levels=LEVELS["protocol"],
    )
    rows: int = factor(
        0, "How many rows are shown under the protocol direct, as a sample; `all` or 0 for all."
    )
    setting: str = factor(
        "",
        "The path of a setting of one's own, in which all is told; else settings of the split.",
        files=True,
    )
    seeds: int = factor(3, "Number of draws.")
    split: Split = factor("test", "The side of the train/test divide.")

    def __post_init__(self) -> None:
        for name, levels in LEVELS.items():
            chosen = getattr(self, name)
            check_levels(name, chosen if isinstance(chosen, tuple) else (chosen,), levels)
        check_levels("challenge", tuple(dict.fromkeys(self.challenge)))
        for name in self.challenge:
            CHALLENGES[name]  # refuses a name that nobody has
        if {CONTROL, CONTROLS} <= {*self.variant}:
            raise UserError(
                f"variant must have one of {CONTROL} and {CONTROLS}, got {[*self.variant]}"
            )
        if self.setting:
            for name in self.challenge:
                CHALLENGES[name].find_setting(self.setting)  # refuses one of another challenge
        if self.seeds < 1:
            raise UserError(f"seeds must be 1 or more, got {self.seeds}")
        if self.rows < 0:
            raise UserError(f"rows must be {ALL}, or 1 or more, got {self.rows}")
        if self.rows and self.protocol != (DIRECT,):
            raise UserError(
                f"rows must be {ALL} where programs read them from a file, got {self.rows} with "
                f"{_join(self.protocol)}; samples are for protocol={DIRECT}"
            )

    @cached_property
    def cells(self) -> tuple[DesignCell, ...]:
        """The crossing; twins stand one after the other."""
        challenges = self.challenge
        levels = (challenges, self.hint, self.label, self.protocol)
        return tuple(
            DesignCell(
                challenges[challenge],
                variant,
                self.hint[hint],
                self.label[label],
                self.protocol[protocol],
                challenges[:challenge].count(challenges[challenge]),
                challenges.count(challenges[challenge]),
            )
            for challenge, hint, label, protocol in cells_in_blocks(tuple(map(len, levels)))
            for variant in self._variants(challenges[challenge])
        )

    def _variants(self, challenge: str) -> tuple[str, ...]:
        all_of = {CONTROLS: CHALLENGES[challenge].controls}
        return tuple(name for level in self.variant for name in all_of.get(level, (level,)))

    @property
    def twins(self) -> bool:
        """Whether traps are asked as well as controls."""
        return TRAP in self.variant and len(self.variant) > 1

    @property
    def block(self) -> int:
        """The number of items in a block, which asks the whole crossing of one draw."""
        return len(self.cells)

    @property
    def size(self) -> int:
        """The number of items."""
        return self.block * self.seeds

    @property
    def summary(self) -> str:
        """The number of items and the levels of each factor in one line."""
        challenges = {
            CORE: f"the {len(CORE)} challenges of the source",
            MIXED: f"the {len(CORE)} challenges of the source and {len(HARD)} harder ones, "
            f"{MIXED.count(HARD[0])} times each",
        }.get(self.challenge) or _join(self.challenge)
        draws = f"{self.seeds} draw{'s' if self.seeds > 1 else ''}"
        how = f"{DIRECT} on {self.rows} rows" if self.rows else _join(self.protocol)
        return (
            f"{self.size} items: {draws} of {challenges}; {_join(self.variant)}; "
            f"hint {_join(self.hint)}; {_join(self.label)}; {how}; {self.split}"
        )

    @cached_property
    def hash(self) -> str:
        """A digest of what decides the items; the name does not, nor a sample that is not taken."""
        left_out = () if self.rows else ("rows",)
        settings = identifying_settings(self, "setting", *left_out)
        own = (read_text(self.setting),) if self.setting else ()
        return digest("analyze", settings, *own).hex()[:16]


DESIGNS: Mapping[str, AnalyzeDesign] = {
    design.name: design
    for design in (
        AnalyzeDesign("core"),
        AnalyzeDesign(
            DIRECT, challenge=FOR_FEW_ROWS, protocol=(DIRECT,), rows=FEW_ROWS, seeds=DRAWS
        ),
        AnalyzeDesign("hints", challenge=CORE, hint=HINTS, seeds=2),
        AnalyzeDesign("labels", challenge=CORE, label=LABELS),
        AnalyzeDesign("code", protocol=("code",)),
        AnalyzeDesign(
            "full", challenge=CORE, variant=(TRAP, CONTROLS), hint=HINTS, label=LABELS, seeds=1
        ),
        AnalyzeDesign("hard", challenge=HARD, seeds=6),
    )
}
"""The named designs. Half of the data sets of `core` are of the harder tier, each challenge with
nine draws; the others have three. `direct` shows so few rows that a person could take them in, and
`code` asks about the rows of `core`. `full` is the whole crossing, and `hard` asks the harder tier
alone."""


def _join(levels: object) -> str:
    """Write one level, or several with commas between them; no number of rows means all."""
    return ", ".join(map(str, levels)) if isinstance(levels, tuple) else str(levels or ALL)


def make_design(settings: Mapping[str, object]) -> AnalyzeDesign:
    """Build a design from a named one or a YAML file (`design`) and factors to change.

    A family of challenges stands for its members, and `all` for the core, or for all rows. A
    sample of rows is shown in the prompt, so the protocol is direct unless another is named.
    """
    sampled = bool(_parse_rows(settings.get("rows", ALL)))
    implied = {"protocol": DIRECT} if sampled and "protocol" not in settings else {}
    return build_design(
        {**settings, **implied},
        DESIGNS,
        {"rows": _parse_rows, "challenge": parse_challenges},
    )


def _parse_rows(value: object) -> int:
    return 0 if value == ALL else int(parse_number("rows", value, int))


def parse_challenges(value: object) -> tuple[str, ...]:
    """Return challenges by name, given names, families or `all`."""
    return tuple(name for level in list_levels(value) for name in _expand_level(str(level)))


def _expand_level(level: str) -> tuple[str, ...]:
    """Return the challenges that a level stands for: itself, a family's, or all."""
    if level == ALL:
        return CORE
    if level in FAMILIES:
        return tuple(name for name, entry in CHALLENGES.items() if entry.family == level)
    return (level,)
