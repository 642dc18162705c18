"""The figures of the library: how narrow its doors are, and a script in a fresh environment."""

from __future__ import annotations

import re
import tempfile
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from evidence.figures import Figure, Parts, figures_of
from evidence.installed import ROOT, install_wheel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evidence.installed import Installed

MOST_LINES = 12
"""So many lines may a script have that runs, loads, prints, compares, draws and reports."""


def shape(small: bool) -> Iterator[Figure]:  # noqa: ARG001  (there is no smaller house)
    """Yield how many names, methods and lines there are."""
    import whybench
    from whybench.suites.contract import Suite

    tasks = [name for name in whybench.__all__ if name in vars(import_module("whybench.tasks"))]
    names = len(whybench.__all__) - len(tasks)
    yield Figure(
        "at most 30 names at the front door, beside the tasks, which listings look for there",
        f"{names}, and {', '.join(tasks)}",
        names <= 30,
    )
    required = sorted(Suite.__abstractmethods__)
    yield Figure(
        "a suite must have at most 10 methods",
        f"{len(required)}: {', '.join(required)}",
        0 < len(required) <= 10,
    )
    source = ROOT / "src" / "whybench" / "cli"
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in source.glob("*.py"))
    yield Figure("the command has at most 2,900 lines", f"{lines:,}", lines <= 2900)


def readme_script() -> str:
    """Return the README's script."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    if found is None:
        raise RuntimeError("the README must have a script, got none")
    return found[1]


def script(small: bool) -> Iterator[Figure]:  # noqa: ARG001  (a script is a script)
    """Yield what the README's script leaves behind, with the extras and without them."""
    words = readme_script()
    count = len([line for line in words.splitlines() if line.strip()])
    with tempfile.TemporaryDirectory() as folder:
        fresh = install_wheel("pandas,figures")
        printed = fresh.run("python", "-c", words, cwd=_empty(folder, "with"))
        made = sorted(path.name for path in Path(folder, "with").iterdir())
        yield Figure(
            f"a script of at most {MOST_LINES} lines runs, loads, prints measures with intervals, "
            "compares, draws and writes a page",
            f"{count} lines; left {', '.join(made)}; printed a table of measures: "
            f"{'estimate' in printed and 'low' in printed}, of changes: {'verdict' in printed}",
            count <= MOST_LINES
            and {"explaining_away.png", "page.html"} <= set(made)
            and "estimate" in printed
            and "verdict" in printed,
        )
    with tempfile.TemporaryDirectory() as folder:
        yield from _without_extras(install_wheel(), _empty(folder, "without"))


def _without_extras(fresh: Installed, folder: Path) -> Iterator[Figure]:
    """Yield what works without the extras, and what a missing one says."""
    words = (
        "import whybench as wb\n"
        "for one in ('noisy-or', 'associative'):\n"
        "    wb.run('judge', model=f'reference/judge.{one}', limit=60)\n"
        "answers = wb.load('logs')\n"
        "measures = answers.measures()\n"
        "print('rows', len(measures.to_rows()), measures['explaining_away'].to_arrow().num_rows)\n"
        "print('changes', len(answers.compare(*answers.agents)))\n"
        "print('page', wb.report(answers, 'page.html').stat().st_size)\n"
        "figure = measures['explaining_away'].plot()\n"
        "print('figure', len(figure.rows))\n"
        "for action in (measures.to_pandas, lambda: figure.save('explaining_away.png')):\n"
        "    try:\n"
        "        action()\n"
        "    except ImportError as error:\n"
        "        print('says', error)\n"
    )
    printed = fresh.run("python", "-c", words, cwd=folder)
    said = [line.removeprefix("says ") for line in printed.splitlines() if line[:5] == "says "]
    numbers = {
        line.split()[0]: int(line.split()[1])
        for line in printed.splitlines()
        if line.split()[:1] and line.split()[0] in {"rows", "changes", "page", "figure"}
    }
    yield Figure(
        "without the extras all but data frames and drawing works, and says what to install",
        f"{numbers}; {'; '.join(said)}",
        len(numbers) == 4
        and all(numbers.values())
        and len(said) == 2
        and all("pip install 'whybench[" in line for line in said),
    )


def _empty(folder: str, name: str) -> Path:
    place = Path(folder, name)
    place.mkdir()
    return place


PARTS: Parts = {part.__name__: part for part in (shape, script)}

figures = partial(figures_of, PARTS)
