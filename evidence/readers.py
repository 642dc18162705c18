"""Back-translation: readers who see only a prompt write down its question and assumptions.

A reader gets prompts and a form (`FORMS`), and neither the code nor the ground truth. The answers
are kept in `evidence/readings`, keyed by a digest of the prompt, so that a prompt that changes
needs new readings. The readers so far are language models. `python -m evidence.readers FOLDER`
writes the prompts that still need readings, with the form.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure, figures_of
from evidence.reader_forms import FORMS
from whybench.prose import ProseMatch, find_matches
from whybench.seeds import generator
from whybench.suites.contract import WORDINGS
from whybench.suites.registry import get_suite, own_suites

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from evidence.figures import Parts

READINGS = Path(__file__).parent / "readings"
SAMPLE = 30
"""Prompts of each suite and wording."""
READERS = 2
FEW = 10
"""Prompts of each design and wording that the small form looks at."""
LEAST = 0.98
"""The least share of fields that must agree with the items."""

ASKED: Mapping[str, tuple[str, Mapping[str, object]]] = (
    {
        f"links-{wording}": ("intervene", {"design": "links", "wording": wording})
        for wording in WORDINGS
    }
    | {
        f"{suite}-{wording}": (suite, {"design": "core", "wording": wording})
        for suite in ("intervene", "compose", "calculate")
        for wording in WORDINGS
    }
    | {
        name: (name, {"design": "core", "depth": (1, 2, 4, 8), "style": ("cot", "direct")})
        for name in ("trace", "derive")
    }
    | {"analyze": ("analyze", {"design": "core"})}
)
"""Suites and wordings, and the items from which the sample is drawn."""


@dataclass(frozen=True)
class Asked:
    """A prompt and the fields of its item."""

    prompt: str
    expected: Mapping[str, object]

    @property
    def key(self) -> str:
        """The digest by which readings are kept."""
        return sha256(self.prompt.encode()).hexdigest()[:16]


def _form_of(name: str) -> str:
    """Return the form of prompts: that of their own name, or of their suite."""
    own = name.partition("-")[0]
    return own if own in FORMS else ASKED[name][0]


@cache
def draw_sample(name: str) -> tuple[Asked, ...]:
    """Return the prompts of a suite and wording that are read."""
    suite_name, settings = ASKED[name]
    suite, form = get_suite(suite_name), FORMS[_form_of(name)]
    items = list(suite.items(suite.make_design(settings)))
    chosen = generator("readers", name).permutation(len(items))[:SAMPLE]
    return tuple(Asked(suite.render(items[n]), form.expect(items[n])) for n in sorted(chosen))


def load_readings(name: str) -> dict[str, list[dict[str, Any]]]:
    """Return the readings of a suite and wording by prompt."""
    found: dict[str, list[dict[str, Any]]] = {}
    path = READINGS / f"{name}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for row in map(json.loads, lines):
        found.setdefault(row["prompt"], []).append(row["fields"])
    return found


def normalize(value: object) -> object:
    """Return a value without regard to case, articles, underscores and the order of lists."""
    if isinstance(value, str):
        words = value.lower().replace("_", " ").strip()
        return words.removeprefix("the ")
    if isinstance(value, dict):
        return {str(normalize(key)): normalize(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return sorted(map(normalize, value), key=str)
    return value


def find_differences(name: str) -> Iterator[tuple[str, str, object, object]]:
    """Yield prompt, field, the item's value and a reader's, where they differ."""
    readings = load_readings(name)
    for asked in draw_sample(name):
        for fields in readings.get(asked.key, ()):
            for field, value in asked.expected.items():
                if normalize(fields.get(field)) != normalize(value):
                    yield asked.key, field, value, fields.get(field)


def _agreement(name: str) -> Callable[[bool], Iterator[Figure]]:
    def agree(small: bool) -> Iterator[Figure]:  # noqa: ARG001
        sample, readings = draw_sample(name), load_readings(name)
        read = [len(readings.get(asked.key, ())) for asked in sample]
        fields = sum(n * len(asked.expected) for n, asked in zip(read, sample, strict=True))
        different = list(find_differences(name))
        share = 1 - len(different) / fields if fields else 0.0
        kinds = sorted({field for _, field, _, _ in different})
        yield Figure(
            f"{name}: {READERS} readers of each of {SAMPLE} prompts agree with the item in at least"
            f" {LEAST:.0%} of the fields",
            f"{share:.1%} of {fields} fields, {min(read)} or more readers of a prompt"
            f"{f'; different: {kinds}' if kinds else ''}",
            share >= LEAST and min(read) >= READERS,
        )

    return agree


def linted(small: bool) -> Iterator[Figure]:
    """Yield how many prompts of every design break a rule of prose, in every wording."""
    for suite_name in own_suites():
        suite = get_suite(suite_name)
        looked_at = 0
        found: list[ProseMatch] = []
        for name in suite.designs:
            wordings = WORDINGS if "wording" in suite.columns else ("",)
            for wording in wordings:
                changed = {"wording": wording} if wording else {}
                items = suite.items(suite.make_design({"design": name, **changed}))
                for item in islice(items, FEW if small else None):
                    looked_at += 1
                    found += find_matches(suite.render(item))
        yield Figure(
            f"{suite_name}: no prompt of any design breaks a rule of prose",
            f"{len(found)} matches in {looked_at:,} prompts {sorted({m.words for m in found})[:5]}",
            not found and looked_at > 0,
        )


PARTS: Parts = {"linted": linted, **{name: _agreement(name) for name in ASKED}}


def figures(small: bool = False, only: str = "") -> Iterator[Figure]:
    """Yield all figures."""
    return figures_of(PARTS, small, only)


def write_open_prompts(folder: Path) -> None:
    """Write the prompts that have too few readings, and the form, for readers."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ASKED:
        readings = load_readings(name)
        left = [asked for asked in draw_sample(name) if len(readings.get(asked.key, ())) < READERS]
        texts = [f"##### {asked.key}\n\n{asked.prompt}\n" for asked in left]
        (folder / f"{name}.txt").write_text("\n".join(texts), encoding="utf-8")
        form = _form_of(name)
        (folder / f"{form}-form.md").write_text(FORMS[form].text, encoding="utf-8")
        print(f"{name}: {len(left)} prompts to read")


if __name__ == "__main__":
    write_open_prompts(Path(sys.argv[1]))
