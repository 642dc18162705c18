"""The shortest proof of an answer, found with the hidden graph in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.intervene.experimenters.inquiry import Inquiry
from whybench.suites.intervene.posets import consistent, posets

if TYPE_CHECKING:
    from whybench.suites.intervene.world import State, World

__all__ = ["certificate"]


def certificate(world: World, initial: State, x: int, y: int) -> Inquiry:
    """Return a shortest inquiry in this world after which the answer is entailed.

    Searches breadth first, up to five entities; what leads to a belief and a state that were met
    before is not pursued.
    """
    answers = posets(world.n).causes(x, y)
    queue = [Inquiry(world.n, x, y, initial)]
    met = set()
    for inquiry in queue:
        belief = consistent(world.n, inquiry.transitions, initial)
        if answers[belief].all() or not answers[belief].any():
            return inquiry
        key = belief.tobytes(), inquiry.state
        if key in met:
            continue
        met.add(key)
        for v in range(world.n):
            chosen = inquiry.intervention(v)
            after = world.step(inquiry.state, chosen.action, chosen.entity)
            queue.append(inquiry.then(chosen, after))
    raise RuntimeError("an open question can always be settled, yet the search found no way")
