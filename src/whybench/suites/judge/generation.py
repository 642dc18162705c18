"""The items of a design."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from whybench.scm import certify
from whybench.seeds import item_digest
from whybench.suites.contract import UserError
from whybench.suites.designs import cells_in_blocks
from whybench.suites.judge.items import JudgeItem
from whybench.suites.judge.prompts import render_prompt
from whybench.suites.judge.published import published_prompts
from whybench.suites.judge.questions import load_structure
from whybench.suites.unions import unite_items

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.scm import Certificate
    from whybench.suites.judge.design import JudgeDesign, Parameters
    from whybench.suites.judge.questions import JudgeQuestion


def generate_items(design: JudgeDesign) -> Iterator[JudgeItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced."""
    for item in unite_items(design, _story_items):
        yield replace(item, digest=item_digest("judge", render_prompt(item), item.truth))


def _story_items(design: JudgeDesign) -> Iterator[JudgeItem]:
    """Yield the items of one crossing, without their digests."""
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
