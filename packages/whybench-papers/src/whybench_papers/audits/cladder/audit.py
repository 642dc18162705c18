"""One item of CLadder: what follows from its prompt, and whether the key agrees."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from whybench_papers.audits.cladder.adjustment import is_adjusted
from whybench_papers.audits.cladder.association import (
    compare_among,
    compare_seen,
    compare_with_half,
)
from whybench_papers.audits.cladder.effects import find_estimate
from whybench_papers.audits.cladder.phrases import UNDIRECTED
from whybench_papers.audits.cladder.prompt_parser import (
    CladderQuestion,
    parse_background,
    parse_methods,
    parse_question,
    parse_shares,
)
from whybench_papers.audits.cladder.ranges import (
    HALF_POINT,
    AmountRange,
    ContradictoryPrintError,
    PrintedShares,
)
from whybench_papers.audits.cladder.rules import is_possible, parse_rules, solve

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from whybench_papers.audits.cladder.prompt_parser import CladderWorld
    from whybench_papers.audits.findings import Verdict

_CORRELATION = re.compile(r"the correlation between .+ is (-?[\d.]+)\.$")


@dataclass(frozen=True)
class CladderJudgment:
    """What follows from a prompt, and what that says about the key."""

    query: str
    recomputed: str
    verdict: Verdict
    reason: str


def judge_item(background: str, given: str, question: str, key: str) -> CladderJudgment:
    """Return the judgment on an item, from the three parts of its prompt and its key.

    Raises:
        ValueError: The prompt is not in CLadder's words.
    """
    world = parse_background(background)
    asked = parse_question(question, world.graph.nodes)
    ways = {
        "backadj": _judge_methods,
        "collider_bias": _judge_collider,
        "det-counterfactual": _judge_rules,
    }
    return ways.get(asked.query, _judge_shares)(world, given, asked, key)


def _settle(
    asked: CladderQuestion, key: str, answer: bool, reason: str, trivial: bool = False
) -> CladderJudgment:
    """Return the judgment where an answer follows."""
    word = "yes" if answer else "no"
    if word != key:
        other = reason.replace(" it", " the other answer", 1)
        return CladderJudgment(asked.query, word, "wrong", other)
    return CladderJudgment(asked.query, word, "trivial" if trivial else "right", reason)


def _judge_shares(
    world: CladderWorld, given: str, asked: CladderQuestion, key: str
) -> CladderJudgment:
    if asked.query in ("nde", "nie") and UNDIRECTED & {
        (asked.cause or asked.effect)[0],
        asked.effect[0],
    }:
        return CladderJudgment(
            asked.query, "yes or no", "undetermined", "positively affects a name without direction"
        )
    try:
        shares = PrintedShares(parse_shares(given, world.graph.nodes))
        find, shortcut, reason = _find_amount(world, asked, shares)
        exact, rounded = find(HALF_POINT * 0), find(HALF_POINT)
    except ContradictoryPrintError:
        return CladderJudgment(
            asked.query, "no model", "undetermined", "the print contradicts itself"
        )
    answer = _answer(rounded, ends=False)
    if answer is not None:
        if answer and key == "no" and rounded.low < HALF_POINT:
            reason = "a small effect counts as none"
        done = _settle(asked, key, answer, reason, shortcut)
        return replace(done, recomputed=f"{done.recomputed}: {_show(rounded)}")
    if _answer(exact) is None:
        reason = "not identified"
    elif exact.low == exact.high == 0:
        reason = "tie"
    else:
        agrees = _answer(exact) == (key == "yes")
        reason = f"rounding, print as it stands {'agrees' if agrees else 'disagrees'}"
    return CladderJudgment(asked.query, f"yes or no: {_show(rounded)}", "undetermined", reason)


def _show(amount: AmountRange) -> str:
    return f"{float(amount.low):+.3f} to {float(amount.high):+.3f}"


def _answer(amount: AmountRange, ends: bool = True) -> bool | None:
    """Return whether an amount is above 0, if all of its range is, or none.

    Where shares are rounded the `ends` of their range are no part of it: 20.5% is printed as 20% or
    as 21%, not as both, so that what is printed as 21% is more than what is printed as 20%.
    """
    if amount.low > 0 or (amount.low == 0 < amount.high and not ends):
        return True
    return False if amount.high <= 0 else None


def _find_amount(
    world: CladderWorld, asked: CladderQuestion, shares: PrintedShares
) -> tuple[Callable[[Fraction], AmountRange], bool, str]:
    """Return the range of what is asked by slack, whether a shortcut gives it, and the reason.

    The answer is yes where the amount is above 0.
    """
    graph, (y, value) = world.graph, asked.effect
    turn = asked.sign * (1 if value else -1)
    if asked.query == "marginal":
        others = [node for node in graph.nodes if node != y and shares.has(y, node)]
        find = partial(compare_with_half, graph, others[0], y, shares)
        return (lambda slack: find(slack).scale(turn)), False, "the printed numbers give it"
    x, state = asked.cause or ("", 0)
    if asked.new is not None and asked.new[1] == state:
        nothing = AmountRange(HALF_POINT * 0, HALF_POINT * 0)
        return (lambda _: nothing), False, "asks for the state that is there already"
    turn *= 1 if state else -1
    if asked.query == "correlation":
        find = partial(compare_seen, graph, x, asked.effect, shares)
        turn *= 1 if value else -1
        independent = graph.d_separated(x, y)
        reason = "the graph gives it" if independent else "the printed numbers give it"
        return (lambda slack: find(slack).scale(turn)), False, reason
    if asked.query == "exp_away":
        among = partial(compare_among, graph, x, y, asked.seen or ("", 0), shares)
        return (lambda slack: among(slack).scale(turn)), False, "the printed numbers give it"
    if asked.query == "ett":
        if not state:
            raise ValueError(f"the treated must be those with {x}")
        turn = -turn
    estimate = find_estimate(asked.query, graph, x, y, shares)
    shortcut = estimate.method == "difference"
    reason = "association read as effect gives it" if shortcut else "the printed numbers give it"
    return (lambda slack: estimate.range_within(slack).scale(turn)), shortcut, reason


def _judge_methods(
    world: CladderWorld, given: str, asked: CladderQuestion, key: str
) -> CladderJudgment:
    x, y = (asked.cause or ("", 0))[0], asked.effect[0]
    methods = parse_methods(given)
    first, second = (is_adjusted(world.graph, x, y, method) for method in methods)
    if first == second:
        reason = f"{'both methods are' if first else 'no method is'} correct"
        return CladderJudgment(asked.query, "yes or no", "undetermined", reason)
    correct = methods[0] if first else methods[1]
    hidden = "the graph gives it, by a variable said to be unobserved"
    reason = hidden if correct & world.hidden else "the graph gives it"
    return _settle(asked, key, first == (asked.sign > 0), reason)


def _judge_collider(
    world: CladderWorld, given: str, asked: CladderQuestion, key: str
) -> CladderJudgment:
    """Judge whether a cause affects an effect, which no number can say and the graph does."""
    x, y = (asked.cause or ("", 0))[0], asked.effect[0]
    affects = y in world.graph.descendants(x)
    correlation = _CORRELATION.search(given)
    if not correlation:
        raise ValueError(f"a text must tell a correlation, got {given!r}")
    shortcut = (float(correlation[1]) != 0) == affects
    reason = "association read as effect gives it" if shortcut else "the graph gives it"
    return _settle(asked, key, affects == (asked.sign > 0), reason, shortcut)


def _judge_rules(
    world: CladderWorld, given: str, asked: CladderQuestion, key: str
) -> CladderJudgment:
    rules, evidence = parse_rules(given, world.graph.nodes)
    told = world.graph, rules, evidence, asked
    chance = solve(*told)
    if chance not in (0, 1):
        return CladderJudgment(asked.query, "yes or no", "undetermined", "not identified")
    reason = "the rules give it"
    if not is_possible(*told):
        reason += ", the state to be replaced cannot be"
    return _settle(asked, key, bool(chance), reason)
