"""No text that an agent of analyze reads breaks a rule for prompts."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from whybench.prose import find_matches
from whybench.suites.analyze import prompts, settings, stories
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.prompts import render_description, render_diagnosis
from whybench.suites.analyze.protocols.attempts import OUTCOMES, Attempt, describe_attempt
from whybench.suites.analyze.protocols.prompts import ANSWER, NO_RUNS_LEFT, PROTOCOLS, REPAIR
from whybench.suites.analyze.settings import LABELS
from whybench.suites.analyze.stories import HINTS, read_forms, read_hints

if TYPE_CHECKING:
    from collections.abc import Iterator


def walk(value: Any) -> Iterator[str]:
    """Yield all texts in parsed YAML."""
    if isinstance(value, dict):
        for entry in value.values():
            yield from walk(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from walk(entry)
    elif isinstance(value, str):
        yield " ".join(value.split())


def wrong(text: str) -> list[str]:
    return [f"{match.words} ({match.rule}) in: {text}" for match in find_matches(text)]


def test_stories_and_settings_break_no_rule() -> None:
    folders = [files(stories.__name__), *map(files(settings.__name__).joinpath, CHALLENGES)]
    entries = [entry for folder in folders for entry in folder.iterdir()]
    read = [
        yaml.load(entry.read_text("utf-8"), yaml.CSafeLoader)
        for entry in entries
        if entry.name.endswith(".yaml")
    ]
    assert len(read) > 8 * len(CHALLENGES)
    assert not [found for one in read for text in walk(one) for found in wrong(text)]


def test_instructions_and_outcomes_break_no_rule() -> None:
    texts = [
        *(rules.text for rules in PROTOCOLS.values()),
        *(describe_attempt(Attempt(outcome, 1, "x", "y", 2), 60) for outcome in OUTCOMES),
        *read_forms().report.values(),
        *read_forms().claim.values(),
        read_hints().caution,
        *(prompts.DICTIONARY, prompts.SAMPLE, prompts.FORM, prompts.DIAGNOSIS),
        *(prompts.DIRECT, prompts.DIRECT_SAMPLE, REPAIR, ANSWER, NO_RUNS_LEFT),
    ]
    assert not [found for text in texts for found in wrong(text)]


@pytest.mark.slow
def test_rendered_forms_and_descriptions_break_no_rule() -> None:
    """Every setting, variant, hint level and label."""
    levels = [("neutral", hint) for hint in HINTS] + [(label, HINTS[-1]) for label in LABELS[1:]]
    texts = {
        text
        for challenge in CHALLENGES.values()
        for setting in challenge.read_settings().values()
        for twin in challenge.generate_twins(
            "wording", split=setting.split, setting=setting
        ).values()
        for label, hint in levels
        for text in (render_description(twin, label, hint), render_diagnosis(twin, label))
    }
    assert len(texts) > 1000
    assert not [found for text in texts for found in wrong(text)]
