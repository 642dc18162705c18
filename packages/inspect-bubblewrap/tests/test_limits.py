"""What code in the sandbox may use, as stated by a user."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from inspect_bubblewrap.limits import MIB, Limits, Settings, read_settings
from inspect_bubblewrap.outcome import SettingsError

if TYPE_CHECKING:
    from pathlib import Path


def test_what_a_file_leaves_out_stays_default(tmp_path: Path) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text("seconds: 5\nmemory: 1048576\n", encoding="utf-8")
    assert read_settings(file) == Settings(Limits(seconds=5.0, memory=MIB))
    assert read_settings(None) == Settings()
    file.write_text("packages: [numpy]\npreload: []\n", encoding="utf-8")
    assert read_settings(file) == Settings(packages=("numpy",), preload=())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "secnds: 5",
            "one of seconds, .*, packages, preload, got 'secnds'; did you mean 'seconds'",
        ),
        ("seconds: soon", "seconds must be a number, got 'soon'"),
        ("seconds: true", "seconds must be a number, got True"),
        ("seconds: [", "settings must be a YAML file, got .*limits.yaml"),
        ("- 5", "must hold a mapping of settings, got list"),
        ("memory: -1", "memory must be positive and finite, got -1; leave it out"),
        ("memory: .inf", "memory must be positive and finite, got inf; leave it out"),
        ("seconds: .inf", "seconds must be positive and finite, got inf; leave it out"),
        ("seconds: .nan", "seconds must be positive and finite, got nan; leave it out"),
        ("processes: 2", "processes must be at least 3, got 2"),
        ("packages: numpy", "packages must be a list of names, got 'numpy'"),
    ],
)
def test_a_file_that_is_wrong_says_how(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        read_settings(file)


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
def test_no_limit_can_be_switched_off(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be positive and finite, got 0"):
        Limits(**{name: 0})
