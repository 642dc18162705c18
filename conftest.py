from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from tests.command_server import VARIABLE, commands

if TYPE_CHECKING:
    from collections.abc import Callable

    CallCommand = Callable[[str], tuple[int, str, str]]

pytest_plugins = ["tests.spent"]

ROOT = Path(__file__).parent

# The gate sees the same examples every time, so that a change is judged by what it changed. Every
# night other examples are drawn, and those that broke a law are kept and tried first.
settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "nightly",
    parent=settings.get_profile("house"),
    derandomize=False,
    max_examples=1000,
    database=DirectoryBasedExampleDatabase(ROOT / ".hypothesis" / "examples"),
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))

# A shell lets what it starts in the background ignore these, and all that this starts in turn.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# What measures, runs a model, installs, or needs what one process should hold for all (a browser, a
# sandbox, a cluster), is slow without a mark of its own.
EVIDENCE = ROOT / "tests" / "evidence"
SLOW = ("model", "install", "xdist_group")

PACKAGES = {"whybench-papers": "whybench_papers", "inspect-bubblewrap": "inspect_bubblewrap"}
LACKING = [name for name, module in PACKAGES.items() if find_spec(module) is None]
NEEDS = {
    "packages/inspect-bubblewrap": {"inspect-bubblewrap"},
    "packages/whybench-papers": {"whybench-papers"},
    "tests/evidence": set(PACKAGES),
    "tests/test_docs.py": set(PACKAGES),
}
"""Tests that need other packages than the core."""
LEFT_OUT = tuple(place for place, needed in NEEDS.items() if needed & set(LACKING))

COLLECTED = pytest.StashKey[Counter[str]]()

NIGHTLY = [
    line.split("  ")[0]
    for line in (ROOT / "tests" / "nightly.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
"""How the ids of tests begin that the gate leaves to the night."""
UNMATCHED = pytest.StashKey[list[str]]()


@pytest.fixture
def call_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CallCommand:
    """Call the command in this process; gives its status, what it printed, and its errors."""

    def call(words: str) -> tuple[int, str, str]:
        from whybench.cli import main

        monkeypatch.setattr(sys, "argv", ["whybench", *words.split()])
        status = 0
        try:
            main()
        except SystemExit as done:
            status = int(done.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which tests were left out since packages are not installed."""
    if LEFT_OUT:
        needed, places = ", ".join(LACKING), ", ".join(LEFT_OUT)
        terminalreporter.write_line(f"not installed: {needed}; left out: {places}")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what needs packages that are not installed; the summary prints which."""
    inside = collection_path.is_relative_to(ROOT)
    if inside and collection_path.relative_to(ROOT).as_posix().startswith(LEFT_OUT):
        return True
    return None


def pytest_configure(config: pytest.Config) -> None:
    """Start what runs commands, for all workers; it imports nothing before the first is asked."""
    os.environ[VARIABLE] = str(commands())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count tests, and let slow ones begin first, lest one worker be busy when others are done."""
    for item in items:
        if item.nodeid.startswith(tuple(NIGHTLY)):
            item.add_marker("nightly")
        if EVIDENCE in item.path.parents or _marked(item, "nightly", *SLOW):
            item.add_marker("slow")
    ids = [item.nodeid for item in items]
    config.stash[UNMATCHED] = [
        name for name in NIGHTLY if not any(one.startswith(name) for one in ids)
    ]
    config.stash[COLLECTED] = Counter(
        f"{'slow' if _marked(item, 'slow') else 'quick'} {'law' if _is_law(item) else 'test'}"
        for item in items
    )
    if hasattr(config, "workerinput"):
        items.sort(
            key=lambda item: (_marked(item, "slow"), _marked(item, "model", "install")),
            reverse=True,
        )


def _marked(item: pytest.Item, *names: str) -> bool:
    return any(marker.name in names for marker in item.iter_markers())


def _is_law(item: pytest.Item) -> bool:
    """Say whether a test is a law of the house, of what must not change, or of Hypothesis."""
    if item.path.name == "test_frozen.py":
        return not any(word in item.name for word in ("measures", "replication"))
    of_house = item.path.name in ("test_house.py", "test_door.py", "test_words.py")
    return of_house or getattr(getattr(item, "obj", None), "is_hypothesis_test", False)


@pytest.fixture
def unmatched_nightly(pytestconfig: pytest.Config) -> list[str]:
    """Return the entries of `nightly.txt` that no collected test has."""
    return pytestconfig.stash[UNMATCHED]


@pytest.fixture
def collected(pytestconfig: pytest.Config) -> Counter[str]:
    """Return how many there are, whichever are run: quick and slow, each of laws and of tests."""
    return pytestconfig.stash[COLLECTED]


@pytest.fixture(scope="session")
def confines() -> None:
    """Skip, with the reason, where the machine itself cannot confine."""
    check = pytest.importorskip("inspect_bubblewrap.check")
    for finding in check.check_confinement():
        if not finding.holds:
            pytest.skip(f"this machine cannot confine: {finding.name}: {finding.seen}")


@pytest.fixture
def mirror() -> Path:
    folder = os.environ.get("WHYBENCH_DATA_MIRROR")
    if not folder:
        pytest.skip("set WHYBENCH_DATA_MIRROR to a folder that holds causAIign/")
    return Path(folder)


@pytest.fixture(scope="session")
def install() -> Callable[[Path, Path], None]:
    """Return a function that installs a package into a folder, with what there is on this machine.

    Inspect takes a folder for one of installed packages only if it is called `site-packages`.
    """

    def installed(package: Path, folder: Path) -> None:
        assert folder.name == "site-packages"
        asked = "pip install --quiet --offline --no-deps --no-build-isolation --python"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "uv",
                *asked.split(),
                sys.executable,
                "--target",
                folder,
                package,
            ],
            check=True,
        )

    return installed
