"""What came of it: answers, measures and comparisons, each of them a table.

`load` makes `Records` of whatever holds answers; `Records.measures` gives `Measures`,
`Records.compare` a `Comparison`, by a factor a `ConditionComparison`, and
`Records.compare_with_people` is `AmongPeople`. All are frames (see `whybench.frames`).
"""

from whybench.results.among_people import AmongPeople
from whybench.results.comparison import Change, Comparison, compare
from whybench.results.conditions import ConditionComparison, MeanChange
from whybench.results.measures import Measures
from whybench.results.records import Records
from whybench.results.sources import load

__all__ = [
    "AmongPeople",
    "Change",
    "Comparison",
    "ConditionComparison",
    "MeanChange",
    "Measures",
    "Records",
    "compare",
    "load",
]
