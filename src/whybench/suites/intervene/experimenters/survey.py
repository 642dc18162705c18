"""The survey: find out of all pairs who causes whom. Nothing known needs fewer steps at worst.

At rest, move the first entity of which something is open. Else hold the first that moves, was not
held since anything was last moved, and is not known to be driven by another that moves. With m of n
entities moving at first this takes at most

| moving | steps |
|---|---|
| 0, 1, 2 | 2n - 1 - m |
| 3 or more | 2n - 3 + m |

`survey_steps` is this number. It is that of the survey in every order of up to five entities, and
`minimax_steps` finds that no experimenter does better in the worst case, with up to four.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from whybench.suites.intervene.entailment import Evidence
from whybench.suites.intervene.experimenters.inquiry import Inquiry, Intervention, list_held
from whybench.suites.intervene.world import list_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.intervene.entailment import Entailed


@lru_cache(maxsize=65536)
def find_all_entailed(inquiry: Inquiry) -> Mapping[tuple[int, int], Entailed]:
    """Return what all that was seen entails of every ordered pair."""
    with Evidence(inquiry.n, inquiry.initial) as evidence:
        for transition in inquiry.transitions:
            evidence.add(transition)
        return {pair: evidence.entails(*pair) for pair in list_pairs(inquiry.n)}


def survey(inquiry: Inquiry) -> Intervention | None:
    """Return the next step of the survey; None once every pair is settled."""
    known, state = find_all_entailed(inquiry), inquiry.state
    doubtful = [x for (x, _), entailed in known.items() if entailed == "open"]
    if not doubtful:
        return None
    if not state:
        return Intervention("move", doubtful[0])
    driven = {y for (x, y), entailed in known.items() if entailed == "yes" and x in state}
    # Among what moves there is an entity that nothing drives, and it was not held: it would rest.
    return Intervention("hold", min(state - driven - list_held(inquiry)))


def survey_steps(n: int, moving: int) -> int:
    """Return how many interventions suffice to settle every pair, whatever the hidden graph."""
    return 2 * n - 1 - moving if moving < 3 else 2 * n - 3 + moving


def exhaust(inquiry: Inquiry) -> Intervention | None:
    """Return the next step of a loop that does not look: bring all to rest, move each by itself."""
    state = inquiry.state
    if state:
        return Intervention("hold", min(state - list_held(inquiry)))
    tried = {seen.entity for seen in inquiry.transitions if seen.action == "move"}
    return next((Intervention("move", v) for v in range(inquiry.n) if v not in tried), None)
