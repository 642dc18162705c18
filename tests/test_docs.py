"""What README and docs show is true: commands run, outputs are printed, tables match the code.

The blocks of one page are run in order in one folder, since they build on each other. A block
```output``` must have been printed by a command above it. A block ```yaml``` that begins with the
name of a file, as in `# plan.yaml`, is that file.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
import yaml
from docs.reports import list_commands
from tests.command_server import commands as commands_folder

from whybench import __version__
from whybench.cli import whybench_command
from whybench.numerals import measure_text
from whybench.records import CORE
from whybench.scaffolds import make_scaffold, write_scaffold
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.prompts import PROTOCOLS
from whybench.suites.calibration import simulate
from whybench.suites.checks import check_design
from whybench.suites.contract import MINDS, UserError
from whybench.suites.intervene.episode import ENDS
from whybench.suites.judge.replies import REASONS
from whybench.suites.references import show_part
from whybench.suites.registry import TEACHING_ORDER, get_suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
    *sorted((ROOT / "docs" / "errata").glob("*.md")),
]

GUIDES = [ROOT / f"{name}.md" for name in ("CONTRIBUTING", "RELEASING", "AGENTS")]
"""Pages for those who change the code; their commands are not run here."""

NOT_RUN = {
    "pip install 'whybench[analyze]'": "needs a package index",
    "pip install 'whybench[intervene]'": "needs a package index",
    "pip install 'whybench[all]'": "needs a package index",
    "whybench profile openai/gpt-4o --max-cost 5": "needs a provider",
    "pip install 'whybench[mcp]'": "needs a package index",
    "pip install 'whybench[ray]'": "needs a package index",
    "pip install 'whybench[verifiers]'": "needs a package index",
    "vf-eval whybench-calculate -n 10 --no-push --client.base-url http://127.0.0.1:8080/v1": (
        "needs a model"
    ),
    **dict.fromkeys(list_commands(), "needs a model"),
    "apt-get install bubblewrap libseccomp2": "needs to be root",
    "whybench experiment plan.yaml --ray": "starts Ray, which tests/evidence/test_workers.py does",
    "python -m docs.pictures --check": "runs in a source checkout, as tests/test_pictures.py does",
    "whybench play intervene": "waits for somebody to type",
    "whybench study serve intervene-study": "serves until it is stopped",
    "pip install whybench": "needs a package index",
    "inspect eval whybench/judge --model openai/gpt-4o": "needs a provider",
}
"""Commands that are shown and not run, and why."""

RUN_SHORTER = {
    **dict.fromkeys(
        (
            "whybench profile reference/careful reference/associative -o demo",
            "whybench profile reference/careful reference/associative -o first",
        ),
        "--suite judge --suite calculate",
    ),
    "inspect eval whybench/judge --model reference/judge.noisy-or": "--limit 60",
    "whybench run compose --model reference/compose.local-only -T gates=mixed -T units=8 "
    "--log-dir logs/local": "--limit 16",
    "inspect eval whybench/intervene -T interface=tools --solver whybench/mcp "
    "-S command='python mcp_agent.py' --model none --limit 12": "--limit 2",
    "whybench run dettki2025 --model reference/dettki2025.associative": "--limit 60",
    "whybench papers replicate dettki2025 --table people": "--resamples 20",
    "whybench papers replicate dettki2025 --table human_correlation": "--resamples 20",
    "whybench papers replicate dettki2025 --table fits": "--resamples 20",
    "whybench run dettki2025 --design thesis --model reference/dettki2025.noisy-or "
    "--log-dir thesis": "--limit 300",
    "whybench papers replicate dettki2025 --with thesis --table fits": "--resamples 20",
    "whybench papers replicate dettki2025 --with thesis --figures figures": "--resamples 20",
}
"""Commands that take long, and what is added to shorten them; other tests run the whole."""

NEEDS_DATA = re.compile(
    r"published|dettki2025|feng2025|du2025|papers replicate|human-rw17|data fetch|study export"
)

BLOCK = re.compile(
    r"^```(?P<kind>bash|python|output|yaml)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
COMMAND = re.compile(r"(whybench|inspect|pip|uv|python) \S")
COMMENT = re.compile(r"\s+# .*$")

OWN_PACKAGE = re.compile(r"pip install --editable (whybench-\w+)")
"""Installs what a command above has written; here into a folder of the page's own."""


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
    """Return variables under which the commands of a page run."""
    variables = {
        **os.environ,
        "INSPECT_DISPLAY": "plain",
        "INSPECT_EVAL_CTL_SERVER": "false",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join(
            [str(commands_folder()), str(Path(sys.executable).parent), os.environ["PATH"]]
        ),
    }
    if variables.pop("PYTHONDONTWRITEBYTECODE", ""):
        # Compiling all of Inspect anew for each command would double the time.
        variables["PYTHONPYCACHEPREFIX"] = str(tmp_path_factory.getbasetemp() / "pycache")
    return variables


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
def test_examples_run(
    page: Path,
    tmp_path: Path,
    environment: dict[str, str],
    install: Callable[[Path, Path], None],
) -> None:
    packages = tmp_path / "site-packages"
    where = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))
    for example in EXAMPLES.iterdir():
        shutil.copy(example, tmp_path)
    printed: list[str] = []
    left_out: list[str] = []
    for kind, text in blocks(page):
        if kind == "output":
            wrong = [line for line in plain(text) if line not in printed]
            assert left_out or not wrong, f"{page.name} shows what no command prints: {wrong}"
            continue
        if kind == "yaml":
            if named := re.match(r"# (\S+\.yaml)\n", text):
                (tmp_path / named[1]).write_text(text, encoding="utf-8")
            continue
        steps = commands(text) if kind == "bash" else [text]
        for step in steps:
            if step in NOT_RUN:
                continue
            if own := OWN_PACKAGE.fullmatch(step):
                install(tmp_path / own[1], packages)
                continue
            if NEEDS_DATA.search(step) and "WHYBENCH_DATA_MIRROR" not in os.environ:
                left_out.append(step)
                continue
            shell = ["bash", "-c", f"{step} {RUN_SHORTER.get(step, '')}"]
            done = subprocess.run(
                shell if kind == "bash" else [sys.executable, "-c", step],
                cwd=tmp_path,
                env={**environment, "PYTHONPATH": where},
                capture_output=True,
                text=True,
                timeout=1800,  # for a step that hangs, not for a slow machine
                check=False,
            )
            assert done.returncode == 0, f"{page.name}: {step}\n{done.stdout}\n{done.stderr}"
            printed += plain(done.stdout)
    if left_out:
        pytest.skip(f"set WHYBENCH_DATA_MIRROR to run also: {'; '.join(left_out)}")


def test_what_is_listed_occurs() -> None:
    texts = [text for page in RUNNABLE for kind, text in blocks(page) if kind == "bash"]
    shown = {command for text in texts for command in commands(text)}
    assert not {*NOT_RUN, *RUN_SHORTER} - shown


def test_the_example_of_a_design_is_sound(tmp_path: Path) -> None:
    """Run it from elsewhere: stories are meant from where the design is."""
    shutil.copy(EXAMPLES / "my-design.yaml", tmp_path)
    write_scaffold(make_scaffold("story", "bakery"), tmp_path)
    one = get_suite("judge")
    results = list(check_design(one, one.make_design({"design": str(tmp_path / "my-design.yaml")})))
    assert [result.name for result in results if not result.passed] == []


FENCE = re.compile(r"^```(?P<kind>\S+).*\n(?P<text>(?:(?!```).*\n)*)```$", re.MULTILINE)
KINDS = {"bash", "python", "output", "text", "yaml"}
"""The kinds of blocks: those that are run or compared, and those that are neither."""

INLINE = re.compile(r"`whybench ([a-z]+)( [^`]*)?`")


def test_no_command_hides_in_a_block_that_is_not_run() -> None:
    fences = [(page, found) for page in PAGES for found in FENCE.finditer(page.read_text("utf-8"))]
    for page, kind, text in ((page, fence["kind"], fence["text"]) for page, fence in fences):
        assert kind in KINDS or kind.startswith("{"), f"{page.name}: {kind}"
        # A script for a scheduler is not for this shell, nor is a sketch with a gap in it.
        sketch = text.startswith("#!") or "…" in text
        hidden = [line for line in text.splitlines() if COMMAND.match(line) and not sketch]
        assert kind in {"bash", "python", "output"} or not hidden, f"{page.name}: {hidden}"


def test_commands_within_sentences_exist_with_their_options() -> None:
    # A decision note has the commands of its time.
    pages = (*(page for page in PAGES if page.parent.name != "decisions"), *GUIDES)
    found = ((page, *one) for page in pages for one in INLINE.findall(page.read_text("utf-8")))
    for page, name, words in found:
        with click.Context(whybench_command) as context:
            command = whybench_command.get_command(context, name)
        assert command is not None, f"{page.name}: whybench {name}"
        members = getattr(command, "commands", {}).values()
        takes = {opt for one in (command, *members) for part in one.params for opt in part.opts}
        given = {word for word in words.split() if re.fullmatch(r"-[A-Za-z]|--[a-z-]+", word)}
        assert given <= {*takes, "-h", "--help"}, f"{page.name}: whybench {name}{words}"


def rows(page: str, columns: int) -> list[list[str]]:
    """Return the rows of all tables of a page that have so many columns, without code marks."""
    text = (ROOT / "docs" / page).resolve().read_text("utf-8")
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip(" `") for cell in line] for line in lines if len(line) == columns]


def test_the_page_on_profiles_has_every_mind_and_who_stands_for_it() -> None:
    table = rows("profile.md", 8)
    head, *shown = table[[row[0] for row in table].index("Name") :]
    for row in shown:
        for name, said in zip(head[1:], row[1:], strict=True):
            assert said == show_part(*get_suite(name).minds[row[0]]), f"{row[0]}, {name}"
    assert [row[0] for row in shown] == list(MINDS)
    assert sorted(head[1:]) == sorted(TEACHING_ORDER)


@pytest.mark.slow
def test_readme_scores_of_reference_agents_are_those_of_a_small_profile() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    table = [[cell.strip(" ") for cell in line.split("|")[1:-1]] for line in lines]
    head, _, *shown = [row for row in table if len(row) == 6]
    assert len(shown) == 8
    for suite_name, _, measure, baseline, *figures in shown:
        if suite_name:
            suite = get_suite(re.search(r"\w+", suite_name)[0])
            design = suite.make_design(suite.budget("small").settings)
            items = list(suite.items(design))
        name = re.search(r"`(\w+)`", measure)[1]
        for agent_name, figure in zip(head[4:], figures, strict=True):
            agent, settings = suite.minds[agent_name.strip("`")]
            found = simulate(suite, design, items, suite.agent(agent), settings)
            (one,) = (one for one in found if one.name == name and not one.at)
            assert figure.replace("−", "-") == measure_text(one), f"{name}, {agent_name}"
        if baseline != "–":
            zero = suite.zeros.of({"design": design.name})
            assert (zero.measure, f"{zero.value:.2f}") == (name, baseline)


def test_readme_example_has_the_numbers_of_its_item() -> None:
    """By hand from the shares that the question states."""
    calculate = get_suite("calculate")
    item = list(calculate.items(calculate.make_design({})))[111]
    text = (ROOT / "README.md").read_text("utf-8")
    weaver, away, together = 0.25, 0.52, 0.20
    correct = (1 - weaver) * 91 + weaver * 6
    assert item.truth == pytest.approx(correct)
    assert f"| `careful` | {correct:g}%, correct |" in text
    seen = (1 - weaver) * away / ((1 - weaver) * away + weaver * together)
    assert f"{seen:.1%} of those: {seen:.3f} × 91% + {1 - seen:.3f} × 6%" in text
    assert f"| `associative` | {seen * 91 + (1 - seen) * 6:.1f}%, wrong |" in text
    prompt = calculate.render(item)
    for share in ("25%", "52%", "20%", "9%", "94%"):
        assert share in prompt


def test_the_page_on_judge_has_every_reason_in_order() -> None:
    found = [row[0] for row in rows("judge.md", 2)]
    assert found[found.index("reason") + 1 :][: len(REASONS)] == list(REASONS)


def test_the_page_on_judge_has_the_tasks_and_their_answers() -> None:
    shown = {row[0]: row[1:] for row in rows("judge.md", 5)[1:]}
    judge = get_suite("judge")
    for item in judge.items(judge.designs["core"]):
        question = item.question
        if question.cause == "C2":
            continue
        asked, given, letter, truth = shown[question.task]
        known = {part.split("=")[0]: int(part.split("=")[1]) for part in given.split(", ")}
        assert (asked, known, letter) == (question.target, dict(question.given), question.letter)
        assert float(truth) == pytest.approx(item.truth, abs=0.05)


def test_the_page_on_designs_has_every_design_and_its_size(mirror: Path) -> None:
    shown = {
        name.strip(" `"): int(size.replace(",", ""))
        for names, sizes, _ in rows("designs.md", 3)[1:]
        for name, size in zip(names.split(", "), sizes.split(", "), strict=True)
    }
    judge = get_suite("judge")
    assert shown == {name: len(list(judge.items(made))) for name, made in judge.designs.items()}


def test_the_page_on_records_has_every_column() -> None:
    text = (ROOT / "docs" / "records.md").read_text("utf-8")
    judge = get_suite("judge")
    for column in (*CORE, *judge.columns, *judge.parts):
        assert f"`{column}`" in text


def test_the_page_on_intervene_has_every_end_design_and_agent() -> None:
    two = [row[0] for row in rows("intervene.md", 2)]
    found = two[two.index("reason") + 1 :][: len(ENDS)]
    assert sorted(found) == sorted({*ENDS, "unfinished"} - {"answered"})
    three = rows("intervene.md", 3)
    intervene = get_suite("intervene")
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
        known = agent.expected(settings, core)
        if "justified_accuracy" not in known:
            (measure, *_) = simulate(intervene, core, items, agent, {})
            known = {measure.name: measure.estimate}
        assert value == pytest.approx(known["justified_accuracy"], abs=0.0005), name


def test_the_page_on_compose_has_every_design_agent_and_kind_of_measure() -> None:
    compose = get_suite("compose")
    three, two = rows("compose.md", 3), rows("compose.md", 2)
    sizes = {row[0]: row[1].replace(",", "") for row in three}
    for name, made in compose.designs.items():
        assert sizes[name] == str(made.size)
    text = (ROOT / "docs" / "compose.md").read_text("utf-8")
    for name in compose.agents:
        assert any(f"`{name}`" in f"`{row[0]}`".replace("`, `", "` `") for row in two), name
    small = compose.make_design({"design": "core", "gates": "mixed", "worlds": 1})
    items = list(compose.items(small))
    for measure in simulate(compose, small, items, compose.agent("exact"), {}):
        assert f"`{measure.name}`" in text, measure.name


def test_the_page_on_calculate_has_every_design_and_agent() -> None:
    calculate = get_suite("calculate")
    sizes = {row[0]: row[1] for row in rows("calculate.md", 3)}
    for name, made in calculate.designs.items():
        assert sizes[name] == str(made.size)
    core = calculate.designs["core"]
    shown = {row[0]: row[2:] for row in rows("calculate.md", 7)[1:]}
    assert set(shown) == set(calculate.agents)
    for name, values in shown.items():
        agent = calculate.agent(name)
        known = agent.expected(agent.settings({}), core)
        columns = (
            "number_skill",
            "skill_score",
            "answerability_skill",
            "accuracy",
            "answerability",
        )
        expected = [known[measure] for measure in columns]
        assert list(map(float, values)) == pytest.approx(expected, abs=0.0051), name


def test_the_page_on_analyze_has_every_challenge_agent_and_kind_of_measure() -> None:
    text = (ROOT / "docs" / "analyze.md").read_text("utf-8")
    analyze = get_suite("analyze")
    small = analyze.make_design({"design": "hints", "seeds": 1})
    items = list(analyze.items(small))
    for name in (*CHALLENGES, *analyze.agents, *PROTOCOLS):
        assert f"`{name}`" in text, name
    for measure in simulate(analyze, small, items, analyze.agent("null"), {}):
        name = measure.name
        assert f"`{name}`" in text or f"`{name.partition('_')[0]}_…`" in text, measure.name


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == __version__
    assert citation["license"] == "MIT"
    assert {"cff-version", "message", "title", "authors"} <= set(citation)


ORDER = (
    "The idea",
    "An item",
    "Measures",
    "How to read them",
    "Reference agents",
    "When not to use it",
    "Citations",
)
"""The headings that every suite's page has, in this order, whatever else stands between them."""


@pytest.mark.parametrize("name", TEACHING_ORDER)
def test_the_pages_of_the_suites_are_built_alike(name: str) -> None:
    text = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [heading for heading in headings if heading in ORDER] == list(ORDER)


def test_every_source_is_cited_by_its_title() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    page = (ROOT / "docs" / "cite.md").read_text("utf-8")
    assert len(citation["references"]) == 5
    for source in citation["references"]:
        assert f"*{source['title']}*" in page
        assert all(author["family-names"] in page for author in source["authors"])


@pytest.fixture
def made_from_code(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the extension by which pages show items."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "_extensions")
    return importlib.import_module("made_from_code")


SHOWN = re.findall(r"^```\{show\} (.+)$", (ROOT / "docs" / "gallery.md").read_text("utf-8"), re.M)


def test_the_gallery_shows_every_suite() -> None:
    assert {words.split()[0] for words in SHOWN} == {*TEACHING_ORDER}


@pytest.mark.parametrize("words", SHOWN)
def test_the_gallery_shows_prompts_truths_and_certificates(
    words: str, made_from_code: ModuleType
) -> None:
    prompt, known = made_from_code.shown(words)
    assert len(prompt.splitlines()) <= made_from_code.LONGEST + 1
    found = re.search(r"^item +(\S+)$", known, re.MULTILINE)
    one = get_suite(words.split(maxsplit=1)[0])
    assert found
    assert found[1].startswith(f"{one.name}-")
    assert len(re.findall(r"  by \w+", known.partition("certificate")[2])) == 2
    if words == "judge 9":
        item = list(one.items(one.designs["core"]))[8]
        assert (prompt, found[1]) == (one.render(item), item.id)


def test_a_long_prompt_says_how_much_is_left_out(made_from_code: ModuleType) -> None:
    analyze = get_suite("analyze")
    settings = {"challenge": "direction", "protocol": "direct"}
    (item, *_) = analyze.items(analyze.make_design(settings))
    asked = "analyze 1 -T challenge=direction -T protocol=direct"
    *_, last = made_from_code.shown(asked)[0].splitlines()
    left_out = len(analyze.render(item).splitlines()) - made_from_code.LONGEST
    assert last == f"… and {left_out} more lines"


def test_the_page_on_commands_has_what_each_says_of_itself(made_from_code: ModuleType) -> None:
    text = made_from_code.explained("new")
    assert text.startswith("Usage: whybench new [OPTIONS] {story|theme|challenge|suite} NAME")
    with pytest.raises(ValueError, match="(?s)whybench nonsense --help: .*No such command"):
        made_from_code.explained("nonsense")


def test_an_item_that_is_none_stops_the_build(made_from_code: ModuleType) -> None:
    with pytest.raises(ValueError, match="whybench show judge 999: .*ITEM must be"):
        made_from_code.shown("judge 999")


MISTAKES = {
    "add-a-theme.md": (
        ("theme", "gears", "hold: block\n", ""),
        ("theme", "gears", "names: [", "names: [Tin gear, "),
        ("theme", "gears", "still: stuck", "still: off"),
    ),
    "add-a-story.md": (
        ("story", "bakery", "    minus: mild ovens\n", ""),
        ("story", "bakery", "C1 -> E", "C1 -> X"),
        ("story", "bakery", "minus: short queues", "minus: long queues"),
        ("story", "bakery", "plus: hot ovens", "plus: hot ovens; old"),
    ),
}
"""What is done to a start in each row of a page's table of mistakes."""


@pytest.mark.parametrize("page", MISTAKES)
def test_mistakes_are_refused_in_the_words_of_the_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = rows(page, 2)
    messages = [row[1] for row in table[1 + [row[0] for row in table].index("mistake") :]]
    for (kind, name, right, wrong), message in zip(MISTAKES[page], messages, strict=True):
        begun = make_scaffold(kind, name)
        (path,) = begun.texts
        # A name of its own each time: what was read once is remembered.
        place = tmp_path / str(len(list(tmp_path.iterdir())))
        place.mkdir()
        (place / path).write_text(begun.texts[path].replace(right, wrong), encoding="utf-8")
        with pytest.raises(UserError) as refused:
            get_suite(begun.suite).make_design({"design": "core", kind: str(place / path)})
        said = str(refused.value).replace(f"{place}/", "").replace("`", "'")
        assert said.startswith(message.rstrip(" …")), (said, message)
