"""`python -m tests.frozen write` writes the files again; names of files after it limit it to these.

All data must be there (`WHYBENCH_DATA_MIRROR`). Files that were written without it would hold less.
"""

from __future__ import annotations

import sys

from tests.frozen.rows import DATA, write_sections
from tests.frozen.sections import SECTIONS

write_sections(sys.argv[1:], SECTIONS, DATA, __doc__ or "")
