"""Studies with people when something goes wrong: damaged data, and a disk that is full.

Data of strangers are damaged in every form that `study import` takes. What must hold: whatever one
participant sent, everybody else's answers are imported as they are, and nothing ends in a
traceback. A server whose disk is full must not acknowledge what it does not have.
"""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from zipfile import ZIP_DEFLATED, ZipFile

from evidence.figures import Figure, Parts
from whybench.errors import UserError
from whybench.records import write_records
from whybench.study.export import Saving, write_study
from whybench.study.importing import import_saved
from whybench.study.plan import make_plan
from whybench.study.rows import FIELDS
from whybench.study.saved import read_saved
from whybench.study.simulation import SimulatedPerson, participation_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from whybench.study.plan import StudyPlan

Row = dict[str, Any]

PEOPLE = 5
STRANGER = 2
"""The participant whose data are damaged; there are others before and behind."""

NASTY: tuple[Any, ...] = (
    *(None, "null", "", [], {}, True, -1, 1.5, 10**400, 1e308, float("nan"), float("inf")),
    *(
        "\ud800",
        "\u2028",
        "\0",
        "x" * 200_000,
        [1],
        ["1"] * 2000,
        {"kind": "item"},
        "=1+1",
        '"',
        "{",
    ),
    *("item", "start", "end", "judge-0", ["63", "64"], ["9" * 5000], ["\ud800"], [""]),
)
BYTES = (
    b'"',
    b"{",
    b"[" * 5000,
    b"}",
    b"\xff",
    b"\0",
    b"\n",
    b"\r",
    b"\\",
    b",",
    b'{"kind":' * 2000,
)


def _lines(rows: Sequence[Row]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _table(rows: Sequence[Row], names: Sequence[str]) -> bytes:
    out = StringIO()
    lines = csv.writer(out, quoting=csv.QUOTE_ALL)
    for row in rows:
        cells = (row.get(name, "") for name in names)
        lines.writerow(cell if isinstance(cell, str) else json.dumps(cell) for cell in cells)
    return out.getvalue().encode("utf-8", "surrogatepass")


def _parts(form: str, people: Sequence[Sequence[Row]]) -> list[bytes]:
    """Return what each participant's data are in a form."""
    if form == "json":
        return [_lines(rows).replace(b"\n", b",")[:-1] for rows in people]
    if form == "csv":
        names = list(dict.fromkeys(name for rows in people for row in rows for name in row))
        return [_table(rows, names) for rows in people]
    if form == "jatos":
        return [json.dumps(rows).encode() for rows in people]
    return [_lines(rows) for rows in people]


def _write(form: str, parts: Sequence[bytes], names: Sequence[str], folder: Path) -> None:
    """Write the data of all into a folder, as they come home in a form."""
    if form == "json":
        (folder / "data.json").write_bytes(b"[" + b",".join(parts) + b"]")
    elif form == "csv":
        head = _table([{name: name for name in names}], names)
        (folder / "data.csv").write_bytes(head + b"".join(parts))
    elif form == "jatos":
        (folder / "jatos.txt").write_bytes(b"\n".join(parts))
    elif form == "zip":
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for number, part in enumerate(parts):
                archive.writestr(f"study_result_{number}/comp-result_{number}/data.txt", part)
        (folder / "results.jrzip").write_bytes(packed.getvalue())
    else:
        for number, part in enumerate(parts):
            (folder / f"{form}-{number}.jsonl").write_bytes(part)


FORMS = ("jsonl", "json", "csv", "jatos", "zip", "datapipe")
"""Lines of JSON, an array, a table, texts strung together, an archive, a file for each session."""


def _spoil_rows(rows: list[Row], draw: random.Random) -> list[Row]:
    """Return somebody's rows with one of them changed, doubled, moved or gone."""
    place = draw.randrange(len(rows))
    name = draw.choice([*rows[place], "kind", "replies", "item"])
    how = draw.choice(("change", "change", "change", "double", "drop", "gone", "move"))
    changed = {**rows[place], name: draw.choice(NASTY)}
    if how == "drop":
        changed = {key: value for key, value in rows[place].items() if key != name}
    if how == "gone":
        return rows[:place] + rows[place + 1 :]
    if how == "move":
        return [*rows[:place], *rows[place + 1 :], rows[place]]
    kept = [rows[place]] if how == "double" else []
    return [*rows[:place], *kept, changed, *rows[place + 1 :]]


def _spoil_bytes(content: bytes, draw: random.Random) -> bytes:
    """Return bytes of which some are others, gone, doubled or added."""
    start = draw.randrange(len(content))
    stop = min(len(content), start + draw.choice((1, 1, 4, 60, 2000)))
    middle = {
        "other": bytes(draw.randrange(256) for _ in range(stop - start)),
        "gone": b"",
        "doubled": content[start:stop] * 2,
        "added": draw.choice(BYTES) + content[start:stop],
        "cut": b"",
    }
    how = draw.choice(list(middle))
    return content[:start] + middle[how] + (b"" if how == "cut" else content[stop:])


def _answers(plan: StudyPlan, folder: Path) -> Counter[tuple[str, str, float]]:
    """Import a folder as the command does, and return who gave which answers."""
    found = import_saved(plan, read_saved([folder]), ["incomplete"], keep_ids=True)
    json.dumps(found.summary()).encode()
    "\n".join(found.notes()).encode()
    write_records(found.table, folder / "records.csv")
    rows = found.table.select(["agent", "item", "value"]).to_pylist()
    return Counter((row["agent"], row["item"], row["value"]) for row in rows)


def damaged(small: bool) -> Iterator[Figure]:
    """Yield what becomes of studies in which the data of one participant are damaged."""
    plan = make_plan("judge", {"design": "core"}, 4, 2)
    people = [
        participation_rows(plan, SimulatedPerson(k, "noisy-or", {"noise": 0.3}))
        for k in range(PEOPLE)
    ]
    names = list(dict.fromkeys(name for rows in people for row in rows for name in row))
    stranger = f"person/{people[STRANGER][0]['participant']}"
    count = 60 if small else 400
    raised: Counter[str] = Counter()
    whole, packed, invented = 0, 0, 0
    for number in range(count):
        draw, form = random.Random(number), FORMS[number % len(FORMS)]
        container = form == "zip" and draw.random() < 0.5
        spoilt = list(people)
        if draw.random() < 0.5:
            spoilt[STRANGER] = _spoil_rows(people[STRANGER], draw)
        parts = _parts(form, spoilt)
        if spoilt == people and not container:
            parts[STRANGER] = _spoil_bytes(parts[STRANGER], draw)
        with TemporaryDirectory() as name:
            folder = Path(name)
            _write(form, _parts(form, people), names, folder)
            expected = _answers(plan, folder)
            _write(form, parts, names, folder)
            if container:
                file = folder / "results.jrzip"
                file.write_bytes(_spoil_bytes(file.read_bytes(), draw))
            try:
                answers = _answers(plan, folder)
            except UserError:
                answers = Counter()  # of an archive that cannot be opened nothing may be left
            except Exception as error:
                raised[f"{type(error).__name__} in {form} {number}"] += 1
                continue
        others = Counter({key: n for key, n in expected.items() if key[0] != stranger})
        invented += not container and any(
            answers[key] > expected[key] for key in answers if key[:2] in {k[:2] for k in others}
        )
        packed += container
        whole += not container and others <= answers
    yield Figure(
        f"{count} times the data of one of {PEOPLE} participants are damaged, in {len(FORMS)} "
        "forms: no import ends in a traceback",
        ", ".join(raised) or f"none; {packed} of the archives were damaged themselves",
        not raised,
    )
    yield Figure(
        "all answers of everybody else are imported each time, and none is added to theirs",
        f"{whole} of {count - packed} times all are there; {invented} times one was added",
        whole == count - packed and not invented,
    )


def crossed(small: bool) -> Iterator[Figure]:
    """Yield what becomes of a study in which a field of a row holds what it should not."""
    plan = make_plan("judge", {"design": "core"}, 4, 2)
    first, second = (participation_rows(plan, SimulatedPerson(k, "noisy-or")) for k in range(2))
    cases = [(name, value) for name in FIELDS for value in NASTY][:: 7 if small else 1]
    failed = []
    for name, value in cases:
        spoilt = [*first[:6], {**first[6], name: value}, *first[7:]]
        with TemporaryDirectory() as folder:
            (Path(folder) / "data.jsonl").write_bytes(_lines([*spoilt, *second]))
            try:
                answers = _answers(plan, Path(folder))
            except Exception as error:
                failed.append(f"{name} {str(value)[:20]!r}: {type(error).__name__}")
                continue
        own = f"person/{second[0]['participant']}"
        if sum(n for key, n in answers.items() if key[0] == own) != 4:
            failed.append(f"{name} {str(value)[:20]!r}: answers are lost")
    yield Figure(
        f"{len(FIELDS)} fields of a row with values that none should have: everybody else's "
        "answers are imported",
        f"{len(cases) - len(failed)} of {len(cases)} times; {'; '.join(failed[:5])}",
        not failed,
    )


CALL = "from whybench.cli import main; main()"

MOUNTED = 'mount -t tmpfs -o size="$1" none "$2" && shift 2 && exec "$@"'
"""Runs a command that alone sees a small disk in a folder."""


def can_mount() -> bool:
    """Return whether a small disk can be made here."""
    return os.geteuid() == 0 and shutil.which("unshare") is not None


def _on_small_disk(size: str, disk: Path, *words: str) -> subprocess.Popen[str]:
    """Start a command with a disk of this size in a folder."""
    return subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", MOUNTED, "sh", size, str(disk), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def full_disk(small: bool) -> Iterator[Figure]:
    """Yield what becomes of rows that are sent to a server whose disk gets full."""
    plan = make_plan("judge", {"design": "core"}, 8, 2)
    people = [
        participation_rows(plan, SimulatedPerson(k, "noisy-or")) for k in range(3 if small else 12)
    ]
    with TemporaryDirectory() as name:
        study, disk, home = (Path(name) / part for part in ("study", "disk", "home"))
        write_study(plan, study, Saving("serve"))
        disk.mkdir()
        words = [sys.executable, "-c", CALL, "study", "serve", str(study), "--data", str(disk)]
        server = _on_small_disk("64k" if small else "160k", disk, *words, "--port", "0")
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            address = server.stdout.readline().split(" ")[0]
            server.stdout.readline()
            inside = Path(f"/proc/{server.pid}/root{disk}")  # what the server sees there
            filler = inside / "filler"
            filler.write_bytes(b"x" * (56 * 1024 if small else 128 * 1024))
            refused, sent = _send_all(f"{address}data", people, filler.unlink)
            shutil.copytree(inside, home)
        finally:
            server.send_signal(signal.SIGTERM)
            rest, errors = server.communicate(timeout=60)
        found = import_saved(plan, read_saved([home]))
    asked = sum(len(rows) for rows in people)
    yield Figure(
        "a disk that is full in the middle of a study: rows acknowledged = rows imported, once "
        "each, and none is torn",
        f"{asked} rows, {refused} times refused with 507 and sent again; {sent} acknowledged, "
        f"{len(found.saved.rows)} imported, {found.doubles} double, "
        f"{len(found.saved.broken)} broken",
        sent == asked == len(found.saved.rows)
        and refused > 0
        and not found.doubles
        and not found.saved.broken,
    )
    yield Figure(
        "it ends in order when it is told to, and says what it wrote",
        f"status {server.returncode}: {rest.strip()}",
        server.returncode == 128 + signal.SIGTERM
        and f"{asked} rows of {len(people)} participants" in rest
        and "Traceback" not in errors,
    )


def _send_all(
    address: str, people: Sequence[Sequence[Row]], make_room: Callable[[], None]
) -> tuple[int, int]:
    """Send rows as the page does; return how often that failed, and how many were acknowledged.

    What fails is sent again with the next row. Room is made when it has failed some times.
    """
    refused = sent = 0
    for rows in people:
        done = 0
        for until in [*range(1, len(rows) + 1), *[len(rows)] * 9]:
            if done == until:
                continue
            request = Request(address, data=_lines(rows[done:until]))
            try:
                with urlopen(request, timeout=30):
                    sent, done = sent + until - done, until
            except HTTPError as error:
                with error:
                    if error.code != 507:
                        raise
                refused += 1
                if refused == 5:
                    make_room()
    return refused, sent


COMMANDS = """
import os, sys
from whybench.cli import main
disk, study, data = sys.argv[1:]
simulate = ["simulate", study, "--model", "reference/judge.random", "-o", f"{disk}/a.jsonl"]
bring = ["import", data, "--study", study, "-o", f"{disk}/a.parquet"]
for state in ("full", "read-only"):
    for words in (["export", "judge", "-o", f"{disk}/study"], simulate, bring):
        sys.argv = ["whybench", "study", *words]
        try:
            main()
            print(0)
        except SystemExit as end:
            print(end.code)
    if state == "full":
        os.system(f"mount -o remount,ro {disk}")
print(os.listdir(disk))
"""


def unwritten(small: bool) -> Iterator[Figure]:  # noqa: ARG001  (it is small)
    """Yield what the commands of a study leave on a disk that is full, or that is read-only."""
    plan = make_plan("judge", {"design": "core"})
    with TemporaryDirectory() as name:
        study, disk, data = (Path(name) / part for part in ("study", "disk", "data.jsonl"))
        write_study(plan, study)
        disk.mkdir()
        people = [participation_rows(plan, SimulatedPerson(k, "random")) for k in range(12)]
        data.write_bytes(b"".join(map(_lines, people)))
        words = (sys.executable, "-c", COMMANDS, str(disk), str(study), str(data))
        out, errors = _on_small_disk("8k", disk, *words).communicate(timeout=300)
    said = errors.strip().splitlines()
    yield Figure(
        "export, simulate and import on a full and on a read-only disk: one line each, status 2, "
        "and no file",
        f"{' '.join(out.split())}; {len(said)} lines, such as: {said[0] if said else ''}",
        out.split() == ["2"] * 6 + ["[]"]
        and len(said) == 6
        and all(line.startswith("Error: ") for line in said),
    )


PARTS: Parts = {
    "damaged studies": damaged,
    "damaged fields": crossed,
    "full disk": full_disk,
    "unwritten studies": unwritten,
}
