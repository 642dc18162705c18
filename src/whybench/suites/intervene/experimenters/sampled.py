"""The experimenter that looks one intervention ahead over a pool of random worlds.

It weighs interventions as `greedy` does, and is not bound to five entities: it judges by those
worlds of a fixed pool that agree with all that was seen. They stand for all that agree as long as
there are many of them; later they are few, and in the end there may be none.

The pool therefore advises, and does not decide. A world of the pool that says yes and one that
says no prove together that the question is open. Where no such two are left, the solver of
`entailment` is asked, so there is no answer before the answer is entailed. Where the question is
open and the pool has nothing to say on it, the next step is that of the recipe.

The recipe settles the question from any state in at most n + 1 interventions. Advice is followed
only while these can be afforded afterwards, so 2n interventions always suffice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.intervene.entailment import entailed
from whybench.suites.intervene.experimenters.greedy import uncertainty_left
from whybench.suites.intervene.experimenters.pool import LARGEST, pool
from whybench.suites.intervene.experimenters.recipe import recipe
from whybench.suites.intervene.posets import state_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.intervene.experimenters.inquiry import Inquiry, Intervention
    from whybench.suites.intervene.experimenters.pool import Pool

__all__ = ["sampled"]


def sampled(inquiry: Inquiry) -> Intervention | None:
    """Return the intervention that tells most, judged by a sample; None if the answer is entailed.

    From the first observation on it settles every question in at most 2n interventions.
    """
    if inquiry.n > LARGEST:
        return _by_recipe(inquiry)
    names = sorted(range(inquiry.n), key=lambda entity: entity not in inquiry.initial)
    known = inquiry.renamed(names)
    worlds = pool(known.n, len(known.initial))
    belief = _fitting(worlds, known)
    answers = worlds.causes(known.x, known.y)[belief]
    if answers.all() or not answers.any() or not _can_spare_one(inquiry):
        return _by_recipe(inquiry)
    outcomes = worlds.after(state_bits(known.state), belief)
    telling = np.flatnonzero((outcomes != outcomes[:, :1]).any(axis=1)).tolist()
    if not telling:
        return _by_recipe(inquiry)
    weights = np.ones(len(belief))
    best = min(telling, key=lambda v: (uncertainty_left(outcomes[v], answers, weights), names[v]))
    return inquiry.intervention(names[best])


def _by_recipe(inquiry: Inquiry) -> Intervention | None:
    """Return the next step of the recipe; None if the answer is entailed."""
    found = entailed(inquiry.n, inquiry.transitions, inquiry.x, inquiry.y, inquiry.initial)
    return recipe(inquiry) if found == "open" else None


def _can_spare_one(inquiry: Inquiry) -> bool:
    """Whether after any one intervention the recipe can still be carried through."""
    left = 2 * inquiry.n - len(inquiry.transitions)
    return left > inquiry.n + 1


def _fitting(worlds: Pool, known: Inquiry) -> NDArray[np.intp]:
    """Return the worlds of the pool that agree with all that was seen."""
    belief = np.arange(worlds.below.shape[1])
    for seen in known.transitions:
        # Moving what moves and holding what is still happen alike in all worlds.
        if (seen.action == "hold") == (seen.entity in seen.before):
            outcomes = worlds.after(state_bits(seen.before), belief)[seen.entity]
            belief = belief[outcomes == state_bits(seen.after)]
    return belief
