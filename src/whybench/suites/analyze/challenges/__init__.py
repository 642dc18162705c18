"""The challenges, by name.

A new one of ours is a module here, a story beside it, and one line below. Those that follow the
source are the core; a harder tier is asked for by name, by its family, or by the design `hard`.

Another package announces its own by an entry point of the group `whybench.challenges` that names
the `Challenge`. These are found when they are asked for by name. They are part of no named design,
nor of `all` or a family, which are to be the same everywhere, whatever else is installed.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from whybench.errors import UserError, suggest
from whybench.suites.analyze.challenges import (
    case_control,
    direction,
    domain_shift,
    effect_estimation,
    instrument,
    interaction,
    m_bias,
    mediator_confounding,
    moderation,
    necessity_sufficiency,
    observational,
    outcome,
    overlap,
    population,
    selection,
    sequential,
    simpson,
    structure,
    temporal,
    unidentified,
)
from whybench.suites.analyze.challenges.contract import Challenge

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHALLENGES", "CORE", "FAMILIES", "HARD", "challenge_names"]

GROUP = "whybench.challenges"

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

HARDER = (overlap, unidentified, m_bias, instrument, case_control)
"""A harder tier beside them, listed last."""


class _Challenges(dict[str, Challenge]):
    """Ours, in their order; those of other packages are looked up when they are asked for."""

    def __missing__(self, name: str) -> Challenge:
        return _announced(name)


def challenge_names() -> tuple[str, ...]:
    """Return the names of all challenges, ours and then those of other packages."""
    return (*CHALLENGES, *sorted({entry.name for entry in entry_points(group=GROUP)}))


@cache
def _announced(name: str) -> Challenge:
    """Return the challenge that another package announces under a name."""
    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in entries:
        raise UserError(
            f"challenge must be among {', '.join(challenge_names())}, got {name!r}; one of your "
            f"own is announced by an installed package (entry points {GROUP})"
            f"{suggest(name, challenge_names())}"
        )
    loaded, where = entries[name].load(), entries[name].value
    if not isinstance(loaded, Challenge) or loaded.name != name or not loaded.story:
        raise UserError(
            f"the entry point {name!r} of {GROUP} must name a Challenge of this name with a story, "
            f"got {getattr(loaded, 'name', loaded)!r} from {where}"
        )
    return loaded


CHALLENGES: Mapping[str, Challenge] = _Challenges(
    {module.CHALLENGE.name: module.CHALLENGE for module in (*MODULES, *HARDER)}
)

CORE = tuple(module.CHALLENGE.name for module in MODULES)
"""The challenges that follow the source: what `all` stands for."""

HARD = tuple(module.CHALLENGE.name for module in HARDER)
"""The harder tier."""

FAMILIES = tuple(dict.fromkeys(challenge.family for challenge in CHALLENGES.values()))
