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
- `invalid_answer`: neither yes nor no, no dotted link, or no report that can be followed;
- `out_of_steps`: wanted to act when no action was left, at once;
- `cut_off`: the token limit cut the reply off, at once, since it would cut off another.

The episode is held from an item's columns alone, and does the same on the same replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.contract import Answer
from whybench.suites.intervene.entailment import Transition
from whybench.suites.intervene.experimenters.inquiry import Inquiry, find_entailed
from whybench.suites.intervene.experimenters.survey import find_all_entailed
from whybench.suites.intervene.links.planning import is_settled
from whybench.suites.intervene.prompts import ACTIONS_LEFT
from whybench.suites.intervene.replies import ActionReply, ReportReply, parse_reply, read_link
from whybench.suites.intervene.reports import (
    grade_report,
    pack_report,
    read_report,
    worst_verdict,
)
from whybench.suites.intervene.verdicts import decide_verdict, error_pattern, judge_answer
from whybench.suites.intervene.world import bits_to_state
from whybench.suites.replies import REASK

if TYPE_CHECKING:
    from whybench.suites.contract import Scalar
    from whybench.suites.intervene.case import InterveneCase, Request
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

_LEFT, _BEHIND = ACTIONS_LEFT.split("{left}")
_YES_OR_NO: dict[str, YesOrNo] = {"yes": "yes", "no": "no"}


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
        link: The place of the dotted link that is the answer, if there is one.
        report: What was reported of each pair, if all were asked and there is a report.
    """

    def __init__(self, case: InterveneCase) -> None:
        self.case = case
        self.wants: Request = "act"
        self.path: list[tuple[Action, int, int]] = []
        self.reasks = 0
        self.end = ""
        self.yes_or_no: YesOrNo | None = None
        self.link: int | None = None
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
        turn = parse_reply(reply, self.case.asks == "graph", self.case.synonyms)
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
            if self.case.asks == "links":
                self.link = self._find_link(choice.value)
            elif self.case.asks == "pair":
                self.yes_or_no = _YES_OR_NO.get(choice.value)
            self.end = "answered" if self.yes_or_no or self.link is not None else ""
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

    def _find_link(self, words: str) -> int | None:
        """Return the place of the dotted link that words name; None if they name none."""
        cause, effect = (self.case.entities.get(name) for name in read_link(words))
        dotted = self.case.dotted
        return dotted.index((cause, effect)) if (cause, effect) in dotted else None

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
    def left_open(self) -> int:
        """The dotted links that agree with all that was seen, as bits."""
        states = [self.case.initial, *(state for _, _, state in self.path)]
        return self.case.diagram.possible(states, [(done, entity) for done, entity, _ in self.path])

    @property
    def evidence(self) -> Entailed:
        """What all that was seen entails."""
        return find_entailed(self.inquiry)

    @property
    def answer(self) -> Answer:
        """The answer with its verdict, or the way in which there came to be none."""
        if self.case.asks == "graph":
            return self._grade()
        if self.case.asks == "links":
            return self._grade_link()
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

    def _grade_link(self) -> Answer:
        """Return the dotted link that was named, with its verdict."""
        case, left = self.case, self.left_open
        evidence = case.answers[left.bit_length() - 1] if is_settled(left) else "open"
        said = None if self.link is None else case.answers[self.link]
        return Answer(
            value=None if self.link is None else float(self.link),
            reason="" if said else self.end or "unfinished",
            parts={
                "verdict": judge_answer(said, case.right, evidence),
                "pattern": "",
                "evidence": evidence,
                **self._course,
            },
        )

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
