"""The judgments of causes that an agent's own other answers imply, in the collider.

A story states no rates, so no judgment is right or wrong. But judgments can belong together. Tasks
I to V state how likely the effect is under each pattern of causes, and how likely each cause is
given the other: that is a whole table of probabilities, whatever its form. From it follows by
Bayes' rule what VI to XI should be: each cause, given the effect and the other cause. Nothing is
assumed about how causes combine or whether they are independent.

**The joint table.** P(C1 | C2) and P(C2 | C1) are four numbers for the three of a joint
distribution. Where they contradict each other, the joint is that to which both together lead:
marginals with p1 = Σ P(C1 | C2) p2 and p2 = Σ P(C2 | C1) p1, and cells that are the mean of the two
products of a conditional and a marginal. Where they agree, it is the joint itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.groups import Group

    Array = NDArray[np.float64]

COLLIDER = "collider"
"""The graph whose tasks I to V make up a whole table."""

GIVEN = (
    *(("I", "both"), ("II", "C1"), ("II", "C2"), ("III", "both")),
    *(("IV", "C1"), ("V", "C1"), ("IV", "C2"), ("V", "C2")),
)
"""Task and cause of the answers that make up the table: the effect given neither cause, the second
alone, the first alone, and both; the first cause given the second and not; the second likewise."""

ASKED = tuple(
    (task, cause) for cause in ("C1", "C2") for task in ("VI", "VII", "VIII", "IX", "X", "XI")
)
"""Task and cause of the judgments that follow from the table."""


def imply(given: Array) -> Array:
    """Return what answers to I to V imply of VI to XI, vignettes x `ASKED`, NaN where nothing.

    Args:
        given: Probabilities, vignettes x `GIVEN`.
    """
    neither, second, first, both, a, b, c, d = given.T
    with np.errstate(divide="ignore", invalid="ignore"):
        p1 = (b + (a - b) * d) / (1 - (a - b) * (c - d))
        p2 = d + (c - d) * p1
        p11 = (a * p2 + c * p1) / 2
        p01 = ((1 - a) * p2 + d * (1 - p1)) / 2
        p10 = (b * (1 - p2) + (1 - c) * p1) / 2
        p00 = ((1 - b) * (1 - p2) + (1 - d) * (1 - p1)) / 2
        columns: list[Array] = []
        # Of the cause that is judged and the other one: each alone, and how likely the effect is.
        for own, other in (((p10, first), (p01, second)), ((p01, second), (p10, first))):
            cells = ((p11, both), own, other, (p00, neither))
            for happened in (True, False):
                with_both, alone, without, with_none = (
                    p * (effect if happened else 1 - effect) for p, effect in cells
                )
                total = with_both + alone + without + with_none
                columns += [
                    with_both / (with_both + without),
                    (with_both + alone) / total,
                    alone / (alone + with_none),
                ]
    return np.stack(columns, axis=1)


def imply_each(group: Group, unit: NDArray[np.intp], units: int) -> Array | None:
    """Return what each unit's answers to I to V imply, units x `ASKED`.

    A missing answer is replaced by the mean of the other units.

    Args:
        group: Answers with the columns `outcome`, `task`, `cause` and `value`.
        unit: The number of each answer's unit.
        units: The number of units.

    Returns:
        The implied judgments; None if a question has no answer in any unit.
    """
    given = fill_in(mean_answers(group, GIVEN, unit, units))
    return None if np.isnan(given).any() else imply(given)


def fill_in(given: Array) -> Array:
    """Return answers, units x questions, each missing one replaced by the mean of the other units.

    A question without an answer in any unit remains NaN.
    """
    known = ~np.isnan(given)
    counts = known.sum(axis=0)
    sums = np.where(known, given, 0.0).sum(axis=0)
    usual = np.divide(sums, counts, out=np.full(counts.size, np.nan), where=counts > 0)
    return np.asarray(np.where(known, given, usual))


def mean_answers(
    group: Group, questions: tuple[tuple[str, str], ...], unit: NDArray[np.intp], units: int
) -> Array:
    """Return the mean answer of each unit to each question, from 0 to 1, NaN where there is none.

    Args:
        group: Answers with the columns `outcome`, `task`, `cause` and `value`.
        questions: Task and cause of each question.
        unit: The number of each answer's unit.
        units: The number of units.
    """
    place = {question: number for number, question in enumerate(questions)}
    asked = zip(group["task"], group["cause"], strict=True)
    number = np.array([place.get(pair, -1) for pair in asked], dtype=int)
    rows = (group["outcome"] == "scored") & (number >= 0)
    cells, weights = (unit[rows], number[rows]), group.weights[rows]
    sums, counts = np.zeros((2, units, len(questions)))
    np.add.at(sums, cells, weights * group["value"][rows] / 100)
    np.add.at(counts, cells, weights)
    means: Array = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means
