"""What agents, conditions and measures are called in a figure."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["condition_name", "is_people", "read_table", "short_names"]

DATE = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)(?=$|\[|-v_)")
SETTINGS = re.compile(r"-v_(\w+?)-r_(\w+)")


@cache
def read_table(name: str) -> dict[str, Any]:
    """Return a table of data that lies beside this module."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return table


def is_people(agent: str) -> bool:
    """Say whether an agent is people."""
    return agent.startswith("human/")


def short_names(agents: Iterable[str]) -> dict[str, str]:
    """Return a short name for each agent: no provider, no date, settings in words.

    Names that would fall together stay as they are.
    """
    short = {agent: _short(agent) for agent in agents}
    met = Counter(short.values())
    return {agent: name if met[name] == 1 else agent for agent, name in short.items()}


def _short(agent: str) -> str:
    """Shorten one name.

    >>> _short("published/gpt-5-mini-v_low-r_high")
    'gpt-5-mini, high'
    >>> _short("published/gemini-1.5-pro[temperature=0.7]")
    'gemini-1.5-pro, T 0.7'
    >>> _short("anthropic/claude-opus-4-20250514")
    'claude-opus-4'
    """
    if is_people(agent):
        return "people"
    name = DATE.sub("", agent.rsplit("/", maxsplit=1)[-1].removeprefix("judge."))
    name = SETTINGS.sub(r", \2", name)
    return re.sub(r"\[temperature=(.*)\]", r", T \1", name)


def condition_name(labels: Mapping[str, str]) -> str:
    r"""Name a condition without its style, on one or two lines.

    >>> condition_name({"graph": "collider", "content": "story", "overload": "e",
    ...                 "overload_source": "filler"})
    'story +e\n(filler)'
    """
    name = labels["content"]
    if labels["graph"] != "collider":
        name = f"{labels['graph']}, {name}"
    if labels["overload"] == "none":
        return name
    source = {"story": "other story", "filler": "filler"}.get(
        labels["overload_source"], labels["overload_source"]
    )
    return f"{name} +{labels['overload']}\n({source})"
