"""What the figures of compose are drawn from: plain results, whoever computed them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from whybench.stats import Estimate
from whybench.suites.compose.verdicts import DELTA, ratio_of, verdict_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.compose.chain import Chain
    from whybench.suites.compose.comparisons import Composition
    from whybench.suites.compose.verdicts import Verdict

__all__ = ["Classified", "CutTree", "PairEffect"]


@dataclass(frozen=True)
class PairEffect:
    """How strongly one anchor acts on another, in truth and as answered.

    Attributes:
        cause: The earlier anchor.
        effect: The later one.
        true: The true effect.
        answered: The answered effect; None without answers.
        low: Lower end of its interval; None where there is none.
        high: Upper end of its interval.
    """

    cause: int
    effect: int
    true: float
    answered: float | None
    low: float | None = None
    high: float | None = None

    @property
    def ratio(self) -> Estimate:
        """The error as a share of the larger effect, as in `verdicts`.

        It rises with the answered effect, so its interval has the ends of that one's.
        """
        estimate, low, high = (
            None if value is None else ratio_of(value, self.true)
            for value in (self.answered, self.low, self.high)
        )
        return Estimate(estimate, low, high, 0, 0, "ends of the interval of the answered effect")

    def verdict(self, delta: float = DELTA) -> Verdict:
        """Say whether the answered effect is the true one, by the rule for compositions.

        The interval alone decides; whether rarer errors would show is not asked here.
        """
        return verdict_of(self.ratio, delta)


@dataclass(frozen=True)
class CutTree:
    """The effects between all anchors of a world, as one agent answered them.

    Attributes:
        labels: Whose answers they are: the agent, and its condition.
        chain: The blocks of the world.
        effects: One for each pair of anchors.
    """

    labels: Mapping[str, str]
    chain: Chain
    effects: tuple[PairEffect, ...]

    def __post_init__(self) -> None:
        given = tuple((effect.cause, effect.effect) for effect in self.effects)
        if sorted(given) != sorted(self.chain.pairs):
            raise ValueError(
                f"effects must be one for each of the pairs {self.chain.pairs}, got {given}"
            )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each effect as a flat row."""
        for effect in self.effects:
            yield {**self.labels, **asdict(effect), "error": effect.ratio.estimate}


@dataclass(frozen=True)
class Classified:
    """The compositions of one agent.

    Attributes:
        labels: Whose they are: the agent, and its condition.
        compositions: The compositions of all worlds.
    """

    labels: Mapping[str, str]
    compositions: tuple[Composition, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each composition as a flat row."""
        for found in self.compositions:
            about = {"path": " ".join(map(str, found.path)), "quantity": found.quantity}
            ends = {
                f"{name}_{end}": getattr(compared.ratio, end)
                for name, compared in (("valid", found.valid), ("consistent", found.consistent))
                for end in ("estimate", "low", "high")
            }
            yield {**self.labels, **about, **ends, "class": found.kind}
