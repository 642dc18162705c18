"""Rounds of questions as a source of Inspect's samples.

Inspect asks a round, waits for its last answer and requests the next round. A resumed run reuses
the samples of its log, and their answers lead to the same rounds (`whybench.suites.rounds`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspect_ai import SampleSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSample, EvalSampleSummary

    from whybench.suites.items import Item
    from whybench.suites.rounds import Rounds

CORRECT = "correct"
"""The value of a score that is 1 for a correct answer, as suites that ask in rounds name it."""


class RoundSource(SampleSource):
    """The samples of rounds.

    Args:
        rounds: The rounds.
        make_sample: Makes the sample of an item.
    """

    def __init__(self, rounds: Rounds, make_sample: Callable[[Item], Sample]) -> None:
        self.rounds, self._make_sample = rounds, make_sample
        self.begin()

    def begin(
        self, *, accepts_errors: bool = False, on_round: Callable[[int], None] = lambda _: None
    ) -> None:
        """Forget the answers of an earlier run.

        Args:
            accepts_errors: Whether rounds go on without the samples that ended in an error.
            on_round: Called with the number of samples so far, at each round.
        """
        self._accepts_errors, self._on_round = accepts_errors, on_round
        self._answers: dict[str, bool | None] = {}
        self._added = {item.id for item in self.rounds.list_items({})}

    def initial_samples(self) -> list[Sample]:
        """Return the samples of the first round."""
        return [self._make_sample(item) for item in self.rounds.list_items({})]

    async def sample_complete(self, sample: EvalSample) -> None:
        """Note whether an answer is correct; of several epochs the first one counts."""
        if sample.epoch == 1:
            answer = is_sample_correct(sample)
            if answer is not None or self._accepts_errors:
                self._answers[str(sample.id)] = answer

    async def next_samples(self) -> list[Sample] | None:
        """Return the samples of the next round; None if there is none, or answers are missing."""
        planned = self.rounds.list_items(self._answers)
        new = [item for item in planned if item.id not in self._added]
        self._added |= {item.id for item in new}
        self._on_round(len(planned))
        return [self._make_sample(item) for item in new] or None


def is_sample_correct(sample: EvalSample | EvalSampleSummary) -> bool | None:
    """Return whether the answer of a sample is correct; None if it ended in an error."""
    if sample.error is not None or not sample.scores:
        return None
    (score,) = sample.scores.values()
    value = score.value
    return bool(value[CORRECT]) if isinstance(value, dict) else None
