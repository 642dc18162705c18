"""What README and docs show is true: commands run, outputs are printed, tables match the code.

The blocks of one page are run in order in one folder, since they build on each other. A block
```output``` must have been printed by a command above it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from whybench import __version__
from whybench.records import CORE
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.wording import PROTOCOLS
from whybench.suites.calibration import simulate
from whybench.suites.checks import check_design
from whybench.suites.intervene.episode import ENDS
from whybench.suites.judge.answers import REASONS
from whybench.suites.registry import suite

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

NOT_RUN = {
    "pip install 'whybench[analyze]'": "needs a package index",
    "pip install 'whybench[intervene]'": "needs a package index",
    "whybench play intervene": "waits for somebody to type",
    "pip install whybench": "needs a package index",
    "pip install --editable whybench-lamp": "needs a package index; is put on the path instead",
    "inspect eval whybench/judge --model openai/gpt-4o": "needs a provider",
    "inspect eval whybench/judge --model openai/gpt-4o -T story=my-story.yaml": "needs a provider",
}
"""Commands that are shown and not run, and why."""

RUN_SHORTER = {
    "whybench run compose --model reference/compose.exact -T gates=mixed --epochs 3": "--limit 8",
    "whybench run compose --model reference/compose.local-only -T gates=mixed --epochs 3 "
    "--log-dir logs/local": "--limit 16",
    "inspect eval whybench/intervene --model reference/intervene.single-cause": "--limit 20",
    "whybench check judge": "--design core",
    "whybench calibrate judge": "--seeds 5",
    "inspect eval whybench/judge --model reference/judge.noisy-or": "--limit 60",
    "whybench run judge --model reference/judge.associative -M rho=0.4": "--limit 60",
    "inspect eval whybench/judge --model reference/judge.human-rw17 -T design=published": (
        "--limit 60"
    ),
}
"""Commands that take long, and what is added to shorten them; other tests run the whole."""

NEEDS_DATA = re.compile(r"published|human-rw17|data fetch")

BLOCK = re.compile(
    r"^```(?P<kind>bash|python|output)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
COMMENT = re.compile(r"\s+# .*$")


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(found["kind"], found["text"]) for found in BLOCK.finditer(page.read_text("utf-8"))]


def commands(block: str) -> list[str]:
    lines = block.replace("\\\n", " ").splitlines()
    return [COMMENT.sub("", line).strip() for line in lines if line.strip()]


def plain(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


RUNNABLE = [page for page in PAGES if blocks(page)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return variables under which a page's commands run, with the example suite installed."""
    site = tmp_path_factory.mktemp("lamp") / "site-packages"
    shutil.copytree(EXAMPLES / "whybench-lamp" / "src" / "whybench_lamp", site / "whybench_lamp")
    about = site / "whybench_lamp-0.1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(
        "Metadata-Version: 2.1\nName: whybench-lamp\nVersion: 0\n"
    )
    project = (EXAMPLES / "whybench-lamp" / "pyproject.toml").read_text("utf-8")
    groups = re.findall(r'\[project\.entry-points\."?([\w.]+)"?\]\n(\w+) = "([\w.:]+)"', project)
    about.joinpath("entry_points.txt").write_text(
        "".join(f"[{group}]\n{name} = {target}\n" for group, name, target in groups)
    )
    variables = {
        **os.environ,
        "INSPECT_DISPLAY": "plain",
        "INSPECT_EVAL_CTL_SERVER": "false",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(site),
    }
    if variables.pop("PYTHONDONTWRITEBYTECODE", ""):
        # Compiling all of Inspect anew for each command would double the time.
        variables["PYTHONPYCACHEPREFIX"] = str(tmp_path_factory.getbasetemp() / "pycache")
    return variables


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    for example in EXAMPLES.glob("*.yaml"):
        shutil.copy(example, tmp_path)
    printed: list[str] = []
    left_out: list[str] = []
    for kind, text in blocks(page):
        if kind == "output":
            wrong = [line for line in plain(text) if line not in printed]
            assert left_out or not wrong, f"{page.name} shows what no command prints: {wrong}"
            continue
        steps = commands(text) if kind == "bash" else [text]
        for step in steps:
            if step in NOT_RUN:
                continue
            if NEEDS_DATA.search(step) and "WHYBENCH_DATA_MIRROR" not in os.environ:
                left_out.append(step)
                continue
            shell = ["bash", "-c", f"{step} {RUN_SHORTER.get(step, '')}"]
            done = subprocess.run(
                shell if kind == "bash" else [sys.executable, "-c", step],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode == 0, f"{page.name}: {step}\n{done.stdout}\n{done.stderr}"
            printed += plain(done.stdout)
    if left_out:
        pytest.skip(f"set WHYBENCH_DATA_MIRROR to run also: {'; '.join(left_out)}")


@pytest.mark.parametrize("listed", [*NOT_RUN, *RUN_SHORTER])
def test_what_is_listed_occurs(listed: str) -> None:
    shown = [blocks(page) for page in RUNNABLE]
    assert any(listed in commands(text) for page in shown for kind, text in page if kind == "bash")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("judge", {"base": "core", "story": "my-story.yaml"}),
        ("judge", {"base": "overload-e", "story": "my-story.yaml", "overload": "d,e,de"}),
        ("judge", {"base": "my-design.yaml"}),
        ("intervene", {"base": "core", "theme": "my-theme.yaml"}),
    ],
    ids=str,
)
def test_example_files_are_sound(
    name: str, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    one = suite(name)
    results = list(check_design(one, one.design(settings)))
    assert [result.name for result in results if not result.passed] == []


def rows(page: str, columns: int) -> list[list[str]]:
    """Return the rows of all tables of a page that have so many columns, without code marks."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip(" `") for cell in line] for line in lines if len(line) == columns]


def test_the_page_on_judge_has_every_reason_in_order() -> None:
    found = [row[0] for row in rows("judge.md", 2)]
    assert found[found.index("reason") + 1 :][: len(REASONS)] == list(REASONS)


def test_the_page_on_judge_has_the_tasks_and_their_answers() -> None:
    shown = {row[0]: row[1:] for row in rows("judge.md", 5)[1:]}
    judge = suite("judge")
    for item in judge.items(judge.designs["core"]):
        question = item.question
        if question.cause == "C2":
            continue
        asked, given, letter, truth = shown[question.task]
        known = {part.split("=")[0]: int(part.split("=")[1]) for part in given.split(", ")}
        assert (asked, known, letter) == (question.asked, dict(question.given), question.letter)
        assert float(truth) == pytest.approx(item.truth, abs=0.05)


def test_the_page_on_designs_has_every_design_and_its_size(mirror: Path) -> None:
    shown = {
        name.strip(" `"): int(size.replace(",", ""))
        for names, sizes, _ in rows("designs.md", 3)[1:]
        for name, size in zip(names.split(", "), sizes.split(", "), strict=True)
    }
    judge = suite("judge")
    assert shown == {name: len(list(judge.items(made))) for name, made in judge.designs.items()}


def test_the_page_on_records_has_every_column() -> None:
    text = (ROOT / "docs" / "records.md").read_text("utf-8")
    judge = suite("judge")
    for column in (*CORE, *judge.columns, *judge.parts):
        assert f"`{column}`" in text


def test_the_page_on_intervene_has_every_end_design_and_agent() -> None:
    two = [row[0] for row in rows("intervene.md", 2)]
    found = two[two.index("reason") + 1 :][: len(ENDS)]
    assert sorted(found) == sorted({*ENDS, "unfinished"} - {"answered"})
    three = rows("intervene.md", 3)
    intervene = suite("intervene")
    sizes = {row[0]: row[1].replace(",", "") for row in three}
    for name, made in intervene.designs.items():
        assert sizes[name] == str(made.size)
    core = intervene.designs["core"]
    items = list(intervene.items(core))
    shown = {
        name.strip(" `"): float(value)
        for names, _, values in three[1 + [row[0] for row in three].index("agent") :]
        for name, value in zip(names.split(", "), values.split(", "), strict=True)
    }
    assert set(shown) == set(intervene.agents)
    for name, value in shown.items():
        agent = intervene.agent(name)
        settings = agent.settings({})
        known = agent.known(settings, core)
        if "justified_accuracy" not in known:
            (measure, *_) = simulate(intervene, core, items, agent, {})
            known = {measure.name: measure.estimate}
        assert value == pytest.approx(known["justified_accuracy"], abs=0.0005), name


def test_the_page_on_intervene_has_every_kind_of_measure() -> None:
    text = (ROOT / "docs" / "intervene.md").read_text("utf-8")
    intervene = suite("intervene")
    core = intervene.designs["core"]
    measures = simulate(
        intervene, core, list(intervene.items(core)), intervene.agent("always-no"), {}
    )
    for measure in measures:
        name = measure.name.partition("@")[0]
        kinds = (name, name.partition("_")[0] + "_…", "…_per_entity" * name.endswith("_per_entity"))
        assert any(kind and f"`{kind}`" in text for kind in kinds), name


def test_the_page_on_compose_has_every_design_agent_and_kind_of_measure() -> None:
    compose = suite("compose")
    three, two = rows("compose.md", 3), rows("compose.md", 2)
    sizes = {row[0]: row[1].replace(",", "") for row in three}
    for name, made in compose.designs.items():
        assert sizes[name] == str(made.size)
    text = (ROOT / "docs" / "compose.md").read_text("utf-8")
    for name in compose.agents:
        assert any(f"`{name}`" in f"`{row[0]}`".replace("`, `", "` `") for row in two), name
    small = compose.design({"base": "core", "gates": "mixed", "units": 16})
    items = list(compose.items(small))
    for measure in simulate(compose, small, items, compose.agent("exact"), {}):
        name = measure.name.partition("@")[0]
        assert f"`{name}`" in text or f"`{name}@…`" in text, measure.name


def test_the_page_on_analyze_has_every_challenge_agent_and_kind_of_measure() -> None:
    text = (ROOT / "docs" / "analyze.md").read_text("utf-8")
    analyze = suite("analyze")
    small = analyze.design({"base": "hints", "seeds": 1})
    items = list(analyze.items(small))
    for name in (*CHALLENGES, *analyze.agents, *PROTOCOLS):
        assert f"`{name}`" in text, name
    for measure in simulate(analyze, small, items, analyze.agent("null"), {}):
        name = measure.name.partition("@")[0]
        assert f"`{name}`" in text or f"`{name.partition('_')[0]}_…`" in text, measure.name


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == __version__
    assert citation["license"] == "MIT"
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
