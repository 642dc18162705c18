"""The items of feng2025: the worlds of intervene, asked in the prompts of CausalLink.

An item has the world, first state, names and question of the item of intervene with the same
`case`, so the answers in the paper's words and in ours can be compared pair by pair.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from whybench.seeds import digest, item_digest
from whybench.suites.contract import UserError
from whybench.suites.designs import factor, identifying_settings
from whybench.suites.intervene.case import InterveneCase, parse_case
from whybench.suites.intervene.design import LEVELS, InterveneDesign
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.items import describe_item
from whybench.suites.intervene.prompts import list_states, state_phrases
from whybench.suites.intervene.replies import Synonyms
from whybench.suites.intervene.themes import load_theme
from whybench.suites.intervene.world import state_to_bits
from whybench_papers.feng2025.prompts import PublishedPrompts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.contract import Scalar
    from whybench.suites.intervene.case import Request
    from whybench.suites.intervene.items import InterveneItem

NAME = "feng2025"
THEME = "shapes"

WORLDS = ("core", "advanced", "source-advanced")
"""The sets of worlds with as many actions as in the paper, whose prompts do not mention a limit."""

STYLES = ("direct", "fewest-steps")
"""The styles in which the paper asked all of its models."""


@dataclass(frozen=True)
class Feng2025Design(InterveneDesign):
    """Which items there are; a design of intervene about shapes, in text."""

    style: tuple[str, ...] = factor(
        STYLES, "The prompt: direct, fewest-steps, cot, recipe.", levels=LEVELS["style"]
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen = (self.theme, self.interface, self.wording)
        if self.worlds not in WORLDS or chosen != ((THEME,), ("text",), ("plain",)):
            raise UserError(
                f"worlds must be one of {', '.join(WORLDS)}, theme {THEME}, interface text and "
                f"wording plain in the prompts of {NAME}, which mention no limit of actions, got "
                f"{', '.join((self.worlds, *chain(*chosen)))}; choose the suite intervene for "
                "others"
            )

    @cached_property
    def hash(self) -> str:
        """A digest of the settings that decide the items."""
        return digest(NAME, identifying_settings(self, "theme"), self.themes).hex()[:16]


DESIGNS: Mapping[str, Feng2025Design] = {
    design.name: design
    for design in (
        Feng2025Design("core"),
        Feng2025Design(
            "advanced",
            "source-advanced",
            entities=(4, 5, 6, 7),
            density=(0.5,),
            initial=("all-moving",),
            graphs=50,
        ),
    )
}
"""The named designs: the core set (tables 4 and 5 of the paper) and its advanced set."""


def feng2025_items(design: InterveneDesign) -> Iterator[InterveneItem]:
    """Yield the items of a design."""
    for item in intervene_items(design):
        yield replace(item, digest=item_digest(NAME, describe_item(item), item.truth))


def render_prompt(item: InterveneItem) -> str:
    """Return the first message of an episode."""
    asked = item.theme.ask(*(item.names[entity] for entity in item.pair))
    prompts = PublishedPrompts(item.style, item.names, item.theme.verbs_and_states[:2], asked)
    phrases = state_phrases(item.names, item.theme.states)
    return prompts.opening(list_states(phrases, state_to_bits(item.initial)))


@dataclass(frozen=True)
class Feng2025Case(InterveneCase):
    """A case that is asked in the paper's words, which do not mention how many actions are left.

    Attributes:
        style: The style of the prompts.
    """

    counts_actions: ClassVar[bool] = False
    synonyms: ClassVar[Synonyms] = Synonyms(
        keys={"shape": "entity"},
        choices={"continue interaction": "continue", "answer the question": "answer"},
    )

    style: str = "direct"

    @cached_property
    def requests(self) -> dict[Request, str]:
        """The messages that ask for the next reply."""
        question = load_theme(THEME).ask(self.names[self.x], self.names[self.y])
        prompts = PublishedPrompts(self.style, self.names, self.words[:2], question)
        return {"act": prompts.interaction, "next": prompts.choice, "answer": prompts.answer}


def parse_published_case(factors: Mapping[str, Scalar]) -> Feng2025Case:
    """Return the case of an item, given its columns."""
    return _wrap(parse_case(factors), str(factors["style"]))


@lru_cache(maxsize=4096)
def _wrap(case: InterveneCase, style: str) -> Feng2025Case:
    values = {entry.name: getattr(case, entry.name) for entry in fields(case)}
    return Feng2025Case(**values, style=style)
