"""dettki2025: the cases of judge in the prompts of Dettki (2025), with the replies of 30 models.

You need the prompts and replies (`whybench data fetch dettki2025`) and, for comparisons with
people, their judgments (`whybench data fetch causAIign`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.contract import Budget, Costs, Inspection
from whybench.suites.designs import build_design
from whybench.suites.judge import Judge
from whybench.suites.judge.items import draw_graph
from whybench.suites.suite import NONE
from whybench_papers.dettki2025.design import DESIGNS, PublishedDesign
from whybench_papers.dettki2025.items import NAME, PublishedItem, generate_items
from whybench_papers.replication import Replication

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.suites.judge.design import JudgeDesign
    from whybench.suites.judge.items import JudgeItem

__all__ = ["REPLICATION", "SUITE"]


def _people() -> pa.Table:
    from whybench_papers.dettki2025.replies import people_table  # noqa: PLC0415

    return people_table()


def _tables(
    resamples: int, beside: pa.Table | None = None
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    from whybench_papers.dettki2025.replication import replicate  # noqa: PLC0415

    return replicate(resamples, beside)


def _figures(beside: pa.Table | None = None) -> Iterable[Figure]:
    from whybench_papers.dettki2025.figures.replication import replication_figures  # noqa: PLC0415

    return replication_figures(beside=beside)


REPLICATION = Replication(
    _tables,
    _figures,
    (
        *("people", "human_correlation", "story_differences", "story_permutations", "story_pairs"),
        *("agent_differences", "agent_pairs", "measures", "fits", "tallies", "changes", "models"),
        *("prompts", "own_changes"),
    ),
    suite=NAME,
)
"""The tables and figures of the paper; `own_changes` is about your agents."""


BASELINES = {"people": _people}


class Dettki2025(Judge):
    """Rate how likely an event is, from 0 to 100, in the prompts of Dettki (2025)."""

    name = NAME
    cases_of = "judge"
    summary = "asks the cases of judge in the prompts of Dettki (2025)"
    designs = DESIGNS
    minds = NONE
    baselines = BASELINES
    study = None
    costs = Costs(
        Judge.costs.reply_tokens,
        budgets={
            "small": Budget({"design": "core"}, "the paper's stories without distractors"),
            "standard": Budget({"design": "thesis"}, "the paper's whole experiment"),
            "full": Budget({"design": "thesis"}, "the paper's whole experiment"),
        },
        temperature=Judge.costs.temperature,
    )
    inspection = Inspection(
        scorer=Judge.inspection.scorer,
        metric=Judge.inspection.metric,
        headline=Judge.inspection.headline,
        sample_scores=Judge.inspection.sample_scores,
    )

    def make_design(self, settings: Mapping[str, object]) -> JudgeDesign:
        """Build a design from a named one and changes."""
        return build_design(settings, DESIGNS)

    def items(self, design: JudgeDesign) -> Iterable[JudgeItem]:
        """Return the items of a design."""
        assert isinstance(design, PublishedDesign)
        return generate_items(design)

    def render(self, item: JudgeItem) -> str:
        """Return the published prompt."""
        assert isinstance(item, PublishedItem)
        return item.prompt

    def is_native_prompt(self, item: JudgeItem) -> bool:  # noqa: ARG002
        """Return False: prompts are in the paper's words and cannot be parsed to worlds."""
        return False

    def draw(self, item: JudgeItem) -> Iterator[str]:
        """Return lines that picture the causal graph; abstract names are those of the paper."""
        return draw_graph(item, words=item.story.content == "story")


SUITE = Dettki2025()
