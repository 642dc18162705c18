"""How commands end that cannot do what they are asked: in one line, before any work."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
from evidence.damage import run_command

from whybench.errors import suggest
from whybench.suites import registry


@pytest.fixture(autouse=True)
def quiet(monkeypatch) -> None:
    monkeypatch.setenv("WHYBENCH_DEBUG", "")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("reslts x", "results"),
        ("data fech", "fetch"),
        ("show juge", "judge"),
        ("show judge --design cor", "core"),
        ("show judge -T stile=cot", "style"),
        ("show judge -T style=cott", "cot"),
        ("show analyze -T challenge=simpsn", "simpson"),
        ("show intervene -T theme=shape", "shapes"),
        ("run judge --model reference/judge.noisyor --plan", "noisy-or"),
        ("run judge --model reference/juge.noisy-or --plan", "judge"),
        ("profile reference/judge.noisyor --plan", "noisy-or"),
        ("profile reference/judge.random --budget smal --plan", "small"),
        ("data list causAlign", "causAIign"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_one_that_may_be_meant(words, meant) -> None:
    ended = run_command(*words.split())
    assert ended.status == 2
    (line,) = ended.errors
    assert line.lower().endswith(f"did you mean '{meant.lower()}'?"), line


def test_nothing_is_suggested_where_nothing_is_close() -> None:
    assert suggest("zebra", ["judge", "compose"]) == ""
    assert suggest(7, ["judge"]) == ""


def boom(*_: object, **__: object) -> None:
    raise RuntimeError("the boiler\nhas burst")


def test_what_nobody_foresaw_ends_in_one_line(monkeypatch) -> None:
    monkeypatch.setattr("whybench.cli.catalog.list_suites", boom)
    ended = run_command("list")
    assert ended.status == 1
    assert ended.told == (
        "Error: RuntimeError: the boiler; `whybench --debug list …` shows the details\n"
    )


@pytest.mark.parametrize("asked", ["option", "variable"])
def test_details_are_shown_on_request(monkeypatch, asked) -> None:
    monkeypatch.setattr("whybench.cli.catalog.list_suites", boom)
    monkeypatch.setenv("WHYBENCH_DEBUG", "1" if asked == "variable" else "")
    ended = run_command(*(["--debug"] if asked == "option" else []), "list")
    assert ended.status == 1
    assert "Traceback (most recent call last)" in ended.told
    assert "has burst" in ended.told
    assert len(ended.errors) == 1


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error() -> None:
    code = f"{sys.executable} -c 'from whybench.cli import main; main()' show judge --all"
    done = subprocess.run(
        ["sh", "-c", f"{code} | head -1"], capture_output=True, text=True, check=False
    )
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


@pytest.mark.parametrize("fault", ["no_such_package:SUITE", "whybench.seeds:digest"])
def test_a_suite_that_cannot_be_loaded_is_named_and_the_others_are_listed(
    monkeypatch, caplog, fault
) -> None:
    entries = registry.entry_points

    def with_lamp(*, group: str):
        return [*entries(group=group), EntryPoint("lamp", fault, group)]

    monkeypatch.setattr(registry, "entry_points", with_lamp)
    ended = run_command("list")
    assert ended.status == 0
    assert "judge" in ended.printed
    assert "left out lamp" in caplog.text
    assert fault in caplog.text
    asked = run_command("show", "lamp")
    assert asked.status == 2
    assert fault in asked.told


MODELS = "models: [reference/judge.random]\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- 1", "must be a mapping of models and suites"),
        ("2026-13-45: 1", "month must be in 1..12"),
        ("[" * 600, "must be YAML"),
        (MODELS + "suites: judge", "suites must be a list, got 'judge'"),
        (MODELS + "suites: [judge]\nquotas: x", "quotas must be names and values, got 'x'"),
        (MODELS + "suites: [judge]\nquotas: {openai: .inf}", "calls a second above 0, got inf"),
        (MODELS + "suites: [judge]\nsettings: [1]", "settings must be names and values, got [1]"),
        (MODELS + "suites: [judge]\nunit_size: many", "unit_size must be a whole number"),
        (MODELS + "suites: [juge]", "there is no suite 'juge'"),
        (MODELS + "suites: [judge]\nunit_sizes: 5", "did you mean 'unit_size'?"),
        (MODELS + "suites: [{suite: judge, epoch: 5}]", "did you mean 'epochs'?"),
        (MODELS + "suites: [{suite: judge, epochs: x}]", "epochs must be a whole number"),
        (MODELS + "suites: [{suite: judge, design: 5}]", "design must be a name, or a mapping"),
        ("models: [reference/judge.rndom]\nsuites: [judge]", "did you mean 'random'?"),
    ],
)
def test_an_experiment_of_another_shape_is_refused(tmp_path, text, told) -> None:
    (plan := tmp_path / "plan.yaml").write_text(text)
    ended = run_command("experiment", str(plan), "--plan")
    assert ended.status == 2
    (line,) = ended.errors
    assert str(plan) in line
    assert told in line


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        ("show judge --design", "style: {a: 1}", "style must be among"),
        ("show judge --design", "styl: cot", "did you mean 'style'?"),
        ("show judge --design", "a: [", "must be YAML"),
        ("show intervene --design", "entities: [four]", "entities must be a whole number"),
        ("show judge -T story=", "graph: colider", "did you mean 'collider'?"),
        ("show judge -T story=", "nam: x", "did you mean 'name'?"),
        ("show intervene -T theme=", "- 1", "must be a mapping of keys to values, got [1]"),
        ("show compose -T theme=", "setting: 5", "must have the key"),
    ],
)
def test_yaml_of_another_shape_is_named_with_its_file(tmp_path, words, text, told) -> None:
    (path := tmp_path / "mine.yaml").write_text(text)
    given = words if words.endswith("=") else f"{words} "
    ended = run_command(*f"{given}{path}".split())
    assert ended.status == 2
    (line,) = ended.errors
    assert str(path) in line
    assert told in line


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe\x00", "must be a file of text"),
        (b"[" * 600, "must be YAML"),
        (b"2026-13-45: 1", "month must be in 1..12"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path, content, told) -> None:
    (path := tmp_path / "mine.yaml").write_bytes(content)
    ended = run_command("show", "judge", "--design", str(path))
    assert ended.status == 2
    assert str(path) in ended.errors[0]
    assert told in ended.errors[0]
