"""The columns of a world: each a mechanism of earlier columns and of chance.

| column | is |
|---|---|
| `binary` | 1 where a uniform number is below a chance |
| `real` | a mean plus normal noise |
| `assigned` | 0 or 1 by lot, as many of each |
| `derived` | what follows from its causes |
| `within` | a whole number in a range |
| `spread` | values laid out over the rows, such as weeks |

A chance or a mean is a number, or a function whose arguments are the causes, by role. A column goes
by its role in the world; how it is called in the data is a matter of the story. One with no `time`
is never measured, and hidden from whoever sees the rows.

>>> column = binary("outcome", lambda treatment, age: 0.2 + 0.3 * treatment + 0.1 * age, time=2)
>>> column.causes, column.tabulate().tolist()
(('treatment', 'age'), [[0.2, 0.30000000000000004], [0.5, 0.6]])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "NORMAL",
    "Array",
    "Column",
    "DataColumn",
    "Kind",
    "Noise",
    "assigned",
    "binary",
    "derived",
    "real",
    "round_values",
    "spread",
    "to_integers",
    "within",
]

Array = NDArray[Any]
Kind = Literal["binary", "category", "count", "real", "share"]


@dataclass(frozen=True)
class DataColumn:
    """A column of the data.

    Attributes:
        role: What it is in the world, such as treatment.
        kind: What its values are.
        measured: When it was measured: 0 before everything else, 1 next; equal numbers, at once.
    """

    role: str
    kind: Kind
    measured: int


@dataclass(frozen=True)
class Noise:
    """What chance does to a column.

    Attributes:
        draw: A generator and a number of units to the noise of each.
        examples: The noise of three units, for effects that are the same for all.
    """

    draw: Callable[[np.random.Generator, int], Array]
    examples: tuple[float, float, float]


UNIFORM = Noise(lambda rng, size: rng.random(size), (0.2, 0.5, 0.8))
NORMAL = Noise(lambda rng, size: rng.standard_normal(size), (-1.0, 0.0, 1.0))
LOT = Noise(lambda rng, size: to_integers(rng.permutation(size) % 2), (0, 1, 0))


@dataclass(frozen=True)
class Column:
    """One column of a world.

    Attributes:
        role: What it is in the world, such as treatment.
        mechanism: Its noise, if it has any, and its causes by name, to its values.
        causes: The roles of its causes.
        noise: What chance does to it; None where it follows from its causes.
        kind: What its values are.
        time: When it is measured, if it is.
        digits: How many digits of real values are shown.
        show: Values as they are in the world to values in the units of the data.
        chance: For a column that is 0 or 1, its causes to the chance that it is 1.
    """

    role: str
    mechanism: Callable[..., Any]
    causes: tuple[str, ...] = ()
    noise: Noise | None = None
    kind: Kind = "real"
    time: int | None = None
    digits: int = 3
    show: Callable[[Array], Array] | None = None
    chance: Callable[..., Any] | None = None

    def compute(self, values: Mapping[str, Any], noise: Mapping[str, Array]) -> Any:
        """Return its values, given those of its causes."""
        own = () if self.noise is None else (noise[self.role],)
        return self.mechanism(*own, **{cause: values[cause] for cause in self.causes})

    def tabulate(self) -> Array:
        """Return its chance to be 1 for all values of its causes, which are 0 or 1 too."""
        if self.chance is None:
            raise ValueError(f"{self.role} must be 0 or 1 by chance, got {self.kind} values")
        bits = np.indices((2,) * len(self.causes))
        chance = self.chance(**dict(zip(self.causes, bits, strict=True)))
        return np.broadcast_to(np.asarray(chance, dtype=float), (2,) * len(self.causes))

    def render(self, values: Array) -> Array:
        """Return values as they are shown."""
        if self.kind in ("binary", "count"):
            return to_integers(values)
        return round_values(values if self.show is None else self.show(values), self.digits)


def binary(
    role: str,
    chance: float | Callable[..., Any],
    *,
    time: int | None = None,
    causes: Sequence[str] | None = None,
) -> Column:
    """Return a column that is 1 where a uniform number is below a chance."""
    given, causes = _as_function(chance, causes)
    return Column(
        role,
        lambda noise, **values: to_integers(noise < given(**values)),
        tuple(causes),
        UNIFORM,
        "binary",
        time,
        chance=given,
    )


def real(
    role: str,
    mean: float | Callable[..., Any] = 0.0,
    scale: float = 1.0,
    *,
    time: int | None = None,
    causes: Sequence[str] | None = None,
    digits: int = 3,
    show: Callable[[Array], Array] | None = None,
) -> Column:
    """Return a column that is a mean plus normal noise of some standard deviation."""
    given, causes = _as_function(mean, causes)
    return Column(
        role,
        lambda noise, **values: given(**values) + scale * noise,
        tuple(causes),
        NORMAL,
        time=time,
        digits=digits,
        show=show,
    )


def assigned(role: str, *, time: int | None = None) -> Column:
    """Return a column that is 0 or 1 by lot, as many of each."""
    return Column(role, lambda noise: noise, (), LOT, "binary", time)


def derived(
    role: str,
    value: Callable[..., Any],
    kind: Kind = "real",
    *,
    time: int | None = None,
    digits: int = 3,
    show: Callable[[Array], Array] | None = None,
) -> Column:
    """Return a column that follows from its causes."""
    chance = value if kind == "binary" else None
    return Column(
        role, value, _arguments(value), None, kind, time, digits=digits, show=show, chance=chance
    )


def spread(role: str, levels: int, *, time: int | None = None) -> Column:
    """Return a column that runs from 1 to some level over the rows, each as often."""
    layout = Noise(lambda _, size: np.arange(size) * levels // size + 1, (1, 1, levels))
    return Column(role, lambda noise: noise, (), layout, "count", time)


def within(role: str, low: int, high: int, *, time: int | None = None) -> Column:
    """Return a column of whole numbers from low to high, each as likely."""
    noise = Noise(lambda rng, size: rng.integers(low, high + 1, size), (low, low, high))
    return Column(role, lambda noise: noise, (), noise, "count", time)


def _as_function(
    value: float | Callable[..., Any], causes: Sequence[str] | None
) -> tuple[Callable[..., Any], Sequence[str]]:
    if not callable(value):
        return (lambda: value), ()
    return value, _arguments(value) if causes is None else causes


def _arguments(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's arguments, which are the causes of a column."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def round_values(values: Array, digits: int = 3) -> Array:
    """Round real values as they will be shown; without a negative zero, which shows as -0.0."""
    rounded: Array = np.round(values, digits) + 0.0
    return rounded


def to_integers(values: Array) -> Array:
    """Return binary or counted values as whole numbers, as they will be shown."""
    return values.astype(np.int64)
