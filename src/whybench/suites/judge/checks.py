"""Checks that only judge needs.

Text that is meant to distract must not bear on the story it distracts from: if the weather story
spoke of wages, it would be evidence, not noise. So no word that carries meaning may stand both in
a story and in the text that overloads it.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from whybench.suites.contract import Check
from whybench.suites.judge.prompts import overload_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whybench.suites.judge.items import JudgeItem
    from whybench.suites.judge.stories import JudgeStory


def overload_is_unrelated(items: Sequence[JudgeItem]) -> Iterator[str]:
    """Yield each word that a story shares with the text that overloads it."""
    conditions = {
        (item.story, item.polarity, item.overload, item.overload_source) for item in items
    }
    for story, polarity, overload, source in sorted(conditions, key=str):
        counts = {"d": len(story.variables), "e": len(story.structure.edges)}
        for kind, position in ((c, k) for c in overload for k in range(counts[c])):
            text = overload_text(story, polarity, source, kind, position)
            for shared in sorted(_content_words(text) & _story_words(story)):
                yield f"{story.name}, {overload} from {source}: both say {shared!r} ({text})"


def _select_overloaded(items: Sequence[JudgeItem]) -> Sequence[JudgeItem]:
    return [item for item in items if item.overload != "none"]


@cache
def _story_words(story: JudgeStory) -> frozenset[str]:
    texts = [story.intro, story.one, story.many, *(reason for _, reason in story.reasons)]
    for variable in story.variables:
        texts += [variable.name, variable.description]
        texts += [variable.plus, variable.minus, variable.normal]
    return _content_words(" ".join(texts))


def _content_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]{2,}", text.lower())) - _function_words()


@cache
def _function_words() -> frozenset[str]:
    text = files(__package__).joinpath("function_words.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


CHECKS = {"overload is unrelated": Check(overload_is_unrelated, _select_overloaded)}
"""The checks by name."""
