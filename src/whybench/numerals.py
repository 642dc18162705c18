"""Numbers as text, with a dash where there is none: 0.35 [0.20, 0.51]."""

from __future__ import annotations

__all__ = ["interval_text", "number_text"]


def number_text(value: float | None, sign: str = "", digits: int = 2) -> str:
    """Return a number, or a dash where there is none.

    Args:
        value: The number.
        sign: "+" where a number above 0 has its sign.
        digits: How many places it has.
    """
    return "–" if value is None else f"{value:{sign}.{digits}f}"


def interval_text(
    value: float | None, low: float | None, high: float | None, sign: str = "", digits: int = 2
) -> str:
    """Return a number with its interval, if it has one."""
    text = number_text(value, sign, digits)
    if value is None or low is None or high is None:
        return text
    return f"{text} [{number_text(low, sign, digits)}, {number_text(high, sign, digits)}]"
