"""Generated worlds: stories of made-up words that state how strong everything is.

There is no end of them. World i of a graph and side is the same however many are made: worlds are
drawn in sheets of 256, each from a generator of its own, and their truths are derived a sheet at a
time, twice as everywhere. Each world is asked every question of its graph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import yaml

from whybench.scm import Certificate, certify, observe
from whybench.seeds import Split, generator, item_id
from whybench.suites.judge.items import JudgeItem, judge_items, word
from whybench.suites.judge.questions import structure
from whybench.suites.judge.stated import Stated, noisy_or, roots
from whybench.suites.judge.stories import Story, Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.judge.design import JudgeDesign

__all__ = ["SHEET", "items_of", "world_of"]

SHEET = 256
"""How many worlds are drawn together."""

PRIOR, LEAK, STRENGTH = (10, 90), (1, 30), (40, 95)
"""From where to where numbers out of a hundred are drawn, all of them equally likely."""

SYLLABLES = 3


@dataclass(frozen=True)
class Told:
    """A generated world, and what is true in it.

    Attributes:
        story: Its words.
        polarity: Which of the states of its variables the causal rules speak of.
        stated: Its strengths.
        truths: The certificate of every question of its graph, in their order.
    """

    story: Story
    polarity: str
    stated: Stated
    truths: tuple[Certificate, ...]


def items_of(design: JudgeDesign) -> Iterator[JudgeItem]:
    """Yield the items of a design, whether of stories or of generated worlds."""
    return _generated(design) if design.stimuli == "generated" else judge_items(design)


def world_of(item: JudgeItem) -> str:
    """Return an item's world in canonical form: its strengths, or else its story."""
    if item.stated is not None:
        return item.stated.canonical
    return f"{item.told.graph}; story {item.told.name}"


def _generated(design: JudgeDesign) -> Iterator[JudgeItem]:
    every = structure(design.graph).questions
    asked = [(place, every[place]) for place in map(every.index, design.questions)]
    for number in range(design.worlds):
        sheet, row = divmod(number, SHEET)
        told = _sheet(design.graph, cast("Split", design.split), design.polarities, sheet)[row]
        for place, question in asked:
            for style in design.style:
                item = JudgeItem(
                    id="",
                    told=told.story,
                    polarity=told.polarity,
                    question=question,
                    overload="none",
                    overload_source="none",
                    style=style,
                    published="",
                    certificate=told.truths[place],
                    stated=told.stated,
                )
                yield replace(item, id=item_id("judge", word(item), item.truth))


@lru_cache(maxsize=4)
def _sheet(graph: str, split: Split, polarities: tuple[str, ...], number: int) -> tuple[Told, ...]:
    """Return a sheet of worlds of one side."""
    rng = generator("judge", "generated", graph, split, polarities, number)
    strengths: list[Stated] = []
    while len(strengths) < SHEET:
        strengths += [stated for stated in _strengths(graph, rng) if stated.side == split]
    del strengths[SHEET:]
    alone, links = (
        np.array([getattr(stated, part) for stated in strengths]) for part in ("alone", "links")
    )
    model = noisy_or(graph, alone, links)
    derived = [
        certify(model, observe({question.asked: 1}, dict(question.given)))
        for question in structure(graph).questions
    ]
    signs = rng.integers(len(polarities), size=SHEET).tolist()
    return tuple(
        Told(
            _story(f"generated-{number * SHEET + row}", stated, polarities[sign], rng),
            polarities[sign],
            stated,
            tuple(_certificate(found, row) for found in derived),
        )
        for row, (stated, sign) in enumerate(zip(strengths, signs, strict=True))
    )


def _strengths(graph: str, rng: np.random.Generator) -> Iterator[Stated]:
    """Draw the strengths of some worlds, of either side."""
    shape, uncaused = structure(graph), roots(graph)
    ranges = [PRIOR if node in uncaused else LEAK for node in shape.nodes]
    ranges += [STRENGTH] * len(shape.edges)
    drawn = np.stack([rng.integers(low, high, SHEET, endpoint=True) for low, high in ranges], 1)
    for row in drawn.tolist():
        yield Stated(graph, tuple(row[: len(shape.nodes)]), tuple(row[len(shape.nodes) :]))


def _certificate(found: Certificate, row: int) -> Certificate:
    """Return the certificate of one world among those that were derived together."""
    first, second = (
        (method, float(np.asarray(values)[row])) for method, values in found.derivations
    )
    return Certificate(found.query, (first, second), agree=True)


def _story(name: str, stated: Stated, polarity: str, rng: np.random.Generator) -> Story:
    """Put a world into made-up words; descriptions and reasons state its strengths."""
    words, shape = _words(), structure(stated.graph)
    one, many = words["units"][int(rng.integers(len(words["units"])))]
    called = _names(len(shape.nodes), rng)
    states = [words["states"][place] for place in rng.permutation(len(words["states"])).tolist()]
    present: dict[str, str] = {}
    variables = []
    for place, node in enumerate(shape.nodes):
        plus, minus = (f"{state} {called[place]}" for state in states[place])
        present[node] = plus if polarity[place] == "p" else minus
        said = words["root" if node in roots(stated.graph) else "itself"].format(
            number=stated.alone[place],
            many=many,
            state=present[node],
            State=present[node][:1].upper() + present[node][1:],
        )
        variables.append(Variable(called[place], said, plus, minus, ""))
    sign = dict(zip(shape.nodes, polarity, strict=True))
    return Story(
        name=name,
        one=one,
        many=many,
        intro=words["intro"].format(many=many),
        graph=stated.graph,
        variables=tuple(variables),
        reasons=tuple(
            ((cause, effect, sign[cause] + sign[effect]), words["link"].format(number=n, many=many))
            for (cause, effect), n in zip(shape.edges, stated.links, strict=True)
        ),
        polarities=(polarity,),
        overload_from="weather",
    )


def _names(count: int, rng: np.random.Generator) -> list[str]:
    """Draw different names."""
    syllables = _words()["syllables"]
    while True:
        drawn = rng.integers(len(syllables), size=(count, SYLLABLES)).tolist()
        names = ["".join(syllables[place] for place in places) for places in drawn]
        if len(set(names)) == count:
            return names


@cache
def _words() -> dict[str, Any]:
    text = files(__package__).joinpath("made_up.yaml").read_text(encoding="utf-8")
    words: dict[str, Any] = yaml.safe_load(text)
    words["syllables"] = [onset + core for onset in words["onsets"] for core in words["cores"]]
    return words
