"""What earlier versions wrote is read: logs, records and designs from before the class of suites.

The files were written by version 1 of every suite: a few items, answered by a reference agent.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import whybench as wb

FORMATS = Path(__file__).with_name("formats")
WRITTEN = {
    "judge": ("noisy-or", 6, [10.0, 82.0, 82.0, 96.0, 50.0, 50.0]),
    "intervene": ("single-cause", 4, [0.0, 0.0, 1.0, 0.0]),
    "compose": ("exact", 30, [1.0, 1.0, 1.0, 1.0]),
    "analyze": ("competent", 2, [1.0, 1.0]),
}
"""Suite to who answered, how many answers there are, and the first of them."""

DRAWN_ANEW = ("analyze",)
"""Suites whose next version draws other rows."""


@pytest.mark.parametrize("name", WRITTEN)
def test_logs_and_records_give_the_answers_that_were_given(name: str) -> None:
    agent, count, values = WRITTEN[name]
    logged, recorded = wb.load(FORMATS / f"{name}.eval"), wb.load(FORMATS / f"{name}.parquet")
    again = () if name in DRAWN_ANEW else (wb.load(FORMATS / f"{name}.eval", reread=True),)
    for answers in (logged, recorded, *again):
        assert answers.agents == (f"reference/{name}.{agent}",)
        assert answers.outcomes == {"scored": count}
        assert answers.to_arrow()["value"].to_pylist()[: len(values)] == values
        assert answers.to_arrow()["item"].to_pylist() == recorded.to_arrow()["item"].to_pylist()


def test_answers_about_rows_that_are_drawn_otherwise_now_are_not_read_anew() -> None:
    with pytest.raises(wb.UserError, match="read these answers with the versions"):
        wb.load(FORMATS / "analyze.eval", reread=True)


@pytest.mark.parametrize("name", [name for name in WRITTEN if name not in ("compose", *DRAWN_ANEW)])
def test_its_items_are_still_asked(name: str) -> None:
    told = wb.load(FORMATS / f"{name}.parquet")
    asked = {item.digest for item in wb.items(name)}
    assert set(told.to_arrow()["item"].to_pylist()) <= asked


def test_items_told_in_other_words_are_other_items() -> None:
    told = wb.load(FORMATS / "compose.parquet").to_arrow()
    asked = {item.digest: item for item in wb.items("compose", "verdicts")}
    assert not set(told["item"].to_pylist()) & set(asked)
    worlds = {item.question.world.text for item in asked.values()}
    assert set(told["world"].to_pylist()) <= worlds


def test_a_design_that_was_called_base_is_read() -> None:
    design = wb.items("judge", str(FORMATS / "design.yaml")).design
    assert (design.name, design.style, design.story) == ("design", ("cot",), ("weather",))
