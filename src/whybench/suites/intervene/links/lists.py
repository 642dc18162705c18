"""The best score of a list of actions that is fixed in advance.

A step of a list names an entity, and moves it, holds it or toggles it: a toggle holds an entity
that moves now and moves one at rest. After a list, a hypothesis is settled if no other one would
have shown the same states. `settled_sets` finds, for all lists of a length, the largest sets of
hypotheses that one list settles. They make a game between the list and the real link. Its *value*
is the least, over weights on the hypotheses, of the weight of the best set. If the real link is
drawn with these weights, no list settles it with a higher probability, and a script with b ifs,
which follows one of b + 1 lists, settles it with probability (b + 1) times the value at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.intervene.links.planning import is_settled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from whybench.suites.intervene.links.diagram import Diagram

TOTAL = 60
"""The sum to which weights are rounded, nearly."""

SPREAD = 0.3
"""The part of the largest weight that counts as a cost, compared with the value."""

Blocks = tuple[tuple[int, int], ...]
"""Hypotheses that have shown the same states, with the present state, where none is settled."""

VERBS = ("move", "hold", "toggle")


def open_blocks(diagram: Diagram) -> Blocks:
    """Return the blocks before the first action."""
    return ((diagram.every, diagram.initial),)


def list_steps(diagram: Diagram, blocks: Blocks) -> Iterator[tuple[str, int]]:
    """Yield the steps that differ in some block."""
    for entity in range(diagram.n):
        moving = {state >> entity & 1 for _, state in blocks}
        for verb in VERBS if len(moving) == 2 else VERBS[2:]:
            yield verb, entity


def take_step(diagram: Diagram, blocks: Blocks, verb: str, entity: int) -> Blocks:
    """Return the blocks after a step of a list."""
    left: list[tuple[int, int]] = []
    for block, state in blocks:
        idle = verb != "toggle" and (verb == "hold") != bool(state >> entity & 1)
        parts = [(block, state)] if idle else diagram.split(block, state, entity)
        left += [part for part in parts if not is_settled(part[0])]
    return tuple(sorted(left))


def settled_sets(diagram: Diagram, length: int, width: int = 0) -> list[int]:
    """Return the largest sets of hypotheses that one list settles.

    Args:
        diagram: The diagram.
        length: The number of steps of the lists.
        width: How many beginnings of lists to go on with at each step, the ones with the fewest
            open hypotheses; 0 for all of them.
    """
    level = {open_blocks(diagram)}
    for _ in range(length):
        level = {
            take_step(diagram, blocks, *step)
            for blocks in level
            for step in list_steps(diagram, blocks)
        }
        if width:
            level = set(sorted(level, key=rank_blocks)[:width])
    return keep_largest(diagram.every & ~sum(block for block, _ in blocks) for blocks in level)


def rank_blocks(blocks: Blocks) -> tuple[int, Blocks]:
    """Return the rank of a beginning of a list: few open links in many blocks come first."""
    return sum(block.bit_count() for block, _ in blocks) - len(blocks), blocks


def keep_largest(sets: Iterable[int]) -> list[int]:
    """Return the sets that lie in no other one."""
    kept: list[int] = []
    for one in sorted(set(sets), key=lambda found: (-found.bit_count(), found)):
        if not any(one & other == one for other in kept):
            kept.append(one)
    return kept


def solve_game(sets: Sequence[int], count: int) -> tuple[float, NDArray[np.float64]]:
    """Return the least cost of weights in the game between lists and hypotheses, and the weights.

    The cost is the weight of the best set, plus a part of the largest weight. So of weights with
    equal values, those that are spread over more hypotheses are chosen.
    """
    from scipy.optimize import linprog  # noqa: PLC0415  (kept out of the start-up path)

    members = np.array([[one >> k & 1 for k in range(count)] for one in sets], dtype=float)
    rows = np.block(
        [
            [members, -np.ones((len(sets), 1)), np.zeros((len(sets), 1))],
            [np.eye(count), np.zeros((count, 1)), -np.ones((count, 1))],
        ]
    )
    cost = [*[0.0] * count, 1.0, SPREAD]
    once = [[*[1.0] * count, 0.0, 0.0]]
    found = linprog(cost, rows, np.zeros(len(rows)), once, [1.0], method="highs")
    return float(found.fun), found.x[:count]


def round_weights(weights: NDArray[np.float64]) -> tuple[int, ...]:
    """Return weights as whole numbers."""
    return tuple(int(weight) for weight in np.rint(weights * TOTAL))


def best_share(sets: Iterable[int], weights: Sequence[int]) -> float:
    """Return the weight of the best set, as a share of all weights."""
    best = max(sum(w for k, w in enumerate(weights) if one >> k & 1) for one in sets)
    return best / sum(weights)
