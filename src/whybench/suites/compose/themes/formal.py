"""The formal wording: structural equations, exogenous values and do(X = x), made from a theme.

Names become identifiers, and the count of a node is a function of it, such as `pins(iron_lock)`.
The sentences of a theme become equations and queries, which are rendered and parsed as they are.
"""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING

from whybench.suites.compose.themes.sentences import ComposeTheme, Sentence

if TYPE_CHECKING:
    from whybench.suites.compose.world import Gate


class Equation(Sentence):
    """A sentence in notation: a name keeps its small letter at the beginning."""

    def render(self, **filled: str) -> str:
        """Return the notation with its places filled."""
        return self.text.format_map(filled)


class FormalTheme(ComposeTheme):
    """The notation for a world of gates, in place of the words of a theme."""

    @property
    def rules_heading(self) -> str:
        """The line above the equations."""
        return "Structural equations (1[c] is 1 if c is true and 0 otherwise):"

    @property
    def counts_heading(self) -> str:
        """The line above the exogenous values."""
        return "Exogenous values:"

    def in_sentence(self, name: str) -> str:
        """Return a name as an identifier."""
        return re.sub(r"\W+", "_", name)

    def at_start(self, name: str) -> str:
        """Return a name, which stays the same at the beginning of a line."""
        return name

    def count_text(self, count: int) -> str:
        """Return a count."""
        return str(count)

    def compare(self, have: int, need: int) -> str:
        """Return whether a count is enough."""
        return f"1[{have} >= {need}] = {have >= need:d}"

    def join_parents(self, gate: Gate, parents: list[str]) -> str:  # noqa: ARG002
        """Return the parents of a node as arguments."""
        return ", ".join(parents)

    def split_parents(self, gate: Gate, text: str) -> list[str]:  # noqa: ARG002
        """Return the names in a list of arguments."""
        return text.split(", ")


@cache
def formal_theme(theme: ComposeTheme) -> FormalTheme:
    """Return the notation for the worlds of a theme, whose names and unit it keeps."""
    unit = re.sub(r"\W+", "_", theme.unit[1])
    count = f"1[{unit}({{name}}) >= {{count}}]"
    fixed = "The intervention replaces the equation of {cause} with {cause} := "
    rest = ". All other equations and all exogenous values stay the same."
    values = {entry.name: getattr(theme, entry.name) for entry in fields(theme)} | {
        "setting": (
            "This is an acyclic structural causal model of binary variables (0 or 1). Each "
            f"variable X is a function of {unit}(X), which is an exogenous whole number from 1 to "
            "10, and possibly of other variables. Nothing else affects X."
        ),
        "many": "variables",
        "root_rule": Equation(f"{{name}} := {count}"),
        "or_rule": Equation(f"{{name}} := max({count}, {{parents}})"),
        "and_rule": Equation(f"{{name}} := min({count}, {{parents}})"),
        "count_line": Equation(f"{unit}({{name}}) = {{count}}"),
        "holds": Equation("{name} = 1"),
        "fails": Equation("{name} = 0"),
        "ask": Equation("Is {effect} = 1?"),
        "ask_true": Equation(f"Is {{effect}} = 1 under do({{cause}} = 1)? {fixed}1{rest}"),
        "ask_false": Equation(f"Is {{effect}} = 1 under do({{cause}} = 0)? {fixed}0{rest}"),
    }
    return FormalTheme(**values)
