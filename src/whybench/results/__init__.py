"""What came of it: answers, measures and comparisons, each of them a table.

`load` makes `Records` of whatever holds answers; `Records.measures` gives `Measures`, and
`Records.compare` and `Records.compare_with_people` give a `Comparison`, whose rows are
`Difference`. All are frames (see `whybench.frames`).
"""

from whybench.results.comparison import Comparison
from whybench.results.measures import Measures
from whybench.results.records import Records
from whybench.results.sources import compare, load
from whybench.stats import Difference

__all__ = [
    "Comparison",
    "Difference",
    "Measures",
    "Records",
    "compare",
    "load",
]
