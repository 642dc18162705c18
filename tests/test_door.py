"""The front door: what `import whybench` offers, how fast, and what it keeps private."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import whybench as wb
from whybench.cli.options import name_options
from whybench.cli.run import profile_command

SOURCE = Path(__file__).parents[1] / "src" / "whybench"
MOST_NAMES = 30
TASKS = {"analyze", "calculate", "compose", "derive", "intervene", "judge", "trace"}
MOST_LINES_OF_THE_COMMAND = 2_900


def test_every_public_name_is_there_and_tells_what_it_is() -> None:
    assert len({*wb.__all__} - TASKS) <= MOST_NAMES
    assert dir(wb) == sorted(wb.__all__)
    for name in wb.__all__:
        thing = getattr(wb, name)
        if name != "__version__":
            assert inspect.getdoc(thing), name
            assert thing.__name__ == name


def test_a_name_that_is_not_there_is_an_error_like_any_other() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        wb.nothing  # noqa: B018


def test_the_door_imports_nothing_until_a_name_is_used() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "import whybench\n"
        "print(sorted(n for n in set(sys.modules) - before if not n.startswith('_')))\n"
        "whybench.Records\n"
        "print('inspect_ai' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules, inspected = done.stdout.splitlines()
    ours = {name for name in ast.literal_eval(modules) if name.split(".")[0] == "whybench"}
    assert ours == {"whybench", "whybench.version"}
    assert inspected == "False"


def test_a_public_name_is_not_hidden_by_a_room_of_the_same_name() -> None:
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir()}
    assert not rooms & set(wb.__all__)


def test_the_command_is_click_and_printing_only() -> None:
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in SOURCE.glob("cli/*.py"))
    assert lines <= MOST_LINES_OF_THE_COMMAND


OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")
COMMAND = re.compile(r"`(?:whybench|inspect|pip|apt-get|python) [^`]*`|pip install \S+")


def literals(path: Path) -> list[str]:
    """Return the words of every error that a module raises."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and node.exc is not None:
            words = [
                part.value
                for part in ast.walk(node.exc)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            found.append(" ".join(words))
    return found


LIBRARY = sorted(
    path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] != "cli"
)


def test_the_library_names_arguments_and_not_options() -> None:
    for path in LIBRARY:
        for words in literals(path):
            assert not OPTION.findall(COMMAND.sub("", words)), f"{path}: {words}"


def test_the_command_speaks_of_options() -> None:
    said = "`max_cost` must be at least 3, got 1; take a smaller `budget`, or `whybench list`"
    assert name_options(said, profile_command) == (
        "--max-cost must be at least 3, got 1; take a smaller --budget, or `whybench list`"
    )
    assert name_options("`models` must be there", profile_command) == "MODEL... must be there"


FACES = ("suites.contract", "scm", "stats", "records", "training", "seeds")
DOCS = SOURCE.parents[1] / "docs"
INSIDE = {
    "agents.md": "gives the tools of a world to an agent",
    "attacks.md": "writes an attack",
    "compose.md": "shows the identity on a world",
    "intervene.md": "shows what a world does",
    "sandbox.md": "the sandbox is used without suites",
}
"""Pages whose examples look inside of the package, and why."""


def test_the_reference_has_every_public_name_and_nothing_else() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"auto(?:function|class|exception):: whybench\.(\w+)$", page, re.M))
    by_face = {name for name in wb.__all__ if getattr(wb, name, None) in authors()}
    assert documented | by_face == set(wb.__all__) - {"__version__"}
    modules = set(re.findall(r"automodule:: whybench\.([\w.]+)$", page, re.M))
    parts = ("challenges.contract", "world", "columns", "effects", "fields")
    provisional = {f"suites.analyze.{part}" for part in parts}
    assert modules == {*FACES, *provisional}


def authors() -> list[object]:
    contract = importlib.import_module("whybench.suites.contract")
    return [getattr(contract, name) for name in contract.__all__]


@pytest.mark.parametrize("face", FACES)
def test_a_face_has_what_it_names(face: str) -> None:
    module = importlib.import_module(f"whybench.{face}")
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_documentation_imports_what_is_public() -> None:
    public = {"whybench", "whybench_papers", *(f"whybench.{face}" for face in FACES)}
    for page in sorted(DOCS.glob("*.md")):
        found = re.findall(r"^(?:from|import) (whybench[\w.]*)", page.read_text("utf-8"), re.M)
        assert page.name in INSIDE or set(found) <= public, page.name
