"""`papers audit` recomputes the answer keys of other benchmarks from their prompts."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.cli.options import json_option, print_json
from whybench.errors import Interrupted, UserError
from whybench.terminal import print_groups, print_line, print_rows, show_progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench_papers.audits import Audit, Finding


@click.command("audit", epilog="Example: whybench papers audit rlcausal -o findings.csv")
@click.argument("name", required=False)
@click.option(
    "--folder", metavar="PATH", help="Audit files in this folder. [default: pinned downloads]"
)
@click.option(
    "--only", default="", metavar="TEXT", help="Audit only files whose path contains TEXT."
)
@click.option("--limit", type=click.IntRange(1), help="Audit at most N items per file.")
@click.option("-o", "--output", metavar="FILE", help="Write the verdict on each item to .csv.")
@json_option
def audit_command(
    name: str | None,
    folder: str | None,
    only: str,
    limit: int | None,
    output: str | None,
    json_output: bool,
) -> None:
    """Recompute the answer keys of the benchmark NAME; without NAME, list benchmarks.

    The model of each item is parsed from its prompt, and the published key is compared with the
    computed answer. Verdicts are right, wrong, undetermined (the prompt allows several answers) or
    trivial (right, but answerable without the reasoning in question). Files are downloaded and
    their checksums verified, unless you give --folder.
    """
    from whybench_papers.audits import (  # noqa: PLC0415  (not for --help)
        AUDITS,
        count_rows,
        find_folder,
        get_audit,
        write_findings,
    )

    if name is None:
        _list(AUDITS.values(), json_output)
        return
    audit = get_audit(name)
    if output is not None and Path(output).suffix != ".csv":
        raise UserError(f"`output` must end in .csv, got {output!r}")
    files = audit.choose(only)
    place = find_folder(audit, files, folder)
    start = time.perf_counter()
    findings = _examine(audit, files, place, limit, json_output)
    seconds = time.perf_counter() - start
    if output is not None:
        write_findings(findings, Path(output))
    counts = count_rows(findings)
    readers = audit.readers(findings) if audit.readers else []
    if json_output:
        summary = {"audit": audit.name, "items": len(findings), "seconds": round(seconds, 1)}
        print_json({**summary, "counts": counts, "readers": readers})
        return
    texts = [
        {**row, "items": f"{row['items']:,}", "share": f"{row['share']:.1%}"} for row in counts
    ]
    print_groups(texts, _get_file, _print_file)
    if readers:
        print_line("\nScores of a perfect reader of the prompts, by the benchmark's own rule:")
        print_groups(readers, _get_file, _print_file)
    rate = len(findings) / seconds
    print_line(f"\n{len(findings):,} items in {seconds:,.0f} seconds, {rate:,.0f} per second")
    if output is not None:
        print_line(f"Verdicts: {output}")


def _get_file(row: Mapping[str, object]) -> str:
    return str(row["file"])


def _print_file(file: str, rows: Sequence[Mapping[str, object]]) -> None:
    print_rows(
        [{**{name: str(cell) for name, cell in row.items()}, "file": ""} for row in rows], file
    )


def _examine(
    audit: Audit, files: dict[str, int], folder: Path, limit: int | None, quiet: bool
) -> list[Finding]:
    """Return all findings, and show the progress."""
    total = sum(min(items, limit or items) for items in files.values())
    found: list[Finding] = []
    try:
        with show_progress("auditing", total, quiet) as advance:
            for finding in audit.examine(folder, tuple(files), limit):
                found.append(finding)
                advance(1)
    except KeyboardInterrupt as error:
        number = getattr(error, "signal", signal.SIGINT)
        message = f"Stopped after {len(found):,} of {total:,} items; nothing was written."
        raise Interrupted(number, message) from None
    if not found:
        raise UserError(f"the files of {audit.name} must hold items, got none in {folder}")
    return found


def _list(audits: Iterable[Audit], json_output: bool) -> None:
    rows = [
        {
            "name": audit.name,
            "title": audit.title,
            "files": str(len(audit.files)),
            "items": f"{sum(audit.files.values()):,}",
        }
        for audit in audits
    ]
    if json_output:
        print_json(*rows)
        return
    print_rows(rows)
