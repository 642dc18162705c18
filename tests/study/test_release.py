"""What a release has more than a checkout: jsPsych in the wheel, and a study without a network."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest
from evidence.installed import build_wheel, install_wheel

from whybench import datasets
from whybench.datasets import SOURCES, data_path, file_state
from whybench.errors import DataError
from whybench.study.export import ENGINE

if TYPE_CHECKING:
    from pathlib import Path

BUNDLED = "whybench/datasets/jsPsych/"


@pytest.mark.install
def test_a_released_wheel_exports_a_study_without_a_network(engine, tmp_path: Path) -> None:
    with ZipFile(build_wheel(release=True)) as wheel:
        found = {name for name in wheel.namelist() if name.startswith(BUNDLED)}
        assert found == {BUNDLED + ENGINE, f"{BUNDLED}LICENSE.txt"}
        pinned = SOURCES["jsPsych"].files[ENGINE].sha256
        assert hashlib.sha256(wheel.read(BUNDLED + ENGINE)).hexdigest() == pinned
        assert b"MIT License" in wheel.read(f"{BUNDLED}LICENSE.txt")
    # Commands of the environment have no variable that names a mirror, a cache or an index.
    fresh = install_wheel(release=True)
    assert "1 bundled" in fresh.run("whybench", "data", "list")
    fresh.run("whybench", "study", "export", "judge", "-o", str(tmp_path / "study"))
    copied = (tmp_path / "study" / "jspsych" / "index.browser.min.js").read_bytes()
    assert hashlib.sha256(copied).hexdigest() == pinned
    assert not list((fresh.folder / ".cache").glob("whybench/jsPsych*"))


@pytest.mark.install
def test_any_other_wheel_leaves_it_to_be_downloaded() -> None:
    with ZipFile(build_wheel()) as wheel:
        found = [name for name in wheel.namelist() if name.startswith(BUNDLED)]
        assert found == [f"{BUNDLED}LICENSE.txt"]


def test_what_is_bundled_is_used_and_verified(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("WHYBENCH_DATA_MIRROR", raising=False)
    monkeypatch.setenv("WHYBENCH_DATA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "package" / "__init__.py"))
    assert file_state("jsPsych", ENGINE) == "not fetched"
    bundled = tmp_path / "package" / "jsPsych" / ENGINE
    bundled.parent.mkdir(parents=True)
    bundled.write_text("changed", encoding="utf-8")
    assert file_state("jsPsych", ENGINE) == "bundled"
    with pytest.raises(DataError, match="must have the SHA-256 .*; install the package again"):
        data_path("jsPsych", ENGINE)
