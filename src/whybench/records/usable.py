"""Files of records of which some rows cannot be used.

A row that has lost its agent, whose number is a word or whose outcome is none of the three is left
out, counted and named, and the others are used. A column that is gone altogether is another
matter: without it no row says what it should, so the file is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from whybench.errors import UserError
from whybench.records.table import (
    AGAIN,
    cast_records,
    csv_columns,
    explain_damage,
    read_parquet,
    record_schema,
    select_columns,
    unescape_ids,
)
from whybench.seeds import item_id_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OUTCOMES = ("scored", "no_answer", "error")
"""What may have come of a question."""

NAMED = 3
"""How many rows that are left out a note names."""

WORDS = ("agent", "design", "design_hash", "item")
"""Columns that must not be empty, beside the numbers of version and epoch."""


def read_usable(
    path: str | Path, suite: str, columns: Mapping[str, type]
) -> tuple[pa.Table, list[str]]:
    """Read the rows of a file of records that can be used.

    Args:
        path: A .parquet or .csv file.
        suite: The suite that the records are of.
        columns: The suite's own columns.

    Returns:
        The records, and a note if rows were left out.

    Raises:
        UserError: The file is damaged, lacks a column, or none of its rows can be used.
    """
    source = Path(path)
    if source.suffix == ".parquet":
        with explain_damage(source):
            return keep_usable(read_parquet(source), suite, columns, source)
    schema = record_schema(columns)
    torn: list[int] = []

    def skip(row: Any) -> str:
        torn.append(row.number or 0)
        return "skip"

    texts = dict.fromkeys(csv_columns(source), pa.string())
    kinds = {**texts, **{field.name: field.type for field in schema}}
    with explain_damage(source):
        parse = pa.csv.ParseOptions(invalid_row_handler=skip)
        try:
            table = _read_csv(source, kinds, parse)
        except pa.ArrowInvalid:
            torn.clear()
            # Some cell is not what its column holds; which one, is found out cell by cell.
            table = _read_csv(source, texts, parse)
    return keep_usable(table, suite, columns, source, len(torn))


def _read_csv(source: Path, kinds: Mapping[str, pa.DataType], parse: Any) -> pa.Table:
    options = pa.csv.ConvertOptions(column_types=dict(kinds), strings_can_be_null=False)
    return unescape_ids(pa.csv.read_csv(source, parse_options=parse, convert_options=options))


def keep_usable(
    table: pa.Table, suite: str, columns: Mapping[str, type], source: str | Path, torn: int = 0
) -> tuple[pa.Table, list[str]]:
    """Return the rows of a table that can be used, with the columns of the suite's records.

    Args:
        table: Records as they were read.
        suite: The suite that they are of.
        columns: The suite's own columns.
        source: The file, for notes.
        torn: How many rows could not be read at all.

    Raises:
        UserError: A column is missing, or no row can be used.
    """
    schema = record_schema(columns)
    faults: dict[int, str] = {}
    try:
        typed = cast_records(table, columns, source)
    except UserError:
        typed, faults = _convert_cells(select_columns(table, columns, source), schema)
    for name, good in _find_good(typed, suite).items():
        if not pc.all(good, min_count=0).as_py():
            for row in pc.indices_nonzero(pc.invert(good)).to_pylist():
                cell = typed[name][row].as_py()
                faults.setdefault(row, f"no {name}" if cell in (None, "") else f"{name} {cell!r}")
    if not faults and not torn:
        return typed, []
    total = table.num_rows + torn
    if len(faults) + torn == total:
        first = next(iter(faults.values()), "a torn row")
        raise UserError(
            f"{source} must be a whole file of records, got {total} rows of which none can be used "
            f"(the first has {first}). {AGAIN}"
        )
    kept = typed.filter(pa.array([row not in faults for row in range(typed.num_rows)]))
    return kept, [_note(source, total, faults, torn)]


def _note(source: str | Path, total: int, faults: Mapping[int, str], torn: int) -> str:
    """Say which rows are left out; they are counted from 1, below the names of columns."""
    named = [f"row {row + 1} has {fault}" for row, fault in sorted(faults.items())[:NAMED]]
    named += [f"{torn} are torn"] if torn else []
    more = ["…"] if len(faults) > NAMED else []
    bad = len(faults) + torn
    return (
        f"{source} is damaged: {total - bad} of {total} rows are used ({', '.join(named + more)})"
    )


def _find_good(table: pa.Table, suite: str) -> dict[str, Any]:
    """Return, for each column that must hold something, where it does."""
    good = {name: pc.fill_null(pc.not_equal(table[name], ""), False) for name in WORDS}
    good |= {name: pc.is_valid(table[name]) for name in ("version", "epoch")}
    good["suite"] = pc.fill_null(pc.equal(table["suite"], suite), False)
    good["outcome"] = pc.is_in(table["outcome"], pa.array(OUTCOMES))
    scored = pc.fill_null(pc.equal(table["outcome"], "scored"), False)
    number = pc.fill_null(pc.is_finite(table["value"]), False)
    good["value"] = pc.or_(pc.invert(scored), number)
    formed = pc.match_substring_regex(table["item"], item_id_pattern(suite))
    if pc.any(formed).as_py():  # else the suite has ids of its own
        good["item"] = pc.fill_null(pc.and_(good["item"], formed), False)
    return good


def _convert_cells(table: pa.Table, schema: pa.Schema) -> tuple[pa.Table, dict[int, str]]:
    """Return a table with cells of the right types, and what is wrong in rows without."""
    faults: dict[int, str] = {}
    converted = []
    for field in schema:
        try:
            converted.append(table[field.name].cast(field.type))
        except pa.ArrowException:
            cells = table[field.name].to_pylist()
            converted.append(_convert_column(cells, field, faults))
    return pa.table(converted, schema=schema), faults


def _convert_column(cells: Sequence[Any], field: pa.Field, faults: dict[int, str]) -> pa.Array:
    values = []
    for row, cell in enumerate(cells):
        value = None
        if cell is not None and cell != "":
            try:
                value = pa.scalar(_parse(cell, field.type), field.type).as_py()
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                faults.setdefault(row, f"{field.name} {cell!r}"[:80])
        values.append(value)
    return pa.array(values, field.type)


def _parse(cell: Any, kind: pa.DataType) -> Any:
    if not isinstance(cell, str):
        return cell
    if pa.types.is_boolean(kind):
        return {"true": True, "false": False}[cell.lower()]
    return float(cell) if pa.types.is_floating(kind) else int(cell)
