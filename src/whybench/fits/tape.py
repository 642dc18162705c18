"""Running a circuit on arrays, without allocating anything on the way.

A tape is what some lines of a circuit rest on, as a list of NumPy calls whose operands and results
are rows of one workspace. A row is given to another result once nothing needs its content any more,
so the workspace stays small enough for the processor's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.fits.circuit import Circuit

__all__ = ["Floats", "Tape"]

Floats: TypeAlias = NDArray[np.float64]

CALLS: dict[str, Any] = {
    "plus": np.add,
    "minus": np.subtract,
    "times": np.multiply,
    "negative": np.negative,
    "inverse": np.reciprocal,
    "exponential": np.exp,
}

NOWHERE = -1
"""Stands for the second operand of a call that has but one."""


class Tape:
    """Computes some lines of a circuit, the outputs, from its leaves.

    Args:
        circuit: Where the lines are.
        leaves: The names of the inputs, in the order of their rows.
        outputs: The lines wanted, in the order of the results' rows.
    """

    def __init__(self, circuit: Circuit, leaves: Sequence[str], outputs: Sequence[int]) -> None:
        self._inputs, self._outputs = len(leaves), len(outputs)
        self._constants: list[Any] = []
        self._rows = 0
        self._workspace: Floats = np.empty((0, 0))
        needed = _needed(circuit, outputs)
        home = self._place_leaves(circuit, leaves, needed)
        self._calls = self._plan(circuit, needed, home, outputs)

    def __len__(self) -> int:
        return len(self._calls)

    def run(self, *inputs: Floats) -> Floats:
        """Return the outputs, (outputs, sets), from inputs stacked to (leaves, sets)."""
        rows: list[Any] = [row for block in inputs for row in block]
        if len(rows) != self._inputs:
            raise ValueError(f"inputs must have {self._inputs} rows, got {len(rows)}")
        sets = inputs[0].shape[1]
        if self._workspace.shape[1] < sets:
            self._workspace = np.empty((self._rows, sets))
        results = np.empty((self._outputs, sets))
        rows.extend(self._constants)
        rows.extend(results)
        rows.extend(self._workspace[:, :sets])
        for call, first, second, result in self._calls:
            if second == NOWHERE:
                call(rows[first], rows[result])
            else:
                call(rows[first], rows[second], rows[result])
        return results

    def _place_leaves(
        self, circuit: Circuit, leaves: Sequence[str], needed: list[int]
    ) -> dict[int, int]:
        """Give inputs and constants their rows: line to row."""
        home = {}
        for line in needed:
            kind, _, value, name = circuit.lines[line]
            if kind == "leaf":
                home[line] = leaves.index(name)
            elif kind == "constant":
                home[line] = self._inputs + len(self._constants)
                # An array without axes: NumPy converts a plain number anew at every call.
                self._constants.append(np.array(value))
        return home

    def _plan(
        self, circuit: Circuit, needed: list[int], home: dict[int, int], outputs: Sequence[int]
    ) -> list[tuple[Any, int, int, int]]:
        """Decide on the calls, and on the row of every result."""
        uses = dict.fromkeys(needed, 0)
        for line in needed:
            for operand in circuit.lines[line].operands:
                uses[operand] += 1
        first_output = self._inputs + len(self._constants)
        first_free = first_output + self._outputs
        final = {line: first_output + k for k, line in reversed(list(enumerate(outputs)))}
        free: list[int] = []
        calls: list[tuple[Any, int, int, int]] = []
        for line in needed:
            kind, operands, *_ = circuit.lines[line]
            if not operands:
                continue
            places = [home[operand] for operand in operands]
            for operand in operands:
                uses[operand] -= 1
            spent = {home[x] for x in operands if not uses[x] and home[x] >= first_free}
            free.extend(sorted(spent))
            if line in final:
                home[line] = final[line]
            elif free:
                home[line] = free.pop()
            else:
                home[line] = first_free + self._rows
                self._rows += 1
            calls.append((CALLS[kind], *(*places, NOWHERE)[:2], home[line]))
        for place, line in enumerate(outputs, first_output):
            if home[line] != place:
                calls.append((np.positive, home[line], NOWHERE, place))
        return calls


def _needed(circuit: Circuit, outputs: Sequence[int]) -> list[int]:
    """Return the lines that the outputs rest on, in order."""
    needed = set(outputs)
    for line in range(len(circuit.lines) - 1, -1, -1):
        if line in needed:
            needed.update(circuit.lines[line].operands)
    return sorted(needed)
