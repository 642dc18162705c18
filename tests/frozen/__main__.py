"""`python -m tests.frozen write` writes the files anew; names of files after it limit it to these.

All data must be there (`WHYBENCH_DATA_MIRROR`): files that were written without would hold less.
"""

from __future__ import annotations

import os
import sys

from tests.frozen.rows import DATA, write_rows
from tests.frozen.sections import SECTIONS


def main(words: list[str]) -> None:
    if words[:1] != ["write"] or not os.environ.get("WHYBENCH_DATA_MIRROR"):
        sys.exit(__doc__)
    names = [section.name for section in SECTIONS]
    if unknown := set(words[1:]) - set(names):
        sys.exit(f"a section must be one of {', '.join(names)}, got {', '.join(sorted(unknown))}")
    DATA.mkdir(exist_ok=True)
    for section in SECTIONS:
        if section.name in (words[1:] or [section.name]):
            path = DATA / f"{section.name}.jsonl"
            write_rows(path, section.rows())
            print(f"{path.name}: {path.stat().st_size} bytes")


main(sys.argv[1:])
