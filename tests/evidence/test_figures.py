"""Which figures of a part a test asserts."""

from __future__ import annotations

import pytest
from evidence.figures import Figure, held, print_figures

HOLDS, MISSED = Figure("a is so", "so", True), Figure("b is so", "not so", False)
FAST, SLOW = Figure("a is fast", "1 s", True, timed=True), Figure("b is fast", "9 s", False, True)


def test_held_with_timed_figures_asserts_and_returns_the_others() -> None:
    assert held(lambda _: [FAST, HOLDS, SLOW]) == [HOLDS]
    with pytest.raises(AssertionError, match="MISS b is so\\n       not so"):
        held(lambda _: [HOLDS, MISSED, SLOW])


@pytest.mark.parametrize("figures", [[], [FAST], [FAST, SLOW]])
def test_held_without_an_untimed_figure_fails(figures: list[Figure]) -> None:
    with pytest.raises(AssertionError, match="must make a claim that is not about time, got none"):
        held(lambda _: figures)


def test_print_figures_shows_timed_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert not print_figures([HOLDS, SLOW])
    assert "ok   a is so" in capsys.readouterr().out
    assert not print_figures([SLOW])
    assert capsys.readouterr().out == "MISS b is fast\n       9 s\n"
