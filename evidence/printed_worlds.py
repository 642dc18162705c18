"""A second reading and a second calculation of calculate's prompts, without the suite's code.

Rules are read from the printed words, and quantities are computed by another way than the engines:
the variables are gone through in their order, and a table keeps the chance of every combination of
what holds in one world, or in two at once, of the variables that are still asked about. Two worlds
share coins and draws, so that the chances of a variable in both follow from its rule: neither holds
if no coin falls that is active in either world; both hold if the draw is within the lesser score.

What is not told is tried: other numbers than the suite tries, and for tables a draw that all rows
share against one that rows with an odd number of present causes use the other way round.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CANNOT = 1000.0
TRIED = (Fraction(1, 100), Fraction(3, 10), Fraction(13, 20), Fraction(99, 100))
NAME = r"the [^|:;,.()?]+?"
Facts = dict[str, int]


@dataclass
class PrintedRule:
    """A rule as it is printed: its kind, and under which facts which number holds."""

    kind: str
    rows: list[tuple[Facts, str]]


@dataclass
class PrintedWorld:
    """What a prompt prints: rules by name, in their order, and the number for question marks."""

    on: str
    off: str
    rules: dict[str, PrintedRule]
    unknown: Fraction = TRIED[0]
    turned: bool = False

    def number(self, printed: str) -> Fraction:
        """Return a printed number as a share."""
        if "?" in printed:
            return self.unknown
        return Fraction(int(printed.replace("%", "").replace("+", "")), 100)

    def holds_in_none(self, rule: PrintedRule, seen: Sequence[Facts]) -> Fraction:
        """Return the chance that no coin falls which is active in one of the worlds."""
        return prod(
            (1 - self.number(printed) for facts, printed in rule.rows
             if any(facts.items() <= world.items() for world in seen)),
            start=Fraction(1),
        )  # fmt: skip

    def score(self, rule: PrintedRule, seen: Facts) -> Fraction:
        """Return the share of draws with which a variable holds; of a table, its only row's."""
        active = [self.number(p) for facts, p in rule.rows if facts.items() <= seen.items()]
        return min(max(sum(active, Fraction(0)), Fraction(0)), Fraction(1))

    def chance(self, name: str, values: Sequence[int], seen: Sequence[Facts]) -> Fraction:
        """Return the chance that a variable has these values in as many worlds."""
        rule = self.rules[name]
        if rule.kind in {"makes on", "makes off"}:
            quiet = 0 if rule.kind == "makes on" else 1
            none = [self.holds_in_none(rule, [world]) for world in seen]
            both = self.holds_in_none(rule, seen)
            return _joint(values, none, both, quiet)
        scores = [self.score(rule, world) for world in seen]
        both = min(scores)
        if self.turned and rule.kind == "table" and len(seen) == 2:
            causes = set(rule.rows[0][0])
            odd = [sum(world[cause] for cause in causes) % 2 for world in seen]
            if odd[0] != odd[1]:
                both = max(scores[0] + scores[1] - 1, Fraction(0))
        return _joint(values, scores, both, 1)

    def causes(self, name: str) -> set[str]:
        """Return the variables that a rule asks about."""
        return {cause for facts, _ in self.rules[name].rows for cause in facts}

    def upstream(self, names: set[str]) -> set[str]:
        """Return these variables, and all that they may depend on."""
        found = set(names)
        for name in reversed(self.rules):  # causes are printed first
            if name in found:
                found |= self.causes(name)
        return found

    def spread(
        self, settings: Sequence[Facts], kept: set[str]
    ) -> Iterator[tuple[list[Facts], Fraction]]:
        """Yield all that kept variables may be, in one world or in two at once, with its chance.

        What no later rule asks about, and is not kept, is summed out on the way.
        """
        table: dict[tuple[tuple[int, ...], ...], Fraction] = {tuple(() for _ in settings): _ONE}
        matter = self.upstream(kept)
        order = [name for name in self.rules if name in matter]
        names: list[str] = []
        for number, name in enumerate(order):
            asked = set().union(*(self.causes(later) for later in order[number + 1 :]))
            left = [each for each in (*names, name) if each in kept or each in asked]
            longer: dict[tuple[tuple[int, ...], ...], Fraction] = {}
            free = [place for place, setting in enumerate(settings) if name not in setting]
            for state, weight in table.items():
                seen = [dict(zip(names, world, strict=True)) for world in state]
                for values in product((0, 1), repeat=len(free)):
                    chance = self.chance(name, values, [seen[p] for p in free]) if free else _ONE
                    if chance:
                        drawn = dict(zip(free, values, strict=True))
                        key = tuple(
                            tuple(
                                ({**world, name: drawn.get(place, settings[place].get(name, 0))})[
                                    each
                                ]
                                for each in left
                            )
                            for place, world in enumerate(seen)
                        )
                        longer[key] = longer.get(key, Fraction(0)) + weight * chance
            table, names = longer, left
        for state, weight in table.items():
            yield [dict(zip(names, world, strict=True)) for world in state], weight

    def share(self, settings: Sequence[Facts], wanted: Sequence[Facts], known: Facts) -> Fraction:
        """Return the chance of facts in each of the worlds, given facts of the first.

        Raises:
            ZeroDivisionError: What is given cannot be.
        """
        kept = set(known).union(*wanted)
        hit = base = Fraction(0)
        for worlds, weight in self.spread(settings, kept):
            if known.items() <= worlds[0].items():
                base += weight
                pairs = zip(wanted, worlds, strict=True)
                if all(facts.items() <= world.items() for facts, world in pairs):
                    hit += weight
        return hit / base


_ONE = Fraction(1)


def _joint(
    values: Sequence[int], single: Sequence[Fraction], both: Fraction, value: int
) -> Fraction:
    """Return a chance, from those that a variable has one value, in each world and in both."""
    same = [each == value for each in values]
    if len(values) == 1:
        return single[0] if same[0] else 1 - single[0]
    if all(same):
        return both
    if not any(same):
        return 1 - single[0] - single[1] + both
    return single[same.index(True)] - both


def read_world(prompt: str) -> PrintedWorld:
    """Return what a prompt prints of its world."""
    if formal := re.match(r".+ \(1 = (\w+), 0 = (\w+)\): ", prompt):
        on, off = formal.groups()
        return PrintedWorld(on, off, _read_formal(prompt.split("\n\n")[1]))
    on, off = re.search(r"each of them is (\w+) or (\w+)\.", prompt).groups()  # type: ignore[union-attr]
    rules: dict[str, PrintedRule] = {}
    name = ""
    for line in prompt.split("\n"):
        if line.startswith("- "):
            name = re.match(rf"- ({NAME}) is ", line, re.IGNORECASE)[1].lower()  # type: ignore[index]
            rules[name] = PrintedRule(_kind(line, on), list(_read_sentence(line, on)))
        elif re.fullmatch(rf"{NAME} \(.+\)", line):
            name = line.partition(" (")[0]
            rules[name] = PrintedRule(_kind(line, on), [])
        elif found := re.fullmatch(r"(\w+) = (.+)", line):
            rules[_spell(found[1])] = _read_code(found[2])
        elif line.startswith("| ") and re.search(r"[\d?]", line):
            when, printed = line.strip("| ").split(" | ")
            rules[name].rows.append((_read_facts(when, on), printed))
    return PrintedWorld(on, off, rules)


def _read_formal(body: str) -> dict[str, PrintedRule]:
    """Return the rules of conditional probabilities or equations."""
    rules: dict[str, PrintedRule] = {}
    for line in body.split("\n"):
        body = re.sub(r"\b([01])\.(\d\d)\b", lambda share: str(int(share[1] + share[2])), line)
        if found := re.fullmatch(r"P\((\w+) = 1(?: \| (.+))?\) = (\d+|\?)", body):
            rule = rules.setdefault(_spell(found[1]), PrintedRule("table", []))
            rule.rows.append((_read_values(found[2] or ""), found[3]))
            continue
        name, _, code = body.partition(" := ")
        for symbol, word in {
            "Bernoulli": "coin", "1[Uniform{1, …, 100} ≤": "draw <=", "]": "", "·": "*", "−": "-",
            "¬": "not ", "∧": "and", "∨": "or",
        }.items():  # fmt: skip
            code = code.replace(symbol, word)
        rules[_spell(name)] = _read_code(code)
    return rules


def _read_values(words: str) -> Facts:
    return {_spell(name): int(value) for name, value in re.findall(r"(\w+) = ([01])", words)}


def _read_code(code: str) -> PrintedRule:
    """Return the rule of a line of a program."""
    if code.startswith("draw"):
        first, *terms = re.split(r" (?=[-+] )", code.partition("<= ")[2])
        rows: list[tuple[Facts, str]] = [({}, first)]
        for term in terms:
            sign, number, _, cause = term.split(" ")
            rows.append(({_spell(cause): 1}, (sign if number != "?" else "") + number))
        return PrintedRule("draw", rows)
    kind = "makes off" if code.startswith("not (") else "makes on"
    rows = []
    for part in code.removeprefix("not ").split(" or "):
        cause = re.search(r"(not )?(\w+) and", part)
        facts = {_spell(cause[2]): int(not cause[1])} if cause else {}
        rows.append((facts, re.search(r"coin\((.+?)\)", part)[1]))  # type: ignore[index]
    return PrintedRule(kind if any(facts for facts, _ in rows) else "table", rows)


def _spell(identifier: str) -> str:
    return "the " + identifier.replace("_", " ")


def _kind(line: str, on: str) -> str:
    if "lands heads" in line:
        return "makes off" if re.search(rf"{on} unless", line) else "makes on"
    return "draw" if "random number" in line else "table"


def _read_sentence(line: str, on: str) -> Iterator[tuple[Facts, str]]:
    for part in line.split(";"):
        printed = re.findall(r"[-+]?(?:\d+|\?)%?", part)[-1]
        after = part[part.rindex(printed) :]
        yield _read_facts(after.partition(" if ")[2].rstrip(".)"), on), printed


def _read_facts(words: str, on: str) -> Facts:
    found = re.findall(rf"({NAME}) (?:is|was) (\w+)", words.replace(" and the", ", the"))
    return {name: int(state == on) for name, state in found}


def ask(world: PrintedWorld, question: str) -> Fraction:
    """Return the answer to a printed question, as a share."""
    on = world.on

    def find(pattern: str) -> list[str]:
        match = re.search(pattern.replace("NAME", NAME), question)
        assert match, (pattern, question)
        return list(match.groups())

    if question.startswith("What is P(") or "P(" in question:
        return _ask_formal(world, question)
    if "in the same case, the" in question:
        y, x = find(r"case, (NAME) would be \w+ if (NAME) were forced to be")
        return world.share([{x: 1}, {x: 0}], [{y: 1}, {y: 0}], {})
    if question.startswith("In a certain case"):
        known = _read_facts(question.partition(". ")[0].partition(", ")[2], on)
        x, made = find(r"if (NAME) had been forced to be (\w+)")
        y, state = find(r"(?:case,|that is, that) (NAME) would have been (\w+)")
        return world.share([{}, {x: int(made == on)}], [{}, {y: int(state == on)}], known)
    return _ask_present(world, question, find)


def _ask_present(world: PrintedWorld, question: str, find: Callable[[str], list[str]]) -> Fraction:
    """Return the answer to a question that does not begin with a certain case."""
    on = world.on
    y, state = find(r"(?:probability that|points is) (NAME)(?: more likely to be| is) (\w+)")
    target = {y: int(state == on)}
    if "treats" in question:
        x, own = find(r"treats (NAME) as (\w+)\.")
        (base,) = find(r"\(a\) NAME is forced to be (\w+);")
        others = base
        if "(b) as in (a)" not in question:
            (others,) = find(r"\(b\) NAME is forced to be (\w+), but")
        crossed = _crossed(world, target, {x: int(own == on)}, {x: int(others == on)})
        return crossed - world.share([{x: int(base == on)}], [target], {})
    if "without being forced" in question:
        x, seen = find(r"cases in which (NAME) is (\w+) without being forced")
        (made,) = find(r"cases with NAME forced to be (\w+)")
        known = {x: int(seen == on)}
        plain = world.share([{}], [target], known)
        return plain - world.share([{}, {x: int(made == on)}], [{}, target], known)
    forced = re.findall(rf"if ({NAME}) is forced to be (\w+)", question)
    shares = [world.share([{x: int(to == on)}], [target], {}) for x, to in forced]
    if shares:
        return shares[0] - sum(shares[1:])
    return world.share([{}], [target], _read_facts(question.partition("in which ")[2], on))


def _ask_formal(world: PrintedWorld, question: str) -> Fraction:
    """Return the answer to a question in symbols: the difference of its probabilities."""
    terms = re.findall(r"P\(((?:[^()]|\([^()]*\))+)\)", question)
    shares = [_find_probability(world, term) for term in terms]
    return shares[0] - sum(shares[1:])


def _find_probability(world: PrintedWorld, term: str) -> Fraction:
    """Return P(facts, some of them under an intervention | facts)."""
    wanted, _, given = term.partition(" | ")
    if done := re.fullmatch(r"do\((.+)\)", given):
        return world.share([_read_values(done[1])], [_read_values(wanted)], {})
    if nested := re.fullmatch(r"(\w+?)_\{(.+), M_\{(.+)\}\} = ([01])", wanted):
        target = {_spell(nested[1]): int(nested[4])}
        return _crossed(world, target, _read_values(nested[2]), _read_values(nested[3]))
    imagined = re.findall(r"(\w+?)_\{(.+?)\} = ([01])", wanted)
    known = _read_values(given)
    if not imagined:
        return world.share([{}], [_read_values(wanted)], known)
    actual: list[Facts] = [{}] if known else []
    settings = [*actual, *(_read_values(setting) for _, setting, _ in imagined)]
    targets = [*actual, *({_spell(y): int(value)} for y, _, value in imagined)]
    return world.share(settings, targets, known)


def _crossed(world: PrintedWorld, target: Facts, own: Facts, others: Facts) -> Fraction:
    """Return P(target) where the effect sees one value of the cause, and all else another."""
    ((effect, value),) = target.items()
    total = Fraction(0)
    for (seen,), weight in world.spread([others], world.causes(effect)):
        total += weight * world.chance(effect, (value,), [{**seen, **own}])
    return total


def answer_prompt(prompt: str) -> float:
    """Return the answer to a prompt: percent, 1 or 2, or the code of what cannot be computed."""
    world = read_world(prompt)
    questions = re.findall(r"(?m)^(?:Question|First|Second): (.+)\?$", prompt)
    if len(questions) > 1:
        questions = questions[1:]
    untold = any("?" in printed for rule in world.rules.values() for _, printed in rule.rows)
    shares = any(rule.kind == "table" and rule.rows[0][0] for rule in world.rules.values())
    found = []
    for unknown in TRIED if untold else TRIED[:1]:
        for turned in (False, True) if shares else (False,):
            world.unknown, world.turned = unknown, turned
            # A number with which what is known cannot be is not the one that was left out.
            with suppress(ZeroDivisionError):
                found.append(tuple(100 * ask(world, question) for question in questions))
    if len(questions) == 1:
        return float(found[0][0]) if len(set(found)) == 1 else CANNOT
    greater = {1.0 if first > second else 2.0 for first, second in found}
    return greater.pop() if len(greater) == 1 else CANNOT
