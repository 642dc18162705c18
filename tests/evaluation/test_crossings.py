"""Settings of a model at several levels in one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import whybench as wb
from whybench.cli import whybench_command
from whybench.errors import UserError
from whybench.evaluation.crossings import cross_settings, tell_crossings

if TYPE_CHECKING:
    from pathlib import Path


def test_every_level_is_crossed_with_every_other() -> None:
    crossed = cross_settings(
        {"temperature": [0.0, 0.8], "verbosity": ("low", "high"), "top_p": 0.9, "stop_seqs": ["."]}
    )
    assert [*crossed] == [
        "temperature=0,verbosity=low",
        "temperature=0,verbosity=high",
        "temperature=0.8,verbosity=low",
        "temperature=0.8,verbosity=high",
    ]
    last = {"temperature": 0.8, "verbosity": "high", "top_p": 0.9, "stop_seqs": ["."]}
    assert crossed["temperature=0.8,verbosity=high"] == last


def test_one_level_needs_no_words() -> None:
    assert cross_settings({"temperature": 0.8}) == {"": {"temperature": 0.8}}
    assert cross_settings({"temperature": [0.8]}) == {"": {"temperature": 0.8}}
    assert tell_crossings({"temperature": 0.8}) == ""


def test_levels_are_told() -> None:
    told = tell_crossings({"temperature": [0.0, 0.8], "reasoning_effort": ["low", "high"]})
    assert told == (
        "repeated 4 times, for 2 x 2 settings of the model: temperature 0, 0.8; "
        "reasoning_effort low, high"
    )


@pytest.mark.parametrize("levels", [[0.5, 0.5], [], ["warm"]])
def test_levels_must_differ_and_be_numbers(levels: list[object]) -> None:
    with pytest.raises(UserError, match="`temperature` must be"):
        cross_settings({"temperature": levels})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "judge", "--model", "m/m", "--temperature", "0,warm"), "--temperature: 'warm'"),
        (("profile", "reference/careful", "--temperature", "0,0"), "different levels"),
    ],
)
def test_wrong_levels_are_said(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    folder = ("-o", str(tmp_path)) if words[0] == "profile" else ("--log-dir", str(tmp_path))
    error = CliRunner().invoke(whybench_command, [*words, *folder]).exception
    assert isinstance(error, UserError)
    assert said in str(error)


@pytest.mark.slow
def test_a_run_asks_every_crossing_once_and_settings_can_be_compared(tmp_path: Path) -> None:
    asked = {"limit": 6, "log_dir": tmp_path / "logs", "display": "none"}

    def run() -> wb.Records:
        return wb.run(
            "calculate",
            "reference/calculate.slips",
            temperature=[0, 0.8],
            settings={"top_p": [0.5, 0.9]},
            **asked,
        )

    answers = run()
    logs = sorted(path.relative_to(tmp_path / "logs") for path in tmp_path.rglob("*.eval"))
    assert [path.parent.name for path in logs] == [
        "top_p=0.5,temperature=0",
        "top_p=0.5,temperature=0.8",
        "top_p=0.9,temperature=0",
        "top_p=0.9,temperature=0.8",
    ]
    frame = answers.to_pandas()
    assert frame.groupby(["temperature", "top_p"]).size().tolist() == [6] * 4
    found = answers.compare(by="temperature")
    assert found.agents == (
        "reference/calculate.slips[top_p=0.5]",
        "reference/calculate.slips[top_p=0.9]",
    )
    assert {(one.side_b, one.side_a) for one in found} == {("0", "0.8")}
    assert len(run()) == len(answers)
    assert len([*tmp_path.rglob("*.eval")]) == 4
