"""The source's own data sets, questions and keys, and its keys recomputed from its rows.

The source publishes 75 data sets, five for each of 15 challenges, with questions at five levels of
hints, keys and rubrics. They are downloaded (`whybench data fetch CausalPitfalls`) and never
bundled. `reading` reads them, `recomputed` works out from the rows what a key should hold, in two
`ways`, and `replication` sets both side by side. What does not agree is explained in docs/errata.

They can be asked, too (design `published`): `forms` says which fields an answer has, `questions`
fills in the source's questions, `instances` makes an instance of a data set, which the suite grades
as any other, and `agreement` holds an answer against the printed key.
"""

from __future__ import annotations

from whybench.suites.analyze.published.reading import (
    CHALLENGES,
    SOURCE,
    DataSet,
    Question,
    data_sets,
    rubric,
)

__all__ = ["CHALLENGES", "SOURCE", "DataSet", "Question", "data_sets", "rubric"]
