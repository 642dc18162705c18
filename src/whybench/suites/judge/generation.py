"""The items of a design: of its stories, or of generated worlds.

Generated worlds are stories of made-up words that state how strong everything is. There is no end
of them. World i of a graph and split is the same however many are made: worlds are drawn in batches
of 256, each from a generator of its own, and their truths are derived a batch at a time, twice as
everywhere. Each world is asked every question of its graph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import yaml

from whybench.scm import Certificate, certify
from whybench.seeds import Split, generator, item_digest
from whybench.suites.contract import UserError
from whybench.suites.designs import cells_in_blocks
from whybench.suites.judge.items import JudgeItem
from whybench.suites.judge.prompt_parser import Strengths
from whybench.suites.judge.prompts import capitalize, render_prompt
from whybench.suites.judge.published import published_prompts
from whybench.suites.judge.questions import load_structure
from whybench.suites.judge.stories import JudgeStory, Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.judge.design import JudgeDesign, Parameters
    from whybench.suites.judge.questions import JudgeQuestion

__all__ = ["BATCH", "generate_items", "world_key"]

BATCH = 256
"""How many worlds are drawn together."""

PRIOR, LEAK, STRENGTH = (10, 90), (1, 30), (40, 95)
"""From where to where numbers out of a hundred are drawn, all of them equally likely."""

SYLLABLES = 3


@dataclass(frozen=True)
class GeneratedWorld:
    """A generated world, and what is true in it.

    Attributes:
        story: Its words.
        polarity: Which of the states of its variables the causal rules speak of.
        strengths: Its strengths.
        truths: The certificate of every question of its graph, in their order.
    """

    story: JudgeStory
    polarity: str
    strengths: Strengths
    truths: tuple[Certificate, ...]


def generate_items(design: JudgeDesign) -> Iterator[JudgeItem]:
    """Yield the items of a design; of stories, every prefix of whole blocks is balanced."""
    items = _generated_items(design) if design.stimuli == "generated" else _story_items(design)
    for item in items:
        yield replace(item, digest=item_digest("judge", render_prompt(item), item.truth))


def world_key(item: JudgeItem) -> str:
    """Return an item's world in canonical form: its strengths, or else its story."""
    if item.strengths is not None:
        return item.strengths.canonical
    return f"{item.story.graph}; story {item.story.name}"


def _story_items(design: JudgeDesign) -> Iterator[JudgeItem]:
    """Yield the items of bundled or user's stories, without their ids."""
    crossed = design.crossed
    for cell in cells_in_blocks(design.sizes):
        question, story, polarity, (overload, source), style, independence = (
            levels[level] for levels, level in zip(crossed, cell, strict=True)
        )
        certificate = _certify_story(story.graph, question, design.parameters)
        item = JudgeItem(
            story, polarity, question, style, certificate, overload, source, independence
        )
        if design.stimuli == "published":
            item = replace(item, published=_published_prompt(item))
        yield item


def _published_prompt(item: JudgeItem) -> str:
    prompts = published_prompts(item.story.content == "abstract", item.overload, item.style)
    key = (item.story.name, item.polarity, item.overload_source, item.question.letter)
    versions = prompts.get(key, ())
    version = {"both": 0, "C1": 0, "C2": 1}[item.question.cause]
    if version >= len(versions):
        raise UserError(
            f"the published stimuli must be asked for as published, published-abstract, "
            f"published-overload-e or published-abstract-overload-d, in the styles direct and "
            f"cot; got story={item.story.name}, overload={item.overload}, "
            f"overload_source={item.overload_source}, style={item.style}"
        )
    return versions[version]


@cache
def _certify_story(graph: str, question: JudgeQuestion, parameters: Parameters) -> Certificate:
    structure = load_structure(graph)
    base_rates = structure.base_rates(parameters.prior, parameters.leak)
    strengths = (parameters.strength,) * len(structure.edges)
    return certify(structure.noisy_or_model(base_rates, strengths), question.query)


def _generated_items(design: JudgeDesign) -> Iterator[JudgeItem]:
    """Yield the items of generated worlds, without their ids."""
    position = load_structure(design.graph).questions.index
    questions = [(question, position(question)) for question in design.questions]
    split, polarities = cast("Split", design.split), design.polarities
    for number in range(design.worlds):
        batch, row = divmod(number, BATCH)
        world = _draw_batch(design.graph, split, polarities, batch)[row]
        about = partial(JudgeItem, world.story, world.polarity, strengths=world.strengths)
        for question, k in questions:
            for style, independence in product(design.style, design.independence):
                yield about(question, style, world.truths[k], independence=independence)


@lru_cache(maxsize=4)
def _draw_batch(
    graph: str, split: Split, polarities: tuple[str, ...], number: int
) -> tuple[GeneratedWorld, ...]:
    """Return a batch of worlds of one split."""
    structure = load_structure(graph)
    rng = generator("judge", "generated", graph, split, polarities, number)
    drawn: list[Strengths] = []
    while len(drawn) < BATCH:
        drawn += [
            strengths for strengths in _draw_strengths(graph, rng) if strengths.split == split
        ]
    del drawn[BATCH:]
    model = structure.noisy_or_model(
        (np.array([strengths.base_rates for strengths in drawn]) / 100).T,
        (np.array([strengths.link_strengths for strengths in drawn]) / 100).T,
    )
    certificates = [certify(model, question.query) for question in structure.questions]
    signs = rng.integers(len(polarities), size=BATCH).tolist()
    return tuple(
        GeneratedWorld(
            _write_story(f"generated-{number * BATCH + row}", strengths, polarities[sign], rng),
            polarities[sign],
            strengths,
            tuple(_certificate_of(certificate, row) for certificate in certificates),
        )
        for row, (strengths, sign) in enumerate(zip(drawn, signs, strict=True))
    )


def _draw_strengths(graph: str, rng: np.random.Generator) -> Iterator[Strengths]:
    """Draw the strengths of a batch of worlds, of either split."""
    structure = load_structure(graph)
    nodes = len(structure.nodes)
    ranges = [PRIOR if node in structure.roots else LEAK for node in structure.nodes]
    ranges += [STRENGTH] * len(structure.edges)
    drawn = np.stack([rng.integers(low, high, BATCH, endpoint=True) for low, high in ranges], 1)
    for row in drawn.tolist():
        yield Strengths(graph, tuple(row[:nodes]), tuple(row[nodes:]))


def _certificate_of(certificate: Certificate, row: int) -> Certificate:
    """Return the certificate of one world among those that were derived together."""
    first, second = (
        (method, float(np.asarray(values)[row])) for method, values in certificate.derivations
    )
    return Certificate(certificate.query, (first, second), agree=True)


def _write_story(
    name: str, strengths: Strengths, polarity: str, rng: np.random.Generator
) -> JudgeStory:
    """Put a world into made-up words; descriptions and reasons state its strengths."""
    words, structure = _words(), load_structure(strengths.graph)
    one, many = words["units"][int(rng.integers(len(words["units"])))]
    names = _draw_names(len(structure.nodes), rng)
    states = [words["states"][number] for number in rng.permutation(len(words["states"])).tolist()]
    variables = []
    for position, node in enumerate(structure.nodes):
        plus, minus = (f"{state} {names[position]}" for state in states[position])
        present = plus if polarity[position] == "p" else minus
        description = words["root" if node in structure.roots else "itself"].format(
            number=strengths.base_rates[position],
            many=many,
            state=present,
            State=capitalize(present),
        )
        variables.append(Variable(names[position], description, plus, minus, ""))
    sign = dict(zip(structure.nodes, polarity, strict=True))
    return JudgeStory(
        name=name,
        one=one,
        many=many,
        intro=words["intro"].format(many=many),
        graph=strengths.graph,
        variables=tuple(variables),
        reasons=tuple(
            ((cause, effect, sign[cause] + sign[effect]), words["link"].format(number=n, many=many))
            for (cause, effect), n in zip(structure.edges, strengths.link_strengths, strict=True)
        ),
        polarities=(polarity,),
        overload_from="weather",
    )


def _draw_names(count: int, rng: np.random.Generator) -> list[str]:
    """Draw different names."""
    syllables = _words()["syllables"]
    while True:
        drawn = rng.integers(len(syllables), size=(count, SYLLABLES)).tolist()
        names = ["".join(syllables[number] for number in numbers) for numbers in drawn]
        if len(set(names)) == count:
            return names


@cache
def _words() -> dict[str, Any]:
    text = files(__package__).joinpath("made_up.yaml").read_text(encoding="utf-8")
    words: dict[str, Any] = yaml.safe_load(text)
    words["syllables"] = [onset + core for onset in words["onsets"] for core in words["cores"]]
    return words
