"""Which texts of a data set are ours, and whether they belong to tests.

| found | what it means | contamination |
|---|---|---|
| `canary` | the text carries our canary, and no prompt of a test was found in it | that of tests |
| `exact` | all words of a test's prompt, in a row; white space and case aside | yes |
| `near` | half or more of what is distinctive of a test's prompt (see `fingerprints`) | yes |
| `words` | in a suite's words, and of no test design that was looked at | a test world |

The split of a text in our words is known where its prompt says its world: then it follows from law
1, whether or not anybody ever made a design of it. Items to train on are of the train split and are
no contamination. Where prompts do not say the world, the split stays open. A row that carries the
canary of training was exported for it, and counts as training unless a prompt that says everything
shows otherwise.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal

from whybench.suites.registry import get_suite
from whybench.training.canary import CANARY, find_canaries
from whybench.training.shingles import digest_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whybench.training.corpora import Text
    from whybench.training.fingerprints import Fingerprints

MatchKind = Literal["canary", "exact", "near", "words"]

SHARED_SHINGLES = 20
"""Shingles that a text in a suite's words has in common with its items to train on."""

KnownSplit = Literal["train", "test", "open"]
"""A split; `open` where a text does not show it."""


@dataclass(frozen=True)
class TextFinding:
    """A prompt or a canary of ours in a text.

    Attributes:
        where: The text.
        found: How it was found.
        suite: Whose prompt it is; empty where there is only a canary.
        designs: The test designs that ask it, with commas between them; empty if none does.
        split: Its split.
        item: The id of the item whose prompt it is, or is near to; empty if there is none.
        share: The share of the kept shingles of that prompt that the text has.
    """

    where: str
    found: MatchKind
    suite: str = ""
    designs: str = ""
    split: KnownSplit = "open"
    item: str = ""
    share: float = 1.0

    @property
    def contaminates(self) -> bool:
        """Whether somebody who trains on the text trains on a test."""
        return self.split == "test"


@dataclass
class Contamination:
    """All findings in a data set.

    Attributes:
        texts: How many texts were searched.
        findings: Those of tests.
        counts: How many findings there are of each kind, suite, designs and split; all of them.
    """

    texts: int = 0
    findings: list[TextFinding] = field(default_factory=list)
    counts: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)

    @property
    def contaminated(self) -> bool:
        """Whether anything of a test was found."""
        return bool(self.findings)

    def count_rows(self) -> Iterator[dict[str, object]]:
        """Yield how many findings there are of each kind, suite, designs and split."""
        for (found, name, designs, split), count in sorted(self.counts.items()):
            row = {"found": found, "suite": name, "designs": designs, "split": split}
            yield {**row, "count": count}

    def summary(self, known: Fingerprints) -> dict[str, object]:
        """Return all findings, and what the texts were compared with."""
        return {
            "texts": self.texts,
            "contaminated": self.contaminated,
            "counts": list(self.count_rows()),
            "findings": [asdict(finding) for finding in self.findings],
            "prompts": len(known.prompts),
            "not_to_be_found": known.not_distinctive,
            "left_out": dict(known.left_out),
        }


def search_texts(texts: Iterable[Text], known: Fingerprints) -> Contamination:
    """Look for prompts of tests in texts."""
    result = Contamination()
    seen: set[tuple[str, str]] = set()
    for text in texts:
        result.texts += 1
        for finding in search_text(text, known):
            # Pieces of plain text overlap: what lies in both counts once.
            key = finding.where.partition(", piece ")[0], finding.item
            if ", piece " in finding.where and finding.item and key in seen:
                continue
            seen.add(key)
            result.counts[finding.found, finding.suite, finding.designs, finding.split] += 1
            if finding.contaminates:
                result.findings.append(finding)
    return result


def search_text(text: Text, known: Fingerprints) -> list[TextFinding]:
    """Return what is ours in a text."""
    words = digest_words(text.words)
    canaries = find_canaries(text.all) if CANARY in text.all else set()
    trained = canaries == {"train"}
    findings = [
        TextFinding(
            text.where,
            "exact" if match.exact else "near",
            match.prompt.suite,
            ",".join(match.prompt.designs),
            "test",
            match.prompt.item,
            match.share,
        )
        for match in known.find_matches(words)
        if not (trained and not get_suite(match.prompt.suite).prompts_identify)
    ]
    if findings:
        return findings
    name = known.match_suite(words, SHARED_SHINGLES)
    if canaries:
        return [TextFinding(text.where, "canary", name or "", split="train" if trained else "test")]
    if name is None:
        return []
    return [TextFinding(text.where, "words", name, split=_split_of_prompt(name, text.words))]


def _split_of_prompt(name: str, prompt: str) -> KnownSplit:
    """Return the split of a prompt, where it says its world and nothing stands around it."""
    suite = get_suite(name)
    if not suite.parses_prompts or suite.training is None:
        return "open"
    try:
        world = suite.parse_prompt(prompt)
    except ValueError:
        return "open"
    return suite.training.split_of(world) or "open"
