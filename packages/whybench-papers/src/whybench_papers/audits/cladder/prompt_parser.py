"""CLadder's words to a graph, printed shares and a question, from the text alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.scm import Graph
from whybench_papers.audits.cladder.phrases import State, find_state, list_names, split_states

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPENING = re.compile(r"^Imagine .+? relationships: ")
_ARROWS = re.compile(r"([^.]+?) has a direct effect on ([^.]+)\.")
_HIDDEN = re.compile(r"([^.]+?) is unobserved\.")
_SHARE = re.compile(
    r"For (?P<given>.+?), the probability of (?P<of>.+?) is (?P<share>\d+)%\.\s*"
    r"|The overall probability of (?P<overall>.+?) is (?P<whole>\d+)%\.\s*"
    r"|The probability of (?P<joint>.+?) is (?P<both>\d+)%\.\s*"
)
_METHODS = re.compile(r"Method 1: We look (.+?)\. Method 2: We look (.+?)\.")
_CASES = re.compile(r"at .+ case by case according to (.+)")

_QUESTIONS = {
    "ate": r"Will (?P<x>.+) (?P<sign>increase|decrease) the chance of (?P<y>.+)",
    "ett": r"For (?P<x>.+), would it be (?P<sign>more|less) likely to see (?P<y>.+) (?P<new>if .+)",
    "nde": r"If we disregard the mediation effect through (?P<m>.+), would (?P<xname>.+) "
    r"(?P<sign>positively|negatively) affect (?P<yname>.+)",
    "nie": r"Does (?P<xname>.+) (?P<sign>positively|negatively) affect (?P<yname>.+) through "
    r"(?P<m>.+)",
    "marginal": r"Is (?P<y>.+) (?P<sign>more|less) likely than (?P<other>.+) overall",
    "correlation": r"Is the chance of (?P<y>.+) (?P<sign>larger|smaller) when observing (?P<x>.+)",
    "exp_away": r"If we look at (?P<c>.+), does the chance of (?P<y>.+) "
    r"(?P<sign>increase|decrease) when (?P<x>.+)",
    "collider_bias": r"If we look at (?P<c>.+), does it mean that (?P<x>.+) "
    r"(?P<sign>affects|does not affect) (?P<y>.+)",
    "backadj": r"To understand how (?P<xname>.+) affects (?P<yname>.+), is it more correct to use "
    r"the (?P<sign>Method 1 than Method 2|Method 2 than Method 1)",
    "det-counterfactual": r"Would (?P<y>.+) if (?P<new>.+) instead of (?P<x>.+)",
}
_DOWN = {"decrease", "less", "negatively", "smaller", "does not affect", "Method 2 than Method 1"}


@dataclass(frozen=True)
class CladderWorld:
    """Who may cause whom, and which of them are said to be unobserved."""

    graph: Graph
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PrintedShare:
    """P(all of `event` | all of `given`), in whole percent."""

    event: tuple[State, ...]
    given: tuple[State, ...]
    percent: int


@dataclass(frozen=True)
class CladderQuestion:
    """What is asked.

    Attributes:
        query: CLadder's word for the kind of question.
        cause: The state whose effect is asked about; for the treated, and for rules, the actual.
        effect: The state that is to become more or less likely.
        sign: 1 if the question says more, increase, affects; -1 for their opposites.
        new: The state that is put in the place of `cause`, where one is.
        seen: The state among which we look, where there is one.
        through: The names of the mediators.
    """

    query: str
    cause: State | None
    effect: State
    sign: int
    new: State | None = None
    seen: State | None = None
    through: tuple[str, ...] = ()


def parse_background(text: str) -> CladderWorld:
    """Return the graph that a background tells.

    Raises:
        ValueError: It is not in CLadder's words.
    """
    body = _OPENING.sub("", text)
    arrows = [(_name(cause), _list(effects)) for cause, effects in _ARROWS.findall(body)]
    hidden = [_name(name) for name in _HIDDEN.findall(_ARROWS.sub("", body))]
    if not arrows or _HIDDEN.sub("", _ARROWS.sub("", body)).strip():
        raise ValueError(f"a background must tell arrows, got {text!r}")
    edges = tuple((cause, effect) for cause, effects in arrows for effect in effects)
    return CladderWorld(
        Graph(tuple(dict.fromkeys(n for edge in edges for n in edge)), edges), frozenset(hidden)
    )


def _name(text: str) -> str:
    """Return a name without the capital letter that a sentence begins with."""
    text = text.strip()
    return text if text in list_names() else text[0].lower() + text[1:]


def _list(text: str) -> tuple[str, ...]:
    return tuple(_name(part) for part in re.split(r", and | and |, ", text))


def parse_shares(text: str, names: Sequence[str]) -> tuple[PrintedShare, ...]:
    """Return the shares that a text prints.

    Raises:
        ValueError: It says something else as well.
    """
    if _SHARE.sub("", text).strip():
        raise ValueError(f"a text must print shares only, got {text!r}")
    shares = []
    for found in _SHARE.finditer(text):
        event, _ = split_states(found["of"] or found["overall"] or found["joint"], names)
        given, _ = split_states(found["given"], names) if found["given"] else ((), "")
        percent = int(found["share"] or found["whole"] or found["both"])
        shares.append(PrintedShare(event, given, percent))
    return tuple(shares)


def parse_methods(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what the two methods of a text look at case by case."""
    methods = _METHODS.fullmatch(text)
    if not methods:
        raise ValueError(f"a text must tell two methods, got {text!r}")
    first, second = (_CASES.fullmatch(method) for method in methods.groups())
    return (
        frozenset(_list(first[1]) if first else ()),
        frozenset(_list(second[1]) if second else ()),
    )


def parse_question(text: str, names: Sequence[str]) -> CladderQuestion:
    """Return what a question asks.

    Raises:
        ValueError: It is in none of CLadder's forms.
    """
    for query, form in _QUESTIONS.items():
        if found := re.fullmatch(form + r"\?", text):
            return _make_question(query, found.groupdict(), names)
    raise ValueError(f"a question must have one of CLadder's forms, got {text!r}")


def _make_question(
    query: str, words: dict[str, str | None], names: Sequence[str]
) -> CladderQuestion:
    def state(key: str) -> State | None:
        phrase, name = words.get(key), words.get(f"{key}name")
        if name is not None:
            return _name(name), 1
        return find_state(phrase, names) if phrase is not None else None

    effect, other = state("y"), state("other")
    if effect is None or (other is not None and other != (effect[0], 1 - effect[1])):
        raise ValueError(f"a question must be about one effect, got {words}")
    return CladderQuestion(
        query,
        cause=state("x"),
        effect=effect,
        sign=-1 if words.get("sign") in _DOWN else 1,
        new=state("new"),
        seen=state("c"),
        through=_list(words.get("m") or "") if words.get("m") else (),
    )
