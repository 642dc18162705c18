"""What a series of interventions proves about the question "does x cause y?".

What can be seen of a hidden graph is only which entity reaches which: a strict partial order. The
evidence is the set of all partial orders in which every transition would have happened as it was
observed. If x reaches y in all of them, "yes" is entailed; if in none, "no"; else the question is
open, and an answer is a guess.

There are two ways to find out, and they share no code beyond `Transition`. `Evidence` writes the
observations as clauses over the booleans L(u, w), "u reaches w", and asks a SAT solver; it serves
any number of entities. `posets.consistent` lists all partial orders of up to five entities and
lets each of them act; it serves as the second opinion, and as the hypotheses of the exact
experimenter.

A hold on a static entity and a move of a moving one change nothing in any world, so they prove
nothing. Observations that no world could produce are an error, not an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Literal, Self

from whybench.suites.contract import UserError
from whybench.suites.intervene.world import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from whybench.suites.intervene.world import Action, State

Entailed = Literal["yes", "no", "open"]


class ImpossibleEvidenceError(ValueError):
    """No world, whatever its graph, could have produced these observations."""


@dataclass(frozen=True)
class Transition:
    """One intervention and what was seen before and after it.

    Attributes:
        before: The entities that moved before.
        action: What was done.
        entity: To which entity.
        after: The entities that move afterwards.
    """

    before: State
    action: Action
    entity: int
    after: State


class Evidence:
    """Observations in one world of n entities, and what they entail.

    Use it in a `with` statement, or call `close`, to free the solver.

    Args:
        n: How many entities there are, numbered from 0.
        initial: The first observed state, if one was observed before any intervention.
    """

    def __init__(self, n: int, initial: State | None = None) -> None:
        if n < 2:
            raise ValueError(f"n must be at least 2, got {n}")
        self.n = n
        self._solver = import_solver()(name="minisat22", bootstrap_with=_order_clauses(n))
        if initial is not None:
            check_entities(n, initial)
            self._tell(_closed(n, initial))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the solver; nothing can be added or asked afterwards."""
        self._solver.delete()

    def add(self, transition: Transition) -> None:
        """Add one observed transition."""
        check_transition(self.n, transition)
        self._tell(_transition_clauses(self.n, transition))

    def entails(self, x: int, y: int) -> Entailed:
        """Say whether all that was observed settles if x causes y.

        Raises:
            ImpossibleEvidenceError: If no world agrees with the observations.
        """
        check_pair(self.n, x, y)
        cause = _literal(self.n, x, y)
        can_be_yes = bool(self._solver.solve(assumptions=[cause]))
        can_be_no = bool(self._solver.solve(assumptions=[-cause]))
        return conclude(can_be_yes, can_be_no)

    def _tell(self, clauses: Iterable[list[int]]) -> None:
        for clause in clauses:
            self._solver.add_clause(clause)


def decide_entailment(
    n: int, transitions: Iterable[Transition], x: int, y: int, initial: State | None = None
) -> Entailed:
    """Say whether the transitions settle if x causes y, by asking a SAT solver.

    Args:
        n: How many entities there are, numbered from 0.
        transitions: What was done and seen; the order does not matter.
        x: The cause in question.
        y: The effect in question.
        initial: The first observed state; it matters where there is no transition.

    Raises:
        ImpossibleEvidenceError: If no world agrees with the observations.
    """
    with Evidence(n, initial) as evidence:
        for transition in transitions:
            evidence.add(transition)
        return evidence.entails(x, y)


def import_solver() -> type:
    """Return the SAT solver, or say how to install it."""
    try:
        from pysat.solvers import Solver  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        raise UserError(
            "deciding what evidence entails needs python-sat: pip install 'whybench[intervene]'"
        ) from None
    return Solver  # type: ignore[no-any-return]


def conclude(can_be_yes: bool, can_be_no: bool) -> Entailed:
    """Say what follows if some consistent order says yes, and some no."""
    if can_be_yes and can_be_no:
        return "open"
    if not (can_be_yes or can_be_no):
        raise ImpossibleEvidenceError("no world could have produced these observations")
    return "yes" if can_be_yes else "no"


def check_pair(n: int, x: int, y: int) -> None:
    """Refuse a question that is not about two entities that are there."""
    if x == y or not {x, y} <= set(range(n)):
        raise ValueError(f"x and y must be two entities from 0 to {n - 1}, got {x} and {y}")


def check_entities(n: int, named: State) -> None:
    """Refuse entities that are not there."""
    if not named <= set(range(n)):
        raise ValueError(f"entities must be numbers from 0 to {n - 1}, got {sorted(named)}")


def check_transition(n: int, transition: Transition) -> None:
    """Refuse a transition that names what is not there."""
    check_entities(n, transition.before | transition.after | {transition.entity})
    if transition.action not in ACTIONS:
        raise ValueError(f"action must be one of {', '.join(ACTIONS)}, got {transition.action!r}")


def _literal(n: int, u: int, w: int) -> int:
    """Return the variable of L(u, w)."""
    return 1 + u * n + w


@cache
def _order_clauses(n: int) -> list[list[int]]:
    """L is a strict partial order: antisymmetric and transitive."""
    pairs = permutations(range(n), 2)
    antisymmetric = [[-_literal(n, u, w), -_literal(n, w, u)] for u, w in pairs if u < w]
    transitive = [
        [-_literal(n, u, v), -_literal(n, v, w), _literal(n, u, w)]
        for u, v, w in permutations(range(n), 3)
    ]
    return antisymmetric + transitive


def _closed(n: int, state: State) -> Iterator[list[int]]:
    """What moves moves everything that it reaches."""
    return ([-_literal(n, u, w)] for u in state for w in range(n) if w not in state)


def _transition_clauses(n: int, transition: Transition) -> Iterator[list[int]]:
    before, after, v = transition.before, transition.after, transition.entity
    yield from _closed(n, before)
    yield from _closed(n, after)
    idle = (v in before) == (transition.action == "move")
    if idle:
        if before != after:
            yield []
    elif transition.action == "move":
        yield from _move_clauses(n, v, before, after)
    elif before == after:
        yield [_literal(n, u, v) for u in before - {v}]
    else:
        yield from _hold_clauses(n, v, before, after)


def _move_clauses(n: int, v: int, before: State, after: State) -> Iterator[list[int]]:
    if not before | {v} <= after:
        yield []
    # That v does not reach what is still static follows from `after` being closed.
    yield from ([_literal(n, v, w)] for w in after - before - {v})


def _hold_clauses(n: int, v: int, before: State, after: State) -> Iterator[list[int]]:
    if not after <= before - {v}:
        yield []
    # That nothing moving drives v follows: `after` is closed, and v drives the others that stopped.
    yield from ([_literal(n, v, w)] for w in before - after - {v})
    for w in after:
        others = [_literal(n, u, w) for u in after - {w}]
        yield [-_literal(n, v, w), *others]
