"""feng2025: the worlds of intervene in the prompts of CausalLink (Feng and Rudzicz 2025).

You need the paper's prompts (`whybench data fetch CausalLink`). Nothing else of the paper is
published as data: its results are the numbers that its tables print (`replication`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.contract import Costs, Inspection
from whybench.suites.intervene import Intervene
from whybench.suites.intervene.episode import InterveneEpisode
from whybench.suites.suite import NONE
from whybench_papers.feng2025.items import (
    DESIGNS,
    NAME,
    feng2025_items,
    parse_published_case,
    render_prompt,
)
from whybench_papers.replication import Replication

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.suites.contract import Scalar
    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.items import InterveneItem


def _tables(
    _resamples: int, beside: pa.Table | None = None
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    from whybench_papers.feng2025.replication import replicate  # noqa: PLC0415

    return replicate(beside)


def _figures(beside: pa.Table | None = None) -> Iterable[Figure]:
    from whybench_papers.feng2025.figures import replication_figures  # noqa: PLC0415

    return replication_figures(beside)


REPLICATION = Replication(
    _tables,
    _figures,
    names=("published", "better", "failures", "structures", "sizes"),
    suite=NAME,
    note="The paper prints its results by structure and by number of entities as pictures: --with "
    "LOGS adds your agents to these tables and to the printed ones.",
)


class Feng2025(Intervene):
    """Find out by acting whether one thing causes another, in the words of CausalLink."""

    name = NAME
    summary = "asks the questions of intervene in the prompts of CausalLink"
    cases_of = "intervene"
    designs = DESIGNS
    minds = NONE
    training = None
    study = None
    play = None
    tool_use = None
    costs = Costs(
        reply_tokens=Intervene.costs.reply_tokens,
        turns=Intervene.costs.turns,
        temperature=Intervene.costs.temperature,
    )
    inspection = Inspection(
        scorer=Intervene.inspection.scorer,
        metric=Intervene.inspection.metric,
        shown=Intervene.inspection.shown,
        sample_scores=Intervene.inspection.sample_scores,
    )

    def items(self, design: InterveneDesign) -> Iterable[InterveneItem]:
        """Return the items of a design."""
        return feng2025_items(design)

    def render(self, item: InterveneItem) -> str:
        """Return the first message of an episode."""
        return render_prompt(item)

    def is_native_prompt(self, item: InterveneItem) -> bool:  # noqa: ARG002
        """Whether a prompt is in our words; none is."""
        return False

    def open_episode(self, factors: Mapping[str, Scalar]) -> InterveneEpisode:
        """Open the episode of an item."""
        return InterveneEpisode(parse_published_case(factors))


SUITE = Feng2025()
