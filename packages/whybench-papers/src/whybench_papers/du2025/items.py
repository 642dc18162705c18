"""The items of du2025: a question about a published data set or an illustration.

The value of an answer is its score, so the truth of every item is 1, full marks. The id follows
from the prompt, the rows, the truths of the fields and the rubric.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from whybench.scm import agreed
from whybench.seeds import item_digest
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.items import (
    COLUMNS as OWN_COLUMNS,
)
from whybench.suites.analyze.items import (
    DataSetItem,
    certify_score,
    check_digest,
    describe_question,
    describe_truth,
    drop_rows,
    rows_digest,
)
from whybench.suites.designs import name_item
from whybench_papers.du2025.design import MANIPULATED
from whybench_papers.du2025.forms import DATA_SETS, NAME, NEITHER, NO_RUBRICS
from whybench_papers.du2025.grader.verdicts import MET, mean_mark
from whybench_papers.du2025.illustrations import ILLUSTRATIONS, illustrated_instance
from whybench_papers.du2025.instances import published_instance
from whybench_papers.du2025.rubrics import read_rubric

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.contract import Scalar
    from whybench_papers.du2025.design import Du2025Design

RANDOM_COLUMNS: Mapping[str, type] = {"variant": str, "draw": int, "size": int, "data": str}
"""The columns that identify the data set: the variant and the number (`draw`), with the number of
rows and a digest of them."""

COLUMNS: Mapping[str, type] = {
    **{name: kind for name, kind in OWN_COLUMNS.items() if name != "setting"},
    "rubrics": str,
}
"""The factor columns of the records: those of analyze and `rubrics`. `twin` is trap or control for
illustrations and none for data sets; all rows are shown (`rows` is 0), and `split` is test, since
published data may be in any training data."""

CACHED = 256
"""The number of data sets whose digests are kept."""


def find_instance(variant: str, challenge: str, number: int, rubrics: str) -> Instance:
    """Return the data set of this number, from 1."""
    if variant == DATA_SETS:
        return published_instance(challenge, number, rubrics)
    return illustrated_instance(variant, number)


@lru_cache(maxsize=CACHED)
def _find_key(variant: str, challenge: str, number: int, rubrics: str) -> tuple[Instance, str]:
    instance = find_instance(variant, challenge, number, rubrics)
    return drop_rows(instance), rows_digest(instance)


def _read_place(factors: Mapping[str, Any]) -> tuple[str, str, int, str]:
    return (
        str(factors["variant"]),
        str(factors["challenge"]),
        int(factors["draw"]),
        str(factors["rubrics"]),
    )


def instance_from_factors(factors: Mapping[str, Any]) -> Instance:
    """Return the data set of an item, given its factors."""
    grading_key(factors)
    return find_instance(*_read_place(factors))


def grading_key(factors: Mapping[str, Any]) -> Instance:
    """Return the data set of an item without its rows.

    Raises:
        UserError: The rows are not those that the item was about.
    """
    key, digest = _find_key(*_read_place(factors))
    check_digest(digest, factors, " ".join(map(str, _read_place(factors))))
    return key


@dataclass(frozen=True)
class Du2025Item(DataSetItem):
    """One question about one data set.

    Attributes:
        challenge: Our name of the challenge.
        variant: `data_sets`, or the name of an illustration.
        draw: The number of the data set, from 1.
        label: The names of brands: neutral, flattering or damning.
        rubrics: The rubrics by which answers are marked, or none.
    """

    rubrics: str = NO_RUBRICS

    @property
    def instance(self) -> Instance:
        """The data set, with the truth of each field."""
        return find_instance(self.variant, self.challenge, self.draw, self.rubrics)

    @property
    def rubric(self) -> dict[str, str]:
        """The criteria by which answers are marked; none where there is a form."""
        if self.rubrics == NO_RUBRICS:
            return {}
        return read_rubric(self.challenge, self.draw, self.rubrics)

    @property
    def identity(self) -> str:
        """The canonical description that, with the truth, decides the id."""
        more = {"rubric": self.rubric} if self.rubric else {}
        return describe_question(self.instance, self.prompt, self.label, **more)

    @cached_property
    def digest(self) -> str:
        """Equal exactly when prompt, rows, truths and rubric are equal."""
        return item_digest(NAME, self.identity, self.truth)

    @cached_property
    def id(self) -> str:
        """Case, condition and digits."""
        return name_item(self.digest, self.case, asdict(self), MANIPULATED, generated=False)

    @cached_property
    def certificate(self) -> Certificate:
        """The score of the true answer, or of one that meets every criterion, derived twice."""
        if not self.rubric:
            return certify_score(self.instance)
        return agreed(
            f"score of an answer to {self.challenge} that meets every criterion",
            ("mean of the marks", mean_mark(dict.fromkeys(self.rubric, MET))),
            ("points over the highest score", len(self.rubric) / len(self.rubric)),
        )

    @cached_property
    def factors(self) -> dict[str, Scalar]:
        """The position in the design, and which data set it is."""
        instance = self.instance
        illustration = ILLUSTRATIONS.get(self.variant)
        values = asdict(self) | {
            "family": CHALLENGES[self.challenge].family,
            "twin": illustration.twin if illustration else NEITHER,
            "rows": 0,
            "split": "test",
            "size": instance.size,
            "data": rows_digest(instance),
        }
        return {name: values[name] for name in COLUMNS}


def du2025_items(design: Du2025Design) -> Iterator[Du2025Item]:
    """Yield the items of a design; every prefix of whole blocks is balanced."""
    for number in range(1, design.sets + 1):
        for cell in design.cells:
            yield Du2025Item(**cell, draw=number, rubrics=design.rubrics)


def describe_answer_key(item: Du2025Item) -> Iterator[str]:
    """Yield the criteria of the rubric, or the truth of each field."""
    yield from (f"{name:32} {text}" for name, text in item.rubric.items())
    yield from describe_truth(item.instance, item.names)
