r"""Words to yes or no, or the reason why there is neither.

The reader takes only forms that *say* what the answer is. Where a careful person would hesitate it
gives no answer: a yes that was never meant costs a measure more than a lost reply.

What is set aside first
    Thinking blocks and closed explanations (see `thinking`), then the dress: markdown, LaTeX,
    HTML, quotes, emoji. Case does not matter.

A *verdict* is the word yes or no where it stands for an answer: behind it the line ends, or comes a
mark such as a comma, or words such as "because". "No one comes" is no verdict, nor is "yes/no".

Marked answers
    ``Answer: yes``, ``Final answer: **No**``, ``The answer is no.``, ``<answer>yes</answer>``,
    ``\boxed{no}``, ``## Answer`` with the verdict below it, at the head of a line or sentence; also
    a JSON object ``{"answer": "yes"}``. The last one counts. No answer if words behind it take it
    back, decline to answer or give the other verdict; if a question of the agent's own stands
    between two that differ; or, where one word was asked for (``direct``), if any two differ.

Unmarked answers
    The last line begins with a verdict, or the last sentence is one; in the style ``direct`` also
    the first word. No verdict elsewhere in the reply may say otherwise.
"""

from __future__ import annotations

import json
import re

from whybench.suites.contract import Answer
from whybench.suites.replies import find_shown_text

__all__ = ["REASONS", "parse_reply"]

REASONS = {
    "ambiguous": "both yes and no, and which of them is the answer is not said",
    "cut_off": "the reply hit the token limit",
    "empty": "nothing but white space",
    "no_answer_found": "neither yes nor no where the answer should be",
    "refusal": "a reply that declines to answer",
    "retracted": "words after the answer take it back",
    "unfinished_thinking": "thinking that never ends",
}
"""Every reason for which there may be no answer, and what it means."""

# What goes, before anything is read. Arrows and brackets of all kinds come down to a few.
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("→⇒➔➡=", ":"),
        **dict.fromkeys("‐‑‒–—―", "–"),
        **dict.fromkeys("*_`#>|~$\"'“”„‘’«»「」『』【】", " "),
        **dict.fromkeys("。．", "."),
        "、": ",",
        "\r": "\n",
        "\u2028": "\n",
        "\u2029": "\n",
    }
)
_TAGGED = r"<(?:final[_ ])?answer>(.{0,40}?)</(?:final[_ ])?answer>"
_BOXED = r"\\(?:boxed|fbox) ?\{(?:\\[a-z]{1,8} ?\{)?\s?(yes|no)\s?\.?\}"
_LATEX = r"\\(?:text|textbf|mathbf|mathrm) ?\{([^{}]{0,40})\}|\\[()\[\],;! ]"
_HTML = r"</?[a-z][a-z0-9]{0,9} ?/?>"
_SYMBOLS = r"[\u200b-\u200f\u2060\ufe0f\ufeff\u2190-\u2bff\U0001f000-\U0001faff]"

# Parts of patterns, for plain text in lower case.
_BEHIND = (
    r"(?= ?(?:$|[.,;:!)\]}–(])| - | ?--| (?:because|since|as|given|due)\b"
    r"| (?:it|he|she|they|this|that|the)\b)"
)
_VERDICT = rf"[(\[{{]? ?(yes|no){_BEHIND}"
_LEAD = (
    r"(?:(?:so|thus|therefore|hence|then|finally|overall|in conclusion|in short|ok|okay),? )?"
    r"(?:(?:i|we) (?:think|believe|conclude|say)(?: that)? )?"
)
_HEAD = r"(?:^ ?(?:[-•{] ?)?|(?<=[.!?;] )|(?<=, )(?=(?:so|hence|thus|therefore) the answer))"
_LABEL = (
    r"(?:(?:the|my|final|short|correct|direct|overall) ){0,3}(?:answer|verdict|conclusion)"
    r"(?: (?:here|then|to (?:the|this|your) question))?"
)
_LINK = (
    r"(?:(?: ?(?:: ?|– ?)| - | is(?: therefore| thus| clearly| simply)?:? | must be:? )\n{0,3} ?"
    r"| ?\n{1,3} ?)"
)

_MARKED = re.compile(rf"(?m){_HEAD}{_LEAD}{_LABEL}{_LINK}{_VERDICT}")
_LABELLED = re.compile(rf"(?m)^ ?(?:[-•] )?{_LABEL} ?:")
_STANDING = re.compile(rf"(?m)(?:{_HEAD}|(?<=[,–(] )|(?<=[(–])){_LEAD}{_VERDICT}")
_CHOICE = re.compile(r"\byes ?(?:/|or|and|,) ?no\b|\bno ?(?:/|or|and|,) ?yes\b")
_QUESTION = re.compile(r"(?m)^ ?question ?:")
_RETRACTION = re.compile(
    r"(?m)(?:^|[.!?;,–(]) ?(?:but |oh |hmm,? |no,? )?(?:wait|actually|correction|hold on"
    r"|scratch that|on second thought|let me (?:re|correct))"
    r"|(?:^|[.!?;]) ?(?:but|however)\b|\bi (?:was|am) (?:wrong|mistaken)"
    r"|\bmade (?:a mistake|an error)|\btake (?:that|it) back"
)
_REFUSAL = re.compile(
    r"\bi (?:can(?:not| not| t)|am unable|am not able|won t|will not|don t know|do not know)\b"
    r"|\bi m (?:unable|not able|sorry)|\bnot enough information|\bcannot be determined"
    r"|\bimpossible to (?:say|tell|know|determine)"
)
LONGEST_REFUSAL = 300  # in longer replies "cannot be determined" and the like are reasoning
_CLOSING = " \n.,;:!)]}–-"


def parse_reply(text: str, style: str = "direct", truncated: bool = False) -> Answer:
    """Read the answer that a reply gives: 1.0 for yes, 0.0 for no.

    Args:
        text: The whole reply. Any text is taken; nothing raises.
        style: What was asked for: a style of questions.
        truncated: Whether the reply hit the token limit. Then there is no answer, since the one it
            holds need not be the one it was heading for.
    """
    if truncated:
        return Answer(None, "cut_off")
    answer = _find_answer(text, style == "direct")
    return Answer(None, answer) if answer in REASONS else Answer(float(answer == "yes"))


def _find_answer(text: str, direct: bool) -> str:
    """Return yes, no, or the reason why it is neither."""
    text, reason = find_shown_text(text)
    if reason:
        return reason
    if not text.strip():
        return "no_answer_found"
    plain = _strip_markup(text)
    return _parse_json(text) or _parse_marked(plain, direct) or _parse_unmarked(plain, direct)


def _strip_markup(text: str) -> str:
    """Take the dress off and write marked answers in one way."""
    text = text.lower().replace("&lt;", "<").replace("&gt;", ">")
    text = re.sub(_BOXED, r"\nanswer: \1\n", re.sub(_TAGGED, r"\nanswer: \1\n", text, flags=re.S))
    text = re.sub(_LATEX, r" \1 ", re.sub(_HTML, " ", text))
    text = re.sub(_SYMBOLS, " ", text.translate(_SIGNS))
    text = re.sub(r"[^\S\n]+", " ", text)
    return re.sub(r"\n(?: ?\n)+", "\n\n", re.sub(r" ([.,;:!?])", r"\1", text)).strip()


def _parse_json(text: str) -> str:
    """Read a JSON object that is the whole reply, its fence aside, or stands at its end."""
    body = re.sub(r"```(?:json)?", " ", text.lower()).strip()
    start = 0 if body.startswith("{") else body.rfind("{")
    if start < 0 or not body.endswith("}"):
        return ""
    pairs: list[tuple[str, object]] = []
    try:
        # All pairs of all objects, also those of a key that is given twice.
        json.loads(body[start:], object_pairs_hook=pairs.extend)
    except (ValueError, RecursionError):
        return ""
    answers = {
        str(value).strip(" .!*") for key, value in pairs if re.fullmatch(r"(?:final.)?answer", key)
    }
    if not answers:
        return ""
    if len(answers) > 1 or any(_CHOICE.search(value) for value in answers):
        return "ambiguous"
    return answers.pop() if answers <= {"yes", "no"} else "no_answer_found"


def _parse_marked(plain: str, direct: bool) -> str:
    """Read the last marked answer; nothing if there is none."""
    marks = list(_MARKED.finditer(plain))
    labels = [label.start() for label in _LABELLED.finditer(plain)]
    # A later "Answer:" with something else than a verdict leaves the earlier one behind.
    if not marks or (labels and labels[-1] > marks[-1].end()):
        return ""
    *before, last = marks
    others = [mark for mark in before if mark[1] != last[1]]
    if others and (direct or _QUESTION.search(plain, others[-1].end(), last.start())):
        return "ambiguous"
    return _find_objection(plain[last.end() :], last[1]) or last[1]


def _parse_unmarked(plain: str, direct: bool) -> str:
    """Read an answer that only its place marks."""
    standing = list(_STANDING.finditer(plain))
    verdicts = {verdict[1] for verdict in standing}
    if len(verdicts) > 1 or (not verdicts and _CHOICE.search(plain)):
        return "ambiguous"
    if not standing:
        declines = len(plain) <= LONGEST_REFUSAL and _REFUSAL.search(plain)
        return "refusal" if declines else "no_answer_found"
    first, last = standing[0], standing[-1]
    opens = direct and first.start() == 0
    closes = last.start() > plain.rfind("\n") and (
        last.start() == plain.rfind("\n") + 1 or not plain[last.end() :].strip(_CLOSING)
    )
    if not (opens or closes):
        return "no_answer_found"
    kept = first if opens else last
    return _find_objection(plain[kept.end() :], kept[1]) or kept[1]


def _find_objection(after: str, verdict: str) -> str:
    """Say what speaks against a verdict in the words behind it, or nothing."""
    if _RETRACTION.search(after):
        return "retracted"
    if _REFUSAL.search(after):
        return "refusal"
    behind = {standing[1] for standing in _STANDING.finditer(after)}
    return "ambiguous" if behind - {verdict} else ""
