"""lamp: is seeing told apart from doing?

A lit lamp is a sign that its switch is on. A lamp that you lit yourself is no sign of anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from whybench.scm import Bernoulli, Certificate, Graph, Model, NoisyOr, certify, do, observe
from whybench.seeds import digest, item_id
from whybench.stats import SMALL_N, Measure, mean_difference
from whybench.suites.blocks import block_length, cells_in_blocks
from whybench.suites.contract import Agent, Answer, Scalar, Suite, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    import pyarrow as pa

__all__ = ["SUITE"]

PRIORS, STRENGTHS, MANNERS = (20, 40, 60), (50, 80), ("seen", "made")
LEAK = 10

FACTS = {
    "seen": "In one of the rooms you see that the lamp is lit.",
    "made": "In one of the rooms you light the lamp with a cable of your own.",
}
PROMPT = (
    "A house has many rooms, each with a switch and a lamp. The switch is on in {prior} of 100 "
    "rooms. A switch that is on lights the lamp of its room in {strength} of 100 cases; besides, "
    "a lamp lights of itself in {leak} of 100 rooms.\n{fact}\nHow likely is it, from 0 to 100, "
    "that the switch of this room is on? Reply with one number and nothing else."
)


@dataclass(frozen=True)
class LampDesign:
    """Rooms crossed with the manner in which the lamp came to be lit."""

    name: str = "core"
    manner: tuple[str, ...] = MANNERS

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of levels of each factor."""
        return len(PRIORS), len(STRENGTHS), len(self.manner)

    @property
    def summary(self) -> str:
        """The factors in one line."""
        return f"{len(PRIORS)} priors x {len(STRENGTHS)} strengths x {', '.join(self.manner)}"

    @property
    def hash(self) -> str:
        """A digest of what decides the items."""
        return digest("lamp", self.manner, PRIORS, STRENGTHS, LEAK, PROMPT, FACTS).hex()[:16]

    @property
    def block(self) -> int:
        """The number of items in a balanced block."""
        return block_length(self.sizes)


@dataclass(frozen=True)
class LampItem:
    """One question about one room."""

    prior: int
    strength: int
    manner: str

    @cached_property
    def id(self) -> str:
        """Equal exactly when prompt and truth are equal."""
        return item_id("lamp", word(self), self.truth)

    @property
    def factors(self) -> dict[str, Scalar]:
        """The place in the design."""
        return {"prior": self.prior, "strength": self.strength, "manner": self.manner}

    @property
    def world(self) -> tuple[int, int, str]:
        """What the prompt must say."""
        return self.prior, self.strength, self.manner

    @property
    def truth(self) -> float:
        """The chance that the switch is on, 0 to 100."""
        return 100 * float(self.certificate.value)

    @cached_property
    def certificate(self) -> Certificate:
        """Two derivations: of P(switch | lamp), or of P(switch | do(lamp))."""
        graph = Graph(("switch", "lamp"), (("switch", "lamp"),))
        works = NoisyOr(LEAK / 100, (self.strength / 100,))
        model = Model(graph, {"switch": Bernoulli(self.prior / 100), "lamp": works})
        ask = observe if self.manner == "seen" else do
        return certify(model, ask({"switch": 1}, {"lamp": 1}))


def make_design(settings: Mapping[str, object]) -> LampDesign:
    """Build a design; there is one, and nothing to change about it."""
    if dict(settings) != {"base": "core"}:
        raise UserError(f"lamp has the design core and no factors to change, got {dict(settings)}")
    return LampDesign()


def lamp_items(design: LampDesign) -> Iterator[LampItem]:
    """Yield the items, block after block."""
    for prior, strength, manner in cells_in_blocks(design.sizes):
        yield LampItem(PRIORS[prior], STRENGTHS[strength], design.manner[manner])


def word(item: LampItem) -> str:
    """Return the prompt of an item."""
    fact = FACTS[item.manner]
    return PROMPT.format(prior=item.prior, strength=item.strength, leak=LEAK, fact=fact)


def read_prompt(prompt: str) -> tuple[int, int, str]:
    """Rebuild the world from the prompt alone."""
    prior, strength, _ = (int(found) for found in re.findall(r"in (\d+) of 100", prompt))
    manner = next(manner for manner, fact in FACTS.items() if fact in prompt)
    return prior, strength, manner


def read_answer(_factors: Mapping[str, Scalar], text: str, truncated: bool) -> Answer:
    """Take a number that is the whole reply, and nothing else."""
    if truncated:
        return Answer(None, "cut_off")
    found = re.fullmatch(r"\s*(\d{1,3})\s*%?\s*", text)
    if found is None:
        return Answer(None, "not_a_number")
    value = float(found[1])
    return Answer(value) if value <= 100 else Answer(None, "out_of_scale")


def gold(item: LampItem) -> str:
    """Word the true answer as an agent would."""
    return str(round(item.truth))


def lamp_measures(records: pa.Table) -> list[Measure]:
    """Compute `gap`: how much likelier the switch is judged if the lamp is seen and not made."""
    agents: dict[str, list[dict[str, Any]]] = {}
    for row in records.to_pylist():
        agents.setdefault(row["agent"], []).append(row)
    measures = []
    for agent, rows in agents.items():
        outcomes = [row["outcome"] for row in rows]
        scored = [row for row in rows if row["outcome"] == "scored"]
        seen, made = ([row for row in scored if row["manner"] == manner] for manner in MANNERS)
        found = mean_difference(
            [row["value"] / 100 for row in seen],
            [row["value"] / 100 for row in made],
            [(row["prior"], row["strength"]) for row in seen],
            [(row["prior"], row["strength"]) for row in made],
        )
        measures.append(
            Measure(
                name="gap",
                estimate=found.estimate,
                low=found.low,
                high=found.high,
                n=found.n,
                units=found.units,
                scored=outcomes.count("scored"),
                no_answer=outcomes.count("no_answer"),
                error=outcomes.count("error"),
                method="difference of means; t, clustered by room",
                flags=("small_n",) if len(scored) < SMALL_N else (),
                labels={"agent": agent},
            )
        )
    return measures


def _reasons(item: LampItem, _settings: Mapping[str, Any], _draw: np.random.Generator) -> str:
    return gold(item)


def _confuses(item: LampItem, _settings: Mapping[str, Any], _draw: np.random.Generator) -> str:
    return gold(LampItem(item.prior, item.strength, "seen"))


def _gap(_settings: Mapping[str, Any], _design: LampDesign) -> dict[str, float]:
    """Compute the gap of an agent that gives the true answers, by Bayes' rule in the open."""
    gaps = []
    for prior in PRIORS:
        for strength in STRENGTHS:
            lit = 100 - (100 - strength) * (100 - LEAK) / 100
            seen = prior * lit / (prior * lit + (100 - prior) * LEAK)
            gaps.append(round(100 * seen) / 100 - prior / 100)
    return {"gap": sum(gaps) / len(gaps)}


AGENTS: dict[str, Agent[LampItem]] = {
    "reasoner": Agent("reasoner", "tells seeing from doing", _reasons, known=_gap),
    "confused": Agent(
        "confused", "takes doing for seeing", _confuses, known=lambda *_: {"gap": 0.0}
    ),
}

SUITE: Suite[LampDesign, LampItem] = Suite(
    name="lamp",
    version=1,
    summary="says how likely the cause of a lamp's light is, seen or made",
    designs={"core": LampDesign()},
    design=make_design,
    items=lamp_items,
    word=word,
    read_prompt=read_prompt,
    read_answer=read_answer,
    gold=gold,
    measures=lamp_measures,
    agents=AGENTS,
    columns={"prior": int, "strength": int, "manner": str},
    parts={},
    reply_tokens=lambda _: 3,
    task="whybench_lamp.task:lamp",
    probes=("", "70", "70%", "about 70", "101", "seventy"),
    full_score=lambda item, answer: (
        answer.value is not None and abs(answer.value - item.truth) <= 0.5
    ),
)
