"""The looks of a run that was asked until its comparisons were decided, as a file of its folder.

`looks.json` has the plan from before the first answer, every difference at every look, and the
differences with the p-values and intervals of the sequential design. Comparisons of answers from
this folder have these differences in place of those that ignore the looks. Differences that were
not planned have the flag `optional_stopping`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, atomic_write
from whybench.results.sequential import NO_DIFFERENCE, OPEN
from whybench.stats import Difference, Estimate, correct_family
from whybench.stats.differences import NO_DIFFERENCE_OF_INTEREST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.results.sequential import SequentialResult

FILE = "looks.json"

STOPPING_FLAG = "optional_stopping"
"""The flag of a difference that was not planned, in a suite whose asking was ended by others."""

DEPTH = 5
"""The number of folders, from a log upwards, in which the file is sought."""


@dataclass(frozen=True)
class Looks:
    """The looks of a run.

    Attributes:
        plan: The plan: the sides, and for each suite the looks, measures and smallest differences.
        history: A row for each difference at each look.
        results: The differences of the sequential design.
        ended: Suite to the look at which its asking ended.
    """

    plan: Mapping[str, Any]
    history: tuple[Mapping[str, Any], ...] = ()
    results: tuple[Difference, ...] = ()
    ended: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Looks | None:
        """Return the looks of a folder; None if it has none.

        Raises:
            UserError: The file was changed.
        """
        path = folder / FILE
        if not path.is_file():
            return None
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
            results = tuple(_read_difference(one) for one in given["results"])
            return cls(given["plan"], tuple(given["history"]), results, dict(given["ended"]))
        except (OSError, ValueError, KeyError, TypeError):
            raise UserError(
                f"{path} must be as it was written, with plan, history, results and ended, got "
                "something else; restore it, or run the same command again after you remove it"
            ) from None

    @classmethod
    def find(cls, sources: Iterable[str]) -> Looks | None:
        """Return the looks of the folder that has all sources; None if there is none."""
        folders = {_find_folder(Path(source)) for source in sources}
        folder = folders.pop() if len(folders) == 1 else None
        return None if folder is None else cls.read(folder)

    def write(self, folder: Path) -> None:
        """Write the looks into a folder."""
        with atomic_write(folder / FILE) as part:
            part.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    def apply(self, differences: Iterable[Difference]) -> list[Difference]:
        """Return differences with those of the sequential design in place of their like."""
        known = {_key(one): one for one in self.results}
        return [self._replace(one, known) for one in differences]

    def lines(self) -> list[str]:
        """Return a line for each suite on where its asking ended."""
        lines = []
        for suite, number in self.ended.items():
            ends = self.plan["suites"][suite]["samples"]
            lines.append(
                f"{suite}: ended at look {number} of {len(ends)}, with {ends[number - 1]:,} of "
                f"{ends[-1]:,} samples ({ends[number - 1] / ends[-1]:.0%}); p and "
                "intervals of the planned differences are group-sequential"
            )
        return lines

    def _replace(self, one: Difference, known: Mapping[tuple[Any, ...], Difference]) -> Difference:
        if (found := known.get(_key(one))) is not None:
            return found
        if (found := known.get(_key(_reverse(one)))) is not None:
            return _reverse(found)
        looks = self.plan["suites"].get(one.suite, {}).get("samples", ())
        if self.ended.get(one.suite, len(looks)) == len(looks):
            return one
        return replace(one, flags=(*one.flags, STOPPING_FLAG))


def apply_looks(looks: Looks | None, differences: Sequence[Difference]) -> list[Difference]:
    """Return differences with those of a sequential design in place of their like, if there is one.

    The p-values are corrected again.
    """
    return list(differences) if looks is None else correct_family(looks.apply(differences))


def explain_result(one: SequentialResult, looks: int) -> str:
    """Return the result of a look in a line."""
    found = one.look.difference
    words = {OPEN: "go on", NO_DIFFERENCE: NO_DIFFERENCE_OF_INTEREST}.get(one.state, one.state)
    size = "no test" if one.statistic is None else f"{one.statistic:+.2f} standard errors"
    bound = "" if one.bound is None else f", boundary {one.bound:.2f}"
    value = "–" if found.difference is None else f"{found.difference:+.2f}"
    whose = f" of {found.agent}" if found.agent else ""
    return (
        f"{found.suite}, look {one.look.number} of {looks}: {found.measure}{whose}, "
        f"{found.side_a} - {found.side_b}: {value}, {size}{bound}: {words}"
    )


def history_row(one: SequentialResult) -> dict[str, Any]:
    """Return a difference at a look as a row of the history."""
    seen = one.look.difference
    names = ("suite", "agent", "side_a", "side_b", "measure", "difference", "low", "high", "p")
    return {
        "look": one.look.number,
        "share": one.look.share,
        **{name: getattr(seen, name) for name in (*names, "units")},
        "labels": dict(seen.labels),
        "statistic": one.statistic,
        "bound": one.bound,
        "state": one.state,
    }


def _key(one: Difference) -> tuple[Any, ...]:
    return (
        *(one.suite, one.by, one.agent, one.side_a, one.side_b, one.measure),
        tuple(sorted(one.labels.items())),
    )


def _reverse(one: Difference) -> Difference:
    """Return B - A."""
    difference, low, high = (None if x is None else -x for x in (one.difference, one.high, one.low))
    swapped = replace(one, a=one.b, b=one.a, side_a=one.side_b, side_b=one.side_a)
    return replace(swapped, difference=difference, low=low, high=high)


def _find_folder(source: Path) -> Path | None:
    """Return the folder of the looks to which a source belongs."""
    places = [source, *source.resolve().parents[:DEPTH]]
    return next((place.resolve() for place in places if (place / FILE).is_file()), None)


def _read_difference(given: Mapping[str, Any]) -> Difference:
    sides = {side: _read_estimate(given[side]) for side in ("a", "b")}
    return Difference(**{**given, **sides, "flags": tuple(given["flags"])})


def _read_estimate(given: Mapping[str, Any]) -> Estimate:
    return Estimate(**{**given, "flags": tuple(given["flags"])})
