"""Settings of a model at several levels: every level of each with every level of the others."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.model_settings import MODEL_SETTINGS
from whybench.suites.designs import check_levels

if TYPE_CHECKING:
    from collections.abc import Mapping


def cross_settings(settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings of each crossing, by words for it that may name a folder.

    Without a setting at several levels there is one crossing, which needs no words.

    >>> [*cross_settings({"temperature": [0, 0.8], "reasoning_effort": "low", "timeout": None})]
    ['temperature=0', 'temperature=0.8']
    """
    levels = {}
    for name, value in settings.items():
        if isinstance(value, list | tuple) and name in MODEL_SETTINGS:
            check_levels(f"`{name}`", value)
            levels[name] = [_convert(name, level) for level in value]
    crossings = {}
    for chosen in product(*levels.values()):
        pairs = dict(zip(levels, chosen, strict=True))
        words = ",".join(f"{name}={pairs[name]}" for name in levels if len(levels[name]) > 1)
        crossings[words] = {**settings, **pairs}
    return crossings


def _convert(name: str, level: object) -> Any:
    """Return a level as what its setting takes: 0.8 for the word 0.8."""
    try:
        number = float(str(level)) if MODEL_SETTINGS[name] is not str else str(level)
    except ValueError:
        raise UserError(f"`{name}` must be a number or several, got {level!r}") from None
    return int(number) if isinstance(number, float) and number.is_integer() else number


def tell_crossings(settings: Mapping[str, Any]) -> str:
    """Say which levels are asked, if several are: `2 x 2 settings of the model: …`."""
    crossings = cross_settings(settings)
    if len(crossings) == 1:
        return ""
    levels = {
        name: value
        for name, value in settings.items()
        if name in MODEL_SETTINGS and isinstance(value, list | tuple) and len(value) > 1
    }
    sizes = " x ".join(str(len(value)) for value in levels.values())
    named = "; ".join(
        f"{name} {', '.join(str(_convert(name, level)) for level in value)}"
        for name, value in levels.items()
    )
    return f"repeated {len(crossings)} times, for {sizes} settings of the model: {named}"
