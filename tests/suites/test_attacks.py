"""Attacks: their view of items, their measures, and how they are found."""

from __future__ import annotations

from itertools import islice

import pytest

from whybench.errors import UserError
from whybench.seeds import generator
from whybench.suites.attack_runs import (
    converse,
    find_stronger,
    list_attacks,
    load_attacks,
    rank_attacks,
    run_attack,
)
from whybench.suites.attacks import SILENT, Attack, Seen
from whybench.suites.calculate.measures import CONSTANTS
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.calibration import simulate
from whybench.suites.registry import get_suite
from whybench.training.items import training_lessons


def asked(suite: str, count: int):
    """Return a suite, its first design and the first items of it."""
    suite = get_suite(suite)
    design = next(iter(suite.designs.values()))
    return suite, design, list(islice(suite.items(design), count))


class TestConversation:
    def test_the_prompt_the_replies_and_the_responses_are_seen_in_turn(self) -> None:
        suite, _, (item,) = asked("intervene", 1)
        heard: list[Seen] = []

        def reply(seen: Seen, _) -> str:
            heard.append(seen)
            return suite.oracle(_episode(suite, item, seen))

        answer = converse(suite, item, reply, generator("test"))
        assert answer.parts["verdict"] == "justified"
        assert [len(seen.messages) for seen in heard] == list(range(1, 2 * len(heard), 2))
        assert heard[0].messages == (suite.render(item),) == (heard[-1].prompt,)
        assert len(heard) > 1
        assert all("You see:" in response for response in heard[-1].responses)

    def test_files_are_seen(self) -> None:
        suite, _, (item,) = asked("analyze", 1)
        files: list[dict] = []

        def reply(seen: Seen, _) -> str:
            files.append(dict(seen.files))
            return "{}"

        converse(suite, item, reply, generator("test"))
        assert files[0] == dict(suite.files(item))
        assert files[0]


def _episode(suite, item, seen):
    episode = suite.open_episode(item.factors)
    for said in seen.messages[1::2]:
        episode.hear(said, False)
    return episode


class TestRun:
    def test_a_reference_agent_has_the_measures_of_its_simulation(self) -> None:
        suite, design, items = asked("calculate", 120)
        attack = next(one for one in list_attacks(suite) if one.name == "sees-only")
        found = run_attack(suite, design, items, attack)
        name = suite.headline[0]
        (expected,) = (
            one
            for one in simulate(suite, design, items, suite.agent("sees-only"), {})
            if one.name == name and not one.at
        )
        assert found.value(name) == expected.estimate
        assert found.replies == len(items)

    def test_an_attack_that_gives_no_answer_has_nothing(self) -> None:
        suite, design, items = asked("compose", 480)
        found = run_attack(suite, design, items, SILENT)
        assert found.value("compositional_agreement") == 0.0
        assert found.measures["answered"].estimate == 0.0

    def test_an_attack_that_fails_is_named_with_the_item(self) -> None:
        suite, design, items = asked("calculate", 2)
        broken = Attack("broken", "divides by zero", reply=lambda *_: str(1 / 0))
        with pytest.raises(UserError, match=rf"broken must reply .* {items[0].id}"):
            run_attack(suite, design, items, broken)

    def test_an_attack_that_learns_needs_examples(self) -> None:
        suite, design, items = asked("calculate", 2)
        learner = Attack("learner", "learns", fit=lambda _: SILENT.reply)
        with pytest.raises(UserError, match="must have items to learn from"):
            run_attack(suite, design, items, learner)

    def test_a_missing_library_is_named_with_its_extra(self) -> None:
        suite, design, items = asked("calculate", 2)

        def fit(_):
            raise ModuleNotFoundError("No module named 'sklearn'", name="sklearn")

        learner = Attack("learner", "learns", fit=fit, lessons=1)
        with pytest.raises(UserError, match=r"requires sklearn; pip install 'whybench\[attack\]'"):
            run_attack(suite, design, items, learner, training_lessons)

    def test_the_best_attack_ranks_first_and_one_without_a_value_last(self) -> None:
        suite, design, items = asked("calculate", 120)
        results = [
            run_attack(suite, design, items, attack)
            for attack in list_attacks(suite)
            if attack.name in {"silent", "sees-only", "constant"}
        ]
        none = results[0].__class__(SILENT, {}, 0, 0.0)
        best, *_, last = rank_attacks(suite, [none, *results])
        assert best.attack.name == "sees-only"
        assert last is none

    @pytest.mark.parametrize("ways", [{}, {"reply": SILENT.reply, "agent": {}}])
    def test_an_attack_replies_in_exactly_one_way(self, ways) -> None:
        with pytest.raises(UserError, match="one of reply, fit and agent"):
            Attack("twofold", "", **ways)


class TestStronger:
    def test_an_attack_above_the_value_is_named(self) -> None:
        suite, design, items = asked("calculate", 120)
        assert any(
            "sees-only" in words for words in find_stronger(suite, design, items, 0.3, whole=True)
        )

    def test_none_is_above_the_stored_zero(self) -> None:
        suite, design, items = asked("calculate", 120)
        zero = suite.zeros.find(design.name)
        assert not list(find_stronger(suite, design, items, zero.value + 0.02, whole=True))

    def test_of_a_part_the_interval_must_be_above(self) -> None:
        suite, design, items = asked("calculate", 120)
        names = {
            whole: {
                words.split()[0] for words in find_stronger(suite, design, items, 0.6, whole=whole)
            }
            for whole in (True, False)
        }
        assert names[False] < names[True]


class TestFile:
    def test_the_attacks_of_a_file_are_loaded(self, tmp_path) -> None:
        path = tmp_path / "mine.py"
        path.write_text(
            "from whybench.suites.attacks import Attack\n"
            "ATTACKS = [Attack('fifty', 'answers 50%', reply=lambda seen, rng: 'Answer: 50%')]\n"
        )
        (attack,) = load_attacks(str(path))
        suite, design, items = asked("calculate", 120)
        known = [item for item in items if item.truth != NOT_COMPUTABLE]
        constant = sum(abs(CONSTANTS[item.cell.query] - item.truth) for item in known)
        fifty = sum(abs(50 - item.truth) for item in known)
        found = run_attack(suite, design, items, attack).value("number_skill")
        assert found == pytest.approx(1 - fifty / constant)

    @pytest.mark.parametrize(
        ("text", "words"),
        [("1 / 0", "must run, got ZeroDivisionError"), ("ATTACKS = [1]", "must define ATTACKS")],
    )
    def test_a_file_without_attacks_is_refused(self, tmp_path, text, words) -> None:
        path = tmp_path / "mine.py"
        path.write_text(text)
        with pytest.raises(UserError, match=words):
            load_attacks(str(path))


class TestExamples:
    def test_items_are_of_the_train_split_and_score_their_own_truth(self) -> None:
        suite, design, tested = asked("compose", 15)
        lessons = training_lessons(suite, design, 20)
        assert len(lessons) == 20
        assert not {e.seen.prompt for e in lessons} & {suite.render(item) for item in tested}
        for lesson in lessons:
            right, wrong = ("yes", "no") if lesson.truth else ("no", "yes")
            assert lesson.score(lambda *_, said=right: said) == 1.0
            assert lesson.score(lambda *_, said=wrong: said) == 0.0

    def test_limited_worlds_are_learned_from_limited_worlds(self) -> None:
        suite = get_suite("intervene")
        (lesson,) = training_lessons(suite, suite.designs["limited"], 1)
        assert "You may act at most" in lesson.seen.prompt
        assert "2 * " not in lesson.seen.prompt
