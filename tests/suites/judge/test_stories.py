from __future__ import annotations

from importlib.resources import files

import pytest
import yaml

from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.checks import overload_is_unrelated
from whybench.suites.judge.design import DESIGNS
from whybench.suites.judge.prompts import render_prompt
from whybench.suites.judge.questions import GRAPHS
from whybench.suites.judge.stories import MORE_STORIES, STORY_NAMES, bundled_stories, load_story

GOOD = yaml.safe_load(
    files("whybench.suites.judge.stories").joinpath("collider/weather.yaml").read_text("utf-8")
) | {"name": "mine"}


def changed(path: str, value: object) -> dict:
    """Return a good story with one entry changed; None removes it."""
    raw = yaml.safe_load(yaml.safe_dump(GOOD))
    *parents, last = path.split("/")
    place = raw
    for key in parents:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return raw


def written(tmp_path, raw: object) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(raw if isinstance(raw, str) else yaml.safe_dump(raw), encoding="utf-8")
    return str(path)


TOLD = [(name, graph) for graph in GRAPHS for name in (*STORY_NAMES[:3], *MORE_STORIES[graph])]
"""Every bundled story with content, and its graph."""


@pytest.mark.parametrize(("name", "graph"), TOLD)
def test_content_stories_explain_every_link_in_every_polarity(name: str, graph: str) -> None:
    told = load_story(name, graph)
    texts = [
        told.reason(cause, effect, polarity)
        for polarity in told.polarities
        for cause, effect in told.structure.edges
    ]
    assert len(set(texts)) == 8
    assert all(text.endswith(".") for text in texts)


@pytest.mark.parametrize(("name", "graph"), TOLD)
def test_a_variable_of_a_content_story_has_two_ends_and_a_middle(name: str, graph: str) -> None:
    told = load_story(name, graph)
    assert (told.name, told.graph, told.content) == (name, graph, "story")
    for variable in told.variables:
        assert len({variable.plus, variable.minus, variable.normal}) == 3
        assert "normal" in variable.normal
        assert variable.description.endswith(".")


@pytest.mark.parametrize("graph", GRAPHS)
def test_every_bundled_file_is_a_story_that_can_be_named(graph: str) -> None:
    folder = files("whybench.suites.judge.stories").joinpath(graph)
    found = sorted(path.name.removesuffix(".yaml") for path in folder.iterdir())
    assert found == sorted(bundled_stories(graph))


@pytest.mark.parametrize(
    ("design", "sizes"),
    [
        ("stories", (20, 10, 4, 1, 1, 1)),
        ("fork-stories", (20, 6, 4, 1, 1, 1)),
        ("chain-stories", (24, 6, 4, 1, 1, 1)),
    ],
)
def test_a_design_holds_all_stories_with_content(design: str, sizes: tuple[int, ...]) -> None:
    found = DESIGNS[design]
    assert found.sizes == sizes
    assert {story.content for story in found.stories} == {"story"}


def test_older_designs_do_not_take_the_new_stories() -> None:
    new = {*bundled_stories()} - {*STORY_NAMES}
    older = [design for name, design in DESIGNS.items() if not name.endswith("stories")]
    assert not new & {name for design in older for name in design.story}


@pytest.mark.parametrize("design", ["stories", "fork-stories", "chain-stories"])
def test_no_story_says_a_word_of_what_distracts_from_it(design: str) -> None:
    more = {"overload": "d,e", "overload_source": "story,filler", "task": "I"}
    items = list(SUITE.items(SUITE.make_design({"design": design, **more})))
    assert list(overload_is_unrelated(items)) == []


def test_a_story_of_one_graph_brings_it() -> None:
    made = SUITE.make_design({"story": "weather,harbor"})
    assert [(told.name, told.graph) for told in made.stories] == [
        ("weather", "fork"),
        ("harbor", "fork"),
    ]
    with pytest.raises(UserError, match=r"must be of its graph chain, got harbor \(fork\)"):
        SUITE.make_design({"graph": "chain", "story": "harbor"})
    with pytest.raises(UserError, match=r"story must be one of .*town.* got 'twon'; did you mean"):
        SUITE.make_design({"design": "chain", "story": "twon"})


@pytest.mark.parametrize(
    ("name", "present"),
    [
        ("economy", ("low interest rates", "small trade deficits", "high retirement savings")),
        (
            "sociology",
            ("high urbanization", "low interest in religion", "high socio-economic mobility"),
        ),
        ("weather", ("high ozone levels", "low air pressure", "high humidity")),
    ],
)
def test_directions_are_those_of_the_source(name: str, present: tuple[str, ...]) -> None:
    told = load_story(name)
    assert tuple(told.state(node, "ppp", 1) for node in ("C1", "C2", "E")) == present
    for node, words in zip(("C1", "C2", "E"), present, strict=True):
        assert told.state(node, "mmm", 1) != words
        assert told.state(node, "mmm", 0) == told.state(node, "ppp", 0)
        assert told.state(node, "ppp", 0).startswith("normal ")


def test_abstract_variables_have_two_states_that_change_places() -> None:
    told = load_story("alnum")
    assert told.content == "abstract"
    assert told.state("C1", "ppp", 1) == told.state("C1", "mmm", 0) == "high k7Rw2pZq0d"


def test_a_users_story_works_by_path(tmp_path) -> None:
    path = written(tmp_path, {**GOOD, "name": "mine"})
    items = list(SUITE.items(SUITE.make_design({"story": [path]})))
    assert len(items) == 80
    assert {item.factors["story"] for item in items} == {"mine"}


def test_a_story_may_have_one_polarity_and_no_minus_states(tmp_path) -> None:
    raw = changed("polarities", ["ppp"])
    for node in raw["variables"].values():
        del node["minus"]
    raw["links"] = {link: {"pp": entry["pp"]} for link, entry in raw["links"].items()}
    items = list(SUITE.items(SUITE.make_design({"story": [written(tmp_path, raw)]})))
    assert len(items) == 20


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("a: [1", "must be YAML"),
        ("just words", "must be a mapping of keys to values, got 'just words'"),
        (changed("unit", None), "must have the key 'unit'; it has"),
        (changed("unit/one", None), "unit must have the key 'one'"),
        (changed("graph", "star"), "graph must be one of collider.* got 'star'"),
        (changed("variables/E", None), r"variables must have the keys C1, C2, E .*got C1, C2"),
        (changed("links/C1 -> E", None), "links must have the keys C1 -> E, C2 -> E"),
        (changed("links/C1 -> E", {"px": "?"}), "must have the keys pp, pm, mp, mm"),
        (changed("variables/C1/plus", None), "C1 must have the key 'plus'"),
        (changed("variables/C1/plus", 7), "plus must be some text, got 7"),
        (changed("variables/C1/plus", "a; b"), "must not contain ';'"),
        (changed("variables/C1/plus", "normal ozone levels"), "states in different words"),
        (changed("variables/C1/minus", None), "must have a `minus` state for the polarity mpm"),
        (changed("variables/C1/descripton", "?"), "C1 must have the keys name, description"),
        (changed("overload", "economy"), "must have the keys name, unit, intro"),
        (changed("name", "weather"), "name must differ from the bundled stories .* got 'weather'"),
        (changed("name", "harbor"), "name must differ from the bundled stories .* got 'harbor'"),
        (changed("polarities", ["pp"]), "words of 3 letters p or m, such as ppp, got 'pp'"),
    ],
)
def test_a_bad_story_says_what_is_wrong_and_where(tmp_path, raw, message) -> None:
    with pytest.raises(UserError, match=message) as error:
        load_story(written(tmp_path, raw))
    assert "mine.yaml" in str(error.value) or "graph must be" in str(error.value)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(UserError, match="got 'nowhere/mine.yaml': no such file"):
        load_story("nowhere/mine.yaml")


def test_a_text_of_ones_own_may_distract(tmp_path, monkeypatch) -> None:
    own = yaml.safe_load(
        files("whybench.suites.judge.stories").joinpath("collider/tea.yaml").read_text("utf-8")
    )
    (tmp_path / "kitchen").mkdir()
    (tmp_path / "kitchen" / "noise.yaml").write_text(
        yaml.safe_dump(own | {"name": "noise"}), encoding="utf-8"
    )
    source = written(tmp_path, changed("overload_from", "kitchen/noise.yaml"))
    settings = {"story": source, "overload": "de", "task": "VI"}
    design = SUITE.make_design(settings)
    words = render_prompt(next(iter(SUITE.items(design))))
    assert own["variables"]["C1"]["description"] in words
    assert own["links"]["C1 -> E"]["pp"] in words

    monkeypatch.chdir(tmp_path)
    again = SUITE.make_design({**settings, "story": "mine.yaml"})
    assert again.hash == design.hash  # paths do not count, texts do
    own["variables"]["C1"]["description"] = "The leaves come from far away."
    (tmp_path / "kitchen" / "noise.yaml").write_text(
        yaml.safe_dump(own | {"name": "noise"}), encoding="utf-8"
    )
    load_story.cache_clear()
    assert SUITE.make_design(settings).hash != design.hash


def test_a_text_that_distracts_must_be_there(tmp_path) -> None:
    source = written(tmp_path, changed("overload_from", "nowhere.yaml"))
    with pytest.raises(UserError, match=r"nowhere\.yaml': no such file"):
        list(SUITE.items(SUITE.make_design({"story": source, "overload": "e"})))
