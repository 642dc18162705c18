"""Errors that stay small: a fence around a part, and a file that appears whole or not at all."""

from __future__ import annotations

import doctest
import logging
from typing import TYPE_CHECKING

import pytest

from whybench import errors
from whybench.errors import DataError, Fence, UserError, atomic_write, format_cause

if TYPE_CHECKING:
    from pathlib import Path


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(errors) == doctest.TestResults(failed=0, attempted=5)


def test_a_fence_names_what_failed_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    fence, done = Fence(), []
    with caplog.at_level(logging.DEBUG, logger="whybench"):
        for part in ("first", "second", "third"):
            with fence.around(part):
                if part == "second":
                    raise KeyError("no such\nthing")
                done.append(part)
    assert done == ["first", "third"]
    assert fence.failures == [("second", r"KeyError: 'no such\nthing'")]
    assert fence.notes == (r"second: KeyError: 'no such\nthing'",)
    assert "Traceback" in caplog.text  # for those who look for the fault


def test_a_fence_does_not_keep_anybody_from_stopping() -> None:
    fence = Fence()
    with pytest.raises(KeyboardInterrupt), fence.around("all"):
        raise KeyboardInterrupt
    with pytest.raises(SystemExit), fence.around("all"):
        raise SystemExit(1)
    assert fence.notes == ()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (UserError("x must be 1, got 2; do so\nand more"), "x must be 1, got 2; do so"),
        (DataError("not fetched"), "not fetched"),
        (ImportError("figures need matplotlib"), "figures need matplotlib"),
        (UserError(""), "UserError"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (TypeError("odd\nTraceback"), "TypeError: odd"),
        (ValueError("x" * 999), f"ValueError: {'x' * 227}…"),
    ],
)
def test_a_cause_is_one_line(error: Exception, told: str) -> None:
    assert format_cause(error) == told
    assert len(told) <= 240


def write(target: Path, text: str, error: Exception | None = None) -> None:
    with atomic_write(target) as part:
        part.write_text(text)
        if error is not None:
            raise error


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file.txt"
    write(target, "old")
    with pytest.raises(ZeroDivisionError):
        write(target, "ne", ZeroDivisionError())
    with pytest.raises(UserError, match="file.txt must be .* got No space left; .* unchanged"):
        write(target, "ne", OSError(28, "No space left"))
    assert [path.name for path in target.parent.iterdir()] == ["file.txt"]
    assert target.read_text() == "old"
