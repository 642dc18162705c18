"""A pytest plugin that prints the CPU time of the tests by folder and by marker, and the largest.

The time of a test is that of its worker, of the processes that it waited for, and of its commands,
which `command_server.py` runs and records. It is printed and never asserted.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.command_server import SPENT, VARIABLE

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

KINDS = ("nightly", "install", "model", "xdist_group", "slow")
"""Markers in the order of their weight: a test counts for the first that it has, else as quick."""
SHOWN = 25

_spent: dict[tuple[str, str], float] = defaultdict(float)


def _now() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note the time before a test; its last report carries what came after."""
    item.stash[_BEGAN] = _now()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        marks = {marker.name for marker in item.iter_markers()}
        kind = next((name for name in KINDS if name in marks), "quick")
        report.user_properties.append(("cpu", [kind, _now() - item.stash[_BEGAN]]))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown" and "PYTEST_XDIST_WORKER" not in os.environ:
        for name, value in report.user_properties:
            if name == "cpu":
                _spent[report.nodeid, value[0]] += value[1]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ or not _spent:
        return
    tests = dict(_spent)
    for test, seconds in _of_commands():
        _spent[test, tests.get(test, "quick")] += seconds
    kinds = [kind for kind in (*KINDS, "quick") if any(kind == one for _, one in _spent)]
    rows: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (test, kind), seconds in _spent.items():
        for folder in (_folder(test), "all"):
            rows[folder][kind] += seconds
            rows[folder]["all"] += seconds
    write = terminalreporter.write_line
    terminalreporter.section("CPU seconds of tests")
    write(f"{'':24}" + "".join(f"{kind:>12}" for kind in ("all", *kinds)))
    for folder in sorted(rows, key=lambda one: -rows[one]["all"]):
        write(f"{folder:24}" + "".join(f"{rows[folder][kind]:12.0f}" for kind in ("all", *kinds)))
    for (test, kind), seconds in sorted(_spent.items(), key=lambda one: -one[1])[:SHOWN]:
        write(f"{seconds:8.1f}  {kind:12}{test}")


def _folder(test: str) -> str:
    parts = test.split("::", maxsplit=1)[0].split("/")
    return "/".join(parts[:-1][:3]) or parts[-1]


def _of_commands() -> Iterable[tuple[str, float]]:
    recorded = Path(os.environ[VARIABLE], SPENT)
    if recorded.exists():
        for line in recorded.read_text(encoding="utf-8").splitlines():
            seconds, test = line.split(" ", 1)
            yield test, float(seconds)


_BEGAN = pytest.StashKey[float]()
