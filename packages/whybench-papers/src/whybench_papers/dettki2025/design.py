"""The designs of Dettki (2025): four conditions, and all of them in two styles (`thesis`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.suites.contract import UserError
from whybench.suites.designs import check_levels
from whybench.suites.judge.design import CONDITIONS, JudgeDesign
from whybench_papers.dettki2025.prompts import CATEGORY

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class PublishedDesign(JudgeDesign):
    """A design of judge, restricted to the graph and styles of the published prompts."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_levels("style", self.style, list(CATEGORY))
        if self.graph != "collider" or self.independence != ("unstated",):
            raise UserError(
                "published prompts must be asked about the collider with independence=unstated, "
                f"got graph={self.graph}, independence={','.join(self.independence)}; use the "
                "suite judge"
            )


DESIGNS: Mapping[str, PublishedDesign] = {
    **{
        own.name: PublishedDesign(
            own.name, story=own.story, overload=own.overload, overload_source=own.overload_source
        )
        for own in CONDITIONS
    },
    "thesis": PublishedDesign(
        "thesis",
        style=("direct", "cot"),
        union=tuple(
            tuple((name, getattr(own, name)) for name in ("story", "overload", "overload_source"))
            for own in CONDITIONS
        ),
    ),
}
"""The paper's conditions under the names that judge gives to the same in our words, and their
union in both styles of reply."""
