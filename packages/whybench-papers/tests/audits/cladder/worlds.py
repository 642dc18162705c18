"""Random worlds told in CLadder's way, and their true answers by adding up every state.

Nothing here is shared with the audit but the words of prompts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = {"X": "rixq", "Y": "xevu", "V1": "swoy", "V2": "zuph", "V3": "muvy"}

SHAPES = {
    "chain": "X->V2,V2->Y",
    "fork": "X->Y,V2->Y",
    "collision": "X->V3,Y->V3",
    "confounding": "V1->X,V1->Y,X->Y",
    "mediation": "X->V2,X->Y,V2->Y",
    "frontdoor": "V1->X,X->V3,V1->Y,V3->Y",
    "IV": "V1->X,V2->X,V1->Y,X->Y",
    "arrowhead": "X->V3,V2->V3,X->Y,V2->Y,V3->Y",
    "diamond": "X->V3,X->V2,V2->Y,V3->Y",
    "diamondcut": "V1->V3,V1->X,X->Y,V3->Y",
}

_SIMPLE = dict.fromkeys(("chain", "fork", "mediation", "diamond", "arrowhead"), "Y|X")

PRINTED = {
    "marginal": dict.fromkeys(SHAPES, "X;Y|X"),
    "correlation": dict.fromkeys(SHAPES, "X;XY"),
    "exp_away": {"collision": "X;Y|X,V3"},
    "ate": {
        **_SIMPLE,
        "confounding": "Y|V1,X;V1",
        "frontdoor": "V3|X;Y|X,V3;X",
        "IV": "Y|V2;X|V2",
        "diamondcut": "Y|V1,X;V1",
    },
    "ett": {
        **_SIMPLE,
        "confounding": "Y|V1,X;V1",
        "frontdoor": "Y|X,V3;V3|X",
        "diamondcut": "Y|X,V3;V3|X",
    },
    "nde": {"mediation": "Y|X,V2;V2|X", "arrowhead": "Y|X,V3;V3|X,V2;V2"},
    "nie": {
        "chain": "Y|X",
        "diamond": "Y|X",
        "mediation": "Y|X,V2;V2|X",
        "frontdoor": "V3|X;Y|X,V3;X",
        "arrowhead": "Y|X,V3;V3|X,V2;V2",
    },
}
"""What CLadder prints for a kind of question and a graph."""

QUESTIONS = {
    "marginal": "Is xevu {more|less} likely than not xevu overall?",
    "correlation": "Is the chance of xevu {larger|smaller} when observing rixq?",
    "exp_away": "If we look at those who are muvy, does the chance of xevu {increase|decrease} "
    "when rixq?",
    "ate": "Will rixq {increase|decrease} the chance of xevu?",
    "ett": "For those who are rixq, would it be {more|less} likely to see xevu if the individual "
    "was not rixq?",
    "nde": "If we disregard the mediation effect through zuph, would rixq {positively|negatively} "
    "affect xevu?",
    "nie": "Does rixq {positively|negatively} affect xevu through zuph?",
}


@dataclass(frozen=True)
class PlainWorld:
    """A shape with a table for each variable: P(1 | parents), parents in the order of the shape."""

    shape: str
    tables: dict[str, tuple[Fraction, ...]]

    @property
    def parents(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for edge in SHAPES[self.shape].split(","):
            cause, effect = edge.split("->")
            found.setdefault(cause, [])
            found.setdefault(effect, []).append(cause)
        return found

    def chance(self, node: str, state: dict[str, int]) -> Fraction:
        index = 0
        for parent in self.parents[node]:
            index = 2 * index + state[parent]
        share = self.tables[node][index]
        return share if state[node] else 1 - share

    def states(self, setting: dict[str, int]) -> Iterator[tuple[dict[str, int], Fraction]]:
        nodes = list(self.parents)
        for values in product((0, 1), repeat=len(nodes)):
            state = dict(zip(nodes, values, strict=True))
            if all(state[node] == value for node, value in setting.items()):
                weight = Fraction(1)
                for node in nodes:
                    weight *= 1 if node in setting else self.chance(node, state)
                yield state, weight

    def probability(
        self,
        event: dict[str, int],
        given: dict[str, int] | None = None,
        setting: dict[str, int] | None = None,
    ) -> Fraction:
        whole = part = Fraction(0)
        for state, weight in self.states(setting or {}):
            if (given or {}).items() <= state.items():
                whole += weight
                part += weight if event.items() <= state.items() else 0
        return part / whole

    def natural(self, direct: int, through: int) -> Fraction:
        total = Fraction(0)
        for state, weight in self.states({"X": through}):
            if state["Y"]:
                without = weight / self.chance("Y", state)
                total += without * self.chance("Y", {**state, "X": direct})
        return total

    def truth(self, query: str) -> Fraction:
        """The quantity that a question compares with 0."""
        y = {"Y": 1}
        if query == "marginal":
            return 2 * self.probability(y) - 1
        if query == "correlation":
            return self.probability(y, {"X": 1}) - self.probability(y, {"X": 0})
        if query == "exp_away":
            return self.probability(y, {"X": 1, "V3": 1}) - self.probability(y, {"V3": 1})
        if query == "ate":
            return self.probability(y, setting={"X": 1}) - self.probability(y, setting={"X": 0})
        if query == "ett":
            roots = [node for node, causes in self.parents.items() if not causes and node != "X"]
            without = Fraction(0)
            for values in product((0, 1), repeat=len(roots)):
                case = dict(zip(roots, values, strict=True))
                kind = self.probability(case, {"X": 1})
                without += kind * self.probability(y, case, {"X": 0})
            return -(self.probability(y, {"X": 1}) - without)
        return self.natural(*((1, 0) if query == "nde" else (0, 1))) - self.natural(0, 0)

    def background(self) -> str:
        lines = []
        for cause in self.parents:
            effects = [NAMES[node] for node, causes in self.parents.items() if cause in causes]
            if effects:
                lines.append(f"{NAMES[cause].title()} has a direct effect on {_join(effects)}.")
        if self.shape in ("IV", "frontdoor"):
            lines.append(f"{NAMES['V1'].title()} is unobserved.")
        opening = (
            "Imagine a self-contained, hypothetical world with only the following conditions, "
        )
        return f"{opening}and without any causal relationships: {' '.join(lines)}"

    def given(self, query: str) -> str:
        lines = []
        for family in PRINTED[query][self.shape].split(";"):
            node, _, given = family.partition("|")
            if node == "XY":
                for value, word in ((0, "not rixq"), (1, "rixq")):
                    share = float(self.probability({"X": value, "Y": 1}))
                    lines.append(f"The probability of {word} and xevu is {share:.0%}.")
                continue
            names = given.split(",") if given else []
            for values in product((0, 1), repeat=len(names)):
                state = dict(zip(names, values, strict=True))
                share = self.probability({node: 1}, state)
                words = " and ".join(
                    f"are {'' if value else 'not '}{NAMES[name]}" for name, value in state.items()
                )
                of = f"probability of {NAMES[node]} is {float(share):.0%}."
                lines.append(f"For those who {words}, the {of}" if words else f"The overall {of}")
        return " ".join(lines)

    def question(self, query: str, positive: bool) -> str:
        first, _, rest = QUESTIONS[query].partition("{")
        words, _, last = rest.partition("}")
        mediator = {"frontdoor": "muvy", "arrowhead": "muvy", "diamond": "zuph and muvy"}
        last = last.replace("zuph", mediator.get(self.shape, "zuph"))
        first = first.replace("zuph", mediator.get(self.shape, "zuph"))
        return first + words.split("|")[0 if positive else 1] + last


def _join(names: list[str]) -> str:
    return " and ".join(names)
