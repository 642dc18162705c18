"""From answers to a page in a file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from whybench.results.records import Records
from whybench.results.sources import load
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["check_target", "report"]

ENDINGS = (".html", ".htm")


def report(
    records: Records | str | Path,
    output: str | Path,
    *,
    title: str = "Causal reasoning",
    date: str = "",
    seed: int = 0,
    against: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Write one page about answers: profiles, comparisons, figures, answers, measures, data.

    The page is one HTML file that needs nothing else: it opens from disk and can be mailed.

    Args:
        records: The answers, or where they are.
        output: The page, a file ending in .html.
        title: Its heading.
        date: A date to show; without it there is none.
        seed: Decides which answers are shown, if not all.
        against: Compare every agent with this one; by default every two, or with the first if many.
        say: Hears what is being done, a line at a time.

    Returns:
        The file.
    """
    from whybench.page.assembly import make_page  # noqa: PLC0415
    from whybench.page.material import Material  # noqa: PLC0415
    from whybench.records.runs import read_runs  # noqa: PLC0415  (imports Inspect)

    target = check_target(output)
    answers = records if isinstance(records, Records) else load(records)
    if against and against not in answers.agents:
        known = ", ".join(sorted(answers.agents))
        raise UserError(f"`against` must be one of the agents ({known}), got {against!r}")
    material = Material(
        tables=list(answers.tables.items()),
        beside=frozenset(answers.baseline_agents),
        runs=read_runs(answers.logs) if answers.logs else (),
        logs=answers.logs,
    )
    page = make_page(material, title=title, dated=date, seed=seed, against=against, say=say)
    target.write_text(page, encoding="utf-8")
    return target


def check_target(output: str | Path) -> Path:
    """Make sure, before the work, that its result can be kept, and return where."""
    target = Path(output)
    if target.suffix not in ENDINGS:
        raise UserError(f"`output` must be a file ending in .html, got {output}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=target.parent):
            pass
        if target.is_dir():
            raise IsADirectoryError("it is a folder")
    except OSError as error:
        reason = error.strerror or error
        raise UserError(
            f"`output` must be where the page can be written, got {target}: {reason}; choose "
            "another"
        ) from None
    return target
