"""Read a number, or a statement that there is none, from the clauses of a reply.

A clause is a statement if all of it states that a number is the answer: `85`, `about 85%`,
`Likelihood: 85`, `I would say 85`. A *strict* reader reads nothing but statements: at the end of a
reply, as its first line, or as all of its clauses. Others also read a number behind a label
anywhere, and behind the last equals sign of the last line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from whybench.replies.numbers import (
    PERCENT,
    TOKEN,
    WHOLE,
    ParsedAnswer,
    Percent,
    explain_no_number,
    find_numbers,
    strip_scale,
)
from whybench.replies.reader import Reader, label_pattern
from whybench.replies.words import LONGEST_REFUSAL, RETRACTION, is_refusal

NOUNS = (
    r"answer|likelihood|probability|chance|estimate|estimation|rating|score|response"
    r"|judge?ment|prediction|guess|assessment|result"
)
LONGEST_CLAUSE = 200  # characters; longer lines are prose, and every pattern below stays cheap
MAX_CLAUSES = 8

# Parts of patterns.
_AT = r"at(?! least| most)"
_LINK = rf"(?: ?(?::|=|->|→)| is:?| would be| {_AT}| of| [-–](?= ))"
_MARK_LINK = r"(?: ?(?::|=|->|→)| is(?: therefore| thus| clearly| simply)?:?| must be:?|(?=\n))"
_ABOUT = (
    r"(?:in |by )?(?:(?:about|around|approximately|approx\.?|roughly|circa|maybe|perhaps|probably"
    r"|say) |~ ?)?"
)
_STOP = r"[.!]?"
_NO_MORE = (
    r"(?! or (?:more|less|fewer|higher|lower|above|below)\b)"
    r"(?!,? ?(?:to|or|and|plus|minus|times|[-–±+/×x=^~]) ?(?:about |~)?[-–+]?\.?\d)"
    r" ?[.,;:!)\]]*(?=\s|$)"
)
_CONFIDENCE = (
    r"(?:(?:and|with|my|the|a) ){0,3}(?:confidence|certainty)(?: (?:level|score|rating))?"
    rf"{_LINK}? ?(?P<number>{TOKEN}{WHOLE}){_STOP}"
    rf"|(?:and |with |i am |i'm ){{0,2}}(?P<number2>{TOKEN})(?:{PERCENT})?"
    rf" (?:confidence|confident|certain|certainty|sure){_STOP}"
)
_CLAUSES = r"(?: ?[,;|]|[.!])\s+| \(|(?<=[\d%]) (?:and )?(?=(?:confidence|certainty) ?[:=])"
_SENTENCES = r"(?<=[.!?])\s+"
_LIST_ITEM = r"\d+[.)] "
_EDGES = ("", ".", "!", "?", "\n", "\n\n", ",")
_ENDS_IN_NUMBER = r"(?:\A|\s)\d+[.)]\Z"
_LONE_LINE = r"(?m)^ ?(\d{1,3}(?:\.\d{1,20})?) ?%?\.? ?$"
_ENCLOSED = r"(?:[(\[{'\"] ?)+(.*?)(?: ?[)\]}'\"])+"

LEVEL = Percent()
"""A number from 0 to 100."""


class StatedNumber(NamedTuple):
    """A clause that gives a number or a reason: whether labelled, and whether as the answer."""

    reading: ParsedAnswer
    labelled: bool = False
    is_answer: bool = True


@dataclass(frozen=True)
class NumberReader(Reader):
    """A reader of numbers in percent.

    Attributes:
        number: The number that was asked for; None where any number is of another form.
        words: Patterns of words that are an answer, with their reading.
        nouns: Nouns that label an answer in a clause.
        marks: Nouns that label an answer anywhere, whatever is behind it.
        confidence: Whether clauses may give a confidence, as a second number.
        needs_label: Whether a single number needs a label, since two were asked for.
        strict: Whether only statements are read; see the module.
        rivals: Whether another number behind the answer makes it none.
    """

    several: str = "several_numbers"
    retraction: str = RETRACTION
    number: Percent | None = LEVEL
    words: tuple[tuple[str, ParsedAnswer], ...] = ()
    nouns: str = NOUNS
    marks: str = "answer"
    confidence: bool = False
    needs_label: bool = False
    strict: bool = False
    rivals: bool = True

    @cached_property
    def _value(self) -> str:
        """A pattern of an answer: words or a number."""
        words = "".join(f"(?P<word{i}>{word})|" for i, (word, _) in enumerate(self.words))
        # Atomic: what follows a number is part of it, or else of the text behind it.
        return f"(?>{words}{(self.number or Percent(-100)).pattern})"

    @cached_property
    def _content(self) -> re.Pattern[str]:
        return re.compile(f"{self._value}{_STOP}")

    @cached_property
    def _mark(self) -> re.Pattern[str]:
        label = label_pattern(self.marks)
        return re.compile(rf"(?m)\b{label}{_MARK_LINK} ?\n{{0,3}} ?{_ABOUT}{self._value}{_NO_MORE}")

    @cached_property
    def _lead(self) -> re.Pattern[str]:
        """A pattern of words before the answer of a clause; all of them may be absent."""
        label = label_pattern(self.nouns)
        say = (
            r"i(?: would|'d| will|'ll)? (?:say|estimate|guess|answer|rate|put|judge|go with|assign)"
            rf"(?: (?:it|this|that|{label}))?(?: (?:{_AT}|as|to be|is)|'s)?"
        )
        return re.compile(
            r"(?:(?:so|thus|therefore|hence|overall|finally|in conclusion|in summary|ok|okay|sure"
            r"|out of 100)[,:!.]? )?(?:here(?: is|'s) )?"
            # "Likelihood 85" is plain, but "Answer 2" or "Response 3" may only count answers.
            rf"(?P<label>{label}{_LINK} ?|likelihood |probability |{say} )?"
            rf"(?:it(?: is|'s) |there(?: is|'s) an? )?{_ABOUT}"
        )

    @cached_property
    def _heading(self) -> re.Pattern[str]:
        """A pattern of a line that is only a label."""
        return re.compile(
            rf"(?m)^ ?((?:sure[,!.]? )?(?:here(?: is|'s) )?{label_pattern(self.nouns)}"
            r"|(?:my )?(?:confidence|certainty)(?: level| score)?) ?:?[ \n]*\n ?(?=\S)"
        )

    def _find_marks(self, plain: str) -> list[tuple[re.Match[str], ParsedAnswer]]:
        found = [] if self.strict else self._mark.finditer(plain)
        return [(mark, self._read_match(mark)) for mark in found]

    def _read_match(self, found: re.Match[str]) -> ParsedAnswer:
        for number, (_, reading) in enumerate(self.words):
            if found[f"word{number}"]:
                return reading
        if self.number is None:
            return ParsedAnswer(None, "other_form")
        return self.number.read(found, self.several)

    def read_content(self, plain: str) -> ParsedAnswer:
        """Return the answer of plain text that should be one clause."""
        statement = self.read_clause(plain)
        if statement is None or not statement.is_answer:
            return ParsedAnswer(None, self.find_reason(plain))
        return statement.reading

    def read_clause(self, clause: str) -> StatedNumber | None:
        """Return the statement that a clause in plain words is; None if it is none."""
        clause = _strip_enclosing(clause) if len(clause) <= LONGEST_CLAUSE else ""
        if not clause or re.match(_LIST_ITEM, clause):
            return None
        # A clause of nothing but the scale stays as it is: a range.
        clause = _strip_enclosing(" ".join(strip_scale(clause).split()).lstrip(",: ")) or clause
        if self.confidence and (found := re.fullmatch(_CONFIDENCE, clause)):
            content = found["number"] or found["number2"]
            return StatedNumber(self.read_content(content), labelled=True, is_answer=False)
        lead = self._lead.match(clause)
        label, rest = (lead["label"], clause[lead.end() :]) if lead else (None, clause)
        if found := self._content.fullmatch(rest):
            return StatedNumber(self._read_match(found), labelled=bool(label or found["likely"]))
        reason = explain_no_number(rest)
        return StatedNumber(ParsedAnswer(None, reason), labelled=True) if reason else None

    def find_reason(self, plain: str) -> str:
        """Return why plain words hold no answer."""
        plain = strip_scale(plain)  # whose ends may be called impossible and certain
        if len(plain) <= LONGEST_REFUSAL and is_refusal(plain):
            return "refusal"
        # Digits inside names count too: where there are any, "no number" would say too much.
        numbers = set(re.findall(r"\d+(?:\.\d+)?", plain))
        if len(numbers) > 1:
            return self.several
        return self.nothing or ("unclear" if numbers else "no_number")

    def find_objection(self, after: str, answer: ParsedAnswer) -> str:
        """Return the reason why plain text after a number makes it no answer; empty if not."""
        if re.search(self.retraction, after):
            return "retracted"
        if not self.rivals or answer.value is None:
            return ""
        others = {number for number in find_numbers(after) if number != abs(answer.value)}
        return self.several if others else ""

    def _read_placed(self, plain: str) -> ParsedAnswer:
        plain = self._heading.sub(r"\1: ", plain)
        # Where work is shown, an earlier line is work.
        whole = [] if self.shows_work and "\n" in plain else self._read_all(plain)
        statements = whole or self._read_end(plain) or self._read_start(plain)
        if not statements:
            return ParsedAnswer(None, self.find_reason(plain))
        answers = [statement for statement in statements if statement.is_answer]
        if not answers:
            return ParsedAnswer(None, "only_confidence")
        if len({answer.reading for answer in answers}) > 1:
            return ParsedAnswer(None, self.several)
        alone = len(answers) == len(statements) and not any(each.labelled for each in answers)
        if self.needs_label and alone and answers[-1].reading.value is not None:
            return ParsedAnswer(None, "unlabelled")
        seconds = {each.reading.value for each in statements if not each.is_answer}
        second = seconds.pop() if len(seconds) == 1 else None
        return answers[-1].reading._replace(second=second)

    def _read_all(self, plain: str) -> list[StatedNumber]:
        """Read a reply, or a part of it, all of whose clauses are statements; else nothing."""
        if len(plain) > LONGEST_CLAUSE:
            return []
        lines = [line for line in plain.split("\n") if line.strip()]
        if any(re.match(_LIST_ITEM, line) for line in lines):
            return []  # the number of a list's line is no clause of its own
        found: list[StatedNumber] = []
        for line in lines:
            if statement := self.read_clause(line):
                found.append(statement)
                continue
            first, *more = re.split(_CLAUSES, line)
            # Only the first clause still has its opening bracket: "85 (90% sure)", but not "1)".
            more = [part if "(" in part else part.replace(")", "", 1) for part in more]
            for clause in (first, *more) if 0 < len(more) < MAX_CLAUSES else ("",):
                if not (statement := self.read_clause(clause)):
                    return []
                found.append(statement)
        return found

    def _read_end(self, plain: str) -> list[StatedNumber]:
        """Read an answer at the end of prose, and all statements that may contradict it."""
        above, _, last = plain.rpartition("\n")
        lone = above.endswith(("\n", "\n ")) and above.rstrip(" \n)\"'").endswith((".", "!", "?"))
        equals = max(last.rfind("="), last.rfind(" ~ "))
        result = self.read_clause(last[equals:].lstrip(" =~")) if equals >= 0 else None
        if result and not self.strict:
            return [result]
        found = self._read_all(last)
        if not found:
            *before, last = re.split(_SENTENCES, last[-2 * LONGEST_CLAUSE :])
            # "70. The answer is 80": the number before it may be a list's, or another answer.
            after_number = before and re.search(_ENDS_IN_NUMBER, before[-1])
            found = [] if after_number else self._read_all(last)
            lone = False
        elif self.shows_work:
            lone = True
        answers = [each for each in found if each.is_answer]
        if not answers or not (lone or all(each.labelled for each in answers)):
            return []
        return found if self.shows_work else [*self._find_stated(plain), *found]

    def _read_start(self, plain: str) -> list[StatedNumber]:
        """Read an answer in the first line, if nothing that follows contradicts it."""
        first, _, rest = plain.partition("\n")
        if self.shows_work or not (found := self._read_all(first)):
            return []
        declines = self.strict and is_refusal(rest)
        return [] if declines or self.find_objection(rest, found[-1].reading) else found

    def _find_stated(self, plain: str) -> list[StatedNumber]:
        """List everything in prose that is stated as the answer and has a value."""
        marks = self._mark.finditer(plain)
        stated = (m for m in marks if plain[max(0, m.start() - 2) : m.start()].strip(" ") in _EDGES)
        readings = [self._read_match(mark) for mark in stated]
        readings += [self.read_content(line) for line in set(re.findall(_LONE_LINE, plain))]
        return [StatedNumber(reading) for reading in readings if reading.value is not None]


def _strip_enclosing(clause: str) -> str:
    """Remove quotes and brackets that enclose the whole clause."""
    found = re.fullmatch(_ENCLOSED, clause.strip(), flags=re.DOTALL)
    return (found[1] if found else clause).strip()
