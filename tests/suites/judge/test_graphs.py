"""The fork and the chain: their questions, truths, measures and agents, derived by hand."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from tests.altered import altered

from whybench.seeds import generator
from whybench.suites.calibration import calibrate, simulate
from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.design import DESIGNS, make_design
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.published import people_records
from whybench.suites.judge.questions import GRAPHS, load_structure
from whybench.suites.judge.stories import STORY_NAMES, load_story

# By hand, for prior 1/2, leak 1/10, strength 8/10: an effect has .82 with its cause, .1 without.
FORK = {
    "I": 0.18**2 / (0.18**2 + 0.9**2),
    "II": 0.82 * 0.18 / (0.82 * 0.18 + 0.1 * 0.9),
    "III": 0.82**2 / (0.82**2 + 0.1**2),
    "IV": (0.82**2 + 0.1**2) / (0.82 + 0.1),
    "V": (0.82 * 0.18 + 0.1 * 0.9) / (0.18 + 0.9),
    **dict.fromkeys(("VI", "VII", "VIII"), 0.82),
    **dict.fromkeys(("IX", "X", "XI"), 0.1),
}
# In the chain P(Z|X=1) = .82 * .82 + .18 * .1 = .6904 and P(Z|X=0) = .1 * .82 + .9 * .1 = .172.
CHAIN = {
    "I": 0.172,
    "II": 0.6904,
    **dict.fromkeys(("III", "V", "VI"), 0.1),
    **dict.fromkeys(("IV", "VII", "VIII"), 0.82),
    "IX": 0.1,
    "X": 0.82,
    "XI": 0.46 * 0.18 / (0.46 * 0.18 + 0.54 * 0.9),
    "XII": 0.46 * 0.82 / (0.46 * 0.82 + 0.54 * 0.1),
    "XIII": 0.1 * 0.18 / (1 - 0.172),
    "XIV": 0.82 * 0.18 / (1 - 0.6904),
    "XV": 0.1 * 0.82 / 0.172,
    "XVI": 0.82 * 0.82 / 0.6904,
    **dict.fromkeys(("XVII", "XXI", "XXII"), 0.18 / (0.18 + 0.9)),
    **dict.fromkeys(("XVIII", "XXIII", "XXIV"), 0.82 / (0.82 + 0.1)),
    "XIX": (1 - 0.6904) / (2 - 0.6904 - 0.172),
    "XX": 0.6904 / (0.6904 + 0.172),
}
CONTRASTS = altered(SUITE, measures=lambda records: list(contrast_measures(records)))
"""The suite with the measures that are looked at here, and without those that take long."""

NEW = ("fork", "fork-abstract", "chain", "chain-abstract")
MEASURED = ("fork", "chain")
"""The designs whose calibration `python -m evidence judge` prints."""


def asked(name: str, **factors):
    """Return the items of a design that have these factors."""
    return [
        item
        for item in SUITE.items(DESIGNS[name])
        if all(item.factors[factor] == level for factor, level in factors.items())
    ]


@pytest.mark.parametrize(
    ("name", "truth", "items"),
    [("fork", FORK, 240), ("fork-abstract", FORK, 240), ("chain", CHAIN, 288)],
)
def test_truths_are_the_normative_answers(name: str, truth, items: int) -> None:
    found = list(SUITE.items(DESIGNS[name]))
    assert len(found) == items
    assert {item.question.task for item in found} == set(truth)
    for item in found:
        assert item.truth == pytest.approx(100 * truth[item.question.task], abs=1e-9)


def test_a_letter_of_the_fork_means_the_same_place_as_in_the_collider() -> None:
    moved = {"C1": "E1", "C2": "E2", "E": "C", "both": "both"}
    expected = [
        (q.task, q.letter, moved[q.cause], moved[q.target], {moved[n]: v for n, v in q.given})
        for q in load_structure("collider").questions
    ]
    found = [
        (q.task, q.letter, q.cause, q.target, dict(q.given))
        for q in load_structure("fork").questions
    ]
    assert found == expected


def test_the_chain_asks_each_variable_given_one_or_both_of_the_others() -> None:
    questions = load_structure("chain").questions
    assert len(questions) == len({q.letter for q in questions}) == 3 * (2 + 2 + 4)
    assert len({(q.target, q.given) for q in questions}) == 24
    assert all(q.target not in dict(q.given) for q in questions)
    assert {q.cause for q in questions} == {"both"}
    human = {q.letter for q in load_structure("collider").questions}
    assert not human & {q.letter for q in questions}


@pytest.mark.parametrize("graph", GRAPHS)
def test_polarities_give_every_link_every_pair_of_signs(graph: str) -> None:
    shape = load_structure(graph)
    for cause, effect in shape.edges:
        places = shape.nodes.index(cause), shape.nodes.index(effect)
        pairs = {tuple(polarity[place] for place in places) for polarity in shape.polarities}
        assert pairs == {("p", "p"), ("p", "m"), ("m", "p"), ("m", "m")}


@pytest.mark.parametrize(
    ("graph", "order"), [("collider", "C1 C2 E"), ("fork", "C E1 E2"), ("chain", "X Y Z")]
)
def test_causes_are_told_before_their_effects(graph: str, order: str) -> None:
    assert load_structure(graph).topological_order == tuple(order.split())


@pytest.mark.parametrize("graph", GRAPHS)
def test_causes_are_called_independent_only_where_an_effect_has_two(graph: str) -> None:
    made = make_design({"graph": graph, "task": "I"})
    said = ["independently" in SUITE.render(item) for item in SUITE.items(made)]
    assert said == [graph == "collider"] * len(said)


def test_a_prompt_of_the_fork_says_what_its_item_says() -> None:
    (item,) = asked("fork", task="VIII", story="economy", polarity="mpm", cause="E2")
    prompt = SUITE.render(item)  # E1 is minus, E2 is plus, C is minus
    assert "- High interest rates can cause large trade deficits. " in prompt
    assert "- High interest rates can cause high retirement savings. " in prompt
    assert "it has high interest rates; it has normal trade deficits." in prompt
    assert "How likely is it that this economy has high retirement savings?" in prompt


def test_a_prompt_of_the_chain_says_what_its_item_says() -> None:
    (item,) = asked("chain", task="VI", story="weather", polarity="pmm")
    prompt = SUITE.render(item)
    assert "- High ozone levels can cause high air pressure. " in prompt
    assert "- High air pressure can cause low humidity. " in prompt
    assert "it has high ozone levels; it has normal air pressure." in prompt
    assert "How likely is it that this weather system has low humidity?" in prompt


@pytest.mark.parametrize("name", STORY_NAMES)
def test_a_story_keeps_its_variables_in_every_graph(name: str) -> None:
    told = [load_story(name, graph) for graph in GRAPHS]
    assert [entry.graph for entry in told] == list(GRAPHS)
    words = {
        (
            entry.name,
            entry.intro,
            entry.overload_from,
            tuple(entry.variable(node) for node in entry.structure.topological_order),
        )
        for entry in told
    }
    assert len(words) == 1


@pytest.mark.parametrize("name", STORY_NAMES[:3])
def test_a_link_that_two_graphs_share_has_the_same_reasons(name: str) -> None:
    def reasons(graph: str, cause: str, effect: str) -> dict[str, str]:
        return {
            signs: text
            for (first, second, signs), text in load_story(name, graph).reasons
            if (first, second) == (cause, effect)
        }

    assert reasons("fork", "C", "E1") == reasons("chain", "X", "Y")
    assert reasons("fork", "C", "E2") == reasons("collider", "C1", "E")
    assert reasons("chain", "Y", "Z") == reasons("collider", "C2", "E")
    assert all(len(reasons("fork", "C", effect)) == 4 for effect in ("E1", "E2"))


def markov_violation(measures):
    names = [measure.name for measure in measures]
    assert "explaining_away" not in names  # nothing explains away in the fork and the chain
    assert names.count("markov_violation") == 1
    return measures[names.index("markov_violation")]


def test_people_of_the_fork_pair_with_its_items(mirror) -> None:
    keys = ("story", "polarity", "letter", "task")
    people = people_records("fork").to_pylist()
    items = [item.factors for item in SUITE.items(DESIGNS["fork"])]
    cells = {tuple(row[key] for key in keys) for row in people}
    assert len(cells) == 132
    assert cells == {tuple(factors[key] for key in keys) for factors in items}
    assert {row["cause"] for row in people} == {factors["cause"] for factors in items}


def test_people_let_effects_speak_for_each_other(mirror) -> None:
    found = markov_violation(list(contrast_measures(people_records("fork"))))
    # Four people in every cell: the mean of all judgments of a letter, a 88.9, c 69.5, f 45.1 and
    # h 30.8 (from the file, rounded), so that mv is about (.194 + .143) / 2.
    assert found.estimate == pytest.approx((0.889 - 0.695 + 0.451 - 0.308) / 2, abs=0.001)
    items = list(SUITE.items(DESIGNS["fork"]))
    replayed = markov_violation(
        simulate(CONTRASTS, DESIGNS["fork"], items, SUITE.agent("human-rw17"), {})
    )
    assert replayed.estimate == pytest.approx(found.estimate, abs=1e-5)


def test_no_people_were_asked_about_the_chain(mirror) -> None:
    item = next(iter(SUITE.items(DESIGNS["chain"])))
    with pytest.raises(UserError, match="must be asked what people were asked .* graph=chain"):
        SUITE.agent("human-rw17").reply(item, {}, generator())


def said(name: str, agent: str, settings: dict, **factors) -> set[str]:
    reference = SUITE.agent(agent)
    full = reference.settings(settings)
    return {reference.reply(item, full, generator()) for item in asked(name, **factors)}


STRENGTHS = {"b": 0.2, "m1": 0.5, "m2": 0.75, "p": 0.4}


@pytest.mark.parametrize(
    ("name", "factors", "belief"),
    [
        # An effect of strength .5 has 1 - .8 * .5 = .6 with its cause, one of .75 has .8; alone .2.
        ("fork", {"task": "VII", "cause": "E1"}, 0.6),
        ("fork", {"task": "VII", "cause": "E2"}, 0.8),
        ("fork", {"task": "X"}, 0.2),
        ("fork", {"task": "III"}, 0.4 * 0.48 / (0.4 * 0.48 + 0.6 * 0.04)),
        ("fork", {"task": "IV", "cause": "E1"}, (0.4 * 0.48 + 0.6 * 0.04) / (0.32 + 0.12)),
        ("chain", {"task": "X"}, 0.6),
        ("chain", {"task": "IV"}, 0.8),
        ("chain", {"task": "II"}, 0.6 * 0.8 + 0.4 * 0.2),
        ("chain", {"task": "XVIII"}, 0.4 * 0.6 / (0.4 * 0.6 + 0.6 * 0.2)),
        ("chain", {"task": "XVI"}, 0.6 * 0.8 / 0.56),
    ],
)
def test_noisy_or_has_a_strength_for_each_link(name, factors, belief) -> None:
    assert said(name, "noisy-or", STRENGTHS, **factors) == {str(round(100 * belief))}


@pytest.mark.parametrize(
    ("name", "factors", "belief"),
    [
        # With rho .5 the second effect is the first half of the time, else .8 or .2 as alone.
        ("fork", {"task": "VI", "cause": "E2"}, 0.5 + 0.5 * 0.8),
        ("fork", {"task": "VIII", "cause": "E2"}, 0.5 * 0.8),
        ("fork", {"task": "IX", "cause": "E2"}, 0.5 + 0.5 * 0.2),
        # The first given the second, by Bayes: .6 * .9 of .6 * .9 + .4 * .4.
        ("fork", {"task": "VI", "cause": "E1"}, 0.54 / (0.54 + 0.16)),
        ("chain", {"task": "VIII"}, 0.5 + 0.5 * 0.8),
        ("chain", {"task": "VII"}, 0.5 * 0.8),
        ("chain", {"task": "V"}, 0.5 * 0.2),
    ],
)
def test_the_associative_agent_ties_what_has_no_link(name, factors, belief) -> None:
    settings = {**STRENGTHS, "rho": 0.5}
    assert said(name, "associative", settings, **factors) == {str(round(100 * belief))}


@pytest.mark.slow
@pytest.mark.parametrize("name", NEW)
def test_measures_recover_what_is_known_of_agents(name: str) -> None:
    # What has a figure over 1,000 seeds is looked at over few.
    found = list(calibrate(SUITE, DESIGNS[name], seeds=10 if name in MEASURED else 40))
    assert {"markov_violation", "prior", "leak", "strength", "leak_adjusted_determinacy"} <= {
        row.measure for row in found
    }
    assert all(row.passed for row in found), [row for row in found if not row.passed]
    known = {row.agent: row.expected for row in found if row.measure == "markov_violation"}
    assert known["noisy-or"] == pytest.approx(0)
    assert known["associative"] == pytest.approx(0.3)


def test_what_is_known_is_of_the_tasks_that_are_asked() -> None:
    agent = SUITE.agent("noisy-or")
    settings = agent.settings({})
    assert set(agent.expected(settings, make_design({"task": "IV,V"}))) == {"markov_violation"}
    assert agent.expected(settings, make_design({"design": "fork", "task": "VI,VIII"})) == {}


def test_a_graph_can_be_chosen_for_any_design() -> None:
    made = make_design({"design": "full", "graph": "chain"})
    assert (made.graph, made.name, made.sizes) == ("chain", "full*", (24, 6, 4, 7, 3, 1))
    assert make_design({"graph": "fork"}).hash == DESIGNS["fork"].hash
    assert "20 questions of the fork x economy" in DESIGNS["fork"].summary


def own_story(tmp_path, graph: str) -> str:
    raw = yaml.safe_load(
        files("whybench.suites.judge.stories").joinpath(f"{graph}/weather.yaml").read_text("utf-8")
    )
    path = tmp_path / f"my-{graph}.yaml"
    path.write_text(yaml.safe_dump({**raw, "name": f"my-{graph}"}), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("base", ["core", "chain"])
def test_a_users_story_brings_its_graph(tmp_path, base: str) -> None:
    made = make_design({"design": base, "story": [own_story(tmp_path, "fork"), "weather"]})
    assert made.graph == "fork"
    assert [told.graph for told in made.stories] == ["fork", "fork"]


def test_a_users_story_must_be_of_the_graph_that_is_named(tmp_path) -> None:
    path = own_story(tmp_path, "fork")
    with pytest.raises(UserError, match=r"must be of its graph chain, got my-fork \(fork\)"):
        make_design({"graph": "chain", "story": [path]})
    with pytest.raises(UserError, match=r"graph fork, got my-fork \(fork\), my-chain \(chain\)"):
        make_design({"story": [path, own_story(tmp_path, "chain")]})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"graph": "star"}, "graph must be among collider, fork, chain, got 'star'"),
        ({"design": "fork", "task": "XII"}, "task must be among I, .* XI, got 'XII'"),
        ({"design": "chain", "task": "XXV"}, "task must be among I, .* XXIV, got 'XXV'"),
    ],
)
def test_errors_say_what_a_graph_allows(settings, message) -> None:
    with pytest.raises(UserError, match=message):
        make_design(settings)


def test_the_command_takes_a_graph() -> None:
    words = ["show", "judge", "-T", "graph=fork", "--count", "1", "--format", "jsonl"]
    code = f"import sys\nfrom whybench.cli import main\nsys.argv = {['whybench', *words]!r}\nmain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert '"graph": "fork"' in done.stdout


@pytest.mark.parametrize("name", ["fork", "chain"])
def test_the_page_on_judge_has_the_tasks_and_their_answers(name: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "judge.md").read_text("utf-8")
    section = page.split(f"### {name.capitalize()}\n")[1].split("\n### ")[0]
    rows = re.findall(r"^\| ([IVX]+) \| (\w+) given ([^|]+) \|.* ([\d.]+) \|$", section, re.M)
    shown = {
        task: (asked, dict(part.split("=") for part in given.split(", ")), float(truth))
        for task, asked, given, truth in rows
    }
    items = {item.question.task: item for item in reversed(asked(name))}
    assert list(shown) == list(dict.fromkeys(q.task for q in load_structure(name).questions))
    for task, (node, given, truth) in shown.items():
        question = items[task].question
        if question.cause == "E2":
            continue
        assert (node, given) == (question.target, {n: str(v) for n, v in question.given})
        assert truth == pytest.approx(items[task].truth, abs=0.05)
