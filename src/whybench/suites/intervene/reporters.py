"""What the reference agents do where all pairs are asked: how they act, and what they report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.suites.intervene.entailment import Entailed
from whybench.suites.intervene.experimenters import (
    Experimenter,
    Inquiry,
    Intervention,
    exhaust,
    survey,
)
from whybench.suites.intervene.reports import render_report
from whybench.suites.intervene.world import list_pairs

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.intervene.episode import InterveneEpisode

Claim = Callable[[Inquiry, Mapping[tuple[int, int], Entailed], int, int], bool]
"""Says whether one causes another, from what was done and seen and from what that entails."""


@dataclass(frozen=True)
class Reporter:
    """A way of finding out about all pairs, and of not finding out.

    Attributes:
        choose: What it does next; None as soon as it reports.
        claims: Whether it reports that one causes another; it leaves nothing open.
    """

    choose: Experimenter
    claims: Claim


def make_report(episode: InterveneEpisode, says_yes: Callable[[int, int], bool]) -> str:
    """Return the reply that claims something of every pair."""
    case = episode.case
    said: dict[tuple[int, int], Entailed] = {
        (x, y): "yes" if says_yes(x, y) else "no" for x, y in list_pairs(case.world.n)
    }
    return render_report(said, case.names)


def guess_report(episode: InterveneEpisode, rng: np.random.Generator) -> str:
    """Return a report for which a coin is tossed of each pair."""
    return make_report(episode, lambda _x, _y: bool(rng.random() < 0.5))


def _report_at_once(_inquiry: Inquiry) -> None:
    return None


def _act_on_each(inquiry: Inquiry) -> Intervention | None:
    """Act on each entity once, in the order of listing."""
    done = len(inquiry.transitions)
    return inquiry.intervention(done) if done < inquiry.n else None


def _is_found(_inquiry: Inquiry, known: Mapping[Any, Entailed], x: int, y: int) -> bool:
    return known[x, y] == "yes"


def _has_changed(inquiry: Inquiry, _known: object, x: int, y: int) -> bool:
    """Whether the effect changed when the cause was acted on."""
    return any(seen.entity == x and y in seen.before ^ seen.after for seen in inquiry.transitions)


def _is_alike(inquiry: Inquiry, _known: object, x: int, y: int) -> bool:
    """Whether both were in the same state when the effect had been acted on."""
    return any(
        seen.entity == y and (x in seen.after) == (y in seen.after) for seen in inquiry.transitions
    )


REPORTERS: Mapping[str, Reporter] = {
    "controlled": Reporter(survey, _is_found),
    "recipe": Reporter(exhaust, _is_found),
    "always-yes": Reporter(_report_at_once, lambda *_: True),
    "always-no": Reporter(_report_at_once, lambda *_: False),
    "listed-first": Reporter(_report_at_once, lambda _inquiry, _known, x, y: x < y),
    "correlational": Reporter(_act_on_each, _is_alike),
    "single-cause": Reporter(_act_on_each, _has_changed),
}
"""The reference agents by name, but for the one that guesses, and those that are for one pair."""
