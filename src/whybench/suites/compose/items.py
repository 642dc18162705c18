"""The compose item: one question about one unit of one world.

The truth is 1 for yes and 0 for no, and is certified by going through the nodes in causal order and
by composing what each block does. Prompt and truth decide the digest. Both are computed when they
are first asked for: a prompt is long, and not every use of an item needs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from whybench.seeds import item_digest
from whybench.suites.compose.design import MANIPULATED
from whybench.suites.compose.prompts import render_prompt
from whybench.suites.compose.units import NAMED
from whybench.suites.designs import name_item

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.scm import Certificate
    from whybench.suites.compose.questions import ComposeQuestion
    from whybench.suites.contract import Scalar

DRAWN: Mapping[str, type] = {
    "world": str,
    "draw": int,
    "unit": int,
    "stratum": int,
    "weight": float,
    "factual_weight": float,
    "cause": int,
    "effect": int,
}
"""The columns that say which question it is. `world` is the whole world in words, `draw` its number
in the series of its shape and gates; `unit`, `stratum` and the weights are as in `units`. `cause`
and `effect` are nodes; a factual question has the root for its cause, which is made nothing."""

COLUMNS: Mapping[str, type] = {
    "kinds": str,
    "gates": str,
    "blocks": int,
    "theme": str,
    "detail": str,
    "style": str,
    "wording": str,
    "split": str,
    "rung": str,
    "setting": str,
    "distance": int,
    **DRAWN,
}
"""The factor columns of compose records. `rung` is factual or interventional, `setting` what the
cause is made (none, true, false), `distance` the number of blocks from cause to effect."""


@dataclass(frozen=True)
class ComposeItem:
    """One question about one unit.

    Attributes:
        question: World, counts, names, what is asked, and how it is rendered.
        kinds: The shape of the world, as the design names it.
        gates: The gates of the world: or, and, mixed.
        detail: Whether there are sentences without bearing: none, some.
        split: The side of the train/test divide.
        draw: The number of the world in the series of its shape and gates.
        unit: The number of the unit.
        stratum: Which blocks transmit on it, as a number.
        weight: How much of the population it stands for in questions about made causes.
        factual_weight: The same in factual questions.
        actual: Whether the effect that is asked about holds in fact.
        certificate: The two derivations of the truth.
    """

    question: ComposeQuestion
    kinds: str
    gates: str
    detail: str
    split: str
    draw: int
    unit: int
    stratum: int
    weight: float
    factual_weight: float
    actual: bool
    certificate: Certificate

    @cached_property
    def prompt(self) -> str:
        """The words in which it is asked."""
        return render_prompt(self.question)

    @cached_property
    def digest(self) -> str:
        """Equal exactly when prompt and truth are equal."""
        return item_digest("compose", self.prompt, self.truth)

    @property
    def case(self) -> str:
        """The world by shape, gates, split and number; the unit; what is made, and what asked."""
        intervention = self.question.intervention
        world = f"{self.kinds}-{self.gates}-{self.split}-{self.draw}"
        made = "fact" if intervention is None else "{}-{}".format(*intervention).lower()
        return f"{world}-unit-{self.unit}-{made}-{self.question.effect}"

    @cached_property
    def id(self) -> str:
        """Case, condition and digits; equal exactly when prompt and truth are."""
        generated = self.kinds not in NAMED
        return name_item(self.digest, self.case, self.factors, MANIPULATED, generated=generated)

    @property
    def truth(self) -> float:
        """The answer: 1 for yes, 0 for no."""
        return float(self.certificate.value)

    @property
    def cause(self) -> int:
        """The node that is made true or false; in a factual question the root."""
        intervention = self.question.intervention
        return self.question.world.root if intervention is None else intervention[0]

    @property
    def distance(self) -> int:
        """Number of blocks from cause to effect."""
        anchors = self.question.world.anchors
        return anchors.index(self.question.effect) - anchors.index(self.cause)

    @property
    def factors(self) -> dict[str, Scalar]:
        """The place in the design."""
        question, intervention = self.question, self.question.intervention
        return {
            "kinds": self.kinds,
            "gates": self.gates,
            "blocks": len(question.world.blocks),
            "theme": question.theme.name,
            "detail": self.detail,
            "style": question.style,
            "wording": question.wording,
            "split": self.split,
            "rung": "factual" if intervention is None else "interventional",
            "setting": "none" if intervention is None else str(intervention[1]).lower(),
            "distance": self.distance,
            "world": question.world.text,
            "draw": self.draw,
            "unit": self.unit,
            "stratum": self.stratum,
            "weight": self.weight,
            "factual_weight": self.factual_weight,
            "cause": self.cause,
            "effect": question.effect,
        }

    @property
    def world(self) -> ComposeQuestion:
        """What the prompt must say of the world, the unit and the question."""
        return self.question.plain


def draw_graph(item: ComposeItem) -> Iterator[str]:
    """Yield lines that picture the world: who acts on whom, and where it can be cut."""
    question = item.question
    world, intervention = question.world, question.intervention
    for node, name in enumerate(question.names):
        enough = question.counts[node] >= world.thresholds[node]
        marks = [f"{world.gates[node]}, bit {enough:d}" if node else f"root, bit {enough:d}"]
        marks += ["cutpoint"] if node in world.cutpoints else []
        if intervention is not None and node == intervention[0]:
            marks.append(f"made {intervention[1]}".lower())
        marks += ["<- asked"] if node == question.effect else []
        acts_on = [question.names[effect] for cause, effect in world.edges if cause == node]
        line = f"{name} -> {', '.join(acts_on)}" if acts_on else name
        yield f"{'picture':16} {line}: {'; '.join(marks)}"
