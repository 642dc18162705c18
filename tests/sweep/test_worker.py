"""A unit is resumed where it was left, and costs nothing once it is done."""

import json
import shutil
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log_sample_summaries

from whybench.errors import Fence, UserError
from whybench.planning.asks import Ask
from whybench.sweep.collection import collect, read_answers, read_state
from whybench.sweep.plan import SweepPlan, list_units
from whybench.sweep.store import DONE, PROGRESS, Store, open_store
from whybench.sweep.worker import run_unit


def unit_of(model, limit=12, **ask):
    plan = SweepPlan("out", ((model, {}),), (Ask("judge", limit=limit, **ask),))
    (unit,) = list_units(plan)
    return unit


def run(unit, store, folder, **settings):
    return run_unit(unit, store, folder, upload_every=5, settings=settings)


def test_a_unit_runs_once_and_its_answers_are_collected(tmp_path):
    store = open_store(str(tmp_path / "out"))
    unit = unit_of("reference/judge.noisy-or", epochs=2)
    assert not read_state(unit, store).done
    first = run(unit, store, tmp_path / "one")
    assert (first["answered"], first["asked"]) == (24, 24)
    # On another machine, with nothing of its own: done is done.
    assert run(unit, store, tmp_path / "two") == first
    assert not (tmp_path / "two").exists()
    rows = read_answers(unit, store).rows["judge"]
    assert len({(row["item"], row["epoch"]) for row in rows}) == len(rows) == 24
    assert read_state(unit, store).samples == 24


def test_another_machine_goes_on_from_the_last_upload(tmp_path):
    store = open_store(str(tmp_path / "out"))
    unit = unit_of("reference/judge.noisy-or")
    run(unit, store, tmp_path / "one")
    store.remove_log(unit.name, DONE)  # as if the machine was lost after the last upload
    shutil.rmtree(tmp_path / "one")
    again = run(unit, store, tmp_path / "two")
    assert again["asked"] == 0
    assert len(read_answers(unit, store).rows["judge"]) == 12


def test_what_is_older_here_gives_way_to_what_was_uploaded_elsewhere(tmp_path):
    store = open_store(str(tmp_path / "out"))
    unit = unit_of("reference/judge.noisy-or")
    run(unit, store, tmp_path / "one")
    store.remove_log(unit.name, DONE)
    stale = tmp_path / "two" / unit.name
    stale.mkdir(parents=True)
    (stale / "stale.eval").write_bytes(b"half a log")
    assert run(unit, store, tmp_path / "two")["asked"] == 0
    assert not (stale / "stale.eval").exists()


def test_a_unit_that_cannot_run_says_why(tmp_path):
    store = open_store(str(tmp_path / "out"))
    unit = unit_of("nobody/model")
    with pytest.raises(UserError, match="nobody"):
        run(unit, store, tmp_path / "one")
    assert not read_state(unit, store).done
    assert store.read_note(unit.name, DONE) is None


def test_notes_tell_where_a_unit_runs(tmp_path):
    store = open_store(str(tmp_path / "out"))
    unit = unit_of("reference/judge.noisy-or", limit=6)
    run(unit, store, tmp_path / "one")
    note = json.loads((tmp_path / "out" / "units" / unit.name / PROGRESS).read_text())
    assert note["done"] == 6
    assert note["folder"].endswith(f"one/{unit.name}")


@pytest.mark.slow
def test_progress_never_says_more_than_the_uploaded_log_holds(tmp_path):
    """Samples that have ended may not be in the log yet: it is written a few at a time."""

    class Watched(Store):
        def write_note(self, unit, name, what):
            if name == PROGRESS:
                held = [len(read_eval_log_sample_summaries(log)) for log in self.logs(unit)]
                said.append((what["done"], max(held, default=0)))
            super().write_note(unit, name, what)

    said = []
    opened = open_store(str(tmp_path / "out"))
    store = Watched(opened.files, opened.root)
    run(unit_of("reference/judge.noisy-or", limit=240, epochs=2), store, tmp_path / "one")
    assert len(said) > 2
    assert said[0] == (0, 0)
    assert said[-1] == (480, 480)
    assert [done for done, held in said if done > held] == []


def test_what_is_here_and_was_never_uploaded_is_uploaded_first(tmp_path):
    store = open_store(str(tmp_path / "out"))
    unit = unit_of("reference/judge.noisy-or")
    run(unit, store, tmp_path / "one")
    store.remove_log(unit.name, DONE)
    for log in store.logs(unit.name):
        store.files.rm_file(log)
    assert run(unit, store, tmp_path / "one")["asked"] == 0
    assert read_state(unit, store).samples == 12
    assert len(read_answers(unit, store).rows["judge"]) == 12


def test_a_unit_whose_log_is_damaged_does_not_stop_the_collection(tmp_path):
    store = open_store(str(tmp_path / "out"))
    units = [unit_of("reference/judge.noisy-or"), unit_of("reference/judge.associative")]
    for unit in units:
        run(unit, store, tmp_path / "one")
    (log,) = Path(tmp_path, "out", "units", units[0].name).glob("*.eval")
    log.write_bytes(log.read_bytes()[:40])
    fence = Fence()
    rows, damaged = collect(units, store, str(tmp_path / "records"), fence)
    assert rows == units[1].samples
    assert [*fence.notes, *damaged][0].startswith(f"left out {units[0].name}: ")


def test_a_note_that_proves_nothing_is_not_believed(tmp_path):
    store = open_store(str(tmp_path / "out"))
    unit = unit_of("reference/judge.noisy-or")
    store.write_note(unit.name, DONE, {"samples": unit.samples, "asked": unit.samples})
    assert not read_state(unit, store).done
    assert run(unit, store, tmp_path / "one")["asked"] == unit.samples
    assert read_state(unit, store).done
