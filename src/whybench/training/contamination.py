"""Which texts of a data set are ours, and whether they belong to tests.

| found | what it means | contamination |
|---|---|---|
| `canary` | the text carries our canary, and no prompt of a test was found in it | that of tests |
| `exact` | all words of a test's prompt, in a row; white space and case aside | yes |
| `near` | half or more of what is distinctive of a test's prompt (see `fingerprints`) | yes |
| `words` | told in a suite's words, and of no test design that was looked at | a test world |

Of a text in our words the side is told where its prompt says its world: then it follows from law 1,
whether or not anybody ever made a design of it. Items to train on are on the train side and are no
contamination. Where prompts do not say the world, the side stays open. A row that carries the
canary of training was exported for it, and counts as training unless a prompt that says everything
tells otherwise.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal

from whybench.suites.registry import get_suite
from whybench.training.canary import CANARY, sides_marked
from whybench.training.shingles import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whybench.training.corpora import Text
    from whybench.training.fingerprints import Fingerprints

__all__ = ["Contamination", "Finding", "Found", "examine", "find"]

Found = Literal["canary", "exact", "near", "words"]

SPOKEN = 20
"""Shingles that a text told in a suite's words has in common with its items to train on."""

Side = Literal["train", "test", "open"]
"""A side of the train/test divide; `open` where a text does not tell it."""


@dataclass(frozen=True)
class Finding:
    """What was found in a text.

    Attributes:
        where: The text.
        found: How it was found.
        suite: Whose prompt it is; empty where only a canary tells.
        designs: The test designs that ask it, with commas between them; empty if none does.
        split: The side of the train/test divide.
        item: The id of the item whose prompt it is, or is near to; empty if there is none.
        share: The share of the kept shingles of that prompt that the text has.
    """

    where: str
    found: Found
    suite: str = ""
    designs: str = ""
    split: Side = "open"
    item: str = ""
    share: float = 1.0

    @property
    def contaminates(self) -> bool:
        """Whether somebody who trains on the text trains on a test."""
        return self.split == "test"


@dataclass
class Contamination:
    """What was found in a data set.

    Attributes:
        texts: How many texts were looked at.
        findings: Those in which something of a test was found.
        counts: How many findings there are of each kind, suite, designs and side; all of them.
    """

    texts: int = 0
    findings: list[Finding] = field(default_factory=list)
    counts: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)

    @property
    def contaminated(self) -> bool:
        """Whether anything of a test was found."""
        return bool(self.findings)

    def count_rows(self) -> Iterator[dict[str, object]]:
        """Yield how many findings there are of each kind, suite, designs and side."""
        for (found, name, designs, split), count in sorted(self.counts.items()):
            row = {"found": found, "suite": name, "designs": designs, "split": split}
            yield {**row, "count": count}

    def summary(self, known: Fingerprints) -> dict[str, object]:
        """Return everything that was found, and what it was held against."""
        return {
            "texts": self.texts,
            "contaminated": self.contaminated,
            "counts": list(self.count_rows()),
            "findings": [asdict(finding) for finding in self.findings],
            "prompts": len(known.prompts),
            "not_to_be_found": known.alike,
            "left_out": dict(known.left_out),
        }


def examine(texts: Iterable[Text], known: Fingerprints) -> Contamination:
    """Look for prompts of tests in texts."""
    result = Contamination()
    seen: set[tuple[str, str]] = set()
    for text in texts:
        result.texts += 1
        for finding in find(text, known):
            # Pieces of plain text overlap: what lies in both counts once.
            key = finding.where.partition(", piece ")[0], finding.item
            if ", piece " in finding.where and finding.item and key in seen:
                continue
            seen.add(key)
            result.counts[finding.found, finding.suite, finding.designs, finding.split] += 1
            if finding.contaminates:
                result.findings.append(finding)
    return result


def find(text: Text, known: Fingerprints) -> list[Finding]:
    """Return what is ours in a text."""
    words = words_of(text.words)
    marked = sides_marked(text.all) if CANARY in text.all else set()
    trained = marked == {"train"}
    found = [
        Finding(
            text.where,
            "exact" if match.exact else "near",
            match.prompt.suite,
            ",".join(match.prompt.designs),
            "test",
            match.prompt.item,
            match.share,
        )
        for match in known.found_in(words)
        if not (trained and not get_suite(match.prompt.suite).prompts_identify)
    ]
    if found:
        return found
    name = known.spoken_by(words, SPOKEN)
    if marked:
        return [Finding(text.where, "canary", name or "", split="train" if trained else "test")]
    return [Finding(text.where, "words", name, split=_side(name, text.words))] if name else []


def _side(name: str, prompt: str) -> Side:
    """Return the side of a prompt, where it says its world and nothing stands around it."""
    asked = get_suite(name)
    if not asked.parses_prompts or asked.training is None:
        return "open"
    try:
        world = asked.parse_prompt(prompt)
    except ValueError:
        return "open"
    return asked.training.split_of(world) or "open"
