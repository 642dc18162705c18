"""Inputs that are damaged: no command shows a traceback, and what is good is used.

Good sources are made once by reference agents: logs, a file of records as Parquet and as CSV, and
partitioned records, all of the same answers; beside them stands a log of another agent. Each case
damages one of them, and a reading command is given it together with the other agent's. Files that
users write (designs, stories, themes, plans, prices, limits) are bent in their YAML.

What must hold of a case: the command ends with status 0, or with status 2 and one line that names
the damaged file; an answer that is read is the answer that was given; and where answers are
missing, a note names the file.

Not among the cases, since nobody could notice: a spoilt word that is a legal one, such as another
agent's name, and a digit of a CSV file that turned into another. Data of studies are in
`evidence.damaged_studies`.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure, Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from whybench.results import Records

SEED = 20261116

SAMPLES = {"judge": 24, "intervene": 10, "compose": 3, "analyze": 12}
"""How many samples the good logs have."""

AGENTS = {
    "judge": ("noisy-or", "random"),
    "intervene": ("recipe", "bayes"),
    "compose": ("flip", "exact"),
    "analyze": ("naive", "competent"),
}


@dataclass(frozen=True)
class Ending:
    """How a command ended: its status, and what it printed."""

    status: int
    printed: str
    told: str

    @property
    def errors(self) -> list[str]:
        """The lines that say why it failed."""
        return [line for line in self.told.splitlines() if line.startswith("Error: ")]

    @property
    def unforeseen(self) -> bool:
        """Whether it met an error that nobody had thought of."""
        every = self.told + self.printed
        return self.status not in {0, 2} or "Traceback" in every or "shows the details" in every


@dataclass(frozen=True)
class Case:
    """A damaged input, and what a command made of it.

    Attributes:
        kind: What was done to it.
        path: The damaged file.
        words: The command.
        ending: How it ended.
        read: Answers of the damaged source that could be read.
        whole: Answers that it had.
        changed: Answers that were read, but had never been given.
        notes: What was noted of it.
    """

    kind: str
    path: Path
    words: Sequence[str]
    ending: Ending
    read: int = 0
    whole: int = 0
    changed: int = 0
    notes: Sequence[str] = field(default=())

    def fault(self) -> str:
        """Return what is wrong with how the case went; empty if nothing is."""
        told = self.ending.told
        if self.ending.unforeseen:
            return "an error that nobody foresaw"
        if self.ending.status == 2 and len(self.ending.errors) != 1:
            return "not one line"
        if self.ending.status == 2 and self.path.name not in told:
            return "the file is not named"
        if self.changed:
            return "an answer that was never given"
        if self.read < self.whole and not any(self.path.name in note for note in self.notes):
            return "answers are missing without a note"
        return ""


def run_command(*words: str) -> Ending:
    """Run `whybench` in this process."""
    from whybench.cli import main

    before, printed, told = sys.argv, StringIO(), StringIO()
    sys.argv = ["whybench", *words]
    status = 0
    try:
        with redirect_stdout(printed), redirect_stderr(told):
            main()
    except SystemExit as ended:
        status = int(ended.code or 0)
    except BaseException as error:  # what reaches a person as a traceback
        told.write(f"Traceback: {error!r}")
        status = -1
    finally:
        sys.argv = before
    return Ending(status, printed.getvalue(), told.getvalue())


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield a folder that is the working folder as long as it is there."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield Path(name).resolve()
        finally:
            os.chdir(before)


def make_sources(folder: Path, suites: Sequence[str]) -> dict[str, dict[str, Path]]:
    """Make good sources: suite to `log`, `parquet`, `csv`, `partition` and `other`, a log."""
    import whybench as wb

    sources: dict[str, dict[str, Path]] = {}
    for suite in suites:
        agent, other = AGENTS[suite]
        home = folder / suite
        for name in (agent, other):
            model = f"reference/{suite}.{name}"
            wb.run(suite, model, limit=SAMPLES[suite], log_dir=str(home / name), display="none")
        answers = wb.load(home / agent)
        answers.save(home / "answers.parquet")
        answers.save(home / "answers.csv")
        answers.partition(home / "parts")
        (log,), (good,) = ((home / name).glob("*.eval") for name in (agent, other))
        (part,) = (home / "parts").rglob("*.parquet")
        sources[suite] = {
            "log": log,
            "parquet": home / "answers.parquet",
            "csv": home / "answers.csv",
            "partition": part,
            "other": good,
        }
    return sources


def cut(content: bytes, chance: random.Random) -> bytes:
    """Cut bytes off at the end."""
    return content[: chance.randrange(len(content))]


def flip(content: bytes, chance: random.Random) -> bytes:
    """Flip one bit."""
    changed = bytearray(content)
    changed[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _change_table(path: Path, change: Callable[[Any], Any]) -> None:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    if path.suffix == ".parquet":
        pa.parquet.write_table(change(pa.parquet.read_table(path)), path)
    else:
        pa.csv.write_csv(change(pa.csv.read_csv(path)), path)


def drop_column(path: Path, chance: random.Random) -> None:
    """Take a column out of a file of records."""
    _change_table(path, lambda table: table.drop_columns([chance.choice(table.column_names)]))


CELLS = (
    *(("outcome", "scord"), ("outcome", ""), ("value", "much"), ("value", "1e999")),
    *(("agent", ""), ("item", "judge-226a"), ("item", ""), ("epoch", "-"), ("version", "one")),
    *(("suite", "jurge"), ("design_hash", ""), ("truth", "søk"), ("seconds", "long")),
)
"""Columns, and what cannot stand in them."""


def spoil_cells(path: Path, chance: random.Random) -> None:
    """Put words where numbers stood, empty what must not be, or invent an outcome."""
    import pyarrow as pa

    column, cell = chance.choice(CELLS)

    def change(table: Any) -> Any:
        rows = set(chance.sample(range(table.num_rows), chance.randint(1, 5)))
        cells = ["" if value is None else str(value) for value in table[column].to_pylist()]
        spoilt = [cell if row in rows else value for row, value in enumerate(cells)]
        return table.set_column(table.column_names.index(column), column, pa.array(spoilt))

    _change_table(path, change)


DAMAGE: dict[str, tuple[tuple[str, ...], Callable[[Path, random.Random], None]]] = {
    "log cut short": (
        ("log",),
        lambda path, chance: _rewrite(path, cut, chance),
    ),
    "log with a flipped bit": (
        ("log",),
        lambda path, chance: _rewrite(path, flip, chance),
    ),
    "records without a column": (("parquet", "csv"), drop_column),
    "records with spoilt cells": (("parquet", "csv"), spoil_cells),
    "records cut short": (
        ("parquet", "csv", "partition"),
        lambda path, chance: _rewrite(path, cut, chance),
    ),
    "records with a flipped bit": (
        ("parquet", "partition"),
        lambda path, chance: _rewrite(path, flip, chance),
    ),
}
"""Kind of damage to the sources that it may befall, and how."""


def _rewrite(
    path: Path, change: Callable[[bytes, random.Random], bytes], chance: random.Random
) -> None:
    path.write_bytes(change(path.read_bytes(), chance))


READING = ("records", "measures", "compare")
DRAWING = ("figures", "report")
"""Commands that take seconds: they are given every tenth case."""


def _command(name: str, source: Path, other: Path, number: int) -> list[str]:
    if name == "compare":
        return ["compare", str(source), str(other)]
    if name == "report":
        return ["report", str(source), str(other), "-o", f"page-{number}.html"]
    written = {"records": ["-o", f"out-{number}"], "figures": ["--figures", f"drawn-{number}"]}
    return ["results", str(source), str(other), *written.get(name, [])]


@cache
def _rows(path: Path) -> frozenset[str]:
    """Return the answers at a good source, each in words."""
    import whybench as wb

    return frozenset(_words(wb.load(path)))


def _words(answers: Records) -> list[str]:
    names = ("agent", "item", "epoch", "outcome", "value", "truth")
    return [str([row[name] for name in names]) for row in answers.to_rows()]


def damage_sources(
    count: int, chance: random.Random, folder: Path, suites: Sequence[str] = tuple(AGENTS)
) -> Iterator[Case]:
    """Yield cases of damaged logs and records."""
    import whybench as wb
    from whybench.errors import UserError

    sources = make_sources(folder / "good", suites)
    kinds = list(DAMAGE)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        forms, hurt = DAMAGE[kind]
        drawn = number % 10 == 5
        suite = chance.choice(list(sources))
        form = chance.choice(forms)
        good, other = sources[suite][form], sources[suite]["other"]
        home = folder / f"case-{number}"
        if form == "partition":
            shutil.copytree(good.parents[2], home)
            path, source = next(home.rglob("*.parquet")), home
        else:
            home.mkdir()
            path = source = Path(shutil.copy(good, home))
        hurt(path, chance)
        name = READING[number // len(kinds) % len(READING)]
        if drawn:
            name = DRAWING[number // 10 % len(DRAWING)]
        words = _command(name, source, other, number)
        ending = run_command(*words)
        whole = _rows(good)
        read: list[str] = []
        notes: tuple[str, ...] = ()
        with suppress(UserError):
            answers = wb.load(source, other)
            read = [row for row in _words(answers) if row not in _rows(other)]
            notes = answers.notes  # those of partitioned records come with their answers
        yield Case(
            kind,
            path,
            words,
            ending,
            read=len(read),
            whole=len(whole),
            changed=len(set(read) - whole),
            notes=notes,
        )


WRONG: tuple[Any, ...] = (
    *(None, 5, -1, 1.5, True, "", "x", [], {}, [1, 2], [[1]], {"a": 1}, {1: 2}),
    *([None], float("inf"), float("nan"), "../x.yaml", 10**30),
)
"""What stands in the place of something else."""

BROKEN = (b"", b"\xff\xfe\x00", b"a: [", b"2026-13-45: 1", b"- 1\n- 2", b"a: &a [*a]", b"[" * 2000)
"""Files that are not YAML, or not that of a mapping."""


def bend(value: Any, chance: random.Random) -> Any:
    """Return plain data with one thing replaced, renamed or taken away, at any depth."""
    if isinstance(value, dict) and value:
        key = chance.choice(list(value))
        choice = chance.random()
        if choice < 0.15:
            return {k: v for k, v in value.items() if k != key}
        if choice < 0.3:
            return {(f"{k}s" if k == key else k): v for k, v in value.items()}
        if choice < 0.6:
            return {**value, key: bend(value[key], chance)}
        return {**value, key: chance.choice(WRONG)}
    if isinstance(value, list) and value and chance.random() < 0.7:
        place = chance.randrange(len(value))
        return [*value[:place], bend(value[place], chance), *value[place + 1 :]]
    return chance.choice(WRONG)


PLAN = {
    "models": ["openai/gpt-4o", {"model": "reference/judge.noisy-or", "args": {"b": 0.2}}],
    "suites": ["judge", {"suite": "judge", "design": {"style": "cot"}, "epochs": 2, "limit": 5}],
    "unit_size": 60,
    "quotas": {"openai": 20},
    "settings": {"max_connections": 3},
}
PRICES = {"read_on": "2026-01-01", "models": {"openai/gpt-4o": {"input": 1.0, "output": 2.0}}}
LIMITS = {"seconds": 5, "memory": 2**30, "processes": 10}
DESIGNS: dict[str, dict[str, Any]] = {
    "judge": {"style": ["direct", "cot"], "story": "economy", "worlds": 0},
    "intervene": {"entities": [4, 5], "density": 0.4, "style": "direct", "worlds": 4},
    "compose": {"design": "core", "style": "direct"},
    "analyze": {"challenge": "simpson", "hint": [1, 5], "rows": 20},
}


def _written() -> dict[str, tuple[Any, Callable[[Path], list[str]]]]:
    """Return what users write: its data, and the command that reads it."""
    import yaml

    from whybench.scaffolds import make_scaffold

    def text(kind: str, suite: str) -> Any:
        texts = make_scaffold(kind, "mine", suite).texts
        return yaml.safe_load(next(value for name, value in texts.items() if ".yaml" in name))

    def items(suite: str, *more: str) -> Callable[[Path], list[str]]:
        return lambda path: ["show", suite, "--count", "1", *(f"{m}{path}" for m in more)]

    found: dict[str, tuple[Any, Callable[[Path], list[str]]]] = {
        f"design of {suite}": (settings, items(suite, "--design="))
        for suite, settings in DESIGNS.items()
    }
    found |= {
        f"theme of {suite}": (text("theme", suite), items(suite, "-Ttheme="))
        for suite in ("intervene", "compose")
    }
    found["story"] = (text("story", "judge"), items("judge", "-Tstory="))
    found["experiment"] = (PLAN, lambda path: ["experiment", str(path), "--plan"])
    found["prices"] = (
        PRICES,
        lambda path: ["profile", "reference/judge.random", "--plan", f"--prices={path}"],
    )
    return found


def bend_files(count: int, chance: random.Random, folder: Path) -> Iterator[Case]:
    """Yield cases of YAML in the wrong shape."""
    import yaml

    written = _written()
    names = list(written)
    for number in range(count):
        name = names[number % len(names)]
        data, command = written[name]
        path = folder / f"bent-{number}.yaml"
        path.write_text(yaml.safe_dump(bend(data, chance), allow_unicode=True))
        words = command(path)
        yield Case(f"YAML: {name}", path, words, run_command(*words))


def break_files(contents: Sequence[bytes], folder: Path) -> Iterator[Case]:
    """Yield cases of files that are not YAML, or not that of a mapping: each for every command."""
    for name, (_, command) in _written().items():
        for number, content in enumerate(contents):
            path = folder / f"broken-{number}.yaml"
            path.write_bytes(content)
            words = command(path)
            yield Case(f"no YAML: {name}", path, words, run_command(*words))


def judge_cases(cases: Sequence[Case]) -> Iterator[Figure]:
    """Yield the claims about cases."""
    faults = [(case, fault) for case in cases if (fault := case.fault())]
    kinds = Counter(case.kind for case in cases)
    examples = "; ".join(
        f"{case.kind}: {fault}: whybench {' '.join(case.words)}: {case.ending.told[-300:]!r}"
        for case, fault in faults[:5]
    )
    used = sum(case.ending.status == 0 for case in cases)
    yield Figure(
        f"{len(cases)} damaged inputs: no traceback, no error that nobody foresaw, one line that "
        "names the file where nothing can be done",
        f"{len(faults)} faults; {used} commands went on, {len(cases) - used} ended in one line; "
        + ", ".join(f"{count} x {kind}" for kind, count in kinds.items())
        + (f"; {examples}" if examples else ""),
        not faults,
    )
    sources = [case for case in cases if case.whole]
    read, whole = sum(case.read for case in sources), sum(case.whole for case in sources)
    missing = [case for case in sources if case.read < case.whole]
    logs = [case for case in sources if case.kind == "log cut short"]
    of_logs = sum(case.read for case in logs), sum(case.whole for case in logs)
    yield Figure(
        "what is good is used, what is missing is noted, and no answer is changed",
        f"{read} of {whole} answers were read ({of_logs[0]} of {of_logs[1]} from logs cut at a "
        f"random byte), {len(missing)} of {len(sources)} sources lack some and are named, "
        f"{sum(case.changed for case in sources)} answers changed",
        not any(case.changed for case in sources)
        and all(case.notes for case in missing)
        and 4 * of_logs[0] >= of_logs[1] > 0,
    )


def corrupted(small: bool) -> Iterator[Figure]:
    """Yield what reading commands make of damaged inputs."""
    damaged, bent = (22, 18) if small else (180, 120)
    suites = ("judge", "intervene") if small else tuple(AGENTS)
    chance = random.Random(SEED)
    with _folder() as folder:
        cases = [
            *damage_sources(damaged, chance, folder, suites),
            *bend_files(bent, chance, folder),
            *break_files(BROKEN[-1:] if small else BROKEN, folder),
        ]
    yield from judge_cases(cases)


PARTS: Parts = {"corrupted inputs": corrupted}
