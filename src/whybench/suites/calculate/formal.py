"""The wording `formal`: worlds and questions in the notation of the field, and back.

A world of tables is a causal Bayesian network, given by its conditional probabilities. Any other
world is a structural causal model, whose equations are the lines of `programs` in mathematical
symbols. Y_{X = x} is the value of Y under do(X = x).
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any

from whybench.suites.calculate.programs import UNKNOWN as UNSTATED
from whybench.suites.calculate.programs import (
    name_of,
    parse_number,
    parse_program,
    render_line,
    render_number,
    to_identifier,
)
from whybench.suites.calculate.quantities import EFFECTS, Quantity
from whybench.suites.calculate.world import StatedRule, StatedWorld

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NETWORK = "Causal Bayesian network"
MODEL = "Structural causal model"
OPENING = "{kind} over binary variables (1 = {on}, 0 = {off}): {names}."
SUFFICIENT = "There are no unobserved common causes."
ONLY_PROBABILITIES = (
    "The parents of each variable are the variables on which it is conditioned. The functional form"
    " of each structural equation is unknown."
)
INDEPENDENT = "All Bernoulli{uniform} terms are mutually independent."
UNKNOWN = "? is an unknown constant."
POTENTIAL = "Subscripts are interventions: Y_{X = x} is the value of Y under do(X = x)."
QUESTION = "What is {}?"
NESTED = "Y_{X = x, M_{X = z}} is the value of Y under do(X = x) and M set to M_{X = z}."

_OPENING = re.compile(rf"(?:{NETWORK}|{MODEL}) over .+ \(1 = (\w+), 0 = (\w+)\): (.+)\.")
_SYMBOLS = (
    (" = ", " := "), ("not ", "¬"), (" and ", " ∧ "), (" or ", " ∨ "), (" * ", " · "),
    (" - ", " − "),
)  # fmt: skip
_PROBABILITY = re.compile(r"(?m)^P\((\w+) = 1(?: \| (.+))?\) = (\d\.\d\d|\?)$")


def render_world(world: StatedWorld) -> str:
    """Return a world as conditional probabilities or as structural equations."""
    on, off = world.states
    kinds = {rule.kind for _, rule in world.rules if rule.causes}
    is_network = "table" in kinds
    names = ", ".join(to_identifier(name) for name, _ in world.rules)
    kind = NETWORK if is_network else MODEL
    lines = [OPENING.format(kind=kind, on=on, off=off, names=names), ""]
    for name, rule in world.rules:
        lines += _probabilities(name, rule) if is_network else [_equation(name, rule)]
    uniform = " and Uniform" if "threshold" in kinds else ""
    remarks = [SUFFICIENT, ONLY_PROBABILITIES] if is_network else [
        SUFFICIENT, INDEPENDENT.format(uniform=uniform)]  # fmt: skip
    if world.unstated:
        remarks.append(UNKNOWN)
    return "\n".join([*lines, "", " ".join(remarks)])


def _probabilities(name: str, rule: StatedRule) -> Iterator[str]:
    rows = product((0, 1), repeat=len(rule.causes))
    for row, number in zip(rows, rule.numbers, strict=True):
        given = _facts(zip(rule.causes, row, strict=True))
        condition = given and f" | {given}"
        yield f"P({to_identifier(name)} = 1{condition}) = {_share(render_number(number))}"


def _facts(facts: Any) -> str:
    return ", ".join(f"{to_identifier(name)} = {value}" for name, value in facts)


def _share(percent: str) -> str:
    return percent if percent == UNSTATED else f"{int(percent) / 100:.2f}"


def _percent(share: str) -> str:
    return share if share == UNSTATED else str(round(100 * float(share)))


def _equation(name: str, rule: StatedRule) -> str:
    """Return the line of a program in mathematical symbols."""
    line = render_line(name, rule)
    for code, symbol in _SYMBOLS:
        line = line.replace(code, symbol)
    line = re.sub(r"draw\(1, 100\) <= (.+)", r"1[Uniform{1, …, 100} ≤ \1]", line)
    return re.sub(r"coin\((.+?)\)", lambda coin: f"Bernoulli({_share(coin[1])})", line)


def _code(equations: str) -> str:
    """Return equations as lines of a program."""
    text = re.sub(r"Bernoulli\((.+?)\)", lambda term: f"coin({_percent(term[1])})", equations)
    text = re.sub(r"1\[Uniform\{1, …, 100\} ≤ (.+)\]", r"draw(1, 100) <= \1", text)
    for code, symbol in _SYMBOLS:
        text = text.replace(symbol, code)
    return text


def render_clause(asked: Quantity) -> str:
    """Return a quantity in symbols, without a question mark."""
    x, y = to_identifier(asked.cause), to_identifier(asked.effect)
    set_to, v, given = asked.set_to, asked.value, _facts(asked.given)
    seen = f"{x} = {set_to}" + (f", {given}" if given else "")
    others = f"Let M be the vector of all parents of {y} other than {x}. "
    clauses = {
        "observe": f"P({y} = {v} | {seen})",
        "do": f"P({y} = {v} | do({x} = {set_to}))",
        "ate": f"P({y} = {v} | do({x} = 1)) − P({y} = {v} | do({x} = 0))",
        "ett": f"P({y}_{{{x} = 1}} = {v} | {x} = 1) − P({y}_{{{x} = 0}} = {v} | {x} = 1)",
        "nde": f"P({y}_{{{x} = 1, M_{{{x} = 0}}}} = {v}) − P({y}_{{{x} = 0}} = {v})",
        "nie": f"P({y}_{{{x} = 0, M_{{{x} = 1}}}} = {v}) − P({y}_{{{x} = 0}} = {v})",
        "counterfactual": f"P({y}_{{{x} = {set_to}}} = {v} | {given})",
        "pn": f"the probability of necessity, P({y}_{{{x} = 0}} = 0 | {x} = 1, {y} = 1)",
        "ps": f"the probability of sufficiency, P({y}_{{{x} = 1}} = 1 | {x} = 0, {y} = 0)",
        "pns": "the probability of necessity and sufficiency,"
        f" P({y}_{{{x} = 1}} = 1, {y}_{{{x} = 0}} = 0)",
    }
    unit = ", in percentage points" if asked.query in EFFECTS else ""
    before = others if asked.query in {"nde", "nie"} else ""
    return before + QUESTION.removesuffix("?").format(clauses[asked.query] + unit)


def explain(asked: tuple[Quantity, ...]) -> list[str]:
    """Return what subscripts mean, if there are any."""
    queries = {each.query for each in asked}
    lines = [POTENTIAL] if queries - {"observe", "do", "ate"} else []
    return [" ".join([*lines, NESTED])] if queries & {"nde", "nie"} else lines


def is_formal(prompt: str) -> bool:
    """Return whether a prompt has this wording."""
    return _OPENING.match(prompt) is not None


def parse_world(prompt: str) -> StatedWorld:
    """Return the world of a prompt of this wording."""
    opening = _OPENING.match(prompt)
    if opening is None:
        raise ValueError("a formal prompt must begin with its variables and their states")
    body = prompt.split("\n\n")[1]
    rules = list(_parse_network(body)) if body.startswith("P(") else parse_program(_code(body))
    return StatedWorld((opening[1], opening[2]), tuple(rules))


def _parse_network(body: str) -> Iterator[tuple[str, StatedRule]]:
    rows: dict[str, list[tuple[tuple[str, ...], int | None]]] = {}
    for name, given, share in _PROBABILITY.findall(body):
        causes = tuple(cause for cause, _ in _parse_facts(given))
        rows.setdefault(name_of(name), []).append((causes, parse_number(_percent(share))))
    for name, own in rows.items():
        yield name, StatedRule("table", own[0][0], tuple(number for _, number in own))


def _parse_facts(text: str) -> tuple[tuple[str, int], ...]:
    return tuple((name_of(name), int(value)) for name, value in re.findall(r"(\w+) = ([01])", text))


_CLAUSES = {
    "observe": r"P\((?P<y>\w+) = (?P<v>\d) \| (?P<facts>\w+ = .+)\)",
    "do": r"P\((?P<y>\w+) = (?P<v>\d) \| do\((?P<x>\w+) = (?P<s>\d)\)\)",
    "ate": r"P\((?P<y>\w+) = (?P<v>\d) \| do\((?P<x>\w+) = 1\)\) − P\(.+ do\(.+\)\)",
    "ett": r"P\((?P<y>\w+?)_\{(?P<x>\w+) = 1\} = (?P<v>\d) \| .+\) − P\(.+\)",
    "nde": r"P\((?P<y>\w+?)_\{(?P<x>\w+) = 1, M_.+?\}\} = (?P<v>\d)\) − .+",
    "nie": r"P\((?P<y>\w+?)_\{(?P<x>\w+) = 0, M_.+?\}\} = (?P<v>\d)\) − .+",
    "counterfactual": r"P\((?P<y>\w+?)_\{(?P<x>\w+) = (?P<s>\d)\} = (?P<v>\d) \| (?P<facts>.+)\)",
    "pn": r"the probability of necessity, P\((?P<y>\w+?)_\{(?P<x>\w+) = 0\} .+",
    "ps": r"the probability of sufficiency, P\((?P<y>\w+?)_\{(?P<x>\w+) = 1\} .+",
    "pns": r"the probability of necessity and sufficiency, P\((?P<y>\w+?)_\{(?P<x>\w+) = 1\} .+",
}


def parse_clause(clause: str) -> Quantity:
    """Return the quantity of a question, which has no question mark."""
    symbols = clause.partition(QUESTION.partition("{}")[0])[2].removesuffix(
        ", in percentage points"
    )
    for query, pattern in _CLAUSES.items():
        if found := re.fullmatch(pattern, symbols):
            return _make_quantity(query, found.groupdict())
    raise ValueError(f"a question must be one of {', '.join(_CLAUSES)}, got {clause!r}")


def _make_quantity(query: Any, words: Mapping[str, str]) -> Quantity:
    value, set_to = int(words.get("v", "1")), int(words.get("s", "1"))
    cause = name_of(words.get("x", ""))
    facts = _parse_facts(words.get("facts", ""))
    return Quantity.of_facts(query, cause, name_of(words["y"]), set_to, value, facts)
