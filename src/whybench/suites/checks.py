"""Check whether the design of a suite is sound.

`whybench validate` runs these checks on the suites of every package. Each check reads the items of
a design, or a sample of them, and yields a problem for each faulty item. A result also has the
number of items, so that a check of nothing is visible.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.prose import find_matches
from whybench.seeds import FEW, digest, generator, item_digest, split_digest
from whybench.suites.agents import MINDS
from whybench.suites.attack_runs import find_stronger
from whybench.suites.laws import LAWS, STYLE_LAWS, LawCase
from whybench.suites.zeros import DIGESTED, MARGIN, MOST_ITEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from whybench.suites.contract import Agent, Design, Item
    from whybench.suites.registry import AnySuite

    _Responder = Callable[[Any, int], str]

SHOWN = 5
WORLD = "prompt gives back the world"
BALANCED = "blocks are balanced"
CUT = "the sample has no whole block; needs --full"
PART = "the sample has no whole design; needs --full"
FAIR = "no constant answer wins"
ZERO = "no attack exceeds the zero"
AGREEMENT = 1e-12
PLACEHOLDER = re.compile(r"\{\w*\}")
"""A placeholder of a template that was not filled; the braces of a JSON object are none."""


@dataclass(frozen=True)
class CheckResult:
    """What one check found on one design.

    Attributes:
        name: What was checked.
        looked_at: How many items (or prompts, or blocks) were looked at.
        problems: How many were wrong.
        examples: The first few, in words.
        note: A figure worth printing beside a pass.
        applies: Whether the check applies to the design at all.
    """

    name: str
    looked_at: int
    problems: int
    examples: tuple[str, ...]
    note: str = ""
    applies: bool = True

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong and, where the check applies, something was looked at."""
        return self.problems == 0 and (self.looked_at > 0 or not self.applies)


@dataclass(frozen=True)
class _Case:
    """All that the checks look at, made once."""

    suite: AnySuite
    design: Design
    items: Sequence[Any]
    prompts: Sequence[str]
    remade: Mapping[str, str]

    @property
    def whole_blocks(self) -> bool:
        """Whether no block of the design is cut."""
        return len(self.items) % self.design.block == 0


def check_design(
    suite: AnySuite,
    design: Design,
    sample: Sequence[Any] | None = None,
    remade: Mapping[str, str] | None = None,
    *,
    whole: bool = False,
) -> Iterator[CheckResult]:
    """Run every check on one design, yielding results as they come.

    Args:
        suite: The suite.
        design: The design.
        sample: The first items of the design, to check these alone; by default all items. Checks
            marked `costly` are left out for a sample, and a cut block is not compared.
        remade: The result of `remake_designs`, if the caller has it.
        whole: Whether the sample has all items. The primary measure of a part can differ.
    """
    items = list(suite.items(design)) if sample is None else list(sample)
    if remade is None:
        remade = remake_designs(suite, {design.name: len(items)})
    case = _Case(suite, design, items, [suite.render(item) for item in items], remade)
    yield from _shared_checks(case, cut=sample is not None and not case.whole_blocks)
    yield from _headline_checks(case, cut=sample is not None and not whole)
    yield _check_zero(case, whole=sample is None or whole)
    yield from _own_checks(case, costly=sample is None)


def _shared_checks(case: _Case, *, cut: bool) -> Iterator[CheckResult]:
    """Run the checks of every suite; a block that the sample has cut is not compared."""
    own_words = case.suite.parses_prompts and any(map(case.suite.is_native_prompt, case.items))
    reasons = {
        BALANCED: CUT if cut else "",
        WORLD: "" if own_words else "not in the suite's own words",
        FAIR: "" if case.suite.is_balanced(case.design) else "the design does not claim to be fair",
    }
    for name, check in _CHECKS.items():
        if why := reasons.get(name):
            yield CheckResult(name, 0, 0, (), why, applies=False)
        else:
            note = _NOTES[name](case) if name in _NOTES else ""
            yield _result(name, len(case.items), check(case), note)


def _headline_checks(case: _Case, *, cut: bool) -> Iterator[CheckResult]:
    """Run the checks of the primary measure, which require the whole design."""
    suite = case.suite
    headline = None
    if not suite.styles and (suite.scale is None or not suite.headline):
        why = "the suite has no scale of its primary measure"
    elif cut:
        why = PART
    else:
        headline = LawCase(suite, case.design, case.items)
        why = "" if headline.has_headline else "the design has no headline, or too few items"
    for name, law in (STYLE_LAWS if suite.styles else LAWS).items():
        if headline is None or why:
            yield CheckResult(name, 0, 0, (), why, applies=False)
        else:
            yield _result(name, len(case.items), law(headline))


def _check_zero(case: _Case, *, whole: bool) -> CheckResult:
    """Check that the items are those of the stored zero, and that no attack exceeds it."""
    suite, design = case.suite, case.design
    zero = suite.zeros.find(design.name) if suite.zeros else None
    if zero is None or design != suite.designs[design.name]:
        return CheckResult(ZERO, 0, 0, (), "no zero is stored for the design", applies=False)
    items = case.items[:MOST_ITEMS]
    problems = list(find_stronger(suite, design, items, zero.value + MARGIN, whole=whole))
    if design_digest(suite, design, DIGESTED) != zero.items:
        problems.append(
            f"the items of {design.name} have changed; run `whybench attack {suite.name} "
            "--write-zeros FILE`"
        )
    return _result(ZERO, len(case.items), problems)


def _own_checks(case: _Case, *, costly: bool) -> Iterator[CheckResult]:
    """Run the checks of this suite."""
    for name, own in case.suite.checks.items():
        if own.costly and not costly:
            yield CheckResult(name, 0, 0, (), "only with --full", applies=False)
        elif selected := own.select(case.items):
            yield _result(name, len(selected), own.problems(selected))
        else:
            yield CheckResult(name, 0, 0, (), "the design has no such items", applies=False)


def _result(name: str, looked_at: int, problems: Iterable[str], note: str = "") -> CheckResult:
    listed = list(problems)
    return CheckResult(name, looked_at, len(listed), tuple(listed[:SHOWN]), note)


def design_digest(suite: AnySuite, design: Design, count: int | None = None) -> str:
    """Return a digest of the first items of a design in order, by default of all."""
    return digest([item.digest for item in islice(suite.items(design), count)]).hex()


def remake_designs(suite: AnySuite, counts: Mapping[str, int]) -> dict[str, str]:
    """Make named designs again in a process with other string hashes, and return their digests.

    Args:
        suite: The suite.
        counts: The number of items by design; names that the suite does not have are ignored.

    Returns:
        The digest of each design, or an error message in place of all.
    """
    known = {name: count for name, count in counts.items() if name in suite.designs}
    if not known:
        return {}
    code = (
        "from whybench.suites.registry import get_suite; "
        "from whybench.suites.checks import design_digest; "
        f"suite = get_suite({suite.name!r}); "
        f"[print(design_digest(suite, suite.designs[name], n)) for name, n in {known!r}.items()]"
    )
    made = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=False,
    )
    digests = made.stdout.split()
    if len(digests) < len(known):
        return dict.fromkeys(known, made.stderr[-300:])
    return dict(zip(known, digests, strict=True))


def _unique_ids(case: _Case) -> Iterator[str]:
    for name, count in Counter(item.id for item in case.items).items():
        if count > 1:
            yield f"{name} occurs {count} times"


def _ids_follow_content(case: _Case) -> Iterator[str]:
    for item, prompt in zip(case.items, case.prompts, strict=True):
        content = prompt if case.suite.prompts_identify else case.suite.identity(item)
        if item.digest != item_digest(case.suite.name, content, item.truth):
            yield f"{item.id} has not the digest of its content and truth"
        _, _, digits = item.id.rpartition("-")
        if len(digits) < FEW or not split_digest(item.digest)[1].startswith(digits):
            yield f"{item.id} does not end with digits of {item.digest}"


def _same_again(case: _Case) -> Iterator[str]:
    """Compare the items with those made again here, and in another process."""
    here = digest([item.digest for item in case.items]).hex()
    if design_digest(case.suite, case.design, len(case.items)) != here:
        yield "making the items twice in one process gives different items"
    there = case.remade.get(case.design.name, here)
    if there != here:
        yield f"another process makes other items: {there}"


def _blocks_balanced(case: _Case) -> Iterator[str]:
    """Compare the levels of each block of items with those of the first one."""
    length = case.design.block
    if len(case.items) % length:
        yield f"{len(case.items)} items are no whole number of blocks of {length}"
    drawn = case.suite.drawn_columns(case.design)
    expected: Counter[tuple[str, object]] | None = None
    for start in range(0, len(case.items), length):
        levels = Counter(
            (factor, level)
            for item in case.items[start : start + length]
            for factor, level in item.factors.items()
            if factor not in drawn
        )
        expected = expected or levels
        if levels != expected:
            yield f"the block at {start} has other levels than the first"


def _factors_declared(case: _Case) -> Iterator[str]:
    for item in case.items:
        kinds = {name: type(value) for name, value in item.factors.items()}
        if kinds != dict(case.suite.columns):
            yield f"{item.id} has factors {kinds}, declared are {dict(case.suite.columns)}"


def _certified(case: _Case) -> Iterator[str]:
    for item in case.items:
        (first, value), (second, other) = item.certificate.derivations
        if first == second or not abs(float(value) - float(other)) <= AGREEMENT:
            yield f"{item.id}: {first} gives {value}, {second} gives {other}"


def _oracle_scores(case: _Case) -> Iterator[str]:
    for item in case.items:
        replies: list[str] = []
        answer = case.suite.converse(item, _record(_oracle(case), replies))
        if not case.suite.is_correct(item, answer):
            yield f"{item.id}: oracle {replies!r} is read as {answer}, truth is {item.truth}"


def _cut_off_is_no_answer(case: _Case) -> Iterator[str]:
    for item in case.items:
        answer = case.suite.converse(item, _oracle(case), truncated=True)
        if answer.outcome != "no_answer":
            yield f"{item.id}: a reply cut off by the token limit is scored"


def _no_words_no_answer(case: _Case) -> Iterator[str]:
    for item in case.items:
        for empty in ("", " \n\t", "…", "I would rather not say."):
            answer = case.suite.converse(item, _always(empty))
            if answer.outcome != "no_answer" or not answer.reason:
                yield f"{item.id}: {empty!r} is read as {answer}"


def _world_from_prompt(case: _Case) -> Iterator[str]:
    for item, prompt in zip(case.items, case.prompts, strict=True):
        if not case.suite.is_native_prompt(item):
            continue
        try:
            world = case.suite.parse_prompt(prompt)
        except ValueError as error:
            yield f"{item.id}: {error}"
            continue
        if world != item.world:
            yield f"{item.id}: the prompt says {world}, the item {item.world}"


def _no_constant_wins(case: _Case) -> Iterator[str]:
    """See whether the same last word would be right on more than half of the items."""
    for reply, _ in Counter(_last_replies(case)).most_common(3):
        right = sum(
            case.suite.is_correct(item, case.suite.converse(item, _always(reply)))
            for item in case.items
        )
        if right > len(case.items) / 2:
            yield f"{reply!r} is right on {right} of {len(case.items)} items"


def _prompts_are_finished(case: _Case) -> Iterator[str]:
    for item, prompt in zip(case.items, case.prompts, strict=True):
        if not case.suite.is_native_prompt(item):
            continue
        flaws = [mark for mark in ("  ", " .", "None") if mark in prompt]
        flaws += PLACEHOLDER.findall(prompt)
        if flaws or prompt != prompt.strip():
            yield f"{item.id}: the prompt holds {flaws or 'blanks at an end'}"


def _prompts_break_no_rule(case: _Case) -> Iterator[str]:
    """Find words in prompts that readers have misunderstood before."""
    for item, prompt in zip(case.items, case.prompts, strict=True):
        if case.suite.is_native_prompt(item):
            for match in find_matches(prompt):
                yield f"{item.id}: {match.words!r}; {match.rule}"


def _agents_are_readable(case: _Case) -> Iterator[str]:
    """Let every agent with expected measures answer every item.

    Each reply must be scored, except those of an agent that never answers. An agent may refuse a
    design for which it has no expected measures.
    """
    for agent in case.suite.agents.values():
        settings = agent.settings({})
        for item in case.items if agent.expected else ():
            replies: list[str] = []
            respond = _record(_as_agent(agent, settings, item), replies)
            try:
                answer = case.suite.converse(item, respond)
            except UserError as error:
                if agent.expected and agent.expected(settings, case.design):
                    yield f"{agent.name} on {item.id}: {error}"
                break
            if (answer.outcome == "scored") != agent.answers:
                why = answer.reason or "scored"
                yield f"{agent.name} on {item.id}: {replies!r} is read as {answer.outcome} ({why})"


def _minds_are_made_of_agents(case: _Case) -> Iterator[str]:
    for mind, (name, settings) in case.suite.minds.items():
        if mind not in MINDS:
            yield f"there is no mind {mind!r}; minds are {', '.join(MINDS)}"
        try:
            case.suite.agent(name).settings(settings)
        except UserError as error:
            yield f"{mind}: {error}"


def _oracle(case: _Case) -> _Responder:
    return lambda context, _: case.suite.oracle(context)


def _always(reply: str) -> _Responder:
    return lambda _, __: reply


def _as_agent(agent: Agent[Any], settings: Mapping[str, Any], item: Item) -> _Responder:
    return lambda context, turn: agent.reply(
        context, settings, generator("check", agent.name, item.digest, turn)
    )


def _record(respond: _Responder, replies: list[str]) -> _Responder:
    """Return what responds alike, and keeps its replies in a list."""

    def recorded(context: Any, turn: int) -> str:
        replies.append(respond(context, turn))
        return replies[-1]

    return recorded


def _last_replies(case: _Case) -> Iterator[str]:
    """Yield the last reply of the oracle to each item."""
    for item in case.items:
        replies: list[str] = []
        case.suite.converse(item, _record(_oracle(case), replies))
        yield replies[-1]


def _prompt_lengths(case: _Case) -> str:
    words = [len(prompt.split()) for prompt in case.prompts] or [0]
    return f"{min(words)}/{median(words):.0f}/{max(words)} words (least/median/most)"


_CHECKS: dict[str, Callable[[_Case], Iterator[str]]] = {
    "ids are unique": _unique_ids,
    "ids follow content and truth": _ids_follow_content,
    "same items again": _same_again,
    BALANCED: _blocks_balanced,
    "factors are declared": _factors_declared,
    "two derivations agree": _certified,
    "oracle passes its own scorer": _oracle_scores,
    "a cut-off reply is no answer": _cut_off_is_no_answer,
    "silence is no answer": _no_words_no_answer,
    WORLD: _world_from_prompt,
    "prompts are finished": _prompts_are_finished,
    "prompts break no rule of prose": _prompts_break_no_rule,
    FAIR: _no_constant_wins,
    "reference agents are readable": _agents_are_readable,
    "minds are made of agents": _minds_are_made_of_agents,
}

_NOTES: dict[str, Callable[[_Case], str]] = {"prompts are finished": _prompt_lengths}
