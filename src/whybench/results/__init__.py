"""What came of it: answers, measures and comparisons, each of them a table.

`load` makes `Records` of whatever holds answers; `Records.measures` gives `Measures`, and
`Records.compare` a `Comparison`. All three are frames (see `whybench.frames`).
"""

from whybench.results.comparison import Change, Comparison, compare
from whybench.results.measures import Measures
from whybench.results.records import Records
from whybench.results.sources import load

__all__ = ["Change", "Comparison", "Measures", "Records", "compare", "load"]
