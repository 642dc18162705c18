"""The source's own data sets, questions and keys, and its keys recomputed from its rows.

The source publishes 75 data sets, five for each of 15 challenges, with questions at five levels of
hints, keys and rubrics. They are downloaded (`whybench data fetch CausalPitfalls`) and never
bundled. `data_sets` reads them, `recomputed` works out from the rows what a key should hold, by two
kinds of `arithmetic`, and `replication` compares both. What does not agree is explained in
docs/errata.

They can be asked, too (design `published`): `forms` says which fields an answer has and fills in
the source's questions, `instances` makes an instance of a data set, which the suite grades as any
other, and `replication` compares an answer with the printed key.
"""

from __future__ import annotations

from whybench.suites.analyze.published.data_sets import FOLDERS, SOURCE, DataSet, read_data_sets

__all__ = ["FOLDERS", "SOURCE", "DataSet", "read_data_sets"]
