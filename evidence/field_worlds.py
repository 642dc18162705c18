"""A third way to the answers of RLCausal's prompts, which shares nothing with the audit.

Tables are found in the text by one pattern, and weights are whole numbers. A case grows variable by
variable, causes first, with what each variable was and what it is after the intervention. A
selector is drawn when a variable first needs it: where the parents are as they were, the same one
answers twice; where they are not, two do.
"""

from __future__ import annotations

import re
from fractions import Fraction

WHOLE = 600
"""Weights are counted in parts of this: hundredths, shared between two or three values."""


def answer_prompt(text: str) -> tuple[Fraction, ...]:
    """Return the distribution that a prompt asks for."""
    rows = re.findall(r"^P\((\w+)(?: \| (.+?))?\) = \[(.+)\]$", text, flags=re.MULTILINE)
    tables: dict[str, dict[tuple[int, ...], list[int]]] = {}
    parents: dict[str, list[str]] = {}
    for name, given, numbers in rows:
        pairs = [word.split("=") for word in given.split(",")] if given else []
        parents[name] = [parent for parent, _ in pairs]
        tables.setdefault(name, {})[tuple(int(value) for _, value in pairs)] = _weights(numbers)
    asked = re.search(r"marginal distribution of (\w+) given (.+)\?", text)
    if asked is None:
        raise ValueError(f"no question in {text!r}")
    target, given = asked[1], asked[2]
    seen = re.search(r"observed (?:that )?(\w+) ?= ?(\d)", given)
    done = re.search(r"to set (\w+) to (\d)", given)
    order = _needed(parents, [target, *re.findall(r"v\d+", given)])
    cases: dict[tuple[tuple[int, int], ...], int] = {(): 1}
    for name in order:
        places = [order.index(parent) for parent in parents[name]]
        grown: dict[tuple[tuple[int, int], ...], int] = {}
        for case, weight in cases.items():
            was = tuple(case[place][0] for place in places)
            after = tuple(case[place][1] for place in places)
            for value, chance in enumerate(tables[name][was]):
                if seen and name == seen[1] and value != int(seen[2]):
                    continue
                if done and name == done[1]:
                    drawn = {int(done[2]): WHOLE}
                elif was == after:
                    drawn = {value: WHOLE}
                else:
                    drawn = dict(enumerate(tables[name][after]))
                for other, again in drawn.items():
                    if chance and again:
                        grown[(*case, (value, other))] = weight * chance * again
        cases = grown
    place = order.index(target)
    count = len(next(iter(tables[target].values())))
    sums = [sum(w for case, w in cases.items() if case[place][1] == v) for v in range(count)]
    return tuple(Fraction(one, sum(sums)) for one in sums)


def _weights(text: str) -> list[int]:
    """Return a row in parts of the whole; what is missing or too much is shared."""
    cents = [round(100 * float(word)) for word in text.split(",")]
    off = 100 - sum(cents)
    shared = [place for place, cent in enumerate(cents) if cent or off > 0]
    parts = [6 * cent for cent in cents]
    for place in shared:
        parts[place] += 6 * off // len(shared)
    if sum(parts) != WHOLE:
        raise ValueError(f"a row must be shared without rest, got {text}")
    return parts


def _needed(parents: dict[str, list[str]], ends: list[str]) -> list[str]:
    """Return the causes of some variables and these, causes first."""
    order: list[str] = []

    def add(name: str) -> None:
        for parent in parents[name]:
            add(parent)
        if name not in order:
            order.append(name)

    for end in ends:
        add(end)
    return order
