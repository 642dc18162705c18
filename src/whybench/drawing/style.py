"""Sizes, colours and looks, from `style.yaml`; a suite's own looks are in a table of its own."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def read_table(package: str, name: str) -> dict[str, Any]:
    """Return a table of data that lies in a package."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return table


_STYLE = read_table(__package__, "style.yaml")

WIDTH: float = _STYLE["width"]
"""Width of a figure in mm."""
FAMILY: str = _STYLE["type"]["family"]
"""The typeface, which matplotlib brings along."""
SIZE: float = _STYLE["type"]["size"]
"""Size of type in points."""
SMALL: float = _STYLE["type"]["small"]
"""Size of the smallest type in points."""
MARKER: float = _STYLE["marker"]
"""Size of a point, in points."""


COLOURS: Mapping[str, str] = _STYLE["colours"]
"""The colours on paper, by name."""
PAGE_COLOURS: Mapping[str, Mapping[str, str]] = _STYLE["page"]
"""Those that a light and a dark page have instead, by name."""


def colour(name: str) -> str:
    """Return a colour on paper by its name."""
    return COLOURS[name]


class Look(NamedTuple):
    """How what belongs together is drawn.

    Attributes:
        ink: The name of its colour.
        marker: The shape of a point, by matplotlib's name.
        dashes: Dashes and gaps of a line in points; none in a solid one.
    """

    ink: str
    marker: str
    dashes: tuple[float, ...] = ()

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Look:
        """Return the look that an entry of a table describes."""
        return cls(entry["colour"], entry["marker"], tuple(entry.get("dashes", ())))

    @property
    def colour(self) -> str:
        """The colour on paper."""
        return colour(self.ink)

    @property
    def line(self) -> Any:
        """The style of a line as matplotlib knows it."""
        return (0, self.dashes) if self.dashes else "-"

    @property
    def shape(self) -> str:
        """The shape of a point as Vega knows it."""
        return str(_STYLE["shapes"][self.marker])


PEOPLE = Look.of(_STYLE["people"])
"""The look of people, in every figure."""
SERIES = tuple(map(Look.of, _STYLE["series"]))
"""The looks of the first, second, ... of what is compared in one panel."""
