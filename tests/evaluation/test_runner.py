"""A unit is resumed where it was left, and costs nothing once it is complete."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from inspect_ai.log import read_eval_log_sample_summaries

import whybench as wb
from whybench.errors import UserError
from whybench.evaluation.reporting import collect
from whybench.evaluation.runner import RunOptions, run_unit, work_on
from whybench.evaluation.statements import Experiment
from whybench.evaluation.states import read_state
from whybench.evaluation.store import Store, open_store
from whybench.planning.asks import Ask

if TYPE_CHECKING:
    from whybench.evaluation.units import Unit

NOISY = "reference/judge.noisy-or"


def unit_of(model: str = NOISY, limit: int = 12, **ask: Any) -> Unit:
    (unit,) = Experiment("one", ((model, {}),), (Ask("judge", limit=limit, **ask),)).list_units()
    return unit


def options(tmp_path: Path, work: str | None = "one") -> RunOptions:
    return RunOptions(
        str(tmp_path / "out"), work=tmp_path / work if work else None, upload_interval=5
    )


def run(unit: Unit, tmp_path: Path, work: str | None = "one") -> dict[str, Any]:
    """Run a unit in a folder as a worker of a machine does, and return its note."""
    work_on(unit, options(tmp_path, work))
    return open_store(str(tmp_path / "out")).read_note(unit)


def forget(unit: Unit, store: Store, **changes: Any) -> None:
    """Leave the note of a worker that was lost after its last upload."""
    store.write_note(unit, {**store.read_note(unit), "answered": 0, **changes})


def rows(unit: Unit, tmp_path: Path, target: str = "records") -> int:
    store = open_store(str(tmp_path / "out"))
    assert collect([unit], store, str(tmp_path / target)) == []
    return len(wb.load(tmp_path / target))


def test_a_unit_runs_once_and_its_answers_are_collected(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "out"))
    unit = unit_of(epochs=2)
    assert not read_state(unit, store).progress.complete
    first = run(unit, tmp_path)
    assert (first["answered"], first["asked"]) == (24, 24)
    # A complete unit costs nothing on another machine either.
    assert run(unit, tmp_path, "two") == first
    assert not (tmp_path / "two").exists()
    assert read_state(unit, store).ended == 24
    assert rows(unit, tmp_path) == 24
    assert rows(unit, tmp_path) == 24, "to collect again changes nothing"


def test_a_unit_without_work_folder_writes_its_log_into_the_output(tmp_path: Path) -> None:
    unit = unit_of()
    assert run(unit, tmp_path, None)["answered"] == 12
    assert len([*Path(tmp_path, "out", unit.place).glob("*.eval")]) == 1
    assert rows(unit, tmp_path) == 12


def test_two_collectors_write_the_same_records(tmp_path: Path) -> None:
    unit = unit_of()
    run(unit, tmp_path)
    target = str(tmp_path / "records")

    def collect_again(_: int) -> list[str]:
        return collect([unit], open_store(str(tmp_path / "out")), target)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(collect_again, range(2))) == [[], []]
    assert len([*Path(target).rglob("*.parquet")]) == 1
    assert len(wb.load(target)) == 12


def test_another_machine_resumes_from_the_last_upload(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "out"))
    unit = unit_of()
    run(unit, tmp_path)
    forget(unit, store)
    shutil.rmtree(tmp_path / "one")
    again = run(unit, tmp_path, "two")
    assert (again["asked"], again["answered"]) == (0, 12)
    assert rows(unit, tmp_path) == 12


def test_a_log_that_is_older_here_gives_way_to_the_last_upload(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "out"))
    unit = unit_of()
    run(unit, tmp_path)
    forget(unit, store)
    stale = tmp_path / "two" / unit.place
    stale.mkdir(parents=True)
    (stale / "stale.eval").write_bytes(b"half a log")
    assert run(unit, tmp_path, "two")["asked"] == 0
    assert not (stale / "stale.eval").exists()


def test_a_log_that_was_never_uploaded_is_uploaded_first(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "out"))
    unit = unit_of()
    run(unit, tmp_path)
    forget(unit, store)
    for log in store.logs(unit):
        store.files.rm_file(log)
    assert run(unit, tmp_path)["asked"] == 0
    assert read_state(unit, store).ended == 12
    assert rows(unit, tmp_path) == 12


def test_a_unit_that_cannot_run_raises_the_reason(tmp_path: Path) -> None:
    unit = unit_of("nobody/model")
    with pytest.raises(UserError, match="nobody"):
        run(unit, tmp_path)
    assert not read_state(unit, open_store(str(tmp_path / "out"))).progress.complete


def test_a_note_has_the_folder_of_the_worker(tmp_path: Path) -> None:
    unit = unit_of(limit=6)
    note = run(unit, tmp_path)
    assert note["ended"] == 6
    assert note["folder"].endswith(f"one/{unit.place}")


def test_the_note_of_another_plan_is_not_believed(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "out"))
    unit, more = unit_of(), unit_of(epochs=2)
    assert unit.place == more.place
    run(unit, tmp_path)
    assert not read_state(more, store).progress.complete
    assert run(more, tmp_path)["asked"] == 12
    assert read_state(more, store).progress.complete


@pytest.mark.slow
def test_progress_is_never_more_than_the_uploaded_log_has(tmp_path: Path) -> None:
    """Samples that have ended may not be in the log yet: it is written a few at a time."""
    noted = []

    class Watched(Store):
        def write_note(self, unit: Unit, note: Any) -> None:
            held = [len(read_eval_log_sample_summaries(log)) for log in self.logs(unit)]
            noted.append((note["ended"], max(held, default=0)))
            super().write_note(unit, note)

    opened = open_store(str(tmp_path / "out"))
    unit = unit_of(limit=240, epochs=2)
    store = Watched(opened.files, opened.root)
    run_unit(unit, unit.build_task(), options(tmp_path), store)
    assert len(noted) > 2
    assert noted[0] == (0, 0)
    assert noted[-1] == (480, 480)
    assert [ended for ended, held in noted if ended > held] == []


def test_a_damaged_log_does_not_stop_the_collection(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "out"))
    units = [unit_of(), unit_of("reference/judge.associative")]
    for unit in units:
        run(unit, tmp_path)
    (log,) = Path(tmp_path, "out", units[0].place).glob("*.eval")
    log.write_bytes(log.read_bytes()[:40])
    (note,) = collect(units, store, str(tmp_path / "records"))
    assert note.startswith(f"left out {units[0].label}: ")
    assert len(wb.load(tmp_path / "records")) == units[1].samples
