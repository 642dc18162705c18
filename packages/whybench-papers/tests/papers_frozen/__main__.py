"""`python -m papers_frozen write` writes the files again; names after it limit it to these files.

Run it with `PYTHONPATH=.:packages/whybench-papers/tests`. All data must be there
(`WHYBENCH_DATA_MIRROR`).
"""

from __future__ import annotations

import sys
from pathlib import Path

from papers_frozen.sections import SECTIONS
from tests.frozen.rows import write_sections

write_sections(sys.argv[1:], SECTIONS, Path(__file__).parent / "data", __doc__ or "")
