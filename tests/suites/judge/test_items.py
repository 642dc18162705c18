from __future__ import annotations

import subprocess
import sys

import pytest

from whybench.suites.judge import SUITE
from whybench.suites.judge.design import DESIGNS
from whybench.suites.judge.prompt_parser import JudgePromptError, parse_prompt
from whybench.suites.judge.prompts import overload_text
from whybench.suites.judge.stories import load_story

# By hand, for prior 1/2, leak 1/10, strength 8/10: P(E|0) = .1, P(E|1) = .82, P(E|2) = .964.
TRUTH = {
    "I": 10.0,
    "II": 82.0,
    "III": 96.4,
    "IV": 50.0,
    "V": 50.0,
    "VI": 100 * 0.964 / (0.964 + 0.82),
    "VII": 100 * (0.964 + 0.82) / (0.964 + 0.82 + 0.82 + 0.1),
    "VIII": 100 * 0.82 / (0.82 + 0.1),
    "IX": 100 * 0.036 / (0.036 + 0.18),
    "X": 100 * (0.036 + 0.18) / (0.036 + 0.18 + 0.18 + 0.9),
    "XI": 100 * 0.18 / (0.18 + 0.9),
}


@pytest.fixture(scope="module")
def core():
    return list(SUITE.items(DESIGNS["core"]))


def test_truths_are_the_normative_answers(core) -> None:
    assert {item.question.task for item in core} == set(TRUTH)
    for item in core:
        assert item.truth == pytest.approx(TRUTH[item.question.task], abs=1e-9)


def test_both_versions_of_a_task_are_there_once_a_vignette(core) -> None:
    cells = [(i.story.name, i.polarity, i.question.task, i.question.cause) for i in core]
    assert len(cells) == len(set(cells)) == 240
    assert {c for _, _, task, c in cells if task in {"I", "III"}} == {"both"}
    assert {c for _, _, task, c in cells if task == "II"} == {"C1", "C2"}


def test_a_prompt_says_what_is_known_and_asks_one_thing(core) -> None:
    item = next(
        i
        for i in core
        if i.question.task == "VIII"
        and i.story.name == "economy"
        and i.polarity == "ppp"
        and i.question.cause == "C1"
    )
    prompt = SUITE.render(item)
    assert "it has normal trade deficits; it has high retirement savings." in prompt
    assert "How likely is it that this economy has low interest rates?" in prompt
    assert prompt.endswith("Reply with one number from 0 to 100 and nothing else.")


def test_items_are_shared_by_designs_that_hold_them(core) -> None:
    everything = {item.id for item in SUITE.items(DESIGNS["full"])}
    assert {item.id for item in core} <= everything


def test_items_are_the_same_in_every_process() -> None:
    code = (
        "import hashlib\nfrom whybench.cli import main\nimport sys\n"
        "sys.argv = 'whybench show judge --all --design styles --format jsonl'.split()\n"
        "main()\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(printed) == 1
    assert printed.pop().count("\n") == 720


def test_filler_is_as_long_as_the_text_it_stands_for() -> None:
    told = load_story("sociology")
    for kind, places in (("d", 3), ("e", 2)):
        for place in range(places):
            text = overload_text(told, "pmm", "story", kind, place)
            filler = overload_text(told, "pmm", "filler", kind, place)
            assert len(filler.split()) == len(text.split())
            assert not set(filler.lower().rstrip(".").split()) & set(text.lower().split())


def test_overload_stands_where_it_should_and_nowhere_else() -> None:
    def prompt(overload: str) -> list[str]:
        settings = {"story": "economy", "overload": overload, "task": "I", "polarity": "ppp"}
        (item,) = SUITE.items(SUITE.make_design(settings))
        return SUITE.render(item).split("\n")

    plain = prompt("none")
    for overload, places in (("d", {3, 4, 5}), ("e", {8, 9}), ("de", {3, 4, 5, 8, 9})):
        loaded = prompt(overload)
        assert {i for i, line in enumerate(loaded) if line != plain[i]} == places
        assert all(loaded[i].startswith(plain[i]) for i in places)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: p.replace("What causes what:", ""), "headings"),
        (lambda p: p.replace("; others have", ", others have"), "two states"),
        (lambda p: p.replace("- Low interest rates can", "- Some rates can"), "present state"),
        (lambda p: p.replace("How likely is it", "Is it likely"), "one line must match"),
    ],
)
def test_a_damaged_prompt_gives_no_world(core, damage, message) -> None:
    item = next(i for i in core if i.story.name == "economy" and i.polarity == "ppp")
    with pytest.raises(JudgePromptError, match=message):
        parse_prompt(damage(SUITE.render(item)))
