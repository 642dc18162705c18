"""The items of Dettki (2025): the cases of judge, asked in the published prompts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from whybench.seeds import item_digest
from whybench.suites.contract import UserError
from whybench.suites.judge.generation import story_items
from whybench.suites.judge.items import JudgeItem
from whybench.suites.unions import unite_items
from whybench_papers.dettki2025.prompts import published_prompts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench_papers.dettki2025.design import PublishedDesign

NAME = "dettki2025"
"""The name of the suite."""


@dataclass(frozen=True)
class PublishedItem(JudgeItem):
    """An item with its published prompt.

    Attributes:
        prompt: The prompt, verbatim.
    """

    prompt: str = ""


def generate_items(design: PublishedDesign) -> Iterator[PublishedItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced."""
    for item in unite_items(design, story_items):
        prompt = _find_prompt(item)
        settings = {entry.name: getattr(item, entry.name) for entry in fields(item)}
        settings["digest"] = item_digest(NAME, prompt, item.truth)
        yield PublishedItem(**settings, prompt=prompt)


def _find_prompt(item: JudgeItem) -> str:
    """Return the published prompt of a case; tasks with two causes have a version for each."""
    prompts = published_prompts(item.story.content == "abstract", item.overload, item.style)
    key = (item.story.name, item.polarity, item.overload_source, item.question.letter)
    versions = prompts.get(key, ())
    version = {"both": 0, "C1": 0, "C2": 1}[item.question.cause]
    if version >= len(versions):
        raise UserError(
            "a condition must be one of the published designs core, abstract, overload-e and "
            f"abstract-overload-d, got story={item.story.name}, overload={item.overload}, "
            f"overload_source={item.overload_source}, style={item.style}"
        )
    return versions[version]
