"""What is asked of an instance: what its challenge asks, or the form of published data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.published.forms import FORMS, PUBLISHED

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.fields import Asking

__all__ = ["asked_of"]


def asked_of(instance: Instance) -> Asking:
    """Return what has the fields that an answer to an instance consists of."""
    asking = FORMS if instance.variant == PUBLISHED else CHALLENGES
    return asking[instance.challenge]
