"""What agents are called in a figure, and designs in the name of its file."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["DATE", "SETTINGS", "distinct_names", "file_name", "is_people", "short_names"]

DATE = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)(?=$|\[|-v_)")
SETTINGS = re.compile(r"-v_(\w+?)-r_(\w+)")


def is_people(agent: str) -> bool:
    """Say whether an agent is people."""
    return agent.startswith("human/")


def file_name(design: str) -> str:
    """Return a design as part of a file's name: shells would expand the mark of a changed one.

    >>> file_name("core*")
    'core-changed'
    """
    return design.replace("*", "-changed")


def short_names(agents: Iterable[str]) -> dict[str, str]:
    """Return a short name for each agent: no provider, no date, settings in words.

    Names that would fall together stay as they are.
    """
    short = {agent: _short(agent) for agent in agents}
    met = Counter(short.values())
    return {agent: name if met[name] == 1 else agent for agent, name in short.items()}


def distinct_names(groups: Sequence[Mapping[str, str]]) -> list[str]:
    """Name groups of answers by their agent, and by those of their labels that tell them apart.

    >>> distinct_names([{"agent": "openai/o3", "style": "basic", "split": "test"},
    ...                 {"agent": "openai/o3", "style": "recipe", "split": "test"}])
    ['o3, basic', 'o3, recipe']
    """
    agents = short_names({group["agent"] for group in groups})
    names = [agents[group["agent"]] for group in groups]
    for label in dict.fromkeys(label for group in groups for label in group):
        longer = [f"{name}, {group[label]}" for name, group in zip(names, groups, strict=True)]
        if len(set(longer)) > len(set(names)):
            names = longer
    return names


def _short(agent: str) -> str:
    """Shorten one name.

    >>> _short("published/gpt-5-mini-v_low-r_high")
    'gpt-5-mini, high'
    >>> _short("published/gemini-1.5-pro[temperature=0.7]")
    'gemini-1.5-pro, T 0.7'
    >>> _short("anthropic/claude-opus-4-20250514")
    'claude-opus-4'
    >>> _short("reference/judge.noisy-or")
    'noisy-or'
    """
    if is_people(agent):
        return "people"
    # A reference agent's name begins with its suite's.
    name = re.sub(r"^reference/\w+\.", "", agent).rsplit("/", maxsplit=1)[-1]
    name = DATE.sub("", name)
    name = SETTINGS.sub(r", \2", name)
    return re.sub(r"\[temperature=(.*)\]", r", T \1", name)
