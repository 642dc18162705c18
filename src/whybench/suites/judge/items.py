"""The judge item and its generator.

An item asks one question of a story in one condition. People's likelihood judgments have no
single truth; the truth of an item is the normative answer, 0 to 100, of a reasoner who takes each
link as a noisy-OR cause with the strengths that the design states.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from whybench.scm import Certificate, Graph, Model, NoisyOr, certify, observe
from whybench.seeds import item_id
from whybench.suites.blocks import cells_in_blocks
from whybench.suites.contract import Scalar, UserError
from whybench.suites.judge.published import published_prompts
from whybench.suites.judge.questions import Question, structure
from whybench.suites.judge.reading import JudgeWorld
from whybench.suites.judge.wording import word_prompt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.judge.design import JudgeDesign, Parameters
    from whybench.suites.judge.stated import Stated
    from whybench.suites.judge.stories import Story

__all__ = ["COLUMNS", "JudgeItem", "draw", "judge_items", "noisy_or_model", "word"]

COLUMNS: Mapping[str, type] = {
    "graph": str,
    "content": str,
    "story": str,
    "polarity": str,
    "task": str,
    "letter": str,
    "cause": str,
    "overload": str,
    "overload_source": str,
    "style": str,
    "stimuli": str,
}
"""The factor columns of judge records."""


@dataclass(frozen=True)
class JudgeItem:
    """One question about one story in one condition.

    Attributes:
        id: Equal exactly when prompt and truth are equal.
        told: The story.
        polarity: The polarity it is told in.
        question: What is known and what is asked.
        overload: Where distracting text stands: none, d, e or de.
        overload_source: Where it comes from: none, story or filler.
        style: The form of reply asked for.
        published: The source's own prompt, verbatim; empty for our wording.
        certificate: The two derivations of the truth.
        stated: The strengths that the prompt states; None in stories, which state none.
    """

    id: str
    told: Story
    polarity: str
    question: Question
    overload: str
    overload_source: str
    style: str
    published: str
    certificate: Certificate
    stated: Stated | None = None

    @property
    def truth(self) -> float:
        """The normative answer, 0 to 100, at the strengths the design states."""
        return 100 * float(self.certificate.value)

    @property
    def factors(self) -> dict[str, Scalar]:
        """The place in the design."""
        return {
            "graph": self.told.graph,
            "content": "abstract" if self.stated else self.told.content,
            "story": self.told.name,
            "polarity": self.polarity,
            "task": self.question.task,
            "letter": self.question.letter,
            "cause": self.question.cause,
            "overload": self.overload,
            "overload_source": self.overload_source,
            "style": self.style,
            "stimuli": "published" if self.published else "generated" if self.stated else "own",
        }

    @property
    def world(self) -> JudgeWorld:
        """What the prompt must say of the world."""

        def state(node: str, value: int) -> str:
            return self.told.state(node, self.polarity, value)

        shape = self.told.structure
        return JudgeWorld(
            states=frozenset((state(node, 1), state(node, 0)) for node in shape.nodes),
            rules=frozenset((state(cause, 1), state(effect, 1)) for cause, effect in shape.edges),
            known=frozenset(state(node, value) for node, value in self.question.given),
            asked=state(self.question.asked, 1),
            style=self.style,
            numbers=frozenset(self._numbers()),
        )

    def _numbers(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield what is stated of a variable, or of a cause and its effect, out of a hundred."""
        if self.stated is not None:
            shape = self.told.structure
            ways = ((node,) for node in shape.nodes), shape.edges
            for named, numbers in zip(ways, (self.stated.alone, self.stated.links), strict=True):
                for nodes, number in zip(named, numbers, strict=True):
                    yield tuple(self.told.state(node, self.polarity, 1) for node in nodes), number


def word(item: JudgeItem) -> str:
    """Return the item's prompt."""
    return item.published or word_prompt(item)


def draw(item: JudgeItem) -> Iterator[str]:
    """Yield lines that picture the causal graph, with what is known and what is asked."""
    known = dict(item.question.given)
    for node in item.told.structure.nodes:
        status = {1: "present", 0: "absent"}.get(known.get(node, -1), "unknown")
        asked = "  <- asked" if node == item.question.asked else ""
        arrows = [effect for cause, effect in item.told.structure.edges if cause == node]
        line = f"{node} -> {', '.join(arrows)}" if arrows else node
        state = item.told.state(node, item.polarity, 1)
        yield f"{'picture':16} {line:11} {state}: {status}{asked}"


def judge_items(design: JudgeDesign) -> Iterator[JudgeItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced."""
    for question, told, polarity, overload, style in cells_in_blocks(design.sizes):
        item = JudgeItem(
            id="",
            told=design.stories[told],
            polarity=design.polarities[polarity],
            question=design.questions[question],
            overload=design.overloads[overload][0],
            overload_source=design.overloads[overload][1],
            style=design.style[style],
            published="",
            certificate=_certificate(
                design.stories[told].graph, design.questions[question], design.parameters
            ),
        )
        if design.stimuli == "published":
            item = replace(item, published=_published_prompt(item))
        yield replace(item, id=item_id("judge", word(item), item.truth))


def _published_prompt(item: JudgeItem) -> str:
    prompts = published_prompts(item.told.content == "abstract", item.overload, item.style)
    key = (item.told.name, item.polarity, item.overload_source, item.question.letter)
    versions = prompts.get(key, ())
    place = {"both": 0, "C1": 0, "C2": 1}[item.question.cause]
    if place >= len(versions):
        raise UserError(
            f"the published stimuli must be asked for as published, published-abstract, "
            f"published-overload-e or published-abstract-overload-de, in the styles numeric and "
            f"cot; got story={item.told.name}, overload={item.overload}, "
            f"overload_source={item.overload_source}, style={item.style}"
        )
    return versions[place]


@cache
def noisy_or_model(
    edges: tuple[tuple[str, str], ...],
    nodes: tuple[str, ...],
    prior: float,
    leak: float,
    strengths: tuple[float, ...],
) -> Model:
    """Return the noisy-OR model of a graph; strengths are in the order of its edges."""
    graph = Graph(nodes, edges)
    strength = dict(zip(edges, strengths, strict=True))
    return Model(
        graph,
        {
            node: NoisyOr(leak, tuple(strength[cause, node] for cause in graph.parents(node)))
            if graph.parents(node)
            else NoisyOr(prior, ())
            for node in nodes
        },
    )


@cache
def _certificate(graph: str, question: Question, parameters: Parameters) -> Certificate:
    shape = structure(graph)
    model = noisy_or_model(
        shape.edges,
        shape.nodes,
        parameters.prior,
        parameters.leak,
        (parameters.strength,) * len(shape.edges),
    )
    return certify(model, observe({question.asked: 1}, dict(question.given)))
