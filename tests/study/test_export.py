from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from whybench.study.export import Saving, Texts, read_manifest, write_study
from whybench.study.plan import StudyPlan, make_plan
from whybench.suites.contract import UserError
from whybench.training.canary import find_canaries

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("engine")

CORE = {"design": "core"}


def small(name: str = "judge", **settings: object) -> StudyPlan:
    if name == "compose":
        settings = {"units": 1, **settings}
    if name == "calculate":
        settings = {"style": "direct", "query": "do,ate", "variables": "3", **settings}
    return make_plan(name, {**CORE, **settings}, lists=2)


def shown(folder: Path) -> dict:
    text = (folder / "study.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("const STUDY = ").removesuffix(";\n"))


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", ["judge", "compose", "intervene", "calculate"])
def test_two_exports_are_the_same_byte_by_byte(name, tmp_path) -> None:
    for folder in ("one", "two"):
        write_study(small(name), tmp_path / folder)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert {*contents(tmp_path / "one")} == {
        *("circuit.js", "experiment.js", "index.html", "pages.js", "participant.js", "rows.js"),
        "shapes.js",
        *("style.css", "study.js", "study.json"),
        *("jspsych/LICENSE.txt", "jspsych/index.browser.min.js"),
    }


def test_the_folder_is_the_same_whatever_the_truth_is(tmp_path) -> None:
    """Other strengths change every truth and no question; only digests may differ then."""
    plans = [small(strength=strength) for strength in (0.8, 0.6)]
    texts = []
    for place, plan in enumerate(plans):
        write_study(plan, tmp_path / str(place))
        text = b"".join(contents(tmp_path / str(place)).values()).decode()
        for old in (plan.id, plan.design_hash, *(i.digest for entry in plan.lists for i in entry)):
            text = text.replace(old, "ID")
        texts.append(re.sub(r'"strength": 0.6,?|"settings": {[^}]*}', "", text))
    attention = re.compile(r'"attention":\[.*?\],"lists"')
    first, second = (attention.sub("", text) for text in texts)
    assert first == second
    truths = [{item.truth for entry in plan.lists for item in entry} for plan in plans]
    assert truths[0] != truths[1]


@pytest.mark.parametrize("name", ["judge", "compose"])
def test_pages_say_what_the_prompt_says_and_no_more(name, tmp_path) -> None:
    from html import unescape

    plan = small(name)
    write_study(plan, tmp_path / "study")
    for entry, items in zip(shown(tmp_path / "study")["lists"], plan.lists, strict=True):
        assert [page["id"] for page in entry["items"]] == [item.digest for item in items]
        for page, item in zip(entry["items"], items, strict=True):
            assert set(page) == {"id", "html", "question"}
            prompt = plan.suite.render(item)
            words = re.findall(r"<(?:p|li)>(.*?)</", entry["lesson"]["html"] + page["html"])
            assert words
            for told in (*map(unescape, words), page["question"]):
                assert told in prompt


def test_of_a_hidden_world_only_the_circuit_is_there(tmp_path) -> None:
    plan = small("intervene")
    write_study(plan, tmp_path / "study")
    for entry, items in zip(shown(tmp_path / "study")["lists"], plan.lists, strict=True):
        for page, item in zip(entry["items"], items, strict=True):
            assert set(page) == {"id", "html", "question", "circuit"}
            assert set(page["circuit"]) == {
                *("names", "verbs", "states", "edges", "moving", "limit"),
            }
            assert page["question"].split(" Through")[0] in plan.suite.render(item)


@pytest.mark.parametrize("name", ["judge", "compose", "intervene"])
def test_quizzes_have_one_right_option_among_different_ones(name, tmp_path) -> None:
    settings = {"worlds": 1, "units": 3} if name == "compose" else {}
    plan = make_plan(name, {**CORE, **settings})
    for entry in plan.lists:
        lesson = plan.questionnaire.lesson(entry[0])
        assert len(lesson.quizzes) >= 2
        for quiz in lesson.quizzes:
            assert len({*quiz.options}) == len(quiz.options) >= 2
            assert 0 <= quiz.right < len(quiz.options)
        if name == "compose":
            for quiz in lesson.quizzes:
                said = [option in lesson.text for option in quiz.options]
                assert said == [place == quiz.right for place in range(len(said))]


@pytest.mark.parametrize("graph", ["collider", "fork", "chain"])
def test_what_judge_asks_about_a_story_is_what_it_says(graph) -> None:
    plan = make_plan("judge", {"design": "core", "graph": graph})
    for entry in plan.lists:
        told, polarity = entry[0].story, entry[0].polarity
        state = {node: told.state(node, polarity, 1) for node in told.structure.nodes}
        effects: dict[str, list[str]] = {}
        for cause, effect in told.structure.edges:
            effects.setdefault(state[cause], []).append(state[effect])
        quizzes = plan.questionnaire.lesson(entry[0]).quizzes
        found = {
            quiz.question.removeprefix("What is said to be caused directly by ").rstrip("?"): (
                quiz.options[quiz.right]
            )
            for quiz in quizzes
            if "caused directly" in quiz.question
        }
        assert found == {cause: " and ".join(ends) for cause, ends in effects.items()}
        assert (len(quizzes) == 1 + len(effects) + 1) == (graph == "collider")


def test_study_json_says_what_the_data_need(tmp_path) -> None:
    plan = small(story="weather")
    write_study(plan, tmp_path / "study")
    manifest = read_manifest(tmp_path / "study")
    assert manifest["settings"] == {"design": "core", "story": "weather"}
    assert plan.suite.make_design(manifest["settings"]).hash == manifest["design_hash"]
    assert manifest["study"] == plan.id
    assert manifest["lists"] == [[item.digest for item in entry] for entry in plan.lists]
    assert manifest["cycle"] == plan.cycle


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_study_carries_the_canary_of_its_side(split, tmp_path) -> None:
    write_study(small("compose", split=split), tmp_path / "study")
    for name in ("study.js", "study.json"):
        text = (tmp_path / "study" / name).read_text(encoding="utf-8")
        assert find_canaries(text) == {split}


def test_attention_is_checked_after_each_third(tmp_path) -> None:
    write_study(small(), tmp_path / "study")
    checks = shown(tmp_path / "study")["attention"]
    assert [check["after"] for check in checks] == [6, 13]
    for check in checks:
        wanted = int(re.findall(r"\d+", check["question"])[0])
        assert check["right"] == [str(wanted + off) for off in range(-2, 3)]


def test_where_numbers_are_typed_in_so_is_the_check_on_attention(tmp_path) -> None:
    plan = make_plan("calculate", {**CORE, "style": "direct", "query": "do", "variables": "3"}, 6)
    write_study(plan, tmp_path / "study")
    checks = shown(tmp_path / "study")["attention"]
    assert [check["after"] for check in checks] == [2, 4]
    for check in checks:
        wanted = int(re.findall(r"\d+", check["question"])[0])
        assert (check["response"], check["options"]) == ("number", [])
        assert check["right"] == [f"{wanted}%"]


def test_a_page_may_have_options_of_its_own(tmp_path) -> None:
    settings = {"design": "greater", "style": "direct", "worlds": 1, "query": "do"}
    write_study(make_plan("calculate", settings, 3, 1), tmp_path / "study")
    found = shown(tmp_path / "study")
    assert found["response"] == "number"
    for page in found["lists"][0]["items"]:
        assert page["response"] == "choice"
        assert dict(page["options"]) == {
            "First": "first",
            "Second": "second",
            "Cannot be determined": "cannot be determined",
        }


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("download", {"how": "download"}),
        ("serve", {"how": "serve"}),
        ("jatos", {"how": "jatos"}),
        (
            "datapipe:Ab12",
            {
                "how": "datapipe",
                "experiment": "Ab12",
                "address": "https://pipe.jspsych.org/api/data/",
            },
        ),
    ],
)
def test_where_answers_go(text, settings) -> None:
    assert Saving.read(text).settings == settings


@pytest.mark.parametrize("text", ["", "cloud", "datapipe", "datapipe:", "datapipe:a/b", "serve:x"])
def test_where_answers_cannot_go(text) -> None:
    with pytest.raises(UserError, match="`save` must be download, serve, jatos or datapipe:"):
        Saving.read(text)


@pytest.mark.parametrize("how", ["download", "serve", "jatos"])
def test_no_file_of_ours_names_an_address_unless_asked_for(how, tmp_path) -> None:
    write_study(small(), tmp_path / "study", Saving(how))
    for name, data in contents(tmp_path / "study").items():
        if not name.startswith("jspsych/") and name != "study.json":
            assert b"://" not in data, name
    jatos = b'<script src="jatos.js">' in contents(tmp_path / "study")["index.html"]
    assert jatos == (how == "jatos")


def test_a_study_is_written_over_but_nothing_else(tmp_path) -> None:
    target = tmp_path / "study"
    target.mkdir()
    write_study(small(), target)
    write_study(small(story="weather"), target)
    (target / "data").mkdir()
    (target / "data" / "p.jsonl").write_text("{}\n", encoding="utf-8")
    write_study(small(story="weather"), target)
    with pytest.raises(UserError, match="holds data of the study"):
        write_study(small(), target)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(
        UserError, match="`output` must be a new or empty folder or that of a study"
    ):
        write_study(small(), tmp_path / "other")
    assert {*contents(tmp_path / "other")} == {"thesis.txt"}
    with pytest.raises(UserError, match="`output` must be a folder, got the file"):
        write_study(small(), tmp_path / "other" / "thesis.txt")


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("judge", {"style": "cot"}, "style must be direct, got 'cot'"),
        ("compose", {"style": "cot"}, "style must be direct, got 'cot'"),
        ("intervene", {"style": "cot"}, "style must be one of direct, fewest-steps"),
        ("intervene", {"interface": "tools"}, "got direct and tools"),
    ],
)
def test_what_people_cannot_be_asked(name, settings, message, tmp_path) -> None:
    with pytest.raises(UserError, match=message):
        write_study(small(name, **settings), tmp_path / "study")
    assert not (tmp_path / "study").exists()


def test_own_texts_are_shown(tmp_path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("# Bienvenue\n\n**Étude**", encoding="utf-8")
    write_study(small(), tmp_path / "study", texts=Texts(consent=str(mine)))
    assert shown(tmp_path / "study")["texts"]["consent"] == (
        "<h1>Bienvenue</h1>\n<p><strong>Étude</strong></p>"
    )


def test_a_study_that_cannot_be_written_whole_is_not_written(tmp_path, monkeypatch) -> None:
    plan = make_plan("judge", {"design": "core"}, 4, 1)
    write_study(plan, tmp_path / "before")
    was = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def full(path: Path, text: str) -> None:
        if path.name == "study.js":
            path.write_text(text[:9], encoding="utf-8")
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("whybench.study.export._write", full)
    for folder in ("new", "before", "deep/down"):
        with pytest.raises(UserError, match=r"`output` must be .* No space left on device; make"):
            write_study(plan, tmp_path / folder, Saving("jatos"))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == was
    assert not (tmp_path / "new").exists()
