"""The procedure that the source spells out in its longest prompt.

Bring cause and effect to rest, stopping whatever else drives them; move the cause; watch the
effect. To bring them to rest, hold the first moving entity of: the cause, the effect, the others
in their order. None is held twice: one that was held in vain is driven, and stops by itself once
its drivers have stopped. The procedure is carried through to its end even if the answer is clear
before; that takes at most one hold for each entity and one move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.intervene.experimenters.inquiry import Intervention

if TYPE_CHECKING:
    from whybench.suites.intervene.experimenters.inquiry import Inquiry

__all__ = ["recipe"]


def recipe(inquiry: Inquiry) -> Intervention | None:
    """Return the next step of the recipe; None when it is done."""
    x, y, state = inquiry.x, inquiry.y, inquiry.state
    if _tested(inquiry):
        return None
    if not state & {x, y}:
        return Intervention("move", x)
    others = (entity for entity in range(inquiry.n) if entity not in (x, y))
    held = _held(inquiry)
    # Among what moves there is an entity that nothing drives, and it was not held: it would rest.
    return Intervention("hold", next(v for v in (x, y, *others) if v in state and v not in held))


def _tested(inquiry: Inquiry) -> bool:
    """Whether the cause was moved while both were at rest, just now."""
    if not inquiry.transitions:
        return False
    last = inquiry.transitions[-1]
    at_rest = not last.before & {inquiry.x, inquiry.y}
    return at_rest and (last.action, last.entity) == ("move", inquiry.x)


def _held(inquiry: Inquiry) -> set[int]:
    """Return what was held since anything was last moved."""
    held = set()
    for transition in reversed(inquiry.transitions):
        if transition.action == "move":
            break
        held.add(transition.entity)
    return held
