"""Phrasings of numbers, choices and refusals: suites that expect the same value read them alike."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from whybench.suites.analyze.fields import NumberField
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.calculate.replies import parse_stated_reply
from whybench.suites.compose.replies import parse_number_reply
from whybench.suites.compose.replies import parse_reply as parse_choice
from whybench.suites.intervene.replies import Decision
from whybench.suites.intervene.replies import parse_reply as parse_turn
from whybench.suites.judge.replies import parse_reply as parse_judgment

TABLE = yaml.safe_load((Path(__file__).parent / "phrasings.yaml").read_text("utf-8"))
POLICIES = TABLE["policies"]
PHRASINGS = TABLE["phrasings"]
GROUPS = {
    "several_numbers": "several",
    "several_answers": "several",
    "unclear": "none",
    "no_number": "none",
    "no_answer_found": "none",
}
STYLES = ("direct", "cot")
READERS = {
    "judge": parse_judgment,
    "numbers": parse_number_reply,
    "calculate": lambda reply, style: parse_stated_reply(reply, "number", style, False, "ate"),
}


def rows(kind: str) -> list[Any]:
    return [pytest.param(row, id=row["reply"][:40]) for row in PHRASINGS if kind in row]


def reading(name: str, reply: str, style: str) -> object:
    answer = READERS[name](reply, style)
    if answer.value == NOT_COMPUTABLE:
        return "cannot"
    return GROUPS.get(answer.reason, answer.reason) if answer.value is None else answer.value


def stated(row: dict[str, Any], name: str, style: str) -> tuple[object, str]:
    """Return the reading that a row states, and the policy if it is an exception."""
    exceptions = row.get("except", {})
    for key in (f"{name} {style}", name):
        if key in exceptions:
            value, policy = exceptions[key]
            return value, policy
    return row["percent"], ""


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("row", rows("percent"))
def test_number_in_any_phrasing_is_read_as_stated(row: Any, name: str, style: str) -> None:
    assert reading(name, row["reply"], style) == stated(row, name, style)[0]


@pytest.mark.parametrize("row", rows("choice"))
def test_choice_in_any_phrasing_is_read_as_stated(row: Any) -> None:
    expected = row["choice"]
    for style in STYLES:
        answer = parse_choice(row["reply"], style)
        said = {1.0: "yes", 0.0: "no", None: answer.reason}[answer.value]
        assert said == expected
    if row["reply"].startswith("{") and expected in ("yes", "no"):
        assert parse_turn(row["reply"]) == Decision("answer", expected)


@pytest.mark.parametrize("row", rows("share"))
def test_share_in_any_phrasing_is_read_as_stated(row: Any) -> None:
    found = NumberField("effect", share=True).read(row["reply"], {})
    assert (found.reason or pytest.approx(found.value)) == row["share"]


@pytest.mark.parametrize("row", rows("nullable"))
def test_statement_that_a_number_cannot_be_determined_is_null_where_null_is_an_answer(
    row: Any,
) -> None:
    found = NumberField("effect", nullable=True).read(row["reply"], {})
    assert (found.reason or found.value) == row["nullable"]
    assert NumberField("effect").read(row["reply"], {}).reason == "not_a_number"


def test_readers_of_numbers_disagree_only_by_a_stated_policy() -> None:
    used = set()
    for row in PHRASINGS:
        if "percent" not in row:
            continue
        for style in STYLES:
            for one, other in combinations(READERS, 2):
                if reading(one, row["reply"], style) != reading(other, row["reply"], style):
                    named = {stated(row, name, style)[1] for name in (one, other)} - {""}
                    assert named, (row["reply"], one, other)
                    assert named <= set(POLICIES)
                    used |= named
    assert used == set(POLICIES)


def test_table_is_large_and_has_no_reply_twice() -> None:
    replies = [row["reply"] for row in PHRASINGS]
    assert len(replies) >= 80
    assert len(set(replies)) == len(replies)
    assert json.dumps(TABLE)
