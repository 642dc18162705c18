"""The challenges, by name. A new one is a module here, a story beside it, and one line below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.analyze.challenges import (
    direction,
    domain_shift,
    effect_estimation,
    interaction,
    mediator_confounding,
    moderation,
    necessity_sufficiency,
    observational,
    outcome,
    population,
    selection,
    sequential,
    simpson,
    structure,
    temporal,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Challenge

__all__ = ["CHALLENGES", "FAMILIES"]

MODULES = (
    simpson,
    selection,
    observational,
    effect_estimation,
    outcome,
    necessity_sufficiency,
    mediator_confounding,
    sequential,
    interaction,
    direction,
    structure,
    population,
    temporal,
    moderation,
    domain_shift,
)
"""In the order in which challenges are listed everywhere: family by family."""

CHALLENGES: Mapping[str, Challenge] = {
    module.CHALLENGE.name: module.CHALLENGE for module in MODULES
}

FAMILIES = tuple(dict.fromkeys(challenge.family for challenge in CHALLENGES.values()))
