"""Tables that convert themselves for whichever library of data frames the reader uses.

Arrow is the form inside. Pandas and polars are imported only where somebody wants them, and any
library that knows the Arrow capsule protocol takes such an object as it is:
`duckdb.sql("select * from answers")`, `polars.DataFrame(measures)`. In a notebook the first rows
are shown.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd
    import pyarrow as pa

SHOWN = 20
"""Rows of a table that a notebook shows."""

LONG = 80
"""Characters of a cell that a notebook shows."""


class LazyTables(Mapping[str, "Sequence[Mapping[str, Any]]"]):
    """Tables of rows by name, each made when it is first needed."""

    def __init__(self, makers: Mapping[str, Callable[[], Sequence[Mapping[str, Any]]]]) -> None:
        """Hold what makes each table."""
        self._makers = dict(makers)
        self._made: dict[str, Sequence[Mapping[str, Any]]] = {}

    def __getitem__(self, name: str) -> Sequence[Mapping[str, Any]]:
        """Return the rows of a table."""
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Frame(ABC):
    """A table, for pandas, polars, R and whoever reads Arrow."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Return the table as Arrow has it."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas data frame."""
        try:
            import pandas  # noqa: F401, PLC0415  (only where it is asked for)
        except ModuleNotFoundError as missing:
            raise ImportError("to_pandas needs pandas: pip install 'whybench[pandas]'") from missing
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> Any:
        """Return the table as a polars data frame."""
        try:
            import polars  # noqa: PLC0415
        except ModuleNotFoundError as missing:
            raise ImportError("to_polars needs polars: pip install polars") from missing
        return polars.from_arrow(self.to_arrow())

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the table as a list of dictionaries."""
        rows: list[dict[str, Any]] = self.to_arrow().to_pylist()
        return rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the table to a library that knows Arrow's capsules."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        """Return the first rows for a notebook, without columns that are empty in all of them."""
        from html import escape  # noqa: PLC0415  (kept out of the start-up path)

        table = self.to_arrow()
        rows = table.slice(0, SHOWN).to_pylist()
        names = [n for n in table.column_names if any(row[n] not in (None, "") for row in rows)]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            f"<tr>{''.join(f'<td>{_cell(row[name])}</td>' for name in names)}</tr>" for row in rows
        )
        left = table.num_rows - len(rows)
        more = f"<p>… and {left:,} more rows</p>" if left else ""
        title = f"<p>{escape(repr(self))}</p>"
        return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def rows_to_arrow(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str] | None = None
) -> pa.Table:
    """Return flat rows as a table; what a row lacks is null.

    A column that holds words for some rows and numbers for others is of words, and one that is
    empty throughout is of numbers.

    Args:
        rows: The rows.
        names: The columns, in order; those of the rows, in order of appearance, if not stated.
    """
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)

    columns = dict.fromkeys(name for row in rows for name in row) if names is None else names
    return pa.table({name: _column([row.get(name) for row in rows]) for name in columns})


def _column(values: list[Any]) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415

    present = [value for value in values if value is not None]
    if any(isinstance(value, str) for value in present):
        return pa.array([None if value is None else str(value) for value in values])
    if any(isinstance(value, float) for value in present) or not present:
        return pa.array(values, type=pa.float64())
    return pa.array(values)


def _cell(value: object) -> str:
    from html import escape  # noqa: PLC0415

    if value is None:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return escape(text if len(text) <= LONG else f"{text[: LONG - 1]}…")


def rows_of(*given: object) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of what has them, as measures do, and of all such things in lists."""
    for one in given:
        if isinstance(one, list | tuple):
            yield from rows_of(*one)
        elif isinstance(one, dict):
            yield one
        elif hasattr(one, "row"):
            yield one.row()
        elif callable(rows := getattr(one, "rows", None)):
            yield from rows()
