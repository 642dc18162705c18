"""An episode: the agent acts, sees what happens, and answers when it is ready.

    act -> (what is seen) -> next: continue -> act -> ... -> next: answer -> answer

Every action counts, the first too, and there are at most 2n. An agent that need not be asked may
skip ahead: it may answer, or act again, wherever it was asked how to go on, and it may answer at
once if what it sees at first settles the question. With tools it is never asked how to go on.

A reply that cannot be read is asked for once more; two in a row end the episode, so every episode
ends whatever the replies are. Its end has one of these names, of which the first is the only one
that makes an answer:

- `answered`;
- `invalid_format`: two replies in a row could not be read (`cut_off` if the second was cut off);
- `invalid_action`: no such entity, or no such action;
- `invalid_answer`: neither yes nor no;
- `out_of_steps`: wanted to act when no action was left.

The episode is held from an item's columns alone, and does the same on the same replies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

from whybench.suites.contract import Answer
from whybench.suites.intervene.entailment import Transition, entailed
from whybench.suites.intervene.experimenters.inquiry import Inquiry
from whybench.suites.intervene.patterns import pattern
from whybench.suites.intervene.replies import Act, read_reply
from whybench.suites.intervene.verdicts import verdict
from whybench.suites.intervene.wording import (
    ACT,
    ACTIONS_LEFT,
    ANSWER,
    NEXT,
    REASK,
    observation,
    shown,
)
from whybench.suites.intervene.world import ACTIONS, World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.contract import Scalar
    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.replies import Choice
    from whybench.suites.intervene.verdicts import Answer as YesOrNo
    from whybench.suites.intervene.world import Action, State

__all__ = ["ENDS", "Case", "Episode", "case_of", "entities"]

ENDS = (
    "answered",
    "invalid_format",
    "cut_off",
    "invalid_action",
    "invalid_answer",
    "out_of_steps",
)
"""How an episode may end."""

CACHED = 4096

_LEFT, _BEHIND = ACTIONS_LEFT.split("{left}")
_SAID: dict[str, YesOrNo] = {"yes": "yes", "no": "no"}

Wanted = Literal["act", "next", "answer"]


@dataclass(frozen=True)
class Case:
    """What an episode is about: the hidden world, how it begins, what is asked, and the words.

    Attributes:
        world: The hidden world.
        initial: The first state, as bits.
        x: The supposed cause.
        y: The supposed effect.
        names: What the entities are called.
        words: The verbs for moving and holding, and the states they bring about.
        tools: Whether the agent replies by calling tools.
    """

    world: World
    initial: int
    x: int
    y: int
    names: tuple[str, ...]
    words: tuple[str, ...]
    tools: bool

    @cached_property
    def limit(self) -> int:
        """The number of actions that are allowed."""
        return 2 * self.world.n

    @cached_property
    def truth(self) -> bool:
        """Whether x causes y."""
        return self.world.causes(self.x, self.y)

    @cached_property
    def called(self) -> dict[str, int]:
        """The entities by what they may be called, in lower case."""
        lower = {name.lower(): place for place, name in enumerate(self.names)}
        return {f"the {name}": place for name, place in lower.items()} | lower

    @cached_property
    def actions(self) -> dict[str, Action]:
        """The actions by their verbs, in lower case."""
        return {verb.lower(): action for verb, action in zip(self.words, ACTIONS, strict=False)}

    @cached_property
    def requests(self) -> dict[Wanted, str]:
        """How the agent is asked for what is wanted."""
        if self.tools:
            return dict.fromkeys(("act", "next", "answer"), "Call a tool.")
        act = ACT.format(move=self.words[0], hold=self.words[1])
        return {"act": f"Reply {act}.", "next": f"Reply {NEXT}.", "answer": f"Reply {ANSWER}."}

    @cached_property
    def _shown(self) -> tuple[tuple[str, str], ...]:
        return shown(self.names, (self.words[2], self.words[3]))

    @cached_property
    def _seen(self) -> dict[int, str]:
        return {}

    def seen(self, state: int) -> str:
        """Return what is seen in a state; few states come often."""
        text = self._seen.get(state)
        if text is None:
            text = self._seen[state] = observation(self._shown, state)
        return text


def case_of(factors: Mapping[str, Scalar]) -> Case:
    """Return the case that an item's columns describe."""
    return _case(
        *(str(factors[name]) for name in ("graph", "moving", "asked", "names", "words")),
        tools=factors["interface"] == "tools",
    )


@lru_cache(maxsize=CACHED)
def _case(graph: str, moving: str, asked: str, names: str, words: str, tools: bool) -> Case:
    called = tuple(names.split(","))
    edges = (edge.split(">") for edge in graph.split())
    x, y = map(int, asked.split(">"))
    return Case(
        world=World(len(called), tuple((int(cause), int(effect)) for cause, effect in edges)),
        initial=sum(1 << int(entity) for entity in moving.split()),
        x=x,
        y=y,
        names=called,
        words=tuple(words.split(",")),
        tools=tools,
    )


class Episode:
    """One conversation about one case.

    Attributes:
        case: What it is about.
        wants: What the agent was last asked for.
        path: The actions so far: what was done, to which entity, and the state after it, as bits.
        reasks: How many replies could not be read and were asked for again.
        end: How it ended; empty before.
        said: The answer, yes or no, if there is one.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self.wants: Wanted = "act"
        self.path: list[tuple[Action, int, int]] = []
        self.reasks = 0
        self.end = ""
        self.said: YesOrNo | None = None
        self._doubtful = False

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return bool(self.end)

    @property
    def state(self) -> int:
        """The moving entities, as bits."""
        return self.path[-1][2] if self.path else self.case.initial

    @property
    def left(self) -> int:
        """How many actions are left."""
        return self.case.limit - len(self.path)

    def hear(self, reply: str, truncated: bool) -> str | None:
        """Take in a reply; return what is said to it, or None at the end."""
        if self.end:
            raise ValueError(f"the episode has ended as {self.end}, got another reply")
        heard = None if truncated else read_reply(reply)
        before = self._doubtful
        self._doubtful = False
        if heard is not None:
            said = self._act(heard) if isinstance(heard, Act) else self._choose(heard)
            if said is not None or self.end:
                return said
        if before:
            self.end = "cut_off" if truncated else "invalid_format"
            return None
        self._doubtful = True
        self.reasks += 1
        return f"{REASK} {self._request()}"

    def _act(self, wanted: Act) -> str | None:
        case = self.case
        entity = case.called.get(wanted.entity)
        action = case.actions.get(wanted.action)
        if entity is None or action is None or len(self.path) == case.limit:
            known = entity is not None and action is not None
            self.end = "out_of_steps" if known else "invalid_action"
            return None
        state = case.world.after(self.state, action, entity)
        self.path.append((action, entity, state))
        self.wants = "answer" if not self.left else "act" if case.tools else "next"
        return f"{case.seen(state)} {self._request()}"

    def _choose(self, choice: Choice) -> str | None:
        """Follow a choice; None if the episode is over, or if the choice is none that there is."""
        if choice.kind == "answer":
            self.said = _SAID.get(choice.said)
            self.end = "answered" if self.said else "invalid_answer"
            return None
        if choice.said == "answer" and self.wants != "answer":
            self.wants = "answer"
        elif choice.said == "continue" and self.wants == "next":
            self.wants = "act"
        else:
            if choice.said == "continue" and not self.left:
                self.end = "out_of_steps"
            return None
        return self._request()

    def _request(self) -> str:
        """Say what is wanted now."""
        case = self.case
        return f"{_LEFT}{case.limit - len(self.path)}{_BEHIND} {case.requests[self.wants]}"

    @property
    def inquiry(self) -> Inquiry:
        """All that the agent knows: the question, and what was done and seen."""
        case = self.case
        states = [case.initial, *(after for _, _, after in self.path)]
        seen = tuple(
            Transition(entities(before), action, entity, entities(after))
            for before, (action, entity, after) in zip(states, self.path, strict=False)
        )
        return Inquiry(case.world.n, case.x, case.y, entities(case.initial), seen)

    @property
    def evidence(self) -> Entailed:
        """What all that was seen entails."""
        return _entailed(self.inquiry)

    @property
    def answer(self) -> Answer:
        """The answer with its verdict, or the way in which there came to be none."""
        inquiry, truth = self.inquiry, self.case.truth
        evidence = _entailed(inquiry)
        states = [inquiry.initial, *(seen.after for seen in inquiry.transitions)]
        wrong = pattern(self.said, truth, inquiry.x, inquiry.y, states, evidence)
        return Answer(
            value=None if self.said is None else float(self.said == "yes"),
            reason="" if self.said else self.end or "unfinished",
            parts={
                "verdict": verdict(self.said, truth, evidence),
                "pattern": wrong or "",
                "evidence": evidence,
                "steps": len(self.path),
                "reasks": self.reasks,
                "path": "; ".join(f"{action} {entity}" for action, entity, _ in self.path),
            },
        )


@lru_cache(maxsize=CACHED)
def entities(bits: int) -> State:
    """Return the entities whose bits are set."""
    return frozenset(entity for entity in range(bits.bit_length()) if bits >> entity & 1)


@lru_cache(maxsize=16 * CACHED)
def _entailed(inquiry: Inquiry) -> Entailed:
    return entailed(inquiry.n, inquiry.transitions, inquiry.x, inquiry.y, inquiry.initial)
