"""Write the list of measures from the suites' tables: `python -m docs.measures [--check]`.

`--check` writes nothing. It exits with status 1 if `docs/measures.md` is stale.
"""

from __future__ import annotations

import argparse
import sys
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING

from whybench.suites.measures import By
from whybench.suites.registry import TEACHING_ORDER, get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.measures import DeclaredMeasure

PAGE = Path(__file__).parent / "measures.md"

OPENING = """# Measures

The table of a suite defines each of its measures: name, meaning, range and direction. `whybench
results` prints the measures of your answers by these names:

```bash
whybench run calculate --model reference/calculate.slips --limit 8 --log-dir logs
whybench results logs --json
```

*By* lists the factors at each of whose levels the measure is also given, if there are several.
*Better* shows whether higher or lower values are better. *Baseline* is the value of an agent that
doesn't reason, and *exact* the value of an agent without errors, where they are known.
"""

HEADER = """| measure | name in reports | meaning | by | range | better | baseline | exact |
|---|---|---|---|---|---|---|---|"""


def write_page() -> str:
    """Return the text of the page."""
    return "\n".join([OPENING, *(line for name in TEACHING_ORDER for line in _section(name))])


def _section(name: str) -> Iterator[str]:
    table = get_suite(name).measure_table
    yield f"## {name}\n"
    if not table:
        yield f"See [{name}]({name}.md).\n"
        return
    yield HEADER
    yield from dict.fromkeys(map(_row, sorted(table, key=lambda one: one.name)))
    yield ""


def _row(one: DeclaredMeasure) -> str:
    better = "" if one.direction == "neither" else one.direction
    cells = (
        *(f"`{one.name}`", one.label, one.meaning),
        ", ".join(f"`{split.factor}`" for split in one.levels if isinstance(split, By)),
        *(_range(one), better, _number(one.baseline), _number(one.exact)),
    )
    return f"| {' | '.join(cells)} |"


def _range(one: DeclaredMeasure) -> str:
    low, high = one.range
    if isinf(low) and isinf(high):
        return "any"
    if isinf(low):
        return f"at most {_number(high)}"
    return f"at least {_number(low)}" if isinf(high) else f"{_number(low)} to {_number(high)}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}".replace("-", "−")


def main() -> None:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(prog="python -m docs.measures", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, report staleness")
    text = write_page()
    if not parser.parse_args().check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/measures.md is stale; run `python -m docs.measures`")


if __name__ == "__main__":
    main()
