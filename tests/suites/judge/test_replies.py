"""The reader of likelihoods: exact on a corpus of awkward replies, lawful on any text."""

import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
import yaml
from evidence.reading import HOSTILE_JUDGMENTS
from evidence.replies import KINDS, published_replies, recipe
from hypothesis import example, given
from hypothesis import strategies as st

from whybench.suites.judge import replies
from whybench.suites.judge.replies import REASONS, JudgeReply, parse_reply

CORPUS = yaml.safe_load((Path(__file__).parent / "awkward_replies.yaml").read_text("utf-8"))
ENTRIES = [
    pytest.param(style, text, expected, *(confidence or [None]), id=f"{kind} {number}")
    for kind, rows in CORPUS.items()
    for number, (style, text, expected, *confidence) in enumerate(rows)
]
STYLES = ("direct", "cot", "confidence")

# Pieces of which awkward replies are made: arbitrary text alone hardly ever holds a tag.
PIECES = """85;0.5; .5;100;101;-5;%; percent;/100; out of ;30-40;<likelihood>;</likelihood>
<confidence>;</confidence>;<think>;</think>;<explanation>;</explanation>;<response>;</response>
likelihood;Likelihood: ;Final answer: ;confidence: ;the answer is ;about ;I would say ;**;`;```
. ;, ; ;(;);";{;};{"likelihood": ;\\boxed{;$;\\%;٨٥;８;²;½;👍;\u200b;not ;0 to 100;Wait;eighty
<|channel|>final<|message|>;<|channel|>;<br>;&lt;;>;<;+;–;e2;,;:;The causes are independent."""
JOINED = st.lists(st.sampled_from([*re.split("[;\n]", PIECES), "\n", "\n\n"]), max_size=14)
REPLIES = st.one_of(st.text(), JOINED.map("".join))
ANY_STYLE = st.one_of(st.sampled_from(STYLES), st.text(max_size=5))


def numbers_in(text: str) -> set[float]:
    """Return every number that a text literally holds, digits of all scripts included."""
    ascii_digits = "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else "." if sign in "٫．" else sign
        for sign in text
    )
    return {float(token) for token in re.findall(r"\d+\.\d+|\.\d+|\d+", ascii_digits)}


@pytest.mark.parametrize(("style", "text", "expected", "confidence"), ENTRIES)
def test_awkward_reply(style, text, expected, confidence):
    judged = parse_reply(text, style)
    assert (judged.reason if judged.value is None else judged.value) == expected
    assert judged.confidence == confidence
    if judged.value is not None:
        assert judged.value in numbers_in(text)


def test_corpus_is_large_and_reaches_every_reason():
    replies = [(style, text) for rows in CORPUS.values() for style, text, *_ in rows]
    assert len(replies) >= 600
    assert len(set(replies)) == len(replies)
    expected = {row[2] for rows in CORPUS.values() for row in rows if isinstance(row[2], str)}
    assert expected | {"cut_off"} == set(REASONS)


@given(REPLIES, ANY_STYLE)
@example("9" * 5000, "direct")
@example('{"likelihood": ' + "9" * 5000 + "}", "direct")
@example('{"a":' * 5000 + "}", "direct")
@example("<likelihood>\ud800 5</likelihood>", "cot")
def test_any_text_is_read_lawfully(text, style):
    judged = parse_reply(text, style)
    assert judged == parse_reply(text, style)
    assert judged == parse_reply(f" \n{text}\t\n ", style)
    if judged.value is None:
        assert judged.reason in REASONS
        assert judged.confidence is None
        return
    assert judged.reason == ""
    assert 0 <= judged.value <= 100
    assert judged.value in numbers_in(text)
    if judged.confidence is not None:
        assert 0 <= judged.confidence <= 100
        assert judged.confidence in numbers_in(text)


@given(REPLIES, ANY_STYLE)
def test_a_reply_that_was_cut_off_is_no_answer(text, style):
    assert parse_reply(text, style, truncated=True) == JudgeReply(None, None, "cut_off")


@given(REPLIES, ANY_STYLE)
def test_unfinished_thinking_is_no_answer(text, style):
    assert parse_reply(f"<think>{text.replace('/', '')}", style).value is None


@given(REPLIES)
def test_finished_thinking_does_not_matter(text):
    thought = text.replace("<", "(").replace("[", "(").replace("◁", "(").replace("&", "+")
    assert parse_reply(f"<think>{thought}</think>\n70").value == 70


@pytest.mark.parametrize("number", range(101))
def test_every_whole_number_is_itself(number):
    assert parse_reply(str(number)).value == number
    assert parse_reply(f"It follows.\n<likelihood>{number}</likelihood>", "cot").value == number
    both = f"<likelihood>{number}</likelihood><confidence>{100 - number}</confidence>"
    assert parse_reply(both, "confidence") == JudgeReply(number, 100 - number, "")


@given(st.decimals(1, 100, places=3).filter(lambda number: number > 1))
def test_every_decimal_above_one_is_itself(number):
    for text in (f"{number}", f"{number}%", f"<likelihood>{number}</likelihood>"):
        assert parse_reply(text).value == float(number)


@given(st.decimals(0, 1, places=3).filter(lambda number: number > 0))
def test_a_decimal_up_to_one_needs_its_scale(number):
    assert parse_reply(f"{number}").reason == "ambiguous_scale"
    assert parse_reply(f"{number}%").value == float(number)


@given(st.integers(0, 100), st.integers(0, 100), st.sampled_from(["\n", ", ", " or ", " ", "-"]))
def test_two_different_numbers_are_never_one(one, other, between):
    if one != other and f"{one}{between}{other}" != "0-100":
        assert parse_reply(f"{one}{between}{other}").value is None


HOSTILE_ANSWERS = {
    "1\n1\n1\n": 1.0,
    "1\n\n1\n\n": 1.0,
    "the an": 1.0,
    "      ": 85.0,
    "<likelihood>1": 1.0,
}
"""How hostile texts begin that have an answer, and the answer."""


def test_long_hostile_replies_are_read_or_have_a_reason() -> None:
    answers = {}
    for text in HOSTILE_JUDGMENTS:
        reply = parse_reply(text, "cot")
        assert (reply.value is None) == (reply.reason in REASONS), text[:20]
        if reply.value is not None:
            answers[text[:20]] = reply.value
    assert len(answers) == len(HOSTILE_ANSWERS)
    for start, value in HOSTILE_ANSWERS.items():
        assert [answer for text, answer in answers.items() if text.startswith(start)] == [value]


@pytest.mark.slow
def test_published_recipe_is_met_on_raw_replies():
    # Every tenth, for speed; the evidence takes all 62,880.
    rows = published_replies(Path(os.environ["WHYBENCH_DATA_MIRROR"]), every=10)
    count = {row.what: row.number for row in rows}
    assert count["files"] == 185
    assert count["replies"] == 6_288
    assert count["agree"] == count["recipe reads"] == 6_003
    assert count["differ"] == 0
    ours = {kind: count.get(f"ours only: {kind}", 0) for kind in KINDS}
    assert ours == {
        "answer after prose": 10,
        "error in the explanation": 5,
        "no response around the tags": 1,
        "unexplained": 0,
    }


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("50", 50),
        ("<response><likelihood>66.7</likelihood></response>", 66.7),
        ("about 7 of 100", 7),
        ("x" * 51 + " 7", None),
        ("error 7", None),
        ("101", None),
    ],
)
def test_recipe_is_the_published_one(reply, number):
    assert recipe(reply) == number


def test_reader_needs_nothing_heavy():
    # An empty package stands in for the suite, which imports numpy for its other modules.
    load = (
        "import importlib, sys, types\n"
        "judge = sys.modules['whybench.suites.judge'] = types.ModuleType('judge')\n"
        f"judge.__path__ = [{str(Path(replies.__file__).parent)!r}]\n"
        "importlib.import_module('whybench.suites.judge.replies')\n"
        "heavy = {'numpy', 'scipy', 'inspect_ai', 'yaml', 'whybench.suites.contract'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
