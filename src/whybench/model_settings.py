"""Settings of a model that change its answers, and how the name of an agent mentions them.

An agent is a model with its settings: `openai/gpt-5[temperature=0.7,reasoning_effort=high]`. Those
of `MODEL_SETTINGS` are columns of its records too, and may be compared like factors of a design:
the agent then has the name that is left without the one that is compared.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MODEL_SETTINGS: Mapping[str, type] = {
    "temperature": float,
    "top_p": float,
    "reasoning_effort": str,
    "reasoning_tokens": int,
    "effort": str,
    "verbosity": str,
}
"""Name and type of the settings that have a column, as Inspect calls them."""

AMOUNTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Levels of efforts and verbosity, from less to more."""

BRACKETS = re.compile(r"\[([^\[\]]*)\]$")
PUBLISHED = re.compile(r"-v_(?P<verbosity>[a-z]+)-r_(?P<reasoning_effort>[a-z]+)")
"""How the names of published models mention two settings."""


@lru_cache(maxsize=4096)
def _read(agent: str) -> dict[str, str]:
    found = PUBLISHED.search(agent) if agent.startswith("published/") else None
    said = found.groupdict() if found else {}
    if brackets := BRACKETS.search(agent):
        said |= dict(part.split("=", 1) for part in brackets[1].split(",") if "=" in part)
    return said


def read_model_settings(agent: str) -> dict[str, str | int | float]:
    """Return the settings that an agent's name mentions, of those that have a column.

    >>> read_model_settings("openai/o3[temperature=0.7,seed=1]")
    {'temperature': 0.7}
    >>> read_model_settings("published/gpt-5-v_low-r_high")
    {'reasoning_effort': 'high', 'verbosity': 'low'}
    """
    said = _read(agent)
    settings: dict[str, str | int | float] = {}
    for name, kind in MODEL_SETTINGS.items():
        try:
            settings |= {name: kind(said[name])} if name in said else {}
        except ValueError:  # an argument of the same name that is something else
            continue
    return settings


@lru_cache(maxsize=4096)
def name_without(agent: str, setting: str) -> str:
    """Return the name of an agent without a setting.

    >>> name_without("openai/o3[temperature=0.7,seed=1]", "temperature")
    'openai/o3[seed=1]'
    >>> name_without("published/gpt-5-v_low-r_high", "reasoning_effort")
    'published/gpt-5-v_low'
    """
    if agent.startswith("published/"):
        kept = {"verbosity": r"-r_\g<reasoning_effort>", "reasoning_effort": r"-v_\g<verbosity>"}
        agent = PUBLISHED.sub(kept[setting], agent) if setting in kept else agent
    brackets = BRACKETS.search(agent)
    if brackets is None:
        return agent
    parts = [part for part in brackets[1].split(",") if part.partition("=")[0] != setting]
    return agent[: brackets.start()] + (f"[{','.join(parts)}]" if parts else "")


def name_model(agent: str) -> str:
    """Return the name of an agent without any setting that has a column.

    >>> name_model("openai/o3[temperature=0.7,reasoning_effort=low]")
    'openai/o3'
    """
    for setting in MODEL_SETTINGS:
        agent = name_without(agent, setting)
    return agent
