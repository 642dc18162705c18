"""Arithmetic as data: expressions that share their parts, and their exact derivatives.

A *circuit* is a list of lines, each an operation on earlier lines. Writing a line that is already
there returns its place, so equal parts are computed once; a few rules of arithmetic (x·1 = x,
1 - (1 - x) = x, …) are applied while writing. `slope` writes the derivative of a line by a
parameter, with the rules of differentiation, into the same circuit: the derivative shares parts
with the expression itself, zeros are never computed, and second derivatives are slopes of slopes.

>>> circuit = Circuit()
>>> p, b = circuit.leaf("p"), circuit.leaf("b")
>>> product = circuit.times(p, circuit.complement(b))
>>> circuit.slope(product, b) == circuit.negative(p)
True

`tape` runs circuits on arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Circuit", "Line"]


class Line(NamedTuple):
    """One operation: its kind, the places of its operands, and the value or name of a leaf.

    Kinds: leaf, constant, plus, minus, times, negative, inverse (1/x), exponential.
    """

    kind: str
    operands: tuple[int, ...] = ()
    value: float = 0.0
    name: str = ""


@dataclass
class Circuit:
    """Lines, each written once."""

    lines: list[Line] = field(default_factory=list)
    _place: dict[Line, int] = field(default_factory=dict)
    _slope: dict[tuple[int, int], int] = field(default_factory=dict)

    def _write(self, line: Line) -> int:
        if line not in self._place:
            self._place[line] = len(self.lines)
            self.lines.append(line)
        return self._place[line]

    def leaf(self, name: str) -> int:
        """Write an input."""
        return self._write(Line("leaf", name=name))

    def constant(self, value: float) -> int:
        """Write a number."""
        return self._write(Line("constant", value=float(value)))

    def plus(self, x: int, y: int) -> int:
        """Write x + y."""
        if self._is(x, 0.0):
            return y
        if self._is(y, 0.0):
            return x
        for one, other in ((x, y), (y, x)):
            if self.lines[other].kind == "negative":
                return self.minus(one, self.lines[other].operands[0])
        return self._write(Line("plus", (min(x, y), max(x, y))))

    def minus(self, x: int, y: int) -> int:
        """Write x - y."""
        below = self.lines[y]
        if x == y:
            return self.constant(0.0)
        if self._is(y, 0.0):
            return x
        if self._is(x, 0.0):
            return self.negative(y)
        if below.kind == "negative":
            return self.plus(x, below.operands[0])
        if below.kind == "minus" and below.operands[0] == x:
            return below.operands[1]
        return self._write(Line("minus", (x, y)))

    def times(self, x: int, y: int) -> int:
        """Write x · y."""
        for one, other in ((x, y), (y, x)):
            line = self.lines[one]
            if self._is(one, 0.0):
                return one
            if self._is(one, 1.0):
                return other
            if self._is(one, -1.0):
                return self.negative(other)
            if line.kind == "negative":
                return self.negative(self.times(line.operands[0], other))
        return self._write(Line("times", (min(x, y), max(x, y))))

    def negative(self, x: int) -> int:
        """Write -x."""
        line = self.lines[x]
        if line.kind == "negative":
            return line.operands[0]
        if line.kind == "minus":
            return self.minus(line.operands[1], line.operands[0])
        if line.kind == "constant":
            return self.constant(-line.value)
        return self._write(Line("negative", (x,)))

    def complement(self, x: int) -> int:
        """Write 1 - x."""
        return self.minus(self.constant(1.0), x)

    def quotient(self, x: int, y: int) -> int:
        """Write x / y."""
        return self.times(x, self._write(Line("inverse", (y,))))

    def sigmoid(self, x: int) -> int:
        """Write 1 / (1 + exp(-x))."""
        one = self.constant(1.0)
        power = self._write(Line("exponential", (self.negative(x),)))
        return self.quotient(one, self.plus(one, power))

    def total(self, terms: list[int]) -> int:
        """Write the sum of the terms."""
        result = self.constant(0.0)
        for term in terms:
            result = self.plus(result, term)
        return result

    def slope(self, line: int, by: int) -> int:
        """Write the derivative of a line by an input."""
        if (line, by) not in self._slope:
            operands = self.lines[line].operands
            slopes = [self.slope(operand, by) for operand in operands]
            rule = self._one_operand if len(operands) < 2 else self._two_operands
            self._slope[line, by] = rule(line, by, slopes)
        return self._slope[line, by]

    def _one_operand(self, line: int, by: int, slopes: list[int]) -> int:
        kind = self.lines[line].kind
        if kind in ("leaf", "constant"):
            return self.constant(float(line == by))
        if kind == "negative":
            return self.negative(slopes[0])
        if kind == "exponential":
            return self.times(slopes[0], line)
        return self.negative(self.times(self.times(slopes[0], line), line))

    def _two_operands(self, line: int, by: int, slopes: list[int]) -> int:
        kind, (x, y), *_ = self.lines[line]
        if kind == "plus":
            return self.plus(*slopes)
        if kind == "minus":
            return self.minus(*slopes)
        for place, below in enumerate((y, x)):
            if self.lines[below].kind == "inverse":
                # (a/d)' = (a' - (a/d)·d') / d takes fewer products than the product rule.
                under = self.slope(self.lines[below].operands[0], by)
                change = self.minus(slopes[place], self.times(line, under))
                return self.times(change, below)
        return self.plus(self.times(slopes[0], y), self.times(x, slopes[1]))

    def _is(self, line: int, value: float) -> bool:
        return self.lines[line] == Line("constant", value=value)
