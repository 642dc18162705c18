"""People's answers to records: the same as any agent's, with nobody's id in them."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pytest

from whybench.records import write_records
from whybench.records.usable import read_usable
from whybench.study.export import write_study
from whybench.study.importing import COLUMNS, import_study
from whybench.study.plan import StudyPlan, make_plan
from whybench.study.simulation import SimulatedPerson, participation_rows
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("engine")

PLAN = make_plan("judge", {"design": "core"}, lists=2)
NOISE = {"noise": 0.3}


def saved(folder: Path, *numbers: int) -> list[list[dict]]:
    """Write a study and the data of some participants, and return these."""
    write_study(PLAN, folder)
    (folder / "data").mkdir()
    found = []
    for number in numbers:
        rows = participation_rows(PLAN, SimulatedPerson(number, "noisy-or", NOISE))
        found.append([{**row, "seconds": row["position"] / 8} for row in rows])
        write_rows(folder / "data" / f"{number}.jsonl", found[-1])
    return found


def write_rows(file: Path, rows: list[dict]) -> None:
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def test_people_s_answers_are_what_the_agents_they_are_would_have_answered(tmp_path) -> None:
    saved(tmp_path, 0, 1, 2)
    found = import_study(tmp_path, [tmp_path / "data"])
    agent = PLAN.suite.agent("noisy-or")
    design = PLAN.suite.make_design(PLAN.settings)
    for number in range(3):
        person = list(dict.fromkeys(found.table["agent"].to_pylist()))[number]
        own = found.table.filter(pc.equal(found.table["agent"], person)).to_pylist()
        items = PLAN.list_items(number)
        settings = {**NOISE, "seed": number}
        expected = simulate_rows(PLAN.suite, design, items, agent, settings, person, {})
        for place, (row, told) in enumerate(zip(own, expected, strict=True), start=1):
            assert {name: row[name] for name in told} == told
            assert (row["place"], row["seconds"]) == (place, (place + 4) / 8)
            assert row["person"] == ""
            assert row["input_tokens"] is None


def test_a_group_is_one_agent_whose_people_are_epochs(tmp_path) -> None:
    saved(tmp_path, 0, 1, 2)
    found = import_study(tmp_path, [tmp_path / "data"], by="group", name="pilot")
    rows = found.table.to_pylist()
    assert {row["agent"] for row in rows} == {"human/pilot"}
    assert len({row["person"] for row in rows}) == 3
    # Participants 0 and 2 have the same list, 1 the other one.
    assert sorted(row["epoch"] for row in rows) == [1] * 40 + [2] * 20
    assert len({(row["item"], row["epoch"]) for row in rows}) == 60
    measures = {m.name: m for m in get_suite("judge").measures(found.table)}
    assert measures["explaining_away"].units == 3
    with pytest.raises(UserError, match="`name` must be letters, digits"):
        import_study(tmp_path, [tmp_path / "data"], by="group", name="a study")


def test_who_takes_part_again_has_another_epoch(tmp_path) -> None:
    (first,) = saved(tmp_path, 0)
    again = [{**row, "at": "2026", "session": "again"} for row in first[:9]]
    write_rows(tmp_path / "data" / "again.jsonl", again)
    found = import_study(tmp_path, [tmp_path / "data"])
    assert (found.participations, found.repeated, found.kept) == (2, 1, 2)
    epochs = found.table["epoch"].to_pylist()
    assert epochs == [1] * 20 + [2] * 4
    found = import_study(tmp_path, [tmp_path / "data"], ["repeated"])
    assert found.table["epoch"].to_pylist() == [1] * 20
    assert [(one.excluded, one.answers) for one in found.exclusions] == [(1, 4)]


def test_nobody_s_id_is_in_the_records_unless_it_is_kept(tmp_path) -> None:
    rows = saved(tmp_path, 0)[0]
    known = "5f1e9c0d2b7a4e0001aa77ff"
    file = tmp_path / "data" / "0.jsonl"
    file.unlink()
    named = file.with_name(f"{known}.jsonl")
    write_rows(named, [{**row, "participant": known, "prolific": {"pid": known}} for row in rows])
    for by in ("person", "group"):
        hidden = import_study(tmp_path, [tmp_path / "data"], by=by, name="x")
        assert known not in str(hidden.table.to_pylist())
        kept = import_study(tmp_path, [tmp_path / "data"], by=by, name="x", keep_ids=True)
        assert known in str(kept.table.to_pylist())
    once, twice = (import_study(tmp_path, [named]).table for _ in range(2))
    assert once == twice
    assert kept.table["log"].to_pylist() == [named.name] * 20


@pytest.mark.parametrize(
    "name", ["=cmd|' /C calc'!A0", "+1", "-1", "@sum", "\tx", "'=1", "a\nb", "'a"]
)
def test_an_id_that_is_kept_is_no_formula_in_a_table(name: str, tmp_path) -> None:
    (rows,) = saved(tmp_path, 0)
    write_rows(tmp_path / "data" / "0.jsonl", [{**row, "participant": name} for row in rows])
    found = import_study(tmp_path, [tmp_path / "data"], by="group", name="x", keep_ids=True)
    write_records(found.table, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as lines:
        cells = {row["person"] for row in csv.DictReader(lines)}
    assert cells == {name if name in {"a\nb", "'a"} else f"'{name}"}
    columns = {**PLAN.suite.record_columns, **COLUMNS}
    assert read_usable(tmp_path / "a.csv", "judge", columns) == (found.table, [])


def test_rows_of_another_study_are_left_out_and_counted(tmp_path) -> None:
    (rows,) = saved(tmp_path, 0)
    write_rows(tmp_path / "data" / "1.jsonl", [{**row, "study": "beef"} for row in rows[:2]])
    found = import_study(tmp_path, [tmp_path / "data"])
    assert (found.participations, found.others) == (1, {"beef": 2})
    note = "2 rows are of another study (beef), the first at 1.jsonl:1, and are left out"
    assert note in list(found.notes())
    with pytest.raises(UserError, match=f"{PLAN.id}, got 2 of beef, the first at 1.jsonl:1"):
        import_study(tmp_path, [tmp_path / "data" / "1.jsonl"])


def test_who_contradicts_themselves_is_left_out_whole_and_everybody_else_is_not(tmp_path) -> None:
    first, second, third, _ = saved(tmp_path, 0, 1, 2, 3)
    first[6]["item"] = "judge-0"
    second.append({**second[7], "replies": ["1"]})
    third[8]["replies"] = ["63", "64"]
    for number, rows in enumerate((first, second, third)):
        write_rows(tmp_path / "data" / f"{number}.jsonl", rows)
    found = import_study(tmp_path, [tmp_path / "data"], ["incomplete"])
    assert (found.participations, found.kept, found.table.num_rows) == (4, 1, 20)
    assert [(one.rule, one.excluded, one.answers) for one in found.exclusions] == [
        ("contradictory", 1, 20),
        ("unknown item", 1, 20),
        ("too many replies", 1, 20),
        ("incomplete", 0, 0),
    ]
    notes = "\n".join(found.notes())
    assert "got 'judge-0' at 0.jsonl:7" in notes
    assert "at 1.jsonl:8 and 1.jsonl:28" in notes
    assert "must end with the episode, after 1, got 2 at 2.jsonl:9" in notes
    assert len(found.summary()["flaws"]) == 3


def test_one_id_on_two_machines_is_one_person_who_took_part_twice(tmp_path) -> None:
    (rows,) = saved(tmp_path, 0)
    one = [{**row, "session": "a", "at": "2026-01-01"} for row in rows]
    two = [{**row, "session": "b", "at": "2026-01-01"} for row in rows]
    two[6]["replies"] = ["1"]
    mixed = [row for pair in zip(one, two, strict=True) for row in pair]
    write_rows(tmp_path / "data" / "0.jsonl", mixed)
    found = import_study(tmp_path, [tmp_path / "data"])
    assert (found.participations, found.repeated, found.kept) == (2, 1, 2)
    assert found.table["epoch"].to_pylist() == [1] * 20 + [2] * 20


@pytest.mark.parametrize("changed", [{"design_hash": "0"}, {"version": 99}])
def test_a_design_that_is_no_longer_the_same_is_refused(changed, tmp_path) -> None:
    saved(tmp_path, 0)
    file = tmp_path / "study.json"
    about = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**about, **changed, "whybench": "0.0.1"}), encoding="utf-8")
    with pytest.raises(UserError, match="use whybench 0.0.1, which made the study"):
        import_study(tmp_path, [tmp_path / "data"])


def test_a_study_whose_lists_were_changed_is_refused(tmp_path) -> None:
    saved(tmp_path, 0)
    file = tmp_path / "study.json"
    about = json.loads(file.read_text("utf-8"))
    about["lists"][1].reverse()
    file.write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(UserError, match=f"lists that make the study .* and not {PLAN.id}"):
        import_study(tmp_path, [tmp_path / "data"])


@pytest.mark.parametrize("content", [None, "", "{}", "[1]"])
def test_a_folder_that_is_no_study_is_refused(content: str | None, tmp_path) -> None:
    if content is not None:
        (tmp_path / "study.json").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="must be the folder of a study, with its study.json"):
        import_study(tmp_path, [tmp_path])


def test_data_that_leave_nothing_are_an_error_with_counts(tmp_path) -> None:
    (rows,) = saved(tmp_path, 0)
    with pytest.raises(UserError, match="got 27 rows of 1 participations in 1 files, 1 excluded"):
        import_study(tmp_path, [tmp_path / "data"], ["seconds<60"])
    write_rows(tmp_path / "data" / "0.jsonl", rows[:5])
    with pytest.raises(UserError, match="got 5 rows of 1 participations in 1 files, 0 excluded"):
        import_study(tmp_path, [tmp_path / "data"])


def test_a_reply_that_holds_no_answer_has_its_reason(tmp_path) -> None:
    (rows,) = saved(tmp_path, 0)
    rows[5]["replies"], rows[6]["replies"] = ["101"], []
    write_rows(tmp_path / "data" / "0.jsonl", rows)
    first, second, third, *_ = import_study(tmp_path, [tmp_path / "data"]).table.to_pylist()
    assert (first["outcome"], first["reason"]) == ("no_answer", "out_of_scale")
    assert (second["outcome"], second["reason"]) == ("no_answer", "unfinished")
    assert (third["outcome"], third["reason"]) == ("scored", "")


def test_an_episode_is_held_again_from_its_replies(tmp_path) -> None:
    asked = get_suite("intervene")
    settings = {"design": next(iter(asked.designs))}
    design = asked.make_design(settings)
    item = next(iter(asked.items(design)))
    said: list[str] = []

    def speak(episode, _turn: int) -> str:
        said.append(asked.oracle(episode))
        return said[-1]

    expected = asked.converse(item, speak)
    plan = StudyPlan(asked, settings, design.hash, ((item,),))
    write_study(plan, tmp_path)
    row = {
        "kind": "item", "study": plan.id, "participant": "p", "session": "a", "position": 0,
        "item": item.digest, "seconds": 40.0, "replies": said,
    }  # fmt: skip
    write_rows(tmp_path / "data.jsonl", [row, {**row, "participant": "q", "replies": said[:-1]}])
    first, second = import_study(tmp_path, [tmp_path / "data.jsonl"]).table.to_pylist()
    assert (first["value"], first["outcome"]) == (expected.value, "scored")
    assert {name: first[name] for name in expected.parts} == dict(expected.parts)
    assert (second["outcome"], second["reason"]) == ("no_answer", "unfinished")
    with pytest.raises(UserError, match="intervals rest on people, got intervene"):
        import_study(tmp_path, [tmp_path / "data.jsonl"], by="group")
