"""An episode: the agent acts, sees what happens, and answers when it is ready.

    act -> (what is seen) -> next: continue -> act -> ... -> next: answer -> answer

Where all pairs are asked, the answer is a report on each of them (`reports`).

Every action counts, the first too. There are at most 2n; in limited worlds as many as suffice in
the worst case, and no more. An agent that need not be asked may
skip ahead: it may answer, or act again, wherever it was asked how to go on, and it may answer at
once if what it sees at first settles the question. With tools it is never asked how to go on.

After a reply that cannot be followed the agent is asked again; two in a row end the episode, so
every episode ends whatever the replies are. Its end has one of these names, of which the first is
the only one that makes an answer. If two replies ended it, the second decides on the name:

- `answered`;
- `invalid_format`: could not be read;
- `invalid_action`: no such entity, or no such action;
- `invalid_answer`: neither yes nor no, or no report that can be followed;
- `out_of_steps`: wanted to act when no action was left, at once;
- `cut_off`: the token limit cut the reply off, at once, since it would cut off another.

The episode is held from an item's columns alone, and does the same on the same replies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

from whybench.suites.contract import Answer
from whybench.suites.intervene.entailment import Transition
from whybench.suites.intervene.experimenters.inquiry import ALL_PAIRS, Inquiry, find_entailed
from whybench.suites.intervene.experimenters.survey import find_all_entailed
from whybench.suites.intervene.items import ALL, count_allowed
from whybench.suites.intervene.prompts import (
    ACT,
    ACTIONS_LEFT,
    ANSWER,
    NEXT,
    REPORT,
    render_observation,
    state_phrases,
)
from whybench.suites.intervene.replies import (
    NO_SYNONYMS,
    ActionReply,
    ReportReply,
    Synonyms,
    parse_reply,
)
from whybench.suites.intervene.reports import (
    grade_report,
    pack_report,
    read_report,
    worst_verdict,
)
from whybench.suites.intervene.verdicts import decide_verdict, error_pattern
from whybench.suites.intervene.world import ACTIONS, InterveneWorld, bits_to_state
from whybench.suites.replies import REASK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.contract import Scalar
    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.replies import Decision, InterveneReply
    from whybench.suites.intervene.reports import Said
    from whybench.suites.intervene.verdicts import Answer as YesOrNo
    from whybench.suites.intervene.world import Action

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
_YES_OR_NO: dict[str, YesOrNo] = {"yes": "yes", "no": "no"}

Request = Literal["act", "next", "answer"]


@dataclass(frozen=True)
class InterveneCase:
    """What an episode is about: the hidden world, how it begins, what is asked, and the words.

    Attributes:
        world: The hidden world.
        initial: The first state, as bits.
        x: The supposed cause; with y `ALL_PAIRS` where all pairs are asked.
        y: The supposed effect.
        names: What the entities are called.
        words: The verbs for moving and holding, and the states they bring about.
        tools: Whether the agent replies by calling tools.
        worlds: The set of worlds, which decides how many actions are allowed.
        counts_actions: Whether each message states how many actions are left.
        synonyms: Other words for keys and choices that replies may use.
    """

    counts_actions: ClassVar[bool] = True
    synonyms: ClassVar[Synonyms] = NO_SYNONYMS

    world: InterveneWorld
    initial: int
    x: int
    y: int
    names: tuple[str, ...]
    words: tuple[str, ...]
    tools: bool
    worlds: str = ""

    @cached_property
    def limit(self) -> int:
        """The number of actions that are allowed."""
        initial = bits_to_state(self.initial)
        return count_allowed(self.worlds, self.world.n, initial, self.x, self.y)

    @property
    def asks_graph(self) -> bool:
        """Whether who causes whom is asked of all pairs."""
        return (self.x, self.y) == ALL_PAIRS

    @cached_property
    def truth(self) -> bool:
        """Whether x causes y."""
        return self.world.causes(self.x, self.y)

    @cached_property
    def entities(self) -> dict[str, int]:
        """The entities by what they may be called, in lower case."""
        lower = {name.lower(): number for number, name in enumerate(self.names)}
        return {f"the {name}": number for name, number in lower.items()} | lower

    @cached_property
    def actions(self) -> dict[str, Action]:
        """The actions by their verbs, in lower case."""
        return {verb.lower(): action for verb, action in zip(self.words, ACTIONS, strict=False)}

    @cached_property
    def requests(self) -> dict[Request, str]:
        """How the agent is asked for what is wanted."""
        if self.tools:
            act = "Call a tool."
            return {"act": act, "next": act, "answer": "Call the tool answer."}
        act = ACT.format(move=self.words[0], hold=self.words[1])
        answer = REPORT if self.asks_graph else ANSWER
        return {
            "act": f"Reply with {act}.",
            "next": f"Reply with {NEXT}.",
            "answer": f"Reply with {answer}.",
        }

    @cached_property
    def _shown(self) -> tuple[tuple[str, str], ...]:
        return state_phrases(self.names, (self.words[2], self.words[3]))

    @cached_property
    def _seen(self) -> dict[int, str]:
        return {}

    def seen(self, state: int) -> str:
        """Return what is seen in a state; few states come often."""
        text = self._seen.get(state)
        if text is None:
            text = self._seen[state] = render_observation(self._shown, state)
        return text


def parse_case(factors: Mapping[str, Scalar]) -> InterveneCase:
    """Return the case that an item's columns describe."""
    return _make_case(
        *(str(factors[name]) for name in ("graph", "moving", "asked", "names", "words")),
        tools=factors["interface"] == "tools",
        worlds=str(factors.get("worlds", "")),
    )


@lru_cache(maxsize=CACHED)
def _make_case(
    graph: str,
    moving: str,
    asked: str,
    names: str,
    words: str,
    *,
    tools: bool,
    worlds: str,
) -> InterveneCase:
    called = tuple(names.split(","))
    edges = tuple(map(_parse_pair, graph.split()))
    x, y = ALL_PAIRS if asked == ALL else _parse_pair(asked)
    return InterveneCase(
        world=InterveneWorld(len(called), edges),
        initial=sum(1 << int(entity) for entity in moving.split()),
        x=x,
        y=y,
        names=called,
        words=tuple(words.split(",")),
        tools=tools,
        worlds=worlds,
    )


def _parse_pair(text: str) -> tuple[int, int]:
    cause, effect = text.split(">")
    return int(cause), int(effect)


def _name_failure(turn: InterveneReply | None) -> str:
    """Return the end that a reply makes which cannot be followed."""
    if isinstance(turn, ReportReply):
        return "invalid_answer"
    if isinstance(turn, ActionReply):
        return "invalid_action"
    return "invalid_answer" if turn is not None and turn.kind == "answer" else "invalid_format"


class InterveneEpisode:
    """One conversation about one case.

    Attributes:
        case: What it is about.
        wants: What the agent was last asked for.
        path: The actions so far: what was done, to which entity, and the state after it, as bits.
        reasks: How many replies could not be read and were asked for again.
        end: How it ended; empty before.
        yes_or_no: The answer, yes or no, if there is one.
        report: What was reported of each pair, if all were asked and there is a report.
    """

    def __init__(self, case: InterveneCase) -> None:
        self.case = case
        self.wants: Request = "act"
        self.path: list[tuple[Action, int, int]] = []
        self.reasks = 0
        self.end = ""
        self.yes_or_no: YesOrNo | None = None
        self.report: Said | None = None
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
        if truncated:
            self.end = "cut_off"
            return None
        turn = parse_reply(reply, self.case.asks_graph, self.case.synonyms)
        before = self._doubtful
        self._doubtful = False
        if turn is not None:
            response = self._follow(turn)
            if response is not None or self.end:
                return response
        if before:
            self.end = _name_failure(turn)
            return None
        self._doubtful = True
        self.reasks += 1
        return f"{REASK} {self._request()}"

    def _follow(self, turn: InterveneReply) -> str | None:
        """Do as a reply says; None if the episode is over, or if it cannot be followed."""
        if isinstance(turn, ActionReply):
            return self._act(turn)
        if isinstance(turn, ReportReply):
            self.report = read_report(turn, self.case.entities, self.case.world.n)
            self.end = "answered" if self.report else ""
            return None
        return self._choose(turn)

    def _act(self, reply: ActionReply) -> str | None:
        """Do what is said; None if the episode is over, or if it cannot be done."""
        case = self.case
        entity = case.entities.get(reply.entity)
        action = case.actions.get(reply.action)
        if entity is None or action is None:
            return None
        if len(self.path) == case.limit:
            self.end = "out_of_steps"
            return None
        state = case.world.after(self.state, action, entity)
        self.path.append((action, entity, state))
        if not case.counts_actions:
            self.wants = "next"
            return f"{case.seen(state)}\n{self._request()}"
        self.wants = "answer" if not self.left else "act" if case.tools else "next"
        return f"{case.seen(state)} {self._request()}"

    def _choose(self, choice: Decision) -> str | None:
        """Follow a choice; None if the episode is over, or if the choice is none that there is."""
        if choice.kind == "answer":
            self.yes_or_no = None if self.case.asks_graph else _YES_OR_NO.get(choice.value)
            self.end = "answered" if self.yes_or_no else ""
            return None
        if choice.value == "answer" and self.wants != "answer":
            self.wants = "answer"
        elif choice.value == "continue" and self.wants == "next" and self.left:
            self.wants = "act"
        else:
            if choice.value == "continue" and not self.left:
                self.end = "out_of_steps"
            return None
        return self._request()

    def _request(self) -> str:
        """Say what is wanted now."""
        case = self.case
        if not case.counts_actions:
            return case.requests[self.wants]
        return f"{_LEFT}{case.limit - len(self.path)}{_BEHIND} {case.requests[self.wants]}"

    @property
    def inquiry(self) -> Inquiry:
        """All that the agent knows: the question, and what was done and seen."""
        case = self.case
        states = [case.initial, *(after for _, _, after in self.path)]
        seen = tuple(
            Transition(bits_to_state(before), action, entity, bits_to_state(after))
            for before, (action, entity, after) in zip(states, self.path, strict=False)
        )
        return Inquiry(case.world.n, case.x, case.y, bits_to_state(case.initial), seen)

    @property
    def evidence(self) -> Entailed:
        """What all that was seen entails."""
        return find_entailed(self.inquiry)

    @property
    def answer(self) -> Answer:
        """The answer with its verdict, or the way in which there came to be none."""
        if self.case.asks_graph:
            return self._grade()
        inquiry, truth = self.inquiry, self.case.truth
        evidence = find_entailed(inquiry)
        states = [inquiry.initial, *(seen.after for seen in inquiry.transitions)]
        wrong = error_pattern(self.yes_or_no, truth, inquiry.x, inquiry.y, states, evidence)
        return Answer(
            value=None if self.yes_or_no is None else float(self.yes_or_no == "yes"),
            reason="" if self.yes_or_no else self.end or "unfinished",
            parts={
                "verdict": decide_verdict(self.yes_or_no, truth, evidence),
                "pattern": wrong or "",
                "evidence": evidence,
                **self._course,
            },
        )

    @property
    def _course(self) -> dict[str, Scalar]:
        """What was done."""
        return {
            "steps": len(self.path),
            "reasks": self.reasks,
            "path": "; ".join(f"{action} {entity}" for action, entity, _ in self.path),
        }

    def _grade(self) -> Answer:
        """Return the share of pairs of which the report is justified, and all that it rests on."""
        evidence = find_all_entailed(self.inquiry)
        verdicts = grade_report(self.report or {}, self.case.world, evidence)
        justified = sum(verdict == "justified" for verdict in verdicts.values())
        return Answer(
            value=justified / len(verdicts) if verdicts else None,
            reason="" if verdicts else self.end or "unfinished",
            parts={
                "verdict": worst_verdict(verdicts) if verdicts else "no_answer",
                "pattern": "",
                "evidence": pack_report(evidence),
                **self._course,
                "report": pack_report(self.report or {}),
            },
        )
