from __future__ import annotations

from collections import Counter
from statistics import fmean

import pytest

from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.published import (
    _find_question,
    human_means,
    mean_records,
    people_records,
)

pytestmark = pytest.mark.usefixtures("mirror")


@pytest.mark.parametrize("graph", ["collider", "fork"])
def test_every_person_answers_twenty_questions_of_one_vignette(graph: str) -> None:
    rows = people_records(graph).to_pylist()
    assert len(rows) == 960
    people = Counter(row["person"] for row in rows)
    assert len(people) == 48
    assert set(people.values()) == {20}
    for person in people:
        own = [row for row in rows if row["person"] == person]
        assert len({(row["story"], row["polarity"]) for row in own}) == 1
        assert len({(row["letter"], row["cause"]) for row in own}) == 20
    assert {row["graph"] for row in rows} == {graph}
    assert {row["story"] for row in rows} == {"economy", "sociology", "weather"}
    assert {row["polarity"] for row in rows} == {"ppp", "pmm", "mpm", "mmp"}
    assert len({(row["item"], row["epoch"]) for row in rows}) == 960, "item and epoch name a row"
    assert all(row["truth"] is None and 0 <= row["value"] <= 100 for row in rows)


def test_the_first_rows_of_both_files_are_read_as_they_stand() -> None:
    # 0;economy;a;ppp;D;Y|X=1;0;38,788;65;CB|CA=1
    first = people_records("collider").to_pylist()[0]
    expected = {
        "person": "collider-0", "story": "economy", "polarity": "ppp", "letter": "d", "task": "IV",
        "cause": "C2", "value": 65.0, "seconds": 38.788, "agent": "human/rw17", "suite": "judge",
    }  # fmt: skip
    assert {name: first[name] for name in expected} == expected
    # 2;weather;A;ppp;D;XorY=1,Z=?(X?);1;1;23,18;80;EA|EB=1
    first = people_records("fork").to_pylist()[0]
    expected |= {
        "person": "fork-2", "story": "weather", "cause": "E1", "value": 80.0, "seconds": 23.18,
    }  # fmt: skip
    assert {name: first[name] for name in expected} == expected


def test_the_fork_is_coded_as_a_fork() -> None:
    rows = people_records("fork").to_pylist()
    mean = {
        letter: fmean(row["value"] for row in rows if row["letter"] == letter)
        for letter in "abcdefghijk"
    }
    # An effect is likelier with its cause than without, whatever the other effect does.
    assert min(mean[letter] for letter in "abc") > 20 + max(mean[letter] for letter in "fgh")
    # The cause is likelier the more of its effects are there.
    assert mean["i"] < mean["j"] - 20 < mean["k"] - 40
    # Four people in every story and polarity.
    vignettes = {(row["story"], row["polarity"], row["person"]) for row in rows}
    assert set(Counter((story, polarity) for story, polarity, _ in vignettes).values()) == {4}


def test_a_letter_that_does_not_belong_to_its_question_is_refused() -> None:
    assert _find_question("collider", "c", "CB|E=1,CA=0").cause == "C2"
    assert _find_question("fork", "j", "C|EA=0,EB=1").cause == "E1"
    assert _find_question("collider", "i", "E|CA=0,CB=0").cause == "both"
    with pytest.raises(ValueError, match=r"letter\.type must be that of CA\|E=1 in the collider"):
        _find_question("collider", "a", "CA|E=1")
    with pytest.raises(ValueError, match="graph must be collider or fork, got 'chain'"):
        people_records("chain")


def test_the_mean_person_is_the_source_s_240_rows() -> None:
    rows = mean_records().to_pylist()
    assert len(rows) == 240
    assert Counter(row["letter"] for row in rows) == {
        letter: 12 if letter in "ik" else 24 for letter in "abcdefghijk"
    }
    means = human_means("collider")
    assert len(means) == 132
    assert all(row["value"] == means[row["story"], row["polarity"], row["letter"]] for row in rows)


def test_people_s_measures_in_both_weightings() -> None:
    by_cell = {m.name: m.estimate for m in contrast_measures(mean_records())}
    assert by_cell == {
        "explaining_away": pytest.approx(0.0995, abs=5e-5),
        "markov_violation": pytest.approx(0.1004, abs=5e-5),
    }
    by_person = {m.name: m.estimate for m in contrast_measures(people_records())}
    assert by_person == {
        "explaining_away": pytest.approx(0.0964, abs=5e-5),
        "markov_violation": pytest.approx(0.0844, abs=5e-5),
    }
