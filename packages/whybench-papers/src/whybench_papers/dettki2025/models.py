"""The published models as the source lists them: provider, release date, context window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.drawing.figure import DATE, SETTINGS
from whybench.drawing.style import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date


def released(agent: str) -> tuple[str, date] | None:
    """Return the provider and release date of a model, if the source's table has it.

    >>> released("published/gpt-5-mini-v_low-r_high")
    ('OpenAI', datetime.date(2025, 8, 7))
    """
    name = agent.rsplit("/", maxsplit=1)[-1].split("[", maxsplit=1)[0]
    names = (name, SETTINGS.sub("", name), DATE.sub("", name))
    for provider, models in _read().items():
        for known in names:
            if known in models:
                return provider, models[known]["released"]
    return None


def read_models() -> Iterator[dict[str, str]]:
    """Yield a row for each model; a context window is as the source prints it."""
    for provider, models in _read().items():
        for name, known in models.items():
            yield {
                "agent": name,
                "provider": provider,
                "released": known["released"].isoformat(),
                "context_window": known["context"],
            }


def _read() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    return read_table(__package__, "models.yaml")
