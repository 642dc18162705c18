"""The command as a user meets it: what it prints, and what it says when something is wrong."""

from __future__ import annotations

import functools
import json
import operator
import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.command_server import command
from tests.page.simulated import answers

from whybench.cli import COMMANDS
from whybench.cli.catalog import _short
from whybench.records import write_records


def whybench(*words: str, folder: Path | None = None, **environment: str):
    return subprocess.run(
        [command(), *words],
        env={**os.environ, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def lines(*words: str) -> list[str]:
    done = whybench(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_help_names_every_command() -> None:
    printed = "\n".join(lines("--help"))
    assert all(name in printed for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    assert "Usage:" in lines(name, "--help")[0]


def test_list_shows_designs_and_agents() -> None:
    listed = json.loads(lines("list", "judge", "--json")[0])
    assert listed["designs"]["core"].startswith("240 items")
    assert listed["agents"]["noisy-or"]["parameters"]["b"] == 0.1
    assert "reference/judge.NAME" in "\n".join(lines("list", "judge"))


@pytest.mark.slow
def test_items_in_three_forms() -> None:
    ids = lines("show", "judge", "--format", "ids")
    rows = [
        json.loads(line) for line in lines("show", "judge", "--format", "jsonl", "--count", "3")
    ]
    table = lines("show", "judge", "--count", "3")
    assert len(ids) == 240
    assert [row["item"] for row in rows] == ids[:3]
    assert table[1].split() == ["number", "story", "polarity", "task", "letter", "cause", "truth"]
    assert [line.split()[:2] for line in table[2:5]] == [
        [str(number), row["story"]] for number, row in enumerate(rows, start=1)
    ]
    assert {"prompt", "truth", "story", "task"} <= set(rows[0])


@pytest.mark.slow
def test_shards_add_up() -> None:
    whole = lines("show", "judge", "--format", "ids")
    parts = [lines("show", "judge", "--format", "ids", "--shard", f"{i}/7") for i in range(1, 8)]
    assert sorted(functools.reduce(operator.iadd, parts, [])) == sorted(whole)


@pytest.mark.slow
def test_show_prints_prompt_graph_truth_and_certificate() -> None:
    printed = "\n".join(lines("show", "judge", "5"))
    shown = json.loads(lines("show", "judge", "5", "--json")[0])
    assert shown["prompt"] in printed
    assert "picture          C1 -> E     high urbanization: unknown  <- asked" in printed
    assert "by enumeration" in printed
    assert "by elimination" in printed
    assert lines("show", "judge", shown["item"]) == printed.split("\n")
    assert "density 0.667," in " ".join(lines("show", "intervene", "1"))


def test_a_plan_says_calls_and_tokens_without_a_call() -> None:
    plan, price, warm = lines("run", "judge", "--model", "openai/none", "--limit", "60", "--plan")
    assert price.startswith("openai/none: price unknown")
    assert "60 items x 1 epoch = 60 calls to openai/none; about" in plan
    assert "tokens sent" in plan
    assert warm.startswith("temperature is not set; recommended for judge: 0")


@pytest.mark.slow
def test_run_records_measures(tmp_path: Path) -> None:
    run = ("run", "judge", "--model", "reference/judge.noisy-or", "-T", "story=economy", "--json")
    first = whybench(*run, folder=tmp_path)
    assert first.returncode == 0, first.stderr
    measured = [json.loads(line) for line in first.stdout.splitlines()]
    estimates = {row["measure"]: round(row["estimate"], 2) for row in measured}
    assert (
        estimates["explaining_away"],
        estimates["markov_violation"],
        estimates["leak"],
        estimates["strength"],
    ) == (0.35, 0, 0.1, 0.8)
    (folder,) = (tmp_path / "logs").iterdir()
    logs = list(folder.glob("*.eval"))

    again = whybench(*run, folder=tmp_path)
    assert again.stdout == first.stdout
    assert list(folder.glob("*.eval")) == logs, "a finished run is not repeated"

    for name in ("answers.csv", "answers.parquet"):
        done = whybench("results", "logs", "-o", name, folder=tmp_path)
        words = [line.split() for line in done.stdout.splitlines()]
        assert words == [["file", "answers", "scored"], [name, "80", "80"]]
        from_file = whybench("results", name, "--json", folder=tmp_path)
        assert from_file.stdout == first.stdout
    table = whybench("results", "logs", folder=tmp_path).stdout
    assert re.search(r"^explaining_away +0\.35 \[0\.35, 0\.35\] +\d+", table, re.MULTILINE)
    assert "scored 80" in table

    other = whybench(*run, "-M", "b=0.2", "--log-dir", str(folder), folder=tmp_path)
    assert other.returncode == 2
    assert "--log-dir must hold runs of the same request, got" in other.stderr
    assert "allow-dirty" not in other.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("show juge", "there is no suite 'juge'; installed are "),
        ("show judge --design cor", "design must be one of core, abstract"),
        ("show judge --shard 8/7", "shard must be i/n with i from 1 to n, such as 2/7, got '8/7'"),
        ("show judge -T style", "-T must be NAME=VALUE, got 'style'"),
        ("show judge -T style=[", "-T style must have a value that is YAML, got '['"),
        ("show judge -T style=loud", "style must be among direct, cot, confidence, got 'loud'"),
        ("show judge -T story=mine.yaml", "got 'mine.yaml': no such file"),
        ("show judge 999", "ITEM must be an id or a number from 1 to 240 in the design core"),
        ("results nowhere -o a.csv", "a log file or a folder of logs was expected, got nowhere"),
        ("results nowhere.csv", "a file of records was expected, got nowhere.csv: no such file"),
        (
            "data list nothing",
            "SOURCE must be one of causAIign, jsPsych",
        ),
        (
            "data fetch causAIign --only zzz",
            "--only must be part of a path of causAIign, got 'zzz'",
        ),
        ("run judge --model reference/judge.noisyor", "judge has no reference agent 'noisyor'"),
        ("run judge --model reference/judge.noisy-or -M bb=1", "no parameter 'bb'; it takes b, m1"),
        ("run judge --model reference/relais.x", "there is no suite 'relais'"),
        ("run judge --model foo/bar", "foo"),
        ("run judge --model mockllm/model --shard 3/2", "shard must be i/n"),
        ("results pyproject.toml", "a log file or a folder of logs was expected"),
    ],
)
def test_mistakes_are_answered_in_one_line(words: str, message: str, tmp_path: Path) -> None:
    done = whybench(*words.split(), folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_inspect_itself_explains_a_wrong_factor(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{command('inspect')} eval whybench/judge --model mockllm/model -T style=loud",
        shell=True,
        cwd=tmp_path,
        env={**os.environ, "INSPECT_DISPLAY": "plain"},
        capture_output=True,
        text=True,
        check=False,
    )
    printed = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0
    assert "style must be among direct, cot, confidence, got 'loud'" in printed
    assert "Traceback" not in printed


@pytest.mark.slow
def test_runs_that_only_fail_say_why_and_end_with_status_1(tmp_path: Path, mirror: Path) -> None:
    words = ("run", "judge", "--design", "abstract", "-T", "task=I", "--limit", "2")
    done = whybench(*words, "--model", "reference/judge.human-rw17", folder=tmp_path)
    assert done.returncode == 1
    assert "Incomplete: 2 of 2 samples ended in an error, such as: " in done.stderr
    assert "must be asked what people were asked" in done.stderr


@pytest.mark.slow
def test_runs_of_different_items_are_not_pooled_though_their_designs_share_a_name(
    tmp_path: Path,
) -> None:
    for story in ("economy", "weather"):
        words = ("run", "judge", "--model", "reference/judge.noisy-or", "-T", f"story={story}")
        assert whybench(*words, folder=tmp_path).returncode == 0
    rows = [
        json.loads(line)
        for line in whybench("results", "logs", "--json", folder=tmp_path).stdout.splitlines()
    ]
    assert [
        row["measure"] for row in rows if row["measure"] in {"explaining_away", "markov_violation"}
    ] == ["explaining_away", "markov_violation"] * 2
    assert len({row["design_hash"] for row in rows}) == 2


@pytest.mark.slow
def test_people_are_added_to_a_run(tmp_path: Path, mirror: Path) -> None:
    run = ("run", "judge", "--model", "reference/judge.noisy-or", "--limit", "60", "--json")
    assert whybench(*run, folder=tmp_path).returncode == 0
    done = whybench("results", "logs", "--baseline", "people", "--json", folder=tmp_path)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["agent"] for row in rows} == {"reference/judge.noisy-or", "human/rw17"}
    wrong = whybench("results", "logs", "--baseline", "martians", folder=tmp_path)
    assert "--baseline must be among what the suites have (judge: people), got" in wrong.stderr


@pytest.mark.slow
def test_a_missing_key_is_named(tmp_path: Path) -> None:
    done = whybench(
        "run",
        "judge",
        "--model",
        "openai/gpt-4o",
        "--limit",
        "1",
        folder=tmp_path,
        OPENAI_API_KEY="",
    )
    assert done.returncode == 2
    assert "OPENAI_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_empty_folder_holds_no_answers(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    done = whybench("results", "logs", "-o", "a.csv", folder=tmp_path)
    assert done.returncode == 2
    assert "SOURCES must hold WhyBench answers, got none in logs" in done.stderr


def test_check_ends_with_status_1_if_a_check_fails(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "src/whybench/suites/judge/stories/collider/economy.yaml"
    text = source.read_text(encoding="utf-8").replace(
        "overload_from: weather", "overload_from: economy"
    )
    text = text.replace("name: economy", "name: leaky")
    (tmp_path / "leaky.yaml").write_text(text, encoding="utf-8")
    words = ("validate", "judge", "-T", "story=leaky.yaml", "-T", "overload=e")
    done = whybench(*words, folder=tmp_path)
    assert done.returncode == 1
    assert re.search("overload is unrelated +FAIL", done.stdout)
    assert "Checks failed: 1 of " in done.stdout


def test_validate_with_few_seeds_gives_no_verdict_on_noisy_agents() -> None:
    printed = lines("validate", "calculate", "-T", "query=ate", "--seeds", "2")
    rows = [line for line in printed if line.startswith("measures of ")]
    few = [row for row in rows if "few seeds" in row]
    assert 0 < len(few) < len(rows)
    assert all(" ok " in row for row in rows if row not in few)


def test_measures_at_single_levels_are_printed_when_asked_for(tmp_path: Path) -> None:
    source = str(tmp_path / "answers.parquet")
    write_records(answers("intervene", 0), Path(source))
    some, every = lines("results", source), lines("results", source, "--levels")
    more = int(some[-1].removesuffix(" more measures by level: add --levels."))
    assert more > 1
    assert len(every) == len(some[:-2]) + more
    assert any("(entities " in line for line in every)
    assert not any("(entities " in line for line in some)


def test_truths_of_nothing_have_no_sign() -> None:
    assert [_short(truth) for truth in (-0.0, -1e-20, 0.5, "yes")] == ["0", "-1e-20", "0.5", "yes"]


@pytest.mark.slow
def test_validate_prints_a_table_and_passes(mirror: Path) -> None:
    printed = lines("validate", "judge", "--design", "core")
    assert printed[0] == "judge  exhaustive: 240 items"
    assert not any("FAIL" in line for line in printed)
    assert sum(line.startswith("measures of ") for line in printed) == 12
    assert any(line.endswith("Results failed: 0 of 37.") for line in printed)
