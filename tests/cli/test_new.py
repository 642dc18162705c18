"""`whybench new` as a user meets it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from whybench.cli import whybench_command
from whybench.suites.contract import UserError


def new(*words: str) -> str:
    done = CliRunner().invoke(whybench_command, ["new", *words])
    if isinstance(done.exception, UserError):
        raise done.exception
    return done.output


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_it_says_what_it_wrote_and_what_to_do_next() -> None:
    printed = new("story", "bakery").splitlines()
    assert printed[0] == "wrote bakery.yaml"
    assert "  whybench validate judge -T story=bakery.yaml" in printed
    assert "“Add a story”" in printed[-1]
    assert Path("bakery.yaml").read_text(encoding="utf-8").startswith("name: bakery\n")


def test_a_theme_is_for_the_suite_that_is_named() -> None:
    assert "validate intervene -T theme=gears.yaml" in new("theme", "gears")
    assert "validate compose -T theme=fires.yaml" in new("theme", "fires", "--suite", "compose")
    with pytest.raises(UserError, match="--suite is for a theme, got a story; leave it out"):
        new("story", "bakery", "--suite", "compose")


def test_it_writes_into_another_folder_and_says_so() -> None:
    printed = new("suite", "mine", "-o", "deep/down")
    package = Path("deep/down/whybench-mine")
    assert f"wrote {package}/pyproject.toml" in printed
    assert "Next, in deep/down, run" in printed
    assert (package / "src/whybench_mine/task.py").is_file()


def test_what_is_there_is_kept() -> None:
    Path("bakery.yaml").write_text("mine")
    with pytest.raises(UserError, match="bakery.yaml must not be there yet.*another NAME.* -o"):
        new("story", "bakery")
    assert Path("bakery.yaml").read_text() == "mine"


def test_where_nothing_can_be_written_it_says_so_in_a_line_and_leaves_nothing(monkeypatch) -> None:
    Path("a-file").touch()
    with pytest.raises(
        UserError, match=r"bakery\.yaml must be a file that can be written, got Not"
    ):
        new("story", "bakery", "-o", "a-file/below")

    write = Path.write_text

    def fill(path: Path, text: str, **options: str) -> int:
        if "__init__" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, text, **options)

    monkeypatch.setattr(Path, "write_text", fill)
    with pytest.raises(UserError, match=r"__init__\.py must be .*, got No space left on device"):
        new("suite", "mine")
    assert [path for path in Path("whybench-mine").rglob("*") if path.is_file()] == []
    monkeypatch.undo()


def test_a_kind_that_is_none_is_refused_with_the_kinds() -> None:
    assert "'story', 'theme', 'challenge', 'suite'" in new("model", "mine")


def test_a_bad_name_ends_the_command_with_status_2() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from whybench.cli import main; main()", "new", "story", "my-story"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: NAME must be a Python name")
    assert list(Path().iterdir()) == []
