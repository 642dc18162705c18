"""The items of a design."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from whybench.scm import certify
from whybench.seeds import item_digest
from whybench.suites.designs import cells_in_blocks
from whybench.suites.judge.items import JudgeItem
from whybench.suites.judge.prompts import render_prompt
from whybench.suites.judge.questions import load_structure
from whybench.suites.unions import unite_items

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.scm import Certificate
    from whybench.suites.judge.design import JudgeDesign, Parameters
    from whybench.suites.judge.questions import JudgeQuestion


def generate_items(design: JudgeDesign) -> Iterator[JudgeItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced."""
    for item in unite_items(design, story_items):
        yield replace(item, digest=item_digest("judge", render_prompt(item), item.truth))


def story_items(design: JudgeDesign) -> Iterator[JudgeItem]:
    """Yield the items of one crossing, without digests."""
    crossed = design.crossed
    for cell in cells_in_blocks(design.sizes):
        question, story, polarity, (overload, source), style, independence = (
            levels[level] for levels, level in zip(crossed, cell, strict=True)
        )
        certificate = _certify_story(story.graph, question, design.parameters)
        yield JudgeItem(
            story, polarity, question, style, certificate, overload, source, independence
        )


@cache
def _certify_story(graph: str, question: JudgeQuestion, parameters: Parameters) -> Certificate:
    structure = load_structure(graph)
    base_rates = structure.base_rates(parameters.prior, parameters.leak)
    strengths = (parameters.strength,) * len(structure.edges)
    return certify(structure.noisy_or_model(base_rates, strengths), question.query)
