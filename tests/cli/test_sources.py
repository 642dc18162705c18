"""Whatever a command writes, every command that reads answers reads it."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest
from evidence.damage import run_command

from whybench.datasets import file_state
from whybench.study.export import ENGINE

ROOT = Path(__file__).parents[2]

WRITTEN = {
    "`run`, `inspect eval`: a log file": "log.eval",
    "`run --log-dir`: a folder of logs": "logs",
    "`play`: a folder of logs": "played",
    "`profile -o`: a folder": "profile",
    "`profile`: its folder `records`": "profile/records",
    "`results -o FILE.parquet`": "answers.parquet",
    "`results -o FILE.csv`": "answers.csv",
    "`results -o FOLDER`, for several suites": "both",
    "`results --partition -o FOLDER`": "parts",
    "`experiment -o`: a folder": "experiment",
    "`experiment`: its folder `records`": "experiment/records",
    "`study import -o FILE`": "people.parquet",
}
"""What is written, as docs/records.md says it, to where it is here."""

READING = {
    "results": ["results", "{}"],
    "results -o": ["results", "{}", "-o", "out"],
    "results --figures": ["results", "{}", "--figures", "drawn"],
    "report": ["report", "{}", "-o", "page.html"],
    "compare": ["compare", "{}", "{}"],
}

PLAN = "models: [reference/judge.noisy-or]\nsuites: [{suite: judge, limit: 6}]\n"


def done(*words: str) -> None:
    ended = run_command(*words)
    assert ended.status == 0, f"{words}: {ended.told}"


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> Path:
    """A folder with what every command writes, each once and small."""
    if file_state("jsPsych", ENGINE) == "not fetched" and not os.environ.get("CI"):
        pytest.skip("jsPsych is not here: `whybench data fetch jsPsych`")
    folder, before = tmp_path_factory.mktemp("written"), Path.cwd()
    os.chdir(folder)
    typed = sys.stdin
    try:
        ask = ("--limit", "6", "--json")
        done("run", "judge", "--model", "reference/judge.noisy-or", "--log-dir", "logs", *ask)
        done("run", "intervene", "--model", "reference/intervene.recipe", "--log-dir", "i", *ask)
        Path("log.eval").write_bytes(next(Path("logs").glob("*.eval")).read_bytes())
        done("profile", "reference/intervene.recipe", "-o", "profile", "--json")
        for target in ("answers.parquet", "answers.csv"):
            done("results", "logs", "-o", target)
        done("results", "logs", "i", "-o", "both")
        done("results", "logs", "-o", "parts", "--partition")
        Path("plan.yaml").write_text(PLAN)
        done("experiment", "plan.yaml", "-o", "experiment")
        done("study", "export", "judge", "-o", "study", "--items", "6", "--lists", "1")
        done("study", "simulate", "study", "--model", "reference/judge.noisy-or", "--people", "2")
        saved = ("study/simulated.jsonl", "--study", "study", "-o", "people.parquet")
        done("study", "import", *saved, "--by", "group")
        sys.stdin = io.StringIO("yes\n")
        done("play", "intervene", "--log-dir", "played")
    finally:
        sys.stdin = typed
        os.chdir(before)
    return folder


@pytest.fixture
def light_drawing(monkeypatch) -> None:
    """Let drawing take no time: what is tested is that the command comes to it with answers."""
    from whybench import page
    from whybench.cli import results

    def report(answers, output, **_) -> Path:
        assert len(answers) > 0
        Path(output).write_text("a page")
        return Path(output)

    def save(figures, output, *_) -> list[Path]:
        assert list(figures)
        return [Path(output)]

    monkeypatch.setattr(page, "report", report)
    monkeypatch.setattr(results, "save_figures", save)


@pytest.mark.slow
@pytest.mark.xdist_group("sources")
@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("written", WRITTEN)
def test_what_a_command_writes_every_other_reads(
    sources, tmp_path, monkeypatch, light_drawing, written, command
) -> None:
    monkeypatch.chdir(tmp_path)
    source = str(sources / WRITTEN[written])
    ended = run_command(*(word.format(source) for word in READING[command]))
    assert ended.status == 0, ended.told
    assert "Error" not in ended.told
    assert "left out" not in ended.told


def test_the_table_in_the_documentation_is_this_one() -> None:
    text = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+) \| (`.+) \|$", text, flags=re.MULTILINE)
    assert rows[: len(WRITTEN)] == [
        (written, ", ".join(f"`{name}`" for name in READING)) for written in WRITTEN
    ]
