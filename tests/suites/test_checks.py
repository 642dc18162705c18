"""Every shared check can fail: each is shown a suite that is broken in its own way."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from itertools import count

import pytest
import yaml
from tests.altered import altered

from whybench.suites.checks import _CHECKS, ZERO, check_design
from whybench.suites.contract import Agent, Answer
from whybench.suites.judge import SUITE
from whybench.suites.laws import STYLE_LAWS

DESIGN = SUITE.make_design({"design": "core", "story": ["economy"], "overload": ["de"]})
counter = count()


def changed(**parts):
    return altered(SUITE, **parts)


def each(change):
    return changed(items=lambda design: [change(item) for item in SUITE.items(design)])


def disagreeing(item):
    (one, value), (two, _) = item.certificate.derivations
    derivations = ((one, value), (two, value + 1e-9))
    return replace(item, certificate=replace(item.certificate, derivations=derivations))


def one_derivation(item):
    (one, value), (_, other) = item.certificate.derivations
    derivations = ((one, value), (one, other))
    return replace(item, certificate=replace(item.certificate, derivations=derivations))


def read_always(factors, text, truncated):
    return Answer(50.0)


def read_gold_cut_off(factors, text, truncated):
    return SUITE.parse_reply(factors, text, False)


def mute(item, settings, draw):
    return "no idea"


BROKEN = [
    ("ids are unique", each(lambda item: replace(item, digest="judge-1", polarity="ppp"))),
    (
        "ids follow content and truth",
        each(lambda item: replace(item, digest=f"judge-{id(item):020x}")),
    ),
    ("same items again", each(lambda item: replace(item, digest=f"judge-{next(counter):020x}"))),
    (
        "blocks are balanced",
        changed(items=lambda design: sorted(SUITE.items(design), key=lambda i: i.polarity)),
    ),
    ("blocks are balanced", changed(items=lambda design: list(SUITE.items(design))[:-1])),
    (
        "factors are declared",
        changed(columns={**SUITE.columns, "colour": str}),
    ),
    ("two derivations agree", each(disagreeing)),
    ("two derivations agree", each(one_derivation)),
    ("oracle passes its own scorer", changed(oracle=lambda item: f"{item.truth:.0f} or so, or 3")),
    ("oracle passes its own scorer", changed(oracle=lambda item: str(100 - round(item.truth)))),
    ("a cut-off reply is no answer", changed(parse_reply=read_gold_cut_off)),
    ("silence is no answer", changed(parse_reply=read_always)),
    (
        "prompt gives back the world",
        changed(
            render=lambda item: SUITE.render(item).replace("others have normal", "others have odd")
        ),
    ),
    (
        "prompt gives back the world",
        changed(render=lambda item: SUITE.render(item).replace(" can cause ", " hints at ")),
    ),
    (
        "prompts break no rule of prose",
        changed(render=lambda item: SUITE.render(item) + " Nothing is known that would change it."),
    ),
    ("prompts are finished", changed(render=lambda item: SUITE.render(item) + " {TREATMENT}")),
    ("no constant answer wins", changed(is_correct=lambda item, answer: True)),
    (
        "reference agents are readable",
        changed(
            agents={"mute": Agent("mute", "", mute, expected=lambda *_: {"explaining_away": 0.0})},
            styles=(),
        ),
    ),
]


@pytest.mark.parametrize(("name", "suite"), BROKEN, ids=[name for name, _ in BROKEN])
def test_the_check_fails_on_a_broken_suite(name: str, suite) -> None:
    results = {result.name: result for result in check_design(suite, DESIGN)}
    assert not results[name].passed
    assert results[name].problems > 0
    assert results[name].examples


def test_a_sound_design_passes_every_check() -> None:
    results = list(check_design(SUITE, DESIGN))
    assert tuple(result.name for result in results) == (*_CHECKS, *STYLE_LAWS, ZERO, *SUITE.checks)
    assert len(results) >= 12
    assert all(result.passed for result in results if result.applies)
    assert [result.name for result in results if not result.applies] == [ZERO]
    own = (result for result in results if result.name not in (*STYLE_LAWS, ZERO))
    assert all(result.looked_at == 80 for result in own)


def test_overload_that_speaks_of_the_story_is_found(tmp_path) -> None:
    stories = files("whybench.suites.judge.stories")
    raw = yaml.safe_load(stories.joinpath("collider/economy.yaml").read_text("utf-8"))
    path = tmp_path / "leaky.yaml"
    path.write_text(
        yaml.safe_dump({**raw, "name": "leaky", "overload_from": "economy"}), encoding="utf-8"
    )
    design = SUITE.make_design({"story": [str(path)], "overload": ["e"]})
    results = {result.name: result for result in check_design(SUITE, design)}
    assert not results["overload is unrelated"].passed
    assert "leaky, e from story: both say" in results["overload is unrelated"].examples[0]


def test_a_check_that_looked_at_nothing_has_not_passed() -> None:
    empty = changed(items=lambda design: [])
    assert not any(result.passed for result in check_design(empty, DESIGN) if result.applies)
